//! Paying by card, with the sandbox as the provider.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;
use shop_core::config::{Environment, Secret};
use shop_core::error::{CardRejection, Conflict, Refusal};
use shop_core::order::{Order, OrderStatus};
use shop_core::payment::{PaymentMethod, PaymentStatus};
use shop_core::settlement::{CardCharge, CardStatus};
use shop_core::{Error, Result};

use super::fixture::{Buyer, JWT_SECRET, TestShop, input};
use super::payment::{now, unpaid};

async fn pay(test: &TestShop, buyer: &Buyer, order: &Order, token: &str) -> Result<CardCharge> {
    pay_with(test, buyer, order, token, None).await
}

async fn pay_with(
    test: &TestShop,
    buyer: &Buyer,
    order: &Order,
    token: &str,
    key: Option<&str>,
) -> Result<CardCharge> {
    let card = input(json!({
        "orderId": order.id, "token": token, "paymentMethodId": "visa", "installments": 3,
        "issuerId": "25"
    }));
    let key = key.map(|key| key.parse().expect("a key"));
    test.shop.payments().pay_by_card(&buyer.id, card, key).await
}

fn charges(test: &TestShop) -> i64 {
    test.count("SELECT count(*) FROM sandbox_payment WHERE status IN ('approved', 'pending')")
}

fn is_in_process(result: &Result<CardCharge>) -> bool {
    matches!(result, Err(Error::Conflict(Conflict::PaymentInProcess)))
}

#[tokio::test]
async fn an_approved_card_pays_the_order() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let charge = pay(&test, &buyer, &order, "tok_approved").await.expect("approved");
    assert_eq!((charge.status, charge.installments), (CardStatus::Approved, 3));
    assert_eq!(
        (charge.last_four_digits.as_deref(), charge.order_id),
        (Some("3704"), order.id.clone())
    );
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Processing, PaymentStatus::Paid));
    let attempts = test.shop.payments().list_attempts(&order.id).await.expect("a list");
    assert_eq!((attempts.len(), attempts[0].method), (1, PaymentMethod::CreditCard));
    assert_eq!((attempts[0].captured, attempts[0].amount), (order.total, order.total));
    assert_eq!(attempts[0].provider_payment_id.as_ref(), Some(&charge.payment_id));
    assert_eq!(attempts[0].last_four_digits.as_deref(), Some("3704"));
    assert_eq!(attempts[0].installments, Some(3));
    let again = pay(&test, &buyer, &order, "tok_approved").await;
    assert!(matches!(again, Err(Error::Refused(Refusal::AlreadyPaid))), "{again:?}");
    assert_eq!(charges(&test), 1);
}

#[tokio::test]
async fn each_rejection_has_its_reason_and_leaves_the_order_open() {
    use CardRejection as Why;
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    for (token, reason) in [
        ("tok_cc_rejected_bad_filled_card_number", Why::Number),
        ("tok_cc_rejected_bad_filled_date", Why::ExpiryDate),
        ("tok_cc_rejected_bad_filled_security_code", Why::SecurityCode),
        ("tok_cc_rejected_bad_filled_other", Why::CardData),
        ("tok_cc_rejected_call_for_authorize", Why::CallForAuthorize),
        ("tok_cc_rejected_card_disabled", Why::Disabled),
        ("tok_cc_rejected_insufficient_amount", Why::InsufficientAmount),
        ("tok_cc_rejected_invalid_installments", Why::Installments),
        ("tok_cc_rejected_duplicated_payment", Why::Duplicated),
        ("tok_cc_rejected_max_attempts", Why::MaxAttempts),
        ("tok_cc_rejected_high_risk", Why::HighRisk),
        ("tok_cc_rejected_blacklist", Why::Blacklisted),
        ("tok_cc_rejected_3ds_mandatory", Why::AuthenticationRequired),
        ("tok_cc_rejected_card_error", Why::CardError),
        ("tok_cc_rejected_other_reason", Why::Other),
        ("tok_cc_rejected_of_tomorrow", Why::Other),
    ] {
        let refused = pay(&test, &buyer, &order, token).await;
        let because = |why| {
            Error::Refused(Refusal::CardRejected { reason: why, repeated: false }).to_string()
        };
        assert_eq!(refused.expect_err(token).to_string(), because(reason), "{token}");
        assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Pending, PaymentStatus::Failed));
    }
    let attempts = test.shop.payments().list_attempts(&order.id).await.expect("a list");
    assert_eq!(attempts[5].failure_code.as_deref(), Some("cc_rejected_card_disabled"));
    pay(&test, &buyer, &order, "tok_approved").await.expect("another card");
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Processing, PaymentStatus::Paid));
    assert_eq!(charges(&test), 1);
}

