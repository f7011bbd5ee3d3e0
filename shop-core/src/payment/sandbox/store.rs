//! The SQL of the sandbox.

use sha2::{Digest, Sha256};

use super::INTENT;
use crate::clock::Timestamp;
use crate::config::Secret;
use crate::error::Result;
use crate::id::{PaymentId, RefundId};
use crate::money::Money;
use crate::payment::PaymentMethod;
use crate::payment::provider::{ProviderPayment, ProviderStatus};
use crate::storage::{Row, Tx, params};

/// A payment to be begun.
pub(crate) struct New {
    pub(crate) key: PaymentId,
    pub(crate) method: PaymentMethod,
    pub(crate) status: &'static str,
    pub(crate) detail: Option<String>,
    pub(crate) amount: Money,
    pub(crate) reference: String,
    pub(crate) pix_code: Option<String>,
    pub(crate) expires_at: Option<Timestamp>,
    pub(crate) installments: Option<i64>,
    pub(crate) last_four: Option<&'static str>,
}

impl New {
    /// A payment that waits, of a request with this key.
    pub(crate) fn pending(
        key: &PaymentId,
        method: PaymentMethod,
        amount: Money,
        reference: &str,
    ) -> Self {
        Self {
            key: key.clone(),
            method,
            status: "pending",
            detail: None,
            amount,
            reference: reference.to_owned(),
            pix_code: None,
            expires_at: None,
            installments: None,
            last_four: None,
        }
    }
}

/// Writes a payment, unless its request came before. Its id.
pub(crate) fn insert(tx: &mut dyn Tx, new: &New, now: Timestamp) -> Result<i64> {
    tx.run(
        "INSERT INTO sandbox_payment (idempotency_key, method, status, detail, amount, reference,
           pix_code, expires_at, installments, last_four, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
         ON CONFLICT (idempotency_key) DO NOTHING",
        params![
            &new.key,
            new.method,
            new.status,
            &new.detail,
            new.amount,
            &new.reference,
            new.pix_code.as_deref().unwrap_or_default(),
            new.expires_at.unwrap_or(Timestamp::from_millis(0)),
            new.installments,
            new.last_four,
            now
        ],
    )?;
    tx.value("SELECT id FROM sandbox_payment WHERE idempotency_key = $1", params![&new.key])
}

/// The columns of a sandbox payment, for [`read`].
macro_rules! select_sandbox_payment {
    ($tail:literal) => {
        concat!(
            "SELECT id, idempotency_key, method, status, detail, amount, refunded, reference,
                    pix_code, expires_at, installments, last_four
             FROM sandbox_payment ",
            $tail
        )
    };
}

pub(crate) fn by_id(tx: &mut dyn Tx, id: i64, now: Timestamp) -> Result<Option<ProviderPayment>> {
    tx.one(select_sandbox_payment!("WHERE id = $1"), params![id], |row| read(row, now))
}

pub(crate) fn by_key(
    tx: &mut dyn Tx,
    key: &PaymentId,
    now: Timestamp,
) -> Result<Option<ProviderPayment>> {
    tx.one(select_sandbox_payment!("WHERE idempotency_key = $1"), params![key], |row| {
        read(row, now)
    })
}

pub(crate) fn by_reference(
    tx: &mut dyn Tx,
    order_number: &str,
    now: Timestamp,
) -> Result<Vec<ProviderPayment>> {
    tx.all(
        select_sandbox_payment!("WHERE reference = $1 AND method <> 'PAYMENT_INTENT' ORDER BY id"),
        params![order_number],
        |row| read(row, now),
    )
}

fn read(row: &dyn Row, now: Timestamp) -> Result<ProviderPayment> {
    let (id, method): (i64, PaymentMethod) = (row.get(0)?, row.get(2)?);
    let (amount, refunded): (Money, Money) = (row.get(5)?, row.get(6)?);
    let ends: Timestamp = row.get(9)?;
    let expires_at = (method == PaymentMethod::Pix).then_some(ends);
    let status = match row.text(3)? {
        Some("approved") if refunded >= amount => ProviderStatus::Refunded,
        Some("approved") => ProviderStatus::Paid,
        Some("charged_back") => ProviderStatus::ChargedBack,
        Some("rejected") => ProviderStatus::Failed,
        Some("cancelled") => ProviderStatus::Cancelled,
        _ if expires_at.is_some_and(|end| end <= now) => ProviderStatus::Expired,
        _ => ProviderStatus::Pending,
    };
    let intent = method == PaymentMethod::PaymentIntent;
    let id = if intent { format!("{INTENT}{id}") } else { id.to_string() };
    let attempt: PaymentId = row.get(1)?;
    let secret = format!("{id}_secret_{}", &hex::encode(Sha256::digest(attempt.as_str()))[..24]);
    Ok(ProviderPayment {
        client_secret: intent.then(|| Secret::new(secret)),
        attempt: Some(attempt),
        reference: Some(row.get(7)?),
        refunded,
        failure_code: row.get(4)?,
        pix_code: row.get::<Option<String>>(8)?.filter(|code| !code.is_empty()),
        expires_at,
        installments: row.get(10)?,
        last_four: row.get(11)?,
        ..ProviderPayment::new(id, method, status, amount, "BRL")
    })
}

pub(crate) fn cancel(tx: &mut dyn Tx, id: i64) -> Result<()> {
    tx.run(
        "UPDATE sandbox_payment SET status = 'cancelled' WHERE id = $1 AND status = 'pending'",
        params![id],
    )
}

/// Lets the money of a payment arrive.
pub(crate) fn settle(tx: &mut dyn Tx, key: &PaymentId) -> Result<bool> {
    tx.changes(
        "UPDATE sandbox_payment SET status = 'approved' WHERE idempotency_key = $1",
        params![key],
    )
}

/// Gives money back once per key; `None` where so much is not there.
pub(crate) fn refund(
    tx: &mut dyn Tx,
    id: i64,
    key: &RefundId,
    amount: Money,
) -> Result<Option<i64>> {
    let earlier =
        tx.find("SELECT id FROM sandbox_refund WHERE idempotency_key = $1", params![key])?;
    if earlier.is_some() {
        return Ok(earlier);
    }
    let given = tx.execute(
        "UPDATE sandbox_payment SET refunded = refunded + $1
         WHERE id = $2 AND status = 'approved' AND amount - refunded >= $1",
        params![amount, id],
    )?;
    if given == 0 {
        return Ok(None);
    }
    tx.find(
        "INSERT INTO sandbox_refund (idempotency_key, payment_id, amount) VALUES ($1, $2, $3)
         RETURNING id",
        params![key, id, amount],
    )
}
