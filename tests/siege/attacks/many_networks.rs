//! Log-ins from 100,000 networks, to fill the tables of the rate limiter.

use super::{Attack, Outcome, flood};
use crate::crowd::Crowd;
use crate::shop::Shop;
use crate::wire::{PROXY, Request};

const CONNECTIONS: usize = 8;
const NETWORKS: usize = 100_000 / CONNECTIONS;

pub(super) struct ManyNetworks;

impl Attack for ManyNetworks {
    fn name(&self) -> &'static str {
        "broken log-ins from 100,000 IPv6 networks"
    }

    fn start(&self, shop: &Shop) -> Crowd<Outcome> {
        flood((PROXY, shop.address()), CONNECTIONS, |number, asked| {
            let network = format!("2001:{number:x}:{:x}::1", asked % NETWORKS);
            Request::json("POST", "/api/auth/login", "{}").client(&network)
        })
    }

    fn tell(&self, outcome: Outcome) -> String {
        format!("{} answers", outcome.done)
    }
}
