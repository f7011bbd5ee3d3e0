//! The SQL of `dispute`.

use crate::clock::Timestamp;
use crate::context::Work;
use crate::error::Result;
use crate::id::PaymentId;
use crate::money::Money;
use crate::payment::Provider;
use crate::payment::provider::{ProviderDispute, ProviderDisputeStatus as Status};
use crate::storage::{Tx, params};

pub(crate) fn find(tx: &mut dyn Tx, provider: Provider, id: &str) -> Result<Option<Status>> {
    tx.find("SELECT status FROM dispute WHERE provider = $1 AND id = $2", params![provider, id])
}

/// Whether a payment has any dispute.
pub(crate) fn has_any(tx: &mut dyn Tx, payment: &PaymentId) -> Result<bool> {
    tx.exists("SELECT 1 FROM dispute WHERE payment_id = $1 LIMIT 1", params![payment])
}

pub(crate) fn insert(
    tx: &mut dyn Tx,
    at: &Work,
    provider: Provider,
    payment: &PaymentId,
    new: &ProviderDispute,
) -> Result<()> {
    tx.run(
        "INSERT INTO dispute (provider, id, payment_id, amount, status, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $6)",
        params![provider, &new.id, payment, new.amount, new.status, at.now()],
    )
}

/// Gives a dispute that went by its payment's id its own.
pub(crate) fn adopt(tx: &mut dyn Tx, provider: Provider, unnamed: &str, id: &str) -> Result<()> {
    tx.run(
        "UPDATE dispute SET id = $1 WHERE provider = $2 AND id = $3
         AND NOT EXISTS (SELECT 1 FROM dispute d WHERE d.provider = $2 AND d.id = $1)",
        params![id, provider, unnamed],
    )
}

pub(crate) fn set_status(
    tx: &mut dyn Tx,
    provider: Provider,
    dispute: &ProviderDispute,
    now: Timestamp,
) -> Result<()> {
    tx.run(
        "UPDATE dispute SET status = $1, updated_at = $2 WHERE provider = $3 AND id = $4",
        params![dispute.status, now, provider, &dispute.id],
    )
}

/// What disputes that the shop has not won take of a payment.
pub(crate) fn taken(tx: &mut dyn Tx, payment: &PaymentId) -> Result<Money> {
    tx.value(
        "SELECT CAST(coalesce(sum(amount), 0) AS BIGINT) FROM dispute
         WHERE payment_id = $1 AND status <> 'WON'",
        params![payment],
    )
}
