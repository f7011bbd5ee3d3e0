//! A page that waits for a payment: server-sent events of one order.

use std::time::Duration;

use serde_json::{Value, json};
use shop_server::ServeOptions;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::guest::Store;
use super::{PASSWORD, TestServer};

/// Far longer than an event takes; only a defect waits for it.
const PATIENCE: Duration = Duration::from_secs(60);

/// A stream of events, as a browser reads it.
struct Events {
    head: Vec<String>,
    lines: BufReader<TcpStream>,
}

impl Events {
    async fn open(server: &TestServer, path: &str, session: Option<&str>) -> Self {
        let mut stream = TcpStream::connect(server.address).await.expect("connects");
        let cookie = session.map(|token| format!("Cookie: token={token}\r\n")).unwrap_or_default();
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n{cookie}\r\n", server.address);
        stream.write_all(request.as_bytes()).await.expect("sent");
        let mut events = Self { head: Vec::new(), lines: BufReader::new(stream) };
        loop {
            let line = events.line().await.expect("a head");
            if line.is_empty() {
                return events;
            }
            events.head.push(line.to_lowercase());
        }
    }

    /// The next line; nothing once the stream has ended.
    async fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = timeout(PATIENCE, self.lines.read_line(&mut line)).await.expect("in time");
        (read.unwrap_or(0) > 0).then(|| line.trim_end().to_owned())
    }

    /// The data of the next event; nothing once the stream has ended.
    async fn next(&mut self) -> Option<Value> {
        loop {
            let line = self.line().await?;
            if line == "0" {
                return None;
            }
            if let Some(data) = line.strip_prefix("data: ") {
                return Some(serde_json::from_str(data).expect("JSON"));
            }
        }
    }

    fn status(&self) -> &str {
        &self.head[0]
    }
}

fn state(id: &str, status: &str, method: Value, payment: &str) -> Value {
    json!({ "id": id, "status": status, "payment": { "method": method, "status": payment } })
}

#[tokio::test]
async fn a_page_hears_of_the_payment_by_itself_and_the_stream_ends() {
    let store = Store::open().await;
    let order = store.buy(&store.guest("ana@example.com").await).await;
    let path = format!("/api/orders/{}/events?t={}", order.number, order.token);
    let mut events = Events::open(&store.server, &path, None).await;
    assert_eq!(events.status(), "http/1.1 200 ok");
    for header in
        ["content-type: text/event-stream", "cache-control: no-store", "x-accel-buffering: no"]
    {
        assert!(events.head.iter().any(|line| line == header), "{header}: {:?}", events.head);
    }
    let waiting = state(&order.id, "PENDING", Value::Null, "PENDING");
    assert_eq!(events.next().await, Some(waiting));
    store.server.test.shop.sandbox().pay(&order.number).await.expect("paid");
    let mut told = events.next().await.expect("an event");
    // The code may have been seen before it was paid.
    if told["payment"]["status"] == "PENDING" {
        told = events.next().await.expect("an event");
    }
    assert_eq!(told, state(&order.id, "PROCESSING", json!("PIX"), "PAID"));
    assert_eq!(events.next().await, None);

    let answer = store.server.anonymous().get(&path).await;
    let whole = String::from_utf8(answer.body.to_vec()).expect("text");
    assert!(whole.starts_with("event: order\ndata: {"), "{whole}");
    assert_eq!(whole.matches("data: ").count(), 1, "told once, and over: {whole}");
}

#[tokio::test]
async fn a_payment_that_another_server_books_is_heard_of() {
    let store = Store::open().await;
    let ana = store.guest("ana@example.com").await;
    let order = store.buy(&ana).await;
    let path = format!("/api/orders/{}/events", order.id);
    let mut events = Events::open(&store.server, &path, ana.token().as_deref()).await;
    assert_eq!(events.next().await.expect("an event")["status"], "PENDING");
    let other = store.server.test.open_again().await;
    other.sandbox().pay(&order.number).await.expect("paid");
    let mut last = Value::Null;
    while let Some(told) = events.next().await {
        last = told;
    }
    assert_eq!(last["payment"]["status"], "PAID");
}

