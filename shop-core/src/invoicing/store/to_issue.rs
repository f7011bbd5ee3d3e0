//! The SQL of `nfe_to_issue`.

use crate::clock::Timestamp;
use crate::error::Result;
use crate::id::{AccountId, OrderId};
use crate::order;
use crate::storage::{PLACES, Tx, list_placed, params, read_columns};

/// An order that waits for its invoice.
#[derive(Debug, Clone)]
pub(in crate::invoicing) struct ToIssue {
    pub(in crate::invoicing) order_id: OrderId,
    /// How often nobody answered.
    pub(in crate::invoicing) tries: i64,
    /// The digest of what was refused.
    pub(in crate::invoicing) content: Option<String>,
}

read_columns!(ToIssue: order_id, tries, content);

/// Notes that an order's invoice is wanted, unless that is known.
pub(in crate::invoicing) fn want(tx: &mut dyn Tx, order: &OrderId, now: Timestamp) -> Result<()> {
    tx.execute(
        "INSERT INTO nfe_to_issue (order_id, wanted_at, due_at, tries) VALUES ($1, $2, $2, 0)
         ON CONFLICT (order_id) DO NOTHING",
        params![order, now],
    )
    .map(drop)
}

/// Whether an order of the customer, as it stands now, waits for its invoice.
pub(crate) fn owes_invoice(tx: &mut dyn Tx, account: &AccountId) -> Result<bool> {
    let orders = order::numbers_of_account(tx, account)?;
    let orders: Vec<OrderId> = orders.into_iter().map(|(id, _)| id).collect();
    let sql = format!("SELECT order_id FROM nfe_to_issue WHERE order_id IN ({})", *PLACES);
    let waiting: Vec<OrderId> = list_placed(tx, &sql, &orders)?;
    for id in waiting {
        // One that was cancelled or refunded needs none; its line goes when it is looked at again.
        if order::find(tx, &id)?.is_some_and(|order| order.status.is_revenue()) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Orders whose time has come, the longest waiting first.
pub(in crate::invoicing) fn to_issue(
    tx: &mut dyn Tx,
    now: Timestamp,
    limit: i64,
) -> Result<Vec<OrderId>> {
    tx.list(
        "SELECT order_id FROM nfe_to_issue WHERE due_at <= $1 ORDER BY due_at, order_id LIMIT $2",
        params![now, limit],
    )
}

/// Takes an order for a while; none when another server has it.
pub(in crate::invoicing) fn take_to_issue(
    tx: &mut dyn Tx,
    order: &OrderId,
    until: Timestamp,
    now: Timestamp,
) -> Result<Option<ToIssue>> {
    let is_ours = tx.changes(
        "UPDATE nfe_to_issue SET due_at = $1 WHERE order_id = $2 AND due_at <= $3",
        params![until, order, now],
    )?;
    if !is_ours {
        return Ok(None);
    }
    tx.find("SELECT order_id, tries, content FROM nfe_to_issue WHERE order_id = $1", params![order])
}

/// Nothing changed: looked at again then.
pub(in crate::invoicing) fn look_again(
    tx: &mut dyn Tx,
    order: &OrderId,
    due_at: Timestamp,
) -> Result<()> {
    tx.run("UPDATE nfe_to_issue SET due_at = $1 WHERE order_id = $2", params![due_at, order])
}

/// Nobody answered: tried again then.
pub(in crate::invoicing) fn try_later(
    tx: &mut dyn Tx,
    order: &OrderId,
    due_at: Timestamp,
) -> Result<()> {
    tx.run(
        "UPDATE nfe_to_issue SET due_at = $1, tries = tries + 1 WHERE order_id = $2",
        params![due_at, order],
    )
}

/// Something stands in the way, until the invoice would say something else.
pub(in crate::invoicing) fn note_problem(
    tx: &mut dyn Tx,
    order: &OrderId,
    problem: &str,
    content: &str,
    due_at: Timestamp,
) -> Result<()> {
    tx.run(
        "UPDATE nfe_to_issue SET problem = $1, content = $2, due_at = $3, tries = 0
         WHERE order_id = $4",
        params![problem, content, due_at, order],
    )
}

/// The order has its invoice, or is to have none.
pub(in crate::invoicing) fn issued(tx: &mut dyn Tx, order: &OrderId) -> Result<()> {
    tx.execute("DELETE FROM nfe_to_issue WHERE order_id = $1", params![order]).map(drop)
}

/// No order is waited for any more.
pub(in crate::invoicing) fn forget_all(tx: &mut dyn Tx) -> Result<()> {
    tx.execute("DELETE FROM nfe_to_issue", &[]).map(drop)
}
