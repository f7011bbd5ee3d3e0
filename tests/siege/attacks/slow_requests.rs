//! Requests that come a byte a second, so that each holds its connection.

use std::io::Write;

use super::connections::hold;
use super::{Attack, Outcome};
use crate::crowd::Crowd;
use crate::shop::Shop;
use crate::wire::{attacker, connect};

const NUMBER: usize = 300;
/// An address may have 256 connections.
const BY_ADDRESS: usize = 100;

pub(super) struct SlowRequests {
    name: &'static str,
    begins: &'static [u8],
}

impl SlowRequests {
    pub(super) fn heads() -> Self {
        Self { name: "300 heads, a byte a second", begins: b"GET / HTTP/1.1\r\nx: " }
    }

    pub(super) fn bodies() -> Self {
        let begins = b"POST /api/auth/login HTTP/1.1\r\nhost: x\r\ncontent-length: 60000\r\n\r\n{";
        Self { name: "300 bodies, a byte a second", begins }
    }
}

impl Attack for SlowRequests {
    fn name(&self) -> &'static str {
        self.name
    }

    fn start(&self, shop: &Shop) -> Crowd<Outcome> {
        let (to, begins) = (shop.address(), self.begins);
        let open = move |number| {
            let mut stream = connect(attacker(number / BY_ADDRESS), to, true).ok()?;
            stream.write_all(begins).ok().map(|()| stream)
        };
        hold(NUMBER, open, |stream| stream.write_all(b" ").is_ok())
    }

    fn tell(&self, outcome: Outcome) -> String {
        format!("{} are kept", outcome.done)
    }
}
