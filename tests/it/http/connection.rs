//! Connections: kept, cut off, and let end.

use std::time::Duration;

use serde_json::json;
use shop_core::actor::Actor;
use shop_core::api_key::Scope;
use shop_server::ServeOptions;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::TestServer;

/// A connection on which bytes are sent as they are.
struct Wire(TcpStream);

impl Wire {
    async fn open(server: &TestServer) -> Self {
        Self(TcpStream::connect(server.address).await.expect("connects"))
    }

    async fn send(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).await.expect("sends");
    }

    /// One answer, whose body ends as its `Content-Length` says.
    async fn answer(&mut self) -> String {
        let mut read = Vec::new();
        while !is_whole(&read) {
            read.push(self.0.read_u8().await.expect("an answer"));
        }
        String::from_utf8(read).expect("text")
    }

    /// All that comes until the server closes.
    async fn rest(mut self) -> String {
        let mut rest = Vec::new();
        self.0.read_to_end(&mut rest).await.expect("closes");
        String::from_utf8(rest).expect("text")
    }
}

fn is_whole(answer: &[u8]) -> bool {
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n");
    let Some((head, body)) = end.map(|end| answer.split_at(end + 4)) else { return false };
    let head = String::from_utf8_lossy(head);
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    body.len() >= length.map_or(0, |length| length.parse().expect("a number"))
}

#[tokio::test]
async fn it_must_be_clear_which_host_a_request_is_for() {
    let server = TestServer::start().await;
    for (head, status) in [
        ("GET /healthz HTTP/1.1\r\n", 400),
        ("GET /healthz HTTP/1.1\r\nhost: a\r\nhost: b\r\n", 400),
        ("GET /api/categories HTTP/1.1\r\nhost: a\r\nHost: a\r\n", 400),
        ("GET /healthz HTTP/1.0\r\nhost: a\r\nhost: b\r\n", 400),
        ("GET /healthz HTTP/1.1\r\nhost: a\r\n", 200),
        ("GET /healthz HTTP/1.0\r\n", 200),
    ] {
        let mut wire = Wire::open(&server).await;
        wire.send(&format!("{head}connection: close\r\n\r\n")).await;
        let answer = wire.rest().await;
        assert_eq!(answer.split(' ').nth(1), Some(status.to_string().as_str()), "{head}: {answer}");
        assert_eq!(answer.contains("invalid_host"), status == 400, "{answer}");
    }
}

const HEALTH: &str = "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";

#[tokio::test]
async fn a_connection_is_kept_for_many_requests() {
    let server = TestServer::start().await;
    let mut wire = Wire::open(&server).await;
    for _ in 0..20 {
        wire.send(HEALTH).await;
        assert!(wire.answer().await.starts_with("HTTP/1.1 200 OK"));
    }
    wire.send(&format!("{HEALTH}{HEALTH}")).await;
    assert!(wire.answer().await.starts_with("HTTP/1.1 200 OK"));
    assert!(wire.answer().await.starts_with("HTTP/1.1 200 OK"));
}

#[tokio::test]
async fn a_refused_request_leaves_its_connection_usable() {
    let server = TestServer::start().await;
    let mut wire = Wire::open(&server).await;
    for request in [
        "GET /api/nothing HTTP/1.1\r\nhost: x\r\n\r\n",
        "POST /api/auth/login HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\n\r\n{",
        "DELETE /api/user/addresses/x HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}",
    ] {
        wire.send(request).await;
        assert!(wire.answer().await.starts_with("HTTP/1.1 4"), "{request}");
    }
    wire.send(HEALTH).await;
    assert!(wire.answer().await.starts_with("HTTP/1.1 200 OK"));
}

#[tokio::test]
async fn a_connection_is_usable_after_an_answer_that_needed_no_body() {
    let server = TestServer::start().await;
    let mut wire = Wire::open(&server).await;
    for request in
        ["POST /api/orders", "POST /api/nothing", "DELETE /api/cart", "GET /api/products"]
    {
        wire.send(&format!("{request} HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n")).await;
        // As many clients do, the body is sent after the head; the answer could be there before it.
        tokio::time::sleep(Duration::from_millis(20)).await;
        wire.send("{}").await;
        let answer = wire.answer().await;
        assert!(!answer.contains("connection: close"), "{request}: {answer}");
        wire.send(HEALTH).await;
        assert!(wire.answer().await.starts_with("HTTP/1.1 200 OK"), "{request}");
    }
}

