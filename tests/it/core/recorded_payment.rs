//! Money that staff record, and what an order's payment says before, without and after it.

use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::audit::AuditFilter;
use shop_core::error::{Conflict, Refusal};
use shop_core::order::{Order, OrderStatus};
use shop_core::payment::{PaymentAttempt, PaymentMethod, PaymentStatus, RefundStatus};
use shop_core::{Error, Result};

use super::fixture::{Buyer, TestShop, input};
use super::payment::{now, unpaid};

async fn record(test: &TestShop, order: &Order, what: Value) -> Result<PaymentAttempt> {
    test.clock.advance(std::time::Duration::from_secs(1));
    test.shop.payments().record(&Actor::System, &order.id, input(what), None).await
}

async fn set(test: &TestShop, order: &Order, to: OrderStatus) {
    test.clock.advance(std::time::Duration::from_secs(1));
    test.shop.orders().set_status(&order.id, to, None).await.expect("set");
}

fn events(test: &TestShop, name: &str) -> i64 {
    test.count(&format!("SELECT count(*) FROM event WHERE name = '{name}'"))
}

async fn last_notification(test: &TestShop, buyer: &Buyer) -> (String, String) {
    let told = test.shop.notifications().list(&buyer.id).await.expect("a list").remove(0);
    (told.title, told.body)
}

#[tokio::test]
async fn recorded_money_pays_the_order_once() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    test.shop.payments().create_pix(&buyer.id, &order.id, None).await.expect("a code");
    let paid = record(&test, &order, json!({ "method": "CASH", "note": "no balcão" })).await;
    let paid = paid.expect("recorded");
    assert_eq!((paid.method, paid.status), (PaymentMethod::Cash, PaymentStatus::Paid));
    assert_eq!((paid.amount, paid.captured), (order.total, order.total));
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Processing, PaymentStatus::Paid));
    assert_eq!((events(&test, "order.paid"), events(&test, "order.status_changed")), (1, 1));
    let detail = test.shop.orders().get_detail(&order.id).await.expect("there");
    assert_eq!(detail.order.payment.method, Some(PaymentMethod::Cash));
    assert_eq!(detail.internal_notes[0].note, "no balcão");
    let log = test.shop.audit().list(AuditFilter::default()).await.expect("a log").data;
    assert!(log.iter().any(|entry| entry.action == "order.payment"), "{log:?}");
    let again = record(&test, &order, json!({ "method": "TRANSFER" })).await;
    assert!(matches!(again, Err(Error::Refused(Refusal::AlreadyPaid))), "{again:?}");
    // The code that nobody needs any more is called off.
    test.shop.run_due().await.expect("done");
    assert_eq!(test.count("SELECT count(*) FROM payment WHERE status = 'CANCELLED'"), 1);
    test.check_books().await;
}

#[tokio::test]
async fn another_amount_is_kept_for_review_and_closed_orders_take_none() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let part = record(&test, &order, json!({ "method": "TRANSFER", "amount": 10 })).await;
    assert_eq!(part.expect("recorded").status, PaymentStatus::Review);
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Pending, PaymentStatus::Review));
    assert_eq!(events(&test, "order.paid"), 0);
    let called_off = test.shop.payments().cancel_order(&buyer.id, &order.id).await;
    let in_process = Conflict::PaymentInProcess;
    assert!(matches!(called_off, Err(Error::Conflict(why)) if why == in_process));
    for wrong in
        [json!({ "method": "CASH", "amount": 0 }), json!({ "method": "CASH", "amount": -1 })]
    {
        let refused = record(&test, &order, wrong).await;
        assert!(matches!(refused, Err(Error::Invalid(_))), "{refused:?}");
    }
    for closed in [OrderStatus::Cancelled, OrderStatus::Refunded] {
        set(&test, &order, closed).await;
        let refused = record(&test, &order, json!({ "method": "CASH" })).await;
        assert!(matches!(refused, Err(Error::Refused(Refusal::OrderClosed))), "{refused:?}");
    }
    let nothing = "none".into();
    let cash = input(json!({ "method": "CASH" }));
    let unknown = test.shop.payments().record(&Actor::System, &nothing, cash, None).await;
    assert!(matches!(unknown, Err(Error::NotFound(_))), "{unknown:?}");
    test.check_books().await;
}

