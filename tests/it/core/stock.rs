//! Stock that is set and corrected, by people and by other programs.

use proptest::prelude::*;
use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::error::{Entity, Refusal};
use shop_core::id::{ProductId, VariantId};
use shop_core::inventory::{StockOutcome, StockUpdate};
use shop_core::value::StockLevel;
use shop_core::{Error, Result};
use shop_tests::repeats;

use super::fixture::{TestShop, input};

async fn update(test: &TestShop, update: Value) -> Result<StockOutcome> {
    test.shop.stock().apply(&Actor::System, input(update), None).await
}

/// A variant of a product with so many units.
pub(crate) async fn variant(
    test: &TestShop,
    product: &ProductId,
    sku: &str,
    stock: i64,
) -> VariantId {
    let size = json!({ "name": "Tamanho", "slug": format!("tamanho-{sku}").to_lowercase() });
    let kind = test.shop.variant_types().create(&Actor::System, input(size)).await.expect("a kind");
    let option = input(json!({ "value": "200 g" }));
    let option = test
        .shop
        .variant_types()
        .create_option(&Actor::System, &kind.id, option)
        .await
        .expect("an option");
    let new = json!({
        "price": 10, "stock": stock, "sku": sku, "values": [{ "variantOptionId": option.id }]
    });
    test.shop
        .products()
        .create_variant(&Actor::System, product, input(new))
        .await
        .expect("a variant")
        .id
}

fn events(test: &TestShop, name: &str) -> i64 {
    test.count(&format!("SELECT count(*) FROM event WHERE name = '{name}'"))
}

#[tokio::test]
async fn sync_sets_products_and_variants_by_sku_and_names_those_that_nobody_has() {
    let test = TestShop::open().await;
    let vela = test.product("vela", 10, 1000).await;
    let big = variant(&test, &vela, "VELA-G", 3).await;
    let sync = json!({ "type": "sync", "items": [
        { "sku": "SKU-vela", "stock": 7 }, { "sku": "nobody's", "stock": 1 },
        { "sku": " VELA-G ", "stock": 50 }, { "sku": "", "stock": 1 },
    ]});
    let outcome = update(&test, sync).await.expect("done");
    assert_eq!((outcome.ok, outcome.updated), (true, 2));
    assert_eq!(outcome.unknown_skus, ["", "nobody's"]);
    assert_eq!((test.stock(vela.as_str()), test.stock(big.as_str())), (7, 50));
    assert_eq!(
        test.count(
            "SELECT sum(delta) FROM stock_movement
             WHERE source = 'WEBHOOK' AND reason = 'ADJUSTMENT'"
        ),
        44
    );
    assert_eq!(events(&test, "stock.updated"), 1);
    assert_eq!(events(&test, "stock.low"), 0);
    test.check_ledger();
}

#[tokio::test]
async fn of_two_items_of_a_sync_with_one_sku_the_later_counts() {
    let test = TestShop::open().await;
    let vela = test.product("vela", 10, 1000).await;
    let items = json!([{ "sku": "SKU-vela", "stock": 3 }, { "sku": "SKU-vela", "stock": 20 }]);
    let outcome = update(&test, json!({ "type": "sync", "items": items })).await.expect("done");
    assert_eq!((outcome.ok, outcome.updated), (true, 1));
    assert_eq!(test.stock(vela.as_str()), 20);
    assert_eq!(test.count("SELECT count(*) FROM stock_movement WHERE source = 'WEBHOOK'"), 1);
}

#[tokio::test]
async fn a_sync_that_finds_nothing_is_not_ok_and_an_empty_one_is() {
    let test = TestShop::open().await;
    let unknown = json!({ "type": "sync", "items": [{ "sku": "x", "stock": 3 }] });
    let outcome = update(&test, unknown).await.expect("done");
    assert_eq!((outcome.ok, outcome.updated, outcome.unknown_skus.len()), (false, 0, 1));
    let outcome = update(&test, json!({ "type": "sync", "items": [] })).await.expect("done");
    assert_eq!((outcome.ok, outcome.updated, outcome.unknown_skus.len()), (true, 0, 0));
}

