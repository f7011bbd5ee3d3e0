use serde_json::json;
use shop_core::actor::Actor;
use shop_core::catalog::{ProductFilter, ProductSort};
use shop_core::error::{Conflict, Entity, Refusal};
use shop_core::id::AddressId;
use shop_core::money::Money;
use shop_core::order::OrderStatus;
use shop_core::{Error, Result};

use super::fixture::{Buyer, TestShop, input};
use super::order_stock::rush;

pub(super) fn available<T: std::fmt::Debug>(result: Result<T>) -> i64 {
    match result {
        Err(Error::Refused(Refusal::InsufficientStock { available, .. })) => available,
        other => panic!("not short of stock: {other:?}"),
    }
}

#[tokio::test]
async fn an_order_takes_prices_from_the_catalogue_and_adds_up() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    tariff(&test, "Econômica", "SP", 1990).await;
    tariff(&test, "Rápida", "SP", 3490).await;
    tariff(&test, "Longe", "AC", 100).await;
    let vela = test.product("vela", 10, 4990).await;
    let difusor = test.product("difusor", 5, 3000).await;
    let items = json!([
        { "productId": vela, "quantity": 2, "price": 0.01 },
        { "productId": difusor, "quantity": 1, "price": 0.01 },
    ]);
    let order = test.place(&buyer, items).await.expect("placed").order;
    assert_eq!(order.order_number, "PED-20261121-0001");
    assert_eq!(order.status, OrderStatus::Pending);
    let sums = [order.subtotal, order.discount, order.shipping, order.total].map(Money::cents);
    assert_eq!(sums, [12_980, 0, 1990, 14_970]);
    assert_eq!(order.shipping_service.as_deref(), Some("Econômica"));
    assert_eq!(order.address.city, "São Paulo");
    let velas = order.items.iter().find(|item| item.product_id == vela).expect("the line");
    assert_eq!((velas.quantity, velas.price.cents(), velas.total.cents()), (2, 4990, 9980));
    assert_eq!(velas.product_name_snapshot, "vela");
    assert_eq!(velas.product.images[0].url, "/uploads/vela.svg");
    assert_eq!((test.stock(vela.as_str()), test.stock(difusor.as_str())), (8, 4));
    assert_eq!(
        test.shop.orders().get_for_customer(&buyer.id, &order.id).await.expect("there"),
        order
    );
    assert_eq!(test.shop.orders().list_for_customer(&buyer.id).await.expect("a list"), [order]);
    test.check_ledger();
}

#[tokio::test]
async fn a_note_is_kept_and_an_empty_one_is_none() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 10, 4990).await;
    for (given, kept) in [("Para presente", Some("Para presente")), ("", None)] {
        let order = input(json!({
            "addressId": buyer.address, "notes": given,
            "cartItems": [{ "productId": vela, "quantity": 1 }],
        }));
        let placed = test.place_order(&buyer, order, None).await.expect("placed");
        assert_eq!(placed.order.notes.as_deref(), kept);
    }
}

async fn tariff(test: &TestShop, name: &str, state: &str, cents: i64) {
    let price = Money::from_cents(cents);
    let new = input(json!({ "name": name, "states": [state], "price": price, "estimatedDays": 5 }));
    test.shop.shipping().create_tariff(&Actor::System, new).await.expect("a tariff");
}

#[tokio::test]
async fn shipping_is_free_from_a_subtotal_of_150_and_not_a_cent_below() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    tariff(&test, "Econômica", "SP", 1990).await;
    let below = test.product("abaixo", 1, 14_999).await;
    let exact = test.product("exato", 1, 15_000).await;
    assert_eq!(test.buy(&buyer, &below, 1).await.expect("placed").shipping.cents(), 1990);
    assert_eq!(test.buy(&buyer, &exact, 1).await.expect("placed").shipping.cents(), 0);
}

#[tokio::test]
async fn the_fallback_price_applies_where_nothing_can_be_quoted() {
    let test = TestShop::with(|config| {
        config.shipping.fallback_price = Money::from_cents(2500);
    })
    .await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 2, 1000).await;
    let quoted = async |subtotal: &str| {
        let wanted = json!({ "cep": "01001-000", "subtotal": subtotal });
        let quote = test.shop.shipping().calculate(input(wanted)).await.expect("a quote");
        quote.fallback_price.map(Money::cents)
    };
    assert_eq!(quoted("10.00").await, Some(2500));
    assert_eq!(quoted("150.00").await, Some(0));
    let order = test.buy(&buyer, &vela, 1).await.expect("placed");
    assert_eq!((order.shipping.cents(), order.shipping_service), (2500, None));
    tariff(&test, "Econômica", "SP", 1990).await;
    assert_eq!(quoted("10.00").await, None);
}

