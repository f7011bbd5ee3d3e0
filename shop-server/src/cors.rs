//! Which origins may read which paths, and which may change things with a cookie
//! (docs/decisions.md, "Access").

use bytes::Bytes;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ALLOW,
    HOST, HeaderMap, HeaderValue, ORIGIN, VARY,
};
use hyper::{Response, StatusCode};
use shop_core::value::Origin;

use crate::payload::Payload;
use crate::table::Methods;

/// A part of the address space with one rule about other origins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Segment {
    /// The public catalogue: pages of every origin may read it.
    Open,
    /// `/api/v1/*`, for programs with a key.
    Integration,
    /// Everything else: only the shop's own pages and those of `allowed_origins`.
    SameOrigin,
}

const ANY: HeaderValue = HeaderValue::from_static("*");
const HEADERS: HeaderValue = HeaderValue::from_static("Authorization, Content-Type");
const INTEGRATION_METHODS: HeaderValue =
    HeaderValue::from_static("GET, POST, PATCH, DELETE, OPTIONS");
const TRUE: HeaderValue = HeaderValue::from_static("true");
/// What pages of `allowed_origins` may send: all that the API takes.
const ALL_HEADERS: HeaderValue = HeaderValue::from_static(
    "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Order-Token",
);
/// What pages of other origins may read of an answer besides its body.
const EXPOSED: HeaderValue = HeaderValue::from_static(
    "Content-Disposition, ETag, Idempotency-Replayed, RateLimit-Limit, RateLimit-Remaining, \
     RateLimit-Reset, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-Request-Id, \
     X-Total-Count",
);
/// How long a browser need not ask again, in seconds.
const PREFLIGHT_AGE: HeaderValue = HeaderValue::from_static("600");

impl Segment {
    /// The segment of a path, or of a row's pattern.
    pub(crate) fn of(path: &str) -> Self {
        let Some(rest) = path.strip_prefix("/api/") else { return Self::SameOrigin };
        match rest.split('/').next() {
            Some("products" | "categories" | "shipping" | "coupons") => Self::Open,
            Some("v1") => Self::Integration,
            _ => Self::SameOrigin,
        }
    }

    /// Adds what every answer of the segment says.
    pub(crate) fn mark(self, headers: &mut HeaderMap) {
        match self {
            Self::SameOrigin => {}
            Self::Open => {
                headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, ANY);
            }
            Self::Integration => {
                headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, ANY);
                headers.entry(ACCESS_CONTROL_ALLOW_METHODS).or_insert(INTEGRATION_METHODS);
                headers.entry(ACCESS_CONTROL_ALLOW_HEADERS).or_insert(HEADERS);
                headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
            }
        }
    }
}

/// Lets a page of a listed origin read the answer to a call that carries its cookies.
pub(crate) fn admit(asked: &HeaderMap, listed: &[Origin], headers: &mut HeaderMap) {
    if listed.is_empty() {
        return;
    }
    headers.append(VARY, HeaderValue::from_name(ORIGIN));
    if let Some(origin) = listed_origin(asked, listed) {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        headers.insert(ACCESS_CONTROL_ALLOW_CREDENTIALS, TRUE);
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    }
}

/// The `Origin` that a request has, if it is one of these.
fn listed_origin<'h>(asked: &'h HeaderMap, listed: &[Origin]) -> Option<&'h HeaderValue> {
    let value = asked.get(ORIGIN)?;
    let origin: Origin = value.to_str().ok()?.parse().ok()?;
    listed.contains(&origin).then_some(value)
}

/// The answer to `OPTIONS`.
pub(crate) fn preflight(
    methods: &Methods,
    asked: &HeaderMap,
    listed: &[Origin],
) -> Response<Payload> {
    let mut response = Response::new(Bytes::new().into());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(ALLOW, methods.allow.clone());
    if methods.segment == Segment::Open {
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, methods.allow.clone());
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HEADERS);
    }
    let is_listed = listed_origin(asked, listed).is_some();
    if is_listed {
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, methods.allow.clone());
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, ALL_HEADERS);
    }
    if is_listed || methods.segment != Segment::SameOrigin {
        headers.insert(ACCESS_CONTROL_MAX_AGE, PREFLIGHT_AGE);
    }
    response
}

/// Whether a page of another origin than the shop's own ones made the browser send this. Programs
/// send no `Origin`; browsers do with every request that changes something. Where the shop's
/// cookies are `Secure`, a page that came by plain http may be anybody's on the way.
pub(crate) fn is_foreign(headers: &HeaderMap, own: &[Origin], secure: bool) -> bool {
    let mut origins = headers.get_all(ORIGIN).into_iter();
    let Some(origin) = origins.next() else { return false };
    let Some(origin) = origin.to_str().ok().and_then(|text| text.parse::<Origin>().ok()) else {
        return true;
    };
    if origins.next().is_some() {
        return true;
    }
    if secure && origin.scheme() != "https" {
        return !own.contains(&origin);
    }
    // Behind a proxy the scheme is not known here; the host is what a page cannot forge.
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let here = format!("{}://{host}", origin.scheme()).parse().ok();
    !own.contains(&origin) && here != Some(origin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_segment_is_the_first_part_of_the_path() {
        assert_eq!(Segment::of("/api/products/{slug}"), Segment::Open);
        assert_eq!(Segment::of("/api/products-of-mine"), Segment::SameOrigin);
        assert_eq!(Segment::of("/api/v1/orders"), Segment::Integration);
        assert_eq!(Segment::of("/api/orders"), Segment::SameOrigin);
        assert_eq!(Segment::of("/uploads/x"), Segment::SameOrigin);
    }

    #[test]
    fn an_origin_is_ours_by_the_configured_address_or_by_the_host() {
        let own = ["https://loja.example", "https://app.example"]
            .map(|origin| origin.parse::<Origin>().expect("an origin"));
        let foreign = |origin: &str, host: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(ORIGIN, origin.parse().expect("a value"));
            headers.insert(HOST, host.parse().expect("a value"));
            is_foreign(&headers, &own, false)
        };
        assert!(!foreign("https://loja.example", "10.0.0.7:8080"));
        assert!(!foreign("https://loja.example:443", "10.0.0.7:8080"));
        assert!(!foreign("HTTPS://App.example", "10.0.0.7:8080"));
        assert!(!foreign("https://outra.example", "outra.example:443"));
        assert!(!foreign("http://outra.example:80", "outra.example"));
        assert!(foreign("http://loja.example", "10.0.0.7:8080"));
        assert!(foreign("https://outra.example", "outra.example:80"));
        assert!(!foreign("http://127.0.0.1:8080", "127.0.0.1:8080"));
        assert!(!foreign("https://admin.loja.example", "Admin.loja.example"));
        assert!(foreign("https://loja.example.evil.test", "loja.example"));
        assert!(foreign("http://127.0.0.1:8081", "127.0.0.1:8080"));
        assert!(foreign("null", "loja.example"));
        assert!(foreign("", ""));
        assert!(!is_foreign(&HeaderMap::new(), &own, false));
    }
}
