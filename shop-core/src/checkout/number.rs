//! The last part of placing an order: it gets its number, and is written.
//!
//! Every other order of the day waits meanwhile for its own number, so what is done here is to
//! write rows that nothing asks for.

use serde::Serialize;

use super::Placed;
use super::place::{Draft, NewOrder, Placement};
use crate::actor::Actor;
use crate::audit;
use crate::context::Work;
use crate::error::Result;
use crate::event::{self, EventName};
use crate::id::AccountId;
use crate::mail;
use crate::money::Money;
use crate::order::{EventOrder, Order, OrderMail, number, store};
use crate::settlement;
use crate::shipping::packing;
use crate::stock;
use crate::storage::Tx;

/// Numbers an order and writes it, with all that is told of it.
pub(super) fn finish(
    tx: &mut dyn Tx,
    at: &Work,
    placement: &Placement,
    draft: Draft,
) -> Result<Placed> {
    let new = match draft {
        Draft::Replay(order) => return Ok(Placed { order: *order, replayed: true }),
        Draft::New(new) => new,
    };
    let NewOrder { mut order, coupon, shipping, items, plan, changes, to } = *new;
    let Placement { customer, staff, request, rules, .. } = placement;
    order.order_number = number::next(tx, &rules.order_prefix, at.now())?;
    store::insert(tx, &store::NewOrder { order: &order, coupon: coupon.as_ref() })?;
    for (position, (line, (taken, weight))) in (1..).zip(order.items.iter().zip(items)) {
        store::insert_item(tx, &order.id, position, &taken.item_id, weight, line)?;
    }
    packing::insert(tx, &order.id, &plan, shipping.as_ref())?;
    event::emit(tx, at, EventName::OrderCreated, &EventOrder::from(&order))?;
    if let Some(by) = staff {
        note_staff(tx, at, by, &order)?;
    }
    if let Some(to) = to {
        let mail = OrderMail::OrderPlaced { order: Box::new(order.clone()) };
        mail::enqueue_about(tx, at, customer, &to, &mail)?;
    }
    stock::announce(tx, at, &changes)?;
    let order = settlement::pay_nothing(tx, at, order)?;
    request.keep_answer(tx, at.now(), &order)?;
    Ok(Placed { order, replayed: false })
}

/// Writes down who placed an order for its customer.
fn note_staff(tx: &mut dyn Tx, at: &Work, by: &Actor, order: &Order) -> Result<()> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Noted<'a> {
        order_number: &'a str,
        customer_id: &'a AccountId,
        total: Money,
    }
    let Order { id, order_number, user_id: customer_id, total, .. } = order;
    let noted = Noted { order_number, customer_id, total: *total };
    audit::record(tx, at, by, "order.place", id.as_str(), &(), &noted)
}
