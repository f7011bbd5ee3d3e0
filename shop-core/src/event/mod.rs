//! The outbox: what happened, written in the transaction in which it happened.
//!
//! Whatever receivers outside must see starts as a row here. A rule of business only emits; it
//! never waits for a receiver, and no receiver can make it fail. Webhooks ([`crate::webhook`]) are
//! sent from these rows, and whoever prefers to ask reads them in their order ([`Events::after`]).

mod log;

use serde::{Deserialize, Serialize};

use crate::context::Work;
use crate::error::{Error, Result};
use crate::storage::{AppendLog, Tx};

pub use self::log::{Event, EventId, EventPage, Events};
pub(crate) use self::log::{KEPT, first_since, purge, read, stored};

/// The version of the data of all events; stands in every event.
pub const VERSION: u32 = 1;

/// The names of the events (section "Events" and decision 27).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub enum EventName {
    /// A new order was placed.
    #[serde(rename = "order.created")]
    OrderCreated,
    /// An order has another status.
    #[serde(rename = "order.status_changed")]
    OrderStatusChanged,
    /// An order was paid.
    #[serde(rename = "order.paid")]
    OrderPaid,
    /// An order was handed to a carrier.
    #[serde(rename = "order.shipped")]
    OrderShipped,
    /// An item's stock fell to the threshold or below.
    #[serde(rename = "stock.low")]
    StockLow,
    /// An item's stock changed.
    #[serde(rename = "stock.updated")]
    StockUpdated,
    /// Somebody registered.
    #[serde(rename = "customer.created")]
    CustomerCreated,
    /// Staff try an endpoint. It has no place in the log, and nobody subscribes to it.
    #[serde(rename = "webhook.test")]
    WebhookTest,
}

impl EventName {
    /// Everything that happens and that one can subscribe to.
    pub const FACTS: [Self; 7] = [
        Self::OrderCreated,
        Self::OrderStatusChanged,
        Self::OrderPaid,
        Self::OrderShipped,
        Self::StockLow,
        Self::StockUpdated,
        Self::CustomerCreated,
    ];

    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OrderCreated => "order.created",
            Self::OrderStatusChanged => "order.status_changed",
            Self::OrderPaid => "order.paid",
            Self::OrderShipped => "order.shipped",
            Self::StockLow => "stock.low",
            Self::StockUpdated => "stock.updated",
            Self::CustomerCreated => "customer.created",
            Self::WebhookTest => "webhook.test",
        }
    }
}

/// The events, which their readers follow by number.
const LOG: AppendLog = AppendLog {
    table: "event",
    insert: "INSERT INTO event (name, payload, created_at) VALUES ($1, $2, $3)",
};

/// Writes an event with a snapshot of its data.
pub(crate) fn emit(
    tx: &mut dyn Tx,
    at: &Work,
    name: EventName,
    data: &impl Serialize,
) -> Result<()> {
    let payload = serde_json::to_string(data).map_err(Error::from_source)?;
    tx.append(&LOG, &[name.as_str().into(), (&payload).into(), at.now().into()])
}
