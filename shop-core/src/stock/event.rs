//! The data of events of stock.
//!
//! These shapes are a contract of their own, apart from the shop's other answers: fields are added,
//! never changed or taken away, within one version of the events.

use serde::{Deserialize, Serialize};

use crate::id::{ProductId, VariantId};

/// The data of `stock.updated`: every item that one transaction changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct EventStock {
    /// At most 1000; a larger change comes in several events.
    pub items: Vec<EventStockItem>,
}

/// An item's stock after a change; by itself the data of `stock.low`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct EventStockItem {
    /// The product, also where the stock is a variant's.
    pub product_id: ProductId,
    /// The variant; `null` for the product's own stock.
    pub variant_id: Option<VariantId>,
    /// How many units there are now.
    pub stock: i64,
}
