//! Parcels that wait for staff.

use serde_json::json;
use shop_core::id::OrderId;
use shop_core::order::OrderStatus;
use shop_core::views::{ParcelTrouble, TaskFilter};

use super::{DAY, Depot, HOUR, parcel};
use crate::core::fixture::{START, TestShop};

async fn waiting(test: &TestShop) -> Vec<(String, ParcelTrouble)> {
    let tasks = test.shop.dashboard().get_tasks(TaskFilter::default()).await.expect("tasks");
    let waiting = tasks.parcels_in_trouble;
    assert_eq!(waiting.count, i64::try_from(waiting.first.len()).expect("a count"));
    waiting.first.into_iter().map(|it| (it.id.to_string(), it.trouble)).collect()
}

fn add(test: &TestShop, order: &OrderId, id: &str, number: i64, status: &str, further: &str) {
    test.raw_sql(&parcel(order, id, number, status, further));
}

#[tokio::test]
async fn parcels_that_are_stuck_late_or_come_back_wait_for_staff_until_the_order_is_closed() {
    let Depot { test, order, .. } = Depot::open().await;
    let of = &order.id;
    let at = |column: &str| format!("{column} = {}", START.millis());
    for (number, status) in [(1, "DRAFT"), (2, "PAYING"), (3, "PAID"), (4, "DELIVERED")] {
        add(&test, of, &format!("good-{number}"), number, status, "");
    }
    add(&test, of, "given-up", 5, "CANCELLED", "problem = 'ORDER_CLOSED'");
    add(&test, of, "unposted", 6, "GENERATED", &at("generated_at"));
    add(&test, of, "late", 7, "POSTED", &at("expected_at"));
    add(&test, of, "unknown", 8, "POSTED", "");
    assert_eq!(waiting(&test).await, []);
    add(&test, of, "returning", 9, "RETURNING", "");
    add(&test, of, "dear", 10, "IN_CART", "problem = 'PRICE_ABOVE_QUOTE'");
    add(&test, of, "failed", 11, "FAILED", "problem = 'REFUSED'");
    add(&test, of, "expired", 12, "EXPIRED", "");
    let told = |of: &[(&str, ParcelTrouble)]| -> Vec<(String, ParcelTrouble)> {
        of.iter().map(|(id, trouble)| ((*id).to_owned(), *trouble)).collect()
    };
    let at_once = told(&[
        ("dear", ParcelTrouble::Label),
        ("expired", ParcelTrouble::NoLabel),
        ("failed", ParcelTrouble::NoLabel),
        ("returning", ParcelTrouble::Returning),
    ]);
    assert_eq!(waiting(&test).await, at_once);
    // A parcel that has another label waits for that one alone.
    add(&test, of, "failed-again", 11, "PAID", "");
    test.clock.advance(3 * DAY);
    assert_eq!(waiting(&test).await.len(), 3);
    test.clock.advance(HOUR);
    let later = told(&[
        ("dear", ParcelTrouble::Label),
        ("expired", ParcelTrouble::NoLabel),
        ("late", ParcelTrouble::Late),
        ("returning", ParcelTrouble::Returning),
        ("unposted", ParcelTrouble::NotPosted),
    ]);
    assert_eq!(waiting(&test).await, later);
    for status in [OrderStatus::Delivered, OrderStatus::Refunded, OrderStatus::Cancelled] {
        test.shop.orders().set_status(of, status, None).await.expect("set");
        assert_eq!(waiting(&test).await, [], "{status}");
    }
    test.shop.orders().set_status(of, OrderStatus::Shipped, None).await.expect("set");
    assert_eq!(waiting(&test).await, later);
}

#[tokio::test]
async fn what_keeps_a_label_from_being_bought_stands_with_it() {
    let Depot { test, order, .. } = Depot::open().await;
    add(&test, &order.id, "poor", 1, "IN_CART", "problem = 'INSUFFICIENT_BALANCE'");
    let tasks = test.shop.dashboard().get_tasks(TaskFilter::default()).await.expect("tasks");
    let shown = serde_json::to_value(&tasks.parcels_in_trouble).expect("JSON");
    assert_eq!(
        shown,
        json!({ "count": 1, "first": [{
            "id": "poor", "orderId": order.id, "orderNumber": order.order_number, "parcel": 1,
            "trouble": "LABEL", "problem": "INSUFFICIENT_BALANCE", "createdAt": START
        }]})
    );
}

#[tokio::test]
async fn a_paid_label_of_an_order_that_was_closed_before_it_was_sent_waits_for_staff() {
    let test = TestShop::open().await;
    let (ana, vela) = (test.buyer("ana").await, test.product("vela", 5, 4990).await);
    let order = test.buy(&ana, &vela, 1).await.expect("placed").id;
    add(&test, &order, "bought", 1, "GENERATED", "");
    add(&test, &order, "stuck", 2, "CANCELLING", "problem = 'NO_ANSWER'");
    add(&test, &order, "posted", 3, "POSTED", "");
    add(&test, &order, "given-back", 4, "CANCELLED", "");
    for status in [OrderStatus::Cancelled, OrderStatus::Refunded] {
        test.shop.orders().set_status(&order, status, None).await.expect("set");
        let told = ["bought", "stuck"].map(|id| (id.to_owned(), ParcelTrouble::OrderClosed));
        assert_eq!(waiting(&test).await, told, "{status}");
    }
}
