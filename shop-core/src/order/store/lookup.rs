//! What rules ask of orders without reading them whole.

#[cfg(feature = "nfe")]
use super::position_of;
use super::read::read_address;
use crate::clock::Timestamp;
use crate::error::{Entity, Error, Result};
#[cfg(feature = "nfe")]
use crate::id::ReturnId;
use crate::id::{AccountId, OrderId};
use crate::money::Money;
#[cfg(feature = "nfe")]
use crate::order::{Order, OrderItem, OrderStatus};
use crate::order::{OrderAddress, UnpaidCutoff};
use crate::payment::store::holds_order;
use crate::stock::StockLine;
#[cfg(feature = "nfe")]
use crate::storage::Filter;
use crate::storage::{Prefetch, Tx, params, read_columns};

/// Refuses what is asked of an order that there is not.
///
/// # Errors
/// [`Entity::Order`].
pub(crate) fn must_exist(tx: &mut dyn Tx, id: &OrderId) -> Result<()> {
    if tx.exists("SELECT 1 FROM orders WHERE id = $1", params![id])? {
        return Ok(());
    }
    Err(Error::NotFound(Entity::Order))
}

/// The addresses of a customer's orders.
pub(crate) fn addresses_of(
    tx: &mut dyn Tx,
    customer: &AccountId,
) -> Result<Vec<(OrderId, OrderAddress)>> {
    tx.all("SELECT id, address FROM orders WHERE account_id = $1", params![customer], |row| {
        Ok((row.get(0)?, read_address(row, 1)?))
    })
}

/// Whether an order of the customer is unpaid or under way.
pub(crate) fn has_open(tx: &mut dyn Tx, customer: &AccountId) -> Result<bool> {
    tx.exists(
        "SELECT 1 FROM orders
         WHERE account_id = $1 AND status IN ('PENDING', 'PROCESSING', 'SHIPPED') LIMIT 1",
        params![customer],
    )
}

/// Whether the customer ever ordered.
pub(crate) fn has_any(tx: &mut dyn Tx, customer: &AccountId) -> Result<bool> {
    tx.exists("SELECT 1 FROM orders WHERE account_id = $1 LIMIT 1", params![customer])
}

/// Whose an order is.
pub(crate) fn owner(tx: &mut dyn Tx, id: &OrderId) -> Result<Option<AccountId>> {
    tx.find("SELECT account_id FROM orders WHERE id = $1", params![id])
}

/// The id of an order of the customer, by its id or its number.
pub(crate) fn id_of(tx: &mut dyn Tx, customer: &AccountId, named: &str) -> Result<Option<OrderId>> {
    let by_number: Option<(OrderId, AccountId)> =
        tx.find("SELECT id, account_id FROM orders WHERE number = $1", params![named])?;
    let found = match by_number {
        Some(found) => Some(found),
        None => tx.find("SELECT id, account_id FROM orders WHERE id = $1", params![named])?,
    };
    Ok(found.filter(|(_, owner)| owner == customer).map(|(id, _)| id))
}

/// The number of an order.
pub(crate) fn number_of(tx: &mut dyn Tx, id: &OrderId) -> Result<String> {
    let number =
        tx.one("SELECT number FROM orders WHERE id = $1", params![id], |row| row.get(0))?;
    number.ok_or(Error::NotFound(Entity::Order))
}

/// The numbers of these orders.
#[cfg(feature = "nfe")]
pub(crate) fn numbers_of(tx: &mut dyn Tx, ids: &[OrderId]) -> Result<Vec<(OrderId, String)>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut filter = Filter::default();
    let sql = format!("SELECT id, number FROM orders WHERE id IN ({})", filter.bind_all(ids));
    tx.all(&sql, filter.params(), |row| Ok((row.get(0)?, row.get(1)?)))
}

/// The numbers of all orders of a customer.
#[cfg(feature = "nfe")]
pub(crate) fn numbers_of_account(
    tx: &mut dyn Tx,
    customer: &AccountId,
) -> Result<Vec<(OrderId, String)>> {
    tx.all("SELECT id, number FROM orders WHERE account_id = $1", params![customer], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })
}

