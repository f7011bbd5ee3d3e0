//! Giving money back, with the sandbox as the provider.

use futures_util::future::join_all;
use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::audit::AuditFilter;
use shop_core::error::Refusal;
use shop_core::order::{Order, OrderStatus};
use shop_core::payment::{PaymentStatus, Refund, RefundOrigin, RefundStatus};
use shop_core::{Error, Result};

use super::fixture::{Buyer, TestShop, input};
use super::payment::{now, unpaid};

/// A buyer with a paid order of R$ 99,80.
async fn paid(test: &TestShop) -> (Buyer, Order) {
    let (buyer, order) = unpaid(test).await;
    let order = test.shop.sandbox().pay(&order.order_number).await.expect("paid");
    (buyer, order)
}

async fn refund(test: &TestShop, order: &Order, what: Value) -> Result<Refund> {
    test.shop.payments().refund(&Actor::System, &order.id, input(what), None).await
}

fn went_back(test: &TestShop) -> i64 {
    test.count("SELECT coalesce(sum(refunded), 0) FROM sandbox_payment")
}

#[tokio::test]
async fn a_whole_refund_gives_all_back_and_the_units_too() {
    let test = TestShop::open().await;
    let (buyer, order) = paid(&test).await;
    let done = refund(&test, &order, json!({ "reason": "Chegou quebrada" })).await.expect("done");
    assert_eq!((done.amount, done.status), (order.total, RefundStatus::Done));
    assert_eq!(
        (done.origin, done.reason.as_deref()),
        (RefundOrigin::Shop, Some("Chegou quebrada"))
    );
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Refunded, PaymentStatus::Refunded));
    assert_eq!(test.stock(order.items[0].product_id.as_str()), 10);
    assert_eq!(went_back(&test), order.total.cents());
    assert_eq!(test.shop.payments().list_refunds(&order.id).await.expect("a list"), [done]);
    let attempt = test.shop.payments().list_attempts(&order.id).await.expect("a list").remove(0);
    assert_eq!((attempt.captured, attempt.refunded), (order.total, order.total));
    let log = test.shop.audit().list(AuditFilter::default()).await.expect("a log").data;
    assert_eq!(
        (log[0].action.as_str(), log[0].resource_id.as_str()),
        ("order.refund", order.id.as_str())
    );
    let more = refund(&test, &order, json!({})).await;
    assert!(matches!(more, Err(Error::Refused(Refusal::NothingToRefund))), "{more:?}");
    test.check_ledger();
}

#[tokio::test]
async fn parts_go_back_until_nothing_is_left() {
    let test = TestShop::open().await;
    let (buyer, order) = paid(&test).await;
    let part = json!({ "amount": 40.0, "reason": "" });
    let first = refund(&test, &order, part).await.expect("done");
    assert_eq!((first.amount.cents(), first.status), (4000, RefundStatus::Done));
    assert_eq!(first.reason, None);
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Processing, PaymentStatus::Paid));
    let too_much = refund(&test, &order, json!({ "amount": 59.81 })).await;
    let left = matches!(&too_much, Err(Error::Refused(Refusal::RefundTooLarge { left })) if left.cents() == 5980);
    assert!(left, "{too_much:?}");
    for nothing in [json!(0), json!(-1)] {
        let wrong = refund(&test, &order, json!({ "amount": nothing })).await;
        assert!(matches!(wrong, Err(Error::Invalid(_))), "{wrong:?}");
    }
    let rest = refund(&test, &order, json!({})).await.expect("done");
    assert_eq!(rest.amount.cents(), 5980);
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Refunded, PaymentStatus::Refunded));
    assert_eq!(went_back(&test), order.total.cents());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn at_once_no_more_goes_back_than_arrived() {
    let test = TestShop::open().await;
    let (_, order) = paid(&test).await;
    let asked = (0..20).map(|_| refund(&test, &order, json!({ "amount": 30.0 })));
    let done = join_all(asked).await.into_iter().flatten().count();
    assert_eq!((done, went_back(&test)), (3, 9000));
    assert_eq!(test.count("SELECT refund_reserved FROM payment"), 9000);
}

#[tokio::test]
async fn a_key_gives_the_first_refund_again() {
    let test = TestShop::open().await;
    let (_, order) = paid(&test).await;
    let ask = |amount: f64| {
        let (shop, id) = (test.shop.clone(), order.id.clone());
        let (what, key) = (input(json!({ "amount": amount })), "k".parse().expect("a key"));
        async move { shop.payments().refund(&Actor::System, &id, what, Some(key)).await }
    };
    let first = ask(10.0).await.expect("done");
    assert_eq!(ask(10.0).await.expect("again"), first);
    let reused = ask(11.0).await;
    assert!(matches!(reused, Err(Error::Refused(Refusal::IdempotencyKeyReused))), "{reused:?}");
    assert_eq!(went_back(&test), 1000);
}

#[tokio::test]
async fn an_unpaid_order_has_nothing_to_give_back() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    test.shop.payments().create_pix(&buyer.id, &order.id, None).await.expect("a code");
    let nothing = refund(&test, &order, json!({})).await;
    assert!(matches!(nothing, Err(Error::Refused(Refusal::NothingToRefund))), "{nothing:?}");
    let (nowhere, all) = ("nothing".into(), input(json!({})));
    let unknown = test.shop.payments().refund(&Actor::System, &nowhere, all, None).await;
    assert!(matches!(unknown, Err(Error::NotFound(_))), "{unknown:?}");
}

