//! The named formats of texts that the library's JSON schemas use.

use std::str::FromStr;

use shop_core::clock::Timestamp;
use shop_core::event::EventId;
use shop_core::invoicing::Month;
use shop_core::money::Money;
use shop_core::nfe::{Csosn, Digits, Gtin, Unit};
use shop_core::value::{
    AnalyticsId, Cep, Cpf, Email, InvalidValue, PictureUrl, Price, Since, Slug, Uf, WebhookUrl,
};

/// Checks a text against a format. A format that is none of the library's holds for every text.
///
/// # Errors
/// What is wrong with the text.
pub(crate) fn check(format: &str, text: &str) -> Result<(), InvalidValue> {
    match format {
        "analytics-id" => of::<AnalyticsId>(text),
        "cep" => of::<Cep>(text),
        "cest" => of::<Digits<7>>(text),
        "cfop" => of::<Digits<4>>(text),
        "compare-price" => of::<Money>(text),
        "cpf" => of::<Cpf>(text),
        "csosn" => of::<Csosn>(text),
        "date-or-time" => of::<Since>(text),
        "date-time" => text.parse::<Timestamp>().map(drop).map_err(|_| InvalidValue::Date),
        "email" => of::<Email>(text),
        "event-id" => of::<EventId>(text),
        "fiscal-unit" => of::<Unit>(text),
        "gtin" => of::<Gtin>(text),
        "month" => of::<Month>(text),
        "ncm" => of::<Digits<8>>(text),
        "picture-url" => of::<PictureUrl>(text),
        "price" => of::<Price>(text),
        "slug" => of::<Slug>(text),
        "uf" => of::<Uf>(text),
        "webhook-url" => of::<WebhookUrl>(text),
        _ => Ok(()),
    }
}

fn of<T: FromStr<Err: Into<InvalidValue>>>(text: &str) -> Result<(), InvalidValue> {
    text.parse::<T>().map(drop).map_err(Into::into)
}
