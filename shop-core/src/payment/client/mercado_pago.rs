//! Mercado Pago: PIX and cards.

use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use hyper::Method;
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use rust_decimal::{Decimal, RoundingStrategy};
use serde_json::{Value, json};

use super::{code, garbage, is_id, send, unclear};
use crate::clock::Timestamp;
use crate::config::{Config, Secret};
use crate::http_client::{Answer as HttpAnswer, Call, Http, HttpError};
use crate::id::PaymentId;
use crate::money::Money;
use crate::payment::PaymentMethod;
use crate::payment::provider::{
    Answer, CardRequest, Payer, PaymentProvider, PixAndCards, PixRequest, ProviderDispute,
    ProviderDisputeStatus, ProviderError, ProviderPayment, ProviderRefund, ProviderRefundStatus,
    ProviderStatus, RefundRequest,
};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("x-idempotency-key");
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// The provider refuses codes that live for less than 30 minutes, and the request takes a while to
/// arrive.
const MARGIN: Duration = Duration::from_secs(60);

/// How many payments one page of a search has, and how many pages are asked for: far more than an
/// order gathers.
const PAGE: usize = 50;
const MOST_PAGES: usize = 10;

/// Codes of refusals that speak of the card's token: not for tests, not found, invalid.
const TOKEN_CODES: [&str; 3] = ["3", "2006", "2062"];

/// Where notices go. `source_news=webhooks` asks for signed notices only: without it the provider
/// sends each one a second time in its older, unsigned form.
const NOTICES: &str = "/api/payments/provider1/webhook?source_news=webhooks";

pub(super) struct MercadoPago {
    url: String,
    token: Secret,
    /// Where notices go, when the shop has an address of its own.
    notices: Option<String>,
    http: Http,
}

impl MercadoPago {
    pub(super) fn new(config: &Config, http: &Http) -> Option<Self> {
        let provider = &config.payments.provider1;
        let notices = config.base_url.as_ref().filter(|url| url.starts_with("https://"));
        Some(Self {
            url: provider.url.clone(),
            token: provider.access_token.clone()?,
            notices: notices.map(|_| format!("{}{NOTICES}", config.base_url())),
            http: http.clone(),
        })
    }

    /// A call with a body carries an idempotency key.
    async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<(&Value, &str)>,
    ) -> Answer<HttpAnswer> {
        send(&self.http, self.prepared(method, path, body)).await
    }

    fn prepared(
        &self,
        method: Method,
        path: &str,
        body: Option<(&Value, &str)>,
    ) -> Result<Call, HttpError> {
        let bytes = body.map(|(body, _)| body.to_string()).unwrap_or_default();
        let call = Call::new(method, &self.url, path, bytes.into())?.bearer(&self.token)?;
        match body {
            Some((_, key)) => call.header(CONTENT_TYPE, JSON).secret(IDEMPOTENCY_KEY, key),
            None => Ok(call),
        }
    }

    /// Creates a payment of either kind.
    async fn create(&self, key: &str, body: Value) -> Answer<ProviderPayment> {
        let answer = self.call(Method::POST, "/v1/payments", Some((&body, key))).await?;
        match answer.status {
            200 | 201 => payment(&super::json(&answer)?),
            _ => Err(failure(&answer)),
        }
    }

    /// What both kinds of payment have.
    fn body(&self, payment: &str, number: &str, amount: Money, payer: &Payer) -> Value {
        let mut body = json!({
            "transaction_amount": amount,
            "description": format!("Pedido {number}"),
            "external_reference": number,
            "metadata": { "payment_id": payment },
            "payer": who(payer),
        });
        if let Some(url) = &self.notices {
            body["notification_url"] = url.as_str().into();
        }
        body
    }
}

impl PaymentProvider for MercadoPago {
    fn fetch<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Answer<Option<ProviderPayment>>> {
        async move {
            if !is_id(id) {
                return Ok(None);
            }
            let answer = self.call(Method::GET, &format!("/v1/payments/{id}"), None).await?;
            match answer.status {
                200 => payment(&super::json(&answer)?).map(Some),
                _ if answer.is_unknown() => Ok(None),
                _ => Err(unclear(&answer)),
            }
        }
        .boxed()
    }

    fn cancel<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Answer<ProviderPayment>> {
        // Cancelling twice changes nothing, so the payment itself is key enough.
        async move {
            let (body, key) = (json!({ "status": "cancelled" }), format!("cancel-{id}"));
            let path = format!("/v1/payments/{id}");
            let answer = self.call(Method::PUT, &path, Some((&body, &key))).await?;
            match answer.status {
                200 => payment(&super::json(&answer)?),
                // It was paid or ran out meanwhile.
                _ if answer.is_refusal() => self.fetch(id).await?.ok_or_else(|| failure(&answer)),
                _ => Err(unclear(&answer)),
            }
        }
        .boxed()
    }

