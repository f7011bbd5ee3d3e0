//! The outbox: what happened, written in the transaction in which it happened.
//!
//! Whatever must be seen outside (webhooks, mails) starts as a row here. A rule of business only
//! emits; it never waits for a receiver, and no receiver can make it fail.

use serde::Serialize;

use crate::error::{Error, Result};
use crate::id::Moment;
use crate::storage::Tx;

/// The names of the events (section "Events" and decision 27).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventName {
    /// A new order was placed.
    OrderCreated,
    /// An order has another status.
    OrderStatusChanged,
    /// An order was paid.
    OrderPaid,
    /// An order was handed to a carrier.
    OrderShipped,
    /// An item's stock fell to the threshold or below.
    StockLow,
    /// An item's stock changed.
    StockUpdated,
    /// Somebody registered.
    CustomerCreated,
}

impl EventName {
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
        }
    }
}

/// Writes an event with a snapshot of its data.
pub(crate) fn emit(
    tx: &mut dyn Tx,
    at: &Moment,
    name: EventName,
    data: &impl Serialize,
) -> Result<()> {
    let payload = serde_json::to_string(data).map_err(Error::from_source)?;
    tx.execute(
        "INSERT INTO event (name, payload, created_at) VALUES ($1, $2, $3)",
        &[name.as_str().into(), (&payload).into(), at.now().into()],
    )?;
    Ok(())
}
