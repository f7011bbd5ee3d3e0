//! The writes of `payment`.

use super::read::{FIRST_CHECK, Payment, is_open, must_get, next_check};
use crate::clock::Timestamp;
use crate::context::Work;
use crate::error::{Error, Result};
use crate::id::{OrderId, PaymentId};
use crate::metric;
use crate::money::Money;
use crate::payment::provider::ProviderPayment;
use crate::payment::{PaymentMethod, PaymentStatus, Provider};
use crate::storage::{Tx, params};

/// Pictures that one round forgets: whatever else is written waits for it.
const PICTURES: i64 = 500;

const _: () = assert!(PaymentStatus::ALL.len() <= metric::STATES, "each has its metric");

/// Counts a payment that comes into a status.
fn count(tx: &mut dyn Tx, provider: Provider, status: PaymentStatus) {
    tx.count(metric::payment(provider as usize, status as usize));
}

/// Puts the next question about an attempt off by half of its age, before this one is asked: of
/// several servers one asks it. False where another one does.
pub(crate) fn take_check(tx: &mut dyn Tx, payment: &Payment, now: Timestamp) -> Result<bool> {
    tx.changes(
        concat!(
            "UPDATE payment SET check_at = $1 WHERE id = $2 AND check_at <= $3 AND ",
            is_open!()
        ),
        params![next_check(payment.created_at, now), &payment.id, now],
    )
}

/// Asks about the open attempts of an order at the next round: they may be superfluous.
pub(crate) fn check_soon(tx: &mut dyn Tx, order: &OrderId, now: Timestamp) -> Result<()> {
    tx.run(
        concat!("UPDATE payment SET check_at = $1 WHERE order_id = $2 AND ", is_open!()),
        params![now, order],
    )
}

/// An attempt as it is written before its provider is called.
pub(crate) struct NewAttempt<'a> {
    pub(crate) order: &'a OrderId,
    pub(crate) provider: Provider,
    pub(crate) method: PaymentMethod,
    pub(crate) amount: Money,
    pub(crate) expires_at: Option<Timestamp>,
    pub(crate) installments: Option<i64>,
    pub(crate) request_mac: Option<&'a str>,
}

impl<'a> NewAttempt<'a> {
    pub(crate) fn new(
        order: &'a OrderId,
        provider: Provider,
        method: PaymentMethod,
        amount: Money,
    ) -> Self {
        let (expires_at, installments, request_mac) = (None, None, None);
        Self { order, provider, method, amount, expires_at, installments, request_mac }
    }
}

/// Writes an attempt. Its id is the idempotency key of the call that follows.
pub(crate) fn insert(tx: &mut dyn Tx, at: &Work, new: &NewAttempt<'_>) -> Result<Payment> {
    insert_as(tx, at, new, PaymentStatus::Pending)
}

/// Writes an attempt in a status of its own.
pub(crate) fn insert_as(
    tx: &mut dyn Tx,
    at: &Work,
    new: &NewAttempt<'_>,
    status: PaymentStatus,
) -> Result<Payment> {
    let id: PaymentId = at.id();
    tx.execute(
        "INSERT INTO payment (id, order_id, provider, method, status, amount, expires_at,
           installments, request_mac, check_at, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)",
        params![
            &id,
            new.order,
            new.provider,
            new.method,
            status,
            new.amount,
            new.expires_at,
            new.installments,
            new.request_mac,
            at.now().plus(FIRST_CHECK),
            at.now()
        ],
    )?;
    count(tx, new.provider, status);
    must_get(tx, &id)
}

/// Completes an attempt with what the provider says of it: at first, and as long as it waits
/// without what a first answer lacked. What is known already stays, also when a PIX code ends: the
/// provider may have been given a later time.
pub(crate) fn complete(
    tx: &mut dyn Tx,
    payment: &PaymentId,
    report: &ProviderPayment,
    now: Timestamp,
) -> Result<()> {
    tx.run(
        "UPDATE payment SET provider_payment_id = $1, pix_code = coalesce(pix_code, $2),
           pix_picture = coalesce(pix_picture, $3), expires_at = coalesce(expires_at, $4),
           installments = coalesce($5, installments), last_four = coalesce(last_four, $6),
           updated_at = $7
         WHERE id = $8 AND (provider_payment_id IS NULL
           OR (provider_payment_id = $1 AND status = 'PENDING'
               AND ((pix_code IS NULL AND CAST($2 AS TEXT) IS NOT NULL)
                    OR (last_four IS NULL AND CAST($6 AS TEXT) IS NOT NULL))))",
        params![
            &report.id,
            &report.pix_code,
            &report.pix_picture,
            report.expires_at,
            report.installments,
            &report.last_four,
            now,
            payment
        ],
    )
}

