//! Mercado Pago, as its official libraries speak with it.

use std::collections::{HashMap, HashSet};

use hyper::Method;
use serde_json::{Value, json};
use shop_core::Config;
use shop_core::config::Secret;
use shop_core::settlement::ProviderNotice;

use super::provider::{Asked, Books, Keys, Provider};
use super::signature;

/// The shop's token.
pub(crate) const ACCESS_TOKEN: &str = "APP_USR-hush-1";
/// What notices are signed with.
pub(crate) const WEBHOOK_SECRET: &str = "hush-notices-1";
/// The end of the number of every card.
pub(crate) const LAST_FOUR: &str = "6351";

/// A PIX code, as `pix-utils` makes it.
pub(crate) const PIX_CODE: &str = "00020101021226760014br.gov.bcb.pix2554pix.example.com/qr/v2/\
    3f2b0c1a5d6e4f708192a3b4c5d6e7f85204000053039865802BR5920LOJA DE VELAS AURORA6014RIO DE \
    JANEIRO62070503***63040E2C";

#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a whim of its own")]
pub(crate) struct Ledger {
    payments: Vec<Value>,
    keys: Keys,
    used_tokens: HashSet<String>,
    /// What it draws of a PIX code, if it does.
    pub(crate) picture: Option<String>,
    /// Whether it draws no code of a PIX payment for now.
    pub(crate) draws_no_code: bool,
    /// Whether refunds take time.
    pub(crate) refunds_slowly: bool,
    /// Whether it forgets what came as `metadata`.
    pub(crate) forgets_metadata: bool,
    /// Whether it knows none of its payments, as where the shop's account there is another one
    /// since.
    pub(crate) forgets_payments: bool,
}

pub(crate) type MercadoPago = Provider<Ledger>;

impl MercadoPago {
    pub(crate) fn adapt(&self, config: &mut Config) {
        let provider = &mut config.payments.provider1;
        provider.url = self.url();
        provider.access_token = Some(Secret::new(ACCESS_TOKEN));
        provider.webhook_secret = Some(Secret::new(WEBHOOK_SECRET));
    }

    /// The same for a process.
    pub(crate) fn environment(&self) -> Vec<(&'static str, String)> {
        vec![
            ("SHOP_PAYMENTS__PROVIDER1__URL", self.url()),
            ("SHOP_PAYMENTS__PROVIDER1__ACCESS_TOKEN", ACCESS_TOKEN.to_owned()),
            ("SHOP_PAYMENTS__PROVIDER1__WEBHOOK_SECRET", WEBHOOK_SECRET.to_owned()),
        ]
    }

    /// Changes the latest payment.
    pub(crate) fn latest(&self, change: impl FnOnce(&mut Value)) {
        self.books(|ledger| change(ledger.payments.last_mut().expect("a payment")));
    }

    pub(crate) fn approve_latest(&self) {
        self.latest(|payment| {
            payment["status"] = "approved".into();
            payment["status_detail"] = "accredited".into();
        });
    }

    /// Another payment like the latest, as where its key was forgotten.
    pub(crate) fn repeat_latest(&self, status: &str) {
        self.books(|ledger| {
            let mut again = ledger.payments.last().expect("a payment").clone();
            again["id"] = (again["id"].as_i64().expect("a number") + 1000).into();
            again["status"] = status.into();
            ledger.payments.push(again);
        });
    }

    /// Its staff give so much of the latest payment back, all of which is `whole`.
    pub(crate) fn give_back(&self, reais: f64, whole: bool) {
        self.latest(|payment| {
            payment["transaction_amount_refunded"] = reais.into();
            payment["status"] = if whole { "refunded" } else { "approved" }.into();
        });
    }

    /// The notice that it sends about the latest payment.
    pub(crate) fn notice(&self, seconds: i64) -> ProviderNotice {
        let id = self.books(|ledger| ledger.payments.last().expect("a payment")["id"].to_string());
        signature::notice(WEBHOOK_SECRET, &id, seconds)
    }

    /// How many payments of this order have taken money.
    pub(crate) fn charges(&self, order_number: &str) -> usize {
        self.books(|ledger| {
            let of_order =
                ledger.payments.iter().filter(|it| it["external_reference"] == order_number);
            of_order.filter(|it| it["status"] == "approved").count()
        })
    }
}

/// Fails with a text unless something holds.
fn must(holds: bool, what: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what.to_owned()) }
}

/// Whether a payment has the id that stands in a path.
fn is(payment: &Value, id: &str) -> bool {
    id.parse::<i64>().is_ok_and(|id| payment["id"] == id)
}

