//! The integration API (`/api/v1`), for programs with a key. Its wire types are its own: they stay as
//! they are whatever the shop's own pages come to need.

mod orders;
mod products;
mod stock;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use shop_core::money::Money;

use crate::route::Route;

pub(super) use self::orders::V1Order;

/// The rows of all topics.
pub(super) fn rows() -> Vec<Route> {
    [products::rows(), stock::rows(), orders::rows()].into_iter().flatten().collect()
}

/// An amount as a text with exactly two decimals (`"49.90"`).
#[derive(Debug, Clone, Copy)]
struct AmountText(Money);

impl Serialize for AmountText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl JsonSchema for AmountText {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "AmountText".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": r"^\d+\.\d{2}$" })
    }
}
