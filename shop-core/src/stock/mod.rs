//! Units on the shelf, and the ledger that explains them.
//!
//! Every change of an item's stock is a movement of the same transaction, so the deltas of an item
//! always sum to its stock. An item is a product or a variant; each has units of its own. Setting
//! stock by hand is in `inventory`, which also knows products and variants by their names.

mod event;
mod ledger;
mod store;

use serde::Serialize;

pub use self::event::{EventStock, EventStockItem};
#[cfg(feature = "demo")]
pub(crate) use self::ledger::Movement;
#[cfg(feature = "demo")]
pub(crate) use self::store::{add_sold, record};
pub(crate) use self::store::{
    at_most, correct, count_unmoved, create, give_back, plan_taking, quantity, remove, restock,
    set, take_or_refuse,
};
use crate::actor::Actor;
use crate::context::Work;
use crate::error::Result;
use crate::event::{EventName, emit};
use crate::storage::Tx;
use crate::value::wire_enum;

wire_enum! {
    /// Why units moved.
    pub enum MovementReason {
        /// Sold with an order.
        Purchase = "PURCHASE",
        /// Counted, entered or corrected.
        Adjustment = "ADJUSTMENT",
        /// Back from an order that was cancelled or refunded, or from a customer who returned it.
        Return = "RETURN",
    }
}

wire_enum! {
    /// Where a correction came from, as the ledger keeps it.
    pub enum StockSource {
        /// A person of the shop.
        Admin = "ADMIN",
        /// A program, through the integration API.
        Api = "API",
        /// A program, through the inbound stock webhook.
        Webhook = "WEBHOOK",
        /// The shop itself, or the command line on its machine.
        System = "SYSTEM",
    }
}

impl From<&Actor> for StockSource {
    fn from(by: &Actor) -> Self {
        match by {
            Actor::Admin(_) => Self::Admin,
            Actor::Key(_) => Self::Api,
            Actor::Host(_) | Actor::System => Self::System,
        }
    }
}

/// How many items one `stock.updated` lists; a change of more is split into several events.
const ITEMS_AN_EVENT: usize = 1000;

/// What an order's line takes: units of a variant, or of a product itself.
#[derive(Debug, Clone)]
pub(crate) struct StockLine {
    /// The variant's id, or the product's own.
    pub(crate) item_id: String,
    pub(crate) product_id: String,
    /// Units that count as sold.
    pub(crate) quantity: i64,
    /// Units that leave the shelf or come back to it. Fewer than `quantity` where a return of the
    /// order decides about the others.
    pub(crate) units: i64,
    /// How many lines of orders are new with it: none when units are taken again.
    pub(crate) new_lines: i64,
}

impl StockLine {
    fn change(&self, stock: i64, delta: i64) -> StockChange {
        let variant_id = self.is_variant().then(|| self.item_id.clone());
        StockChange { product_id: self.product_id.clone(), variant_id, stock, delta }
    }

    fn is_variant(&self) -> bool {
        self.item_id != self.product_id
    }
}

/// A product or a variant with the units of its own.
#[derive(Debug, Clone)]
pub(crate) struct StockItem {
    /// The variant's id, or the product's own.
    pub(crate) id: String,
    pub(crate) product_id: String,
    pub(crate) quantity: i64,
}

impl StockItem {
    /// What events say of an item that has the wanted stock already.
    pub(crate) fn unchanged(&self) -> StockChange {
        self.change(self.quantity)
    }

    fn change(&self, quantity: i64) -> StockChange {
        StockChange {
            product_id: self.product_id.clone(),
            variant_id: (self.id != self.product_id).then(|| self.id.clone()),
            stock: quantity,
            delta: quantity - self.quantity,
        }
    }
}

/// An item's stock after a change, as `stock.updated` and `stock.low` carry it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StockChange {
    product_id: String,
    variant_id: Option<String>,
    pub(crate) stock: i64,
    #[serde(skip)]
    delta: i64,
}

/// Emits `stock.updated` once for all changes of a transaction (once for each thousand, where there
/// are more), and `stock.low` for each item that a change leaves at the threshold or below, also
/// when units came back.
pub(crate) fn announce(tx: &mut dyn Tx, at: &Work, changes: &[StockChange]) -> Result<()> {
    #[derive(Serialize)]
    struct Updated<'a> {
        items: &'a [StockChange],
    }
    for items in changes.chunks(ITEMS_AN_EVENT) {
        emit(tx, at, EventName::StockUpdated, &Updated { items })?;
    }
    for change in changes.iter().filter(|it| it.delta != 0 && it.stock <= at.low_stock()) {
        emit(tx, at, EventName::StockLow, change)?;
    }
    Ok(())
}
