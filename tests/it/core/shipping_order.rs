//! Orders that carriers carry.

use std::time::{Duration, Instant};

use serde_json::json;
use shop_core::actor::Actor;
use shop_core::error::Refusal;
use shop_core::id::ProductId;
use shop_core::order::Order;
use shop_core::shipping::ShippingQuote;
use shop_core::{Config, Error, Result};

use super::fixture::{Buyer, TestShop, input};
use crate::fakes::{Behavior, Carriers};

/// An order of so many units, by an option where one is named.
async fn order(
    test: &TestShop,
    buyer: &Buyer,
    product: &ProductId,
    quantity: i64,
    option: Option<&str>,
) -> Result<Order> {
    let mut order = json!({
        "addressId": buyer.address,
        "cartItems": [{ "productId": product, "quantity": quantity, "price": 0.01 }],
        "shipping": 0, "shippingPrice": 0.01
    });
    if let Some(option) = option {
        order["shippingOptionId"] = option.into();
    }
    test.place_order(buyer, input(order), None).await.map(|placed| placed.order)
}

/// A quote for a buyer's address; a unit weighs 0.25 kg and costs R$ 10,00.
async fn quote(test: &TestShop, weight: &str) -> ShippingQuote {
    let wanted = json!({ "cep": "01001000", "subtotal": "10", "weight": weight });
    test.shop.shipping().calculate(input(wanted)).await.expect("a quote")
}

async fn tariff(test: &TestShop) -> String {
    let new = json!({ "name": "Econômica", "states": ["SP"], "price": 19.9, "estimatedDays": 9 });
    let tariff =
        test.shop.shipping().create_tariff(&Actor::System, input(new)).await.expect("a tariff");
    format!("static-{}", tariff.id)
}

fn sent(order: &Order) -> (&str, i64) {
    (order.shipping_service.as_deref().unwrap_or("nobody"), order.shipping.cents())
}

fn is_refused(order: Result<Order>) -> bool {
    matches!(order, Err(Error::Refused(Refusal::UnknownShippingOption)))
}

#[tokio::test]
async fn an_order_costs_what_the_server_is_quoted() {
    let fakes = Carriers::start().await;
    let test = fakes.shop().await;
    tariff(&test).await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 50, 1000).await;
    let cheapest = order(&test, &buyer, &vela, 5, None).await.expect("placed");
    assert_eq!(sent(&cheapest), ("Correios PAC", 2415));
    assert_eq!(cheapest.total.cents(), 5000 + 2415);
    let asked = fakes.melhor_envio.received().remove(0);
    assert_eq!(asked.body["volumes"][0]["weight"], 1.25, "five of 0.25 kg");
    assert_eq!(asked.body["volumes"][0]["insurance_value"], 50.0);
    assert_eq!(asked.body["to"]["postal_code"], "01001000");
    let named = order(&test, &buyer, &vela, 5, Some("me-2")).await.expect("placed");
    assert_eq!(sent(&named), ("Correios SEDEX", 4120));
    for nobodys in ["me-3", "frenet-04510", "me-2 ", "static-x"] {
        assert!(is_refused(order(&test, &buyer, &vela, 5, Some(nobodys)).await), "{nobodys}");
    }
}

#[tokio::test]
async fn tariffs_are_those_of_the_postal_code_whatever_state_was_written() {
    let test = TestShop::open().await;
    let near = tariff(&test).await;
    let far = json!({ "name": "Norte", "states": ["AC"], "price": 38.9, "estimatedDays": 20 });
    test.shop.shipping().create_tariff(&Actor::System, input(far)).await.expect("a tariff");
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 50, 1000).await;
    let written = input(json!({ "state": "AC", "zipCode": "01001000" }));
    test.shop.addresses().update(&buyer.id, &buyer.address, written).await.expect("updated");
    for option in [None, Some(near.as_str())] {
        let placed = order(&test, &buyer, &vela, 1, option).await.expect("placed");
        assert_eq!(sent(&placed), ("Econômica", 1990));
    }
}

#[tokio::test]
async fn nothing_is_sent_to_a_postal_code_of_no_state() {
    let test = TestShop::open().await;
    tariff(&test).await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 50, 1000).await;
    let nowhere = input(json!({ "zipCode": "00000000" }));
    test.shop.addresses().update(&buyer.id, &buyer.address, nowhere).await.expect("updated");
    let refused = order(&test, &buyer, &vela, 1, None).await;
    assert!(matches!(refused, Err(Error::Refused(Refusal::UnknownCep))), "{refused:?}");
}

#[tokio::test]
async fn a_weight_of_nothing_is_one_that_nobody_knows() {
    let fakes = Carriers::start().await;
    let test = fakes.shop().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 50, 1000).await;
    test.raw_sql("UPDATE product SET weight_grams = 0");
    order(&test, &buyer, &vela, 5, None).await.expect("placed");
    let asked = fakes.melhor_envio.received().remove(0);
    assert_eq!(asked.body["volumes"][0]["weight"], 1.5, "five of 0.3 kg");
}

