use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::coupon::{Coupon, CouponType};
use shop_core::error::{Conflict, CouponRefusal, Entity, Refusal};
use shop_core::id::{CouponId, ProductId};
use shop_core::money::Money;
use shop_core::order::{Order, OrderStatus};
use shop_core::{Error, Result};
use shop_tests::repeats;

use super::coupon_use::used;
use super::fixture::{Buyer, TestShop, input};

pub(super) async fn create(test: &TestShop, fields: Value) -> Result<Coupon> {
    let mut new = json!({ "code": "VELA10", "type": "PERCENT", "value": 10, "active": true });
    for (name, value) in fields.as_object().expect("an object") {
        new[name] = value.clone();
    }
    test.shop.coupons().create(&Actor::System, input(new)).await
}

pub(super) async fn coupon(test: &TestShop, fields: Value) -> CouponId {
    create(test, fields).await.expect("a coupon").id
}

pub(super) async fn order(
    test: &TestShop,
    buyer: &Buyer,
    product: &ProductId,
    coupon: &CouponId,
) -> Result<Order> {
    let order = json!({ "addressId": buyer.address, "couponId": coupon,
                        "cartItems": [{ "productId": product, "quantity": 1 }] });
    test.place_order(buyer, input(order), None).await.map(|placed| placed.order)
}

pub(super) async fn by_code(
    test: &TestShop,
    buyer: &Buyer,
    product: &ProductId,
    code: &str,
) -> Result<Order> {
    let order = json!({ "addressId": buyer.address, "couponCode": code,
                        "cartItems": [{ "productId": product, "quantity": 1 }] });
    test.place_order(buyer, input(order), None).await.map(|placed| placed.order)
}

pub(super) fn why<T: std::fmt::Debug>(result: Result<T>) -> CouponRefusal {
    match result {
        Err(Error::Refused(Refusal::Coupon(refusal))) => refusal,
        other => panic!("the coupon holds: {other:?}"),
    }
}

#[tokio::test]
async fn a_code_is_unique_and_found_in_any_case() {
    let test = TestShop::open().await;
    let made = create(&test, json!({ "code": " Verão-10 " })).await.expect("a coupon");
    assert_eq!(
        (made.code.as_str(), made.kind, made.used_count),
        ("Verão-10", CouponType::Percent, 0)
    );
    let again = create(&test, json!({ "code": "VERÃO-10" })).await;
    assert!(matches!(again, Err(Error::Conflict(Conflict::CouponCode))), "{again:?}");
    let found = test.shop.coupons().validate("verão-10 ", Money::from_cents(9_995)).await;
    let found = found.expect("holds");
    assert_eq!((found.coupon, found.amount.cents()), (made, 1000));
}

#[tokio::test]
async fn impossible_coupons_are_not_made() {
    let test = TestShop::open().await;
    for (fields, wrong) in [
        (json!({ "value": 100.01 }), "value"),
        (json!({ "value": -1 }), "value"),
        (json!({ "type": "FIXED", "value": -0.01 }), "value"),
        (json!({ "minOrderValue": -1 }), "minOrderValue"),
    ] {
        match create(&test, fields).await {
            Err(Error::Invalid(fields)) => assert!(fields.field_errors.contains_key(wrong)),
            other => panic!("{wrong}: {other:?}"),
        }
    }
    create(&test, json!({ "value": 100 })).await.expect("everything off");
    create(&test, json!({ "code": "R$", "type": "FIXED", "value": 100.01 })).await.expect("reais");
    let negative = test.shop.coupons().validate("R$", Money::from_cents(-1)).await;
    assert!(matches!(negative, Err(Error::Invalid(_))), "{negative:?}");
}

