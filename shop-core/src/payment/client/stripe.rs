//! Stripe: payment intents.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use hyper::Method;
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use serde_json::Value;

use super::{code, garbage, is_id, send, unclear};
use crate::config::{Provider2Config, Secret};
use crate::http_client::{Answer as HttpAnswer, Call, Http, HttpError};
use crate::money::Money;
use crate::payment::provider::{
    Answer, IntentRequest, Intents, PaymentProvider, ProviderDispute, ProviderError,
    ProviderPayment, ProviderRefund, ProviderRefundStatus, ProviderStatus, RefundRequest,
};
use crate::payment::stripe_object;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const STRIPE_VERSION: HeaderName = HeaderName::from_static("stripe-version");
/// The version whose shapes are read here, whatever the account's default is.
const VERSION: HeaderValue = HeaderValue::from_static("2026-10-28.endive");
const FORM: HeaderValue = HeaderValue::from_static("application/x-www-form-urlencoded");

pub(super) struct Stripe {
    url: String,
    key: Secret,
    http: Http,
}

impl Stripe {
    pub(super) fn new(config: &Provider2Config, http: &Http) -> Option<Self> {
        let (url, key) = (config.url.clone(), config.secret_key.clone()?);
        Some(Self { url, key, http: http.clone() })
    }

    fn prepared(&self, method: Method, path: &str, body: String) -> Result<Call, HttpError> {
        let call = Call::new(method, &self.url, path, body.into())?.bearer(&self.key)?;
        Ok(call.header(STRIPE_VERSION, VERSION))
    }

    async fn get(&self, path: &str) -> Answer<HttpAnswer> {
        send(&self.http, self.prepared(Method::GET, path, String::new())).await
    }

    async fn post(
        &self,
        path: &str,
        form: &[(&str, &str)],
        key: Option<&str>,
    ) -> Answer<HttpAnswer> {
        let body = serde_urlencoded::to_string(form);
        let body = body.map_err(|error| ProviderError::Unclear(error.to_string()))?;
        let call = self.prepared(Method::POST, path, body);
        let call = call.and_then(|call| {
            let call = call.header(CONTENT_TYPE, FORM);
            match key {
                Some(key) => call.secret(IDEMPOTENCY_KEY, key),
                None => Ok(call),
            }
        });
        send(&self.http, call).await
    }

    /// The disputes of an intent. That a charge is `disputed` it says for good, also after they
    /// were won.
    async fn disputes(&self, intent: &str) -> Answer<Vec<ProviderDispute>> {
        let path = format!("/v1/disputes?payment_intent={intent}&limit=100");
        let answer = self.get(&path).await?;
        if answer.status != 200 {
            return Err(unclear(&answer));
        }
        let found = super::json(&answer)?;
        let found = found["data"].as_array().ok_or_else(garbage)?;
        Ok(found.iter().filter_map(|object| stripe_object::dispute(object, intent)).collect())
    }
}

impl PaymentProvider for Stripe {
    fn fetch<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Answer<Option<ProviderPayment>>> {
        async move {
            if !is_id(id) {
                return Ok(None);
            }
            let path = format!("/v1/payment_intents/{id}?expand[]=latest_charge");
            let answer = self.get(&path).await?;
            match answer.status {
                200 => {
                    let object = super::json(&answer)?;
                    let disputed = object["latest_charge"]["disputed"] == true;
                    let disputes = if disputed { self.disputes(id).await? } else { Vec::new() };
                    intent(&object).map(|report| Some(ProviderPayment { disputes, ..report }))
                }
                _ if answer.is_unknown() => Ok(None),
                _ => Err(unclear(&answer)),
            }
        }
        .boxed()
    }

    fn cancel<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Answer<ProviderPayment>> {
        async move {
            let path = format!("/v1/payment_intents/{id}/cancel");
            let form = [("cancellation_reason", "abandoned")];
            // Without a key, with which a refusal would be repeated for a day, whatever became of
            // the intent meanwhile. Cancelling twice is the same as once.
            let answer = self.post(&path, &form, None).await?;
            match answer.status {
                200 => intent(&super::json(&answer)?),
                // It was completed or cancelled meanwhile.
                _ if answer.is_refusal() => self.fetch(id).await?.ok_or_else(|| failure(&answer)),
                _ => Err(unclear(&answer)),
            }
        }
        .boxed()
    }

