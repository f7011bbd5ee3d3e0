//! Transactions lock items of stock in one order, so that none waits for another in a ring.

use futures_util::future::join_all;
use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::id::{ProductId, VariantId};
use shop_core::order::OrderStatus;

use super::fixture::{Buyer, TestShop, input};
use super::stock::variant;

/// Items of which some are variants, whose products' ids sort otherwise than their own.
async fn items(test: &TestShop) -> Vec<(ProductId, Option<VariantId>)> {
    let mut items = Vec::new();
    let first = test.product("vela-0", 100_000, 100).await;
    for at in 1..5 {
        items.push((test.product(&format!("vela-{at}"), 100_000, 100).await, None));
    }
    let big = variant(test, &first, "VELA-G", 100_000).await;
    items.push((first, Some(big)));
    items
}

async fn buy_and_cancel(test: &TestShop, buyer: &Buyer, lines: &[Value]) {
    let placed = test.place(buyer, json!(lines)).await.expect("placed");
    let orders = test.shop.orders();
    let cancelled = orders.set_status(&placed.order.id, OrderStatus::Cancelled, None).await;
    cancelled.expect("cancelled");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn orders_cancellations_and_corrections_of_the_same_items_never_deadlock() {
    let test = TestShop::open().await;
    let items = items(&test).await;
    let line = |(product, variant): &(ProductId, Option<VariantId>)| json!({ "productId": product, "variantId": variant, "quantity": 1 });
    let lines: Vec<Value> = items.iter().map(line).collect();
    let skus = ["VELA-G", "SKU-vela-4", "SKU-vela-1", "SKU-vela-3", "SKU-vela-2"];
    let mut buyers = Vec::new();
    for at in 0..6 {
        buyers.push(test.buyer(&format!("ana{at}")).await);
    }
    for round in 0..5 {
        let orders = buyers.iter().enumerate().map(|(at, buyer)| {
            let mut lines = lines.clone();
            lines.rotate_left(at % 5);
            let test = &test;
            async move { buy_and_cancel(test, buyer, &lines).await }
        });
        let all: Vec<_> =
            skus.iter().map(|sku| json!({ "sku": sku, "stock": 50_000 + round })).collect();
        let all = input(json!({ "type": "sync", "items": all }));
        let stock = test.shop.stock();
        let sync = stock.apply(&Actor::System, all, None);
        let (_, corrected) = tokio::join!(join_all(orders), sync);
        corrected.expect("corrected");
    }
    test.check_ledger();
    if !test.data.is_a_file() {
        let deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
        assert_eq!(test.count(deadlocks), 0);
    }
}