impl Books for Ledger {
    fn answer(&mut self, asked: &Asked) -> Result<(u16, Value), String> {
        if asked.header("authorization") != format!("Bearer {ACCESS_TOKEN}") {
            return Ok((401, json!({ "message": "invalid access token", "status": 401 })));
        }
        if asked.method == Method::GET {
            return self.read(asked);
        }
        let key = asked.header("x-idempotency-key").to_owned();
        must((1..=64).contains(&key.len()), "no idempotency key")?;
        must(asked.header("content-type") == "application/json", "no JSON")?;
        match self.keys.known(&key, asked) {
            Some(Ok(first)) => return Ok(first),
            Some(Err(())) => return Ok((409, json!({ "message": "key of another request" }))),
            None => {}
        }
        let answer = self.change(asked)?;
        self.keys.keep(&key, asked, &answer);
        Ok(answer)
    }
}

impl Ledger {
    fn read(&self, asked: &Asked) -> Result<(u16, Value), String> {
        let id = asked.path.strip_prefix("/v1/payments/").ok_or("what path is that?")?;
        if id == "search" {
            return self.search(&asked.query);
        }
        let (id, refund) = id.split_once("/refunds/").map_or((id, None), |(id, it)| (id, Some(it)));
        let found = self.payments.iter().find(|it| is(it, id) && !self.forgets_payments);
        if let (Some(payment), Some(refund)) = (found, refund) {
            let refunds = payment["refunds"].as_array().ok_or("a list")?;
            let found = refunds.iter().find(|it| is(it, refund)).ok_or("what refund?")?;
            return Ok((200, found.clone()));
        }
        Ok(found.map_or((404, json!({ "status": 404 })), |payment| (200, payment.clone())))
    }

    /// By itself a page has 30 payments.
    fn search(&self, query: &str) -> Result<(u16, Value), String> {
        let query: HashMap<String, String> =
            serde_urlencoded::from_str(query).map_err(|error| error.to_string())?;
        let wanted = query.get("external_reference").ok_or("by what?")?;
        let number = |name: &str, otherwise| {
            query.get(name).map_or(Ok(otherwise), |it| it.parse().map_err(|_| "no number"))
        };
        let (limit, offset) = (number("limit", 30)?, number("offset", 0)?);
        must(limit <= 100, "too large a page")?;
        let mut found: Vec<&Value> =
            self.payments.iter().filter(|it| it["external_reference"] == **wanted).collect();
        if query.get("criteria").is_some_and(|it| it == "desc") {
            found.reverse();
        }
        let page: Vec<_> = found.iter().skip(offset).take(limit).collect();
        let paging = json!({ "total": found.len(), "limit": limit, "offset": offset });
        Ok((200, json!({ "paging": paging, "results": page })))
    }

    fn change(&mut self, asked: &Asked) -> Result<(u16, Value), String> {
        let body = asked.json();
        match (asked.method.as_str(), asked.path.trim_start_matches("/v1/payments")) {
            ("POST", "") => self.create(&body),
            ("POST", path) => {
                let id = path.trim_start_matches('/').strip_suffix("/refunds").ok_or("a path")?;
                self.refund(id, &body)
            }
            ("PUT", path) => {
                must(body == json!({ "status": "cancelled" }), "not to be cancelled")?;
                let payment = self.payment(path.trim_start_matches('/'))?;
                if payment["status"] == "pending" || payment["status"] == "in_process" {
                    payment["status"] = "cancelled".into();
                    return Ok((200, payment.clone()));
                }
                Ok((400, json!({ "status": 400, "cause": [{ "code": 2018 }] })))
            }
            other => Err(format!("what is {other:?}?")),
        }
    }

    fn payment(&mut self, id: &str) -> Result<&mut Value, String> {
        self.payments.iter_mut().find(|it| is(it, id)).ok_or("who?".to_owned())
    }

    fn create(&mut self, body: &Value) -> Result<(u16, Value), String> {
        let amount = body["transaction_amount"].as_number().ok_or("no amount")?.to_string();
        let decimals = amount.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        must(decimals <= 2 && !amount.starts_with('-'), "a strange amount")?;
        must(body["payer"]["email"].as_str().is_some_and(|it| it.contains('@')), "no e-mail")?;
        let order = body["external_reference"].as_str().ok_or("no reference")?;
        must(body["description"] == format!("Pedido {order}"), "no description")?;
        let metadata = if self.forgets_metadata { json!({}) } else { body["metadata"].clone() };
        let mut payment = json!({
            "id": 1_300_000_000_i64 + i64::try_from(self.payments.len()).expect("a number"),
            "status": "pending", "transaction_amount": body["transaction_amount"],
            "transaction_amount_refunded": 0, "currency_id": "BRL", "live_mode": false,
            "external_reference": order, "metadata": metadata, "refunds": [],
            "payment_method_id": body["payment_method_id"],
        });
        if body["payment_method_id"] == "pix" {
            self.fill_pix(body, &mut payment)?;
        } else if let Some(refused) = self.fill_card(body, &mut payment)? {
            return Ok(refused);
        }
        self.payments.push(payment.clone());
        Ok((201, payment))
    }

