//! The one place that knows what a failure looks like outside: its status, its text for people in
//! Brazilian Portuguese, and its stable code for programs (docs/errors.md).
//!
//! Every failure has a decision here: those of the server are matched without a `_` arm, those of
//! the library have codes, and a test holds that the catalogue has an entry for each.

mod catalogue;
mod refusal;

use std::borrow::Cow;
use std::time::Duration;

use bytes::Bytes;
use hyper::Response;
use hyper::header::{ALLOW, CONNECTION, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER};
use serde::Serialize;
use shop_core::Error;
use shop_core::error::with_causes;

pub(crate) use self::catalogue::Code;
use crate::output::JSON;
use crate::payload::Payload;
use crate::portuguese::FieldTexts;
use crate::rate_limit::TooMany;
use crate::request_id::RequestId;

/// Why a request was not done: the shop said no, or it never got that far.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The shop said no.
    Shop(Error),
    /// An order names a coupon that there is not.
    UnknownCoupon,
    /// No row has the path.
    NoSuchPath,
    /// Rows have the path, but none the method; with what `Allow` says.
    NoSuchMethod(HeaderValue),
    /// It is not clear which host the request is for.
    BadHost,
    /// A page of another origin made a browser send it with its cookie.
    ForeignOrigin,
    /// One call too many.
    TooMany(TooMany),
    /// The body says that it is something else than JSON.
    NotJson,
    /// The body is compressed.
    Encoded,
    /// The body is no form with files.
    NotMultipart,
    /// The body says that it is a form, but its parts cannot be told apart.
    MalformedForm,
    /// The body is no JSON, or no UTF-8.
    MalformedJson,
    /// The body or the query is not what the row takes.
    Invalid(FieldTexts),
    /// The body is JSON, but not what a row takes that answers so with 422.
    Unprocessable(FieldTexts),
    /// The body is larger than the row allows.
    TooLarge,
    /// The body did not come in time.
    TooSlow,
    /// The body ended before its end.
    BrokenBody,
    /// The handler panicked.
    Panic,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Shop(error)
    }
}

impl Failure {
    /// Whether the input could not even be read, so that nothing was done for it.
    pub(crate) fn is_unreadable(&self) -> bool {
        matches!(
            self,
            Self::NotJson
                | Self::Encoded
                | Self::NotMultipart
                | Self::MalformedForm
                | Self::MalformedJson
                | Self::Invalid(_)
        )
    }
}

/// What a failure looks like outside.
struct Reply {
    code: Code,
    text: Cow<'static, str>,
    details: Option<FieldTexts>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    error: &'a str,
    code: &'a str,
    request_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<&'a FieldTexts>,
}

/// The answer to a request that failed. What only the shop's people may know is logged here, once.
pub(crate) fn render(failure: Failure, request: RequestId) -> Response<Payload> {
    log(&failure, request);
    let Reply { code, text, details, headers } = reply(failure);
    let body = Body {
        error: &text,
        code: code.as_str(),
        request_id: request.as_str(),
        details: details.as_ref(),
    };
    let body = serde_json::to_vec(&body).unwrap_or_default();
    let mut response = Response::new(Bytes::from(body).into());
    *response.status_mut() = code.status();
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response.headers_mut().extend(headers.into_iter().map(|(name, value)| (Some(name), value)));
    response
}

fn log(failure: &Failure, request: RequestId) {
    match failure {
        Failure::Shop(Error::Internal(source)) => {
            tracing::error!(%request, error = %with_causes(&**source), "internal error");
        }
        Failure::Shop(Error::StorageUnavailable { source, .. }) => {
            tracing::error!(%request, error = %with_causes(&**source), "the database cannot be used");
        }
        Failure::Shop(Error::Provider { name, source }) => {
            tracing::warn!(%request, provider = name, error = %with_causes(&**source), "provider failed");
        }
        Failure::Panic => tracing::error!(%request, "the handler panicked"),
        _ => {}
    }
}

impl Reply {
    fn of(code: Code) -> Self {
        Self { code, text: code.text().into(), details: None, headers: Vec::new() }
    }

    /// With what stands in the braces of its text. In their order, so that nothing that is filled
    /// in is taken for braces of ours.
    fn filled<const N: usize>(code: Code, fill: [(&str, String); N]) -> Self {
        let (mut text, mut rest) = (String::new(), code.text());
        for (braces, value) in fill {
            if let Some((before, after)) = rest.split_once(braces) {
                text.push_str(before);
                text.push_str(&value);
                rest = after;
            }
        }
        text.push_str(rest);
        Self { text: text.into(), ..Self::of(code) }
    }

    fn details(self, details: FieldTexts) -> Self {
        Self { details: Some(details), ..self }
    }

    fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// Part of the body may still be under way, so the connection cannot be used again.
    fn close(self) -> Self {
        self.header(CONNECTION, HeaderValue::from_static("close"))
    }
}

fn reply(failure: Failure) -> Reply {
    match failure {
        Failure::Shop(error) => refusal::shop(error),
        Failure::UnknownCoupon => Reply::of(Code::CouponUnknown),
        Failure::NoSuchPath => Reply::of(Code::NotFound),
        Failure::NoSuchMethod(allow) => Reply::of(Code::MethodNotAllowed).header(ALLOW, allow),
        Failure::BadHost => Reply::of(Code::InvalidHost).close(),
        Failure::ForeignOrigin => Reply::of(Code::ForeignOrigin),
        Failure::TooMany(too_many) => rate_limited(too_many),
        Failure::NotJson => wrong_content_type("application/json"),
        Failure::Encoded => wrong_content_type("application/json, sem Content-Encoding"),
        Failure::NotMultipart => wrong_content_type("multipart/form-data").close(),
        Failure::MalformedForm => Reply::of(Code::MalformedForm).close(),
        Failure::MalformedJson => Reply::of(Code::MalformedJson),
        Failure::Invalid(texts) => Reply::of(Code::InvalidInput).details(texts),
        Failure::Unprocessable(texts) => Reply::of(Code::InvalidStructure).details(texts),
        Failure::TooLarge => Reply::of(Code::PayloadTooLarge).close(),
        Failure::TooSlow => Reply::of(Code::RequestTimeout).close(),
        Failure::BrokenBody => Reply::of(Code::BrokenBody).close(),
        Failure::Panic => Reply::of(Code::InternalError),
    }
}

/// A wait in whole minutes, rounded up, as the specification words it.
fn wait_text(wait: Duration) -> (&'static str, String) {
    let minutes = (wait.as_secs_f64() / 60.0).ceil();
    let unit = if minutes > 1.0 { "minutos" } else { "minuto" };
    ("{wait}", format!("{minutes:.0} {unit}"))
}

fn wrong_content_type(wanted: &str) -> Reply {
    Reply::filled(Code::UnsupportedContentType, [("{type}", wanted.to_owned())])
}

fn rate_limited(too_many: TooMany) -> Reply {
    let reply = Reply::filled(Code::RateLimited, [wait_text(too_many.retry_after)]);
    retry_after(reply, too_many.retry_after)
        .header(HeaderName::from_static("x-ratelimit-limit"), HeaderValue::from(too_many.max))
        .header(HeaderName::from_static("x-ratelimit-remaining"), HeaderValue::from(0))
}

/// Adds `Retry-After` in whole seconds, rounded up.
fn retry_after(reply: Reply, wait: Duration) -> Reply {
    let seconds = wait.as_millis().div_ceil(1000).try_into().unwrap_or(u64::MAX);
    reply.header(RETRY_AFTER, HeaderValue::from(seconds))
}

#[cfg(test)]
mod tests;
