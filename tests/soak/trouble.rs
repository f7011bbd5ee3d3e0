//! What goes wrong around a server: clients that go away, dawdle or talk nonsense, a receiver of
//! webhooks that fails, a disk that is full.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;

use super::crowd::Crowd;
use super::minute::{Ended, Met};
use super::server::Disk;
use super::shop::{Shop, succeed};
use super::wire::{Request, attacker, connect};

/// Between two troubles.
const PAUSE: Duration = Duration::from_millis(200);
/// How long the disk is full, and how often.
const FULL: Duration = Duration::from_secs(2);
const TROUBLES_A_FULL_DISK: usize = 300;

/// Makes trouble until it is told to end.
pub(crate) fn start(shop: &Shop, met: &Arc<Met>) -> Crowd<()> {
    let (to, disk, met) = (shop.address(), shop.server.disk(), Arc::clone(met));
    subscribe(shop, receive());
    Crowd::of(1, move |_, stop| {
        let mut held = Vec::new();
        for round in 1.. {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            if round % TROUBLES_A_FULL_DISK == 0 {
                fill(disk, stop);
            } else if let Ok(stream) = connect(attacker(round % 200), to, round % 5 == 4) {
                trouble(stream, round, &mut held);
            }
            met.note(Ended::Fault);
            std::thread::sleep(PAUSE);
        }
    })
}

fn fill(disk: Disk, stop: &AtomicBool) {
    disk.set_full(true);
    if !stop.load(Ordering::Relaxed) {
        std::thread::sleep(FULL);
    }
    disk.set_full(false);
}

/// One of five; some connections stay open for a while.
fn trouble(mut stream: TcpStream, round: usize, held: &mut Vec<TcpStream>) {
    let list = Request::get("/api/products?limit=100").bytes();
    let body = Request::json("POST", "/api/auth/login", &"x".repeat(2_000)).bytes();
    let written = match round % 5 {
        // Gone before the answer.
        0 => stream.write_all(&list).and_then(|()| stream.shutdown(Shutdown::Both)),
        // Half a body, and no more.
        1 => stream.write_all(&body[..body.len() - 1_000]),
        // Nonsense.
        2 => stream.write_all(b"\x16\x03\x01\x02\x00\x01\x00 no HTTP\r\n\r\n"),
        // Half a head.
        3 => stream.write_all(&list[..list.len() / 2]),
        // Many questions, whose answers nobody reads.
        _ => stream.write_all(&list.repeat(50)),
    };
    if written.is_ok() {
        held.push(stream);
    }
    if held.len() > 50 {
        held.remove(0);
    }
}

/// A receiver that takes one delivery, fails at the next, and does not answer the third for a
/// while.
fn receive() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for (nth, stream) in listener.incoming().map_while(Result::ok).enumerate() {
            std::thread::spawn(move || answer(stream, nth));
        }
    });
    address
}

fn answer(mut stream: TcpStream, nth: usize) {
    drop(stream.set_read_timeout(Some(Duration::from_secs(5))));
    let mut read = [0; 8192];
    for round in nth.. {
        if stream.read(&mut read).map_or(0, |n| n) == 0 {
            return;
        }
        let status = match round % 20 {
            0 => "500 Internal Server Error",
            1 => {
                std::thread::sleep(Duration::from_secs(3));
                "200 OK"
            }
            _ => "204 No Content",
        };
        let reply = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n");
        if stream.write_all(reply.as_bytes()).is_err() {
            return;
        }
    }
}

fn subscribe(shop: &Shop, to: SocketAddr) {
    let new = json!({
        "url": format!("http://{to}/hook"), "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "events": ["order.created"],
    });
    let request = Request::json("POST", "/api/admin/webhooks", &new.to_string());
    succeed(shop.address(), &request.session(&shop.admin));
}
