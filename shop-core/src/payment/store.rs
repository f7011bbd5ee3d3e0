//! The SQL of payments.

use std::time::Duration;

use super::provider::{Payer, ProviderPayment};
use super::{PaymentMethod, PaymentStatus, Provider};
use crate::account;
use crate::clock::Timestamp;
use crate::context::Work;
use crate::error::{Entity, Error, Result};
use crate::id::{AccountId, OrderId, PaymentId};
use crate::money::Money;
use crate::storage::{Param, Row, Tx};

/// How soon the provider is asked about an attempt that nothing was heard of.
const FIRST_CHECK: Duration = Duration::from_secs(3 * 60);
/// How rarely it is asked about an old one.
const RAREST_CHECK: Duration = Duration::from_secs(6 * 60 * 60);

/// One attempt to pay an order.
#[derive(Debug, Clone)]
pub(crate) struct Payment {
    pub(crate) id: PaymentId,
    pub(crate) order_id: OrderId,
    pub(crate) order_number: String,
    /// By name: one that this version does not know must not hide the other rows.
    provider: String,
    pub(crate) method: PaymentMethod,
    pub(crate) status: PaymentStatus,
    pub(crate) amount: Money,
    pub(crate) captured: Money,
    pub(crate) refunded: Money,
    pub(crate) provider_payment_id: Option<String>,
    pub(crate) pix_code: Option<String>,
    pub(crate) pix_picture: Option<String>,
    pub(crate) expires_at: Option<Timestamp>,
    pub(crate) installments: Option<i64>,
    pub(crate) last_four: Option<String>,
    pub(crate) failure_code: Option<String>,
    pub(crate) created_at: Timestamp,
}

impl Payment {
    /// With whom it is.
    ///
    /// # Errors
    /// [`Error::Internal`] when this version knows no provider of the stored name.
    pub(crate) fn provider(&self) -> Result<Provider> {
        self.provider.parse().map_err(Error::from_source)
    }
}

/// The columns of a payment, for [`read`].
macro_rules! select_payment {
    ($tail:literal) => {
        concat!(
            "SELECT p.id, p.order_id, o.number, p.provider, p.method, p.status, p.amount,
                    p.captured, p.refunded, p.provider_payment_id, p.pix_code, p.pix_picture,
                    p.expires_at, p.installments, p.last_four, p.failure_code, p.created_at
             FROM payment p JOIN orders o ON o.id = p.order_id ",
            $tail
        )
    };
}

fn read(row: &dyn Row) -> Result<Payment> {
    Ok(Payment {
        id: row.get(0)?,
        order_id: row.get(1)?,
        order_number: row.get(2)?,
        provider: row.get(3)?,
        method: row.get(4)?,
        status: row.get(5)?,
        amount: row.get(6)?,
        captured: row.get(7)?,
        refunded: row.get(8)?,
        provider_payment_id: row.get(9)?,
        pix_code: row.get(10)?,
        pix_picture: row.get(11)?,
        expires_at: row.get(12)?,
        installments: row.get(13)?,
        last_four: row.get(14)?,
        failure_code: row.get(15)?,
        created_at: row.get(16)?,
    })
}

/// An attempt by its id.
pub(crate) fn get(tx: &mut dyn Tx, id: &PaymentId) -> Result<Option<Payment>> {
    tx.one(select_payment!("WHERE p.id = $1"), &[id.into()], read)
}

/// An attempt that must be there.
pub(crate) fn must_get(tx: &mut dyn Tx, id: &PaymentId) -> Result<Payment> {
    get(tx, id)?.ok_or(Error::NotFound(Entity::Payment))
}

/// The attempt that has this payment of a provider.
pub(crate) fn by_provider_id(
    tx: &mut dyn Tx,
    provider: Provider,
    id: &str,
) -> Result<Option<Payment>> {
    tx.one(
        select_payment!("WHERE p.provider = $1 AND p.provider_payment_id = $2"),
        &[provider.as_str().into(), id.into()],
        read,
    )
}

/// The attempt of an order whose answer got lost, by what is known of it: for providers that do not
/// say which attempt a payment belongs to.
pub(crate) fn unanswered(
    tx: &mut dyn Tx,
    provider: Provider,
    order_number: &str,
    report: &ProviderPayment,
) -> Result<Option<Payment>> {
    tx.one(
        select_payment!(
            "WHERE o.number = $1 AND p.provider = $2 AND p.method = $3 AND p.amount = $4
             AND p.provider_payment_id IS NULL ORDER BY p.created_at DESC, p.id DESC LIMIT 1"
        ),
        &[
            order_number.into(),
            provider.as_str().into(),
            report.method.as_str().into(),
            report.amount.into(),
        ],
        read,
    )
}

