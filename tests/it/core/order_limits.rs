//! How much one customer may take off the shelf before paying, and for how long.

use std::time::Duration;

use serde_json::json;
use shop_core::config::OrdersConfig;
use shop_core::error::Refusal;
use shop_core::order::{Order, OrderStatus};
use shop_core::{Error, Result};

use super::fixture::TestShop;

/// A shop with the limits that nobody has to set.
async fn open() -> TestShop {
    TestShop::with(|config| config.orders = OrdersConfig::default()).await
}

fn refusal(order: Result<Order>) -> Refusal {
    match order {
        Err(Error::Refused(refusal)) => refusal,
        other => panic!("not refused: {other:?}"),
    }
}

#[tokio::test]
async fn an_order_has_at_most_so_many_units_unless_that_is_off() {
    let test = open().await;
    let (ana, vela) = (test.buyer("ana").await, test.product("vela", 2000, 100).await);
    let sache = test.product("sache", 2000, 100).await;
    let lines = |of_each: i64| json!([{ "productId": vela, "quantity": of_each }, { "productId": sache, "quantity": of_each }]);
    let placed = test.place(&ana, lines(251)).await.map(|placed| placed.order);
    assert_eq!(refusal(placed), Refusal::TooManyUnits { max: 500 });
    assert_eq!((test.stock(vela.as_str()), test.stock(sache.as_str())), (2000, 2000));
    test.place(&ana, lines(250)).await.expect("placed");
    // What is not there is said first.
    let nothing = test.buy(&ana, &vela, 900).await;
    assert_eq!(refusal(nothing), Refusal::TooManyUnits { max: 500 });
    let few = test.product("few", 3, 100).await;
    let placed = test.buy(&ana, &few, 900).await;
    assert!(matches!(refusal(placed), Refusal::InsufficientStock { available: 3, .. }));

    let wholesale = TestShop::open().await;
    let (bia, vela) = (wholesale.buyer("bia").await, wholesale.product("vela", 2000, 100).await);
    wholesale.buy(&bia, &vela, 900).await.expect("no limit");
    test.check_ledger();
}

#[tokio::test]
async fn a_customer_has_at_most_so_many_orders_that_await_payment() {
    let test = TestShop::with(|config| config.orders.max_open_unpaid = 2).await;
    let (ana, vela) = (test.buyer("ana").await, test.product("vela", 100, 100).await);
    let first = test.buy(&ana, &vela, 1).await.expect("placed");
    test.advance_hours(1);
    let second = test.buy(&ana, &vela, 1).await.expect("placed");
    let third = test.buy(&ana, &vela, 1).await;
    assert_eq!(refusal(third), Refusal::TooManyUnpaidOrders { max: 2 });
    assert_eq!(test.stock(vela.as_str()), 98);
    // Each customer is counted alone, and paying or cancelling makes room.
    let bia = test.buyer("bia").await;
    test.buy(&bia, &vela, 1).await.expect("placed");
    test.shop.sandbox().pay(&first.order_number).await.expect("paid");
    test.buy(&ana, &vela, 1).await.expect("placed");
    let cancel = OrderStatus::Cancelled;
    test.shop.orders().set_status(&second.id, cancel, None).await.expect("cancelled");
    test.buy(&ana, &vela, 1).await.expect("placed");
    assert_eq!(refusal(test.buy(&ana, &vela, 1).await), Refusal::TooManyUnpaidOrders { max: 2 });
}

#[tokio::test]
async fn an_answer_that_was_given_is_given_again_whatever_the_limits() {
    let test = TestShop::with(|config| config.orders.max_open_unpaid = 1).await;
    let (ana, vela) = (test.buyer("ana").await, test.product("vela", 100, 100).await);
    let order = super::fixture::order_of(&ana, json!([{ "productId": vela, "quantity": 1 }]));
    let first = test.place_order(&ana, order.clone(), Some("k-1")).await.expect("placed");
    let again = test.place_order(&ana, order, Some("k-1")).await.expect("the same");
    assert_eq!((again.replayed, again.order), (true, first.order));
}

#[tokio::test]
async fn a_customer_places_at_most_so_many_orders_within_an_hour() {
    let test = TestShop::with(|config| config.orders.max_per_hour = 3).await;
    let (ana, vela) = (test.buyer("ana").await, test.product("vela", 100, 100).await);
    for _ in 0..3 {
        test.buy(&ana, &vela, 1).await.expect("placed");
        test.clock.advance(Duration::from_secs(600));
    }
    let retry_after = Duration::from_secs(1800);
    assert_eq!(refusal(test.buy(&ana, &vela, 1).await), Refusal::TooManyOrders { retry_after });
    test.clock.advance(retry_after);
    test.buy(&ana, &vela, 1).await.expect("the first one is an hour ago");
    let retry_after = Duration::from_secs(600);
    assert_eq!(refusal(test.buy(&ana, &vela, 1).await), Refusal::TooManyOrders { retry_after });
    assert_eq!(test.stock(vela.as_str()), 96);
}

#[tokio::test]
async fn an_order_that_is_only_to_be_paid_by_pix_is_held_for_a_day_and_others_for_three() {
    let test = open().await;
    let (ana, vela) = (test.buyer("ana").await, test.product("vela", 100, 5000).await);
    let by_pix = test.buy(&ana, &vela, 1).await.expect("placed");
    let undecided = test.buy(&ana, &vela, 1).await.expect("placed");
    let both = test.buy(&ana, &vela, 1).await.expect("placed");
    let payments = test.shop.payments();
    for order in [&by_pix, &both] {
        payments.create_pix(&ana.id, &order.id, None).await.expect("a code");
    }
    payments.create_intent(&ana.id, &both.id, None).await.expect("an intent");
    let due = async |hours: u64| {
        test.advance_hours(hours);
        test.shop.run_due().await.expect("swept");
        let mut status = Vec::new();
        for order in [&by_pix, &undecided, &both] {
            status.push(test.shop.orders().get(&order.id).await.expect("an order").status);
        }
        status
    };
    let (open, gone) = (OrderStatus::Pending, OrderStatus::Cancelled);
    assert_eq!(due(23).await, [open, open, open]);
    assert_eq!(due(1).await, [gone, open, open]);
    assert_eq!(due(48).await, [gone, gone, gone]);
    assert_eq!(test.stock(vela.as_str()), 100);
    test.check_ledger();
}