#[tokio::test]
async fn only_the_orders_customer_follows_it() {
    let store = Store::open().await;
    let order = store.buy(&store.guest("ana@example.com").await).await;
    let bia = store.guest("bia@example.com").await;
    let theirs = store.buy(&bia).await;
    let path = format!("/api/orders/{}/events", order.id);
    let anonymous = store.server.anonymous();
    assert_eq!(anonymous.get(&path).await.refused(401).1, "unauthenticated");
    assert_eq!(anonymous.get(&format!("{path}?t=x")).await.refused(401).1, "invalid_order_link");
    assert_eq!(bia.get(&path).await.refused(404).1, "order_not_found");
    let foreign = anonymous.get(&format!("{path}?t={}", theirs.token)).await;
    assert_eq!(foreign.refused(404).1, "order_not_found");
}

#[tokio::test]
async fn one_address_has_ten_streams_and_those_that_end_make_room() {
    let store = Store::open().await;
    let order = store.buy(&store.guest("ana@example.com").await).await;
    let path = format!("/api/orders/{}/events?t={}", order.number, order.token);
    let mut streams = Vec::new();
    for _ in 0..10 {
        let mut events = Events::open(&store.server, &path, None).await;
        assert!(events.next().await.is_some());
        streams.push(events);
    }
    let refused = store.server.anonymous().get(&path).await;
    assert_eq!(refused.refused(503).1, "busy");
    assert_eq!(refused.header("retry-after"), Some("10"));
    streams.clear();
    let reopened = async {
        while Events::open(&store.server, &path, None).await.status() != "http/1.1 200 ok" {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(PATIENCE, reopened).await.expect("a place");
}

#[tokio::test]
async fn a_stream_ends_after_an_hour_and_with_the_server() {
    let store = Store::open().await;
    let order = store.buy(&store.guest("ana@example.com").await).await;
    let path = format!("/api/orders/{}/events?t={}", order.number, order.token);
    let mut events = Events::open(&store.server, &path, None).await;
    assert!(events.next().await.is_some());
    store.server.test.advance_hours(1);
    assert_eq!(events.next().await, None);

    let mut events = Events::open(&store.server, &path, None).await;
    assert!(events.next().await.is_some());
    let patient = ServeOptions::default().drain_timeout;
    let Store { server, .. } = store;
    let stopped = tokio::time::Instant::now();
    timeout(PATIENCE, server.stop()).await.expect("stops");
    assert!(stopped.elapsed() < patient, "it waited for the stream");
    assert_eq!(events.next().await, None);
}

#[tokio::test]
async fn a_stream_ends_with_the_account_and_with_the_session() {
    let server = TestServer::start().await;
    let ana = server.customer("ana").await;
    let vela = server.test.product("vela", 10, 4990).await;
    let order = server.test.buy(ana.buyer(), &vela, 1).await.expect("placed");
    let path = format!("/api/orders/{}/events", order.id);
    let mut events = Events::open(&server, &path, ana.token().as_deref()).await;
    assert_eq!(events.next().await.expect("at once")["status"], "PENDING");
    let password = json!({ "currentPassword": PASSWORD, "newPassword": "outra-senha-123" });
    ana.patch("/api/auth/me/password", &password).await.expect(200);
    assert_eq!(events.next().await, None);

    let mut events = Events::open(&server, &path, ana.token().as_deref()).await;
    assert_eq!(events.next().await.expect("at once")["status"], "PENDING");
    let path = format!("/api/admin/customers/{}/status", ana.buyer().id);
    server.admin().await.patch(&path, &json!({ "active": false })).await.expect(200);
    assert_eq!(events.next().await, None);
}