#[tokio::test]
async fn a_key_records_once() {
    let test = TestShop::open().await;
    let (_, order) = unpaid(&test).await;
    let record = |method: &str| {
        let (shop, id) = (test.shop.clone(), order.id.clone());
        let (what, key) = (input(json!({ "method": method })), "k".parse().expect("a key"));
        async move { shop.payments().record(&Actor::System, &id, what, Some(key)).await }
    };
    let first = record("CASH").await.expect("recorded");
    assert_eq!(record("CASH").await.expect("again"), first);
    let reused = record("OTHER").await;
    assert!(matches!(reused, Err(Error::Refused(Refusal::IdempotencyKeyReused))), "{reused:?}");
    assert_eq!(test.count("SELECT count(*) FROM payment"), 1);
}

#[tokio::test]
async fn a_refund_of_recorded_money_is_booked_without_asking_anybody() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    record(&test, &order, json!({ "method": "OTHER" })).await.expect("recorded");
    let refund = async |what: Value| {
        test.shop.payments().refund(&Actor::System, &order.id, input(what), None).await
    };
    let part = refund(json!({ "amount": 40 })).await.expect("booked");
    assert_eq!(part.status, RefundStatus::Done);
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Processing, PaymentStatus::Paid));
    refund(json!({})).await.expect("booked");
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Refunded, PaymentStatus::Refunded));
    let nothing = refund(json!({})).await;
    assert!(matches!(nothing, Err(Error::Refused(Refusal::NothingToRefund))), "{nothing:?}");
    test.check_books().await;
}

#[tokio::test]
async fn an_order_is_paid_by_its_payments_and_not_by_its_status() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    assert_eq!((order.payment.method, order.payment.status), (None, PaymentStatus::Pending));
    set(&test, &order, OrderStatus::Shipped).await;
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Shipped, PaymentStatus::Pending));
    assert_eq!(events(&test, "order.paid"), 0);
    let payments = test.shop.payments();
    let pix = payments.create_pix(&buyer.id, &order.id, None).await.expect("a code");
    payments.create_intent(&buyer.id, &order.id, None).await.expect("an intent");
    let card = input(json!({ "orderId": order.id, "token": "tok_cc_rejected_high_risk",
        "paymentMethodId": "visa", "installments": 1 }));
    let refused = payments.pay_by_card(&buyer.id, card, None).await;
    assert!(matches!(refused, Err(Error::Refused(Refusal::CardRejected { .. }))), "{refused:?}");
    // Codes and intents that can still be paid are not called off.
    test.shop.payments().reconcile(&order.id).await.expect("asked");
    assert_eq!(test.count("SELECT count(*) FROM payment WHERE status = 'CANCELLED'"), 0);
    let notice = test.shop.sandbox().settle(&pix.payment_id).await.expect("settled");
    payments.receive_notice(notice).await.expect("taken");
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Shipped, PaymentStatus::Paid));
    assert_eq!(events(&test, "order.paid"), 1);
    let again = payments.create_pix(&buyer.id, &order.id, None).await;
    assert!(matches!(again, Err(Error::Refused(Refusal::AlreadyPaid))), "{again:?}");
}

#[tokio::test]
async fn a_paid_order_that_staff_set_back_is_not_taken_for_unpaid() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    record(&test, &order, json!({ "method": "CASH" })).await.expect("recorded");
    set(&test, &order, OrderStatus::Pending).await;
    let pix = test.shop.payments().create_pix(&buyer.id, &order.id, None).await;
    assert!(matches!(pix, Err(Error::Refused(Refusal::AlreadyPaid))), "{pix:?}");
    test.advance_hours(100);
    assert_eq!(test.shop.run_due().await.expect("done").orders_cancelled, 0);
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Pending, PaymentStatus::Paid));
}