    fn fill_pix(&self, body: &Value, payment: &mut Value) -> Result<(), String> {
        let ends = body["date_of_expiration"].as_str().ok_or("no end")?;
        let shape = "0000-00-00T00:00:00.000-03:00";
        let same =
            |(a, b): (char, char)| if b == '0' { a.is_ascii_digit() } else { a == b || a == '3' };
        must(ends.len() == shape.len() && ends.chars().zip(shape.chars()).all(same), "error 23")?;
        payment["status_detail"] = "pending_waiting_transfer".into();
        payment["payment_type_id"] = "bank_transfer".into();
        payment["date_of_expiration"] = ends.into();
        if !self.draws_no_code {
            payment["point_of_interaction"] = json!({ "transaction_data": {
                "qr_code": PIX_CODE, "qr_code_base64": self.picture,
            } });
        }
        Ok(())
    }

    /// `mp-approved`, `mp-in-process`, or `mp-` with a reason; what follows a dot tells tokens
    /// apart. `Some` is an answer instead of a payment.
    fn fill_card(
        &mut self,
        body: &Value,
        payment: &mut Value,
    ) -> Result<Option<(u16, Value)>, String> {
        let token = body["token"].as_str().ok_or("no token")?;
        must(body["installments"].as_i64().is_some_and(|it| it >= 1), "no installments")?;
        must(body["issuer_id"].is_null() || body["issuer_id"].is_i64(), "no issuer")?;
        must(body["binary_mode"] == false, "binary mode")?;
        let refused = |code: i64| {
            let cause = json!([{ "code": code, "description": format!("Invalid token {token}") }]);
            Ok(Some((400, json!({ "message": "bad request", "status": 400, "cause": cause }))))
        };
        let played = token.split('.').next().and_then(|token| token.strip_prefix("mp-"));
        let (status, detail) = match played {
            Some("approved") => ("approved", "accredited"),
            Some("in-process") => ("in_process", "pending_review_manual"),
            Some(reason) if reason.starts_with("cc_rejected_") => ("rejected", reason),
            _ => return refused(2006),
        };
        if !self.used_tokens.insert(token.to_owned()) {
            return refused(2062);
        }
        payment["status"] = status.into();
        payment["status_detail"] = detail.into();
        payment["payment_type_id"] = "credit_card".into();
        payment["installments"] = body["installments"].clone();
        payment["issuer_id"] = body["issuer_id"].to_string().into();
        payment["card"] = json!({ "first_six_digits": "503143", "last_four_digits": LAST_FOUR });
        Ok(None)
    }

    fn refund(&mut self, id: &str, body: &Value) -> Result<(u16, Value), String> {
        let slowly = self.refunds_slowly;
        let payment = self.payment(id)?;
        let cents = |value: &Value| (value.as_f64().unwrap_or_default() * 100.0).round();
        let left =
            cents(&payment["transaction_amount"]) - cents(&payment["transaction_amount_refunded"]);
        let wanted = if *body == json!({}) { left } else { cents(&body["amount"]) };
        must(wanted > 0.0, "a refund of nothing")?;
        if payment["status"] != "approved" || wanted > left {
            let cause = json!([{ "code": 2085, "description": "Invalid refund amount" }]);
            return Ok((400, json!({ "status": 400, "cause": cause })));
        }
        let refunds = payment["refunds"].as_array_mut().expect("a list");
        let refund = json!({
            "id": 7000 + refunds.len(), "payment_id": id, "amount": wanted / 100.0,
            "status": if slowly { "in_process" } else { "approved" },
        });
        refunds.push(refund.clone());
        if slowly {
            return Ok((201, refund));
        }
        let total = cents(&payment["transaction_amount"]) - left + wanted;
        payment["transaction_amount_refunded"] = json!(total / 100.0);
        let whole = wanted >= left;
        payment["status_detail"] = if whole { "refunded" } else { "partially_refunded" }.into();
        payment["status"] = if whole { "refunded" } else { "approved" }.into();
        Ok((201, refund))
    }
}
