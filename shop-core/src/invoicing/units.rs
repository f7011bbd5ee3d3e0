//! Which units of an order are on its invoice: those that are sent. Units that the customer
//! withdrew from before anything was sent are on no invoice, and neither is what was paid for them.

use std::collections::BTreeMap;

use crate::error::{Error, Refusal, Result};
use crate::id::OrderItemId;
use crate::order::{self, Order, OrderItem, Withdrawn};
use crate::storage::Tx;

/// The units of each line that an invoice has.
pub(super) type Units = BTreeMap<OrderItemId, i64>;

/// The order as its invoice says it.
///
/// # Errors
/// [`Refusal::OrderWithdrawn`] where nothing is left to send.
pub(super) fn invoiced(tx: &mut dyn Tx, order: &Order) -> Result<Order> {
    let mut order = order.clone();
    for Withdrawn { position, units, paid } in order::withdrawn_before_sending(tx, &order.id)? {
        let line = usize::try_from(position - 1).ok().and_then(|at| order.items.get_mut(at));
        let line = line.ok_or_else(|| Error::internal("a return of a line that is not there"))?;
        line.quantity -= units;
        let price = line.price * units;
        line.total = line.total - price;
        order.subtotal = order.subtotal - price;
        order.discount = order.discount - (price - paid);
        order.total = order.total - paid;
    }
    order.items.retain(|line| line.quantity > 0);
    if order.items.is_empty() {
        return Err(Error::Refused(Refusal::OrderWithdrawn));
    }
    Ok(order)
}

/// The units of the lines of an order as its invoice says it.
pub(super) fn of(order: &Order) -> Units {
    order.items.iter().map(|line| (line.id.clone(), line.quantity)).collect()
}

/// Leaves the lines of an order as an invoice with these units has them.
pub(super) fn keep(lines: &mut Vec<OrderItem>, units: &Units) {
    for line in &mut *lines {
        line.quantity = units.get(&line.id).copied().unwrap_or_default();
        line.total = line.price * line.quantity;
    }
    lines.retain(|line| line.quantity > 0);
}
