//! What the answers of carriers have in common: amounts, days, codes, refusals.

use rust_decimal::{Decimal, RoundingStrategy};
use serde_json::Value;

use crate::clock::Timestamp;
use crate::http_client::{Answer, HttpError};
use crate::money::Money;
use crate::shipping::carrier::CarrierError;

/// An amount as carriers write it: a number, or a text with a point (`25.65`) or with a comma and
/// points for thousands (`1.025,65`). Finer than a cent is rounded; less than nothing is nothing
/// that one can read.
pub(crate) fn amount(value: &Value) -> Option<Money> {
    let text = match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) if text.contains(',') => text.replace('.', "").replace(',', "."),
        Value::String(text) => text.clone(),
        _ => return None,
    };
    let exact: Decimal = text.trim().parse().ok()?;
    let cents = exact.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero);
    Money::try_from(cents).ok().filter(|amount| *amount >= Money::ZERO)
}

/// Days as carriers write them: a number, or a text.
pub(crate) fn days(value: &Value) -> Option<i64> {
    let days = match value {
        Value::String(text) => text.trim().parse().ok()?,
        other => other.as_i64()?,
    };
    (0..=365).contains(&days).then_some(days)
}

/// A field's text; an empty one counts as none.
pub(crate) fn text<'v>(value: &'v Value, field: &str) -> Option<&'v str> {
    value[field].as_str().map(str::trim).filter(|text| !text.is_empty())
}

/// A code that is safe to stand in an id: a number, or a short text of letters and digits.
pub(super) fn code(value: &Value) -> Option<String> {
    let text = match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        _ => return None,
    };
    let safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    ((1..=40).contains(&text.len()) && text.chars().all(safe)).then_some(text)
}

/// Statuses by which a carrier says that this parcel is not for it. Any other that is no success
/// says that something is wrong with the carrier or with the shop's settings.
pub(super) fn is_no_offer(status: u16) -> bool {
    matches!(status, 400 | 404 | 422)
}

/// What an answer that is no success says about the carrier.
pub(super) fn refused(answer: &Answer, now: Timestamp) -> CarrierError {
    match answer.status {
        429 => CarrierError::TooManyRequests { retry_after: answer.retry_after(now) },
        status => CarrierError::Status(status),
    }
}

pub(super) fn json(body: &[u8]) -> Result<Value, CarrierError> {
    serde_json::from_slice(body).map_err(|_| CarrierError::Garbage("no JSON"))
}

impl From<HttpError> for CarrierError {
    fn from(error: HttpError) -> Self {
        match error {
            HttpError::Unreachable(why) => Self::Unreachable(why),
            HttpError::TooSlow => Self::TooSlow,
            HttpError::TooLarge => Self::TooLarge,
            HttpError::Unusable(why) => Self::Unusable(why),
            HttpError::NotPublic => Self::Unusable("the address is not a public one"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn amounts_and_days_are_read_however_they_are_written() {
        let cents = |value: Value| amount(&value).map(Money::cents);
        assert_eq!(cents(json!("25.65")), Some(2565));
        assert_eq!(cents(json!(25.65)), Some(2565));
        assert_eq!(cents(json!("1.025,65")), Some(102_565));
        assert_eq!(cents(json!("20,84")), Some(2084));
        assert_eq!(cents(json!(31)), Some(3100));
        assert_eq!(cents(json!("9.995")), Some(1000));
        for bad in [json!("-1"), json!("?"), json!(null), json!({}), json!("99999999999")] {
            assert_eq!(cents(bad.clone()), None, "{bad}");
        }
        assert_eq!((days(&json!("7")), days(&json!(7))), (Some(7), Some(7)));
        assert_eq!((days(&json!(-1)), days(&json!("soon"))), (None, None));
    }

    #[test]
    fn codes_cannot_smuggle_anything_into_an_id() {
        assert_eq!(code(&json!(17)).as_deref(), Some("17"));
        assert_eq!(code(&json!("04510")).as_deref(), Some("04510"));
        assert_eq!(code(&json!("a b")), None);
        assert_eq!(code(&json!("x".repeat(41))), None);
    }
}
