//! Asking for a return: whose order, which units, which right, and whether in time.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::actor::Actor;
use crate::audit;
use crate::cart::MAX_LINES;
use crate::clock::Timestamp;
use crate::config::ReturnsConfig;
use crate::context::Work;
use crate::error::{Conflict, Entity, Error, Refusal, Result};
use crate::id::{AccountId, OrderId, OrderItemId};
use crate::money::{Money, UnitsShare};
use crate::order::{self, Order, OrderStatus, OrderUnits, Term};
use crate::order_return::{
    self, OrderReturn, ReturnBy, ReturnItem, ReturnKind, ReturnRefund, ReturnStatus,
};
use crate::storage::Tx;
use crate::value::{InvalidValue, OptionalText, Quantity};

/// Goods of an order that a customer wants to return (`POST /api/orders/{id}/returns`).
#[apply(input!)]
#[derive(Default, Serialize)]
#[serde(default)]
pub struct RequestReturn {
    /// Which units; all that are in no return yet where it is left out or empty.
    #[cfg_attr(feature = "schema", schemars(length(max = MAX_LINES)))]
    pub items: Option<Vec<ReturnUnits>>,
    /// What the customer says about it; a withdrawal needs none.
    pub reason: Option<OptionalText<1000>>,
    /// Which right it is; where it is left out a withdrawal while its term lasts, then a defect.
    pub kind: Option<ReturnKind>,
}

/// Goods that staff take back for a customer (`POST /api/admin/returns`).
#[apply(input!)]
#[derive(Serialize)]
pub struct OpenReturn {
    /// The order.
    pub order_id: OrderId,
    /// Which units; all that are in no return yet where it is left out or empty.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(length(max = MAX_LINES)))]
    pub items: Option<Vec<ReturnUnits>>,
    /// What the customer says about it.
    #[serde(default)]
    pub reason: Option<OptionalText<1000>>,
    /// Which right it is; where it is left out a withdrawal while its term lasts, then a defect.
    #[serde(default)]
    pub kind: Option<ReturnKind>,
}

/// Units of a line of an order.
#[apply(input!)]
#[derive(Serialize)]
pub struct ReturnUnits {
    /// The line.
    pub order_item_id: OrderItemId,
    /// How many of its units.
    pub quantity: Quantity,
}

/// Refuses a request that names more lines than an order has.
pub(super) fn check_lines(named: usize) -> Result<()> {
    if named > MAX_LINES {
        return Err(Error::field("items", InvalidValue::MaxItems { most: MAX_LINES as u64 }));
    }
    Ok(())
}

/// What is asked for, by whom.
struct Asked<'a> {
    by: ReturnBy<'a>,
    items: &'a [ReturnUnits],
    reason: Option<&'a str>,
    kind: Option<ReturnKind>,
}

impl<'a> Asked<'a> {
    fn of(
        by: ReturnBy<'a>,
        items: Option<&'a Vec<ReturnUnits>>,
        reason: Option<&'a OptionalText<1000>>,
        kind: Option<ReturnKind>,
    ) -> Self {
        let items = items.map(Vec::as_slice).unwrap_or_default();
        let reason = reason.map(OptionalText::as_str).filter(|text| !text.is_empty());
        Self { by, items, reason, kind }
    }
}

pub(super) fn by_customer(
    tx: &mut dyn Tx,
    at: &Work,
    customer: &AccountId,
    order: &OrderId,
    input: &RequestReturn,
    config: &ReturnsConfig,
) -> Result<OrderReturn> {
    let order = order::owned(tx, customer, order)?.ok_or(Error::NotFound(Entity::Order))?;
    let (items, reason) = (input.items.as_ref(), input.reason.as_ref());
    let asked = Asked::of(ReturnBy::Customer, items, reason, input.kind);
    open(tx, at, &order, &asked, config)
}

pub(super) fn by_staff(
    tx: &mut dyn Tx,
    at: &Work,
    by: &Actor,
    input: &OpenReturn,
    config: &ReturnsConfig,
) -> Result<OrderReturn> {
    let order = order::find(tx, &input.order_id)?.ok_or(Error::NotFound(Entity::Order))?;
    let (items, reason) = (input.items.as_ref(), input.reason.as_ref());
    let asked = Asked::of(ReturnBy::Staff(by), items, reason, input.kind);
    let opened = open(tx, at, &order, &asked, config)?;
    let slim = serde_json::json!({ "protocol": opened.protocol, "kind": opened.kind });
    audit::record(tx, at, by, "return.open", opened.id.as_str(), &(), &slim)?;
    Ok(opened)
}

fn open(
    tx: &mut dyn Tx,
    at: &Work,
    order: &Order,
    asked: &Asked<'_>,
    config: &ReturnsConfig,
) -> Result<OrderReturn> {
    let goods_left = matches!(order.status, OrderStatus::Shipped | OrderStatus::Delivered);
    let open = order.status.holds_stock() && (order.is_paid() || goods_left);
    if !open {
        return Err(Error::Refused(Refusal::OrderNotReturnable));
    }
    let right = right(tx, at, order, asked, config)?;
    let units = order::stock_lines(tx, &order.id)?;
    let wanted = wanted(order, &units, asked)?;
    let items = claim(tx, order, &units, &wanted)?;
    let mut new = made(tx, at, order, asked, &right, items)?;
    let all = order_return::of_order(tx, &order.id)?;
    new.freight = order_return::freight_due(order, &new, &all, config.refund_freight);
    order_return::begin(tx, at, &new, asked.by, goods_left)?;
    let note = format!("Devolução {} registrada", new.protocol);
    order::add_own_note(tx, at, &order.id, &note)?;
    Ok(new)
}

