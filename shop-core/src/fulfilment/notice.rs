//! What is told of a parcel: its steps to the customer, an event to programs, and a mail where the
//! order's own mails do not say it.

use super::mail::ShipmentMail;
use crate::account;
use crate::clock::Timestamp;
use crate::context::Work;
use crate::error::Result;
use crate::event::{self, EventName};
use crate::notification::{self, Message};
use crate::order::{self, Order, OrderStatus};
use crate::shipment::{self, EventShipment, SentParcel, Shipment, ShipmentStatus, ShipmentStep};
use crate::storage::Tx;

/// Writes down what a change of a shipment means to those who follow it, in the transaction that
/// makes it. The steps of buying or giving back a label are the shop's own affair.
pub(super) fn note(tx: &mut dyn Tx, at: &Work, before: &Shipment, now: &Shipment) -> Result<()> {
    for step in new_steps(before, now, at.now()) {
        shipment::add_step(tx, &now.id, &step)?;
    }
    let said = |it: &Shipment| (it.status, it.tracking_code.clone(), it.expected_at);
    if now.status.is_moving() || said(before) == said(now) {
        return Ok(());
    }
    let Some(order) = order::find(tx, &now.order_id)? else { return Ok(()) };
    let data = EventShipment::new(now, &order.user_id, before.status);
    event::emit(tx, at, EventName::ShipmentUpdated, &data)
}

/// What is new of a parcel's way.
fn new_steps(before: &Shipment, now: &Shipment, at: Timestamp) -> Vec<ShipmentStep> {
    let newly = |was: Option<Timestamp>, is: Option<Timestamp>| is.filter(|_| was.is_none());
    let returning = now.status == ShipmentStatus::Returning && before.status != now.status;
    let reached = [
        (ShipmentStatus::Generated, newly(before.generated_at, now.generated_at)),
        (ShipmentStatus::Posted, newly(before.posted_at, now.posted_at)),
        (ShipmentStatus::Returning, returning.then_some(at)),
        (ShipmentStatus::Delivered, newly(before.delivered_at, now.delivered_at)),
    ];
    let step = |(status, at): (ShipmentStatus, Option<Timestamp>)| {
        let kind = status.as_str().to_owned();
        Some(ShipmentStep { at: at?, kind, description: None, place: None })
    };
    reached.into_iter().filter_map(step).collect()
}

/// Tells the customer of a parcel of an order that was said to be on its way before, unless its
/// code was told then. What moves the order itself is told with its status.
pub(super) fn tell_customer(
    tx: &mut dyn Tx,
    at: &Work,
    order: &Order,
    posted: &Shipment,
) -> Result<()> {
    if posted.delivered_at.is_some() || order.status != OrderStatus::Shipped {
        return Ok(());
    }
    let told = order::told_codes(tx, &order.id)?;
    if posted.tracking_code.as_ref().is_some_and(|code| told.contains(code)) {
        return Ok(());
    }
    let others = shipment::sent(tx, &order.id)?;
    let first = told.is_empty() && others.iter().all(|it| it.parcel == posted.parcel);
    let parcel = SentParcel::of(posted);
    let mail = ShipmentMail::ParcelPosted { order: Box::new(order.clone()), parcel, first };
    account::enqueue_mail(tx, at, &order.user_id, &mail)?;
    let number = &order.order_number;
    let (title, body) = if first {
        ("Pedido com a transportadora", format!("O pedido {number} já pode ser rastreado."))
    } else {
        let body = format!("Mais um volume do pedido {number} está a caminho.");
        ("Mais um volume enviado", body)
    };
    let link = notification::order_link(&order.id);
    let message = Message { kind: "ORDER_STATUS", title, body: &body, link: &link };
    notification::notify(tx, at, &order.user_id, &message)
}