/// What the units of an order weigh together, in grams.
#[cfg(feature = "nfe")]
pub(crate) fn weight_grams(tx: &mut dyn Tx, order: &Order) -> Result<i64> {
    let of_units = unit_weights(tx, &order.id)?;
    let grams = |line: &OrderItem| {
        let place = usize::try_from(position_of(&order.id, &line.id) - 1).ok();
        place.and_then(|at| of_units.get(at)).map_or(0, |grams| grams * line.quantity)
    };
    Ok(order.items.iter().map(grams).sum())
}

/// What a unit of each line of an order weighs, in grams, in the lines' order.
pub(crate) fn unit_weights(tx: &mut dyn Tx, id: &OrderId) -> Result<Vec<i64>> {
    tx.list(
        "SELECT weight_grams FROM order_item WHERE order_id = $1 ORDER BY position",
        params![id],
    )
}

/// How many units of each line of an order are part of a return, in the lines' order.
pub(crate) fn returned_units(tx: &mut dyn Tx, id: &OrderId) -> Result<Vec<i64>> {
    tx.list("SELECT returned FROM order_item WHERE order_id = $1 ORDER BY position", params![id])
}

/// Orders that are paid, or were said to be, and not sent yet, the oldest first; without those of
/// which every unit is part of a return, so that nothing is left to send.
pub(crate) fn being_prepared(tx: &mut dyn Tx, limit: i64) -> Result<Vec<OrderId>> {
    tx.list(
        "SELECT id FROM orders o WHERE status = 'PROCESSING' AND EXISTS (
           SELECT 1 FROM order_item i WHERE i.order_id = o.id AND i.quantity > i.returned)
         ORDER BY created_at LIMIT $1",
        params![limit],
    )
}

/// The stock that an order's line items stand for, by their items' ids.
///
/// This is the order in which every transaction locks rows of `stock`: orders, cancellations and
/// corrections. So none of them waits for a row while it holds one that the other waits for; an
/// order's row and its coupon's come before its stock. PostgreSQL commits several jobs in one
/// transaction, where jobs after the first may still collide; it makes one of the two run again.
pub(crate) fn stock_lines(tx: &mut dyn Tx, order: &OrderId) -> Result<Vec<OrderUnits>> {
    let mut lines: Vec<OrderUnits> = tx.list(
        "SELECT position, item_id, product_id, quantity, returned, shelved, name FROM order_item
         WHERE order_id = $1",
        params![order],
    )?;
    // Not by the database, whose collation may be another one than Rust's.
    lines.sort_by(|one, other| one.item_id.cmp(&other.item_id));
    Ok(lines)
}

/// Where the units of an order's line are.
#[derive(Debug, Clone)]
pub(crate) struct OrderUnits {
    /// Of the line within its order, from 1.
    pub(crate) position: i64,
    /// The variant's id, or the product's own.
    pub(crate) item_id: String,
    product_id: String,
    /// Units that were bought.
    pub(crate) quantity: i64,
    /// Those that are part of a return.
    pub(crate) returned: i64,
    /// Those that are on the shelf again, because the order was closed.
    shelved: i64,
    /// The product's name when it was bought.
    pub(crate) name: String,
}

read_columns!(OrderUnits: position, item_id, product_id, quantity, returned, shelved, name);

impl OrderUnits {
    /// What goes back to the shelf when the order is closed.
    pub(crate) fn giving_back(&self) -> StockLine {
        self.moving(self.quantity - self.returned)
    }

    /// What is taken again when it comes back to life.
    pub(crate) fn taking_again(&self) -> StockLine {
        self.moving(self.shelved)
    }

    /// So many units of its item.
    pub(crate) fn moving(&self, units: i64) -> StockLine {
        StockLine {
            item_id: self.item_id.clone(),
            product_id: self.product_id.clone(),
            quantity: self.quantity,
            units,
            new_lines: 0,
        }
    }
}

/// When the order was last moved to DELIVERED.
pub(crate) fn delivered_at(tx: &mut dyn Tx, order: &OrderId) -> Result<Option<Timestamp>> {
    tx.value(
        "SELECT max(created_at) FROM order_history WHERE order_id = $1 AND status = 'DELIVERED'",
        params![order],
    )
}

