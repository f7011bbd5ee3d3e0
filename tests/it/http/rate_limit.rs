//! How often a client may try (section "Limits").

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
    assert_eq!(text, "Muitas tentativas. Tente novamente em 1 minutos.");
    server.test.clock.advance(Duration::from_secs(1));
    log_in(&anonymous, PASSWORD).await.expect(200);
    log_in(&anonymous, PASSWORD).await.refused(429);
}

#[tokio::test]
async fn the_sixth_registration_of_an_hour_is_refused() {
    let server = TestServer::start().await;
    let anonymous = server.anonymous();
    let register =
        |n: u32| json!({ "name": "x", "email": format!("{n}@x.co"), "password": PASSWORD });
    for n in 0..4 {
        anonymous.post("/api/auth/register", &register(n)).await.expect(201);
    }
    anonymous.post("/api/auth/register", &Value::Null).await.refused(400);
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
async fn nobody_escapes_the_limit_by_naming_other_addresses() {
    let server = TestServer::start().await;
    assert_eq!(tries_until_refused(&server, |n| format!("198.51.100.{n}")).await, 10);
}

#[tokio::test]
async fn clients_of_a_trusted_proxy_are_told_apart_by_what_it_says() {
    let trust = |config: &mut shop_core::Config| {
        config.trusted_proxies = vec!["127.0.0.0/8".parse().expect("a network")];
    };
    let server = TestServer::start_with(trust, ServeOptions::default()).await;
    assert_eq!(tries_until_refused(&server, |n| format!("198.51.100.{n}")).await, 25);
    let spoofed = |n: usize| format!("192.0.2.{n}, 203.0.113.7");
    assert_eq!(tries_until_refused(&server, spoofed).await, 10);
}
