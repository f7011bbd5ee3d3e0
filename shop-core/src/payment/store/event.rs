//! The SQL of `payment_event`: the events of providers that were applied.

use crate::clock::Timestamp;
use crate::error::Result;
use crate::payment::Provider;
use crate::storage::{Tx, params};

/// Events that one round forgets: whatever else is written waits for it.
const ROUND: i64 = 500;

/// Notes that an event of a provider is applied; false when it was already.
pub(crate) fn first_time(
    tx: &mut dyn Tx,
    provider: Provider,
    event: &str,
    now: Timestamp,
) -> Result<bool> {
    tx.exists(
        "INSERT INTO payment_event (provider, event_id, received_at) VALUES ($1, $2, $3)
         ON CONFLICT (provider, event_id) DO NOTHING RETURNING event_id",
        params![provider, event, now],
    )
}

/// Forgets an event, as if it had not come.
pub(crate) fn forget(tx: &mut dyn Tx, provider: Provider, event: &str) -> Result<()> {
    tx.run(
        "DELETE FROM payment_event WHERE provider = $1 AND event_id = $2",
        params![provider, event],
    )
}

/// Forgets events that came until then, some in a round: no provider repeats them any more.
pub(crate) fn purge(tx: &mut dyn Tx, until: Timestamp) -> Result<usize> {
    tx.execute(
        "DELETE FROM payment_event WHERE (provider, event_id) IN (
           SELECT provider, event_id FROM payment_event WHERE received_at <= $1 LIMIT $2)",
        params![until, ROUND],
    )
}
