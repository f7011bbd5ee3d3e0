//! `/api/shipping`.

use serde_json::json;
use shop_server::ServeOptions;

use super::TestServer;
use crate::core::fixture::input;
use crate::fakes::{Behavior, Carriers};
use shop_core::actor::Actor;

const CALCULATE: &str = "/api/shipping/calculate";

#[tokio::test]
async fn a_quote_has_every_field_of_the_specification() {
    let fakes = Carriers::start().await;
    let options = ServeOptions::default();
    let server = TestServer::start_with(|config| fakes.adapt(config), options).await;
    let client = server.anonymous();
    let answer = client.get(&format!("{CALCULATE}?cep=24020-000&subtotal=59.8&weight=0.5")).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.headers["access-control-allow-origin"], "*");
    let whole = json!({
        "cep": "24020000", "state": "RJ", "city": "Niterói",
        "options": [
            { "id": "me-1", "name": "Correios PAC", "price": 24.15, "estimatedDays": 10,
              "free": false },
            { "id": "me-2", "name": "Correios SEDEX", "price": 41.2, "estimatedDays": 4,
              "free": false }
        ],
        "fallbackPrice": null,
        "qualifiesForFree": false, "freeShippingThreshold": 150.0, "remaining": 90.2,
        "source": "api"
    });
    assert_eq!(answer.json(), whole);

    // All carriers fail, and the weight is left out: the shop's own tariffs.
    fakes.all_behave(Behavior::Fails(503));
    let new = json!({ "name": "Econômica", "states": ["SP"], "price": 19.9, "estimatedDays": 9 });
    server.test.shop.shipping().create_tariff(&Actor::System, input(new)).await.expect("a tariff");
    let answer = client.get(&format!("{CALCULATE}?cep=13010000&subtotal=150")).await.json();
    assert_eq!(fakes.melhor_envio.received()[1].body["volumes"][0]["weight"], 0.3);
    assert_eq!((&answer["source"], &answer["state"]), (&json!("static"), &json!("SP")));
    assert_eq!(answer["options"][0]["price"], 19.9);
    assert_eq!(answer["options"][0]["free"], true);
    assert_eq!((&answer["qualifiesForFree"], &answer["remaining"]), (&json!(true), &json!(0.0)));
    server.stop().await;
}

#[tokio::test]
async fn a_malformed_code_is_a_400_and_an_unknown_one_a_422() {
    let fakes = Carriers::start().await;
    let options = ServeOptions::default();
    let server = TestServer::start_with(|config| fakes.adapt(config), options).await;
    let client = server.anonymous();
    for (query, field) in [
        ("cep=0100100&subtotal=10", "cep"),
        ("cep=abcdefgh&subtotal=10", "cep"),
        ("subtotal=10", "cep"),
        ("cep=01001000", "subtotal"),
        ("cep=01001000&subtotal=x", "subtotal"),
        ("cep=01001000&subtotal=-1", "subtotal"),
        ("cep=01001000&subtotal=1,50", "subtotal"),
        ("cep=01001000&subtotal=1&weight=-1", "weight"),
        ("cep=01001000&subtotal=1&weight=x", "weight"),
    ] {
        let answer = client.get(&format!("{CALCULATE}?{query}")).await;
        assert_eq!(answer.status, 400, "{query}");
        assert!(answer.json()["details"]["fieldErrors"][field].is_array(), "{query}");
    }
    let malformed = client.get(&format!("{CALCULATE}?cep=1&subtotal=10")).await.json();
    assert_eq!(malformed["details"]["fieldErrors"]["cep"][0], "CEP inválido");
    assert!(fakes.all().iter().all(|fake| fake.received().is_empty()));
    let unknown = client.get(&format!("{CALCULATE}?cep=99999000&subtotal=10")).await;
    assert_eq!((unknown.status.as_u16(), &unknown.json()["code"]), (422, &"cep_not_found".into()));
    assert_eq!(unknown.json()["error"], "CEP não encontrado");
    server.stop().await;
}

