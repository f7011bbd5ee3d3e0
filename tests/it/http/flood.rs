//! What one client cannot take from the others: places, memory and time.

use std::time::Duration;

use shop_server::ServeOptions;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use super::TestServer;

const HEALTH: &str = "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";
const PRODUCTS: &str = "GET /api/products HTTP/1.1\r\nhost: x\r\n\r\n";
/// How long is waited for what must come: far longer than it takes.
const PATIENCE: Duration = Duration::from_secs(60);
/// What a server never waits for in these tests.
const LONG: Duration = Duration::from_secs(3600);

/// A connection from one of this machine's own addresses, which takes little before it is read.
async fn from(server: &TestServer, address: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(4096).expect("set");
    socket.bind(format!("{address}:0").parse().expect("an address")).expect("bound");
    socket.connect(server.address).await.expect("connects")
}

/// What comes until the server closes, however it closes.
async fn rest(mut stream: TcpStream) -> String {
    let mut read = Vec::new();
    let closed = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut read)).await;
    // A reset is an end too.
    drop(closed.expect("closed"));
    String::from_utf8_lossy(&read).into_owned()
}

async fn first(stream: &mut TcpStream, request: &str) -> String {
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut read = vec![0; 16 * 1024];
    let length = stream.read(&mut read).await.expect("an answer");
    String::from_utf8_lossy(&read[..length]).into_owned()
}

async fn metric(server: &TestServer, name: &str) -> u64 {
    let answer = server.anonymous().get("/metrics").await;
    let text = String::from_utf8(answer.body.to_vec()).expect("text");
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
    line.expect("the metric")
}

/// Waits until only the connection that asks is open.
async fn until_all_are_gone(server: &TestServer) {
    let gone = async {
        while metric(server, "shop_http_connections ").await > 1 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, gone).await.expect("they are closed");
}

