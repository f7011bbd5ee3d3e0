//! A cart before log-in, and what becomes of it (docs/decisions.md, "Orders and stock").

use hyper::Method;
use serde_json::{Value, json};
use shop_core::cart::GuestToken;
use shop_core::config::{Environment, Secret};
use shop_server::ServeOptions;

use super::client::Client;
use super::{PASSWORD, TestServer};
use crate::core::fixture::JWT_SECRET;

const ITEMS: &str = "/api/cart/items";
const ORIGIN: (&str, &str) = ("origin", "https://evil.example");
const JSON: (&str, &str) = ("content-type", "application/json");

/// A shop that has carts for guests.
async fn with_guests() -> TestServer {
    TestServer::start_with(|config| config.carts.guests = true, ServeOptions::default()).await
}

async fn fill(server: &TestServer, name: &str, quantity: i64) -> (Client, Value) {
    let product = server.test.product(name, 9, 1000).await;
    let guest = server.anonymous();
    let item = json!({ "productId": product, "quantity": quantity });
    guest.post(ITEMS, &item).await.expect(201);
    (guest, item)
}

fn login(name: &str) -> Value {
    json!({ "email": format!("{name}@example.com"), "password": PASSWORD })
}

fn line(cart: &Value) -> String {
    format!("{ITEMS}/{}", cart["items"][0]["id"].as_str().expect("an id"))
}

#[tokio::test]
async fn a_guest_fills_changes_and_empties_a_cart() {
    let server = with_guests().await;
    let (guest, item) = fill(&server, "vela", 2).await;
    let token = guest.cart().expect("a cookie");
    assert_eq!(token.len(), 43);
    let answer = guest.post(ITEMS, &item).await;
    assert_eq!(answer.expect(201)["items"][0]["quantity"], 4);
    let cookie = format!("cart={token}; HttpOnly; SameSite=Lax; Path=/; Max-Age=2592000");
    assert_eq!(answer.cookie("cart"), Some(&*cookie));
    let cart = guest.get("/api/cart").await.expect(200);
    assert_eq!(cart["subtotal"], json!(40.0));
    let stranger = server.anonymous();
    assert_eq!(stranger.delete(&line(&cart)).await.refused(404).1, "cart_item_not_found");
    let patch = json!({ "quantity": 1 });
    assert_eq!(stranger.patch(&line(&cart), &patch).await.refused(404).1, "cart_item_not_found");
    let changed = guest.patch(&line(&cart), &patch).await;
    assert_eq!(changed.expect(200)["subtotal"], json!(10.0));
    assert_eq!(changed.cookie("cart"), Some(&*cookie));
    assert_eq!(guest.delete(&line(&cart)).await.expect(200)["items"], json!([]));
    guest.post(ITEMS, &item).await.expect(201);
    assert_eq!(guest.delete("/api/cart").await.expect(200)["items"], json!([]));
}

#[tokio::test]
async fn who_only_looks_gets_no_cookie() {
    let server = with_guests().await;
    let guest = server.anonymous();
    let empty = json!({ "items": [], "subtotal": 0.0 });
    assert_eq!(guest.get("/api/cart").await.expect(200), empty);
    assert_eq!(guest.delete("/api/cart").await.expect(200), empty);
    guest.post(ITEMS, &json!({ "productId": "none", "quantity": 1 })).await.refused(404);
    assert_eq!(guest.cart(), None);
    assert_eq!(server.test.count("SELECT count(*) FROM guest_cart"), 0);
}

#[tokio::test]
async fn in_production_the_carts_cookie_is_secure() {
    let production = |config: &mut shop_core::Config| {
        config.carts.guests = true;
        config.environment = Environment::Production;
        config.jwt_secret = Some(Secret::new(JWT_SECRET));
    };
    let server = TestServer::start_with(production, ServeOptions::default()).await;
    let (guest, item) = fill(&server, "vela", 1).await;
    let answer = guest.post(ITEMS, &item).await;
    let cookie = answer.cookie("cart").expect("a cookie");
    assert!(cookie.ends_with("; HttpOnly; Secure; SameSite=Lax; Path=/; Max-Age=2592000"));
}