#[tokio::test]
async fn the_customer_is_told_of_money_only_where_money_moved() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    set(&test, &order, OrderStatus::Processing).await;
    let (title, _) = last_notification(&test, &buyer).await;
    assert_eq!(title, "Pedido em preparação");
    record(&test, &order, json!({ "method": "CASH" })).await.expect("recorded");
    set(&test, &order, OrderStatus::Refunded).await;
    let (title, body) = last_notification(&test, &buyer).await;
    assert_eq!(title, "Pedido marcado como reembolsado");
    assert!(!body.contains("devolvido"), "{body}");
    let history = test.shop.orders().get_detail(&order.id).await.expect("there").history;
    let note = history.last().and_then(|moved| moved.note.as_deref()).expect("a note");
    assert!(note.contains("nenhum valor foi movimentado"), "{note}");
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Refunded, PaymentStatus::Paid));

    let other = test.buy(&buyer, &order.items[0].product_id, 1).await.expect("placed");
    test.shop.sandbox().pay(&other.order_number).await.expect("paid");
    let all = input(json!({}));
    test.clock.advance(std::time::Duration::from_secs(1));
    test.shop.payments().refund(&Actor::System, &other.id, all, None).await.expect("refunded");
    let (title, body) = last_notification(&test, &buyer).await;
    assert_eq!(title, "Pedido reembolsado");
    assert!(body.contains("devolvido"), "{body}");
}

#[tokio::test]
async fn a_refunded_second_payment_leaves_the_order_paid() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let pix = test.shop.payments().create_pix(&buyer.id, &order.id, None).await.expect("a code");
    record(&test, &order, json!({ "method": "CASH" })).await.expect("recorded");
    let notice = test.shop.sandbox().settle(&pix.payment_id).await.expect("settled");
    test.shop.payments().receive_notice(notice).await.expect("taken");
    let what = input(json!({ "paymentId": pix.payment_id }));
    test.shop.payments().refund(&Actor::System, &order.id, what, None).await.expect("refunded");
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Processing, PaymentStatus::Paid));
    test.check_books().await;
}

#[tokio::test]
async fn at_once_staff_record_and_the_customer_pays_and_one_of_them_pays_the_order() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let pix = test.shop.payments().create_pix(&buyer.id, &order.id, None).await.expect("a code");
    let notice = test.shop.sandbox().settle(&pix.payment_id).await.expect("settled");
    let (paid, recorded) = futures_util::future::join(
        test.shop.payments().receive_notice(notice),
        record(&test, &order, json!({ "method": "CASH" })),
    )
    .await;
    paid.expect("taken");
    let fine = matches!(recorded, Ok(_) | Err(Error::Refused(Refusal::AlreadyPaid)));
    assert!(fine, "{recorded:?}");
    assert_eq!(events(&test, "order.paid"), 1);
    assert_eq!(test.count("SELECT count(*) FROM payment WHERE status = 'PAID'"), 1);
    test.check_books().await;
}

#[tokio::test]
async fn an_unknown_providers_row_is_an_error_and_does_not_stop_the_others() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let other = test.buy(&buyer, &order.items[0].product_id, 1).await.expect("placed");
    let payments = test.shop.payments();
    let strange = payments.create_pix(&buyer.id, &order.id, None).await.expect("a code");
    let known = payments.create_pix(&buyer.id, &other.id, None).await.expect("a code");
    for code in [&strange, &known] {
        test.shop.sandbox().settle(&code.payment_id).await.expect("settled");
    }
    let id = &strange.payment_id;
    test.raw_sql(&format!("UPDATE payment SET provider = 'provider9' WHERE id = '{id}'"));
    test.clock.advance(std::time::Duration::from_secs(4 * 60));
    let done = payments.reconcile_due().await.expect("a round");
    assert_eq!((done.asked, done.decided, done.failed), (2, 1, 1));
    assert_eq!(now(&test, &buyer, &other).await.1, PaymentStatus::Paid);
    assert_eq!(now(&test, &buyer, &order).await.1, PaymentStatus::Pending);
    let alone = payments.reconcile(&order.id).await;
    assert!(matches!(alone, Err(Error::Internal(_))), "{alone:?}");
}
