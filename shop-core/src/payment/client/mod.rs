//! Payment providers over HTTP.

mod mercado_pago;
mod stripe;

use std::sync::Arc;

use serde_json::Value;

use self::mercado_pago::MercadoPago;
use self::stripe::Stripe;
use super::provider::{Answer, Intents, PixAndCards, ProviderError};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::http_client::{Answer as HttpAnswer, Call, Http, HttpError, HttpOptions};
use crate::provider_calls::{ProviderCalls, ThirdParty};

/// The providers that a configuration names.
///
/// # Errors
/// [`Error::Internal`] when an address in the configuration is none.
#[expect(clippy::type_complexity, reason = "one or none of each")]
pub(crate) fn configured(
    config: &Config,
    calls: &Arc<ProviderCalls>,
) -> Result<(Option<Arc<dyn PixAndCards>>, Option<Arc<dyn Intents>>)> {
    let payments = &config.payments;
    // On a connection that was idle a request can meet the server's closing it, and nobody would
    // know whether it was received. A handshake costs less than such a payment.
    let options = HttpOptions { one_request_per_connection: true, ..HttpOptions::default() };
    let http =
        Http::new(&config.base_url(), payments.timeout(), options).map_err(Error::from_source)?;
    let of = |provider| http.clone().counted(calls, provider);
    let mercado_pago = MercadoPago::new(config, &of(ThirdParty::Provider1));
    let stripe = Stripe::new(&payments.provider2, &of(ThirdParty::Provider2));
    Ok((
        mercado_pago.map(|it| Arc::new(it) as Arc<dyn PixAndCards>),
        stripe.map(|it| Arc::new(it) as Arc<dyn Intents>),
    ))
}

/// Makes a call. Whatever keeps an answer from coming leaves it open whether the call had its
/// effect.
async fn send(http: &Http, call: Result<Call, HttpError>) -> Answer<HttpAnswer> {
    let unclear = |error: HttpError| ProviderError::Unclear(error.to_string());
    http.send(call.map_err(unclear)?).await.map_err(unclear)
}

fn json(answer: &HttpAnswer) -> Answer<Value> {
    let unclear = |_| ProviderError::Unclear("its answer is no JSON".to_owned());
    serde_json::from_slice(&answer.body).map_err(unclear)
}

/// An answer whose status leaves it open whether the call had its effect.
fn unclear(answer: &HttpAnswer) -> ProviderError {
    match answer.retry_after_seconds() {
        Some(pause) => ProviderError::Busy(pause),
        None => ProviderError::Unclear(format!("it answered {}", answer.status)),
    }
}

/// An answer that lacks what every answer has.
fn garbage() -> ProviderError {
    ProviderError::Unclear("its answer is of no known shape".to_owned())
}

/// What may stand in a path: the ids of all providers are made of these.
fn is_id(id: &str) -> bool {
    let fine = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    (1..=128).contains(&id.len()) && id.bytes().all(fine)
}

/// A provider's code, as far as it is one: their messages may quote what was sent.
fn code(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) if text.len() <= 64 && is_id(text) => Some(text.clone()),
        _ => None,
    }
}
