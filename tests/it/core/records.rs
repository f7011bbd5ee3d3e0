//! Products and orders as programs read them.

use serde_json::{Value, json};
use shop_core::Error;
use shop_core::actor::Actor;
use shop_core::catalog::ProductRecord;
use shop_core::id::OrderId;
use shop_core::order::OrderStatus;
use shop_core::page::CursorPage;
use shop_core::views::OrderRecord;

use super::fixture::{Buyer, TestShop, input};
use super::stock::variant;

async fn products(test: &TestShop, filter: Value) -> CursorPage<ProductRecord> {
    test.shop.products().list_records(input(filter)).await.expect("a stretch")
}

async fn orders(test: &TestShop, filter: Value) -> CursorPage<OrderRecord> {
    test.shop.orders().list_records(input(filter)).await.expect("a stretch")
}

fn names(found: &CursorPage<ProductRecord>) -> Vec<&str> {
    found.data.iter().map(|product| product.name.as_str()).collect()
}

fn ids(found: &CursorPage<OrderRecord>) -> Vec<&OrderId> {
    found.data.iter().map(|record| &record.order.id).collect()
}

#[tokio::test]
async fn products_are_filtered_by_sale_shelf_and_few_units() {
    let test = TestShop::open().await;
    let shelf = input(json!({ "name": "Velas", "slug": "velas" }));
    let shelf = test.shop.categories().create(&Actor::System, shelf).await.expect("a category").id;
    for (name, stock, active, category) in [
        ("aa", 5, true, true),
        ("bb", 6, true, true),
        ("cc", 5, true, false),
        ("dd", 0, false, true),
    ] {
        let product = json!({
            "name": name, "slug": name, "price": 10, "stock": stock, "active": active,
            "categoryId": category.then_some(&shelf)
        });
        test.shop.products().create(&Actor::System, input(product), None).await.expect("a product");
    }
    for (filter, expected) in [
        (json!({}), vec!["cc", "bb", "aa"]),
        (json!({ "active": true }), vec!["cc", "bb", "aa"]),
        (json!({ "active": false }), vec!["dd", "cc", "bb", "aa"]),
        (json!({ "category": "velas" }), vec!["bb", "aa"]),
        (json!({ "category": "" }), vec!["cc", "bb", "aa"]),
        (json!({ "category": "none" }), vec![]),
        (json!({ "low_stock": true }), vec!["cc", "aa"]),
        (json!({ "low_stock": true, "active": false }), vec!["dd", "cc", "aa"]),
        (json!({ "low_stock": true, "active": false, "category": "velas" }), vec!["dd", "aa"]),
    ] {
        let found = products(&test, filter.clone()).await;
        assert_eq!(names(&found), expected, "{filter}");
        let total = found.pagination.expect("counted").total;
        assert_eq!(usize::try_from(total).ok(), Some(expected.len()), "{filter}");
        assert_eq!(found.next_cursor, None);
    }
    // What was counted once is counted anew when a unit is sold.
    let few = json!({ "low_stock": true });
    test.raw_sql("UPDATE product SET name = name");
    let buyer = test.buyer("ana").await;
    let bb = products(&test, json!({})).await.data.remove(1).id;
    test.buy(&buyer, &bb, 1).await.expect("an order");
    let found = products(&test, few).await;
    assert_eq!(
        (names(&found), found.pagination.expect("counted").total),
        (vec!["cc", "bb", "aa"], 3)
    );
}

#[tokio::test]
async fn a_walk_by_cursors_meets_each_product_once_whatever_comes_and_goes() {
    let test = TestShop::open().await;
    for n in 0..10 {
        test.product(&format!("p{n}"), 1, 100).await;
    }
    let first = products(&test, json!({ "limit": 4 })).await;
    assert_eq!(names(&first), ["p9", "p8", "p7", "p6"]);
    assert_eq!(first.pagination.expect("counted").total_pages, 3);
    test.product("new", 1, 100).await;
    let second = products(&test, json!({ "limit": 4, "after": first.next_cursor })).await;
    assert_eq!((names(&second), second.pagination), (vec!["p5", "p4", "p3", "p2"], None));
    let third =
        products(&test, json!({ "limit": 4, "after": second.next_cursor, "page": 7 })).await;
    assert_eq!((names(&third), &third.next_cursor), (vec!["p1", "p0"], &None));
    let paged = products(&test, json!({ "limit": 4, "page": 3 })).await;
    assert_eq!(names(&paged), ["p2", "p1", "p0"]);
    for wrong in ["x", "-", "1.5", ""] {
        let refused = test.shop.products().list_records(input(json!({ "after": wrong }))).await;
        let Err(Error::Invalid(fields)) = refused else { panic!("{wrong}: {refused:?}") };
        assert!(fields.field_errors.contains_key("after"));
    }
}

