//! Units that orders take: never more than there are, and what the shelf holds afterwards.

use futures_util::future::join_all;
use proptest::prelude::*;
use serde_json::json;
use shop_core::Result;
use shop_core::actor::Actor;
use shop_core::order::{Order, OrderStatus};
use shop_tests::repeats;

use super::fixture::{TestShop, input, order_of};
use super::order::available;

/// So many orders at once, each as its closure says; how many went through.
pub(super) async fn rush(n: usize, order: impl AsyncFn(usize) -> Result<Order>) -> usize {
    join_all((0..n).map(|n| order(n))).await.into_iter().flatten().count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_hundred_buyers_at_once_get_exactly_the_last_fifty_units() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 50, 1000).await;
    let tasks: Vec<_> = (0..200)
        .map(|_| {
            let (shop, buyer, vela) = (test.shop.clone(), buyer.clone(), vela.clone());
            tokio::spawn(async move {
                let order = order_of(&buyer, json!([{ "productId": vela, "quantity": 1 }]));
                shop.orders().place(&buyer.id, order, None).await.is_ok()
            })
        })
        .collect();
    let placed = join_all(tasks).await.into_iter().filter(|ok| matches!(ok, Ok(true))).count();
    assert_eq!((placed, test.stock(vela.as_str())), (50, 0));
    assert_eq!(test.count("SELECT count(*) FROM orders"), 50);
    test.check_ledger();
}

#[tokio::test]
async fn an_order_of_a_deleted_variant_that_is_cancelled_is_no_longer_sold() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let products = test.shop.products();
    let new = json!({ "name": "Vela", "slug": "vela", "price": 12, "stock": 0, "variants": [
        { "price": 12, "stock": 5, "values": [{ "variantType": "Tamanho", "value": "P" }] }] });
    let vela =
        products.create(&Actor::System, input(new), None).await.expect("a product").product.id;
    let variant = products.list_variants(&vela).await.expect("variants").remove(0).id;
    let line = json!({ "productId": vela, "variantId": variant, "quantity": 3 });
    let order = test.place(&buyer, json!([line])).await.expect("placed").order;
    let sold = || test.count(&format!("SELECT sold FROM stock WHERE item_id = '{vela}'"));
    assert_eq!(sold(), 3);
    products.delete_variant(&Actor::System, &vela, &variant, None).await.expect("deleted");
    test.check_books().await;
    test.shop.orders().set_status(&order.id, OrderStatus::Cancelled, None).await.expect("closed");
    assert_eq!(sold(), 0);
    test.check_books().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn repeated_lines_never_oversell() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 50, 1000).await;
    let line = json!({ "productId": vela, "quantity": 1 });
    let items = json!([line, line, line]);
    let placed = rush(60, async |_| test.place(&buyer, items.clone()).await.map(|p| p.order)).await;
    assert_eq!((placed, test.stock(vela.as_str())), (16, 2));
    test.check_ledger();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_shops_on_one_file_never_oversell() {
    let test = TestShop::open().await;
    let other = test.open_again().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 50, 1000).await;
    let placed = rush(200, async |n| {
        let shop = if n % 2 == 0 { &test.shop } else { &other };
        let order = order_of(&buyer, json!([{ "productId": vela, "quantity": 1 }]));
        shop.orders().place(&buyer.id, order, None).await.map(|placed| placed.order)
    })
    .await;
    assert_eq!((placed, test.stock(vela.as_str())), (50, 0));
    assert_eq!(test.count("SELECT count(DISTINCT number) FROM orders"), 50);
    assert_eq!(test.count("SELECT last FROM order_day"), 50);
    test.check_ledger();
}