#[tokio::test]
async fn the_cart_comes_along_at_log_in() {
    let server = with_guests().await;
    let ana = server.customer("ana").await;
    let (guest, item) = fill(&server, "vela", 2).await;
    ana.post(ITEMS, &item).await.expect(201);
    let token = guest.cart().expect("a cookie");
    let wrong = json!({ "email": "ana@example.com", "password": "not this one" });
    guest.post("/api/auth/login", &wrong).await.refused(401);
    assert_eq!(guest.cart().as_ref(), Some(&token));
    let answer = guest.post("/api/auth/login", &login("ana")).await;
    answer.expect(200);
    let gone = "cart=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0";
    assert_eq!((answer.cookie("cart"), guest.cart()), (Some(gone), None));
    assert_eq!(guest.get("/api/cart").await.expect(200)["items"][0]["quantity"], 4);
    let again = server.anonymous().with_cart(&token);
    assert_eq!(again.get("/api/cart").await.expect(200)["items"], json!([]));
    again.post("/api/auth/login", &login("ana")).await.expect(200);
    assert_eq!(ana.get("/api/cart").await.expect(200)["items"][0]["quantity"], 4);
}

#[tokio::test]
async fn the_cart_comes_along_at_registration_and_is_ordered() {
    let server = with_guests().await;
    let (guest, _) = fill(&server, "vela", 2).await;
    let order = json!({ "addressId": "any" });
    assert_eq!(guest.post("/api/orders", &order).await.refused(401).1, "unauthenticated");
    let register = json!({ "name": "Bia", "email": "bia@example.com", "password": PASSWORD });
    guest.post("/api/auth/register", &register).await.expect(201);
    assert_eq!(guest.cart(), None);
    let address = json!({
        "label": "Casa", "street": "Rua das Flores", "number": "123", "district": "Centro",
        "city": "São Paulo", "state": "SP", "zipCode": "01001000"
    });
    let address = guest.post("/api/user/addresses", &address).await.expect(201);
    let order = json!({ "addressId": address["id"] });
    let order = guest.post("/api/orders", &order).await.expect(201);
    assert_eq!(order["items"][0]["quantity"], 2);
    assert_eq!(guest.get("/api/cart").await.expect(200)["items"], json!([]));
}

#[tokio::test]
async fn a_session_comes_before_a_guests_cart() {
    let server = with_guests().await;
    let ana = server.customer("ana").await;
    let (guest, item) = fill(&server, "vela", 1).await;
    let both = server.anonymous().with_token(ana.token().expect("a token"));
    let both = both.with_cart(&guest.cart().expect("a cookie"));
    assert_eq!(both.get("/api/cart").await.expect(200)["items"], json!([]));
    let added = both.post(ITEMS, &item).await;
    assert_eq!((added.expect(201)["subtotal"].clone(), added.cookie("cart")), (json!(10.0), None));
    assert_eq!(guest.get("/api/cart").await.expect(200)["subtotal"], json!(10.0));
}

#[tokio::test]
async fn a_browser_with_an_ended_session_becomes_a_guest_and_a_program_is_refused() {
    let server = with_guests().await;
    let (guest, item) = fill(&server, "vela", 1).await;
    let ended = server.anonymous().with_token("ended".to_owned());
    let ended = ended.with_cart(&guest.cart().expect("a cookie"));
    assert_eq!(ended.post(ITEMS, &item).await.expect(201)["subtotal"], json!(20.0));
    let bearer = [JSON, ("authorization", "Bearer ended")];
    let refused = guest.send(Method::POST, ITEMS, &bearer, item.to_string()).await;
    assert_eq!(refused.refused(401).1, "unauthenticated");
}