#[tokio::test]
async fn the_stock_that_is_there_already_moves_nothing_and_is_told_as_updated() {
    let test = TestShop::open().await;
    let vela = test.product("vela", 4, 1000).await;
    let items = json!([{ "sku": "SKU-vela", "stock": 4 }]);
    let outcome = update(&test, json!({ "type": "sync", "items": items })).await.expect("done");
    assert_eq!((outcome.ok, outcome.updated), (true, 1));
    let set = json!({ "type": "set", "productId": vela, "stock": 4 });
    assert_eq!(update(&test, set).await.expect("done").updated, 1);
    assert_eq!(test.count("SELECT count(*) FROM stock_movement"), 1);
    assert_eq!((events(&test, "stock.updated"), events(&test, "stock.low")), (2, 0));
    let told =
        "SELECT count(*) FROM event WHERE name = 'stock.updated' AND payload LIKE '%\"stock\":4%'";
    assert_eq!(test.count(told), 2);
    // Staff who enter what is there already alter nothing.
    let level = StockLevel::try_from(4).expect("a level");
    test.shop.stock().set(&Actor::System, &vela, None, level, None).await.expect("set");
    assert_eq!(events(&test, "stock.updated"), 2);
}

#[tokio::test]
async fn stock_is_low_after_any_change_that_leaves_it_so_and_not_when_a_product_is_made() {
    let test = TestShop::open().await;
    let (ana, vela) = (test.buyer("ana").await, test.product("vela", 3, 1000).await);
    assert_eq!(events(&test, "stock.low"), 0);
    let set = |stock: i64| json!({ "type": "set", "productId": vela, "stock": stock });
    for (stock, low) in [(4, 1), (6, 1), (5, 2), (5, 2)] {
        update(&test, set(stock)).await.expect("done");
        assert_eq!(events(&test, "stock.low"), low, "set to {stock}");
    }
    let order = test.buy(&ana, &vela, 3).await.expect("an order");
    assert_eq!(events(&test, "stock.low"), 3);
    let cancel = shop_core::order::OrderStatus::Cancelled;
    test.shop.orders().set_status(&order.id, cancel, None).await.expect("cancelled");
    assert_eq!(events(&test, "stock.low"), 4, "five units came back");
}

#[tokio::test]
async fn stock_that_staff_or_a_program_sets_moves_the_products_updated_at_and_a_sale_does_not() {
    let test = TestShop::open().await;
    let (ana, vela) = (test.buyer("ana").await, test.product("vela", 10, 1000).await);
    let big = variant(&test, &vela, "G", 1).await;
    let seen = async || {
        test.advance_hours(1);
        test.shop.products().get(&vela).await.expect("a product").updated_at
    };
    let made = seen().await;
    test.buy(&ana, &vela, 1).await.expect("an order");
    assert_eq!(seen().await, made, "a sale is no change of the product");
    let mut before = made;
    for told in [
        json!({ "type": "sync", "items": [{ "sku": "SKU-vela", "stock": 7 }] }),
        json!({ "type": "set", "productId": vela, "variantId": big, "stock": 8 }),
        json!({ "type": "delta", "productId": vela, "delta": -2 }),
    ] {
        update(&test, told.clone()).await.expect("done");
        let now = seen().await;
        assert!(now > before, "{told}");
        before = now;
    }
    let level = |n: i64| StockLevel::try_from(n).expect("a level");
    let count =
        test.shop.stock().set(&Actor::System, &vela, None, level(3), None).await.expect("set");
    assert_eq!(seen().await, count.updated_at);
    let again =
        test.shop.stock().set(&Actor::System, &vela, None, level(3), None).await.expect("set");
    assert_eq!(again.updated_at, count.updated_at, "nothing changed");
    test.shop.stock().update(&Actor::System, big.as_str(), level(1), None).await.expect("set");
    assert!(seen().await > count.updated_at);
}