#[tokio::test]
async fn a_refused_card_is_refused_again_without_another_try() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    for _ in 0..3 {
        let refused = pay(&test, &buyer, &order, "tok_cc_rejected_high_risk").await;
        assert!(
            matches!(refused, Err(Error::Refused(Refusal::CardRejected { .. }))),
            "{refused:?}"
        );
    }
    assert_eq!(test.count("SELECT count(*) FROM sandbox_payment"), 1);
}

#[tokio::test]
async fn while_a_card_is_under_review_no_other_is_charged() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let charge = pay(&test, &buyer, &order, "tok_pending").await.expect("under review");
    assert_eq!(charge.status, CardStatus::InProcess);
    assert_eq!(pay(&test, &buyer, &order, "tok_pending").await.expect("the same"), charge);
    let other = pay(&test, &buyer, &order, "tok_approved").await;
    assert!(is_in_process(&other), "{other:?}");
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Pending, PaymentStatus::Pending));
    let paid = test.shop.sandbox().pay(&order.order_number).await.expect("approved in the end");
    assert_eq!(paid.status, OrderStatus::Processing);
    assert_eq!(paid.payment.method, Some(PaymentMethod::CreditCard));
    assert_eq!(charges(&test), 1);
}

#[tokio::test]
async fn a_lost_answer_is_asked_for_again_with_the_same_key() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let lost = pay(&test, &buyer, &order, "tok_timeout").await;
    assert!(matches!(lost, Err(Error::Provider { .. })), "{lost:?}");
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Pending, PaymentStatus::Pending));
    let charge = pay(&test, &buyer, &order, "tok_timeout").await.expect("approved");
    assert_eq!(charge.status, CardStatus::Approved);
    assert_eq!(charges(&test), 1);
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Processing, PaymentStatus::Paid));
}

#[tokio::test]
async fn another_card_is_tried_only_once_it_is_known_what_became_of_the_first() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    pay(&test, &buyer, &order, "tok_timeout").await.expect_err("lost");
    // The first one is found to be charged, so the second is not.
    let other = pay(&test, &buyer, &order, "tok_approved").await;
    assert!(matches!(other, Err(Error::Refused(Refusal::AlreadyPaid))), "{other:?}");
    assert_eq!(charges(&test), 1);

    let order = test.buy(&buyer, &order.items[0].product_id, 1).await.expect("placed");
    pay(&test, &buyer, &order, "tok_error").await.expect_err("not reached");
    let other = pay(&test, &buyer, &order, "tok_approved").await;
    assert!(is_in_process(&other), "the first may still arrive: {other:?}");
    test.clock.advance(Duration::from_secs(5 * 60));
    pay(&test, &buyer, &order, "tok_approved").await.expect("the first never arrived");
    assert_eq!(charges(&test), 2);
    let attempts = test.shop.payments().list_attempts(&order.id).await.expect("a list");
    assert_eq!(attempts[0].failure_code.as_deref(), Some("no_answer"));
}

#[tokio::test]
async fn the_background_finds_out_what_became_of_a_lost_answer() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    pay(&test, &buyer, &order, "tok_timeout").await.expect_err("lost");
    assert_eq!(test.shop.run_due().await.expect("done").payments_decided, 0, "too early");
    test.clock.advance(Duration::from_secs(3 * 60));
    assert_eq!(test.shop.run_due().await.expect("done").payments_decided, 1);
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Processing, PaymentStatus::Paid));
}

#[tokio::test]
async fn a_token_that_does_not_hold_is_refused() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    for _ in 0..2 {
        let refused = pay_with(&test, &buyer, &order, "made-up", Some("k")).await;
        assert!(matches!(refused, Err(Error::Refused(Refusal::InvalidCardToken))), "{refused:?}");
    }
    pay(&test, &buyer, &order, "tok_approved").await.expect("approved");
}

