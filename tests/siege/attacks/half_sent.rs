//! One request that is never finished, while the server is restarted.

use std::io::Write;

use super::connections::hold;
use super::{Attack, Outcome};
use crate::crowd::Crowd;
use crate::shop::Shop;
use crate::wire::{attacker, connect};

pub(super) struct HalfSent;

impl Attack for HalfSent {
    fn name(&self) -> &'static str {
        "one request sent by half"
    }

    fn start(&self, shop: &Shop) -> Crowd<Outcome> {
        let to = shop.address();
        let open = move |_| {
            let mut stream = connect(attacker(0), to, true).ok()?;
            stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: ").ok().map(|()| stream)
        };
        hold(1, open, |_| true)
    }

    fn tell(&self, _: Outcome) -> String {
        "see the restart".to_owned()
    }
}