#[tokio::test]
async fn a_delta_never_falls_below_zero_and_the_ledger_keeps_what_was_applied() {
    let test = TestShop::open().await;
    let vela = test.product("vela", 10, 1000).await;
    let delta = |n: i64| json!({ "type": "delta", "productId": vela, "delta": n });
    update(&test, delta(-4)).await.expect("done");
    assert_eq!(test.stock(vela.as_str()), 6);
    update(&test, delta(-100)).await.expect("done");
    assert_eq!(test.stock(vela.as_str()), 0);
    let last = "SELECT delta FROM stock_movement ORDER BY id DESC LIMIT 1";
    assert_eq!(test.count(last), -6);
    assert_eq!(events(&test, "stock.low"), 1);
    update(&test, delta(3)).await.expect("done");
    assert_eq!((test.stock(vela.as_str()), test.count(last)), (3, 3));
    assert_eq!((events(&test, "stock.updated"), events(&test, "stock.low")), (3, 2));
    test.check_ledger();
}

#[tokio::test]
async fn set_and_delta_are_about_one_item_that_must_be_there() {
    let test = TestShop::open().await;
    let (vela, other) = (test.product("vela", 1, 100).await, test.product("x2", 1, 100).await);
    let big = variant(&test, &vela, "G", 1).await;
    let set = |product: &ProductId, variant: Option<&VariantId>| json!({ "type": "set", "productId": product, "variantId": variant, "stock": 9 });
    update(&test, set(&vela, Some(&big))).await.expect("done");
    assert_eq!((test.stock(vela.as_str()), test.stock(big.as_str())), (1, 9));
    update(&test, set(&vela, None)).await.expect("done");
    assert_eq!(test.stock(vela.as_str()), 9);
    for (update_, missing) in [
        (set(&"none".into(), None), Entity::Product),
        (set(&vela, Some(&"none".into())), Entity::Variant),
        (set(&other, Some(&big)), Entity::Variant),
        (json!({ "type": "delta", "productId": "none", "delta": 1 }), Entity::Product),
        // A variant is no product.
        (json!({ "type": "delta", "productId": big, "delta": 1 }), Entity::Product),
    ] {
        let refused = update(&test, update_).await;
        assert!(matches!(refused, Err(Error::NotFound(what)) if what == missing), "{refused:?}");
    }
}

#[tokio::test]
async fn units_that_orders_hold_are_not_part_of_the_stock_that_is_set() {
    let test = TestShop::open().await;
    let (ana, vela) = (test.buyer("ana").await, test.product("vela", 10, 1000).await);
    let order = test.buy(&ana, &vela, 4).await.expect("an order");
    update(&test, json!({ "type": "set", "productId": vela, "stock": 1 })).await.expect("done");
    assert_eq!(test.stock(vela.as_str()), 1);
    let cancel = shop_core::order::OrderStatus::Cancelled;
    test.shop.orders().set_status(&order.id, cancel, None).await.expect("cancelled");
    assert_eq!(test.stock(vela.as_str()), 5);
    test.check_ledger();
}

#[tokio::test]
async fn a_repeat_with_its_key_has_no_second_effect() {
    let test = TestShop::open().await;
    let vela = test.product("vela", 10, 1000).await;
    let delta = async |n: i64| {
        let update: StockUpdate = input(json!({ "type": "delta", "productId": vela, "delta": n }));
        let key = Some("k-1".parse().expect("a key"));
        test.shop.stock().apply(&Actor::System, update, key).await
    };
    assert!(!delta(-2).await.expect("done").replayed);
    assert!(delta(-2).await.expect("again").replayed);
    assert_eq!(test.stock(vela.as_str()), 8);
    let other = delta(-3).await;
    let reused = matches!(other, Err(Error::Refused(Refusal::IdempotencyKeyReused)));
    assert!(reused, "{other:?}");
}