#[tokio::test]
async fn a_key_gives_the_first_answer_again_and_a_refusal_does_not_use_it_up() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let refused = pay_with(&test, &buyer, &order, "tok_cc_rejected_high_risk", Some("k")).await;
    assert!(matches!(refused, Err(Error::Refused(Refusal::CardRejected { .. }))), "{refused:?}");
    let first = pay_with(&test, &buyer, &order, "tok_approved", Some("k")).await.expect("paid");
    let again = pay_with(&test, &buyer, &order, "tok_approved", Some("k")).await.expect("again");
    assert_eq!(again, first);
    let reused = pay_with(&test, &buyer, &order, "tok_pending", Some("k")).await;
    assert!(matches!(reused, Err(Error::Refused(Refusal::IdempotencyKeyReused))), "{reused:?}");
    assert_eq!(charges(&test), 1);
}

#[tokio::test]
async fn a_keyed_repeat_of_a_lost_answer_that_the_background_booked_is_its_answer() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    pay_with(&test, &buyer, &order, "tok_timeout", Some("k")).await.expect_err("lost");
    test.shop.payments().reconcile(&order.id).await.expect("asked");
    let charge = pay_with(&test, &buyer, &order, "tok_timeout", Some("k")).await.expect("paid");
    assert_eq!(charge.status, CardStatus::Approved);
    assert_eq!(charges(&test), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn however_many_cards_are_tried_at_once_one_is_charged() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let tokens = ["tok_approved", "tok_timeout", "tok_cc_rejected_high_risk", "tok_pending"];
    let tries = (0..40).map(|n| pay(&test, &buyer, &order, tokens[n % tokens.len()]));
    join_all(tries).await;
    test.shop.payments().reconcile(&order.id).await.expect("asked");
    // While the card that is refused is in process, all others may have been sent away.
    match pay(&test, &buyer, &order, "tok_approved").await {
        Ok(_) | Err(Error::Refused(Refusal::AlreadyPaid)) => {}
        other => assert!(is_in_process(&other), "{other:?}"),
    }
    assert_eq!(charges(&test), 1);
    assert_eq!(test.count("SELECT count(*) FROM event WHERE name = 'order.paid'"), {
        test.count("SELECT count(*) FROM sandbox_payment WHERE status = 'approved'")
    });
}

#[tokio::test]
async fn the_real_shop_takes_no_made_up_cards() {
    let test = TestShop::with(|config| {
        config.environment = Environment::Production;
        config.jwt_secret = Some(Secret::new(JWT_SECRET));
    })
    .await;
    let (buyer, order) = unpaid(&test).await;
    let refused = pay(&test, &buyer, &order, "tok_approved").await;
    assert!(matches!(refused, Err(Error::Provider { .. })), "{refused:?}");
    assert_eq!(now(&test, &buyer, &order).await.0, OrderStatus::Pending);
}

#[tokio::test]
async fn nobody_pays_for_another_customers_order_by_card() {
    let test = TestShop::open().await;
    let (_, order) = unpaid(&test).await;
    let bia = test.buyer("bia").await;
    let theirs = pay(&test, &bia, &order, "tok_approved").await;
    assert!(matches!(theirs, Err(Error::NotFound(_))), "{theirs:?}");
}

#[tokio::test]
async fn an_order_of_nothing_is_paid_as_soon_as_it_is_placed() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 3, 1000).await;
    test.raw_sql("UPDATE product SET price = 0; DELETE FROM shipping_tariff");
    let order = test.buy(&buyer, &vela, 2).await.expect("placed");
    assert_eq!((order.total.cents(), order.status), (0, OrderStatus::Processing));
    assert_eq!(test.count("SELECT count(*) FROM event WHERE name = 'order.paid'"), 1);
    assert_eq!(test.count("SELECT count(*) FROM payment"), 0);
    let order = test.shop.orders().get_for_customer(&buyer.id, &order.id).await.expect("there");
    assert_eq!((order.payment.method, order.payment.status), (None, PaymentStatus::Paid));
    let pay = test.shop.payments().create_pix(&buyer.id, &order.id, None).await;
    assert!(matches!(pay, Err(Error::Refused(Refusal::AlreadyPaid))), "{pay:?}");
}
