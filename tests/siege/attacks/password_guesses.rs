//! One customer who guesses passwords on 160 connections, where a change asks for the current one.

use super::{Attack, Outcome, flood};
use crate::crowd::Crowd;
use crate::shop::{CUSTOMER, Shop, log_in, succeed};
use crate::wire::{Request, attacker};

const NUMBER: usize = 160;

pub(super) struct PasswordGuesses;

impl Attack for PasswordGuesses {
    fn name(&self) -> &'static str {
        "160 connections of one customer that guess passwords"
    }

    fn start(&self, shop: &Shop) -> Crowd<Outcome> {
        let token = succeed(shop.address(), &log_in(CUSTOMER)).token.expect("a session");
        flood((attacker(0), shop.address()), NUMBER, move |number, asked| {
            let body = format!(
                r#"{{"currentPassword":"errada-{number}-{asked}","newPassword":"outra-senha-9x"}}"#
            );
            Request::json("PATCH", "/api/auth/me/password", &body).session(&token)
        })
    }

    fn tell(&self, outcome: Outcome) -> String {
        format!("{} answers", outcome.done)
    }
}
