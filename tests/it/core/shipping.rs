//! Quotes: what carriers are asked and what becomes of their answers.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::money::Money;
use shop_core::shipping::{CarrierStatus, QuoteSource, ShippingQuote};
use shop_core::value::InvalidValue;
use shop_core::{Error, Result};

use super::fixture::{TestShop, input};
use crate::fakes::{ACCESS_CODE, Behavior, Carriers, TOKEN};

/// A quote for a postal code in the state of Rio de Janeiro.
pub(super) async fn quote(test: &TestShop) -> ShippingQuote {
    ask(test, "24020-000", "59.80", None).await.expect("a quote")
}

pub(super) async fn ask(
    test: &TestShop,
    cep: &str,
    subtotal: &str,
    weight: Option<&str>,
) -> Result<ShippingQuote> {
    let mut wanted = json!({ "cep": cep, "subtotal": subtotal });
    if let Some(weight) = weight {
        wanted["weight"] = weight.into();
    }
    test.shop.shipping().calculate(input(wanted)).await
}

/// Ids, names, cents and days.
pub(super) fn shown(quote: &ShippingQuote) -> Vec<(&str, &str, i64, i64)> {
    let options = quote.options.iter();
    options
        .map(|one| (one.id.as_str(), one.name.as_str(), one.price.cents(), one.estimated_days))
        .collect()
}

pub(super) fn first(quote: &ShippingQuote) -> &str {
    quote.options.first().map_or("nothing", |option| option.id.as_str())
}

pub(super) async fn tariff(test: &TestShop) {
    let new = json!({ "name": "Econômica", "states": ["RJ"], "price": 19.9, "estimatedDays": 9 });
    test.shop.shipping().create_tariff(&Actor::System, input(new)).await.expect("a tariff");
}

#[tokio::test]
async fn no_more_than_a_hundred_tariffs_are_kept() {
    let test = TestShop::open().await;
    test.raw_sql("DELETE FROM shipping_tariff");
    for _ in 0..100 {
        tariff(&test).await;
    }
    let new = json!({ "name": "Econômica", "states": ["RJ"], "price": 19.9, "estimatedDays": 9 });
    let refused = test.shop.shipping().create_tariff(&Actor::System, input(new)).await;
    let Err(Error::Invalid(wrong)) = refused else { panic!("{refused:?}") };
    assert_eq!(wrong.form_errors, [InvalidValue::TooManyTariffs { most: 100 }]);
}

#[tokio::test]
async fn melhor_envio_is_asked_in_its_own_words() {
    let fakes = Carriers::start().await;
    let test = fakes.shop().await;
    let quote = quote(&test).await;
    assert_eq!(quote.source, QuoteSource::Api);
    assert_eq!(
        shown(&quote),
        [("me-1", "Correios PAC", 2415, 10), ("me-2", "Correios SEDEX", 4120, 4)]
    );
    let received = fakes.melhor_envio.received().remove(0);
    assert_eq!(received.header("accept"), "application/json");
    assert_eq!(received.header("content-type"), "application/json");
    assert_eq!(received.header("authorization"), format!("Bearer {TOKEN}"));
    assert!(received.header("user-agent").ends_with("(loja@velas.example)"));
    let body = json!({
        "from": { "postal_code": "01001000" }, "to": { "postal_code": "24020000" },
        "volumes": [{ "width": 11, "height": 8, "length": 16, "weight": 0.3,
                      "insurance_value": 59.8 }],
        "options": { "receipt": false, "own_hand": false, "insurance_value": 59.8 }
    });
    assert_eq!(received.body, body);
}

