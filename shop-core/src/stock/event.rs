//! The data of events of stock.
//!
//! These shapes are a contract of their own, apart from the shop's other answers: fields are added,
//! never changed or taken away, within one version of the events.

use serde::Deserialize;

use crate::id::{ProductId, VariantId};

/// The data of `stock.updated`: every item that one transaction changed.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct EventStock {
    /// At most 1000; a larger change comes in several events.
    pub items: Vec<EventStockItem>,
}

/// An item's stock after a change; by itself the data of `stock.low`.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct EventStockItem {
    /// The product, also where the stock is a variant's.
    pub product_id: ProductId,
    /// The variant; `null` for the product's own stock.
    pub variant_id: Option<VariantId>,
    /// How many units there are now.
    pub stock: i64,
}
