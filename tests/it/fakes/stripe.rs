//! Stripe, as its official libraries speak with it.

use hyper::Method;
use serde_json::{Value, json};
use shop_core::Config;
use shop_core::config::Secret;

use super::provider::{Asked, Books, Keys, Provider};

/// The shop's key.
pub(crate) const SECRET_KEY: &str = "sk_test_hush_2";
/// What events are signed with.
pub(crate) const WEBHOOK_SECRET: &str = "whsec_hush_2";

#[derive(Default)]
pub(crate) struct Ledger {
    intents: Vec<Value>,
    pub(crate) refunds: Vec<Value>,
    disputes: Vec<Value>,
    keys: Keys,
    /// Whether refunds take time.
    pub(crate) refunds_slowly: bool,
}

pub(crate) type Stripe = Provider<Ledger>;

impl Stripe {
    pub(crate) fn adapt(&self, config: &mut Config) {
        let provider = &mut config.payments.provider2;
        provider.url = self.url();
        provider.secret_key = Some(Secret::new(SECRET_KEY));
        provider.webhook_secret = Some(Secret::new(WEBHOOK_SECRET));
    }

    /// The same for a process.
    pub(crate) fn environment(&self) -> Vec<(&'static str, String)> {
        vec![
            ("SHOP_PAYMENTS__PROVIDER2__URL", self.url()),
            ("SHOP_PAYMENTS__PROVIDER2__SECRET_KEY", SECRET_KEY.to_owned()),
            ("SHOP_PAYMENTS__PROVIDER2__WEBHOOK_SECRET", WEBHOOK_SECRET.to_owned()),
        ]
    }

    /// What the browser does with the client secret: the latest intent is paid. Returns the event
    /// that it sends about it.
    pub(crate) fn complete_latest(&self, event: &str) -> Value {
        self.books(|ledger| {
            let intent = ledger.intents.last_mut().expect("an intent");
            intent["status"] = "succeeded".into();
            intent["amount_received"] = intent["amount"].clone();
            intent["latest_charge"] = json!({
                "id": "ch_1", "object": "charge", "amount": intent["amount"], "amount_refunded": 0,
                "refunded": false, "disputed": false, "currency": "brl",
            });
            json!({
                "id": event, "object": "event", "api_version": "2026-10-28.endive",
                "type": "payment_intent.succeeded", "data": { "object": intent },
            })
        })
    }

    /// The card of the latest intent is declined, for which another may be given. Returns the event
    /// about it.
    pub(crate) fn decline_latest(&self, event: &str) -> Value {
        self.move_latest("requires_payment_method");
        self.books(|ledger| {
            let intent = ledger.intents.last_mut().expect("an intent");
            intent["last_payment_error"] = json!({ "code": "card_declined" });
            json!({ "id": event, "object": "event", "type": "payment_intent.payment_failed",
                "data": { "object": intent } })
        })
    }

    /// Sets the latest intent to a status, without a word.
    pub(crate) fn move_latest(&self, status: &str) {
        self.books(|ledger| {
            ledger.intents.last_mut().expect("an intent")["status"] = status.into();
        });
    }

    /// The latest refund comes to nothing: its money is the shop's again. Returns the event about
    /// it.
    pub(crate) fn fail_latest_refund(&self, event: &str) -> Value {
        self.books(|ledger| {
            let refund = ledger.refunds.last_mut().expect("a refund");
            refund["status"] = "failed".into();
            let of = |it: &&mut Value| it["id"] == refund["payment_intent"];
            let intent = ledger.intents.iter_mut().find(of).expect("an intent");
            let charge = &mut intent["latest_charge"];
            let gone = charge["amount_refunded"].as_i64().zip(refund["amount"].as_i64());
            charge["amount_refunded"] = gone.map(|(all, this)| all - this).into();
            charge["refunded"] = false.into();
            json!({ "id": event, "object": "event", "type": "refund.failed",
                "data": { "object": refund } })
        })
    }

    /// The event about the latest refund, which it sends as soon as it took it.
    pub(crate) fn refunded(&self, event: &str) -> Value {
        self.books(|ledger| {
            let intent = ledger.intents.last().expect("an intent");
            let mut charge = intent["latest_charge"].clone();
            charge["payment_intent"] = intent["id"].clone();
            json!({ "id": event, "object": "event", "type": "charge.refunded",
                "data": { "object": charge } })
        })
    }

    /// The payer's bank takes so much of the latest intent back. Returns the event about it.
    pub(crate) fn dispute(&self, event: &str, cents: i64) -> Value {
        self.books(|ledger| {
            let intent = ledger.intents.last_mut().expect("an intent");
            intent["latest_charge"]["disputed"] = true.into();
            let dispute = json!({ "id": "dp_1", "object": "dispute", "amount": cents,
                "currency": "brl", "payment_intent": intent["id"], "status": "needs_response" });
            ledger.disputes.push(dispute.clone());
            json!({ "id": event, "object": "event", "type": "charge.dispute.created",
                "data": { "object": dispute } })
        })
    }

    pub(crate) fn intents(&self) -> usize {
        self.books(|ledger| ledger.intents.len())
    }
}

fn must(holds: bool, what: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what.to_owned()) }
}

fn error(status: u16, kind: &str, code: &str) -> (u16, Value) {
    (status, json!({ "error": { "type": kind, "code": code, "message": "no" } }))
}