#[tokio::test]
async fn an_option_holds_for_half_an_hour_though_its_carrier_is_down() {
    let fakes = Carriers::start().await;
    let test = fakes.shop().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 50, 1000).await;
    assert_eq!(quote(&test, "0.25").await.options[1].id.as_str(), "me-2");
    fakes.carriers_behave(Behavior::Silent);
    test.clock.advance(Duration::from_secs(60));
    let start = Instant::now();
    let placed = order(&test, &buyer, &vela, 1, Some("me-2")).await.expect("placed");
    assert_eq!(sent(&placed), ("Correios SEDEX", 4120));
    assert!(start.elapsed() < Duration::from_millis(400), "nobody is waited for");

    // Another carrier answers now; what was offered before holds all the same.
    test.clock.advance(Duration::from_secs(6 * 60));
    fakes.frenet.behaves(Behavior::Speaks);
    assert_eq!(quote(&test, "0.25").await.options[0].id.as_str(), "frenet-04510");
    assert!(order(&test, &buyer, &vela, 1, Some("me-2")).await.is_ok());

    test.clock.advance(Duration::from_secs(30 * 60));
    fakes.carriers_behave(Behavior::Fails(500));
    assert!(is_refused(order(&test, &buyer, &vela, 1, Some("me-2")).await));
}

#[tokio::test]
async fn an_offer_holds_for_its_own_parcel_alone() {
    let fakes = Carriers::start().await;
    let test = fakes.shop().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 50, 1000).await;
    quote(&test, "0.25").await;
    fakes.carriers_behave(Behavior::Fails(500));
    assert!(is_refused(order(&test, &buyer, &vela, 2, Some("me-1")).await));
    assert!(order(&test, &buyer, &vela, 1, Some("me-1")).await.is_ok());
}

#[tokio::test]
async fn no_carrier_ever_loses_or_delays_an_order() {
    let fakes = Carriers::start().await;
    let moods = [
        Behavior::Silent,
        Behavior::Huge,
        Behavior::Garbage,
        Behavior::Fails(500),
        Behavior::Empty,
    ];
    for (with_tariff, sent_by) in [(true, ("Econômica", 1990)), (false, ("nobody", 700))] {
        for behavior in moods {
            let test = TestShop::with(|config| {
                fakes.adapt(config);
                config.shipping.fallback_price = shop_core::money::Money::from_cents(700);
            })
            .await;
            if with_tariff {
                tariff(&test).await;
            }
            let buyer = test.buyer("ana").await;
            let vela = test.product("vela", 50, 1000).await;
            fakes.carriers_behave(behavior);
            let start = Instant::now();
            let placed = order(&test, &buyer, &vela, 1, None).await.expect("placed");
            assert!(
                start.elapsed() < Duration::from_secs(3),
                "{behavior:?}: {:?}",
                start.elapsed()
            );
            assert_eq!(sent(&placed), sent_by, "{behavior:?}");
            assert_eq!(test.stock(vela.as_str()), 49);
        }
    }
}

#[tokio::test]
async fn nobody_is_asked_about_free_shipping_or_a_tariff_or_an_order_that_cannot_be() {
    let fakes = Carriers::start().await;
    let test = fakes.shop().await;
    let own = tariff(&test).await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 50, 1000).await;
    let free = order(&test, &buyer, &vela, 15, None).await.expect("placed");
    assert_eq!(sent(&free), ("Econômica", 0));
    let by_tariff = order(&test, &buyer, &vela, 1, Some(&own)).await.expect("placed");
    assert_eq!(sent(&by_tariff), ("Econômica", 1990));
    let unknown = order(&test, &buyer, &"nothing".to_owned().into(), 1, None).await;
    assert!(matches!(unknown, Err(Error::Refused(Refusal::InactiveProduct { .. }))), "{unknown:?}");
    assert!(fakes.carriers().iter().all(|fake| fake.received().is_empty()));
    // A way that was chosen is kept, though it costs nothing.
    let named = order(&test, &buyer, &vela, 15, Some("me-2")).await.expect("placed");
    assert_eq!(sent(&named), ("Correios SEDEX", 0));
}

#[tokio::test]
async fn from_which_subtotal_shipping_is_free_is_a_setting() {
    let cents = shop_core::money::Money::from_cents;
    for (free_from, order_of_30, order_of_150) in
        [(Some(cents(3000)), 0, 0), (Some(cents(0)), 0, 0), (None, 1990, 1990)]
    {
        let test = TestShop::with(|config| config.shipping.free_from = free_from).await;
        tariff(&test).await;
        let buyer = test.buyer("ana").await;
        let vela = test.product("vela", 50, 1000).await;
        for (units, expected) in [(3, order_of_30), (15, order_of_150)] {
            let placed = order(&test, &buyer, &vela, units, None).await.expect("placed");
            assert_eq!(sent(&placed), ("Econômica", expected), "{free_from:?}, {units} units");
            let wanted = json!({ "cep": "01001000", "subtotal": (units * 10).to_string() });
            let quote = test.shop.shipping().calculate(input(wanted)).await.expect("a quote");
            assert_eq!(quote.qualifies_for_free, expected == 0);
            assert_eq!(quote.free_shipping_threshold, free_from);
            assert_eq!(quote.remaining.is_none(), free_from.is_none());
        }
    }
}

#[test]
fn what_is_free_is_an_amount_or_never() {
    let free_from = |toml: &str| {
        let config = Config::parse(&format!("[shipping]\n{toml}"), []);
        config.map(|config| config.shipping.free_from.map(|it| it.to_string()))
    };
    assert_eq!(free_from(""), Ok(Some("150.00".to_owned())));
    assert_eq!(free_from("free_from = '199.90'"), Ok(Some("199.90".to_owned())));
    assert_eq!(free_from("free_from = 'never'"), Ok(None));
    for wrong in ["'always'", "'-1.00'", "150"] {
        let told = free_from(&format!("free_from = {wrong}")).expect_err("refused").to_string();
        assert!(told.contains("shipping.free_from") && told.contains("or never"), "{told}");
    }
}
