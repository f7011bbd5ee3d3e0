//! What handlers take: values that parse and describe themselves.

use std::borrow::Cow;

use bytes::Bytes;
use hyper::Method;
use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, IF_MATCH};
use hyper::http::request::Parts;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::de::value::{Error as ValueError, MapDeserializer};
use shop_core::Error;
use shop_core::id::{
    AccountId, AddressId, ApiKeyId, BoxId, CartItemId, CategoryId, CouponId, InvoiceId,
    NotificationId, OrderId, ProductId, ReturnId, ReviewId, ShipmentId, StaffSessionId, TariffId,
    VariantId, VariantOptionId, VariantTypeId, WebhookDeliveryId, WebhookId,
};
use shop_core::idempotency::IdempotencyKey;
use shop_core::revision::Revision;

use crate::app::Head;
use crate::check;
use crate::normal::{self, Null};
use crate::openapi::{Operation, Schemas};
use crate::raw_json;
use crate::reply::{Code, Failure};

/// What an input needs of the request's body.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Content {
    Nothing,
    Whole,
    /// The one file of a form.
    #[cfg(feature = "media")]
    File,
}

/// What a handler may take.
pub(crate) trait Input: Sized + Send + 'static {
    /// What [`Input::parse`] gets of the request's body.
    const BODY: Content = Content::Nothing;

    fn parse(head: &Head, body: &Bytes) -> Result<Self, Failure>;

    fn describe(operation: &mut Operation, schemas: &mut Schemas);
}

/// A JSON body.
pub(crate) struct Json<T>(pub(crate) T);

/// A JSON body that may be left out.
pub(crate) struct OptionalJson<T>(pub(crate) T);

/// The query.
pub(crate) struct Query<T>(pub(crate) T);

/// The query just as it came: a signature covers it, so that an empty parameter is not an absent
/// one.
pub(crate) struct SignedQuery<T>(pub(crate) T);

/// The id in the path.
pub(crate) struct Id<T>(pub(crate) T);

/// What an id in a path names.
pub(crate) trait Named: From<String> + JsonSchema + Send + 'static {
    /// The path's parameter.
    const PARAMETER: &'static str;
    /// The parameter, for the OpenAPI document.
    const ABOUT: &'static str;
    /// The refusal where the id names nothing.
    const MISSING: Code;
}

macro_rules! named {
    ($($id:ident: $parameter:literal, $about:literal, $missing:ident;)+) => {$(
        impl Named for $id {
            const PARAMETER: &'static str = $parameter;
            const ABOUT: &'static str = $about;
            const MISSING: Code = Code::$missing;
        }
    )+};
}

named! {
    AccountId: "id", "The account's id.", AccountNotFound;
    AddressId: "id", "The address's id.", AddressNotFound;
    ApiKeyId: "id", "The key's id.", ApiKeyNotFound;
    CartItemId: "id", "The line's id.", CartItemNotFound;
    CategoryId: "id", "The category's id.", CategoryNotFound;
    CouponId: "id", "The coupon's id.", CouponNotFound;
    NotificationId: "id", "The notification's id.", NotificationNotFound;
    OrderId: "id", "The order's id.", OrderNotFound;
    InvoiceId: "id", "The invoice's id.", InvoiceNotFound;
    ProductId: "id", "The product's id.", ProductNotFound;
    ReturnId: "returnId", "The return's id.", ReturnNotFound;
    ReviewId: "id", "The review's id.", ReviewNotFound;
    ShipmentId: "id", "The shipment's id.", ShipmentNotFound;
    StaffSessionId: "id", "The session's id.", SessionNotFound;
    TariffId: "id", "The tariff's id.", TariffNotFound;
    BoxId: "id", "The box's id.", BoxNotFound;
    VariantId: "variantId", "The variant's id.", VariantNotFound;
    VariantOptionId: "optionId", "The option's id.", VariantOptionNotFound;
    VariantTypeId: "typeId", "The kind's id.", VariantTypeNotFound;
    WebhookDeliveryId: "deliveryId", "The delivery's id.", WebhookDeliveryNotFound;
    WebhookId: "id", "The receiver's id.", WebhookNotFound;
}

/// The path's parameters.
pub(crate) struct Path<T>(pub(crate) T);

