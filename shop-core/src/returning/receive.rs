//! The goods: what really arrived, and what of it goes back to the shelf.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Returns;
use super::act::{allow, repeatable, words};
use super::open::{ReturnUnits, check_lines};
use crate::actor::Actor;
#[cfg(feature = "schema")]
use crate::cart::MAX_LINES;
use crate::config::RefundFreight;
use crate::context::Work;
use crate::error::{Conflict, Entity, Error, FieldErrors, Result};
use crate::id::{OrderItemId, ReturnId};
use crate::idempotency::IdempotencyKey;
use crate::money::{Money, UnitsShare};
use crate::order;
use crate::order_return::{self, Move, OrderReturn, ReturnBy, ReturnStatus, transition};
use crate::revision::Revision;
use crate::stock;
use crate::storage::Tx;
use crate::value::{InvalidValue, OptionalText, StockLevel};

/// The goods of a return arrived.
#[apply(input!)]
#[derive(Default, Serialize)]
#[serde(default)]
pub struct ReceiveReturn {
    /// What arrived; all of it where it is left out, and an empty list is refused. A line that is
    /// not named did not come.
    #[cfg_attr(feature = "schema", schemars(length(max = MAX_LINES)))]
    pub items: Option<Vec<ArrivedUnits>>,
    /// Kept with the move, for staff only.
    pub note: Option<OptionalText<1000>>,
}

/// What arrived of one line.
#[apply(input!)]
#[derive(Serialize)]
pub struct ArrivedUnits {
    /// The line of the order.
    pub order_item_id: OrderItemId,
    /// Units that arrived, no more than were to come.
    pub quantity: StockLevel,
    /// Units of them that go back to the shelf at once; none where it is left out.
    #[serde(default)]
    pub restock: Option<StockLevel>,
}

/// Units that arrived go back to the shelf.
#[apply(input!)]
#[derive(Serialize)]
pub struct RestockReturn {
    /// Which units: no more of a line than arrived and are not on the shelf yet.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = MAX_LINES)))]
    pub items: Vec<ReturnUnits>,
}

impl Returns<'_> {
    /// Notes what really arrived, which need not be what was to come: units that did not are the
    /// customer's again, and no money goes back for them. Nothing goes to the shelf but what the
    /// input says. A return whose money went back before may be received too, once; its state
    /// stays.
    ///
    /// # Errors
    /// As [`Returns::approve`]; [`Error::Invalid`] for lines that are not the return's, and for
    /// more units than were to come, or none at all; [`Conflict::ReturnInvoiced`] where an invoice
    /// says that more came back.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn receive(
        &self,
        by: &Actor,
        id: &ReturnId,
        input: ReceiveReturn,
        expected: Option<Revision>,
        key: Option<IdempotencyKey>,
    ) -> Result<OrderReturn> {
        let request = repeatable(by, id, key, "return.receive", &input)?;
        let rule = self.settlement.context().config().returns.refund_freight;
        self.act(by, id, expected, request, "return.receive", move |tx, at, by, of| {
            receive(tx, at, by, of, &input, rule)
        })
        .await
    }

    /// Puts units on the shelf that arrived, with a movement in the ledger whose source is the
    /// return.
    ///
    /// # Errors
    /// As [`Returns::approve`]; [`Error::Invalid`] for more units than arrived, lines that are not
    /// part of the return, and no units at all.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn restock(
        &self,
        by: &Actor,
        id: &ReturnId,
        input: RestockReturn,
        expected: Option<Revision>,
        key: Option<IdempotencyKey>,
    ) -> Result<OrderReturn> {
        let request = repeatable(by, id, key, "return.restock", &input)?;
        self.act(by, id, expected, request, "return.restock", move |tx, at, _, of| {
            allow(of.received_at.is_some() && of.status != ReturnStatus::Rejected)?;
            restock(tx, at, of, &wanted(of, &input)?)
        })
        .await
    }
}

fn receive(
    tx: &mut dyn Tx,
    at: &Work,
    by: ReturnBy<'_>,
    of: &OrderReturn,
    input: &ReceiveReturn,
    rule: RefundFreight,
) -> Result<OrderReturn> {
    let comes = matches!(of.status, ReturnStatus::Approved | ReturnStatus::InTransit);
    allow((comes || of.status == ReturnStatus::Refunded) && of.received_at.is_none())?;
    let (arrived, shelf) = arrived(of, input)?;
    for item in &of.items {
        let came = arrived.get(&item.order_item_id).copied().unwrap_or(0);
        Conflict::ReturnInvoiced.unless(came >= item.invoiced)?;
        let position = order::position_of(&of.order_id, &item.order_item_id);
        order_return::set_item_received(tx, of, position, came)?;
    }
    allow(order_return::set_received(tx, &of.id, at.now())?)?;
    let mut now = order_return::must_get(tx, &of.id)?;
    if !of.has_refund() {
        now = reckon(tx, at, &now, rule)?;
    }
    now = restock(tx, at, &now, &shelf)?;
    let note = words(input.note.as_ref());
    if comes {
        return transition(tx, at, &now, &Move { to: ReturnStatus::Received, by, note });
    }
    order_return::received(tx, at, &now)?;
    Ok(now)
}

