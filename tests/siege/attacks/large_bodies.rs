//! Bodies of 4 MB, each with more than a million wrong items, sent with the key of a program.

use super::{Attack, Outcome, flood};
use crate::crowd::Crowd;
use crate::shop::Shop;
use crate::wire::{Request, attacker};

const NUMBER: usize = 8;
/// What the endpoint takes at most.
const BODY: usize = 4 * 1024 * 1024;

pub(super) struct LargeBodies;

impl Attack for LargeBodies {
    fn name(&self) -> &'static str {
        "8 connections that send 4 MB of wrong items with a key"
    }

    fn start(&self, shop: &Shop) -> Crowd<Outcome> {
        let (head, end) = (r#"{"type":"sync","items":["#, "{}]}");
        let items = "{},".repeat((BODY - head.len() - end.len()) / 3);
        let request = Request::json("POST", "/api/webhooks/stock", &format!("{head}{items}{end}"))
            .header("authorization", &format!("Bearer {}", shop.api_key));
        flood((attacker(0), shop.address()), NUMBER, move |_, _| request.clone())
    }

    fn tell(&self, outcome: Outcome) -> String {
        let Outcome { done, largest, .. } = outcome;
        format!("{done} answers, the largest of {} KiB", largest.div_ceil(1024))
    }
}
