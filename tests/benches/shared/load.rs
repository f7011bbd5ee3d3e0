//! A load generator: so many connections that each send one request after the other.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::server::Server;

/// What a round measured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Round {
    pub(crate) per_second: f64,
    pub(crate) p50: Duration,
    pub(crate) p99: Duration,
    /// The server's own user and system time a request.
    pub(crate) cpu: Duration,
    /// Answers other than 2xx.
    pub(crate) refused: usize,
}

/// The bytes of a request.
pub(crate) fn get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").into_bytes()
}

/// Makes the bytes of the n-th request.
pub(crate) type Request = Arc<dyn Fn(usize) -> Vec<u8> + Send + Sync>;

/// So many clients of servers, spread evenly.
pub(crate) async fn round(
    servers: &[&Server],
    clients: usize,
    length: Duration,
    request: &Request,
) -> Round {
    let stop = Arc::new(AtomicBool::new(false));
    let spent = || servers.iter().map(|server| server.cpu()).sum::<Duration>();
    let cpu_before = spent();
    let start = Instant::now();
    let work = join_all((0..clients).map(|client| {
        let port = servers[client % servers.len()].port;
        tokio::spawn(one_client(port, client, clients, Arc::clone(&stop), Arc::clone(request)))
    }));
    let timer = async {
        tokio::time::sleep(length).await;
        stop.store(true, Ordering::Relaxed);
    };
    let (answers, ()) = tokio::join!(work, timer);
    let elapsed = start.elapsed();
    let cpu = spent().saturating_sub(cpu_before);
    let mut latencies = Vec::new();
    let mut refused = 0;
    for (mine, bad) in answers.into_iter().map(|answer| answer.expect("a client")) {
        latencies.extend(mine);
        refused += bad;
    }
    latencies.sort_unstable();
    let n = latencies.len().max(1);
    let at = |percent: usize| latencies.get(n * percent / 100).copied().unwrap_or_default();
    Round {
        per_second: latencies.len() as f64 / elapsed.as_secs_f64(),
        p50: at(50),
        p99: at(99),
        cpu: cpu / u32::try_from(n).expect("a count"),
        refused,
    }
}

async fn one_client(
    port: u16,
    client: usize,
    clients: usize,
    stop: Arc<AtomicBool>,
    request: Request,
) -> (Vec<Duration>, usize) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.expect("connects");
    stream.set_nodelay(true).expect("an option");
    let mut buffer = vec![0; 64 * 1024];
    let (mut latencies, mut refused, mut n) = (Vec::with_capacity(100_000), 0, client);
    while !stop.load(Ordering::Relaxed) {
        let start = Instant::now();
        stream.write_all(&request(n)).await.expect("sends");
        let status = answer(&mut stream, &mut buffer).await.0;
        latencies.push(start.elapsed());
        refused += usize::from(!(200..300).contains(&status));
        n += clients;
    }
    (latencies, refused)
}

/// One request on a connection of its own: status and body.
pub(crate) async fn once(port: u16, request: &[u8]) -> (u16, Vec<u8>) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.expect("connects");
    stream.write_all(request).await.expect("sends");
    let mut buffer = vec![0; 64 * 1024];
    let (status, body) = answer(&mut stream, &mut buffer).await;
    (status, buffer[body].to_vec())
}

/// Reads one answer into the buffer: its status, and where its body lies.
async fn answer(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> (u16, std::ops::Range<usize>) {
    let mut filled = 0;
    loop {
        if filled == buffer.len() {
            buffer.resize(filled * 2, 0);
        }
        let read = stream.read(&mut buffer[filled..]).await.expect("reads");
        assert!(read > 0, "the server closed the connection");
        filled += read;
        let Some(head) = buffer[..filled].windows(4).position(|bytes| bytes == b"\r\n\r\n") else {
            continue;
        };
        let text = std::str::from_utf8(&buffer[..head]).expect("an ASCII head");
        let end = head + 4 + content_length(text);
        if filled >= end {
            let status = text.get(9..12).and_then(|s| s.parse().ok()).expect("a status");
            return (status, head + 4..end);
        }
    }
}

fn content_length(head: &str) -> usize {
    head.lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .and_then(|(_, value)| value.trim().parse().ok())
        .unwrap_or(0)
}
