//! Both payment providers inside the shop, so that one can be built, demonstrated and tested
//! without any account anywhere. What they know is in the shop's own database, but behind the same
//! ports as real providers: nothing else in the library knows that they are not.
//!
//! Cards are played by their tokens: `tok_approved`, `tok_pending` (under review until
//! `shop-cli sandbox pay`), `tok_timeout` (charged, and the answer lost), `tok_error` (never
//! reached), and `tok_` with a code of the provider (`tok_cc_rejected_insufficient_amount`) for a
//! card that is refused. Any other token is invalid.

pub(crate) mod store;

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use self::store::New;
use super::PaymentMethod;
use super::br_code::BrCode;
use super::provider::{
    Answer, CardRequest, IntentRequest, Intents, PaymentProvider, PixAndCards, PixRequest,
    ProviderError, ProviderPayment, ProviderRefund, ProviderRefundStatus, RefundRequest,
};
use crate::clock::Clock;
use crate::config::{Environment, PixConfig};
use crate::id::PaymentId;
use crate::lane;
use crate::storage::{Db, Tx};

/// What the ids of the sandbox's payment intents begin with.
const INTENT: &str = "pi_sandbox_";

/// The end of the number of every card that the sandbox knows.
const LAST_FOUR: &str = "3704";

/// The sandbox as a provider: what the shop sees of it.
pub(crate) struct SandboxProvider {
    db: Db,
    clock: Arc<dyn Clock>,
    receiver: PixConfig,
    /// Whether cards can be played. In the real shop anybody could buy with a made-up token.
    takes_cards: bool,
}

impl SandboxProvider {
    pub(crate) fn new(
        db: Db,
        clock: Arc<dyn Clock>,
        receiver: PixConfig,
        environment: Environment,
    ) -> Self {
        Self { db, clock, receiver, takes_cards: environment == Environment::Development }
    }

    /// Writes a payment, or finds the one that was written with the same key.
    async fn create(&self, new: New) -> Answer<ProviderPayment> {
        let now = self.clock.now();
        let job = move |tx: &mut dyn Tx| {
            store::insert(tx, &new, now)?;
            store::by_key(tx, &new.key, now)
        };
        let created = self.db.write(lane::INTEGRATIONS, "sandbox.create", job).await?;
        created.ok_or_else(|| ProviderError::Unclear("the payment is gone".to_owned()))
    }
}

impl PaymentProvider for SandboxProvider {
    fn fetch<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Answer<Option<ProviderPayment>>> {
        let (id, now) = (number(id), self.clock.now());
        let job = move |tx: &mut dyn Tx| match id {
            Some(id) => store::by_id(tx, id, now),
            None => Ok(None),
        };
        self.db.lookup("sandbox.fetch", job).map(|found| found.map_err(Into::into)).boxed()
    }

    fn cancel<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Answer<ProviderPayment>> {
        let (id, now) = (number(id), self.clock.now());
        let job = move |tx: &mut dyn Tx| match id {
            Some(id) => {
                store::cancel(tx, id)?;
                store::by_id(tx, id, now)
            }
            None => Ok(None),
        };
        let cancelled = self.db.write(lane::INTEGRATIONS, "sandbox.cancel", job);
        cancelled.map(|found| found?.ok_or_else(|| refused("404"))).boxed()
    }

    fn refund<'a>(&'a self, request: &'a RefundRequest) -> BoxFuture<'a, Answer<ProviderRefund>> {
        let (id, key, amount) = (number(&request.payment), request.refund.clone(), request.amount);
        let job = move |tx: &mut dyn Tx| match id {
            Some(id) => store::refund(tx, id, &key, amount),
            None => Ok(None),
        };
        let refunded = self.db.write(lane::INTEGRATIONS, "sandbox.refund", job);
        refunded
            .map(|refund| {
                let id = refund?.ok_or_else(|| refused("amount_too_large"))?.to_string();
                Ok(ProviderRefund { id, status: ProviderRefundStatus::Done })
            })
            .boxed()
    }
}

