//! The SQL of returns: all writes of `order_return`, `order_return_item` and
//! `order_return_history`.

use std::collections::HashMap;

use super::{
    Move, OrderReturn, ReturnItem, ReturnMove, ReturnRefund, ReturnRefundStatus, ReturnStatus,
    invoices,
};
use crate::clock::Timestamp;
use crate::context::Work;
use crate::error::Result;
use crate::id::{AccountId, OrderId, RefundId, ReturnId};
use crate::money::Money;
use crate::order;
use crate::storage::{PLACES, Row, Tx, params, query_placed, read_columns};
use crate::value::Words;

/// The columns of a return, for [`read`].
macro_rules! select_return {
    ($tail:literal) => {
        concat!(
            "SELECT id, protocol, order_id, order_number, account_id, kind, status, courtesy, reason,
                    rejection, delivered_at, term_ends_at, tracking_code, carrier, freight,
                    refund_status, refund_id, refund_amount, refunded_at, received_at, created_at,
                    updated_at
             FROM order_return ",
            $tail
        )
    };
}

fn read(row: &dyn Row) -> Result<OrderReturn> {
    Ok(OrderReturn {
        id: row.get(0)?,
        protocol: row.get(1)?,
        order_id: row.get(2)?,
        order_number: row.get(3)?,
        user_id: row.get(4)?,
        kind: row.get(5)?,
        status: row.get(6)?,
        courtesy: row.get(7)?,
        reason: row.get(8)?,
        rejection_reason: row.get(9)?,
        delivered_at: row.get(10)?,
        term_ends_at: row.get(11)?,
        tracking_code: row.get(12)?,
        carrier: row.get(13)?,
        items: Vec::new(),
        invoices: Vec::new(),
        amount: Money::ZERO,
        freight: row.get(14)?,
        refund: ReturnRefund {
            status: row.get(15)?,
            refund_id: row.get(16)?,
            amount: row.get(17)?,
            refunded_at: row.get(18)?,
        },
        received_at: row.get(19)?,
        created_at: row.get(20)?,
        updated_at: row.get(21)?,
    })
}

pub(super) fn insert(tx: &mut dyn Tx, new: &OrderReturn) -> Result<()> {
    tx.run(
        "INSERT INTO order_return (id, order_id, order_number, account_id, protocol, kind, status,
           courtesy, reason, delivered_at, term_ends_at, freight, refund_status, created_at,
           updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14)",
        params![
            &new.id,
            &new.order_id,
            &new.order_number,
            &new.user_id,
            &new.protocol,
            new.kind,
            new.status,
            i64::from(new.courtesy),
            &new.reason,
            new.delivered_at,
            new.term_ends_at,
            new.freight,
            new.refund.status,
            new.created_at
        ],
    )?;
    for item in &new.items {
        tx.run(
            "INSERT INTO order_return_item (return_id, position, name, variant, quantity, amount)
             VALUES ($1, $2, $3, $4, $5, $6)",
            params![
                &new.id,
                order::position_of(&new.order_id, &item.order_item_id),
                &item.product_name,
                &item.variant,
                item.quantity,
                item.amount
            ],
        )?;
    }
    Ok(())
}

/// A return by its id.
pub(crate) fn by_id(tx: &mut dyn Tx, id: &ReturnId) -> Result<Option<OrderReturn>> {
    let found = tx.all(select_return!("WHERE id = $1"), params![id], read)?;
    Ok(complete(tx, found)?.pop())
}

/// A return by the number that people use.
pub(crate) fn by_protocol(tx: &mut dyn Tx, protocol: &str) -> Result<Option<OrderReturn>> {
    let found = tx.all(select_return!("WHERE protocol = $1"), params![protocol], read)?;
    Ok(complete(tx, found)?.pop())
}

/// A return of one of the customer's orders.
pub(crate) fn owned(
    tx: &mut dyn Tx,
    customer: &AccountId,
    order: &OrderId,
    id: &ReturnId,
) -> Result<Option<OrderReturn>> {
    Ok(by_id(tx, id)?.filter(|it| it.user_id == *customer && it.order_id == *order))
}

/// The returns of an order, oldest first.
pub(crate) fn of_order(tx: &mut dyn Tx, order: &OrderId) -> Result<Vec<OrderReturn>> {
    let found = tx.all(
        select_return!("WHERE order_id = $1 ORDER BY created_at, id"),
        params![order],
        read,
    )?;
    complete(tx, found)
}

/// The returns of a customer, oldest first.
pub(crate) fn of_account(tx: &mut dyn Tx, customer: &AccountId) -> Result<Vec<OrderReturn>> {
    let sql = select_return!("WHERE account_id = $1 ORDER BY created_at, id");
    let found = tx.all(sql, params![customer], read)?;
    complete(tx, found)
}

