//! Shipping, for staff: tariffs, and how the carriers are.

use serde_json::{Value, json};
use shop_server::ServeOptions;

use super::{deeds, etag, patch_seen};
use crate::fakes::{Behavior, Carriers};
use crate::http::TestServer;
use crate::http::client::Client;

const TARIFFS: &str = "/api/admin/shipping";

async fn create(admin: &Client) -> Value {
    let new = json!({ "name": "Econômica", "states": ["sp", "RJ", "SP"], "price": 18.9,
                      "estimatedDays": 5 });
    admin.post(TARIFFS, &new).await.expect(201)
}

fn path(tariff: &Value) -> String {
    format!("{TARIFFS}/{}", tariff["id"].as_str().expect("an id"))
}

#[tokio::test]
async fn a_tariff_is_made_changed_and_deleted_and_quotes_follow_it() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let made = create(&admin).await;
    let expected = json!({ "id": made["id"], "name": "Econômica", "states": ["RJ", "SP"],
                           "price": 18.9, "estimatedDays": 5 });
    assert_eq!(made, expected);
    assert_eq!(admin.get(TARIFFS).await.expect(200), json!([made]));
    assert_eq!(admin.get(&path(&made)).await.expect(200), made);
    let anonymous = server.anonymous();
    let quoted = async |cep: &str| {
        let path = format!("/api/shipping/calculate?cep={cep}&subtotal=10");
        anonymous.get(&path).await.expect(200)["options"].clone()
    };
    assert_eq!(quoted("01001000").await[0]["price"], 18.9);
    let change = json!({ "price": 9, "states": ["MG"], "name": "Rápida", "estimatedDays": 0 });
    let changed = admin.patch(&path(&made), &change).await.expect(200);
    let expected = json!({ "id": made["id"], "name": "Rápida", "states": ["MG"], "price": 9.0,
                           "estimatedDays": 0 });
    assert_eq!(changed, expected);
    assert_eq!(quoted("01001000").await, json!([]));
    assert_eq!(quoted("30110000").await[0]["price"], 9.0);
    admin.delete(&path(&made)).await.expect(200);
    assert_eq!(quoted("30110000").await, json!([]));
    let deeds = deeds(&admin, made["id"].as_str().expect("an id")).await;
    let actions: Vec<&str> = deeds.iter().map(|(action, ..)| action.as_str()).collect();
    assert_eq!(actions, ["tariff.delete", "tariff.update", "tariff.create"]);
}

#[tokio::test]
async fn every_wrong_field_of_a_tariff_is_named() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let wrong = json!({ "name": "", "states": ["XX"], "price": "x", "estimatedDays": -1 });
    let wrong = admin.post(TARIFFS, &wrong).await.wrong_fields();
    for field in ["name", "states[0]", "price", "estimatedDays"] {
        assert!(wrong[field].is_array(), "{field}: {wrong}");
    }
    let wrong = json!({ "name": "x", "states": [], "price": -0.01, "estimatedDays": 1 });
    let wrong = admin.post(TARIFFS, &wrong).await.wrong_fields();
    assert_eq!(wrong["states"], json!(["Deve ter no mínimo 1 item"]));
    assert_eq!(wrong["price"], json!(["Deve ser maior ou igual a 0"]));
    let made = create(&admin).await;
    let wrong =
        admin.patch(&path(&made), &json!({ "states": [], "price": -1 })).await.wrong_fields();
    assert!(wrong["states"].is_array() && wrong["price"].is_array(), "{wrong}");
    assert_eq!(admin.get(&path(&made)).await.expect(200), made);
}

#[tokio::test]
async fn a_tariff_that_is_not_there_or_another_by_now_is_left_alone() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let nothing = format!("{TARIFFS}/nothing");
    assert_eq!(admin.get(&nothing).await.refused(404).1, "tariff_not_found");
    assert_eq!(admin.patch(&nothing, &json!({})).await.refused(404).1, "tariff_not_found");
    assert_eq!(admin.delete(&nothing).await.refused(404).1, "tariff_not_found");
    let made = create(&admin).await;
    let seen = etag(&admin.get(&path(&made)).await);
    admin.patch(&path(&made), &json!({ "price": 1 })).await.expect(200);
    let late = patch_seen(&admin, &path(&made), &seen, &json!({ "price": 2 })).await;
    assert_eq!(late.refused(412).1, "changed_meanwhile");
}

#[tokio::test]
async fn a_carrier_is_connected_when_it_answered() {
    let fakes = Carriers::start().await;
    let adapt = |config: &mut shop_core::Config| {
        fakes.adapt(config);
        config.shipping.frenet.token = None;
    };
    let server = TestServer::start_with(adapt, ServeOptions::default()).await;
    let admin = server.admin().await;
    fakes.correios.behaves(Behavior::Fails(500));
    let state = |name: &str, status: &str, last_check: Value| json!({ "name": name, "status": status, "lastCheck": last_check });
    let checked = json!(server.test.shop.now());
    let expected = json!({ "providers": [
        state("Melhor Envio", "connected", checked.clone()),
        state("Correios", "disconnected", checked),
        state("Frenet", "disconnected", Value::Null),
    ] });
    let path = "/api/admin/shipping/providers";
    assert_eq!(admin.get(path).await.expect(200), expected);
    assert_eq!(fakes.melhor_envio.received().len(), 1);
    assert_eq!(fakes.frenet.received().len(), 0);
    // What was just found is not asked again; what is old is.
    fakes.correios.behaves(Behavior::Speaks);
    assert_eq!(admin.get(path).await.expect(200), expected);
    assert_eq!(fakes.melhor_envio.received().len(), 0);
    server.test.clock.advance(std::time::Duration::from_secs(5 * 60));
    let later = admin.get(path).await.expect(200);
    let checked = json!(server.test.shop.now());
    assert_eq!(later["providers"][1], state("Correios", "connected", checked));
}

#[tokio::test]
async fn a_shop_without_carriers_has_none_that_is_connected() {
    let server = TestServer::start().await;
    let answer = server.admin().await.get("/api/admin/shipping/providers").await.expect(200);
    let providers = answer["providers"].as_array().expect("a list");
    assert_eq!(providers.len(), 3);
    for provider in providers {
        assert_eq!(
            (&provider["status"], &provider["lastCheck"]),
            (&json!("disconnected"), &Value::Null)
        );
    }
}