#[tokio::test]
async fn the_lines_of_an_order_stand_as_they_were_given() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let mut products = Vec::new();
    for name in ["um", "dois", "tres"] {
        products.push(test.product(name, 5, 1000).await);
    }
    let given = [2, 0, 1, 0];
    let items = given.map(|at| json!({ "productId": products[at], "quantity": 1 }));
    let order = json!({ "addressId": buyer.address, "cartItems": items });
    let placed = test.place_order(&buyer, input(order), None).await.expect("placed").order;
    let lines: Vec<_> = placed.items.iter().map(|it| (&it.product_id, it.quantity)).collect();
    assert_eq!(lines, [(&products[2], 1), (&products[0], 2), (&products[1], 1)]);
}

#[tokio::test]
async fn the_shipping_option_asked_for_is_the_one_that_counts() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    tariff(&test, "Econômica", "SP", 1990).await;
    let new = json!({ "name": "Rápida", "states": ["SP"], "price": 34.9, "estimatedDays": 1 });
    let fast =
        test.shop.shipping().create_tariff(&Actor::System, input(new)).await.expect("a tariff");
    let vela = test.product("vela", 2, 1000).await;
    let order = |option: String| {
        let items = json!([{ "productId": vela, "quantity": 1 }]);
        let order = json!({ "addressId": buyer.address, "cartItems": items,
                            "shippingOptionId": option });
        test.place_order(&buyer, input(order), None)
    };
    let id = format!("static-{}", fast.id);
    let placed = order(id).await.expect("placed").order;
    assert_eq!(placed.shipping.cents(), 3490);
    let unknown = order("static-none".to_owned()).await;
    assert!(matches!(unknown, Err(Error::Refused(Refusal::UnknownShippingOption))), "{unknown:?}");
}

#[tokio::test]
async fn an_order_is_placed_for_the_total_that_is_expected_or_not_at_all() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 2, 1000).await;
    tariff(&test, "Econômica", "SP", 1990).await;
    let order = |total: f64| {
        let items = json!([{ "productId": vela, "quantity": 1 }]);
        let order =
            json!({ "addressId": buyer.address, "cartItems": items, "expectedTotal": total });
        test.place_order(&buyer, input(order), None)
    };
    for other in [29.89, 29.91, 10.0] {
        let changed = order(other).await;
        assert!(matches!(changed, Err(Error::Conflict(Conflict::TotalChanged))), "{changed:?}");
    }
    assert_eq!(test.stock(vela.as_str()), 2);
    assert_eq!(order(29.9).await.expect("placed").order.total.cents(), 2990);
}

#[tokio::test]
async fn repeated_lines_of_a_product_are_summed_before_anything_is_checked() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 3, 1000).await;
    let line = json!({ "productId": vela, "quantity": 2 });
    assert_eq!(available(test.place(&buyer, json!([line, line])).await), 3);
    assert_eq!(test.stock(vela.as_str()), 3);
    let line = json!({ "productId": vela, "quantity": 1 });
    let order = test.place(&buyer, json!([line, line, line])).await.expect("placed").order;
    assert_eq!((order.items.len(), order.items[0].quantity), (1, 3));
    assert_eq!(test.stock(vela.as_str()), 0);
}

#[tokio::test]
async fn what_cannot_be_ordered_is_refused_and_changes_nothing() {
    let test = TestShop::open().await;
    let (buyer, other) = (test.buyer("ana").await, test.buyer("bia").await);
    let vela = test.product("vela", 3, 1000).await;
    let hidden = input(
        json!({ "name": "Oculta", "slug": "oculta", "price": 10, "stock": 5, "active": false }),
    );
    let hidden = test
        .shop
        .products()
        .create(&Actor::System, hidden, None)
        .await
        .expect("a product")
        .product
        .id;
    let place = |items| test.place(&buyer, items);

    let empty = place(json!([])).await;
    assert!(matches!(empty, Err(Error::Refused(Refusal::EmptyCart))), "{empty:?}");
    for id in [hidden.as_str(), "nenhum"] {
        let inactive = place(
            json!([{ "productId": vela, "quantity": 1 }, { "productId": id, "quantity": 1 }]),
        )
        .await;
        assert!(
            matches!(inactive, Err(Error::Refused(Refusal::InactiveProduct { .. }))),
            "{inactive:?}"
        );
    }
    let theirs = Buyer { id: buyer.id.clone(), address: other.address.clone() };
    let nowhere = Buyer { id: buyer.id.clone(), address: AddressId::from("none") };
    for buyer in [theirs, nowhere] {
        let lost = test.buy(&buyer, &vela, 1).await;
        assert!(matches!(lost, Err(Error::NotFound(Entity::Address))), "{lost:?}");
    }
    let coupon = json!({ "addressId": buyer.address, "couponId": "none",
                         "cartItems": [{ "productId": vela, "quantity": 1 }] });
    let coupon = test.shop.orders().place(&buyer.id, input(coupon), None).await;
    assert!(matches!(coupon, Err(Error::NotFound(Entity::Coupon))), "{coupon:?}");
    assert_eq!(test.stock(vela.as_str()), 3);
    assert_eq!(test.count("SELECT count(*) FROM orders"), 0);
    assert_eq!(test.count("SELECT count(*) FROM event WHERE name LIKE 'order.%'"), 0);
}

