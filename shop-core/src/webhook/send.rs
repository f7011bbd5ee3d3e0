//! One delivery over HTTP.

use std::time::{Duration, Instant};

use bytes::Bytes;
use hyper::Method;
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};

use super::DeliveryError;
use super::attempt::Outcome;
use super::schedule::LONGEST_RETRY_AFTER;
use super::target::Target;
use crate::clock::Timestamp;
use crate::config::Config;
use crate::error::{Error, Result};
use crate::http_client::{Answer, Call, Http, HttpError, HttpOptions};
use crate::value::WebhookUrl;

/// How long a delivery may take in all.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How much of an answer's body is kept.
const BODY_KEPT: usize = 4 * 1024;

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const EVENT: HeaderName = HeaderName::from_static("x-webhook-event");
const SIGNATURE: HeaderName = HeaderName::from_static("x-webhook-signature");
const TIMESTAMP: HeaderName = HeaderName::from_static("x-webhook-timestamp");
/// The three of Standard Webhooks.
const STANDARD_ID: HeaderName = HeaderName::from_static("webhook-id");
const STANDARD_TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
const STANDARD_SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");

/// What is sent.
pub(super) struct Message<'a> {
    /// The same each time that the event is sent to this endpoint.
    pub(super) id: &'a str,
    pub(super) event: &'a str,
    /// When this attempt is made.
    pub(super) at: Timestamp,
    pub(super) body: Bytes,
}

/// Sends to receivers outside.
#[derive(Clone)]
pub(crate) struct Sender {
    http: Http,
    allow_insecure: bool,
}

opaque! { Sender; }

impl Sender {
    pub(crate) fn new(config: &Config) -> Result<Self> {
        let allow_insecure = config.webhooks.allow_insecure;
        let options = HttpOptions {
            // Each delivery resolves the receiver's name and looks at its addresses again.
            one_request_per_connection: true,
            public_only: !allow_insecure,
            beginning: Some(BODY_KEPT),
            ..HttpOptions::default()
        };
        let http = Http::new(&config.base_url(), TIMEOUT, options).map_err(Error::from_source)?;
        Ok(Self { http, allow_insecure })
    }

    /// Makes one attempt. Whatever goes wrong is its outcome.
    pub(super) async fn send(&self, target: &Target, message: Message<'_>) -> Outcome {
        let begun = Instant::now();
        let at = message.at;
        let sent = match self.call(target, message) {
            Ok(call) => self.http.send(call).await,
            Err(error) => Err(error),
        };
        let duration_ms = i64::try_from(begun.elapsed().as_millis()).unwrap_or(i64::MAX);
        let outcome = match sent {
            Ok(answer) => answered(&answer, at),
            Err(error) => Outcome { error: Some(error.into()), ..Outcome::default() },
        };
        Outcome { duration_ms, ..outcome }
    }

    fn call(&self, target: &Target, message: Message<'_>) -> Result<Call, HttpError> {
        let is_https = target.url.parse().is_ok_and(|url: WebhookUrl| url.is_https());
        if !self.allow_insecure && !is_https {
            return Err(HttpError::Unusable("the address is not https"));
        }
        let Message { id, event, at, body } = message;
        let mut call = Call::at(Method::POST, &target.url, body.clone())?
            .header(CONTENT_TYPE, JSON)
            .header(EVENT, value(event)?)
            .header(TIMESTAMP, value(&at.to_string())?)
            .header(STANDARD_ID, value(id)?)
            .header(STANDARD_TIMESTAMP, at.seconds().into());
        // One signature, by the newest secret: receivers compare the whole header.
        if let Some(newest) = target.secrets.first() {
            let of_body = newest.sign_body(&body).map_err(unsigned)?;
            call = call.header(SIGNATURE, value(&of_body)?);
        }
        let mut signatures = Vec::new();
        for secret in &target.secrets {
            signatures.push(secret.sign_message(id, at.seconds(), &body).map_err(unsigned)?);
        }
        Ok(call.header(STANDARD_SIGNATURE, value(&signatures.join(" "))?))
    }
}

fn value(text: &str) -> Result<HeaderValue, HttpError> {
    HeaderValue::from_str(text).map_err(|_| HttpError::Unusable("it cannot stand in a header"))
}

fn unsigned(_: Error) -> HttpError {
    HttpError::Unusable("it cannot be signed")
}

fn answered(answer: &Answer, at: Timestamp) -> Outcome {
    let Answer { status, body, .. } = answer;
    // Bounded, since it is the receiver who says it.
    let retry_after = || answer.retry_after(at).map(|wait| wait.min(LONGEST_RETRY_AFTER));
    let success = (200..300).contains(status);
    let redirect = (300..400).contains(status);
    Outcome {
        success,
        status: Some(*status),
        body: Some(kept(body)),
        error: redirect.then_some(DeliveryError::Redirect),
        duration_ms: 0,
        retry_after: if success { None } else { retry_after() },
    }
}

/// A body as it is kept: text, and none of it that an engine would not take.
fn kept(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body).replace('\0', "\u{fffd}");
    let end = text.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|e| *e <= BODY_KEPT);
    text[..end.last().unwrap_or(0)].to_owned()
}

impl From<HttpError> for DeliveryError {
    fn from(error: HttpError) -> Self {
        match error {
            HttpError::Unreachable(why) => Self::Unreachable(why),
            HttpError::TooSlow => Self::Timeout(TIMEOUT.as_secs()),
            HttpError::TooLarge => Self::TooLarge,
            HttpError::NotPublic => Self::NotPublic,
            HttpError::Unusable(why) => Self::Unusable(why.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use hyper::header::{HeaderMap, RETRY_AFTER};

    use super::*;

    #[test]
    fn retry_after_is_seconds_or_a_date_and_bounded() {
        let now: Timestamp = "2026-11-21T15:00:00.000Z".parse().expect("a date");
        let wait = |text: &'static str| {
            let headers = HeaderMap::from_iter([(RETRY_AFTER, HeaderValue::from_static(text))]);
            let answer = Answer { status: 429, headers, body: Bytes::new() };
            answered(&answer, now).retry_after.map(|wait| wait.as_secs())
        };
        assert_eq!(wait("120"), Some(120));
        assert_eq!(wait("Sat, 21 Nov 2026 15:02:00 GMT"), Some(120));
        assert_eq!(wait("Sat, 21 Nov 2026 14:00:00 GMT"), Some(0));
        assert_eq!(wait("999999999"), Some(12 * 3600));
        assert_eq!(wait("18446744073709551615"), Some(12 * 3600));
        assert_eq!((wait("-1"), wait("soon"), wait("")), (None, None, None));
    }

    #[test]
    fn a_body_is_kept_as_text_up_to_four_kib_and_never_within_a_character() {
        assert_eq!(kept(b"ok"), "ok");
        assert_eq!(kept(b"a\0b\xff"), "a\u{fffd}b\u{fffd}");
        let long = "é".repeat(3000);
        assert_eq!(kept(&long.as_bytes()[..4096]).len(), 4096);
        assert_eq!(kept(&long.as_bytes()[..4095]), format!("{}", "é".repeat(2047)));
    }
}
