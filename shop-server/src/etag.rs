//! Validators: a client that still has the very bytes need not get them again.

use bytes::Bytes;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue, IF_NONE_MATCH};
use hyper::{Response, StatusCode};
use xxhash_rust::xxh3::xxh3_128;

use crate::payload::Payload;

/// Bytes with everything that an answer says about them, ready to be sent again and again.
#[derive(Debug, Clone)]
pub(crate) struct Tagged {
    pub(crate) body: Bytes,
    pub(crate) content_type: HeaderValue,
    pub(crate) cache_control: HeaderValue,
    etag: HeaderValue,
}

impl Tagged {
    pub(crate) fn new(body: Bytes, content_type: HeaderValue, cache_control: HeaderValue) -> Self {
        let etag = tag_of(&body);
        Self { body, content_type, cache_control, etag }
    }

    /// 200 with the bytes, or 304 where the request's `If-None-Match` names them.
    pub(crate) fn answer(&self, request: &HeaderMap) -> Response<Payload> {
        let known = knows(request, &self.etag);
        let mut response =
            Response::new(if known { Bytes::new() } else { self.body.clone() }.into());
        let headers = response.headers_mut();
        // With what `app.rs` adds it stays at one allocation.
        headers.reserve(6);
        headers.insert(ETAG, self.etag.clone());
        headers.insert(CACHE_CONTROL, self.cache_control.clone());
        if known {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        } else {
            headers.insert(CONTENT_TYPE, self.content_type.clone());
        }
        response
    }
}

/// Gives an answer a tag, unless it has one, and takes its bytes back where the request's
/// `If-None-Match` names them. Whatever else it says stays.
pub(crate) fn tag(mut response: Response<Payload>, request: &HeaderMap) -> Response<Payload> {
    let own = response.headers().get(ETAG).cloned();
    // What comes piece by piece has no tag but its own.
    let Some(etag) = own.or_else(|| response.body().whole().map(tag_of)) else { return response };
    if knows(request, &etag) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        *response.body_mut() = Bytes::new().into();
        response.headers_mut().remove(CONTENT_TYPE);
    }
    response.headers_mut().insert(ETAG, etag);
    response
}

/// Only accidents must not collide, so the fastest hash of 128 bits will do.
fn tag_of(body: &Bytes) -> HeaderValue {
    let etag = format!("\"{:032x}\"", xxh3_128(body));
    HeaderValue::from_str(&etag).unwrap_or(HeaderValue::from_static("\"\""))
}

/// Whether a request's `If-None-Match`, on however many lines, names a tag.
fn knows(request: &HeaderMap, etag: &HeaderValue) -> bool {
    request.get_all(IF_NONE_MATCH).iter().any(|tags| names(tags, etag))
}

/// Whether a list of tags holds this one. A weak tag counts: caches weaken ours when they compress.
/// A star stands alone, and means whatever there is.
fn names(tags: &HeaderValue, etag: &HeaderValue) -> bool {
    let (Ok(tags), Ok(etag)) = (tags.to_str(), etag.to_str()) else { return false };
    let strong = |tag: &str| tag.strip_prefix("W/").unwrap_or(tag) == etag;
    tags.trim() == "*" || tags.split(',').map(str::trim).any(strong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(if_none_match: Option<&str>) -> StatusCode {
        let nothing = HeaderValue::from_static("x");
        let tagged = Tagged::new(Bytes::from_static(b"velas"), nothing.clone(), nothing);
        let mut request = HeaderMap::new();
        let own = tagged.etag.to_str().expect("text").to_owned();
        if let Some(tags) = if_none_match {
            let tags = tags.replace("OWN", &own);
            request.insert(IF_NONE_MATCH, tags.parse().expect("a value"));
        }
        tagged.answer(&request).status()
    }

    #[test]
    fn bytes_are_not_sent_again_to_a_client_that_has_them() {
        assert_eq!(status(None), StatusCode::OK);
        for tags in ["\"other\"", "", "\"\"", "\"a,*,b\"", "w/OWN", "W/W/OWN", "OWN\""] {
            assert_eq!(status(Some(tags)), StatusCode::OK, "{tags}");
        }
        for tags in ["OWN", "*", " * ", "\"a\", OWN", "W/OWN", "\"a,b\",W/OWN , \"c\""] {
            assert_eq!(status(Some(tags)), StatusCode::NOT_MODIFIED, "{tags}");
        }
    }
}