impl Books for Ledger {
    fn answer(&mut self, asked: &Asked) -> Result<(u16, Value), String> {
        if asked.header("authorization") != format!("Bearer {SECRET_KEY}") {
            return Ok(error(401, "invalid_request_error", "api_key"));
        }
        must(asked.header("stripe-version") == "2026-10-28.endive", "no version")?;
        let path = asked.path.strip_prefix("/v1/").ok_or("what path is that?")?;
        if asked.method == Method::GET {
            if let Some(id) = path.strip_prefix("refunds/") {
                let found = self.refunds.iter().find(|refund| refund["id"] == id);
                return Ok((200, found.ok_or("what refund?")?.clone()));
            }
            if path == "disputes" {
                let of = |it: &&Value| {
                    it["payment_intent"].as_str().is_some_and(|id| asked.query.contains(id))
                };
                let data: Vec<_> = self.disputes.iter().filter(of).collect();
                return Ok((200, json!({ "object": "list", "data": data, "has_more": false })));
            }
            must(asked.query == "expand[]=latest_charge", "the charge is not asked for")?;
            let id = path.strip_prefix("payment_intents/").ok_or("what path is that?")?;
            let found = self.intents.iter().find(|intent| intent["id"] == id);
            let missing = || error(404, "invalid_request_error", "resource_missing");
            return Ok(found.map_or_else(missing, |intent| (200, intent.clone())));
        }
        if path.ends_with("/cancel") && asked.header("idempotency-key").is_empty() {
            return self.cancel(path, asked);
        }
        let key = asked.header("idempotency-key").to_owned();
        must((1..=255).contains(&key.len()), "no idempotency key")?;
        must(asked.header("content-type") == "application/x-www-form-urlencoded", "no form")?;
        match self.keys.known(&key, asked) {
            Some(Ok(first)) => return Ok(first),
            Some(Err(())) => return Ok(error(400, "idempotency_error", "idempotency_key_in_use")),
            None => {}
        }
        let answer = match path {
            "payment_intents" => self.create(asked)?,
            "refunds" => self.refund(asked)?,
            path => self.cancel(path, asked)?,
        };
        self.keys.keep(&key, asked, &answer);
        Ok(answer)
    }
}

impl Ledger {
    fn create(&mut self, asked: &Asked) -> Result<(u16, Value), String> {
        let form = asked.form();
        let field = |name: &str| form.get(name).map(String::as_str).unwrap_or_default();
        let amount: i64 = field("amount").parse().map_err(|_| "no amount in cents")?;
        must(amount >= 50, "too little")?;
        must(field("currency") == "brl", "no currency")?;
        must(field("automatic_payment_methods[enabled]") == "true", "no methods")?;
        let number = field("metadata[order_number]");
        must(!field("metadata[order_id]").is_empty() && !number.is_empty(), "no order")?;
        must(field("description") == format!("Pedido {number}"), "no description")?;
        let id = format!("pi_3Q{:04}", self.intents.len());
        let intent = json!({
            "id": id, "object": "payment_intent", "amount": amount, "amount_received": 0,
            "currency": "brl", "status": "requires_payment_method", "latest_charge": null,
            "client_secret": format!("{id}_secret_hush"), "last_payment_error": null,
            "livemode": false, "metadata": {
                "order_id": field("metadata[order_id]"), "order_number": number,
                "payment_id": field("metadata[payment_id]"),
            },
        });
        self.intents.push(intent.clone());
        Ok((200, intent))
    }

    fn refund(&mut self, asked: &Asked) -> Result<(u16, Value), String> {
        let form = asked.form();
        let wanted: i64 = form.get("amount").and_then(|it| it.parse().ok()).ok_or("no amount")?;
        must(form.get("reason").is_some_and(|it| it == "requested_by_customer"), "no reason")?;
        let id = form.get("payment_intent").ok_or("of what?")?;
        let intent = self.intents.iter_mut().find(|it| it["id"] == *id).ok_or("who?")?;
        let charge = &mut intent["latest_charge"];
        let (all, gone) = (charge["amount"].as_i64(), charge["amount_refunded"].as_i64());
        let (Some(all), Some(gone)) = (all, gone) else {
            return Ok(error(400, "invalid_request_error", "charge_not_captured"));
        };
        if gone + wanted > all {
            return Ok(error(400, "invalid_request_error", "charge_already_refunded"));
        }
        charge["amount_refunded"] = json!(gone + wanted);
        charge["refunded"] = json!(gone + wanted == all);
        let status = if self.refunds_slowly { "pending" } else { "succeeded" };
        let refund = json!({ "id": format!("re_{}", self.refunds.len() + 1), "object": "refund",
            "amount": wanted, "status": status, "payment_intent": id });
        self.refunds.push(refund.clone());
        Ok((200, refund))
    }

    fn cancel(&mut self, path: &str, asked: &Asked) -> Result<(u16, Value), String> {
        let id = path.strip_prefix("payment_intents/").and_then(|it| it.strip_suffix("/cancel"));
        must(asked.form().get("cancellation_reason").is_some_and(|it| it == "abandoned"), "why?")?;
        let id = id.ok_or("what path is that?")?;
        let intent = self.intents.iter_mut().find(|it| it["id"] == id).ok_or("who?")?;
        if intent["status"] == "succeeded" || intent["status"] == "processing" {
            return Ok(error(400, "invalid_request_error", "payment_intent_unexpected_state"));
        }
        intent["status"] = "canceled".into();
        Ok((200, intent.clone()))
    }
}