#[tokio::test]
async fn correios_is_asked_with_a_token_that_is_fetched_once_a_day() {
    let fakes = Carriers::start().await;
    fakes.melhor_envio.behaves(Behavior::Empty);
    fakes.frenet.behaves(Behavior::Silent);
    let test = fakes.shop().await;
    let quote = quote(&test).await;
    assert_eq!(
        shown(&quote),
        [
            ("correios-03298", "Correios PAC", 2084, 7),
            ("correios-03220", "Correios SEDEX", 103_310, 2)
        ]
    );
    let mut received = fakes.correios.received();
    received.sort_by(|a, b| a.line.cmp(&b.line));
    let [terms, prices, token] = &received[..] else { panic!("{received:?}") };
    assert_eq!(token.body, json!({ "numero": "0067599079" }));
    assert!(token.header("authorization").starts_with("Basic "));
    assert!(!token.header("authorization").contains(ACCESS_CODE));
    let asked = &prices.body["parametrosProduto"][1];
    let wanted = json!({
        "coProduto": "03298", "nuRequisicao": "2", "nuContrato": "9912345678", "nuDR": 72,
        "cepOrigem": "01001000", "cepDestino": "24020000", "psObjeto": "300", "tpObjeto": "2",
        "comprimento": "16", "largura": "11", "altura": "8"
    });
    assert_eq!(*asked, wanted);
    let asked = &terms.body["parametrosPrazo"][0];
    let wanted = json!({ "coProduto": "03220", "nuRequisicao": "1", "cepOrigem": "01001000",
                         "cepDestino": "24020000", "dtEvento": "21-11-2026" });
    assert_eq!(*asked, wanted);

    // The token serves until shortly before its end, at noon of the next day.
    let tokens = async |advance| {
        test.advance_hours(advance);
        ask(&test, "24020000", "59.80", None).await.expect("a quote");
        fakes.correios.received().iter().filter(|one| one.line.contains("/token/")).count()
    };
    assert_eq!(tokens(23).await, 0);
    assert_eq!(tokens(1).await, 1);
}

#[tokio::test]
async fn frenet_is_asked_in_its_own_words() {
    let fakes = Carriers::start().await;
    fakes.melhor_envio.behaves(Behavior::Empty);
    fakes.correios.behaves(Behavior::Empty);
    let test = fakes.shop().await;
    let quote = ask(&test, "24020000", "20", Some("1.7")).await.expect("a quote");
    assert_eq!(shown(&quote), [("frenet-04510", "Correios PAC", 3250, 7)]);
    let received = fakes.frenet.received().remove(0);
    assert_eq!(received.header("token"), TOKEN);
    let body = json!({
        "SellerCEP": "01001000", "RecipientCEP": "24020000", "RecipientCountry": "BR",
        "ShipmentInvoiceValue": 20.0,
        "ShippingItemArray": [{ "Weight": 1.7, "Length": 16, "Height": 8, "Width": 11,
                                "Quantity": 1 }]
    });
    assert_eq!(received.body, body);
}

#[tokio::test]
async fn the_preferred_carrier_wins_even_when_it_is_the_slowest() {
    let fakes = Carriers::start().await;
    fakes.melhor_envio.behaves(Behavior::Slow(Duration::from_millis(150)));
    let test = fakes.shop().await;
    assert_eq!(first(&quote(&test).await), "me-1");
    assert_eq!(fakes.frenet.received().len(), 1, "all are asked side by side");
}

#[tokio::test]
async fn whatever_a_carrier_does_the_next_one_is_listened_to() {
    let moods = [
        Behavior::Empty,
        Behavior::Fails(500),
        Behavior::Fails(401),
        Behavior::Fails(422),
        Behavior::Garbage,
        Behavior::OtherJson,
        Behavior::Huge,
        Behavior::Silent,
        Behavior::Redirects,
    ];
    let fakes = Carriers::start().await;
    for behavior in moods {
        // A shop of its own for each, so that no quote is remembered.
        for (place, next) in ["correios-03298", "frenet-04510", "static"].into_iter().enumerate() {
            let test = fakes.shop().await;
            tariff(&test).await;
            fakes.carriers_behave(Behavior::Speaks);
            fakes.carriers().iter().take(place + 1).for_each(|fake| fake.behaves(behavior));
            let start = Instant::now();
            let quote = quote(&test).await;
            assert!(
                start.elapsed() < Duration::from_secs(3),
                "{behavior:?}: {:?}",
                start.elapsed()
            );
            assert!(first(&quote).starts_with(next), "{behavior:?}: {quote:?}");
            let by_tariff = next == "static";
            assert_eq!(quote.source == QuoteSource::Static, by_tariff, "{behavior:?}");
            for received in fakes.carriers().iter().flat_map(|fake| fake.received()) {
                assert!(!received.line.contains("elsewhere"), "no redirect is followed");
            }
        }
    }
}

#[tokio::test]
async fn the_quote_comes_within_nine_seconds_when_nobody_answers_at_all() {
    let fakes = Carriers::start().await;
    fakes.all_behave(Behavior::Silent);
    let test = TestShop::with(|config| {
        fakes.adapt(config);
        config.shipping.timeout_ms = shop_core::Config::default().shipping.timeout_ms;
    })
    .await;
    tariff(&test).await;
    let start = Instant::now();
    let quote = quote(&test).await;
    let took = start.elapsed();
    assert!(took > Duration::from_millis(7500) && took < Duration::from_secs(9), "{took:?}");
    assert_eq!((quote.source, quote.state.as_str()), (QuoteSource::Static, "RJ"));
    assert_eq!(quote.options.len(), 1);
}