/// Notes whether the provider is working on an attempt.
pub(crate) fn set_in_process(tx: &mut dyn Tx, payment: &PaymentId, is: bool) -> Result<()> {
    let is = i64::from(is);
    tx.run(
        "UPDATE payment SET in_process = $1 WHERE id = $2 AND in_process <> $1",
        params![is, payment],
    )
}

/// Moves a payment if it still has the status that it was read with.
pub(crate) fn set_status(
    tx: &mut dyn Tx,
    payment: &Payment,
    to: PaymentStatus,
    failure_code: Option<&str>,
    now: Timestamp,
) -> Result<()> {
    let paid_at = (to == PaymentStatus::Paid).then_some(now);
    let changed = tx.execute(
        "UPDATE payment SET status = $1, failure_code = coalesce($2, failure_code), updated_at = $3,
           paid_at = coalesce(paid_at, $4)
         WHERE id = $5 AND status = $6",
        params![to, failure_code, now, paid_at, &payment.id, payment.status],
    )?;
    if changed != 1 {
        return Err(Error::busy());
    }
    count(tx, payment.provider()?, to);
    Ok(())
}

/// Books what arrived.
pub(crate) fn set_captured(tx: &mut dyn Tx, payment: &PaymentId, captured: Money) -> Result<()> {
    tx.run(
        "UPDATE payment SET captured = $1, failure_code = NULL WHERE id = $2",
        params![captured, payment],
    )
}

/// Books what went back by now, by the provider's own count, which may be an old one: it never
/// becomes less.
pub(crate) fn raise_refunded(
    tx: &mut dyn Tx,
    payment: &PaymentId,
    refunded: Money,
    now: Timestamp,
) -> Result<()> {
    tx.run(
        "UPDATE payment SET refunded = $1, updated_at = $2 WHERE id = $3 AND refunded < $1",
        params![refunded, now, payment],
    )
}

/// Books what went back by the shop's own count, also where that is less than was booked.
pub(crate) fn set_refunded(
    tx: &mut dyn Tx,
    payment: &PaymentId,
    refunded: Money,
    now: Timestamp,
) -> Result<()> {
    tx.run(
        "UPDATE payment SET refunded = $1, updated_at = $2 WHERE id = $3 AND refunded <> $1",
        params![refunded, now, payment],
    )
}

/// Sets an amount aside to be given back, where so much is left besides what the payer's bank took.
/// The guard is in the statement, so it holds whatever was read before.
pub(crate) fn reserve(tx: &mut dyn Tx, payment: &PaymentId, amount: Money) -> Result<bool> {
    tx.changes(
        "UPDATE payment SET refund_reserved = refund_reserved + $1
         WHERE id = $2 AND captured - charged_back - refund_reserved >= $1",
        params![amount, payment],
    )
}

/// Sets an amount aside that went back already: the provider gave it, whatever else was taken.
pub(crate) fn reserve_gone(tx: &mut dyn Tx, payment: &PaymentId, amount: Money) -> Result<bool> {
    tx.changes(
        "UPDATE payment SET refund_reserved = refund_reserved + $1
         WHERE id = $2 AND captured - refund_reserved >= $1",
        params![amount, payment],
    )
}

pub(crate) fn release(tx: &mut dyn Tx, payment: &PaymentId, amount: Money) -> Result<()> {
    tx.run(
        "UPDATE payment SET refund_reserved = refund_reserved - $1 WHERE id = $2",
        params![amount, payment],
    )
}

/// Books what disputes take of a payment.
pub(crate) fn set_charged_back(
    tx: &mut dyn Tx,
    payment: &PaymentId,
    taken: Money,
    now: Timestamp,
) -> Result<()> {
    tx.run(
        "UPDATE payment SET charged_back = $1, updated_at = $2 WHERE id = $3 AND charged_back <> $1",
        params![taken, now, payment],
    )
}

/// Moves a payment of which nothing is left to `CHARGED_BACK`, and keeps the status that it had.
pub(crate) fn charge_back(tx: &mut dyn Tx, payment: &Payment, now: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE payment SET status_before_chargeback = status WHERE id = $1",
        params![&payment.id],
    )?;
    set_status(tx, payment, PaymentStatus::ChargedBack, None, now)
}

/// Deletes the pictures of PIX codes of attempts begun until then, some in a round, and counts
/// them. By a time at which all of their codes have expired: nothing here looks at that.
pub(crate) fn forget_pictures(tx: &mut dyn Tx, until: Timestamp) -> Result<usize> {
    tx.execute(
        "UPDATE payment SET pix_picture = NULL WHERE id IN (
           SELECT id FROM payment WHERE pix_picture IS NOT NULL AND created_at <= $1 LIMIT $2)",
        params![until, PICTURES],
    )
}