    fn refund<'a>(&'a self, request: &'a RefundRequest) -> BoxFuture<'a, Answer<ProviderRefund>> {
        // Always with the amount: without one the provider gives back whatever is left, which may
        // be less than we think.
        async move {
            let body = json!({ "amount": request.amount });
            let path = format!("/v1/payments/{}/refunds", request.payment);
            let key = request.refund.as_str();
            let answer = self.call(Method::POST, &path, Some((&body, key))).await?;
            match answer.status {
                200 | 201 => refund(&super::json(&answer)?).ok_or_else(garbage),
                _ => Err(failure(&answer)),
            }
        }
        .boxed()
    }

    fn fetch_refund<'a>(
        &'a self,
        payment: &'a str,
        id: &'a str,
    ) -> BoxFuture<'a, Answer<Option<ProviderRefund>>> {
        async move {
            let path = format!("/v1/payments/{payment}/refunds/{id}");
            let answer = self.call(Method::GET, &path, None).await?;
            match answer.status {
                200 => refund(&super::json(&answer)?).map(Some).ok_or_else(garbage),
                _ if answer.is_unknown() => Ok(None),
                _ => Err(unclear(&answer)),
            }
        }
        .boxed()
    }
}

impl PixAndCards for MercadoPago {
    fn create_pix<'a>(&'a self, request: &'a PixRequest) -> BoxFuture<'a, Answer<ProviderPayment>> {
        let key = request.payment.as_str();
        let mut body = self.body(key, &request.order_number, request.amount, &request.payer);
        body["payment_method_id"] = "pix".into();
        body["date_of_expiration"] = local(request.expires_at.plus(MARGIN)).into();
        self.create(key, body).boxed()
    }

    fn charge_card<'a>(
        &'a self,
        request: &'a CardRequest,
    ) -> BoxFuture<'a, Answer<ProviderPayment>> {
        let key = request.payment.as_str();
        let mut body = self.body(key, &request.order_number, request.amount, &request.payer);
        body["token"] = request.token.reveal().into();
        body["payment_method_id"] = request.payment_method_id.as_str().into();
        body["installments"] = request.installments.into();
        body["binary_mode"] = false.into();
        if let Some(issuer) = request.issuer_id {
            body["issuer_id"] = issuer.into();
        }
        self.create(key, body).boxed()
    }

    fn find<'a>(&'a self, order_number: &'a str) -> BoxFuture<'a, Answer<Vec<ProviderPayment>>> {
        async move {
            let (mut all, mut seen) = (Vec::new(), 0);
            for _ in 0..MOST_PAGES {
                let found = self.search(order_number, seen).await?;
                let page = found["results"].as_array().ok_or_else(garbage)?;
                all.extend(page.iter().filter_map(found_payment));
                seen += page.len();
                let total = found["paging"]["total"].as_u64();
                if page.is_empty() || total.is_none_or(|total| seen as u64 >= total) {
                    return Ok(all);
                }
            }
            Err(ProviderError::Unclear("it has too many payments of the order".to_owned()))
        }
        .boxed()
    }
}

impl MercadoPago {
    /// A page of an order's payments, the latest first.
    async fn search(&self, order_number: &str, offset: usize) -> Answer<Value> {
        let path = format!(
            "/v1/payments/search?external_reference={order_number}\
             &sort=date_created&criteria=desc&limit={PAGE}&offset={offset}"
        );
        let answer = self.call(Method::GET, &path, None).await?;
        if answer.status != 200 {
            return Err(unclear(&answer));
        }
        super::json(&answer)
    }
}

fn who(payer: &Payer) -> Value {
    let (first, last) = payer.name.split_once(' ').unwrap_or((&payer.name, ""));
    let mut who = json!({ "email": payer.email, "first_name": first, "last_name": last });
    if let Some(cpf) = &payer.cpf {
        who["identification"] = json!({ "type": "CPF", "number": cpf });
    }
    who
}

/// An instant as the provider wants it: in Brasília's time, with its offset.
fn local(at: Timestamp) -> String {
    at.minus(Duration::from_secs(3 * 60 * 60)).to_string().replace('Z', "-03:00")
}

/// What an answer that is no success means. Only codes are read from it: its messages may quote
/// what was sent.
fn failure(answer: &HttpAnswer) -> ProviderError {
    if !answer.is_refusal() {
        return unclear(answer);
    }
    let body = super::json(answer).unwrap_or_default();
    let causes = body["cause"].as_array().cloned().unwrap_or_default();
    let codes: Vec<String> = causes.iter().filter_map(|cause| code(&cause["code"])).collect();
    if codes.iter().any(|code| TOKEN_CODES.contains(&code.as_str())) {
        return ProviderError::InvalidToken;
    }
    ProviderError::Refused(codes.into_iter().next().unwrap_or_else(|| answer.status.to_string()))
}