/// Whether the order was ever handed to a carrier.
pub(crate) fn was_sent(tx: &mut dyn Tx, order: &OrderId) -> Result<bool> {
    let sql =
        "SELECT 1 FROM order_history WHERE order_id = $1 AND status IN ('SHIPPED', 'DELIVERED')";
    tx.exists(sql, params![order])
}

/// A return `r` that was opened before its order was sent. What was only marked as sent, and
/// unmarked, was not.
macro_rules! opened_unsent {
    () => {
        "NOT EXISTS (
           SELECT 1 FROM order_history h
           WHERE h.order_id = r.order_id AND h.status IN ('SHIPPED', 'DELIVERED')
             AND h.created_at <= r.created_at AND h.id > coalesce((
               SELECT max(id) FROM order_history
               WHERE order_id = r.order_id AND status IN ('PENDING', 'PROCESSING')), 0))"
    };
}

/// Units of a line that became part of a return before the order was sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Withdrawn {
    /// Of the line within its order, from 1.
    pub(crate) position: i64,
    pub(crate) units: i64,
    /// What was paid for them.
    #[cfg_attr(not(feature = "nfe"), expect(dead_code, reason = "only invoices ask for it"))]
    pub(crate) paid: Money,
}

read_columns!(Withdrawn: position, units, paid);

/// What was withdrawn of an order before it was sent, by its lines.
pub(crate) fn withdrawn_before_sending(tx: &mut dyn Tx, order: &OrderId) -> Result<Vec<Withdrawn>> {
    let sql = concat!(
        "SELECT i.position, CAST(sum(i.quantity - i.released) AS BIGINT),
                CAST(sum(i.amount) AS BIGINT)
         FROM order_return r JOIN order_return_item i ON i.return_id = r.id
         WHERE r.order_id = $1 AND r.status NOT IN ('REJECTED', 'CANCELLED') AND ",
        opened_unsent!(),
        " GROUP BY i.position"
    );
    tx.list(sql, params![order])
}

/// Whether a return was opened before its order was sent.
#[cfg(feature = "nfe")]
pub(crate) fn is_opened_unsent(tx: &mut dyn Tx, id: &ReturnId) -> Result<bool> {
    tx.exists(
        concat!("SELECT 1 FROM order_return r WHERE r.id = $1 AND ", opened_unsent!()),
        params![id],
    )
}

/// The status in which an order was closed, i.e. its last one before it was cancelled or refunded.
#[cfg(feature = "nfe")]
pub(crate) fn closed_from(tx: &mut dyn Tx, order: &OrderId) -> Result<Option<OrderStatus>> {
    tx.find(
        "SELECT status FROM order_history
         WHERE order_id = $1 AND status NOT IN ('CANCELLED', 'REFUNDED')
         ORDER BY created_at DESC, id DESC LIMIT 1",
        params![order],
    )
}

/// Whether the sweeper cancelled the order, and not a person.
pub(crate) fn cancelled_by_sweeper(tx: &mut dyn Tx, order: &OrderId) -> Result<bool> {
    tx.value(
        "SELECT coalesce(cancelled_by, '') = 'SWEEPER' FROM orders WHERE id = $1",
        params![order],
    )
}

/// Whether so many orders of a customer await payment. `coalesce` keeps the planner to the
/// customer's own orders, which one index tells of; there is another one by status.
pub(crate) fn has_unpaid(tx: &mut dyn Tx, customer: &AccountId, count: u32) -> Result<bool> {
    tx.exists(NTH_UNPAID, params![customer, i64::from(count) - 1])
}

const NTH_UNPAID: &str = "
    SELECT created_at FROM orders
    WHERE account_id = $1 AND coalesce(status, '') = 'PENDING'
    ORDER BY created_at DESC LIMIT 1 OFFSET $2";
const NTH_LATEST: &str = "
    SELECT created_at FROM orders WHERE account_id = $1
    ORDER BY created_at DESC LIMIT 1 OFFSET $2";

