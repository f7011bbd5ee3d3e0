//! Eight connections that log in to a real account all the time, with its password.

use super::{Attack, Outcome, flood};
use crate::crowd::Crowd;
use crate::shop::{CUSTOMER, Shop, log_in};
use crate::wire::PROXY;

const NUMBER: usize = 8;

pub(crate) struct LogIns;

impl Attack for LogIns {
    fn name(&self) -> &'static str {
        "8 connections that log in to one account"
    }

    fn start(&self, shop: &Shop) -> Crowd<Outcome> {
        // From another network each time, so that no rate by address holds them back.
        flood((PROXY, shop.address()), NUMBER, |number, asked| {
            log_in(CUSTOMER).client(&format!("2001:{number:x}:{asked:x}::1"))
        })
    }

    fn tell(&self, outcome: Outcome) -> String {
        format!("{} log-ins, {} taken", outcome.done, outcome.successes)
    }
}
