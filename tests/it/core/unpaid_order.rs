//! Which unpaid orders wait for their money, and for how long.

use std::time::Duration;

use serde_json::json;
use shop_core::actor::Actor;
use shop_core::order::OrderStatus;
use shop_core::payment::PaymentStatus;

use super::fixture::{TestShop, input};
use super::payment::{now, unpaid};

/// How many orders the sweeper cancels now.
async fn cancelled(test: &TestShop) -> usize {
    test.shop.run_due().await.expect("done").orders_cancelled
}

#[tokio::test]
async fn an_order_that_staff_open_again_waits_its_time_anew() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    test.advance_hours(72);
    assert_eq!(cancelled(&test).await, 1);
    let orders = test.shop.orders();
    orders.set_status(&order.id, OrderStatus::Pending, None).await.expect("open again");
    test.advance_hours(71);
    assert_eq!(cancelled(&test).await, 0);
    assert_eq!(now(&test, &buyer, &order).await.0, OrderStatus::Pending);
    test.advance_hours(1);
    assert_eq!(cancelled(&test).await, 1);
    test.check_books().await;
}

#[tokio::test]
async fn a_mended_address_begins_no_time_anew() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    test.advance_hours(71);
    let rio = json!({ "street": "Rua da Quitanda", "number": "86", "district": "Centro",
                      "city": "Rio de Janeiro", "state": "RJ", "zipCode": "20091-005" });
    let mended = input(json!({ "address": rio }));
    test.shop.orders().update(&Actor::System, &order.id, mended, None).await.expect("mended");
    test.advance_hours(1);
    assert_eq!(cancelled(&test).await, 1);
    assert_eq!(now(&test, &buyer, &order).await.0, OrderStatus::Cancelled);
}

#[tokio::test]
async fn an_order_waits_for_what_the_issuer_of_its_card_says() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let card = json!({ "orderId": order.id, "token": "tok_pending", "paymentMethodId": "visa",
                       "installments": 1, "issuerId": "25" });
    test.shop.payments().pay_by_card(&buyer.id, input(card), None).await.expect("under review");
    test.advance_hours(100);
    assert_eq!(cancelled(&test).await, 0);
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Pending, PaymentStatus::Pending));
    // Refused in the end, nothing is waited for any more.
    test.raw_sql("UPDATE sandbox_payment SET status = 'rejected'");
    test.shop.payments().reconcile(&order.id).await.expect("asked");
    assert_eq!(cancelled(&test).await, 1);
    test.check_books().await;
}

#[tokio::test]
async fn a_pix_code_that_still_holds_is_waited_for() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    test.advance_hours(23);
    test.clock.advance(Duration::from_secs(45 * 60));
    test.shop.payments().create_pix(&buyer.id, &order.id, None).await.expect("a code");
    test.clock.advance(Duration::from_secs(29 * 60));
    assert_eq!(cancelled(&test).await, 0);
    // Another code buys no more time: the order's own was over before it was made.
    test.clock.advance(Duration::from_secs(60));
    test.shop.payments().create_pix(&buyer.id, &order.id, None).await.expect("another code");
    assert_eq!(cancelled(&test).await, 0, "not half an hour over its time yet");
    test.clock.advance(Duration::from_secs(15 * 60));
    assert_eq!(cancelled(&test).await, 1);
}

#[tokio::test]
async fn money_under_review_keeps_its_order_though_other_money_went_back() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let record = async |amount: i64| {
        let money = input(json!({ "method": "TRANSFER", "amount": amount }));
        test.shop.payments().record(&Actor::System, &order.id, money, None).await
    };
    let first = record(10).await.expect("recorded");
    let back = input(json!({ "paymentId": first.id }));
    test.shop.payments().refund(&Actor::System, &order.id, back, None).await.expect("back");
    assert_eq!(record(20).await.expect("recorded").status, PaymentStatus::Review);
    test.advance_hours(73);
    assert_eq!(cancelled(&test).await, 0);
    assert_eq!(now(&test, &buyer, &order).await.0, OrderStatus::Pending);
}

#[tokio::test]
async fn what_could_pay_an_order_that_staff_cancel_is_called_off_at_once() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    test.shop.payments().create_pix(&buyer.id, &order.id, None).await.expect("a code");
    test.shop.run_due().await.expect("done");
    let called_off = "SELECT count(*) FROM sandbox_payment WHERE status = 'cancelled'";
    assert_eq!(test.count(called_off), 0, "the order awaits it");
    let orders = test.shop.orders();
    orders.set_status(&order.id, OrderStatus::Cancelled, None).await.expect("cancelled");
    test.shop.run_due().await.expect("done");
    assert_eq!(test.count(called_off), 1);
    assert_eq!(now(&test, &buyer, &order).await.1, PaymentStatus::Cancelled);
}