#[tokio::test]
async fn a_connection_that_ends_after_an_answer_is_said_to() {
    let server = TestServer::start().await;
    let orders = "POST /api/orders HTTP/1.1\r\nhost: x\r\n";
    for rest in [
        "content-length: 2\r\n\r\n",
        "content-length: 2\r\nexpect: 100-continue\r\n\r\n",
        "content-length: 9999999\r\n\r\n{",
        "transfer-encoding: chunked\r\n\r\n1\r\n{\r\n",
    ] {
        let mut wire = Wire::open(&server).await;
        wire.send(&format!("{orders}{rest}")).await;
        let answer = wire.rest().await;
        assert!(answer.starts_with("HTTP/1.1 401"), "{rest}: {answer}");
        assert!(answer.contains("connection: close"), "{rest}: {answer}");
    }
}

const LOGIN: &str = "POST /api/auth/login HTTP/1.1\r\nhost: x\r\n";

#[tokio::test]
async fn a_chunked_body_cannot_be_larger_than_any_other() {
    let server = TestServer::start().await;
    let mut wire = Wire::open(&server).await;
    wire.send(&format!("{LOGIN}transfer-encoding: chunked\r\n\r\n")).await;
    let chunk = "x".repeat(0x4000);
    for _ in 0..8 {
        wire.send(&format!("4000\r\n{chunk}\r\n")).await;
    }
    wire.send("0\r\n\r\n").await;
    assert!(wire.rest().await.starts_with("HTTP/1.1 413"));
}

#[tokio::test]
async fn who_sends_a_file_too_large_to_its_end_reads_the_refusal() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let mut wire = Wire::open(&server).await;
    let (token, size) = (admin.token().expect("a session"), 6_000_000);
    wire.send(&format!(
        "POST /api/admin/upload HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\n\
         content-type: multipart/form-data; boundary=b\r\ncontent-length: {size}\r\n\r\n"
    ))
    .await;
    wire.send(&"x".repeat(size)).await;
    assert!(wire.rest().await.starts_with("HTTP/1.1 413"));
}

#[tokio::test]
async fn a_body_that_says_it_is_too_large_is_refused_though_it_never_comes() {
    let server = TestServer::start().await;
    let mut wire = Wire::open(&server).await;
    wire.send(&format!("{LOGIN}content-length: 100000000\r\n\r\nx")).await;
    let answer = wire.rest().await;
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
}

#[tokio::test]
async fn a_body_that_does_not_come_is_not_waited_for() {
    let options =
        ServeOptions { body_timeout: Duration::from_millis(50), ..ServeOptions::default() };
    let server = TestServer::start_with(|_| {}, options).await;
    let mut wire = Wire::open(&server).await;
    wire.send(&format!("{LOGIN}content-length: 10\r\n\r\n{{")).await;
    let answer = wire.rest().await;
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    assert!(answer.contains("\"request_timeout\""), "{answer}");
}

#[tokio::test]
async fn who_is_logged_out_while_a_body_comes_changes_nothing() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let key = server.test.key(&[Scope::ProductsWrite]).await;
    let vela = server.test.product("vela", 9, 1000).await;
    let body = r#"{"price":1}"#;
    let held = async |path: &str, with: String| {
        let mut wire = Wire::open(&server).await;
        let length = body.len();
        wire.send(&format!(
            "PATCH {path}/{vela} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {with}\r\n\
             content-type: application/json\r\nexpect: 100-continue\r\n\
             content-length: {length}\r\n\r\n"
        ))
        .await;
        // It knows the caller, and waits for the body.
        assert!(wire.answer().await.starts_with("HTTP/1.1 100"));
        wire
    };
    let token = admin.token().expect("a token");
    let mut wires = vec![
        held("/api/admin/products", token).await,
        held("/api/v1/products", key.raw.reveal().to_owned()).await,
    ];
    admin.post("/api/auth/logout", &json!({})).await.expect(200);
    server.test.shop.api_keys().revoke(&Actor::System, &key.key.id).await.expect("revoked");
    // Who was identified within the last second is not asked for again.
    tokio::time::sleep(Duration::from_millis(1100)).await;
    for wire in &mut wires {
        wire.send(body).await;
        let answer = wire.answer().await;
        assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
    }
    assert_eq!(server.test.count("SELECT price FROM product WHERE slug = 'vela'"), 1000);
}