/// Reckons anew what goes back, before any money does: units that did not arrive are the customer's
/// again, and the freight is due once nothing stays there. What the return's invoices say of the
/// freight goes back at least. Once they have all its units no further invoice can say more, so it
/// is exactly that.
pub(super) fn reckon(
    tx: &mut dyn Tx,
    at: &Work,
    of: &OrderReturn,
    rule: RefundFreight,
) -> Result<OrderReturn> {
    let order = order::find(tx, &of.order_id)?.ok_or(Error::NotFound(Entity::Order))?;
    let mut released = Vec::new();
    for item in of.items.iter().filter(|item| item.missing() > 0) {
        let (missing, units) = (item.missing(), item.units());
        let line = order.items.iter().find(|line| line.id == item.order_item_id);
        let price = line.map_or(Money::ZERO, |line| line.price);
        let all = UnitsShare { units, amount: item.amount };
        let amount = order_return::of_units(price, all, units - missing);
        let position = order::position_of(&of.order_id, &item.order_item_id);
        order_return::release_missing(tx, of, position, missing, amount)?;
        released.push((&item.order_item_id, missing));
    }
    if !released.is_empty() {
        order_return::release(tx, at, of, &released)?;
    }
    let (of, all) = (order_return::must_get(tx, &of.id)?, order_return::of_order(tx, &order.id)?);
    let due = order_return::freight_due(&order, &of, &all, rule);
    let invoiced = order_return::invoiced_freight(tx, &of.id)?;
    let is_whole = of.is_invoiced() && of.items.iter().all(|item| item.invoiced == item.units());
    let freight = if is_whole { invoiced } else { due.max(invoiced) };
    order_return::set_freight(tx, &of.id, freight)?;
    Ok(OrderReturn { freight, ..of })
}

type Units = BTreeMap<OrderItemId, i64>;

/// What arrived of each line, and what of it goes to the shelf at once.
fn arrived(of: &OrderReturn, input: &ReceiveReturn) -> Result<(Units, Units)> {
    let named = input.items.as_deref().unwrap_or_default();
    check_lines(named.len())?;
    let (mut arrived, mut shelf) = (Units::new(), Units::new());
    if input.items.is_none() {
        arrived = of.items.iter().map(|it| (it.order_item_id.clone(), it.quantity)).collect();
    }
    let mut wrong = FieldErrors::default();
    for (index, item) in named.iter().enumerate() {
        let id = &item.order_item_id;
        let came = arrived.entry(id.clone()).or_insert(0);
        let shelved = shelf.entry(id.clone()).or_insert(0);
        *came += item.quantity.get();
        *shelved += item.restock.map_or(0, StockLevel::get);
        let (came, shelved) = (*came, *shelved);
        match of.items.iter().find(|it| it.order_item_id == *id) {
            None => {
                wrong.add(format!("items[{index}].orderItemId"), InvalidValue::UnknownOrderItem);
            }
            Some(line) if came > line.quantity => {
                let most = InvalidValue::AtMost { most: line.quantity };
                wrong.add(format!("items[{index}].quantity"), most);
            }
            Some(_) if shelved > came => {
                wrong.add(format!("items[{index}].restock"), InvalidValue::AtMost { most: came });
            }
            Some(_) => {}
        }
    }
    if arrived.values().sum::<i64>() == 0 {
        wrong.add("items", InvalidValue::NoUnits);
    }
    wrong.into_result()?;
    shelf.retain(|_, units| *units > 0);
    Ok((arrived, shelf))
}

/// The units of each line that are to go on the shelf.
fn wanted(of: &OrderReturn, input: &RestockReturn) -> Result<Units> {
    check_lines(input.items.len())?;
    let (mut wanted, mut wrong) = (Units::new(), FieldErrors::default());
    for (index, item) in input.items.iter().enumerate() {
        if !of.items.iter().any(|line| line.order_item_id == item.order_item_id) {
            wrong.add(format!("items[{index}].orderItemId"), InvalidValue::UnknownOrderItem);
        }
        *wanted.entry(item.order_item_id.clone()).or_insert(0) += item.quantity.get();
    }
    if input.items.is_empty() {
        wrong.add("items", InvalidValue::NoUnits);
    }
    wrong.into_result()?;
    Ok(wanted)
}

/// Puts units of a return on the shelf, in the order in which every transaction locks items. An
/// item that was deleted since has no shelf: its units are passed over.
fn restock(tx: &mut dyn Tx, at: &Work, of: &OrderReturn, wanted: &Units) -> Result<OrderReturn> {
    let mut changes = Vec::new();
    for line in order::stock_lines(tx, &of.order_id)? {
        let id = order::item_id(&of.order_id, line.position);
        let Some(units) = wanted.get(&id).copied() else { continue };
        let too_many = || {
            let item = of.items.iter().find(|it| it.order_item_id == id);
            let most = item.map_or(0, |it| it.received.unwrap_or(0) - it.restocked);
            Error::field("items", InvalidValue::AtMost { most })
        };
        if !order_return::add_restocked(tx, of, line.position, units, at.now())? {
            return Err(too_many());
        }
        changes.extend(stock::restock(tx, at, &line.moving(units), &of.id)?);
    }
    stock::announce(tx, at, &changes)?;
    order_return::must_get(tx, &of.id)
}