#[tokio::test]
async fn a_product_comes_with_its_variants_and_their_units() {
    let test = TestShop::open().await;
    let (vela, other) = (test.product("vela", 3, 100).await, test.product("x2", 1, 100).await);
    variant(&test, &vela, "G", 7).await;
    variant(&test, &vela, "P", 9).await;
    let of = |product: &ProductRecord| -> Vec<(Option<String>, i64)> {
        product.variants.iter().map(|v| (v.sku.clone(), v.stock)).collect()
    };
    let both = [(Some("G".to_owned()), 7), (Some("P".to_owned()), 9)];
    let found = products(&test, json!({})).await;
    assert_eq!((of(&found.data[0]), &of(&found.data[1])[..]), (vec![], &both[..]));
    let one = test.shop.products().get(&vela).await.expect("there");
    assert_eq!(ProductRecord::from(one), found.data[1]);
    assert_eq!(test.shop.products().get(&other).await.expect("there").variants, []);
    assert!(matches!(
        test.shop.products().get(&"none".into()).await,
        Err(Error::NotFound(shop_core::error::Entity::Product))
    ));
}

async fn some_orders(test: &TestShop, buyer: &Buyer, n: usize) -> Vec<OrderId> {
    let vela = test.product("vela", 100, 1000).await;
    let mut placed = Vec::new();
    for n in 0..n {
        placed.push(test.buy(buyer, &vela, 1).await.expect("an order").id);
        // Some at the same instant.
        if n % 3 == 0 {
            test.advance_hours(7);
        }
    }
    placed.reverse();
    placed
}

#[tokio::test]
async fn a_walk_by_cursors_meets_each_order_once_also_within_a_status() {
    let test = TestShop::open().await;
    let ana = test.buyer("ana").await;
    let placed = some_orders(&test, &ana, 11).await;
    for id in placed.iter().step_by(2) {
        test.shop.orders().set_status(id, OrderStatus::Shipped, None).await.expect("sent");
    }
    let sent: Vec<&OrderId> = placed.iter().step_by(2).collect();
    for (status, expected) in [(None, placed.iter().collect()), (Some("SHIPPED"), sent)] {
        let (mut met, mut after, mut total) = (Vec::new(), None, None);
        loop {
            let filter = json!({ "limit": 2, "after": after, "status": status });
            let stretch = orders(&test, filter).await;
            total = total.or(stretch.pagination.map(|pagination| pagination.total));
            assert_eq!(stretch.pagination.is_none(), after.is_some());
            met.extend(ids(&stretch).into_iter().cloned());
            after = stretch.next_cursor;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(met.iter().collect::<Vec<_>>(), expected, "{status:?}");
        assert_eq!(total, i64::try_from(met.len()).ok());
        let second = orders(&test, json!({ "limit": 4, "page": 2, "status": status })).await;
        assert_eq!(ids(&second), expected[4..expected.len().min(8)]);
    }
    for wrong in ["x", "1", "x.y", ""] {
        let refused = test.shop.orders().list_records(input(json!({ "after": wrong }))).await;
        assert!(matches!(refused, Err(Error::Invalid(_))), "{wrong}: {refused:?}");
    }
}

#[tokio::test]
async fn an_order_says_who_placed_it_and_which_skus_its_items_have() {
    let test = TestShop::open().await;
    let (ana, bia) = (test.buyer("ana").await, test.buyer("bia").await);
    let (vela, sabonete) =
        (test.product("vela", 9, 1000).await, test.product("sabonete", 9, 500).await);
    let big = variant(&test, &vela, "VELA-G", 7).await;
    let items = json!([
        { "productId": vela, "variantId": big, "quantity": 2 },
        { "productId": sabonete, "quantity": 1 },
        { "productId": vela, "quantity": 1 },
    ]);
    let placed = test.place(&ana, items).await.expect("placed").order;
    test.buy(&bia, &sabonete, 1).await.expect("placed");
    let record = test.shop.orders().get_record(&placed.id).await.expect("there");
    assert_eq!(record.order, placed);
    assert_eq!((&record.customer.id, record.customer.email.as_str()), (&ana.id, "ana@example.com"));
    let of = |item: &shop_core::order::OrderItem| match &item.variant_id {
        Some(_) => "VELA-G".to_owned(),
        None => format!("SKU-{}", item.product_name_snapshot),
    };
    let expected: Vec<Option<String>> = placed.items.iter().map(|item| Some(of(item))).collect();
    assert_eq!(record.skus, expected);
    let all = orders(&test, json!({})).await;
    assert_eq!(all.data[0].customer.id, bia.id);
    assert_eq!(all.data[1], record);
    assert!(test.shop.orders().get_record(&"none".into()).await.is_err());
}

#[tokio::test]
async fn an_erased_customers_orders_say_nothing_of_him_to_programs() {
    let test = TestShop::open().await;
    let ana = test.buyer("ana").await;
    let id = some_orders(&test, &ana, 1).await.remove(0);
    test.shop.orders().set_status(&id, OrderStatus::Delivered, None).await.expect("delivered");
    let password = input(json!({ "password": "segredo-123" }));
    test.shop.accounts().erase(&ana.id, password).await.expect("erased");
    let record = test.shop.orders().get_record(&id).await.expect("there");
    let told = format!("{record:?}");
    for personal in ["ana@", "Flores", "Centro", "\"ana\""] {
        assert!(!told.contains(personal), "{personal}: {told}");
    }
}
