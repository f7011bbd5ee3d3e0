//! What an event says, as the type that goes by its name.

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::account::EventCustomer;
use crate::error::{Error, Result};
use crate::event::{Event, EventName};
use crate::order::{EventOrder, EventRefund, EventStatusChange};
use crate::order_return::EventReturn;
use crate::shipment::EventShipment;
use crate::stock::{EventStock, EventStockItem};

/// The data of an event ([`Event::payload`]). A version may bring more of them.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum EventPayload {
    /// A new order was placed.
    OrderCreated(Box<EventOrder>),
    /// An order has another status.
    OrderStatusChanged(Box<EventStatusChange>),
    /// An order was paid.
    OrderPaid(Box<EventOrder>),
    /// An order was handed to a carrier.
    OrderShipped(Box<EventOrder>),
    /// An order arrived.
    OrderDelivered(Box<EventOrder>),
    /// A parcel of an order got further, or is found by another code.
    ShipmentUpdated(Box<EventShipment>),
    /// Money of an order went back to the customer, all of it or a part.
    OrderRefunded(Box<EventRefund>),
    /// A customer, or staff for one, asks to return goods of an order.
    ReturnRequested(Box<EventReturn>),
    /// Goods that a customer returned arrived.
    ReturnReceived(Box<EventReturn>),
    /// The money of a return went back.
    ReturnRefunded(Box<EventReturn>),
    /// An item's stock fell to the threshold or below.
    StockLow(EventStockItem),
    /// The stock of items changed.
    StockUpdated(EventStock),
    /// A customer registered.
    CustomerCreated(EventCustomer),
    /// Anything else, as it stands in the log.
    Other(Box<RawValue>),
}

impl Event {
    /// What the event says, typed; [`Event::data`] has the same as JSON.
    ///
    /// # Errors
    /// [`Error::Internal`] when the data is not of the shape that goes by the event's name, such as
    /// an event that was erased because this version could not read it.
    pub fn payload(&self) -> Result<EventPayload> {
        Ok(match self.event {
            EventName::OrderCreated => EventPayload::OrderCreated(self.parse()?),
            EventName::OrderStatusChanged => EventPayload::OrderStatusChanged(self.parse()?),
            EventName::OrderPaid => EventPayload::OrderPaid(self.parse()?),
            EventName::OrderShipped => EventPayload::OrderShipped(self.parse()?),
            EventName::OrderDelivered => EventPayload::OrderDelivered(self.parse()?),
            EventName::ShipmentUpdated => EventPayload::ShipmentUpdated(self.parse()?),
            EventName::OrderRefunded => EventPayload::OrderRefunded(self.parse()?),
            EventName::ReturnRequested => EventPayload::ReturnRequested(self.parse()?),
            EventName::ReturnReceived => EventPayload::ReturnReceived(self.parse()?),
            EventName::ReturnRefunded => EventPayload::ReturnRefunded(self.parse()?),
            EventName::StockLow => EventPayload::StockLow(self.parse()?),
            EventName::StockUpdated => EventPayload::StockUpdated(self.parse()?),
            EventName::CustomerCreated => EventPayload::CustomerCreated(self.parse()?),
            EventName::WebhookTest => EventPayload::Other(self.data.clone()),
        })
    }

    fn parse<T: DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_str(self.data.get()).map_err(Error::from_source)
    }
}