/// What [`has_unpaid`] asks.
pub(crate) fn prefetch_unpaid(customer: &AccountId, count: u32) -> Prefetch {
    Prefetch::new(NTH_UNPAID, params![customer, i64::from(count) - 1])
}

/// What [`nth_latest`] asks.
pub(crate) fn prefetch_nth(customer: &AccountId, n: u32) -> Prefetch {
    Prefetch::new(NTH_LATEST, params![customer, i64::from(n) - 1])
}

/// When the nth latest order of a customer was placed.
pub(crate) fn nth_latest(
    tx: &mut dyn Tx,
    customer: &AccountId,
    n: u32,
) -> Result<Option<Timestamp>> {
    tx.find(NTH_LATEST, params![customer, i64::from(n) - 1])
}

/// How long a PIX code holds, in milliseconds.
const CODE_LASTS: i64 = 30 * 60 * 1000;

/// Orders that have waited too long to be paid, since they were placed or last set back to PENDING;
/// a row of the history that moved nothing, such as that of a mended address, begins no time anew.
/// One that is paid does not wait, also when staff set it back to PENDING; nor does one with money
/// that staff have to decide about, or an attempt that is in process. A PIX code that still holds
/// is waited for, but for no longer than one code lasts: customers may make new ones again and
/// again.
macro_rules! unpaid_too_long {
    ($columns:literal, $and:literal) => {
        concat!(
            "SELECT ",
            $columns,
            " FROM (
               SELECT o.id, o.created_at, o.sweep_at,
                 coalesce((SELECT min(h.created_at) FROM order_history h
                           WHERE h.order_id = o.id AND h.status = 'PENDING' AND h.id > (
                             SELECT max(x.id) FROM order_history x
                             WHERE x.order_id = o.id AND x.status <> 'PENDING')),
                          o.created_at) AS since,
                 CASE WHEN EXISTS (SELECT 1 FROM payment p
                                   WHERE p.order_id = o.id AND p.method = 'PIX')
                       AND NOT EXISTS (SELECT 1 FROM payment p
                                       WHERE p.order_id = o.id AND p.method <> 'PIX')
                   THEN CAST($1 AS BIGINT) ELSE CAST($2 AS BIGINT) END AS latest
               FROM orders o
               WHERE o.status = 'PENDING' AND o.created_at <= $1 AND o.total > 0
                 AND NOT EXISTS (SELECT 1 FROM payment p WHERE p.order_id = o.id AND ",
            holds_order!(),
            ")) o
             WHERE o.since <= o.latest
               AND (o.since <= o.latest - CAST($3 AS BIGINT) OR NOT EXISTS (
                     SELECT 1 FROM payment p
                     WHERE p.order_id = o.id AND p.status = 'PENDING' AND p.method = 'PIX'
                       AND p.expires_at > $4)) ",
            $and
        )
    };
}

/// Those that the sweeper may try to cancel now, each with the moment in which its time was over.
/// First those that it never tried in vain, then those whose turn it has been for longest.
pub(crate) fn unpaid(
    tx: &mut dyn Tx,
    cutoff: UnpaidCutoff,
    limit: i64,
) -> Result<Vec<(OrderId, Timestamp)>> {
    let sql = unpaid_too_long!(
        "o.id, o.latest - o.since",
        "AND (o.sweep_at = 0 OR o.sweep_at <= $4) ORDER BY o.sweep_at, o.created_at LIMIT $5"
    );
    let UnpaidCutoff { pix, other, now } = cutoff;
    tx.all(sql, params![pix, other, CODE_LASTS, now, limit], |row| {
        let overdue: i64 = row.get(1)?;
        Ok((row.get(0)?, Timestamp::from_millis(now.millis() - overdue)))
    })
}

/// Whether an order is one of those.
pub(crate) fn is_unpaid_too_long(
    tx: &mut dyn Tx,
    order: &OrderId,
    cutoff: UnpaidCutoff,
) -> Result<bool> {
    let sql = unpaid_too_long!("1", "AND o.id = $5");
    let UnpaidCutoff { pix, other, now } = cutoff;
    tx.exists(sql, params![pix, other, CODE_LASTS, now, order])
}
