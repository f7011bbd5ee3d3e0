//! What other origins may read and change.

use hyper::Method;
use serde_json::json;
use shop_server::ServeOptions;

use super::TestServer;

const FOREIGN: (&str, &str) = ("origin", "https://evil.example");

#[tokio::test]
async fn every_origin_may_read_the_catalogue_and_none_the_rest() {
    let server = TestServer::start().await;
    let customer = server.customer("ana").await;
    let allowed = "access-control-allow-origin";
    for path in ["/api/products", "/api/products/search?q=x", "/api/products/x", "/api/categories"]
    {
        let answer = customer.send(Method::GET, path, &[FOREIGN], "").await;
        assert_eq!(answer.header(allowed), Some("*"), "{path}");
        assert_eq!(answer.header("access-control-allow-credentials"), None);
        let preflight = customer.send(Method::OPTIONS, path, &[FOREIGN], "").await;
        preflight.expect(204);
        assert_eq!(preflight.header(allowed), Some("*"), "{path}");
        let methods = preflight.header("access-control-allow-methods").expect("methods");
        assert!(methods.contains("GET"), "{path}: {methods}");
    }
    for path in ["/api/orders", "/api/auth/me", "/api/cart", "/healthz", "/api/nothing"] {
        for method in [Method::GET, Method::OPTIONS] {
            let answer = customer.send(method, path, &[FOREIGN], "").await;
            assert_eq!(answer.header(allowed), None, "{path}");
        }
    }
}

#[tokio::test]
async fn the_integration_api_is_marked_on_every_answer() {
    let server = TestServer::start().await;
    let answer = server.anonymous().get("/api/v1/nothing").await;
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    let methods = Some("GET, POST, PATCH, DELETE, OPTIONS");
    assert_eq!(answer.header("access-control-allow-methods"), methods);
    let headers = Some("Authorization, Content-Type");
    assert_eq!(answer.header("access-control-allow-headers"), headers);
}

#[tokio::test]
async fn a_page_of_another_origin_changes_nothing_with_the_cookie() {
    let server = TestServer::start().await;
    let customer = server.customer("ana").await;
    let body = json!({ "name": "Eva" }).to_string();
    for origin in ["https://evil.example", "null", "http://127.0.0.1:1"] {
        let headers = [("content-type", "application/json"), ("origin", origin)];
        let answer = customer.send(Method::PUT, "/api/auth/me", &headers, body.clone()).await;
        assert_eq!(answer.refused(403).1, "foreign_origin", "{origin}");
    }
    assert_eq!(customer.get("/api/auth/me").await.expect(200)["name"], "ana");
    // Reading is the browser's to forbid, and the answer's headers tell it to.
    customer.send(Method::GET, "/api/auth/me", &[FOREIGN], "").await.expect(200);
}

#[tokio::test]
async fn the_shops_own_pages_change_what_they_may() {
    let shop = |config: &mut shop_core::Config| {
        config.base_url = Some("https://loja.example/".to_owned());
    };
    let server = TestServer::start_with(shop, ServeOptions::default()).await;
    let customer = server.customer("ana").await;
    let body = json!({ "name": "Ana" }).to_string();
    for origin in [format!("http://{}", server.address), "https://loja.example".to_owned()] {
        let headers = [("content-type", "application/json"), ("origin", &*origin)];
        customer.send(Method::PUT, "/api/auth/me", &headers, body.clone()).await.expect(200);
    }
}

#[tokio::test]
async fn a_page_of_another_origin_ends_no_session() {
    let server = TestServer::start().await;
    let customer = server.customer("ana").await;
    let path = "/api/auth/logout";
    let refused = customer.send(Method::POST, path, &[FOREIGN], "").await;
    assert_eq!(refused.refused(403).1, "foreign_origin");
    assert_eq!(refused.cookie("token"), None);
    customer.get("/api/auth/me").await.expect(200);
    // Nothing of its own came along.
    server.anonymous().send(Method::POST, path, &[FOREIGN], "").await.expect(200);
    let own = format!("http://{}", server.address);
    customer.send(Method::POST, path, &[("origin", &own)], "").await.expect(200);
}

#[tokio::test]
async fn origins_that_are_allowed_count_as_the_shops_own_with_or_without_a_default_port() {
    let shop = |config: &mut shop_core::Config| {
        config.base_url = Some("https://loja.example".to_owned());
    };
    let allowed = ["https://app.example:443", "http://localhost:3000"];
    let allowed_origins = allowed.map(|it| it.parse().expect("an origin")).to_vec();
    let options = ServeOptions { allowed_origins, ..ServeOptions::default() };
    let server = TestServer::start_with(shop, options).await;
    let customer = server.customer("ana").await;
    let body = json!({ "name": "Ana" }).to_string();
    for (origin, status) in [
        ("https://loja.example", 200),
        ("https://loja.example:443", 200),
        ("https://app.example", 200),
        ("https://app.example:443", 200),
        ("http://localhost:3000", 200),
        ("http://app.example", 403),
        ("http://localhost", 403),
        ("https://app.example.evil.example", 403),
    ] {
        let headers = [("content-type", "application/json"), ("origin", origin)];
        let answer = customer.send(Method::PUT, "/api/auth/me", &headers, body.clone()).await;
        assert_eq!(answer.status.as_u16(), status, "{origin}");
    }
}

#[tokio::test]
async fn a_program_that_holds_the_token_itself_has_no_origin_to_fear() {
    let server = TestServer::start().await;
    let bearer = format!("Bearer {}", server.customer("ana").await.token().expect("a token"));
    let headers = [("content-type", "application/json"), ("authorization", &*bearer), FOREIGN];
    let body = json!({ "name": "Ana" }).to_string();
    server.anonymous().send(Method::PUT, "/api/auth/me", &headers, body).await.expect(200);
}
