//! What handlers answer with: values that render and describe themselves.

use bytes::Bytes;
use futures_util::future::ready;
use futures_util::stream::{self, BoxStream, StreamExt};
use hyper::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue,
    SET_COOKIE,
};
use hyper::{Response, StatusCode};
use schemars::JsonSchema;
use serde::Serialize;
use shop_core::catalog::{AdminVariant, Category, Product, Review, VariantOption, VariantType};
use shop_core::coupon::Coupon;
use shop_core::inventory::ItemStock;
#[cfg(feature = "nfe")]
use shop_core::invoicing::FiscalDetail;
use shop_core::order_return::OrderReturn;
use shop_core::revision::Revision;
use shop_core::shipping::Tariff;
use shop_core::site::Analytics;
use shop_core::webhook::WebhookEndpoint;
use shop_core::{Error, Result};

use crate::openapi::{Header, Operation, Schemas};
use crate::payload::Payload;

/// The content type of every JSON answer.
pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=utf-8");
/// That of every list as a file.
pub(crate) const CSV: HeaderValue = HeaderValue::from_static("text/csv; charset=utf-8");

/// What a handler may answer with.
pub(crate) trait Output: Send + 'static {
    /// # Errors
    /// [`Error::Internal`] when the value cannot be written.
    fn render(self) -> Result<Response<Payload>>;

    fn describe(operation: &mut Operation, schemas: &mut Schemas);
}

/// 201 with what was created.
pub(crate) struct Created<T>(pub(crate) T);

/// What there is to say when there is nothing to show.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Message {
    /// For people.
    message: &'static str,
}

impl Message {
    pub(crate) fn new(message: &'static str) -> Self {
        Self { message }
    }
}

/// An answer with more headers.
pub(crate) struct WithHeaders<O>(pub(crate) O, pub(crate) HeaderMap);

impl<O> WithHeaders<O> {
    /// An answer that sets a cookie.
    ///
    /// # Errors
    /// When its text cannot stand in a header.
    pub(crate) fn cookie(output: O, cookie: &str) -> Result<Self> {
        Self(output, HeaderMap::new()).and_cookie(cookie)
    }

    /// The same answer with one more cookie.
    ///
    /// # Errors
    /// When its text cannot stand in a header.
    pub(crate) fn and_cookie(mut self, cookie: &str) -> Result<Self> {
        let cookie = HeaderValue::from_str(cookie).map_err(Error::from_source)?;
        self.1.append(SET_COOKIE, cookie);
        Ok(self)
    }
}

/// An answer that says whether it repeats an earlier one, with the same body (docs/decisions.md,
/// "Orders and stock").
pub(crate) struct Replayed<O>(pub(crate) O, pub(crate) bool);

const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// An answer with an `ETag` that names the state of what it shows, for the `If-Match` of a change.
pub(crate) struct Versioned<O>(pub(crate) O, pub(crate) Revision);

/// A resource whose state has a name.
pub(crate) trait Revised {
    /// # Errors
    /// [`Error::Internal`] when the resource cannot be written.
    fn revision(&self) -> Result<Revision>;
}

macro_rules! revised {
    ($($resource:ty),+) => {$(
        impl Revised for $resource {
            fn revision(&self) -> Result<Revision> {
                <$resource>::revision(self)
            }
        }
    )+};
}

revised!(AdminVariant, Analytics, Category, Coupon, ItemStock, OrderReturn, Product, Review);
revised!(Tariff);
revised!(VariantOption, VariantType, WebhookEndpoint);
#[cfg(feature = "nfe")]
revised!(FiscalDetail);

impl<T: Revised> Versioned<T> {
    /// 200 with a resource and its state.
    pub(crate) fn of(resource: T) -> Result<Self> {
        let revision = resource.revision()?;
        Ok(Self(resource, revision))
    }
}

impl<T: Revised> Versioned<Created<T>> {
    /// 201 with what was created and its state.
    pub(crate) fn created(resource: T) -> Result<Self> {
        let revision = resource.revision()?;
        Ok(Self(Created(resource), revision))
    }
}

/// 200 with bytes of some other type.
pub(crate) struct File {
    pub(crate) content_type: HeaderValue,
    pub(crate) body: Bytes,
}

/// A file to be saved under this name, which has no quotes.
#[cfg(feature = "nfe")]
pub(crate) fn attachment(
    name: &str,
    content_type: &'static str,
    body: Bytes,
) -> Result<WithHeaders<File>> {
    let disposition = HeaderValue::from_str(&format!("attachment; filename={name}"));
    let disposition = disposition.map_err(Error::from_source)?;
    let content_type = HeaderValue::from_static(content_type);
    let file = File { content_type, body };
    Ok(WithHeaders(file, HeaderMap::from_iter([(CONTENT_DISPOSITION, disposition)])))
}

/// 200 with a file that is read while it is sent, and its tag.
pub(crate) struct StoredFile {
    pub(crate) content_type: HeaderValue,
    pub(crate) etag: Option<HeaderValue>,
    pub(crate) content: Payload,
}

/// 200 with a file to be saved under a name, which comes while it is sent.
pub(crate) struct Download {
    pub(crate) content_type: HeaderValue,
    /// Plain ASCII, without quotes.
    pub(crate) name: String,
    pub(crate) pieces: BoxStream<'static, Result<Bytes>>,
}