#[tokio::test]
async fn a_slow_body_is_one_attempt_to_pay_by_card_and_not_two() {
    let adapt = |config: &mut shop_core::Config| {
        config.payments.card_refusals_per_hour = 1.try_into().expect("a limit");
    };
    let server = TestServer::start_with(adapt, ServeOptions::default()).await;
    let token = server.customer("ana").await.token().expect("a token");
    let mut wire = Wire::open(&server).await;
    wire.send(&format!(
        "POST /api/payments/provider1/card HTTP/1.1\r\nhost: x\r\n\
         authorization: Bearer {token}\r\ncontent-type: application/json\r\n\
         expect: 100-continue\r\ncontent-length: 2\r\n\r\n"
    ))
    .await;
    assert!(wire.answer().await.starts_with("HTTP/1.1 100"));
    // Longer than a caller stays identified.
    tokio::time::sleep(Duration::from_millis(1100)).await;
    wire.send("{}").await;
    let answer = wire.answer().await;
    assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("orderId"), "{answer}");
}

#[tokio::test]
async fn a_head_that_does_not_come_is_not_waited_for() {
    let options =
        ServeOptions { header_timeout: Duration::from_millis(50), ..ServeOptions::default() };
    let server = TestServer::start_with(|_| {}, options).await;
    let mut wire = Wire::open(&server).await;
    wire.send("GET /healthz HTTP/1.1\r\nhost").await;
    assert!(!wire.rest().await.starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn who_asks_before_sending_a_body_is_told_to_go_on_or_why_not() {
    let server = TestServer::start().await;
    let mut wire = Wire::open(&server).await;
    wire.send(&format!("{LOGIN}expect: 100-continue\r\ncontent-length: 2\r\n\r\n")).await;
    assert!(wire.answer().await.starts_with("HTTP/1.1 100"));
    wire.send("{}").await;
    assert!(wire.answer().await.starts_with("HTTP/1.1 400"));
    wire.send(&format!("{LOGIN}expect: 100-continue\r\ncontent-length: 9999999\r\n\r\n")).await;
    assert!(wire.answer().await.starts_with("HTTP/1.1 413"));
}

#[tokio::test]
async fn a_stopped_server_finishes_what_is_in_flight_and_takes_nothing_new() {
    let server = TestServer::start().await;
    let address = server.address;
    let mut idle = Wire::open(&server).await;
    idle.send(HEALTH).await;
    idle.answer().await;
    let mut busy = Wire::open(&server).await;
    let body = json!({ "email": "a@b.co", "password": "x" }).to_string();
    let (first, second) = body.split_at(5);
    let length = body.len();
    busy.send(&format!("{LOGIN}expect: 100-continue\r\ncontent-length: {length}\r\n\r\n")).await;
    // Its head was read, so it is in flight.
    assert!(busy.answer().await.starts_with("HTTP/1.1 100"));
    busy.send(first).await;
    let stopped = tokio::spawn(server.stop());
    assert_eq!(idle.rest().await, "", "an idle connection ends at once");
    while TcpStream::connect(address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    busy.send(second).await;
    let answer = busy.rest().await;
    assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
    stopped.await.expect("stops");
}

#[tokio::test]
async fn a_stopped_server_does_not_wait_for_ever() {
    let options =
        ServeOptions { drain_timeout: Duration::from_millis(50), ..ServeOptions::default() };
    let server = TestServer::start_with(|_| {}, options).await;
    let mut busy = Wire::open(&server).await;
    busy.send(&format!("{LOGIN}expect: 100-continue\r\ncontent-length: 5\r\n\r\n")).await;
    busy.answer().await;
    server.stop().await;
}
