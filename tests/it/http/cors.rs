//! What other origins may read and change.

use hyper::Method;
use serde_json::json;
use shop_core::config::{Environment, Secret};
use shop_server::ServeOptions;

use super::TestServer;
use super::client::Answer;
use crate::core::fixture::JWT_SECRET;

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
async fn a_page_of_another_origin_logs_nobody_in() {
    let server = TestServer::start().await;
    server.test.buyer("ana").await;
    let stranger = server.anonymous();
    let person = json!({
        "name": "Bia", "email": "bia@example.com", "password": "segredo-123", "token": "x",
    });
    for path in
        ["/api/auth/login", "/api/auth/register", "/api/auth/guest", "/api/auth/guest/password"]
    {
        // Without a type a browser does not ask first.
        let refused = stranger.send(Method::POST, path, &[FOREIGN], person.to_string()).await;
        assert_eq!(refused.refused(403).1, "foreign_origin", "{path}");
        assert_eq!(refused.cookie("token"), None);
    }
}

#[tokio::test]
async fn in_production_a_page_that_came_by_plain_http_is_not_the_shops_own() {
    let production = |config: &mut shop_core::Config| {
        config.environment = Environment::Production;
        config.jwt_secret = Some(Secret::new(JWT_SECRET));
        config.base_url = Some("https://loja.example".to_owned());
    };
    let server = TestServer::start_with(production, ServeOptions::default()).await;
    let stranger = server.anonymous();
    let log_in = json!({ "email": "ana@example.com", "password": "errada-123" }).to_string();
    for (scheme, code) in [("http", "foreign_origin"), ("https", "invalid_credentials")] {
        let origin = format!("{scheme}://{}", server.address);
        let headers = [("content-type", "application/json"), ("origin", &*origin)];
        let answer = stranger.send(Method::POST, "/api/auth/login", &headers, log_in.clone()).await;
        assert_eq!(answer.json()["code"], code, "{answer:?}");
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
async fn pages_of_allowed_origins_read_answers_with_their_cookies_and_others_do_not() {
    const APP: &str = "http://localhost:3000";
    let allowed_origins = vec![APP.parse().expect("an origin")];
    let options = ServeOptions { allowed_origins, ..ServeOptions::default() };
    let server = TestServer::start_with(|_| {}, options).await;
    let customer = server.customer("ana").await;
    let allowed = |answer: &Answer| {
        let header = |name: &str| answer.header(name).map(str::to_owned);
        let allow = header("access-control-allow-origin");
        assert!(header("vary").is_some_and(|it| it.contains("origin")), "what caches keep apart");
        (allow, header("access-control-allow-credentials").is_some())
    };
    for path in ["/api/auth/me", "/api/products", "/api/products", "/api/orders", "/api/missing"] {
        let answer = customer.send(Method::GET, path, &[("origin", APP)], "").await;
        assert_eq!(allowed(&answer), (Some(APP.to_owned()), true), "{path}");
        let answer = customer.send(Method::GET, path, &[FOREIGN], "").await;
        let any = (path == "/api/products").then(|| "*".to_owned());
        assert_eq!(allowed(&answer), (any, false), "{path}");
    }
    let asks = [
        ("origin", APP),
        ("access-control-request-method", "PUT"),
        ("access-control-request-headers", "content-type,if-match"),
    ];
    for path in ["/api/auth/me", "/api/v1/products"] {
        let answer = customer.send(Method::OPTIONS, path, &asks, "").await;
        assert_eq!(allowed(&answer), (Some(APP.to_owned()), true), "{path}");
        let headers = answer.header("access-control-allow-headers").expect("a list");
        assert!(headers.contains("If-Match") && headers.contains("Idempotency-Key"), "{headers}");
        let methods = answer.header("access-control-allow-methods").expect("a list").to_owned();
        assert_eq!(methods.contains("PUT"), path == "/api/auth/me", "{methods}");
    }
    let preflight = customer.send(Method::OPTIONS, "/api/auth/me", &[FOREIGN], "").await;
    assert_eq!(preflight.header("access-control-allow-methods"), None);
}

#[tokio::test]
async fn pages_of_allowed_origins_may_send_and_read_each_header_of_the_document() {
    const APP: &str = "http://localhost:3000";
    let allowed_origins = vec![APP.parse().expect("an origin")];
    let options = ServeOptions { allowed_origins, ..ServeOptions::default() };
    let server = TestServer::start_with(|_| {}, options).await;
    let page = server.anonymous();
    let document = page.get("/api/openapi.json").await.expect(200);
    let answer = page.send(Method::OPTIONS, "/api/orders", &[("origin", APP)], "").await;
    let may_send = answer.header("access-control-allow-headers").expect("a list").to_lowercase();
    let parameters = document["paths"].as_object().expect("paths").values();
    let named = parameters
        .flat_map(|path| path.as_object().expect("methods").values())
        .flat_map(|operation| operation["parameters"].as_array().into_iter().flatten())
        .filter(|parameter| parameter["in"] == "header");
    let link = &document["components"]["securitySchemes"]["orderToken"];
    for header in named.chain([link]) {
        let name = header["name"].as_str().expect("a name").to_lowercase();
        assert!(may_send.split(", ").any(|it| it == name), "{name}: {may_send}");
    }
    let may_read = answer.header("access-control-expose-headers").expect("a list");
    let told = document["components"]["headers"].as_object().expect("headers").keys();
    // Of these, browsers show the one always and the other never.
    for name in told.filter(|it| !["Cache-Control", "Set-Cookie"].contains(&it.as_str())) {
        assert!(may_read.split(", ").any(|it| it == name), "{name}: {may_read}");
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
