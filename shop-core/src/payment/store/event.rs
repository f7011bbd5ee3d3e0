//! The SQL of `payment_event`: the events of providers that were applied.

use crate::clock::Timestamp;
use crate::error::Result;
use crate::payment::Provider;
use crate::storage::Tx;

/// Notes that an event of a provider is applied; false when it was already.
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
pub(crate) fn forget(tx: &mut dyn Tx, provider: Provider, event: &str) -> Result<()> {
    tx.execute(
        "DELETE FROM payment_event WHERE provider = $1 AND event_id = $2",
        &[provider.as_str().into(), event.into()],
    )?;
    Ok(())
}

/// Forgets events that came until then: no provider repeats them any more.
pub(crate) fn purge(tx: &mut dyn Tx, until: Timestamp) -> Result<usize> {
    tx.execute("DELETE FROM payment_event WHERE received_at <= $1", &[until.into()])
}