#[tokio::test]
async fn a_full_server_says_so_and_answers_for_its_health() {
    let options = ServeOptions { max_connections: 2, ..ServeOptions::default() };
    let server = TestServer::start_with(|_| {}, options).await;
    let mut held = vec![];
    for _ in 0..2 {
        let mut stream = from(&server, "127.0.0.1").await;
        assert!(first(&mut stream, HEALTH).await.starts_with("HTTP/1.1 200"));
        held.push(stream);
    }
    let mut refused = from(&server, "127.0.0.1").await;
    let answer = first(&mut refused, PRODUCTS).await;
    assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
    assert!(answer.contains("retry-after: ") && answer.contains("connection: close"), "{answer}");
    let mut probe = from(&server, "127.0.0.1").await;
    let answer = first(&mut probe, HEALTH).await;
    assert!(
        answer.starts_with("HTTP/1.1 200") && answer.contains(r#"{"status":"ok"}"#),
        "{answer}"
    );
    assert_eq!(rest(probe).await, "", "it is not kept");
    drop(held);
    let again = async {
        while !first(&mut from(&server, "127.0.0.1").await, PRODUCTS).await.contains(" 200 ") {}
    };
    tokio::time::timeout(PATIENCE, again).await.expect("there is a place again");
    assert!(metric(&server, "shop_http_connections_refused_total ").await >= 2);
}

#[tokio::test]
async fn one_address_does_not_take_all_places() {
    let options = ServeOptions {
        max_connections: 8,
        max_connections_per_address: 3,
        header_timeout: LONG,
        ..ServeOptions::default()
    };
    let server = TestServer::start_with(|_| {}, options).await;
    let mut idle = vec![];
    for _ in 0..12 {
        idle.push(from(&server, "127.0.0.2").await);
    }
    let mut other = from(&server, "127.0.0.1").await;
    assert!(first(&mut other, PRODUCTS).await.starts_with("HTTP/1.1 200"));
    let refused =
        async { while metric(&server, "shop_http_connections_refused_total ").await < 9 {} };
    tokio::time::timeout(PATIENCE, refused).await.expect("three of twelve have a place");
    // With the other address's and the one that asks.
    assert!(metric(&server, "shop_http_connections ").await <= 3 + 2);
    drop(idle);
}

#[tokio::test]
async fn a_trusted_proxy_has_as_many_connections_as_there_are() {
    let options = ServeOptions {
        max_connections_per_address: 1,
        trusted_proxies: vec!["127.0.0.0/8".parse().expect("a network")],
        ..ServeOptions::default()
    };
    let server = TestServer::start_with(|_| {}, options).await;
    let mut held = vec![];
    for _ in 0..5 {
        let mut stream = from(&server, "127.0.0.1").await;
        assert!(first(&mut stream, PRODUCTS).await.starts_with("HTTP/1.1 200"));
        held.push(stream);
    }
}

/// A server with a page of many megabytes, whose clients may stall for a moment only.
async fn with_large_page() -> (TestServer, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let page = std::fs::File::create(folder.path().join("large.bin")).expect("a file");
    page.set_len(64 * 1024 * 1024).expect("its length");
    let options = ServeOptions {
        stall_timeout: Duration::from_millis(300),
        pages_dir: Some(folder.path().to_owned()),
        ..ServeOptions::default()
    };
    (TestServer::start_with(|_| {}, options).await, folder)
}

const LARGE: &str = "GET /large.bin HTTP/1.1\r\nhost: x\r\n\r\n";

#[tokio::test]
async fn a_client_that_takes_nothing_is_cut_off() {
    let (server, _folder) = with_large_page().await;
    let mut stream = from(&server, "127.0.0.1").await;
    stream.write_all(LARGE.as_bytes()).await.expect("sent");
    until_all_are_gone(&server).await;
    assert!(rest(stream).await.len() < 64 * 1024 * 1024);
}

#[tokio::test]
async fn a_client_that_takes_a_byte_now_and_then_is_cut_off_too() {
    let (server, _folder) = with_large_page().await;
    let mut stream = from(&server, "127.0.0.1").await;
    stream.write_all(LARGE.as_bytes()).await.expect("sent");
    let trickle = async {
        while stream.read_u8().await.is_ok() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::select! {
        () = until_all_are_gone(&server) => {}
        () = trickle => {}
    }
}

#[tokio::test]
async fn a_large_file_comes_whole_and_with_its_length_and_tag() {
    let (server, _folder) = with_large_page().await;
    let answer = server.anonymous().get("/large.bin").await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-length"), Some("67108864"));
    assert_eq!(answer.body.len(), 64 * 1024 * 1024);
    let tag = answer.header("etag").expect("a tag").to_owned();
    let headers = [("if-none-match", tag.as_str())];
    let again = server.anonymous().send(hyper::Method::GET, "/large.bin", &headers, "").await;
    assert_eq!((again.status.as_u16(), again.body.len()), (304, 0));
}

#[tokio::test]
async fn bodies_together_take_no_more_memory_than_their_budget() {
    let options = ServeOptions { body_memory: 64 * 1024, ..ServeOptions::default() };
    let server = TestServer::start_with(|_| {}, options).await;
    let head = "POST /api/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
                connection: close\r\ncontent-length: 60000\r\n\r\n";
    let mut held = from(&server, "127.0.0.1").await;
    held.write_all(format!("{head}{}", " ".repeat(50_000)).as_bytes()).await.expect("sent");
    let status = async || {
        // More than ten log-ins are refused in a quarter of an hour.
        server.test.advance_hours(1);
        let mut other = from(&server, "127.0.0.1").await;
        other.write_all(format!("{head}{}", " ".repeat(60_000)).as_bytes()).await.expect("sent");
        rest(other).await.get(9..12).map(str::to_owned)
    };
    let crowded = async { while status().await.as_deref() != Some("503") {} };
    tokio::time::timeout(PATIENCE, crowded).await.expect("refused while the first one is held");
    drop(held);
    let free = async { while status().await.as_deref() != Some("400") {} };
    tokio::time::timeout(PATIENCE, free).await.expect("taken when it is gone");
}

#[tokio::test]
async fn what_is_no_http_holds_no_place() {
    let server = TestServer::start().await;
    let many = "x: y\r\n".repeat(500);
    let long = "y".repeat(100_000);
    let hello: Vec<u8> = [&[0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3][..], &[7; 500]].concat();
    for (what, bytes, status) in [
        ("HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(), ""),
        ("TLS", hello, "400"),
        ("500 headers", format!("GET / HTTP/1.1\r\n{many}\r\n").into_bytes(), "431"),
        ("a long header", format!("GET / HTTP/1.1\r\nx: {long}\r\n\r\n").into_bytes(), "431"),
        ("a long path", format!("GET /{long} HTTP/1.1\r\n\r\n").into_bytes(), "4"),
        ("no version", b"GET /\r\n\r\n".to_vec(), "400"),
        (
            "two lengths",
            b"POST / HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx".to_vec(),
            "400",
        ),
    ] {
        let mut stream = from(&server, "127.0.0.1").await;
        // The server may close before all of it is sent.
        drop(stream.write_all(&bytes).await);
        let answer = rest(stream).await;
        assert!(
            answer.is_empty() || answer.get(9..).is_some_and(|it| it.starts_with(status)),
            "{what}: {answer}"
        );
    }
    until_all_are_gone(&server).await;
}

#[tokio::test]
async fn a_head_has_32_kib_at_most_however_its_bytes_arrive() {
    let server = TestServer::start().await;
    let around = "GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx: \r\n\r\n".len();
    for (bytes, status) in [
        (32 << 10, "200"),
        ((32 << 10) + 1, "431"),
        (40_000, "431"),
        (56_000, "431"),
        (90_000, "431"),
    ] {
        let value = "y".repeat(bytes - around);
        let head =
            format!("GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx: {value}\r\n\r\n");
        for piece in [head.len(), 30_000] {
            let mut stream = from(&server, "127.0.0.1").await;
            for part in head.as_bytes().chunks(piece) {
                // The server may close before all of it is sent.
                drop(stream.write_all(part).await);
                tokio::task::yield_now().await;
            }
            let answer = rest(stream).await;
            let told = answer.get(9..12);
            assert!(told == Some(status) || told.is_none() && bytes > 60_000, "{bytes}: {answer}");
        }
    }
}

#[tokio::test]
async fn requests_in_a_row_are_answered_in_their_order() {
    let server = TestServer::start().await;
    let mut stream = from(&server, "127.0.0.1").await;
    let last = "GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    let requests = format!("{}{last}", format!("{PRODUCTS}{HEALTH}").repeat(100));
    let (mut read, mut write) = stream.split();
    let mut answers = Vec::new();
    let (sent, received) =
        tokio::join!(write.write_all(requests.as_bytes()), read.read_to_end(&mut answers));
    sent.expect("sent");
    received.expect("closed");
    let text = String::from_utf8(answers).expect("text");
    assert_eq!(text.matches("HTTP/1.1 200 OK").count(), 201);
    assert!(text.ends_with(r#"{"status":"ok"}"#));
}

#[tokio::test]
async fn a_server_that_stops_does_not_wait_for_half_a_request() {
    let options = ServeOptions {
        header_timeout: LONG,
        body_timeout: LONG,
        drain_timeout: LONG,
        ..ServeOptions::default()
    };
    let server = TestServer::start_with(|_| {}, options).await;
    let mut head = from(&server, "127.0.0.1").await;
    head.write_all(b"GET /healthz HTTP/1.1\r\nhost").await.expect("sent");
    let mut body = from(&server, "127.0.0.1").await;
    let request = "POST /api/auth/login HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\
                   expect: 100-continue\r\n\r\n";
    assert!(first(&mut body, request).await.starts_with("HTTP/1.1 100"));
    body.write_all(b"{").await.expect("sent");
    let silent = from(&server, "127.0.0.1").await;
    tokio::time::timeout(PATIENCE, server.stop()).await.expect("it stops");
    for stream in [head, body, silent] {
        assert_eq!(rest(stream).await, "");
    }
}

#[tokio::test]
async fn a_server_that_stops_does_not_wait_for_an_answer_that_is_not_taken() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = std::fs::File::create(folder.path().join("large.bin")).expect("a file");
    page.set_len(64 * 1024 * 1024).expect("its length");
    let options = ServeOptions {
        stall_timeout: LONG,
        drain_timeout: LONG,
        pages_dir: Some(folder.path().to_owned()),
        ..ServeOptions::default()
    };
    let server = TestServer::start_with(|_| {}, options).await;
    let mut unread = from(&server, "127.0.0.1").await;
    assert!(first(&mut unread, LARGE).await.starts_with("HTTP/1.1 200"));
    tokio::time::timeout(PATIENCE, server.stop()).await.expect("it stops");
}