/// The headers and the body as it came, for signatures over the very bytes.
pub(crate) struct Raw {
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// The header `Idempotency-Key`, if it came (docs/decisions.md, "Orders and stock").
pub(crate) struct Repeat(pub(crate) Option<IdempotencyKey>);

/// The header `If-Match`, if it came: the state that the caller saw. A star, which is any, counts
/// as none.
pub(crate) struct IfMatch(pub(crate) Option<Revision>);

const IDEMPOTENCY_KEY: &str = "idempotency-key";

impl Input for () {
    fn parse(_: &Head, _: &Bytes) -> Result<Self, Failure> {
        Ok(())
    }

    fn describe(_: &mut Operation, _: &mut Schemas) {}
}

impl<T: DeserializeOwned + JsonSchema + Send + 'static> Input for Json<T> {
    const BODY: Content = Content::Whole;

    fn parse(head: &Head, body: &Bytes) -> Result<Self, Failure> {
        read_json(head, json_text(head, body)?).map(Json)
    }

    fn describe(operation: &mut Operation, schemas: &mut Schemas) {
        operation.takes_json(&schemas.input::<T>());
    }
}

impl<T: DeserializeOwned + Default + JsonSchema + Send + 'static> Input for OptionalJson<T> {
    const BODY: Content = Content::Whole;

    fn parse(head: &Head, body: &Bytes) -> Result<Self, Failure> {
        if body.is_empty() {
            return Ok(Self(T::default()));
        }
        Json::parse(head, body).map(|Json(value)| Self(value))
    }

    fn describe(operation: &mut Operation, schemas: &mut Schemas) {
        operation.may_take_json(&schemas.input::<T>());
    }
}

impl<T: DeserializeOwned + JsonSchema + Send + 'static> Input for Query<T> {
    fn parse(head: &Head, _: &Bytes) -> Result<Self, Failure> {
        let query = normal::without_empty(head.parts.uri.query().unwrap_or_default());
        serde_urlencoded::from_str(&query).or_else(|_| check::read_query(&query)).map(Query)
    }

    fn describe(operation: &mut Operation, schemas: &mut Schemas) {
        operation.takes_parameters("query", &schemas.input_fields::<T>());
    }
}

impl<T: DeserializeOwned + JsonSchema + Send + 'static> Input for SignedQuery<T> {
    fn parse(head: &Head, _: &Bytes) -> Result<Self, Failure> {
        let query = head.parts.uri.query().unwrap_or_default();
        serde_urlencoded::from_str(query).or_else(|_| check::read_query(query)).map(Self)
    }

    fn describe(operation: &mut Operation, schemas: &mut Schemas) {
        Query::<T>::describe(operation, schemas);
    }
}

impl<T: Named> Input for Id<T> {
    fn parse(head: &Head, _: &Bytes) -> Result<Self, Failure> {
        let found = head.params.iter().find(|(name, _)| name == T::PARAMETER);
        found.map(|(_, text)| Self(T::from(text.clone()))).ok_or(Failure::NoSuchPath)
    }

    fn describe(operation: &mut Operation, schemas: &mut Schemas) {
        let mut schema = schemas.input::<T>();
        schema["description"] = T::ABOUT.into();
        let fields = serde_json::json!({ "properties": { T::PARAMETER: schema } });
        operation.takes_parameters("path", &fields);
        operation.fails(&[T::MISSING]);
    }
}

impl<T: DeserializeOwned + JsonSchema + Send + 'static> Input for Path<T> {
    fn parse(head: &Head, _: &Bytes) -> Result<Self, Failure> {
        let params = head.params.iter().map(|(name, text)| (name.as_str(), Cow::from(text)));
        T::deserialize(MapDeserializer::<_, ValueError>::new(params))
            .map(Path)
            .map_err(|_| Failure::NoSuchPath)
    }

    fn describe(operation: &mut Operation, schemas: &mut Schemas) {
        operation.takes_parameters("path", &schemas.input_fields::<T>());
    }
}

impl Input for Raw {
    const BODY: Content = Content::Whole;

    fn parse(head: &Head, body: &Bytes) -> Result<Self, Failure> {
        Ok(Self { headers: head.parts.headers.clone(), body: body.clone() })
    }

    fn describe(operation: &mut Operation, _: &mut Schemas) {
        operation.takes_raw_json();
    }
}

impl Input for Repeat {
    fn parse(head: &Head, _: &Bytes) -> Result<Self, Failure> {
        let Some(key) = head.parts.headers.get(IDEMPOTENCY_KEY) else { return Ok(Self(None)) };
        match key.to_str().unwrap_or_default().parse::<IdempotencyKey>() {
            Ok(key) => Ok(Self(Some(key))),
            Err(error) => Err(Error::field(IDEMPOTENCY_KEY, error).into()),
        }
    }