/// The attempts of an order about which its provider may have news: those that wait, codes that ran
/// out, intents that may be tried again.
pub(crate) fn waiting(tx: &mut dyn Tx, order: &OrderId) -> Result<Vec<Payment>> {
    tx.all(
        select_payment!(
            "WHERE p.order_id = $1 AND (p.status IN ('PENDING', 'EXPIRED')
               OR (p.status = 'FAILED' AND p.method = 'PAYMENT_INTENT'))
             ORDER BY p.created_at, p.id"
        ),
        &[order.into()],
        read,
    )
}

/// Attempts that the provider must be asked about now.
pub(crate) fn to_check(tx: &mut dyn Tx, now: Timestamp, limit: i64) -> Result<Vec<Payment>> {
    tx.all(
        select_payment!(
            "WHERE p.status = 'PENDING' AND p.check_at <= $1 ORDER BY p.check_at LIMIT $2"
        ),
        &[now.into(), limit.into()],
        read,
    )
}

/// Puts the next question about an attempt off by half of its age, before this one is asked: of
/// several servers one asks it. False where another one does.
pub(crate) fn take_check(tx: &mut dyn Tx, payment: &Payment, now: Timestamp) -> Result<bool> {
    let taken = tx.execute(
        "UPDATE payment SET check_at = $1 WHERE id = $2 AND status = 'PENDING' AND check_at <= $3",
        &[next_check(payment.created_at, now).into(), (&payment.id).into(), now.into()],
    )?;
    Ok(taken == 1)
}

/// Asks about the open attempts of an order at the next round: they may be superfluous.
pub(crate) fn check_soon(tx: &mut dyn Tx, order: &OrderId, now: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE payment SET check_at = $1 WHERE order_id = $2 AND status = 'PENDING'",
        &[now.into(), order.into()],
    )?;
    Ok(())
}

/// When to ask about something that was begun then and is open now.
pub(crate) fn next_check(begun: Timestamp, now: Timestamp) -> Timestamp {
    let half = u64::try_from((now.millis() - begun.millis()) / 2).unwrap_or_default();
    now.plus(Duration::from_millis(half).clamp(FIRST_CHECK, RAREST_CHECK))
}

/// The attempt of an order by this method that waits.
pub(crate) fn open(
    tx: &mut dyn Tx,
    order: &OrderId,
    method: PaymentMethod,
) -> Result<Option<Payment>> {
    tx.one(
        select_payment!("WHERE p.order_id = $1 AND p.method = $2 AND p.status = 'PENDING'"),
        &[order.into(), method.as_str().into()],
        read,
    )
}

/// The latest payment intent of an order that its customer may still complete.
pub(crate) fn usable_intent(tx: &mut dyn Tx, order: &OrderId) -> Result<Option<Payment>> {
    tx.one(
        select_payment!(
            "WHERE p.order_id = $1 AND p.method = 'PAYMENT_INTENT' AND (p.status = 'PENDING'
               OR (p.status = 'FAILED' AND p.provider_payment_id IS NOT NULL))
             ORDER BY p.created_at DESC, p.id DESC LIMIT 1"
        ),
        &[order.into()],
        read,
    )
}

/// The latest attempt with the very same card request.
pub(crate) fn same_request(tx: &mut dyn Tx, order: &OrderId, mac: &str) -> Result<Option<Payment>> {
    tx.one(
        select_payment!(
            "WHERE p.order_id = $1 AND p.request_mac = $2
             ORDER BY p.created_at DESC, p.id DESC LIMIT 1"
        ),
        &[order.into(), mac.into()],
        read,
    )
}

/// Whether another payment of the order has paid it already.
pub(crate) fn is_paid_otherwise(
    tx: &mut dyn Tx,
    order: &OrderId,
    payment: &PaymentId,
) -> Result<bool> {
    let other = tx.one(
        "SELECT 1 FROM payment WHERE order_id = $1 AND id <> $2 AND status = 'PAID' LIMIT 1",
        &[order.into(), payment.into()],
        |_| Ok(()),
    )?;
    Ok(other.is_some())
}

/// What is known of an attempt before its provider is called.
pub(crate) struct NewAttempt<'a> {
    pub(crate) order: &'a OrderId,
    pub(crate) provider: Provider,
    pub(crate) method: PaymentMethod,
    pub(crate) amount: Money,
    pub(crate) expires_at: Option<Timestamp>,
    pub(crate) installments: Option<i64>,
    pub(crate) request_mac: Option<&'a str>,
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
        &[
            (&id).into(),
            new.order.into(),
            new.provider.as_str().into(),
            new.method.as_str().into(),
            status.as_str().into(),
            new.amount.into(),
            new.expires_at.into(),
            new.installments.into(),
            new.request_mac.map_or(Param::Null, Into::into),
            at.now().plus(FIRST_CHECK).into(),
            at.now().into(),
        ],
    )?;
    must_get(tx, &id)
}

