//! API keys over HTTP: how they are made, shown once, and ended; and what a call with one says.

use std::time::Duration;

use hyper::Method;
use serde_json::{Value, json};
use shop_core::api_key::Scope;
use shop_server::ServeOptions;

use super::TestServer;
use super::client::Answer;

const INVALID: (&str, &str) = ("API key inválida ou sem permissão", "invalid_api_key");

fn is_refused(answer: &Answer) {
    let (text, code) = answer.refused(401);
    assert_eq!((text.as_str(), code.as_str()), INVALID);
}

fn delta() -> Value {
    json!({ "type": "sync", "items": [] })
}

#[tokio::test]
async fn an_admin_makes_a_key_sees_it_once_and_ends_it() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let new = json!({ "name": " ERP ", "scopes": ["stock:write", "products:read"] });
    let made = admin.post("/api/admin/api-keys", &new).await;
    assert_eq!(made.header("cache-control"), Some("no-store"));
    let made = made.expect(201);
    assert_eq!(made["name"], "ERP");
    assert_eq!(made["scopes"], json!(["products:read", "stock:write"]));
    let raw = made["rawKey"].as_str().expect("a key");
    assert_eq!(made["keyPrefix"], raw[..16]);
    assert_eq!((&made["active"], &made["lastUsedAt"]), (&json!(true), &json!(null)));
    assert_eq!((&made["revokedAt"], &made["expiresAt"]), (&json!(null), &json!(null)));

    let program = server.anonymous().with_key(raw);
    program.post("/api/webhooks/stock", &delta()).await.expect(200);
    let list = admin.get("/api/admin/api-keys").await;
    assert!(!String::from_utf8_lossy(&list.body).contains(&raw[16..]), "the key is shown once");
    let list = list.expect(200);
    assert_eq!(list[0]["id"], made["id"]);
    assert_eq!(list[0]["lastUsedAt"], json!(server.test.shop.now()));

    let path = format!("/api/admin/api-keys/{}", made["id"].as_str().expect("an id"));
    let ended = admin.delete(&path).await.expect(200);
    assert_eq!(ended["active"], false);
    is_refused(&program.post("/api/webhooks/stock", &delta()).await);
    assert_eq!(admin.delete(&path).await.expect(200)["revokedAt"], ended["revokedAt"]);
    let unknown = admin.delete("/api/admin/api-keys/none").await;
    assert_eq!(unknown.refused(404).1, "api_key_not_found");
}

#[tokio::test]
async fn a_key_without_a_name_a_scope_or_a_future_is_not_made() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let post = async |body: Value| admin.post("/api/admin/api-keys", &body).await.wrong_fields();
    let wrong = post(json!({ "name": "", "scopes": [], "expiresAt": "soon" })).await;
    assert_eq!(wrong["name"], json!(["Campo obrigatório"]));
    assert_eq!(wrong["expiresAt"], json!(["Deve ser uma data, como 2026-12-31"]));
    let wrong = post(json!({ "name": "x", "scopes": [] })).await;
    assert_eq!(wrong["scopes"], json!(["Deve ter no mínimo 1 item"]));
    let wrong = post(json!({ "name": "x", "scopes": ["products:eat"] })).await;
    assert!(wrong["scopes[0]"][0].as_str().expect("a text").contains("orders:read"), "{wrong}");
    let past = "2020-01-01T00:00:00.000Z";
    let wrong = post(json!({ "name": "x", "scopes": ["orders:read"], "expiresAt": past })).await;
    assert_eq!(wrong["expiresAt"], json!(["Deve estar no futuro"]));
    assert_eq!(server.test.count("SELECT count(*) FROM api_key"), 0);
}

#[tokio::test]
async fn whatever_is_wrong_with_a_key_the_answer_is_the_same() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let expiring = json!({
        "name": "x", "scopes": ["stock:write"],
        "expiresAt": server.test.shop.now().plus(Duration::from_secs(1))
    });
    let expired = admin.post("/api/admin/api-keys", &expiring).await.expect(201);
    let expired = format!("Bearer {}", expired["rawKey"].as_str().expect("a key"));
    server.test.clock.advance(Duration::from_secs(1));
    let good = server.test.key(&[Scope::StockWrite]).await;
    let good = good.raw.reveal();
    let others = server.test.key(&[Scope::ProductsRead, Scope::ProductsWrite]).await;
    let others = format!("Bearer {}", others.raw.reveal());
    let session = format!("Bearer {}", admin.token().expect("a session"));
    let wrong = [
        String::new(),
        "Bearer".to_owned(),
        "Bearer ".to_owned(),
        format!("Basic {good}"),
        good.to_owned(),
        format!("Bearer {}", &good[9..]),
        format!("Bearer svc_test_{}", &good[9..]),
        format!("Bearer {good}x"),
        "Bearer svc_live_".to_owned(),
        expired,
        others,
        session,
    ];
    let anonymous = server.anonymous();
    let post = async |authorization: &str| {
        let headers = [("content-type", "application/json"), ("authorization", authorization)];
        let body = delta().to_string();
        anonymous.send(Method::POST, "/api/webhooks/stock", &headers, body).await
    };
    for authorization in &wrong {
        let answer = post(authorization).await;
        is_refused(&answer);
        assert_eq!(answer.header("ratelimit-limit"), None, "{authorization}");
    }
    is_refused(&anonymous.post("/api/webhooks/stock", &delta()).await);
    post(&format!("bearer {good}")).await.expect(200);
}

#[tokio::test]
async fn each_answer_to_a_key_says_how_often_it_may_still_call() {
    let limit = |config: &mut shop_core::Config| config.api.requests_per_minute = 3;
    let server = TestServer::start_with(limit, ServeOptions::default()).await;
    let (erp, other) =
        (server.program(&[Scope::StockWrite]).await, server.program(&[Scope::StockWrite]).await);
    let path = "/api/webhooks/stock";
    let quota = |answer: &Answer| {
        let of = |name| answer.header(name).expect("a header").to_owned();
        [of("ratelimit-limit"), of("ratelimit-remaining"), of("ratelimit-reset")]
    };
    let answer = erp.post(path, &delta()).await;
    answer.expect(200);
    assert_eq!(quota(&answer), ["3", "2", "60"]);
    server.test.clock.advance(Duration::from_millis(20_500));
    let answer = erp.post(path, &json!({ "type": "set", "productId": "none", "stock": 1 })).await;
    answer.refused(404);
    assert_eq!(quota(&answer), ["3", "1", "40"]);
    let answer = erp.post(path, &json!({})).await;
    answer.refused(422);
    assert_eq!(quota(&answer), ["3", "0", "40"]);
    let answer = erp.post(path, &delta()).await;
    assert_eq!(answer.refused(429).1, "rate_limited");
    assert_eq!(quota(&answer), ["3", "0", "40"]);
    assert_eq!(answer.header("retry-after"), Some("40"));
    other.post(path, &delta()).await.expect(200);
    server.test.clock.advance(Duration::from_millis(39_500));
    let answer = erp.post(path, &delta()).await;
    answer.expect(200);
    assert_eq!(quota(&answer), ["3", "0", "21"]);
}

#[tokio::test]
async fn without_a_limit_nothing_is_counted() {
    let none = |config: &mut shop_core::Config| config.api.requests_per_minute = 0;
    let server = TestServer::start_with(none, ServeOptions::default()).await;
    let erp = server.program(&[Scope::StockWrite]).await;
    let answer = erp.post("/api/webhooks/stock", &delta()).await;
    answer.expect(200);
    assert_eq!(answer.header("ratelimit-limit"), None);
}
