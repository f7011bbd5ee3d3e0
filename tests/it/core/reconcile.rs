//! Asking the providers about what is open, and what a look tells of it.

use std::time::Duration;

use hyper::Method;
use serde_json::json;
use shop_core::actor::Actor;
use shop_core::error::{Conflict, Error, Refusal};
use shop_core::order::{Order, OrderStatus};
use shop_core::payment::{PaymentStatus, RefundOrigin, RefundStatus};
use shop_core::settlement::{CardStatus, Reconciled};

use super::fixture::{TestShop, input};
use super::payment::unpaid;
use crate::fakes::mercado_pago::{MercadoPago, WEBHOOK_SECRET};
use crate::fakes::provider::Trouble;
use crate::fakes::signature;

/// A shop with an order whose PIX code waits.
async fn waiting() -> (MercadoPago, TestShop, Order) {
    let provider = MercadoPago::start().await;
    let test = TestShop::with(|config| provider.adapt(config)).await;
    let (buyer, order) = unpaid(&test).await;
    test.shop.payments().create_pix(&buyer.id, &order.id, None).await.expect("a code");
    (provider, test, order)
}

/// A refund that the provider does not answer well.
async fn unanswered_refund(
    provider: &MercadoPago,
    test: &TestShop,
    order: &Order,
    trouble: Trouble,
) {
    provider.has(trouble);
    let whole = input(json!({}));
    let asked = test.shop.payments().refund(&Actor::System, &order.id, whole, None).await;
    assert_eq!(asked.expect("kept").status, RefundStatus::Pending);
    provider.has(Trouble::None);
}

/// What was asked, what is decided since, and the same of refunds.
fn counts(looked: Reconciled) -> (usize, usize, usize) {
    assert_eq!(looked.failed, 0, "{looked:?}");
    (looked.asked, looked.decided, looked.refunds_decided)
}

#[tokio::test]
async fn a_look_at_an_order_tells_what_it_asked_and_what_is_decided() {
    let (provider, test, order) = waiting().await;
    let look = async || counts(test.shop.payments().reconcile(&order.id).await.expect("asked"));
    assert_eq!(look().await, (1, 0, 0));
    provider.approve_latest();
    assert_eq!(look().await, (1, 1, 0));
    assert_eq!(look().await, (1, 0, 0), "some may have gone back");
    unanswered_refund(&provider, &test, &order, Trouble::Fails(503)).await;
    assert_eq!(look().await, (1, 0, 1));
    test.check_books().await;
}

#[tokio::test]
async fn a_round_of_the_background_tells_what_it_asked_and_what_is_decided() {
    let (provider, test, order) = waiting().await;
    let round = async || {
        test.clock.advance(Duration::from_secs(15 * 60));
        counts(test.shop.payments().reconcile_due().await.expect("asked"))
    };
    assert_eq!(round().await, (1, 0, 0));
    provider.approve_latest();
    assert_eq!(round().await, (1, 1, 0));
    assert_eq!(round().await, (0, 0, 0));
    unanswered_refund(&provider, &test, &order, Trouble::Fails(503)).await;
    assert_eq!(round().await, (0, 0, 1));
    test.check_books().await;
}

#[tokio::test]
async fn a_refund_that_the_provider_made_is_asked_for_again_by_its_key_alone() {
    let (provider, test, order) = waiting().await;
    let payments = test.shop.payments();
    provider.approve_latest();
    payments.reconcile(&order.id).await.expect("asked");
    unanswered_refund(&provider, &test, &order, Trouble::Garbage).await;
    provider.asked();
    let looked = payments.reconcile(&order.id).await.expect("asked");
    assert_eq!(counts(looked), (1, 0, 1));
    let asked = provider.asked();
    let again: Vec<_> = asked.iter().filter(|it| it.method == Method::POST).collect();
    let refunds = payments.list_refunds(&order.id).await.expect("a list");
    assert_eq!((refunds.len(), refunds[0].status), (1, RefundStatus::Done));
    let key = again[0].header("x-idempotency-key");
    assert_eq!((again.len(), key), (1, refunds[0].id.as_str()), "it is no other refund");
    assert!(refunds[0].provider_refund_id.is_some(), "should it fail later, it is known");
}

