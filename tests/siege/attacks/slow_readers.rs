//! Clients that ask for a picture of 4 MiB, and take it slowly or not at all.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use super::{Attack, Outcome, is_over};
use crate::crowd::Crowd;
use crate::shop::Shop;
use crate::wire::{Request, attacker, connect};

const NUMBER: usize = 300;
/// An address may have 256 connections.
const BY_ADDRESS: usize = 100;
/// Addresses of their own, where others attack too.
const FIRST_ADDRESS: usize = 100;

pub(crate) struct SlowReaders {
    name: &'static str,
    /// How many bytes each takes, twice a second.
    bytes: usize,
}

impl SlowReaders {
    pub(super) fn that_read_nothing() -> Self {
        Self { name: "300 ask for a picture of 4 MiB and read nothing", bytes: 0 }
    }

    /// As slow as is allowed: 2 KiB a second.
    pub(crate) fn that_read_slowly() -> Self {
        Self { name: "300 read slowly", bytes: 1024 }
    }
}

impl Attack for SlowReaders {
    fn name(&self) -> &'static str {
        self.name
    }

    fn start(&self, shop: &Shop) -> Crowd<Outcome> {
        let (to, bytes) = (shop.address(), self.bytes);
        Crowd::of(1, move |_, stop| {
            let mut readers: Vec<Option<TcpStream>> = (0..NUMBER).map(|n| open(n, to)).collect();
            let mut outcome = Outcome { done: NUMBER, ..Outcome::default() };
            while !is_over(stop) {
                for (number, reader) in readers.iter_mut().enumerate() {
                    if bytes > 0 && !reader.as_mut().is_some_and(|it| take(it, bytes)) {
                        *reader = open(number, to);
                        outcome.done += 1;
                    }
                }
                std::thread::sleep(Duration::from_millis(500));
            }
            outcome
        })
    }

    fn tell(&self, outcome: Outcome) -> String {
        format!("{} asked", outcome.done)
    }
}

fn open(number: usize, to: SocketAddr) -> Option<TcpStream> {
    let from = attacker(FIRST_ADDRESS + number / BY_ADDRESS);
    let mut stream = connect(from, to, true).ok()?;
    stream.write_all(&Request::get("/uploads/vela.jpg").bytes()).ok()?;
    stream.set_nonblocking(true).ok()?;
    Some(stream)
}

/// Whether the connection is still there.
fn take(stream: &mut TcpStream, bytes: usize) -> bool {
    match stream.read(&mut vec![0; bytes]) {
        Ok(length) => length > 0,
        Err(error) => error.kind() == ErrorKind::WouldBlock,
    }
}
