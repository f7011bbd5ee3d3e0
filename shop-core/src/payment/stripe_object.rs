//! Payment intents, charges and disputes as Stripe writes them, in answers and in events.

use serde_json::Value;

use super::PaymentMethod;
use super::provider::{ProviderDispute, ProviderDisputeStatus, ProviderPayment, ProviderStatus};
use crate::config::Secret;
use crate::money::Money;

/// A dispute of a payment intent; `None` for an inquiry of the bank, which takes no money.
pub(crate) fn dispute(object: &Value, intent: &str) -> Option<ProviderDispute> {
    let status = match object["status"].as_str().unwrap_or_default() {
        "won" | "prevented" => ProviderDisputeStatus::Won,
        "lost" => ProviderDisputeStatus::Lost,
        inquiry if inquiry.starts_with("warning_") => return None,
        _ => ProviderDisputeStatus::Open,
    };
    let id = object["id"].as_str().unwrap_or(intent).to_owned();
    Some(ProviderDispute { id, amount: cents(object, "amount")?, status })
}

/// A payment intent, as an event or an answer shows it.
pub(crate) fn intent(
    object: &Value,
    status: ProviderStatus,
    amount: &str,
) -> Option<ProviderPayment> {
    let currency = object["currency"].as_str()?.to_uppercase();
    let method = PaymentMethod::PaymentIntent;
    let report = ProviderPayment::new(
        object["id"].as_str()?,
        method,
        status,
        cents(object, amount)?,
        currency,
    );
    let error = &object["last_payment_error"];
    let failed = [&error["decline_code"], &error["code"]].into_iter().find_map(Value::as_str);
    Some(ProviderPayment {
        attempt: object["metadata"]["payment_id"].as_str().map(Into::into),
        reference: object["metadata"]["order_number"].as_str().map(Into::into),
        failure_code: failed.map(Into::into),
        client_secret: object["client_secret"].as_str().map(Secret::new),
        ..report
    })
}

/// A charge or a dispute, which name the intent that they belong to.
pub(crate) fn of_intent(object: &Value, status: ProviderStatus) -> Option<ProviderPayment> {
    let id = object["payment_intent"].as_str()?;
    let currency = object["currency"].as_str()?.to_uppercase();
    let method = PaymentMethod::PaymentIntent;
    Some(ProviderPayment::new(id, method, status, cents(object, "amount")?, currency))
}

pub(crate) fn cents(object: &Value, field: &str) -> Option<Money> {
    object[field].as_i64().map(Money::from_cents)
}