fn payment(object: &Value) -> Answer<ProviderPayment> {
    parse_payment(object).ok_or_else(garbage)
}

/// An entry of a search. Of one that cannot be read only its id and its attempt are told, if they
/// are there: it must not hide the others, and its attempt asks about it by its id from then on.
fn found_payment(object: &Value) -> Option<ProviderPayment> {
    let read = parse_payment(object);
    if read.is_none() {
        let id = code(&object["id"]);
        tracing::warn!(id, "a payment that the provider found cannot be read");
    }
    read.or_else(|| {
        let (method, status) = (PaymentMethod::Pix, ProviderStatus::Pending);
        let entry = ProviderPayment::new(code(&object["id"])?, method, status, Money::ZERO, "BRL");
        Some(ProviderPayment { attempt: attempt(object), ..entry })
    })
}

fn attempt(object: &Value) -> Option<PaymentId> {
    object["metadata"]["payment_id"].as_str().map(Into::into)
}

fn parse_payment(object: &Value) -> Option<ProviderPayment> {
    let id = code(&object["id"])?;
    let method = match object["payment_type_id"].as_str() {
        Some("bank_transfer") => PaymentMethod::Pix,
        None if object["payment_method_id"] == "pix" => PaymentMethod::Pix,
        _ => PaymentMethod::CreditCard,
    };
    let detail = object["status_detail"].as_str().unwrap_or_default();
    let status = status(object["status"].as_str()?, detail);
    let amount = amount(&object["transaction_amount"])?;
    let currency = object["currency_id"].as_str().unwrap_or("BRL").to_uppercase();
    // Disputes have no id of their own here: one of a payment goes by the payment's.
    let won = (object["status"] == "charged_back" && detail == "reimbursed")
        .then(|| ProviderDispute { id: id.clone(), amount, status: ProviderDisputeStatus::Won });
    let report = ProviderPayment::new(id, method, status, amount, currency);
    let pix = &object["point_of_interaction"]["transaction_data"];
    let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    Some(ProviderPayment {
        attempt: attempt(object),
        reference: text(&object["external_reference"]),
        refunded: refunded(object),
        disputes: won.into_iter().collect(),
        failure_code: (status == ProviderStatus::Failed).then(|| code(&detail.into())).flatten(),
        pix_code: text(&pix["qr_code"]),
        pix_picture: text(&pix["qr_code_base64"]),
        expires_at: object["date_of_expiration"].as_str().and_then(|at| at.parse().ok()),
        installments: object["installments"].as_i64(),
        last_four: text(&object["card"]["last_four_digits"]),
        ..report
    })
}

fn status(status: &str, detail: &str) -> ProviderStatus {
    match (status, detail) {
        ("approved", _) | ("charged_back", "reimbursed") => ProviderStatus::Paid,
        ("rejected", _) => ProviderStatus::Failed,
        ("cancelled" | "canceled", "expired") => ProviderStatus::Expired,
        ("cancelled" | "canceled", _) => ProviderStatus::Cancelled,
        ("refunded", _) => ProviderStatus::Refunded,
        ("charged_back", _) => ProviderStatus::ChargedBack,
        // `pending`, `in_process`, `authorized`, and what they may think of next.
        _ => ProviderStatus::Pending,
    }
}

/// What went back: the provider's own sum, else that of its list.
fn refunded(object: &Value) -> Money {
    let list = || {
        let each = object["refunds"].as_array().into_iter().flatten();
        each.filter_map(|refund| amount(&refund["amount"])).sum()
    };
    amount(&object["transaction_amount_refunded"]).unwrap_or_else(list)
}

/// An amount as a JSON number in reais, without a detour through a float.
fn amount(value: &Value) -> Option<Money> {
    let exact: Decimal = match value {
        Value::Number(number) => number.to_string().parse().ok()?,
        Value::String(text) => text.parse().ok()?,
        _ => return None,
    };
    let cents = exact.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero);
    Money::try_from(cents).ok().filter(|amount| *amount >= Money::ZERO)
}

fn refund(object: &Value) -> Option<ProviderRefund> {
    let status = match object["status"].as_str() {
        Some("approved") | None => ProviderRefundStatus::Done,
        Some("rejected" | "cancelled" | "canceled") => ProviderRefundStatus::Failed,
        Some(_) => ProviderRefundStatus::Pending,
    };
    Some(ProviderRefund { id: code(&object["id"])?, status })
}