#[tokio::test]
async fn many_changes_of_one_call_are_told_by_the_thousand() {
    let test = TestShop::open().await;
    test.product("vela", 10, 1000).await;
    // Rows of the shelf that no page shows, with SKUs: what a sync of many needs.
    test.raw_sql(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
         INSERT INTO stock (item_id, product_pk, is_variant, quantity)
         SELECT 'v' || i, 1, 1, 0 FROM n;
         INSERT INTO sku (code, item_id) SELECT 'S' || item_id, item_id FROM stock
         WHERE is_variant = 1",
    );
    let items: Vec<Value> =
        (1..=2500).map(|n| json!({ "sku": format!("Sv{n}"), "stock": n })).collect();
    let outcome = update(&test, json!({ "type": "sync", "items": items })).await.expect("done");
    assert_eq!((outcome.updated, outcome.unknown_skus.len()), (2500, 0));
    assert_eq!(events(&test, "stock.updated"), 3);
    test.check_ledger();
}

#[derive(Debug, Clone)]
enum Step {
    Set(usize, i64),
    Delta(usize, i64),
    Sync(Vec<(usize, i64)>),
}

const ITEMS: usize = 4;

fn step() -> impl Strategy<Value = Step> {
    let item = 0..ITEMS;
    prop_oneof![
        (item.clone(), 0..50_i64).prop_map(|(item, stock)| Step::Set(item, stock)),
        (item.clone(), -60..60_i64).prop_map(|(item, delta)| Step::Delta(item, delta)),
        prop::collection::vec((0..=ITEMS, 0..50_i64), 0..6).prop_map(Step::Sync),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(repeats(8, 24)) })]
    #[test]
    fn whatever_programs_tell_the_stock_is_as_told_and_the_ledger_explains_it(
        steps in prop::collection::vec(step(), 1..25)
    ) {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(follow(steps));
    }
}

/// Two products, of which the second has two variants, beside the simplest model of them.
async fn follow(steps: Vec<Step>) {
    let test = TestShop::open().await;
    let (one, two) = (test.product("one", 5, 100).await, test.product("two", 0, 100).await);
    let (big, small) =
        (variant(&test, &two, "BIG", 8).await, variant(&test, &two, "SMALL", 0).await);
    let items = [(&one, None, "SKU-one"), (&two, None, "SKU-two")]
        .into_iter()
        .chain([(&two, Some(&big), "BIG"), (&two, Some(&small), "SMALL")])
        .collect::<Vec<_>>();
    let mut model = [5, 0, 8, 0];
    for step in steps {
        let told = match &step {
            Step::Set(item, stock) => {
                model[*item] = *stock;
                let (product, variant, _) = items[*item];
                json!({ "type": "set", "productId": product, "variantId": variant, "stock": stock })
            }
            Step::Delta(item, delta) => {
                model[*item] = (model[*item] + delta).max(0);
                let (product, variant, _) = items[*item];
                json!({ "type": "delta", "productId": product, "variantId": variant, "delta": delta })
            }
            Step::Sync(all) => {
                for (item, stock) in all {
                    if let Some(known) = model.get_mut(*item) {
                        *known = *stock;
                    }
                }
                let sku = |item: &usize| items.get(*item).map_or("UNKNOWN", |item| item.2);
                let all: Vec<Value> = all
                    .iter()
                    .map(|(item, stock)| json!({ "sku": sku(item), "stock": stock }))
                    .collect();
                json!({ "type": "sync", "items": all })
            }
        };
        update(&test, told).await.expect("done");
        let ids = [one.as_str(), two.as_str(), big.as_str(), small.as_str()];
        assert_eq!(ids.map(|id| test.stock(id)), model, "after {step:?}");
    }
    test.check_ledger();
}