#[tokio::test]
async fn a_carrier_that_keeps_failing_is_left_alone_for_a_minute() {
    let fakes = Carriers::start().await;
    fakes.melhor_envio.behaves(Behavior::Fails(503));
    let test = fakes.shop().await;
    let asked = async |cep: &str| {
        let quote = ask(&test, cep, "10", None).await.expect("a quote");
        (first(&quote).to_owned(), fakes.melhor_envio.received().len())
    };
    for cep in ["24020001", "24020002", "24020003"] {
        assert_eq!(asked(cep).await, ("correios-03298".to_owned(), 1));
    }
    fakes.melhor_envio.behaves(Behavior::Speaks);
    assert_eq!(asked("24020004").await, ("correios-03298".to_owned(), 0));
    test.clock.advance(Duration::from_secs(60));
    assert_eq!(asked("24020005").await, ("me-1".to_owned(), 1));
    assert_eq!(asked("24020006").await, ("me-1".to_owned(), 1));
}

#[tokio::test]
async fn a_quote_is_remembered_for_five_minutes_by_place_weight_and_value() {
    let fakes = Carriers::start().await;
    let test = fakes.shop().await;
    let asked = async |cep: &str, subtotal: &str, weight: &str| {
        ask(&test, cep, subtotal, Some(weight)).await.expect("a quote");
        fakes.melhor_envio.received().len()
    };
    assert_eq!(asked("24020000", "51", "0.3").await, 1);
    assert_eq!(asked("24020-000", "51.00", "0.300").await, 0);
    assert_eq!(asked("24020000", "51", "0.299").await, 1);
    assert_eq!(asked("24020000", "50.99", "0.3").await, 1);
    assert_eq!(asked("24020001", "51", "0.3").await, 1);
    test.clock.advance(Duration::from_secs(5 * 60));
    assert_eq!(asked("24020000", "51", "0.3").await, 1);
}

#[tokio::test]
async fn carriers_are_asked_about_the_exact_grams_and_cents() {
    let fakes = Carriers::start().await;
    // Nobody answers for another one, so that all are listened to.
    fakes.melhor_envio.behaves(Behavior::Empty);
    fakes.correios.behaves(Behavior::Empty);
    let test = fakes.shop().await;
    for (weight, grams) in [("1.2", "1200"), ("0.301", "301"), ("2.999", "2999"), ("0", "1")] {
        ask(&test, "24020000", "10.01", Some(weight)).await.expect("a quote");
        let asked = fakes.melhor_envio.received().remove(0).body;
        let kilograms = grams.parse::<f64>().expect("grams") / 1000.0;
        assert_eq!(asked["volumes"][0]["weight"], kilograms);
        assert_eq!(asked["volumes"][0]["insurance_value"], 10.01);
        let asked = fakes.correios.received();
        let prices = asked.iter().find(|one| one.line.contains("/preco/")).expect("asked");
        assert_eq!(prices.body["parametrosProduto"][0]["psObjeto"], grams);
        assert_eq!(fakes.frenet.received()[0].body["ShippingItemArray"][0]["Weight"], kilograms);
    }
}

#[tokio::test]
async fn equal_questions_at_the_same_time_are_asked_once() {
    let fakes = Carriers::start().await;
    fakes.all_behave(Behavior::Slow(Duration::from_millis(100)));
    let test = fakes.shop().await;
    let quotes = join_all((0..20).map(|_| quote(&test))).await;
    assert!(quotes.iter().all(|quote| first(quote) == "me-1" && quote.city == "Niterói"));
    assert_eq!(fakes.melhor_envio.received().len(), 1);
    assert_eq!(fakes.via_cep.received().len(), 1);
}

#[tokio::test]
async fn no_more_than_sixteen_parcels_are_asked_about_at_once() {
    let fakes = Carriers::start().await;
    fakes.carriers_behave(Behavior::Silent);
    let test = TestShop::with(|config| {
        fakes.adapt(config);
        // Of which no question waits for more than half for its turn.
        config.shipping.timeout_ms = 2000;
    })
    .await;
    tariff(&test).await;
    let ceps = (0..100).map(|n| format!("24020{n:03}"));
    let quotes = ceps.map(|cep| async { ask(&test, &{ cep }, "10", None).await.expect("a quote") });
    let quotes = join_all(quotes).await;
    assert!(quotes.iter().all(|quote| quote.source == QuoteSource::Static));
    assert_eq!(fakes.melhor_envio.received().len(), 16);
}