/// The return as it begins.
fn made(
    tx: &mut dyn Tx,
    at: &Work,
    order: &Order,
    asked: &Asked<'_>,
    right: &Right,
    items: Vec<ReturnItem>,
) -> Result<OrderReturn> {
    let by_staff = asked.by != ReturnBy::Customer;
    let approved = by_staff || right.kind == ReturnKind::Withdrawal;
    let number = order_return::count_of_order(tx, &order.id)? + 1;
    Ok(OrderReturn {
        id: at.id(),
        protocol: format!("{}-D{number}", order.order_number),
        order_id: order.id.clone(),
        order_number: order.order_number.clone(),
        user_id: order.user_id.clone(),
        kind: right.kind,
        status: if approved { ReturnStatus::Approved } else { ReturnStatus::Requested },
        courtesy: right.courtesy,
        reason: asked.reason.map(str::to_owned),
        rejection_reason: None,
        delivered_at: right.delivered_at,
        term_ends_at: right.term.ends_at,
        tracking_code: None,
        carrier: None,
        amount: items.iter().map(|item| item.amount).sum(),
        items,
        freight: Money::ZERO,
        refund: ReturnRefund::none(),
        invoices: Vec::new(),
        received_at: None,
        created_at: at.now(),
        updated_at: at.now(),
    })
}

/// The right that a return uses, with its term.
struct Right {
    kind: ReturnKind,
    term: Term,
    delivered_at: Option<Timestamp>,
    courtesy: bool,
}

/// Which right it is, and whether in time. Staff may open a return after its term, as a courtesy.
fn right(
    tx: &mut dyn Tx,
    at: &Work,
    order: &Order,
    asked: &Asked<'_>,
    config: &ReturnsConfig,
) -> Result<Right> {
    // An order that was moved back from DELIVERED has not arrived, whatever its history says.
    let delivered_at = match order.status {
        OrderStatus::Delivered => order::delivered_at(tx, &order.id)?,
        _ => None,
    };
    let withdrawal = Term::of(delivered_at, config.withdrawal_days);
    let defect = Term::of(delivered_at, config.defect_days);
    let by_staff = asked.by != ReturnBy::Customer;
    let kind = asked.kind.unwrap_or_else(|| {
        let withdraws = withdrawal.is_open(at.now()) || asked.reason.is_none();
        if withdraws { ReturnKind::Withdrawal } else { ReturnKind::Defect }
    });
    let term = match kind {
        ReturnKind::Withdrawal => withdrawal,
        ReturnKind::Defect => defect,
    };
    if kind == ReturnKind::Defect && asked.reason.is_none() && !by_staff {
        return Err(Error::field("reason", InvalidValue::Required));
    }
    let late = !term.is_open(at.now());
    match term.last_day().filter(|_| late && !by_staff) {
        Some(last_day) => Err(Error::Refused(Refusal::ReturnTooLate { last_day })),
        None => Ok(Right { kind, term, delivered_at, courtesy: late }),
    }
}

/// How many units of each line are asked for, by the line's place among the order's.
fn wanted(order: &Order, units: &[OrderUnits], asked: &Asked<'_>) -> Result<BTreeMap<usize, i64>> {
    let mut wanted = BTreeMap::new();
    check_lines(asked.items.len())?;
    for (index, item) in asked.items.iter().enumerate() {
        let place = order.items.iter().position(|line| line.id == item.order_item_id);
        let unknown =
            || Error::field(format!("items[{index}].orderItemId"), InvalidValue::UnknownOrderItem);
        let place = place.ok_or_else(unknown)?;
        let units = wanted.entry(place).or_insert(0);
        *units += item.quantity.get();
        let most = order.items[place].quantity;
        if *units > most {
            let wrong = InvalidValue::AtMost { most };
            return Err(Error::field(format!("items[{index}].quantity"), wrong));
        }
    }
    if asked.items.is_empty() {
        for place in 0..order.items.len() {
            let left = line_of(units, order, place).map_or(0, |it| it.quantity - it.returned);
            if left > 0 {
                wanted.insert(place, left);
            }
        }
    }
    Conflict::UnitsReturned.unless(!wanted.is_empty())?;
    Ok(wanted)
}

/// Takes the units out of the order, and reckons what they were paid.
fn claim(
    tx: &mut dyn Tx,
    order: &Order,
    units: &[OrderUnits],
    wanted: &BTreeMap<usize, i64>,
) -> Result<Vec<ReturnItem>> {
    let others = order_return::of_order(tx, &order.id)?;
    let mut items = Vec::with_capacity(wanted.len());
    for (place, quantity) in wanted {
        let (Some(line), Some(held)) = (order.items.get(*place), line_of(units, order, *place))
        else {
            return Err(Error::internal("a line of the order is gone"));
        };
        let claimed = order::claim_units(tx, &order.id, held.position, *quantity)?;
        Conflict::UnitsReturned.unless(claimed)?;
        let before = others.iter().filter(|it| it.status.holds_units());
        let before = before.flat_map(|it| &it.items).filter(|it| it.order_item_id == line.id);
        let held = UnitsShare { units: held.returned, amount: before.map(|it| it.amount).sum() };
        items.push(ReturnItem {
            order_item_id: line.id.clone(),
            product_name: line.product_name_snapshot.clone(),
            variant: line.variant_snapshot.clone(),
            quantity: *quantity,
            received: None,
            released: 0,
            restocked: 0,
            invoiced: 0,
            amount: order_return::goods(order, *place, held, *quantity),
        });
    }
    Ok(items)
}

/// Where the units of a line are, by the line's place among the order's.
fn line_of<'u>(units: &'u [OrderUnits], order: &Order, place: usize) -> Option<&'u OrderUnits> {
    let position = order::position_of(&order.id, &order.items.get(place)?.id);
    units.iter().find(|it| it.position == position)
}
