//! The SQL of refunds.

use crate::clock::Timestamp;
use crate::context::Work;
use crate::error::Result;
use crate::id::{OrderId, PaymentId, RefundId};
use crate::money::Money;
use crate::payment::attempt::{Refund, RefundOrigin, RefundStatus, refund};
use crate::payment::store;
use crate::storage::{Param, Tx};

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
    tx.execute(
        "INSERT INTO refund (id, payment_id, order_id, amount, status, origin, reason, check_at,
           created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)",
        &[
            new.id.into(),
            new.payment.into(),
            new.order.into(),
            new.amount.into(),
            new.status.as_str().into(),
            new.origin.as_str().into(),
            new.reason.map_or(Param::Null, Into::into),
            store::next_check(at.now(), at.now()).into(),
            at.now().into(),
        ],
    )?;
    Ok(())
}

/// Sets an amount aside to be given back, where so much is left besides what the payer's bank took.
/// The guard is in the statement, so it holds whatever was read before.
pub(crate) fn reserve(tx: &mut dyn Tx, payment: &PaymentId, amount: Money) -> Result<bool> {
    let reserved = tx.execute(
        "UPDATE payment SET refund_reserved = refund_reserved + $1
         WHERE id = $2 AND captured - charged_back - refund_reserved >= $1",
        &[amount.into(), payment.into()],
    )?;
    Ok(reserved == 1)
}

/// Sets an amount aside that went back already: the provider gave it, whatever else was taken.
pub(crate) fn reserve_gone(tx: &mut dyn Tx, payment: &PaymentId, amount: Money) -> Result<bool> {
    let reserved = tx.execute(
        "UPDATE payment SET refund_reserved = refund_reserved + $1
         WHERE id = $2 AND captured - refund_reserved >= $1",
        &[amount.into(), payment.into()],
    )?;
    Ok(reserved == 1)
}

pub(crate) fn release(tx: &mut dyn Tx, payment: &PaymentId, amount: Money) -> Result<()> {
    tx.execute(
        "UPDATE payment SET refund_reserved = refund_reserved - $1 WHERE id = $2",
        &[amount.into(), payment.into()],
    )?;
    Ok(())
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
    tx.execute(
        "UPDATE refund SET status = $1, provider_refund_id = coalesce(provider_refund_id, $2),
           failure_code = $3, updated_at = $4
         WHERE id = $5 AND status = 'PENDING'",
        &[
            to.as_str().into(),
            provider_refund_id.map_or(Param::Null, Into::into),
            failure_code.map_or(Param::Null, Into::into),
            now.into(),
            id.into(),
        ],
    )?;
    Ok(())
}

/// The amounts that went back of a payment and that the customer was not told of, who is now.
pub(crate) fn take_untold(tx: &mut dyn Tx, payment: &PaymentId) -> Result<Vec<Money>> {
    tx.all(
        "UPDATE refund SET customer_told = 1
         WHERE payment_id = $1 AND status = 'DONE' AND customer_told = 0 RETURNING amount",
        &[payment.into()],
        |row| row.get(0),
    )
}

pub(crate) fn sum(tx: &mut dyn Tx, payment: &PaymentId, status: RefundStatus) -> Result<Money> {
    tx.value(
        "SELECT coalesce(sum(amount), 0) FROM refund WHERE payment_id = $1 AND status = $2",
        &[payment.into(), status.as_str().into()],
    )
}

/// Refunds that the provider must be asked about now.
pub(crate) fn to_check(tx: &mut dyn Tx, now: Timestamp, limit: i64) -> Result<Vec<RefundId>> {
    tx.all(
        "SELECT id FROM refund WHERE status = 'PENDING' AND check_at <= $1
         ORDER BY check_at LIMIT $2",
        &[now.into(), limit.into()],
        |row| row.get(0),
    )
}

/// The open refunds of an order.
pub(crate) fn open(tx: &mut dyn Tx, order: &OrderId) -> Result<Vec<RefundId>> {
    tx.all(
        "SELECT id FROM refund WHERE order_id = $1 AND status = 'PENDING' ORDER BY created_at, id",
        &[order.into()],
        |row| row.get(0),
    )
}

/// Puts the next question about a refund off, before this one is asked: of several servers one asks
/// it. False where another one does.
pub(crate) fn take_check(tx: &mut dyn Tx, id: &RefundId, now: Timestamp) -> Result<bool> {
    let Some(refund) = refund(tx, id)? else { return Ok(false) };
    let taken = tx.execute(
        "UPDATE refund SET check_at = $1 WHERE id = $2 AND status = 'PENDING' AND check_at <= $3",
        &[store::next_check(refund.created_at, now).into(), id.into(), now.into()],
    )?;
    Ok(taken == 1)
}

pub(crate) fn check_later(tx: &mut dyn Tx, refund: &Refund, now: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE refund SET check_at = $1 WHERE id = $2",
        &[store::next_check(refund.created_at, now).into(), (&refund.id).into()],
    )?;
    Ok(())
}