#[tokio::test]
async fn each_reason_is_told_when_asked_and_when_the_order_is_placed() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 10, 5000).await;
    let expires = test.shop.now().plus(Duration::from_secs(3600)).to_string();
    let off = coupon(&test, json!({ "code": "off", "active": false })).await;
    let old = coupon(&test, json!({ "code": "old", "expiresAt": expires })).await;
    let one = coupon(&test, json!({ "code": "one", "maxUses": 1 })).await;
    let big = coupon(&test, json!({ "code": "big", "minOrderValue": 50.01 })).await;
    let fit = coupon(&test, json!({ "code": "fit", "minOrderValue": 50 })).await;
    order(&test, &buyer, &vela, &one).await.expect("the only use");
    order(&test, &buyer, &vela, &old).await.expect("not expired yet");
    test.advance_hours(1);
    for (code, id, reason) in [
        ("off", &off, CouponRefusal::Inactive),
        ("old", &old, CouponRefusal::Expired),
        ("one", &one, CouponRefusal::UsedUp),
        ("big", &big, CouponRefusal::BelowMinimum),
    ] {
        let asked = test.shop.coupons().validate(code, Money::from_cents(5000)).await;
        assert_eq!(why(asked), reason, "{code}");
        assert_eq!(why(order(&test, &buyer, &vela, id).await), reason, "{code}");
    }
    assert_eq!(test.stock(vela.as_str()), 8, "refused orders take nothing");
    order(&test, &buyer, &vela, &fit).await.expect("exactly the minimum");
}

#[tokio::test]
async fn an_unknown_coupon_is_the_same_error_wherever_it_is_named() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 10, 5000).await;
    let none = CouponId::from("none");
    let unknown = |error: Error| matches!(error, Error::NotFound(Entity::Coupon));
    let asked = test.shop.coupons().validate("none", Money::from_cents(5000)).await;
    assert!(unknown(asked.expect_err("no coupon")));
    assert!(unknown(order(&test, &buyer, &vela, &none).await.expect_err("no coupon")));
    assert!(unknown(by_code(&test, &buyer, &vela, "none").await.expect_err("no coupon")));
    assert!(unknown(test.shop.coupons().get(&none).await.expect_err("no coupon")));
    assert_eq!(test.stock(vela.as_str()), 10);
}

#[tokio::test]
async fn an_order_takes_a_code_as_shoppers_type_it() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 10, 5000).await;
    coupon(&test, json!({ "code": "Verão10", "type": "PERCENT", "value": 10 })).await;
    for typed in ["Verão10", "VERÃO10", "  verão10\n"] {
        let placed = by_code(&test, &buyer, &vela, typed).await.expect("it holds");
        assert_eq!(placed.discount, Money::from_cents(500), "{typed:?}");
    }
    for nothing in ["", "   "] {
        let placed = by_code(&test, &buyer, &vela, nothing).await.expect("no coupon is none");
        assert_eq!(placed.discount, Money::ZERO);
    }
    assert_eq!(test.count("SELECT used_count FROM coupon"), 3);
}

#[tokio::test]
async fn an_order_takes_the_discount_off_the_subtotal_and_not_off_the_shipping() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let tariff = json!({ "name": "PAC", "states": ["SP"], "price": 19.9, "estimatedDays": 5 });
    test.shop.shipping().create_tariff(&Actor::System, input(tariff)).await.expect("a tariff");
    let vela = test.product("vela", 10, 9_995).await;
    let tenth = coupon(&test, json!({})).await;
    let all = coupon(&test, json!({ "code": "all", "type": "FIXED", "value": 500 })).await;
    let sums = |order: Order| {
        [order.subtotal, order.discount, order.shipping, order.total].map(Money::cents)
    };
    let placed = order(&test, &buyer, &vela, &tenth).await.expect("placed");
    assert_eq!(sums(placed), [9_995, 1000, 1990, 10_985]);
    let placed = order(&test, &buyer, &vela, &all).await.expect("placed");
    assert_eq!(sums(placed), [9_995, 9_995, 1990, 1990]);
    // Shipping is free by the subtotal before the discount.
    let dear = test.product("cesta", 1, 15_000).await;
    let placed = order(&test, &buyer, &dear, &tenth).await.expect("placed");
    assert_eq!(sums(placed), [15_000, 1500, 0, 13_500]);
    assert_eq!((used(&test, &tenth), used(&test, &all)), (2, 1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(repeats(6, 16)))]

    /// Whatever staff does to unpaid orders, the coupon counts those that hold their stock.
    #[test]
    fn a_coupon_counts_the_orders_that_hold(
        steps in proptest::collection::vec((0..4_usize, 0..6_usize), 1..20)
    ) {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(async {
            let test = TestShop::open().await;
            let buyer = test.buyer("ana").await;
            let vela = test.product("vela", 100, 1000).await;
            let four = coupon(&test, json!({ "maxUses": 4 })).await;
            let mut orders = Vec::new();
            for _ in 0..4 {
                orders.push(order(&test, &buyer, &vela, &four).await.expect("placed"));
            }
            for (n, status) in steps {
                let to = OrderStatus::ALL[status];
                let set = test.shop.orders().set_status(&orders[n].id, to, None).await;
                orders[n] = set.expect("set");
                let holding = orders.iter().filter(|order| order.status.holds_stock()).count();
                assert_eq!(used(&test, &four), i64::try_from(holding).expect("few"));
            }
        });
    }
}