#[tokio::test]
async fn an_order_has_at_most_two_hundred_different_products() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let mut lines = Vec::new();
    for nth in 0..=200 {
        let product = test.product(&format!("vela-{nth}"), 1, 100).await;
        lines.push(json!({ "productId": product, "quantity": 1 }));
    }
    let refused = test.place(&buyer, json!(lines)).await.map(|placed| placed.order);
    assert!(matches!(refused, Err(Error::Invalid(_))), "{refused:?}");
    lines.pop();
    let order = test.place(&buyer, json!(lines)).await.expect("placed").order;
    assert_eq!((order.items.len(), order.subtotal.cents()), (200, 20_000));
}

#[tokio::test]
async fn the_saved_cart_is_used_when_no_items_are_sent_and_emptied_with_the_order() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 3, 1000).await;
    test.add_to_cart(&buyer, &vela, 1).await.expect("added");
    let cart = test.add_to_cart(&buyer, &vela, 2).await.expect("added");
    assert_eq!((cart.items.len(), cart.items[0].quantity, cart.subtotal.cents()), (1, 3, 3000));
    let order = || {
        let order = input(json!({ "addressId": buyer.address }));
        test.place_order(&buyer, order, Some("one"))
    };
    let placed = order().await.expect("placed");
    assert_eq!(placed.order.items[0].quantity, 3);
    assert!(test.shop.carts().get(&buyer.id).await.expect("a cart").items.is_empty());
    // The cart is empty now; the repeat is still the first answer.
    assert!(order().await.expect("replayed").replayed);
}

#[tokio::test]
async fn an_order_that_fails_leaves_the_saved_cart_alone() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 3, 1000).await;
    test.add_to_cart(&buyer, &vela, 3).await.expect("added");
    test.buy(&buyer, &vela, 1).await.expect("placed");
    let order = input(json!({ "addressId": buyer.address }));
    assert_eq!(available(test.shop.orders().place(&buyer.id, order, None).await), 2);
    assert_eq!(test.shop.carts().get(&buyer.id).await.expect("a cart").items.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn numbers_have_no_gap_and_no_repeat_and_start_anew_each_local_day() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 1000, 1000).await;
    let sold_out = test.product("esgotada", 0, 1000).await;
    let placed =
        rush(90, async |n| test.buy(&buyer, if n % 3 == 0 { &sold_out } else { &vela }, 1).await)
            .await;
    assert_eq!(placed, 60);
    let last = "SELECT max(CAST(substr(number, 14) AS INTEGER)) FROM orders";
    assert_eq!(test.count(last), 60);
    assert_eq!(test.count("SELECT count(DISTINCT number) FROM orders"), 60);
    // From noon to one minute before midnight in São Paulo, and over it.
    test.clock.advance(std::time::Duration::from_secs(11 * 3600 + 59 * 60));
    let before = test.buy(&buyer, &vela, 1).await.expect("placed");
    assert_eq!(before.order_number, "PED-20261121-0061");
    test.clock.advance(std::time::Duration::from_secs(60));
    let after = test.buy(&buyer, &vela, 1).await.expect("placed");
    assert_eq!(after.order_number, "PED-20261122-0001");
}

#[tokio::test]
async fn another_customers_order_is_not_there() {
    let test = TestShop::open().await;
    let (ana, bia) = (test.buyer("ana").await, test.buyer("bia").await);
    let vela = test.product("vela", 5, 1000).await;
    let order = test.buy(&ana, &vela, 1).await.expect("placed");
    let theirs = test.shop.orders().get_for_customer(&bia.id, &order.id).await;
    assert!(matches!(theirs, Err(Error::NotFound(Entity::Order))), "{theirs:?}");
    assert!(test.shop.orders().list_for_customer(&bia.id).await.expect("a list").is_empty());
}

#[tokio::test]
async fn the_most_popular_are_those_of_which_most_units_were_sold() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let mut products = Vec::new();
    for name in ["vela", "difusor", "sabonete"] {
        products.push(test.product(name, 20, 1000).await);
    }
    let popular = async || {
        let filter = ProductFilter { sort: ProductSort::Popular, ..ProductFilter::default() };
        let page = test.shop.products().list(filter).await.expect("a page");
        page.data.into_iter().map(|product| product.name).collect::<Vec<_>>()
    };
    assert_eq!(popular().await, ["sabonete", "difusor", "vela"]);
    let order = test.buy(&buyer, &products[0], 5).await.expect("placed");
    test.buy(&buyer, &products[1], 2).await.expect("placed");
    assert_eq!(popular().await, ["vela", "difusor", "sabonete"]);
    let cancelled = OrderStatus::Cancelled;
    test.shop.orders().set_status(&order.id, cancelled, None).await.expect("cancelled");
    assert_eq!(popular().await, ["difusor", "sabonete", "vela"]);
}
