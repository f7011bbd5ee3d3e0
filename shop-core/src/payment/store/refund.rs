//! The SQL of `refund`.

use super::next_check;
use crate::clock::Timestamp;
use crate::context::Work;
use crate::error::Result;
use crate::id::{OrderId, PaymentId, RefundId};
use crate::money::Money;
use crate::payment::{Refund, RefundOrigin, RefundStatus};
use crate::storage::{Tx, params, read_columns};

/// The columns of a refund.
macro_rules! select_refund {
    ($tail:literal) => {
        concat!(
            "SELECT id, payment_id, amount, status, origin, reason, provider_refund_id,
                    failure_code, created_at, updated_at
             FROM refund ",
            $tail
        )
    };
}

read_columns!(
    Refund: id, payment_id, amount, status, origin, reason, provider_refund_id, failure_code,
    created_at, updated_at
);

/// Every refund of an order's payments, oldest first.
pub(crate) fn of_order(tx: &mut dyn Tx, order: &OrderId) -> Result<Vec<Refund>> {
    tx.list(select_refund!("WHERE order_id = $1 ORDER BY created_at, id"), params![order])
}

/// A refund by its id.
pub(crate) fn get(tx: &mut dyn Tx, id: &RefundId) -> Result<Option<Refund>> {
    tx.find(select_refund!("WHERE id = $1"), params![id])
}

/// Forgets what staff wrote about an order's refunds.
pub(crate) fn forget_reasons(tx: &mut dyn Tx, order: &OrderId) -> Result<()> {
    tx.run("UPDATE refund SET reason = NULL WHERE order_id = $1", params![order])
}

/// A refund as it is first written.
pub(crate) struct NewRefund<'a> {
    pub(crate) id: &'a RefundId,
    pub(crate) payment: &'a PaymentId,
    pub(crate) order: &'a OrderId,
    pub(crate) amount: Money,
    pub(crate) status: RefundStatus,
    pub(crate) origin: RefundOrigin,
    pub(crate) reason: Option<&'a str>,
}

pub(crate) fn insert(tx: &mut dyn Tx, at: &Work, new: &NewRefund<'_>) -> Result<()> {
    tx.run(
        "INSERT INTO refund (id, payment_id, order_id, amount, status, origin, reason, check_at,
           created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)",
        params![
            new.id,
            new.payment,
            new.order,
            new.amount,
            new.status,
            new.origin,
            new.reason,
            next_check(at.now(), at.now()),
            at.now()
        ],
    )
}

/// Moves a refund that is open; what is known of it already stays.
pub(crate) fn finish(
    tx: &mut dyn Tx,
    id: &RefundId,
    to: RefundStatus,
    provider_refund_id: Option<&str>,
    failure_code: Option<&str>,
    now: Timestamp,
) -> Result<()> {
    tx.run(
        "UPDATE refund SET status = $1, provider_refund_id = coalesce(provider_refund_id, $2),
           failure_code = $3, updated_at = $4
         WHERE id = $5 AND status = 'PENDING'",
        params![to, provider_refund_id, failure_code, now, id],
    )
}

/// The refunds of a payment that are done and of which neither the customer nor receivers of events
/// were told; marks them as told.
pub(crate) fn take_untold(tx: &mut dyn Tx, payment: &PaymentId) -> Result<Vec<(RefundId, Money)>> {
    tx.list(
        "UPDATE refund SET customer_told = 1
         WHERE payment_id = $1 AND status = 'DONE' AND customer_told = 0
         RETURNING id, amount",
        params![payment],
    )
}

pub(crate) fn sum(tx: &mut dyn Tx, payment: &PaymentId, status: RefundStatus) -> Result<Money> {
    tx.value(
        "SELECT coalesce(sum(amount), 0) FROM refund WHERE payment_id = $1 AND status = $2",
        params![payment, status],
    )
}

/// Whether a refund of a payment failed after the provider had taken it.
pub(crate) fn has_failed_late(tx: &mut dyn Tx, payment: &PaymentId) -> Result<bool> {
    tx.value(
        "SELECT EXISTS (SELECT 1 FROM refund
           WHERE payment_id = $1 AND status = 'FAILED' AND provider_refund_id IS NOT NULL)",
        params![payment],
    )
}

/// Refunds that the provider must be asked about now.
pub(crate) fn to_check(tx: &mut dyn Tx, now: Timestamp, limit: i64) -> Result<Vec<RefundId>> {
    tx.list(
        "SELECT id FROM refund WHERE status = 'PENDING' AND check_at <= $1
         ORDER BY check_at LIMIT $2",
        params![now, limit],
    )
}

/// The open refunds of an order.
pub(crate) fn open(tx: &mut dyn Tx, order: &OrderId) -> Result<Vec<RefundId>> {
    tx.list(
        "SELECT id FROM refund WHERE order_id = $1 AND status = 'PENDING' ORDER BY created_at, id",
        params![order],
    )
}

/// Puts the next question about a refund off, before this one is asked: of several servers one asks
/// it. False where another one does.
pub(crate) fn take_check(tx: &mut dyn Tx, id: &RefundId, now: Timestamp) -> Result<bool> {
    let Some(refund) = get(tx, id)? else { return Ok(false) };
    tx.changes(
        "UPDATE refund SET check_at = $1 WHERE id = $2 AND status = 'PENDING' AND check_at <= $3",
        params![next_check(refund.created_at, now), id, now],
    )
}

pub(crate) fn check_later(tx: &mut dyn Tx, refund: &Refund, now: Timestamp) -> Result<()> {
    tx.run(
        "UPDATE refund SET check_at = $1 WHERE id = $2",
        params![next_check(refund.created_at, now), &refund.id],
    )
}

/// Lets the next round ask about a refund.
pub(crate) fn check_soon(tx: &mut dyn Tx, id: &RefundId, now: Timestamp) -> Result<()> {
    tx.run("UPDATE refund SET check_at = $1 WHERE id = $2", params![now, id])
}
