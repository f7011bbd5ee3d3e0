//! The inbound stock webhook over HTTP.

use hyper::Method;
use serde_json::{Value, json};
use shop_core::api_key::Scope;

use super::TestServer;
use super::client::{Answer, Client};
use crate::core::stock::variant;

const PATH: &str = "/api/webhooks/stock";

async fn send(erp: &Client, body: impl Into<String>) -> Answer {
    let json = [("content-type", "application/json")];
    erp.send(Method::POST, PATH, &json, body.into()).await
}

#[tokio::test]
async fn a_sync_answers_what_was_done_and_what_was_not() {
    let server = TestServer::start().await;
    let erp = server.program(&[Scope::StockWrite]).await;
    let vela = server.test.product("vela", 10, 1000).await;
    let big = variant(&server.test, &vela, "VELA-G", 1).await;
    let items = json!([
        { "sku": "SKU-vela", "stock": 2 }, { "sku": "VELA-G", "stock": 7 },
        { "sku": "nobody's", "stock": 1 },
    ]);
    let done = erp.post(PATH, &json!({ "type": "sync", "items": items })).await.expect(200);
    let errors = ["SKU não encontrado: nobody's"];
    assert_eq!(done, json!({ "ok": true, "updated": 2, "errors": errors }));
    assert_eq!((server.test.stock(vela.as_str()), server.test.stock(big.as_str())), (2, 7));
    // What shoppers see is never older than what was answered.
    let shown = server.anonymous().get("/api/products/vela").await.expect(200);
    assert_eq!((&shown["stock"], &shown["variants"][0]["stock"]), (&json!(2), &json!(7)));
}

#[tokio::test]
async fn set_and_delta_answer_in_the_same_shape_and_404_without_their_target() {
    let server = TestServer::start().await;
    let erp = server.program(&[Scope::StockWrite]).await;
    let vela = server.test.product("vela", 10, 1000).await;
    let big = variant(&server.test, &vela, "VELA-G", 1).await;
    let one = json!({ "ok": true, "updated": 1, "errors": [] });
    for (body, left) in [
        (json!({ "type": "set", "productId": vela, "stock": 4 }), (4, 1)),
        (json!({ "type": "set", "productId": vela, "variantId": null, "stock": 5 }), (5, 1)),
        (json!({ "type": "set", "productId": vela, "variantId": big, "stock": 3 }), (5, 3)),
        (json!({ "type": "delta", "productId": vela, "delta": -9 }), (0, 3)),
        (json!({ "type": "delta", "productId": vela, "variantId": big, "delta": 2 }), (0, 5)),
    ] {
        assert_eq!(erp.post(PATH, &body).await.expect(200), one, "{body}");
        let now = (server.test.stock(vela.as_str()), server.test.stock(big.as_str()));
        assert_eq!(now, left, "{body}");
    }
    for (body, code) in [
        (json!({ "type": "set", "productId": "x", "stock": 4 }), "product_not_found"),
        (json!({ "type": "delta", "productId": "x", "delta": 4 }), "product_not_found"),
        (
            json!({ "type": "set", "productId": vela, "variantId": "x", "stock": 4 }),
            "variant_not_found",
        ),
    ] {
        assert_eq!(erp.post(PATH, &body).await.refused(404).1, code, "{body}");
    }
    server.test.check_ledger();
}

#[tokio::test]
async fn what_is_no_json_is_a_400_and_json_of_another_structure_a_422() {
    let server = TestServer::start().await;
    let erp = server.program(&[Scope::StockWrite]).await;
    for malformed in ["", "{", "nothing", "{\"type\":\"sync\",\"items\":[}", "\u{0}"] {
        let (text, code) = send(&erp, malformed).await.refused(400);
        assert_eq!((text.as_str(), code.as_str()), ("Payload inválido", "malformed_json"));
    }
    let form = [("content-type", "text/plain")];
    let answer = erp.send(Method::POST, PATH, &form, "{}").await;
    assert_eq!(answer.refused(400).1, "unsupported_content_type");
    let many: Vec<Value> = (0..20_001).map(|_| json!({ "sku": "x", "stock": 1 })).collect();
    for (body, field) in [
        (json!({}), "type"),
        (json!({ "type": "steal" }), "type"),
        (json!({ "type": 1 }), "type"),
        (json!({ "type": "sync" }), "items"),
        (json!({ "type": "sync", "items": {} }), "items"),
        (json!({ "type": "sync", "items": many }), "items"),
        (json!({ "type": "sync", "items": [{ "sku": "x", "stock": -1 }] }), "items[0].stock"),
        (json!({ "type": "sync", "items": [{ "sku": "x", "stock": 1.5 }] }), "items[0].stock"),
        (json!({ "type": "sync", "items": [{ "stock": 1 }] }), "items[0].sku"),
        (json!({ "type": "set", "productId": "x" }), "stock"),
        (json!({ "type": "set", "stock": 1 }), "productId"),
        (json!({ "type": "set", "productId": "x", "stock": "1" }), "stock"),
        (json!({ "type": "delta", "productId": "x", "stock": 1 }), "delta"),
        (json!({ "type": "delta", "productId": "x", "delta": 0.5 }), "delta"),
    ] {
        let answer = erp.post(PATH, &body).await;
        let (text, code) = answer.refused(422);
        assert_eq!((text.as_str(), code.as_str()), ("Dados inválidos", "invalid_input"));
        let fields = &answer.json()["details"]["fieldErrors"];
        assert!(fields[field].is_array(), "{field}: {fields}");
    }
    let whole = erp.post(PATH, &json!([1])).await;
    assert_eq!(whole.refused(422).1, "invalid_input");
    assert!(whole.json()["details"]["formErrors"][0].is_string());
    let heavy = format!("{{\"x\":\"{}\"}}", "x".repeat(4 * 1024 * 1024));
    assert_eq!(send(&erp, heavy).await.refused(413).1, "payload_too_large");
}

#[tokio::test]
async fn a_repeat_with_its_key_is_answered_alike_and_marked() {
    let server = TestServer::start().await;
    let erp = server.program(&[Scope::StockWrite]).await;
    let other = server.program(&[Scope::StockWrite]).await;
    let vela = server.test.product("vela", 10, 1000).await;
    let post = async |client: &Client, delta: i64| {
        let headers = [("content-type", "application/json"), ("idempotency-key", "k-1")];
        let body = json!({ "type": "delta", "productId": vela, "delta": delta });
        client.send(Method::POST, PATH, &headers, body.to_string()).await
    };
    let (first, again) = (post(&erp, -2).await, post(&erp, -2).await);
    first.expect(200);
    assert_eq!(first.body, again.body);
    assert_eq!(first.header("idempotency-replayed"), None);
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(post(&erp, -3).await.refused(422).1, "idempotency_key_reused");
    assert_eq!(server.test.stock(vela.as_str()), 8);
    post(&other, -2).await.expect(200);
    assert_eq!(server.test.stock(vela.as_str()), 6, "the keys of two programs are two keys");
}