#[tokio::test]
async fn a_carrier_that_was_asked_too_often_is_left_alone_for_as_long_as_it_says() {
    let fakes = Carriers::start().await;
    fakes.melhor_envio.behaves(Behavior::Busy(300));
    let test = fakes.shop().await;
    let asked = async |cep: &str| {
        let quote = ask(&test, cep, "10", None).await.expect("a quote");
        (first(&quote).to_owned(), fakes.melhor_envio.received().len())
    };
    assert_eq!(asked("24020001").await, ("correios-03298".to_owned(), 1));
    fakes.melhor_envio.behaves(Behavior::Speaks);
    assert_eq!(asked("24020002").await, ("correios-03298".to_owned(), 0));
    assert!(test.shop.shipping().list_carriers().await.iter().any(|carrier| {
        carrier.name == "Melhor Envio" && carrier.status == CarrierStatus::Disconnected
    }));
    assert!(fakes.melhor_envio.received().is_empty(), "nor is it probed");
    test.clock.advance(Duration::from_secs(299));
    assert_eq!(asked("24020003").await, ("correios-03298".to_owned(), 0));
    test.clock.advance(Duration::from_secs(1));
    assert_eq!(asked("24020004").await, ("me-1".to_owned(), 1));

    fakes.via_cep.received();
    fakes.via_cep.behaves(Behavior::Busy(300));
    for (cep, questions) in [("24020005", 1), ("24020006", 0)] {
        let quote = ask(&test, cep, "10", None).await.expect("a quote");
        assert_eq!((quote.state.as_str(), &*quote.city), ("RJ", ""));
        assert_eq!(fakes.via_cep.received().len(), questions);
    }
}

#[tokio::test]
async fn who_asks_for_what_frenet_does_not_carry_keeps_it_from_nobody_else() {
    let fakes = Carriers::start().await;
    fakes.carriers_behave(Behavior::Empty);
    let test = fakes.shop().await;
    for (n, status) in [400, 404, 422, 400].into_iter().enumerate() {
        fakes.frenet.behaves(Behavior::Fails(status));
        let none = ask(&test, &format!("2402000{n}"), "10", None).await.expect("a quote");
        assert_eq!(none.source, QuoteSource::Static);
    }
    fakes.frenet.behaves(Behavior::Speaks);
    assert_eq!(first(&quote(&test).await), "frenet-04510");
}

#[tokio::test]
async fn only_carriers_with_a_token_are_asked_and_none_without_an_origin() {
    let fakes = Carriers::start().await;
    let test = TestShop::with(|config| {
        fakes.adapt(config);
        config.shipping.melhor_envio.token = None;
        config.shipping.correios.card = None;
    })
    .await;
    assert_eq!(first(&quote(&test).await), "frenet-04510");
    let asked = fakes.carriers().map(|fake| fake.received().len());
    assert_eq!(asked, [0, 0, 1]);
    let test = TestShop::with(|config| {
        fakes.adapt(config);
        config.shipping.origin_cep = None;
    })
    .await;
    assert_eq!(quote(&test).await.source, QuoteSource::Static);
    assert!(fakes.carriers().iter().all(|fake| fake.received().is_empty()));
}

#[tokio::test]
async fn no_token_goes_in_the_clear_where_tls_is_wanted() {
    let fakes = Carriers::start().await;
    let test = TestShop::with(|config| {
        fakes.adapt(config);
        for url in [&mut config.shipping.melhor_envio.url, &mut config.shipping.frenet.url] {
            *url = url.replace("http://", "https://");
        }
    })
    .await;
    fakes.correios.behaves(Behavior::Empty);
    assert_eq!(quote(&test).await.source, QuoteSource::Static);
    let plain = [&fakes.melhor_envio, &fakes.frenet].map(|fake| fake.received().len());
    assert_eq!(plain, [0, 0]);
}

#[tokio::test]
async fn what_is_missing_for_free_shipping_is_said() {
    let test = TestShop::open().await;
    tariff(&test).await;
    for (subtotal, remaining, free) in
        [("0", 15_000, false), ("149.99", 1, false), ("150", 0, true)]
    {
        let quote = ask(&test, "20010020", subtotal, None).await.expect("a quote");
        let sums = (
            quote.remaining.expect("an amount").cents(),
            quote.qualifies_for_free,
            quote.options[0].free,
        );
        assert_eq!(sums, (remaining, free, free));
        assert_eq!(quote.options[0].price, Money::from_cents(1990));
    }
    let wanted: Value = json!({ "cep": "20010020", "subtotal": "-0.01" });
    let refused = serde_json::from_value::<shop_core::shipping::CalculateShipping>(wanted);
    assert!(refused.is_err());
}