/// Completes an attempt with what the provider says of it; what is known already stays, also when a
/// PIX code ends: the provider may have been told a later time.
pub(crate) fn complete(
    tx: &mut dyn Tx,
    payment: &PaymentId,
    report: &ProviderPayment,
    now: Timestamp,
) -> Result<()> {
    tx.execute(
        "UPDATE payment SET provider_payment_id = $1, pix_code = $2, pix_picture = $3,
           expires_at = coalesce(expires_at, $4), installments = coalesce($5, installments),
           last_four = $6, updated_at = $7
         WHERE id = $8 AND provider_payment_id IS NULL",
        &[
            (&report.id).into(),
            report.pix_code.as_ref().into(),
            report.pix_picture.as_ref().into(),
            report.expires_at.into(),
            report.installments.into(),
            report.last_four.as_ref().into(),
            now.into(),
            payment.into(),
        ],
    )?;
    Ok(())
}

/// Moves a payment if it still has the status that it was read with.
pub(crate) fn set_status(
    tx: &mut dyn Tx,
    payment: &Payment,
    to: PaymentStatus,
    failure_code: Option<&str>,
    now: Timestamp,
) -> Result<()> {
    let changed = tx.execute(
        "UPDATE payment SET status = $1, failure_code = coalesce($2, failure_code), updated_at = $3
         WHERE id = $4 AND status = $5",
        &[
            to.as_str().into(),
            failure_code.map_or(Param::Null, Into::into),
            now.into(),
            (&payment.id).into(),
            payment.status.as_str().into(),
        ],
    )?;
    if changed == 1 { Ok(()) } else { Err(Error::Busy { retry_after: Duration::from_secs(1) }) }
}

/// Books what arrived.
pub(crate) fn set_captured(tx: &mut dyn Tx, payment: &PaymentId, captured: Money) -> Result<()> {
    tx.execute(
        "UPDATE payment SET captured = $1, failure_code = NULL WHERE id = $2",
        &[captured.into(), payment.into()],
    )?;
    Ok(())
}

/// Books what went back by now, by the provider's own count; it never becomes less.
pub(crate) fn raise_refunded(
    tx: &mut dyn Tx,
    payment: &PaymentId,
    refunded: Money,
    now: Timestamp,
) -> Result<()> {
    tx.execute(
        "UPDATE payment SET refunded = $1, updated_at = $2 WHERE id = $3 AND refunded < $1",
        &[refunded.into(), now.into(), payment.into()],
    )?;
    Ok(())
}

/// Who pays an order.
pub(crate) fn payer(tx: &mut dyn Tx, customer: &AccountId) -> Result<Payer> {
    let account = account::get(tx, customer)?.ok_or(Error::NotFound(Entity::Account))?;
    Ok(Payer { name: account.name, email: account.email, cpf: account.cpf })
}

/// Notes that an event of a provider is applied; `false` when it was already.
pub(crate) fn first_time(
    tx: &mut dyn Tx,
    provider: Provider,
    event: &str,
    now: Timestamp,
) -> Result<bool> {
    let inserted = tx.one(
        "INSERT INTO payment_event (provider, event_id, received_at) VALUES ($1, $2, $3)
         ON CONFLICT (provider, event_id) DO NOTHING RETURNING event_id",
        &[provider.as_str().into(), event.into(), now.into()],
        |_| Ok(()),
    )?;
    Ok(inserted.is_some())
}

/// Forgets an event, as if it had not come.
pub(crate) fn forget_event(tx: &mut dyn Tx, provider: Provider, event: &str) -> Result<()> {
    tx.execute(
        "DELETE FROM payment_event WHERE provider = $1 AND event_id = $2",
        &[provider.as_str().into(), event.into()],
    )?;
    Ok(())
}

/// Forgets events that no provider repeats any more, and pictures of codes that nobody can pay.
pub(crate) fn purge(tx: &mut dyn Tx, events_of: Timestamp, codes_of: Timestamp) -> Result<usize> {
    tx.execute(
        "UPDATE payment SET pix_picture = NULL WHERE pix_picture IS NOT NULL AND created_at <= $1",
        &[codes_of.into()],
    )?;
    tx.execute("DELETE FROM payment_event WHERE received_at <= $1", &[events_of.into()])
}