/// The returns of these ids, in their order.
pub(crate) fn by_ids(tx: &mut dyn Tx, ids: &[ReturnId]) -> Result<Vec<OrderReturn>> {
    let sql = format!("{}WHERE id IN ({})", select_return!(""), *PLACES);
    let mut found = Vec::with_capacity(ids.len());
    query_placed(tx, &sql, ids, &mut |row| {
        found.push(read(row)?);
        Ok(())
    })?;
    found.sort_by_key(|it| ids.iter().position(|id| *id == it.id));
    complete(tx, found)
}

/// Adds what returns have of items and invoices, by the same few statements however many there are.
fn complete(tx: &mut dyn Tx, mut returns: Vec<OrderReturn>) -> Result<Vec<OrderReturn>> {
    let ids: Vec<ReturnId> = returns.iter().map(|it| it.id.clone()).collect();
    let mut items = items(tx, &ids)?;
    for it in &mut returns {
        it.items = items.remove(&it.id).unwrap_or_default();
        it.amount = it.items.iter().map(|item| item.amount).sum();
    }
    invoices::complete(tx, &mut returns)?;
    Ok(returns)
}

/// The lines of these returns, without what is invoiced of them.
fn items(tx: &mut dyn Tx, returns: &[ReturnId]) -> Result<HashMap<ReturnId, Vec<ReturnItem>>> {
    let sql = format!(
        "SELECT i.return_id, r.order_id, i.position, i.name, i.variant, i.quantity, i.received,
                i.released, i.restocked, i.amount
         FROM order_return_item i JOIN order_return r ON r.id = i.return_id
         WHERE i.return_id IN ({}) ORDER BY i.return_id, i.position",
        *PLACES
    );
    let mut items: HashMap<ReturnId, Vec<ReturnItem>> = HashMap::new();
    query_placed(tx, &sql, returns, &mut |row| {
        items.entry(row.get(0)?).or_default().push(read_item(row)?);
        Ok(())
    })?;
    Ok(items)
}

fn read_item(row: &dyn Row) -> Result<ReturnItem> {
    Ok(ReturnItem {
        order_item_id: order::item_id(&row.get(1)?, row.get(2)?),
        product_name: row.get(3)?,
        variant: row.get(4)?,
        quantity: row.get(5)?,
        received: row.get(6)?,
        released: row.get(7)?,
        restocked: row.get(8)?,
        invoiced: 0,
        amount: row.get(9)?,
    })
}

/// How many returns an order has had.
pub(crate) fn count_of_order(tx: &mut dyn Tx, order: &OrderId) -> Result<i64> {
    tx.value("SELECT count(*) FROM order_return WHERE order_id = $1", params![order])
}

/// Whether a return of the customer waits for somebody.
pub(crate) fn has_open(tx: &mut dyn Tx, customer: &AccountId) -> Result<bool> {
    let open = ReturnStatus::listed(ReturnStatus::is_open);
    let sql =
        format!("SELECT 1 FROM order_return WHERE account_id = $1 AND status IN ({open}) LIMIT 1");
    tx.exists(&sql, params![customer])
}

/// Sets the status if the return still has the one that it was read with.
pub(super) fn set_status(
    tx: &mut dyn Tx,
    was: &OrderReturn,
    to: ReturnStatus,
    now: Timestamp,
) -> Result<bool> {
    tx.changes(
        "UPDATE order_return SET status = $1, updated_at = $2 WHERE id = $3 AND status = $4",
        params![to, now, &was.id, was.status],
    )
}

/// Keeps why staff said no.
pub(crate) fn set_rejection(tx: &mut dyn Tx, id: &ReturnId, reason: &str) -> Result<()> {
    tx.run("UPDATE order_return SET rejection = $1 WHERE id = $2", params![reason, id])
}

/// Keeps by which the parcel is found.
pub(crate) fn set_parcel(
    tx: &mut dyn Tx,
    id: &ReturnId,
    code: Option<&str>,
    carrier: Option<&str>,
) -> Result<()> {
    tx.run(
        "UPDATE order_return SET tracking_code = $1, carrier = $2 WHERE id = $3",
        params![code, carrier, id],
    )
}

/// Notes that the goods arrived. False where that was noted already.
pub(crate) fn set_received(tx: &mut dyn Tx, id: &ReturnId, now: Timestamp) -> Result<bool> {
    tx.changes(
        "UPDATE order_return SET received_at = $1, updated_at = $1
         WHERE id = $2 AND received_at IS NULL",
        params![now, id],
    )
}

