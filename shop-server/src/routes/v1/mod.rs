//! The integration API (`/api/v1`), for programs with a key. Its wire types are its own: they stay
//! as they are whatever the shop's own pages come to need.

mod events;
mod orders;
mod products;
mod stock;
mod variants;

use std::borrow::Cow;
use std::fmt::Display;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use shop_core::money::Money;
use shop_core::value::Price;

use crate::route::Route;

pub(super) use self::orders::V1Order;

/// The rows of all topics.
pub(super) fn rows() -> Vec<Route> {
    [products::rows(), variants::rows(), stock::rows(), orders::rows(), events::rows()]
        .into_iter()
        .flatten()
        .collect()
}

/// An amount as a text with exactly two decimals (`"49.90"`).
#[derive(Debug, Clone, Copy)]
struct AmountText(Money);

impl Serialize for AmountText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// A price as programs write it: as the text that they read, or as a number.
#[derive(Debug, Clone, Copy)]
struct PriceText(Price);

impl<'de> Deserialize<'de> for PriceText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Neither way passes through a float.
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        read_amount(&raw).map(Self)
    }
}

/// What something used to cost, as programs write it; 0 is no such price.
#[derive(Debug, Clone, Copy)]
struct ComparePriceText(Option<Price>);

impl<'de> Deserialize<'de> for ComparePriceText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let amount: Money = read_amount(&raw)?;
        if amount == Money::ZERO {
            return Ok(Self(None));
        }
        amount.try_into().map(|price| Self(Some(price))).map_err(D::Error::custom)
    }
}

/// An amount in a text, or as a number.
fn read_amount<T, E>(raw: &RawValue) -> Result<T, E>
where
    T: FromStr<Err: Display> + DeserializeOwned,
    E: Error,
{
    match serde_json::from_str::<String>(raw.get()) {
        Ok(text) => text.trim().parse().map_err(E::custom),
        Err(_) => serde_json::from_str(raw.get()).map_err(E::custom),
    }
}

/// Says what a value is where it stands, under no name of its own.
macro_rules! inline_schemas {
    ($($name:ident: $schema:tt;)+) => {$(
        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    )+};
}

inline_schemas! {
    AmountText: { "type": "string", "pattern": r"^\d+\.\d{2}$" };
    PriceText: { "anyOf": [
        { "type": "string", "format": "price", "pattern": r"^\d+(\.\d{1,2})?$" },
        { "type": "number", "format": "money", "minimum": 0.01 }
    ] };
    ComparePriceText: { "anyOf": [
        { "type": "string", "format": "compare-price", "pattern": r"^\d+(\.\d{1,2})?$" },
        { "type": "number", "format": "money", "minimum": 0 }
    ] };
}
