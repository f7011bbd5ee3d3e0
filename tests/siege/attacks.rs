//! What a stranger can do with a few thousand connections, each attack bounded in number and time.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::harness::{ATTACKER, Crowd, PROXY, ask, connect, get, post};

/// An attack that goes on until its crowd ends; each thread says how much it did.
pub(crate) type Attack = fn(SocketAddr) -> Crowd<usize>;

pub(crate) const ATTACKS: &[(&str, Attack)] = &[
    ("nobody attacks", |_| Crowd::of(1, |_, _| 0)),
    ("300 pictures, none read", unread_pictures),
    ("4,100 idle connections of one address", idle),
    ("300 heads, a byte a second", slow_heads),
    ("300 bodies, a byte a second", slow_bodies),
    ("one request sent by half", half_sent),
    ("8 connections that log in", |to| log_in(to, 8)),
    ("160 connections that log in", |to| log_in(to, 160)),
    ("16 connections that ask for shipping", quotes),
    ("16 connections with bodies of 4 MB and no key", large_bodies),
    ("log-ins from 100,000 made-up /64s", many_networks),
];

/// Opens connections, sends each the same, and holds them until the end.
fn hold(
    to: SocketAddr,
    from: Ipv4Addr,
    size: usize,
    first: Vec<u8>,
    drip: &'static [u8],
) -> Crowd<usize> {
    Crowd::of(1, move |_, stop| {
        let mut held: Vec<TcpStream> = Vec::new();
        for _ in 0..size {
            let Ok(mut stream) = connect(from, to, true) else { continue };
            if stream.write_all(&first).is_ok() {
                held.push(stream);
            }
        }
        while !stop.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_secs(1));
            held.retain_mut(|stream| drip.is_empty() || stream.write_all(drip).is_ok());
        }
        held.len()
    })
}

fn unread_pictures(to: SocketAddr) -> Crowd<usize> {
    hold(to, PROXY, 300, get("/uploads/vela.jpg"), b"")
}

fn idle(to: SocketAddr) -> Crowd<usize> {
    hold(to, ATTACKER, 4_100, Vec::new(), b"")
}

fn slow_heads(to: SocketAddr) -> Crowd<usize> {
    hold(to, PROXY, 300, b"GET / HTTP/1.1\r\nx: ".to_vec(), b"y")
}

fn slow_bodies(to: SocketAddr) -> Crowd<usize> {
    let head = b"POST /api/auth/login HTTP/1.1\r\nhost: x\r\ncontent-length: 60000\r\n\r\n{";
    hold(to, PROXY, 300, head.to_vec(), b" ")
}

fn half_sent(to: SocketAddr) -> Crowd<usize> {
    hold(to, ATTACKER, 1, b"GET /healthz HTTP/1.1\r\nhost: ".to_vec(), b"")
}

/// Asks again and again, on a connection that is kept as long as it lasts.
fn flood(
    to: SocketAddr,
    size: usize,
    request: impl Fn(usize, usize) -> Vec<u8> + Clone + Send + 'static,
) -> Crowd<usize> {
    Crowd::of(size, move |n, stop| {
        let (mut stream, mut asked) = (None, 0);
        while !stop.load(Ordering::Relaxed) {
            let open = stream.take().or_else(|| connect(PROXY, to, false).ok());
            let Some(mut open) = open else { continue };
            asked += 1;
            if ask(&mut open, &request(n, asked)).is_ok() {
                stream = Some(open);
            }
        }
        asked
    })
}

/// An address that was not used before, as a proxy would tell it.
fn client(thread: usize, request: usize) -> String {
    let [_, a, b, c] = u32::try_from(request % 0x00ff_ffff).unwrap_or_default().to_be_bytes();
    format!(
        "2001:db8:{:x}:{:x}::1",
        thread * 256 + usize::from(a),
        usize::from(b) * 256 + usize::from(c)
    )
}

pub(crate) fn log_in(to: SocketAddr, size: usize) -> Crowd<usize> {
    let body = r#"{"email":"ana@example.com","password":"segredo-123"}"#;
    flood(to, size, move |n, asked| {
        // Another network each time, so that no rate holds it back.
        let network = format!("2001:{n:x}:{asked:x}::1");
        post("/api/auth/login", &network, body)
    })
}

/// Another postal code and value each time, so that no quote is known already.
fn quotes(to: SocketAddr) -> Crowd<usize> {
    flood(to, 16, |n, asked| {
        let cep = 1_000_000 + n * 100_000 + asked % 100_000;
        get(&format!("/api/shipping/calculate?cep={cep:08}&subtotal={asked}"))
    })
}

fn large_bodies(to: SocketAddr) -> Crowd<usize> {
    flood(to, 16, |n, asked| {
        let item = r#"{"sku":"nothing-like-it","quantity":1},"#;
        let body = format!("[{}0]", item.repeat(4 * 1024 * 1024 / item.len()));
        post("/api/webhooks/stock", &client(n, asked), &body)
    })
}

fn many_networks(to: SocketAddr) -> Crowd<usize> {
    flood(to, 8, |n, asked| post("/api/auth/login", &client(n, asked % 12_500), "{}"))
}

/// Readers that take a little now and then.
pub(crate) fn slow_readers(to: SocketAddr, size: usize) -> Crowd<usize> {
    Crowd::of(1, move |_, stop| {
        let open = || {
            let mut stream = connect(PROXY, to, true).ok()?;
            stream.set_read_timeout(Some(Duration::from_millis(1))).ok()?;
            stream.write_all(&get("/uploads/vela.jpg")).ok().map(|()| stream)
        };
        let mut held: Vec<Option<TcpStream>> = (0..size).map(|_| open()).collect();
        let mut cut_off = 0;
        while !stop.load(Ordering::Relaxed) {
            for place in &mut held {
                let read = place.as_mut().map(|stream| stream.read(&mut [0; 512]));
                if !matches!(read, Some(Ok(1..)))
                    && !matches!(&read, Some(Err(error)) if error.kind() == std::io::ErrorKind::WouldBlock)
                {
                    cut_off += 1;
                    *place = open();
                }
            }
            std::thread::sleep(Duration::from_millis(500));
        }
        cut_off
    })
}

pub(crate) fn idlers(to: SocketAddr, size: usize) -> Crowd<usize> {
    hold(to, PROXY, size, Vec::new(), b"")
}