/// Notes how many units of a line arrived.
pub(crate) fn set_item_received(
    tx: &mut dyn Tx,
    of: &OrderReturn,
    position: i64,
    units: i64,
) -> Result<()> {
    tx.run(
        "UPDATE order_return_item SET received = $1 WHERE return_id = $2 AND position = $3",
        params![units, &of.id, position],
    )
}

/// Notes that units of a line that did not arrive are no part of the return any more, and what the
/// others were paid.
pub(crate) fn release_missing(
    tx: &mut dyn Tx,
    of: &OrderReturn,
    position: i64,
    units: i64,
    amount: Money,
) -> Result<()> {
    tx.run(
        "UPDATE order_return_item SET released = released + $1, amount = $2
         WHERE return_id = $3 AND position = $4",
        params![units, amount, &of.id, position],
    )
}

/// Notes that units are back on the shelf. False, and nothing changed, where more than arrived
/// would be there.
pub(crate) fn add_restocked(
    tx: &mut dyn Tx,
    of: &OrderReturn,
    position: i64,
    units: i64,
    now: Timestamp,
) -> Result<bool> {
    let done = tx.changes(
        "UPDATE order_return_item SET restocked = restocked + $1
         WHERE return_id = $2 AND position = $3 AND coalesce(received, 0) - restocked >= $1",
        params![units, &of.id, position],
    )?;
    tx.run("UPDATE order_return SET updated_at = $1 WHERE id = $2", params![now, &of.id])?;
    Ok(done)
}

/// Sets what goes back of the freight.
pub(crate) fn set_freight(tx: &mut dyn Tx, id: &ReturnId, freight: Money) -> Result<()> {
    tx.run("UPDATE order_return SET freight = $1 WHERE id = $2", params![freight, id])
}

/// Notes that a refund of the return was begun. False, and nothing changed, where one is under way
/// or done: of two who refund at once, one does.
pub(crate) fn begin_refund(
    tx: &mut dyn Tx,
    id: &ReturnId,
    refund: Option<&RefundId>,
    amount: Money,
    now: Timestamp,
) -> Result<bool> {
    tx.changes(
        "UPDATE order_return SET refund_status = 'PENDING', refund_id = $1, refund_amount = $2,
           updated_at = $3
         WHERE id = $4 AND refund_status IN ('NONE', 'FAILED')",
        params![refund, amount, now, id],
    )
}

/// Ends a refund that is under way. False where none is.
pub(super) fn end_refund(
    tx: &mut dyn Tx,
    id: &ReturnId,
    to: ReturnRefundStatus,
    now: Timestamp,
) -> Result<bool> {
    let done = (to == ReturnRefundStatus::Done).then_some(now);
    tx.changes(
        "UPDATE order_return SET refund_status = $1, refunded_at = $2, updated_at = $3
         WHERE id = $4 AND refund_status = 'PENDING'",
        params![to, done, now, id],
    )
}

pub(super) fn insert_history(
    tx: &mut dyn Tx,
    at: &Work,
    id: &ReturnId,
    change: &Move<'_>,
) -> Result<()> {
    tx.run(
        "INSERT INTO order_return_history (return_id, status, actor, actor_id, note, created_at)
         VALUES ($1, $2, $3, $4, $5, $6)",
        params![id, change.to, change.by.actor().as_str(), change.by.id(), change.note, at.now()],
    )
}

/// Every status that a return was moved to, oldest first.
pub(crate) fn history(tx: &mut dyn Tx, id: &ReturnId) -> Result<Vec<ReturnMove>> {
    tx.list(
        "SELECT status, actor, actor_id, note, created_at FROM order_return_history
         WHERE return_id = $1 ORDER BY id",
        params![id],
    )
}

read_columns!(ReturnMove: status, actor, actor_id, note, created_at);

/// Hands all returns of an account over to another one.
pub(crate) fn adopt(tx: &mut dyn Tx, from: &AccountId, to: &AccountId) -> Result<()> {
    tx.run("UPDATE order_return SET account_id = $1 WHERE account_id = $2", params![to, from])
}

/// Deletes what people wrote about a customer's returns.
pub(crate) fn anonymise(tx: &mut dyn Tx, customer: &AccountId) -> Result<()> {
    tx.run(
        "UPDATE order_return_history SET note = NULL WHERE return_id IN (
           SELECT id FROM order_return WHERE account_id = $1)",
        params![customer],
    )?;
    tx.run(
        "UPDATE order_return SET reason = NULL, rejection = NULL, tracking_code = NULL
         WHERE account_id = $1",
        params![customer],
    )
}