#[tokio::test]
async fn a_cookie_that_is_none_is_replaced() {
    let server = with_guests().await;
    let (_, item) = fill(&server, "vela", 1).await;
    for bad in ["x", "%27", &"A".repeat(42), &"A".repeat(5000)] {
        let guest = server.anonymous().with_cart(bad);
        assert_eq!(guest.get("/api/cart").await.expect(200)["items"], json!([]));
        guest.post(ITEMS, &item).await.expect(201);
        let token = guest.cart().expect("a cookie");
        assert!(token.len() == 43 && token != bad, "{token}");
    }
}

#[tokio::test]
async fn a_page_of_another_origin_neither_changes_nor_takes_over_a_guests_cart() {
    let server = with_guests().await;
    server.test.buyer("ana").await;
    let (guest, item) = fill(&server, "vela", 1).await;
    let cart = guest.get("/api/cart").await.expect(200);
    let (line, quantity) = (line(&cart), json!({ "quantity": 5 }));
    let register = json!({ "name": "Eva", "email": "eva@example.com", "password": PASSWORD });
    for (method, path, body) in [
        (Method::POST, ITEMS, &item),
        (Method::PATCH, &*line, &quantity),
        (Method::DELETE, &*line, &Value::Null),
        (Method::DELETE, "/api/cart", &Value::Null),
        (Method::POST, "/api/auth/login", &login("ana")),
        (Method::POST, "/api/auth/register", &register),
    ] {
        let answer = guest.send(method, path, &[JSON, ORIGIN], body.to_string()).await;
        assert_eq!(answer.refused(403).1, "foreign_origin", "{path}");
    }
    assert_eq!(guest.get("/api/cart").await.expect(200), cart);
}

#[tokio::test]
async fn guests_wait_where_customers_do_not() {
    let server = with_guests().await;
    let ana = server.customer("ana").await;
    let guest = server.anonymous();
    let item = json!({ "productId": "none", "quantity": 1 });
    for _ in 0..120 {
        guest.post(ITEMS, &item).await.refused(404);
    }
    let refused = guest.post(ITEMS, &item).await;
    assert_eq!(refused.refused(429).1, "rate_limited");
    assert_eq!(refused.header("retry-after"), Some("60"));
    ana.post(ITEMS, &item).await.refused(404);
    guest.get("/api/cart").await.expect(200);
}

#[tokio::test]
async fn what_is_off_sale_stays_out_of_the_cart_and_says_so_by_a_code() {
    let server = with_guests().await;
    let (guest, item) = fill(&server, "vela", 1).await;
    server.test.raw_sql("UPDATE product SET active = 0");
    let refused = guest.post(ITEMS, &item).await;
    assert_eq!(
        refused.refused(400),
        ("Produto indisponível: vela".into(), "product_inactive".into())
    );
}

#[tokio::test]
async fn without_the_setting_a_cart_needs_a_session() {
    let server = TestServer::start().await;
    let product = server.test.product("vela", 9, 1000).await;
    let item = json!({ "productId": product, "quantity": 1 });
    let old = GuestToken::generate().expect("a token").reveal();
    for guest in [server.anonymous(), server.anonymous().with_cart(&old)] {
        for answer in [
            guest.get("/api/cart").await,
            guest.delete("/api/cart").await,
            guest.post(ITEMS, &item).await,
            guest.patch(&format!("{ITEMS}/x"), &json!({ "quantity": 1 })).await,
            guest.delete(&format!("{ITEMS}/x")).await,
        ] {
            assert_eq!(answer.cookie("cart"), None);
            answer.refused(401);
        }
    }
    assert_eq!(server.test.count("SELECT count(*) FROM guest_cart"), 0);
    assert_eq!(server.test.count("SELECT count(*) FROM cart_item"), 0);
    let ana = server.customer("ana").await;
    ana.post(ITEMS, &item).await.expect(201);
}