#[tokio::test]
async fn a_card_that_its_provider_does_not_know_holds_its_order_up_for_five_minutes() {
    let provider = MercadoPago::start().await;
    let test = TestShop::with(|config| provider.adapt(config)).await;
    let (buyer, order) = unpaid(&test).await;
    let pay = async |token: &str| {
        let card = json!({ "orderId": order.id, "token": token, "paymentMethodId": "visa",
                           "installments": 1, "issuerId": "25" });
        test.shop.payments().pay_by_card(&buyer.id, input(card), None).await
    };
    assert_eq!(pay("mp-in-process").await.expect("looked at").status, CardStatus::InProcess);
    provider.books(|ledger| ledger.forgets_payments = true);
    test.clock.advance(Duration::from_secs(4 * 60));
    let soon = pay("mp-approved").await;
    assert!(matches!(soon, Err(Error::Conflict(Conflict::PaymentInProcess))), "{soon:?}");
    test.clock.advance(Duration::from_secs(2 * 60));
    assert_eq!(pay("mp-approved.2").await.expect("paid").status, CardStatus::Approved);
    let attempts = test.shop.payments().list_attempts(&order.id).await.expect("a list");
    let failed = attempts.iter().find(|it| it.status == PaymentStatus::Failed).expect("the first");
    assert_eq!(failed.failure_code.as_deref(), Some("unknown"));
    test.check_books().await;
}

#[tokio::test]
async fn a_pix_code_that_its_provider_does_not_know_ends_and_counts_once_it_is_known() {
    let (provider, test, order) = waiting().await;
    provider.approve_latest();
    provider.books(|ledger| ledger.forgets_payments = true);
    let look = async || counts(test.shop.payments().reconcile(&order.id).await.expect("asked"));
    assert_eq!(look().await, (1, 0, 0));
    test.clock.advance(Duration::from_secs(6 * 60));
    assert_eq!(look().await, (1, 1, 0));
    provider.books(|ledger| ledger.forgets_payments = false);
    assert_eq!(look().await, (1, 1, 0));
    let paid = test.shop.orders().get(&order.id).await.expect("the order");
    assert!(paid.is_paid(), "{paid:?}");
    test.check_books().await;
}

#[tokio::test]
async fn money_that_went_back_without_a_word_is_found() {
    let (provider, test, order) = waiting().await;
    let payments = test.shop.payments();
    provider.approve_latest();
    payments.reconcile(&order.id).await.expect("paid");
    provider.give_back(20.0, false);
    payments.reconcile(&order.id).await.expect("asked");
    let refunds = payments.list_refunds(&order.id).await.expect("a list");
    assert_eq!((refunds[0].amount.cents(), refunds[0].origin), (2000, RefundOrigin::Provider));
    provider.give_back(99.8, true);
    let refused = payments.refund(&Actor::System, &order.id, input(json!({})), None).await;
    assert!(matches!(refused, Err(Error::Refused(Refusal::RefundDeclined))), "{refused:?}");
    let order = test.shop.orders().get(&order.id).await.expect("the order");
    assert_eq!(order.status, OrderStatus::Refunded, "the provider was asked why");
    test.check_books().await;
}

#[tokio::test]
async fn a_notice_of_a_payment_that_its_provider_does_not_know_is_left_to_be_sent_again() {
    let (provider, test, order) = waiting().await;
    let payments = test.shop.payments();
    provider.approve_latest();
    let notice = provider.notice(test.shop.now().seconds());
    provider.books(|ledger| ledger.forgets_payments = true);
    let answered = payments.receive_notice(notice.clone()).await;
    assert!(matches!(answered, Err(Error::Provider { .. })), "{answered:?}");
    let foreign = signature::notice(WEBHOOK_SECRET, "4711", test.shop.now().seconds());
    payments.receive_notice(foreign).await.expect("nothing to repeat");
    provider.books(|ledger| ledger.forgets_payments = false);
    payments.receive_notice(notice).await.expect("taken");
    assert!(test.shop.orders().get(&order.id).await.expect("the order").is_paid());
}

#[tokio::test]
async fn about_an_order_past_its_time_the_provider_is_asked_ever_more_rarely() {
    let (provider, test, _) = waiting().await;
    let asks = async |seconds: u64| {
        test.clock.advance(Duration::from_secs(seconds));
        provider.asked();
        let cancelled = test.shop.run_due().await.expect("done").orders_cancelled;
        (provider.asked().len(), cancelled)
    };
    provider.has(Trouble::Page(503));
    // Once because it is open, once because its order is to be cancelled.
    assert_eq!(asks(24 * 60 * 60).await, (2, 0));
    assert_eq!(asks(30).await, (0, 0));
    assert_eq!(asks(3 * 60).await, (1, 0));
    provider.has(Trouble::Busy);
    assert_eq!(asks(3 * 60).await, (1, 0));
    assert_eq!(asks(50 * 60).await, (0, 0), "it shall be left alone for an hour");
    provider.has(Trouble::None);
    assert_eq!(asks(10 * 60).await.1, 1);
}