impl PixAndCards for SandboxProvider {
    fn create_pix<'a>(&'a self, request: &'a PixRequest) -> BoxFuture<'a, Answer<ProviderPayment>> {
        let code = BrCode::new(&self.receiver, request.amount, &txid(&request.payment)).to_string();
        let PixRequest { payment, amount, order_number, expires_at, .. } = request;
        let new = New::pending(payment, PaymentMethod::Pix, *amount, order_number);
        let (pix_code, expires_at) = (Some(code), Some(*expires_at));
        self.create(New { pix_code, expires_at, ..new }).boxed()
    }

    fn charge_card<'a>(
        &'a self,
        request: &'a CardRequest,
    ) -> BoxFuture<'a, Answer<ProviderPayment>> {
        self.play_card(request).boxed()
    }

    fn find<'a>(&'a self, order_number: &'a str) -> BoxFuture<'a, Answer<Vec<ProviderPayment>>> {
        let (order_number, now) = (order_number.to_owned(), self.clock.now());
        let job = move |tx: &mut dyn Tx| store::by_reference(tx, &order_number, now);
        self.db.lookup("sandbox.find", job).map(|found| found.map_err(Into::into)).boxed()
    }
}

impl Intents for SandboxProvider {
    fn create_intent<'a>(
        &'a self,
        request: &'a IntentRequest,
    ) -> BoxFuture<'a, Answer<ProviderPayment>> {
        let IntentRequest { payment, amount, order_number, .. } = request;
        let method = PaymentMethod::PaymentIntent;
        self.create(New::pending(payment, method, *amount, order_number)).boxed()
    }
}

impl SandboxProvider {
    async fn play_card(&self, request: &CardRequest) -> Answer<ProviderPayment> {
        if !self.takes_cards {
            return Err(refused("no_provider_configured"));
        }
        let played = request.token.reveal().strip_prefix("tok_").unwrap_or_default();
        let (status, detail) = match played {
            "approved" | "timeout" => ("approved", None),
            "pending" => ("pending", None),
            "error" => return Err(ProviderError::Unclear("not reached".to_owned())),
            code if is_rejection(code) => ("rejected", Some(code.to_owned())),
            _ => return Err(ProviderError::InvalidToken),
        };
        let (now, key) = (self.clock.now(), request.payment.clone());
        let first = self.db.lookup("sandbox.card", move |tx| store::by_key(tx, &key, now)).await?;
        if let Some(first) = first {
            return Ok(first);
        }
        let CardRequest { payment, amount, order_number, .. } = request;
        let new = New::pending(payment, PaymentMethod::CreditCard, *amount, order_number);
        let (installments, last_four) = (Some(request.installments), Some(LAST_FOUR));
        let new = New { status, detail, installments, last_four, ..new };
        let created = self.create(new).await?;
        if played == "timeout" {
            return Err(ProviderError::Unclear("no answer in time".to_owned()));
        }
        Ok(created)
    }
}

fn refused(code: &str) -> ProviderError {
    ProviderError::Refused(code.to_owned())
}

fn is_rejection(code: &str) -> bool {
    let letters = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
    code.starts_with("cc_rejected_") && code.len() <= 64 && code.bytes().all(letters)
}

/// The number in an id of either provider.
fn number(id: &str) -> Option<i64> {
    id.strip_prefix(INTENT).unwrap_or(id).parse().ok()
}

/// A transaction id that no other payment has: the payment's id in base 36, which fits the code's
/// 25 letters and digits.
fn txid(payment: &PaymentId) -> String {
    let hex: String = payment.as_str().chars().filter(|c| *c != '-').collect();
    let mut rest = u128::from_str_radix(&hex, 16).unwrap_or_default();
    let mut txid = [b'0'; 25];
    for digit in txid.iter_mut().rev() {
        *digit = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[(rest % 36) as usize];
        rest /= 36;
    }
    txid.iter().map(|byte| char::from(*byte)).collect()
}