#[tokio::test]
async fn a_change_changes_what_it_names_and_nothing_else() {
    let test = TestShop::open().await;
    let in_hours = |hours: u64| test.shop.now().plus(Duration::from_secs(3600 * hours)).to_string();
    let new = json!({ "minOrderValue": 20.5, "maxUses": 7, "expiresAt": in_hours(1) });
    let made = create(&test, new).await.expect("a coupon");
    let mut wanted = serde_json::to_value(&made).expect("JSON");
    for (name, value) in [
        ("code", json!("OUTRO")),
        ("type", json!("FIXED")),
        ("value", json!(5.5)),
        ("minOrderValue", json!(30.5)),
        ("minOrderValue", Value::Null),
        ("maxUses", json!(9)),
        ("expiresAt", json!(in_hours(2))),
        ("active", json!(false)),
    ] {
        wanted[name] = value.clone();
        let patch = input(Value::Object([(name.to_owned(), value)].into_iter().collect()));
        let changed = test.shop.coupons().update(&Actor::System, &made.id, patch, None).await;
        let kept = test.shop.coupons().get(&made.id).await;
        for coupon in [changed, kept] {
            let said = serde_json::to_value(coupon.expect("a coupon")).expect("JSON");
            assert_eq!(said, wanted, "{name}");
        }
    }
}

#[tokio::test]
async fn a_deleted_coupon_is_gone_and_orders_keep_its_discount() {
    let test = TestShop::open().await;
    let (buyer, vela) = (test.buyer("ana").await, test.product("vela", 10, 5000).await);
    let id = coupon(&test, json!({})).await;
    let placed = order(&test, &buyer, &vela, &id).await.expect("placed");
    test.shop.coupons().delete(&Actor::System, &id, None).await.expect("deleted");
    let unknown = |result: Result<Coupon>| {
        assert!(matches!(result, Err(Error::NotFound(Entity::Coupon))), "{result:?}");
    };
    unknown(test.shop.coupons().get(&id).await);
    let asked = test.shop.coupons().validate("VELA10", Money::from_cents(5000)).await;
    unknown(asked.map(|found| found.coupon));
    let again = test.shop.coupons().delete(&Actor::System, &id, None).await;
    assert!(matches!(again, Err(Error::NotFound(Entity::Coupon))), "{again:?}");
    let kept = test.shop.orders().get_for_customer(&buyer.id, &placed.id).await.expect("there");
    assert_eq!(kept.discount, placed.discount);
}

#[tokio::test]
async fn coupons_are_listed_by_how_their_code_begins_and_found_by_code_or_id() {
    let test = TestShop::open().await;
    let (vela, natal) =
        (coupon(&test, json!({})).await, coupon(&test, json!({ "code": "NATAL" })).await);
    let coupons = test.shop.coupons();
    for (search, expected) in [("vel", vec![&vela]), ("x", vec![]), ("NAT", vec![&natal])] {
        let filter = input(json!({ "search": search }));
        let found = coupons.list(filter).await.expect("a list");
        assert_eq!(found.iter().map(|it| &it.id).collect::<Vec<_>>(), expected, "{search}");
    }
    assert_eq!(coupons.list(input(json!({}))).await.expect("a list").len(), 2);
    for name in ["natal", natal.as_str()] {
        assert_eq!(coupons.find(name).await.expect("read").expect("found").id, natal);
    }
    assert!(coupons.find("nothing").await.expect("read").is_none());
}