/// 200 with a bare JSON array that comes while it is sent; `X-Total-Count` says how long the whole
/// list is, of which this may be a page.
pub(crate) struct Listed<T> {
    pub(crate) total: i64,
    pub(crate) pieces: BoxStream<'static, Result<Vec<T>>>,
}

const TOTAL: HeaderName = HeaderName::from_static("x-total-count");

/// 200 with JSON that is ready.
pub(crate) struct Document(pub(crate) Bytes);

/// 200 with a resource.
impl<T: Serialize + JsonSchema + Send + 'static> Output for T {
    fn render(self) -> Result<Response<Payload>> {
        json(StatusCode::OK, &self)
    }

    fn describe(operation: &mut Operation, schemas: &mut Schemas) {
        operation.answers_json(StatusCode::OK, &schemas.output::<T>());
    }
}

impl<T: Serialize + JsonSchema + Send + 'static> Output for Created<T> {
    fn render(self) -> Result<Response<Payload>> {
        json(StatusCode::CREATED, &self.0)
    }

    fn describe(operation: &mut Operation, schemas: &mut Schemas) {
        operation.answers_json(StatusCode::CREATED, &schemas.output::<T>());
    }
}

impl<O: Output> Output for WithHeaders<O> {
    fn render(self) -> Result<Response<Payload>> {
        let mut response = self.0.render()?;
        response.headers_mut().extend(self.1);
        Ok(response)
    }

    fn describe(operation: &mut Operation, schemas: &mut Schemas) {
        O::describe(operation, schemas);
    }
}

impl<O: Output> Output for Replayed<O> {
    fn render(self) -> Result<Response<Payload>> {
        let mut response = self.0.render()?;
        if self.1 {
            response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
        }
        Ok(response)
    }

    fn describe(operation: &mut Operation, schemas: &mut Schemas) {
        O::describe(operation, schemas);
        operation.answers_with(Header::Replayed);
    }
}

impl<O: Output> Output for Versioned<O> {
    fn render(self) -> Result<Response<Payload>> {
        let mut response = self.0.render()?;
        let etag = HeaderValue::from_str(&format!("\"{}\"", self.1)).map_err(Error::from_source)?;
        response.headers_mut().insert(ETAG, etag);
        Ok(response)
    }

    fn describe(operation: &mut Operation, schemas: &mut Schemas) {
        O::describe(operation, schemas);
        operation.answers_with(Header::ETag);
    }
}

impl Output for File {
    fn render(self) -> Result<Response<Payload>> {
        let mut response = Response::new(self.body.into());
        response.headers_mut().insert(CONTENT_TYPE, self.content_type);
        Ok(response)
    }

    fn describe(operation: &mut Operation, _: &mut Schemas) {
        operation.answers_file();
    }
}

impl Output for StoredFile {
    fn render(self) -> Result<Response<Payload>> {
        let mut response = Response::new(self.content);
        response.headers_mut().insert(CONTENT_TYPE, self.content_type);
        if let Some(etag) = self.etag {
            response.headers_mut().insert(ETAG, etag);
        }
        Ok(response)
    }

    fn describe(operation: &mut Operation, _: &mut Schemas) {
        operation.answers_file();
    }
}

impl Output for Download {
    fn render(self) -> Result<Response<Payload>> {
        let mut response = Response::new(Payload::Stream(self.pieces));
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, self.content_type);
        let saved = format!("attachment; filename={}", self.name);
        let saved = HeaderValue::from_str(&saved).map_err(Error::from_source)?;
        headers.insert(CONTENT_DISPOSITION, saved);
        Ok(response)
    }

    fn describe(operation: &mut Operation, _: &mut Schemas) {
        operation.answers_file();
        operation.answers_with(Header::ContentDisposition);
    }
}

impl<T: Serialize + JsonSchema + Send + 'static> Output for Listed<T> {
    fn render(self) -> Result<Response<Payload>> {
        let bracket = |text: &'static [u8]| stream::once(ready(Ok(Bytes::from_static(text))));
        let mut separator = "";
        let items = self.pieces.map(move |piece| {
            let mut text = Vec::new();
            for item in piece? {
                text.extend(std::mem::replace(&mut separator, ",").bytes());
                serde_json::to_writer(&mut text, &item).map_err(Error::from_source)?;
            }
            Ok(Bytes::from(text))
        });
        let pieces = bracket(b"[").chain(items).chain(bracket(b"]")).boxed();
        let mut response = Response::new(Payload::Stream(pieces));
        response.headers_mut().insert(CONTENT_TYPE, JSON);
        response.headers_mut().insert(TOTAL, self.total.into());
        Ok(response)
    }

    fn describe(operation: &mut Operation, schemas: &mut Schemas) {
        operation.answers_json(StatusCode::OK, &schemas.output::<Vec<T>>());
        operation.answers_with(Header::TotalCount);
    }
}

impl Output for Document {
    fn render(self) -> Result<Response<Payload>> {
        let mut response = Response::new(self.0.into());
        response.headers_mut().insert(CONTENT_TYPE, JSON);
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        Ok(response)
    }

    fn describe(operation: &mut Operation, _: &mut Schemas) {
        operation.answers_json(StatusCode::OK, &serde_json::json!({ "type": "object" }));
    }
}

fn json(status: StatusCode, value: &impl Serialize) -> Result<Response<Payload>> {
    let body = serde_json::to_vec(value).map_err(Error::from_source)?;
    let mut response = Response::new(Bytes::from(body).into());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    Ok(response)
}
