//! The SQL of payments.

use super::{PaymentMethod, PaymentStatus, ProviderPayment};
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::id::{OrderId, PaymentId};
use crate::money::Money;
use crate::storage::{FromColumn, Row, Tx};

impl FromColumn for PaymentMethod {
    fn from_column(row: &dyn Row, column: usize) -> Result<Self> {
        let text = row.text(column)?.unwrap_or_default();
        let known = Self::ALL.into_iter().find(|method| method.as_str() == text);
        known.ok_or_else(|| Error::internal(format!("unknown payment method {text:?}")))
    }
}

impl FromColumn for PaymentStatus {
    fn from_column(row: &dyn Row, column: usize) -> Result<Self> {
        let text = row.text(column)?.unwrap_or_default();
        let known = Self::ALL.into_iter().find(|status| status.as_str() == text);
        known.ok_or_else(|| Error::internal(format!("unknown payment status {text:?}")))
    }
}

/// One attempt to pay an order.
#[derive(Debug, Clone)]
pub(super) struct Payment {
    pub(super) id: PaymentId,
    pub(super) order_id: OrderId,
    pub(super) status: PaymentStatus,
    pub(super) amount: Money,
    pub(super) provider_payment_id: Option<String>,
    pub(super) pix_code: Option<String>,
    pub(super) expires_at: Option<Timestamp>,
}

/// The columns of a payment, for [`read`].
macro_rules! select_payment {
    ($tail:literal) => {
        concat!(
            "SELECT id, order_id, status, amount, provider_payment_id, pix_code, expires_at
             FROM payment ",
            $tail
        )
    };
}

fn read(row: &dyn Row) -> Result<Payment> {
    Ok(Payment {
        id: row.get(0)?,
        order_id: row.get(1)?,
        status: row.get(2)?,
        amount: row.get(3)?,
        provider_payment_id: row.get(4)?,
        pix_code: row.get(5)?,
        expires_at: row.get(6)?,
    })
}

/// The attempt that a provider's payment belongs to.
pub(super) fn find(
    tx: &mut dyn Tx,
    provider: &str,
    payment: &ProviderPayment,
) -> Result<Option<Payment>> {
    let known = tx.one(
        select_payment!("WHERE provider = $1 AND provider_payment_id = $2"),
        &[provider.into(), (&payment.id).into()],
        read,
    )?;
    match (known, &payment.attempt) {
        (Some(known), _) => Ok(Some(known)),
        (None, None) => Ok(None),
        // The answer to the call got lost: the attempt is there, but not yet the provider's id.
        (None, Some(attempt)) => tx.one(
            select_payment!("WHERE provider = $1 AND id = $2 AND provider_payment_id IS NULL"),
            &[provider.into(), attempt.into()],
            read,
        ),
    }
}

/// The attempts of an order that still wait, with the provider that knows of each.
pub(super) fn waiting(tx: &mut dyn Tx, order: &OrderId) -> Result<Vec<Payment>> {
    tx.all(
        select_payment!(
            "WHERE order_id = $1 AND status IN ('PENDING', 'EXPIRED')
             AND provider_payment_id IS NOT NULL ORDER BY created_at, id"
        ),
        &[order.into()],
        read,
    )
}

/// The PIX attempt of an order that still waits.
pub(super) fn open_pix(tx: &mut dyn Tx, order: &OrderId) -> Result<Option<Payment>> {
    tx.one(
        select_payment!("WHERE order_id = $1 AND method = 'PIX' AND status = 'PENDING'"),
        &[order.into()],
        read,
    )
}

/// Whether another payment of the order has paid it already.
pub(super) fn is_paid_otherwise(
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

pub(super) fn insert_pix(
    tx: &mut dyn Tx,
    payment: &Payment,
    provider: &str,
    now: Timestamp,
) -> Result<()> {
    tx.execute(
        "INSERT INTO payment (id, order_id, provider, method, status, amount, expires_at,
           created_at, updated_at)
         VALUES ($1, $2, $3, 'PIX', 'PENDING', $4, $5, $6, $6)",
        &[
            (&payment.id).into(),
            (&payment.order_id).into(),
            provider.into(),
            payment.amount.into(),
            payment.expires_at.into(),
            now.into(),
        ],
    )?;
    Ok(())
}

/// Completes an attempt with the provider's answer. Whoever completes it second changes nothing.
pub(super) fn complete(
    tx: &mut dyn Tx,
    payment: &PaymentId,
    answer: &ProviderPayment,
    now: Timestamp,
) -> Result<()> {
    tx.execute(
        "UPDATE payment SET provider_payment_id = $1, pix_code = $2,
           expires_at = coalesce($3, expires_at), updated_at = $4
         WHERE id = $5 AND provider_payment_id IS NULL",
        &[
            (&answer.id).into(),
            answer.pix_code.as_ref().into(),
            answer.expires_at.into(),
            now.into(),
            payment.into(),
        ],
    )?;
    Ok(())
}

/// An attempt by its id.
pub(super) fn get(tx: &mut dyn Tx, id: &PaymentId) -> Result<Option<Payment>> {
    tx.one(select_payment!("WHERE id = $1"), &[id.into()], read)
}

/// Moves a payment if it still has the status that it was read with.
pub(super) fn set_status(
    tx: &mut dyn Tx,
    payment: &Payment,
    provider_payment_id: Option<&str>,
    to: PaymentStatus,
    now: Timestamp,
) -> Result<bool> {
    let changed = tx.execute(
        "UPDATE payment SET status = $1, updated_at = $2,
           provider_payment_id = coalesce(provider_payment_id, $3)
         WHERE id = $4 AND status = $5",
        &[
            to.as_str().into(),
            now.into(),
            provider_payment_id.into(),
            (&payment.id).into(),
            payment.status.as_str().into(),
        ],
    )?;
    Ok(changed == 1)
}
