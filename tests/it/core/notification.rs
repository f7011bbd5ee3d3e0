use serde_json::json;
use shop_core::Error;
use shop_core::error::Entity;
use shop_core::order::OrderStatus;

use super::fixture::{Buyer, TestShop, input};

/// A buyer with two notifications about an order.
async fn notified(test: &TestShop, name: &str) -> Buyer {
    let buyer = test.buyer(name).await;
    let product = test.product(&format!("vela-{name}"), 5, 4990).await;
    let order = test.buy(&buyer, &product, 1).await.expect("placed");
    for status in [OrderStatus::Processing, OrderStatus::Shipped] {
        test.shop.orders().set_status(&order.id, status, None).await.expect("set");
    }
    buyer
}

async fn unread(test: &TestShop, buyer: &Buyer) -> usize {
    let list = test.shop.notifications().list(&buyer.id).await.expect("a list");
    assert_eq!(list.len(), 2);
    list.iter().filter(|notification| !notification.read).count()
}

#[tokio::test]
async fn a_notification_is_read_and_unread_and_leads_to_its_order() {
    let test = TestShop::open().await;
    let (ana, bia) = (notified(&test, "ana").await, notified(&test, "bia").await);
    let notifications = test.shop.notifications();
    let first = notifications.list(&ana.id).await.expect("a list").remove(0);
    let order = test.shop.orders().list_for_customer(&ana.id).await.expect("a list").remove(0);
    assert_eq!(first.kind, "ORDER_STATUS");
    assert_eq!(first.link, Some(format!("/pedidos/{}", order.id)));
    for (read, left) in [(true, 1), (true, 1), (false, 2)] {
        let patch = input(json!({ "read": read }));
        let changed = notifications.update(&ana.id, &first.id, patch).await.expect("changed");
        assert_eq!((changed.read, &changed.id, &changed.title), (read, &first.id, &first.title));
        assert_eq!(unread(&test, &ana).await, left);
    }
    let theirs = notifications.update(&bia.id, &first.id, input(json!({ "read": true }))).await;
    assert!(matches!(theirs, Err(Error::NotFound(Entity::Notification))), "{theirs:?}");
    assert_eq!(unread(&test, &ana).await, 2);
}

#[tokio::test]
async fn all_are_read_at_once_but_only_ones_own() {
    let test = TestShop::open().await;
    let (ana, bia) = (notified(&test, "ana").await, notified(&test, "bia").await);
    test.shop.notifications().mark_all_read(&ana.id).await.expect("read");
    assert_eq!((unread(&test, &ana).await, unread(&test, &bia).await), (0, 2));
}

#[tokio::test]
async fn those_that_were_read_are_forgotten_after_90_days_and_others_after_a_year() {
    let test = TestShop::open().await;
    let ana = notified(&test, "ana").await;
    let notifications = test.shop.notifications();
    let first = notifications.list(&ana.id).await.expect("a list").remove(0);
    let read = input(json!({ "read": true }));
    notifications.update(&ana.id, &first.id, read).await.expect("read");
    let forgotten = async || test.shop.run_due().await.expect("done").notifications_forgotten;
    test.advance_hours(90 * 24 - 1);
    assert_eq!(forgotten().await, 0);
    test.advance_hours(1);
    assert_eq!(forgotten().await, 1);
    let left = notifications.list(&ana.id).await.expect("a list");
    assert!(left.len() == 1 && left[0].id != first.id, "{left:?}");
    test.advance_hours(275 * 24 - 1);
    assert_eq!(forgotten().await, 0);
    test.advance_hours(1);
    assert_eq!(forgotten().await, 1);
    assert_eq!(notifications.list(&ana.id).await.expect("a list"), []);
}
