//! The named formats of texts that the library's JSON schemas use.

use std::str::FromStr;

use shop_core::catalog::FacetNames;
use shop_core::clock::Timestamp;
use shop_core::event::EventId;
#[cfg(feature = "nfe")]
use shop_core::invoicing::Month;
use shop_core::money::Money;
#[cfg(feature = "nfe")]
use shop_core::nfe::{Csosn, Digits, Gtin, Unit};
use shop_core::payment::{CardToken, IssuerId};
use shop_core::shipping::QuotedItems;
use shop_core::value::{
    AnalyticsId, Cep, Cnpj, Cpf, Email, InvalidValue, PictureUrl, Price, Since, Slug,
    StateRegistration, Uf, WebhookUrl,
};
use shop_core::webhook::WebhookSecret;

/// Checks a text against a format. A format that is none of the library's holds for every text.
///
/// # Errors
/// What is wrong with the text.
pub(crate) fn check(format: &str, text: &str) -> Result<(), InvalidValue> {
    match format {
        "analytics-id" => of::<AnalyticsId>(text),
        "card-token" => of::<CardToken>(text),
        "cep" => of::<Cep>(text),
        #[cfg(feature = "nfe")]
        "cest" => of::<Digits<7>>(text),
        #[cfg(feature = "nfe")]
        "cfop" => of::<Digits<4>>(text),
        "cnpj" => of::<Cnpj>(text),
        "compare-price" => of::<Money>(text),
        "cpf" => of::<Cpf>(text),
        #[cfg(feature = "nfe")]
        "csosn" => of::<Csosn>(text),
        "date-or-time" => of::<Since>(text),
        "date-time" => text.parse::<Timestamp>().map(drop).map_err(|_| InvalidValue::Date),
        "email" => of::<Email>(text),
        "event-id" => of::<EventId>(text),
        #[cfg(feature = "nfe")]
        "fiscal-unit" => of::<Unit>(text),
        #[cfg(feature = "nfe")]
        "gtin" => of::<Gtin>(text),
        "issuer-id" => of::<IssuerId>(text),
        #[cfg(feature = "nfe")]
        "month" => of::<Month>(text),
        #[cfg(feature = "nfe")]
        "ncm" => of::<Digits<8>>(text),
        "picture-url" => of::<PictureUrl>(text),
        "price" => of::<Price>(text),
        "product-facets" => of::<FacetNames>(text),
        "quoted-items" => of::<QuotedItems>(text),
        "slug" => of::<Slug>(text),
        "state-registration" => of::<StateRegistration>(text),
        "uf" => of::<Uf>(text),
        "webhook-secret" => of::<WebhookSecret>(text),
        "webhook-url" => of::<WebhookUrl>(text),
        _ => Ok(()),
    }
}

fn of<T: FromStr<Err: Into<InvalidValue>>>(text: &str) -> Result<(), InvalidValue> {
    text.parse::<T>().map(drop).map_err(Into::into)
}