#[tokio::test]
async fn money_under_review_can_be_given_back_and_its_order_stays() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let charge = test.shop.payments().create_pix(&buyer.id, &order.id, None).await.expect("a code");
    let notice = test.shop.sandbox().settle(&charge.payment_id).await.expect("settled");
    test.raw_sql("UPDATE sandbox_payment SET amount = 5000");
    test.shop.payments().receive_notice(notice).await.expect("taken");
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Pending, PaymentStatus::Review));
    let done =
        refund(&test, &order, json!({ "paymentId": charge.payment_id })).await.expect("done");
    assert_eq!(done.amount.cents(), 5000, "what arrived, not what was asked for");
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Pending, PaymentStatus::Refunded));
}

#[tokio::test]
async fn what_was_given_back_at_the_providers_desk_is_booked() {
    let test = TestShop::open().await;
    let (buyer, order) = paid(&test).await;
    test.raw_sql("UPDATE sandbox_payment SET refunded = 2500");
    for _ in 0..3 {
        let notice = notice(&test, &order).await;
        test.shop.payments().receive_notice(notice).await.expect("taken");
    }
    let booked = test.shop.payments().list_refunds(&order.id).await.expect("a list");
    assert_eq!((booked.len(), booked[0].amount.cents()), (1, 2500));
    assert_eq!((booked[0].origin, booked[0].status), (RefundOrigin::Provider, RefundStatus::Done));
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Processing, PaymentStatus::Paid));
    let too_much = refund(&test, &order, json!({ "amount": 75.0 })).await;
    assert!(
        matches!(too_much, Err(Error::Refused(Refusal::RefundTooLarge { .. }))),
        "{too_much:?}"
    );
    refund(&test, &order, json!({ "amount": 10.0 })).await.expect("done");
    test.raw_sql("UPDATE sandbox_payment SET refunded = amount");
    let notice = notice(&test, &order).await;
    test.shop.payments().receive_notice(notice).await.expect("taken");
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Refunded, PaymentStatus::Refunded));
    let amounts = test.count("SELECT sum(amount) FROM refund WHERE status = 'DONE'");
    assert_eq!(amounts, order.total.cents());
}

/// A notice about an order's first payment, as it is at the provider now.
async fn notice(test: &TestShop, order: &Order) -> shop_core::settlement::ProviderNotice {
    let attempt = test.shop.payments().list_attempts(&order.id).await.expect("a list").remove(0);
    test.shop.sandbox().settle(&attempt.id).await.expect("a notice")
}

#[tokio::test]
async fn a_refund_that_the_provider_declines_frees_its_amount() {
    let test = TestShop::open().await;
    let (_, order) = paid(&test).await;
    // Somebody gave a part back, and its notice has not come.
    test.raw_sql("UPDATE sandbox_payment SET refunded = 5000");
    let declined = refund(&test, &order, json!({})).await;
    assert!(matches!(declined, Err(Error::Refused(Refusal::RefundDeclined))), "{declined:?}");
    assert_eq!(test.count("SELECT refund_reserved FROM payment"), 5000, "what is gone already");
    refund(&test, &order, json!({ "amount": 49.80 })).await.expect("what is left");
}

#[tokio::test]
async fn a_declined_refund_is_declined_again_when_it_is_repeated() {
    let test = TestShop::open().await;
    let (_, order) = paid(&test).await;
    test.raw_sql("UPDATE sandbox_payment SET refunded = 5000");
    for _ in 0..2 {
        let key = Some("rk-1".parse().expect("a key"));
        let what = input(json!({}));
        let declined = test.shop.payments().refund(&Actor::System, &order.id, what, key).await;
        assert!(matches!(declined, Err(Error::Refused(Refusal::RefundDeclined))), "{declined:?}");
    }
    assert_eq!(test.count("SELECT count(*) FROM refund WHERE status = 'FAILED'"), 1);
}

#[tokio::test]
async fn a_chargeback_is_booked_and_a_person_told() {
    let test = TestShop::open().await;
    let (buyer, order) = paid(&test).await;
    let notice = notice(&test, &order).await;
    test.raw_sql("UPDATE sandbox_payment SET status = 'charged_back'");
    for _ in 0..2 {
        test.shop.payments().receive_notice(notice.clone()).await.expect("taken");
    }
    assert_eq!(
        now(&test, &buyer, &order).await,
        (OrderStatus::Processing, PaymentStatus::ChargedBack)
    );
    assert_eq!(test.count("SELECT count(*) FROM order_note"), 1);
    let nothing = refund(&test, &order, json!({})).await;
    assert!(matches!(nothing, Err(Error::Refused(Refusal::NothingToRefund))), "{nothing:?}");
}

#[tokio::test]
async fn refunded_before_it_was_known_to_be_paid_is_paid_and_refunded() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let charge = test.shop.payments().create_pix(&buyer.id, &order.id, None).await.expect("a code");
    let notice = test.shop.sandbox().settle(&charge.payment_id).await.expect("settled");
    test.raw_sql("UPDATE sandbox_payment SET refunded = amount");
    test.shop.payments().receive_notice(notice).await.expect("taken");
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Refunded, PaymentStatus::Refunded));
    assert_eq!(test.stock(order.items[0].product_id.as_str()), 10);
    test.check_ledger();
}
