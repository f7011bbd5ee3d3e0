//! Connections are shared or not, and a guarded client stays outside.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::*;

/// A server that keeps its connections open, and counts them.
async fn server(connections: Arc<AtomicUsize>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            connections.fetch_add(1, Ordering::Relaxed);
            tokio::spawn(answer(stream));
        }
    });
    url
}

async fn answer(mut stream: TcpStream) {
    let mut request = [0; 4096];
    while stream.read(&mut request).await.is_ok_and(|read| read > 0) {
        let sent = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").await;
        sent.expect("sent");
    }
}

async fn connections_of_three_calls(options: HttpOptions) -> usize {
    let connections = Arc::default();
    let url = server(Arc::clone(&connections)).await;
    let http = Http::new("test", Duration::from_secs(10), options).expect("a client");
    for _ in 0..3 {
        let call = Call::get(&url, "/").expect("a call");
        assert_eq!(http.send(call).await.expect("an answer").body, "ok");
        // The connection is handed back by a task of its own.
        tokio::task::yield_now().await;
    }
    connections.load(Ordering::Relaxed)
}

#[tokio::test]
async fn calls_share_a_connection_unless_each_must_have_its_own() {
    assert_eq!(connections_of_three_calls(HttpOptions::default()).await, 1);
    let options = HttpOptions { one_request_per_connection: true, ..HttpOptions::default() };
    assert_eq!(connections_of_three_calls(options).await, 3);
}

#[tokio::test]
async fn a_guarded_client_reaches_this_machine_by_no_name_and_no_address() {
    let options = HttpOptions { public_only: true, ..HttpOptions::default() };
    let http = Http::new("test", Duration::from_secs(10), options).expect("a client");
    for host in ["127.0.0.1", "[::1]", "localhost", "0x7f.1", "2130706433", "[::ffff:10.0.0.1]"] {
        let call = Call::get(&format!("http://{host}:9"), "/").expect("a call");
        let refused = http.send(call).await.expect_err("refused");
        assert!(matches!(refused, HttpError::NotPublic), "{host}: {refused}");
    }
}