#[tokio::test]
async fn an_option_of_a_quote_can_be_ordered() {
    let fakes = Carriers::start().await;
    let options = ServeOptions::default();
    let server = TestServer::start_with(|config| fakes.adapt(config), options).await;
    let ana = server.customer("ana").await;
    let vela = server.test.product("vela", 9, 2990).await;
    let quote = ana.get(&format!("{CALCULATE}?cep=01001000&subtotal=59.80&weight=0.5")).await;
    let option = &quote.json()["options"][1];
    fakes.carriers_behave(Behavior::Silent);
    let order = json!({
        "addressId": ana.buyer().address, "shippingOptionId": option["id"],
        "cartItems": [{ "productId": vela, "quantity": 2, "price": 0.01 }]
    });
    let placed = ana.post("/api/orders", &order).await;
    assert_eq!(placed.status, 201);
    assert_eq!(placed.json()["shipping"], option["price"]);
    assert_eq!(placed.json()["shippingService"], option["name"]);
    let unknown = json!({ "addressId": ana.buyer().address, "shippingOptionId": "me-99",
                          "cartItems": [{ "productId": vela, "quantity": 2 }] });
    let refused = ana.post("/api/orders", &unknown).await;
    assert_eq!(refused.status, 400);
    assert_eq!(refused.json()["code"], "unknown_shipping_option");
    server.stop().await;
}

#[tokio::test]
async fn one_address_has_thirty_questions_a_minute_asked_of_carriers_and_what_is_known_for_free() {
    let fakes = Carriers::start().await;
    let options = ServeOptions::default();
    let server = TestServer::start_with(|config| fakes.adapt(config), options).await;
    let client = server.anonymous();
    let quote = |n: usize| format!("{CALCULATE}?cep=24020{n:03}&subtotal=10");
    for n in 0..30 {
        client.get(&quote(n)).await.expect(200);
    }
    let refused = client.get(&quote(30)).await;
    assert_eq!(refused.refused(429).1, "rate_limited");
    assert_eq!(refused.header("retry-after"), Some("60"));
    assert_eq!(fakes.melhor_envio.received().len(), 30);
    for n in [0, 7, 29] {
        client.get(&quote(n)).await.expect(200);
    }
    assert_eq!(fakes.melhor_envio.received().len(), 0);
    server.test.clock.advance(std::time::Duration::from_secs(60));
    client.get(&quote(30)).await.expect(200);
    server.stop().await;

    // No carrier is asked where none is set up, so nothing is counted.
    let server = TestServer::start().await;
    for n in 0..60 {
        server.anonymous().get(&quote(n)).await.expect(200);
    }
    server.stop().await;
}

#[tokio::test]
async fn a_postal_code_fills_an_address_in() {
    let fakes = Carriers::start().await;
    let options = ServeOptions::default();
    let server = TestServer::start_with(|config| fakes.adapt(config), options).await;
    let client = server.anonymous();
    let whole = json!({
        "zipCode": "24020000", "street": "Rua 1", "district": "Centro", "city": "Niterói",
        "state": "RJ"
    });
    for _ in 0..2 {
        assert_eq!(client.get("/api/shipping/cep/24020-000").await.expect(200), whole);
    }
    assert_eq!(fakes.via_cep.received().len(), 1, "asked once");
    let unknown = client.get("/api/shipping/cep/99999000").await;
    assert_eq!(unknown.refused(422).1, "cep_not_found");
    let misspelt = client.get("/api/shipping/cep/123").await;
    assert_eq!(misspelt.wrong_fields(), json!({ "cep": ["CEP inválido"] }));

    fakes.all_behave(Behavior::Fails(503));
    let known = client.get("/api/shipping/cep/01001000").await.expect(200);
    let by_table = json!({
        "zipCode": "01001000", "street": null, "district": null, "city": "São Paulo", "state": "SP"
    });
    assert_eq!(known, by_table);
}

#[tokio::test]
async fn what_is_wrong_with_the_items_of_a_quote_is_said_at_them() {
    let server = TestServer::start().await;
    let many = vec!["x:1"; 81].join(",");
    for items in ["x:0", "x:-1", "x:1.5", "x", "x:1,", &many] {
        let path = format!("/api/shipping/calculate?cep=24020000&subtotal=10&items={items}");
        let wrong = server.anonymous().get(&path).await.wrong_fields();
        assert!(wrong["items"].is_array(), "{items}: {wrong}");
    }
}
