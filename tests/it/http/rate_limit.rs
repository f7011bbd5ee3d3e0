//! How often a client may try.

use std::time::Duration;

use hyper::Method;
use serde_json::{Value, json};
use shop_server::ServeOptions;

use super::client::{Answer, Client};
use super::{PASSWORD, TestServer};

async fn log_in(client: &Client, password: &str) -> Answer {
    let body = json!({ "email": "ana@example.com", "password": password });
    client.post("/api/auth/login", &body).await
}

#[tokio::test]
async fn the_eleventh_log_in_of_a_quarter_of_an_hour_is_refused() {
    let server = TestServer::start().await;
    server.customer("ana").await;
    let anonymous = server.anonymous();
    for attempt in 0..10 {
        // Attempts count, whatever becomes of them: right, wrong or unreadable.
        let (password, status) = if attempt < 3 { (PASSWORD, 200) } else { ("wrong", 401) };
        log_in(&anonymous, password).await.expect(status);
        server.test.clock.advance(Duration::from_secs(30));
    }
    let refused = log_in(&anonymous, PASSWORD).await;
    let (text, code) = refused.refused(429);
    assert_eq!(text, "Muitas tentativas. Tente novamente em 10 minutos.");
    assert_eq!(code, "rate_limited");
    assert_eq!(refused.header("retry-after"), Some("600"));
    assert_eq!(refused.header("x-ratelimit-limit"), Some("10"));
    assert_eq!(refused.header("x-ratelimit-remaining"), Some("0"));
    server.test.clock.advance(Duration::from_secs(599));
    let (text, _) = log_in(&anonymous, PASSWORD).await.refused(429);
    assert_eq!(text, "Muitas tentativas. Tente novamente em 1 minuto.");
    server.test.clock.advance(Duration::from_secs(1));
    log_in(&anonymous, PASSWORD).await.expect(200);
    log_in(&anonymous, PASSWORD).await.refused(429);
}

#[tokio::test]
async fn the_sixth_registration_of_an_hour_is_refused() {
    let server = TestServer::start().await;
    let anonymous = server.anonymous();
    let register =
        |n: u32| json!({ "name": "Xis", "email": format!("{n}@x.co"), "password": PASSWORD });
    // Who mistypes a form has not registered.
    for wrong in [Value::Null, json!({ "name": "A", "email": "x", "password": "1" })] {
        anonymous.post("/api/auth/register", &wrong).await.refused(400);
    }
    for n in 0..5 {
        anonymous.post("/api/auth/register", &register(n)).await.expect(201);
    }
    let refused = anonymous.post("/api/auth/register", &register(5)).await;
    assert_eq!(refused.refused(429).0, "Muitas tentativas. Tente novamente em 60 minutos.");
    assert_eq!(refused.header("x-ratelimit-limit"), Some("5"));
    // What is counted apart is limited apart.
    log_in(&anonymous, "wrong").await.refused(401);
    server.test.advance_hours(1);
    anonymous.post("/api/auth/register", &register(6)).await.expect(201);
}

async fn tries_until_refused(server: &TestServer, forwarded: impl Fn(usize) -> String) -> usize {
    let body = json!({ "email": "a@b.co", "password": "x" }).to_string();
    for n in 0..25 {
        let client = forwarded(n);
        let headers = [("content-type", "application/json"), ("x-forwarded-for", &*client)];
        let anonymous = server.anonymous();
        let answer = anonymous.send(Method::POST, "/api/auth/login", &headers, body.clone()).await;
        if answer.status == 429 {
            return n;
        }
    }
    25
}

#[tokio::test]
async fn a_client_does_not_escape_the_limit_by_naming_other_addresses() {
    let server = TestServer::start().await;
    assert_eq!(tries_until_refused(&server, |n| format!("198.51.100.{n}")).await, 10);
}

#[tokio::test]
async fn clients_of_a_trusted_proxy_are_told_apart_by_what_it_says() {
    let trusted_proxies = vec!["127.0.0.0/8".parse().expect("a network")];
    let options = ServeOptions { trusted_proxies, ..ServeOptions::default() };
    let server = TestServer::start_with(|_| {}, options).await;
    assert_eq!(tries_until_refused(&server, |n| format!("198.51.100.{n}")).await, 25);
    let spoofed = |n: usize| format!("192.0.2.{n}, 203.0.113.7");
    assert_eq!(tries_until_refused(&server, spoofed).await, 10);
}

#[tokio::test]
async fn one_address_places_so_many_orders_an_hour_over_all_accounts() {
    let limit = |config: &mut shop_core::Config| config.orders.max_per_hour_per_ip = 2;
    let server = TestServer::start_with(limit, ServeOptions::default()).await;
    let vela = server.test.product("vela", 9, 1000).await;
    let place = async |client: &Client| {
        let order = json!({ "addressId": client.buyer().address,
                            "cartItems": [{ "productId": vela, "quantity": 1 }] });
        client.post("/api/orders", &order).await
    };
    for name in ["ana", "bia"] {
        place(&server.customer(name).await).await.expect(201);
    }
    let refused = place(&server.customer("caio").await).await;
    assert_eq!(refused.refused(429).1, "rate_limited");
    assert_eq!(refused.header("retry-after"), Some("3600"));
    assert_eq!(server.test.stock(vela.as_str()), 7);
}

#[tokio::test]
async fn each_limit_of_orders_has_its_own_answer() {
    let limit = |config: &mut shop_core::Config| {
        config.orders.max_units_per_order = 5;
        config.orders.max_open_unpaid = 1;
        config.orders.max_per_hour = 2;
    };
    let server = TestServer::start_with(limit, ServeOptions::default()).await;
    let vela = server.test.product("vela", 9, 1000).await;
    let ana = server.customer("ana").await;
    let place = async |units: i64| {
        let order = json!({ "addressId": ana.buyer().address,
                            "cartItems": [{ "productId": vela, "quantity": units }] });
        ana.post("/api/orders", &order).await
    };
    let (text, code) = place(6).await.refused(400);
    assert_eq!(code, "too_many_units");
    assert_eq!(text, "Um pedido pode ter no máximo 5 unidades. Para comprar mais, fale com a loja");
    let order = place(1).await.expect(201);
    assert_eq!(place(1).await.refused(409).1, "too_many_unpaid_orders");
    let pay = async |order: &Value| {
        let number = order["orderNumber"].as_str().expect("a number");
        server.test.shop.sandbox().pay(number).await.expect("paid");
    };
    pay(&order).await;
    pay(&place(1).await.expect(201)).await;
    let refused = place(1).await;
    let (text, code) = refused.refused(429);
    assert_eq!(code, "too_many_orders");
    assert_eq!(text, "Muitos pedidos em pouco tempo. Tente novamente em 60 minutos");
    assert_eq!(refused.header("retry-after"), Some("3600"));
}