#[tokio::test]
async fn crossing_the_border_of_holding_stock_moves_the_units() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 5, 1000).await;
    let order = test.buy(&buyer, &vela, 3).await.expect("placed");
    let orders = test.shop.orders();
    let set = |status| orders.set_status(&order.id, status, None);
    let events = || test.count("SELECT count(*) FROM event WHERE name = 'order.status_changed'");

    set(OrderStatus::Cancelled).await.expect("cancelled");
    assert_eq!((test.stock(vela.as_str()), events()), (5, 1));
    set(OrderStatus::Cancelled).await.expect("no change");
    assert_eq!((test.stock(vela.as_str()), events()), (5, 1));
    set(OrderStatus::Refunded).await.expect("still without stock");
    assert_eq!(test.stock(vela.as_str()), 5);
    test.buy(&buyer, &vela, 4).await.expect("placed");
    assert_eq!(available(set(OrderStatus::Processing).await), 1);
    assert_eq!(
        orders.get_for_customer(&buyer.id, &order.id).await.expect("there").status,
        OrderStatus::Refunded
    );
    test.raw_sql(
        "UPDATE stock SET quantity = 3; INSERT INTO stock_movement
        (item_id, delta, reason, source, created_at)
        SELECT item_id, 2, 'ADJUSTMENT', 'TEST', 0 FROM stock;",
    );
    set(OrderStatus::Shipped).await.expect("taken again");
    assert_eq!(test.stock(vela.as_str()), 0);
    assert_eq!(test.count("SELECT count(*) FROM event WHERE name = 'order.shipped'"), 1);
    assert_eq!(test.count("SELECT sold FROM stock"), 7);
    test.check_ledger();
}

#[tokio::test]
async fn low_stock_is_told_when_a_change_leaves_an_item_at_the_threshold_and_not_above_it() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 8, 1000).await;
    let low = || test.count("SELECT count(*) FROM event WHERE name = 'stock.low'");
    test.buy(&buyer, &vela, 2).await.expect("placed");
    assert_eq!(low(), 0);
    let order = test.buy(&buyer, &vela, 1).await.expect("placed");
    assert_eq!(low(), 1);
    test.shop.orders().set_status(&order.id, OrderStatus::Cancelled, None).await.expect("done");
    assert_eq!((low(), test.stock(vela.as_str())), (1, 6));
    assert_eq!(test.count("SELECT count(*) FROM event WHERE name = 'stock.updated'"), 3);
}

/// One step of the model test below.
#[derive(Debug, Clone)]
enum Step {
    Buy { product: usize, quantity: i64 },
    SetStatus { order: usize, status: usize },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let buy =
        (0..2_usize, 1..4_i64).prop_map(|(product, quantity)| Step::Buy { product, quantity });
    let set =
        (0..8_usize, 0..6_usize).prop_map(|(order, status)| Step::SetStatus { order, status });
    proptest::collection::vec(prop_oneof![buy, set], 1..25)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(repeats(8, 24)))]

    /// Whatever staff and buyers do, the shelf holds what was there less what orders hold, and the
    /// ledger explains it.
    #[test]
    fn stock_is_always_what_was_there_less_what_orders_hold(steps in steps()) {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(async {
            let test = TestShop::open().await;
            let buyer = test.buyer("ana").await;
            let products = [test.product("vela", 7, 100).await, test.product("sabonete", 4, 100).await];
            let mut shelf = [7, 4];
            let mut orders: Vec<(Order, usize, i64)> = Vec::new();
            for step in steps {
                match step {
                    Step::Buy { product, quantity } => {
                        let bought = test.buy(&buyer, &products[product], quantity).await;
                        assert_eq!(bought.is_ok(), quantity <= shelf[product]);
                        if let Ok(order) = bought {
                            shelf[product] -= quantity;
                            orders.push((order, product, quantity));
                        }
                    }
                    Step::SetStatus { order, status } if !orders.is_empty() => {
                        let n = order % orders.len();
                        let (order, product, quantity) = &mut orders[n];
                        let to = OrderStatus::ALL[status];
                        let taken = i64::from(to.holds_stock()) - i64::from(order.status.holds_stock());
                        let changed = test.shop.orders().set_status(&order.id, to, None).await;
                        let possible = taken * *quantity <= shelf[*product];
                        assert_eq!(changed.is_ok(), possible);
                        if let Ok(changed) = changed {
                            shelf[*product] -= taken * *quantity;
                            *order = changed;
                        }
                    }
                    Step::SetStatus { .. } => {}
                }
            }
            for (product, left) in products.iter().zip(shelf) {
                assert_eq!(test.stock(product.as_str()), left);
            }
            test.check_ledger();
        });
    }
}
