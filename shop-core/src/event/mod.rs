//! The outbox: events, written in the transaction in which it happened.
//!
//! Whatever receivers outside must see starts as a row here. Business code only emits; it never
//! waits for a receiver, and no receiver can make it fail. Webhooks ([`crate::webhook`]) are
//! sent from these rows, and programs read them in their order: one event after the other as it
//! happens ([`Events::subscribe`]), or a page at a time ([`Events::list`]).

mod log;
mod store;
mod stream;

use crate::value::wire_enum;

pub use self::log::{Event, EventId, EventPage, Events};
#[cfg(feature = "nfe")]
pub(crate) use self::store::payloads;
pub(crate) use self::store::{
    KEPT, Mention, emit, first_since, has_after, last, last_of_next, mentioning, purge,
    replace_payload, stored, stored_page,
};
pub use self::stream::{EventStart, EventStream};

/// The version of the data of all events; stands in every event.
pub const VERSION: u32 = 1;

wire_enum! {
    /// The names of the events (docs/events.md).
    #[derive(PartialOrd, Ord, Hash)]
    #[cfg_attr(feature = "schema", schemars(inline))]
    #[non_exhaustive]
    pub enum EventName {
        /// A new order was placed.
        OrderCreated = "order.created",
        /// An order has another status.
        OrderStatusChanged = "order.status_changed",
        /// An order was paid.
        OrderPaid = "order.paid",
        /// An order was handed to a carrier.
        OrderShipped = "order.shipped",
        /// An order arrived.
        OrderDelivered = "order.delivered",
        /// A parcel of an order got further, or is found by another code.
        ShipmentUpdated = "shipment.updated",
        /// Money of an order went back to the customer, all of it or a part.
        OrderRefunded = "order.refunded",
        /// A customer, or staff for one, asks to return goods of an order.
        ReturnRequested = "return.requested",
        /// Goods that a customer returned arrived.
        ReturnReceived = "return.received",
        /// The money of a return went back.
        ReturnRefunded = "return.refunded",
        /// An item's stock fell to the threshold or below.
        StockLow = "stock.low",
        /// An item's stock changed.
        StockUpdated = "stock.updated",
        /// A customer registered.
        CustomerCreated = "customer.created",
        /// Staff try an endpoint. It has no place in the log, and cannot be subscribed to.
        WebhookTest = "webhook.test",
    }
}

impl EventName {
    /// Everything that happens and that one can subscribe to.
    pub const FACTS: [Self; 13] = [
        Self::OrderCreated,
        Self::OrderStatusChanged,
        Self::OrderPaid,
        Self::OrderShipped,
        Self::OrderDelivered,
        Self::ShipmentUpdated,
        Self::OrderRefunded,
        Self::ReturnRequested,
        Self::ReturnReceived,
        Self::ReturnRefunded,
        Self::StockLow,
        Self::StockUpdated,
        Self::CustomerCreated,
    ];
}
