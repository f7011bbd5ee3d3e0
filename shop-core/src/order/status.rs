//! How an order moves from status to status (docs/decisions.md, "Orders and stock").

use super::{Order, OrderId, OrderStatus, customer_notice, daily_stats, store};
use crate::actor::Actor;
use crate::context::Work;
use crate::coupon;
use crate::error::{Error, Result};
use crate::event::{self, EventName};
use crate::order::{EventOrder, EventStatusChange};
use crate::payment;
use crate::shipment;
use crate::stock::{self, StockChange};
use crate::storage::Tx;
use crate::value::wire_enum;

/// Who moves an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MovedBy<'a> {
    /// A provider's confirmation of a payment.
    Payment,
    /// A person or a program of the shop.
    Staff(&'a Actor),
    /// The customer, before paying.
    Customer,
    /// The sweeper of unpaid orders.
    Sweeper,
    /// A carrier that says where the parcels are.
    Carrier,
}

wire_enum! {
    /// What moved an order to another status.
    #[cfg_attr(feature = "schema", schemars(inline))]
    #[non_exhaustive]
    pub enum OrderActor {
        /// A payment that was confirmed or refunded.
        Payment = "PAYMENT",
        /// A member of staff.
        Staff = "STAFF",
        /// A program with an API key.
        Key = "KEY",
        /// The shop's operator on the command line, or a program that embeds the shop.
        System = "SYSTEM",
        /// The customer, who called an unpaid order off.
        Customer = "CUSTOMER",
        /// The cancellation of orders that stayed unpaid.
        Sweeper = "SWEEPER",
        /// What the carrier said of the parcels.
        Carrier = "CARRIER",
    }
}

impl<'a> MovedBy<'a> {
    pub(super) fn actor(self) -> OrderActor {
        match self {
            Self::Payment => OrderActor::Payment,
            Self::Staff(Actor::Admin(_)) => OrderActor::Staff,
            Self::Staff(Actor::Key(_)) => OrderActor::Key,
            Self::Staff(Actor::Host(_) | Actor::System) => OrderActor::System,
            Self::Customer => OrderActor::Customer,
            Self::Sweeper => OrderActor::Sweeper,
            Self::Carrier => OrderActor::Carrier,
        }
    }

    /// The id of the person or program.
    pub(super) fn id(self) -> Option<&'a str> {
        match self {
            Self::Staff(actor) => actor.id(),
            Self::Payment | Self::Customer | Self::Sweeper | Self::Carrier => None,
        }
    }
}

/// A move of an order.
#[derive(Clone, Copy)]
pub(crate) struct Change<'a> {
    pub(crate) to: OrderStatus,
    pub(crate) by: MovedBy<'a>,
    pub(crate) note: Option<&'a str>,
}

/// Moves an order, with everything that hangs on it: its units, its history, the events and the
/// customer's notification, all in the caller's transaction. The status that the order already has
/// changes nothing and emits nothing.
///
/// # Errors
/// [`crate::error::Refusal::InsufficientStock`] when the order must have its units again and
/// cannot; [`Error::Busy`] when another transaction moved it meanwhile.
pub(crate) fn change_status(
    tx: &mut dyn Tx,
    at: &Work,
    order: &Order,
    change: &Change<'_>,
) -> Result<Order> {
    if order.status == change.to {
        return Ok(order.clone());
    }
    let cancelled_by = match (change.to, change.by) {
        (OrderStatus::Cancelled, MovedBy::Sweeper) => Some("SWEEPER"),
        (OrderStatus::Cancelled, _) => Some("STAFF"),
        _ => None,
    };
    if !store::set_status(tx, order, change.to, cancelled_by, at.now())? {
        return Err(Error::busy());
    }
    let moved = match (order.status.holds_stock(), change.to.holds_stock()) {
        (true, false) => give_back(tx, at, &order.id)?,
        (false, true) => retake(tx, at, &order.id)?,
        _ => Vec::new(),
    };
    if !change.to.holds_stock() {
        // A code or an intent of a closed order could still be paid: it is called off.
        payment::store::check_soon(tx, &order.id, at.now())?;
    }
    if !change.to.is_shippable() {
        shipment::wake_unpaid(tx, &order.id, at.now())?;
    }
    daily_stats::moved(tx, order, change.to)?;
    stock::announce(tx, at, &moved)?;
    let changed = Order { status: change.to, updated_at: at.now(), ..order.clone() };
    let by = change.by;
    let marked = MARKED_REFUNDED.filter(|_| customer_notice::is_only_marked(&changed, by));
    store::insert_history(tx, at, &order.id, &Change { note: change.note.or(marked), ..*change })?;
    announce(tx, at, by, order.status, &changed)?;
    Ok(changed)
}

/// What the history says of an order that staff set to REFUNDED without a note.
const MARKED_REFUNDED: Option<&str> =
    Some("Marcado como reembolsado; nenhum valor foi movimentado por aqui");

fn announce(
    tx: &mut dyn Tx,
    at: &Work,
    by: MovedBy<'_>,
    previous: OrderStatus,
    order: &Order,
) -> Result<()> {
    let data = EventStatusChange { order: EventOrder::from(order), previous_status: previous };
    event::emit(tx, at, EventName::OrderStatusChanged, &data)?;
    let milestone = match order.status {
        OrderStatus::Shipped => Some(EventName::OrderShipped),
        OrderStatus::Delivered => Some(EventName::OrderDelivered),
        _ => None,
    };
    if let Some(name) = milestone {
        event::emit(tx, at, name, &data.order)?;
    }
    customer_notice::notify(tx, at, previous, order, by)
}

/// Gives back an order's units and, if it was never paid, its coupon's use. Units that are part of
/// a return are left to it: whether they come at all, and in which state, only staff who receive
/// them know.
fn give_back(tx: &mut dyn Tx, at: &Work, order: &OrderId) -> Result<Vec<StockChange>> {
    // Of an order that was paid, the coupon stays used.
    if !store::was_paid(tx, order)? {
        coupon::give_back(tx, order)?;
    }
    let mut changes = Vec::new();
    for line in store::stock_lines(tx, order)? {
        changes.extend(stock::give_back(tx, at, &line.giving_back(), order)?);
    }
    store::shelve(tx, order)?;
    Ok(changes)
}

/// Takes the units again that an order gave back, or refuses by the name of what is missing; and
/// counts its coupon's use again.
fn retake(tx: &mut dyn Tx, at: &Work, order: &OrderId) -> Result<Vec<StockChange>> {
    if let Some(coupon) = store::coupon_of(tx, order)? {
        coupon::use_again(tx, order, &coupon)?;
    }
    let lines = store::stock_lines(tx, order)?;
    let lines = lines.iter().map(|line| (line.taking_again(), &line.name));
    let (taking, unmoved): (Vec<_>, Vec<_>) = lines.partition(|(line, _)| line.units > 0);
    for (line, _) in &unmoved {
        stock::count_unmoved(tx, line, line.quantity)?;
    }
    let taking: Vec<_> = taking.iter().map(|(line, name)| (line, name.as_str())).collect();
    let changes = stock::take_or_refuse(tx, at, &taking, order)?;
    store::unshelve(tx, order)?;
    Ok(changes)
}

/// Whether all units of a cancelled order could be taken again now.
pub(crate) fn stock_suffices(tx: &mut dyn Tx, order: &OrderId) -> Result<bool> {
    for line in store::stock_lines(tx, order)? {
        let line = line.taking_again();
        if stock::quantity(tx, &line.item_id)?.unwrap_or(0) < line.units {
            return Ok(false);
        }
    }
    Ok(true)
}