    fn refund<'a>(&'a self, request: &'a RefundRequest) -> BoxFuture<'a, Answer<ProviderRefund>> {
        async move {
            let amount = request.amount.cents().to_string();
            let form = [
                ("payment_intent", request.payment.as_str()),
                ("amount", &amount),
                ("reason", "requested_by_customer"),
                ("metadata[refund_id]", request.refund.as_str()),
            ];
            let answer = self.post("/v1/refunds", &form, Some(request.refund.as_str())).await?;
            match answer.status {
                200 | 201 => refund(&super::json(&answer)?).ok_or_else(garbage),
                _ => Err(failure(&answer)),
            }
        }
        .boxed()
    }

    fn fetch_refund<'a>(
        &'a self,
        _: &'a str,
        id: &'a str,
    ) -> BoxFuture<'a, Answer<Option<ProviderRefund>>> {
        async move {
            let answer = self.get(&format!("/v1/refunds/{id}")).await?;
            match answer.status {
                200 => refund(&super::json(&answer)?).map(Some).ok_or_else(garbage),
                _ if answer.is_unknown() => Ok(None),
                _ => Err(unclear(&answer)),
            }
        }
        .boxed()
    }
}

impl Intents for Stripe {
    fn create_intent<'a>(
        &'a self,
        request: &'a IntentRequest,
    ) -> BoxFuture<'a, Answer<ProviderPayment>> {
        async move {
            let amount = request.amount.cents().to_string();
            let about = format!("Pedido {}", request.order_number);
            let form = [
                ("amount", amount.as_str()),
                ("currency", "brl"),
                ("automatic_payment_methods[enabled]", "true"),
                ("metadata[order_id]", &request.order_id),
                ("metadata[order_number]", &request.order_number),
                ("metadata[payment_id]", request.payment.as_str()),
                ("description", &about),
            ];
            let key = Some(request.payment.as_str());
            let answer = self.post("/v1/payment_intents", &form, key).await?;
            match answer.status {
                200 | 201 => intent(&super::json(&answer)?),
                _ => Err(failure(&answer)),
            }
        }
        .boxed()
    }
}

/// What an answer that is no success means. Only its code is read: its message may quote what was
/// sent. A key that was used for another request says nothing about this one.
fn failure(answer: &HttpAnswer) -> ProviderError {
    let body = super::json(answer).unwrap_or_default();
    let error = &body["error"];
    if !answer.is_refusal() || error["type"] == "idempotency_error" {
        return unclear(answer);
    }
    ProviderError::Refused(code(&error["code"]).unwrap_or_else(|| answer.status.to_string()))
}

fn intent(object: &Value) -> Answer<ProviderPayment> {
    let charge = &object["latest_charge"];
    let failed = !object["last_payment_error"].is_null();
    let (status, amount) = match object["status"].as_str() {
        Some("succeeded") => (ProviderStatus::Paid, "amount_received"),
        Some("canceled") => (ProviderStatus::Cancelled, "amount"),
        Some("processing") => (ProviderStatus::InProcess, "amount"),
        Some("requires_payment_method") if failed => (ProviderStatus::Failed, "amount"),
        // Other statuses, also those they may think of next, decide nothing.
        _ => (ProviderStatus::Pending, "amount"),
    };
    let report = stripe_object::intent(object, status, amount).ok_or_else(garbage)?;
    let refunded = charge["amount_refunded"].as_i64().map_or(Money::ZERO, Money::from_cents);
    Ok(ProviderPayment { refunded, ..report })
}

fn refund(object: &Value) -> Option<ProviderRefund> {
    let status = match object["status"].as_str() {
        Some("succeeded") => ProviderRefundStatus::Done,
        Some("failed" | "canceled") => ProviderRefundStatus::Failed,
        _ => ProviderRefundStatus::Pending,
    };
    Some(ProviderRefund { id: code(&object["id"])?, status })
}