    fn describe(operation: &mut Operation, _: &mut Schemas) {
        operation.takes_header(
            "Idempotency-Key",
            "The same key with the same request within 24 hours gives the first answer again.",
            &serde_json::json!({ "type": "string", "pattern": "^[!-~]{1,255}$" }),
        );
        operation.fails(&[Code::InvalidInput, Code::IdempotencyKeyReused]);
    }
}

impl Input for IfMatch {
    fn parse(head: &Head, _: &Bytes) -> Result<Self, Failure> {
        let Some(tag) = head.parts.headers.get(IF_MATCH) else { return Ok(Self(None)) };
        let tag = tag.to_str().unwrap_or_default().trim();
        if tag == "*" {
            return Ok(Self(None));
        }
        // A proxy that compresses an answer makes its tag weak. It names the same state all the
        // same.
        let tag = tag.strip_prefix("W/").unwrap_or(tag);
        let name =
            tag.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or_default();
        match name.parse::<Revision>() {
            Ok(revision) => Ok(Self(Some(revision))),
            Err(error) => Err(Error::field(IF_MATCH.as_str(), error).into()),
        }
    }

    fn describe(operation: &mut Operation, _: &mut Schemas) {
        operation.takes_header(
            "If-Match",
            "The `ETag` that the resource had: 412 when it was changed since. A star \
             stands for any.",
            &serde_json::json!({ "type": "string", "pattern": r#"^(\*|(W/)?"[!-~]{1,128}")$"# }),
        );
        operation.fails(&[Code::InvalidInput, Code::ChangedMeanwhile]);
    }
}

/// Several inputs, parsed in their order. Only the last one may read the body.
macro_rules! inputs {
    ($($input:ident),*; $last:ident) => {
        impl<$($input: Input,)* $last: Input> Input for ($($input,)* $last,) {
            const BODY: Content = {
                $(assert!(matches!($input::BODY, Content::Nothing), "the body is the last input's");)*
                $last::BODY
            };

            fn parse(head: &Head, body: &Bytes) -> Result<Self, Failure> {
                Ok(($($input::parse(head, body)?,)* $last::parse(head, body)?,))
            }

            fn describe(operation: &mut Operation, schemas: &mut Schemas) {
                $($input::describe(operation, schemas);)*
                $last::describe(operation, schemas);
            }
        }
    };
}

inputs!(; A);
inputs!(A; B);
inputs!(A, B; C);
inputs!(A, B, C; D);

/// The text of a JSON body.
///
/// # Errors
/// When it says that it is something else, is no UTF-8, or is nested too deep.
pub(crate) fn json_text<'b>(head: &Head, body: &'b Bytes) -> Result<&'b str, Failure> {
    if !is_json(&head.parts) {
        return Err(Failure::NotJson);
    }
    if is_encoded(&head.parts) {
        return Err(Failure::Encoded);
    }
    // Checked first: serde_json does not look into the text of fields that the type does not have.
    let text = str::from_utf8(body).map_err(|_| Failure::MalformedJson)?;
    // Some editors and libraries begin every text with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if raw_json::is_too_deep(text) { Err(Failure::MalformedJson) } else { Ok(text) }
}

/// What a JSON text says.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn read_json<T: DeserializeOwned + JsonSchema>(
    head: &Head,
    text: &str,
) -> Result<T, Failure> {
    // No row takes a list, and serde would take one for a struct, field by field in their order.
    if !text.trim_start().starts_with('[')
        && let Ok(value) = serde_json::from_str(text)
    {
        return Ok(value);
    }
    let changes = matches!(head.parts.method, Method::PATCH | Method::PUT);
    check::read_json(text, if changes { Null::Clears } else { Null::Absent })
}

/// Whether a body is compressed, which nothing here undoes.
fn is_encoded(request: &Parts) -> bool {
    let encoding = request.headers.get(CONTENT_ENCODING);
    encoding.is_some_and(|it| !it.as_bytes().trim_ascii().eq_ignore_ascii_case(b"identity"))
}

/// Whether a body claims to be JSON, or for a PATCH a merge patch, which is what bodies of ours are
/// there. One that claims nothing is believed to be, for the sake of the simplest programs; a form
/// of another origin claims to be something else.
fn is_json(request: &Parts) -> bool {
    let Some(content_type) = request.headers.get(CONTENT_TYPE) else { return true };
    let essence = content_type.to_str().unwrap_or_default().split(';').next().unwrap_or_default();
    let is = |wanted: &str| essence.trim().eq_ignore_ascii_case(wanted);
    is("application/json") || request.method == Method::PATCH && is("application/merge-patch+json")
}
