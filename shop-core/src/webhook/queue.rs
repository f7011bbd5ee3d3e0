//! The queue of events that endpoints have still to get: its table, and the cursor up to which
//! events were queued. Only this file writes them.

use crate::clock::Timestamp;
use crate::error::Result;
use crate::event::{self, EventId};
use crate::id::WebhookId;
use crate::storage::{Tx, params};

/// How many entries one round of forgetting looks at.
const ROUND: i64 = 2000;

/// The last event that was queued.
pub(super) fn cursor(tx: &mut dyn Tx) -> Result<i64> {
    tx.value("SELECT event_id FROM webhook_cursor WHERE id = 1", &[])
}

/// Whether there are events that were not queued yet.
pub(super) fn is_behind(tx: &mut dyn Tx) -> Result<bool> {
    let cursor = cursor(tx)?;
    event::has_after(tx, cursor)
}

/// Queues the next events for all endpoints that subscribed. The cursor moves in the same
/// transaction, guarded by where it stood, so each event is queued once, by however many processes.
/// Returns whether more of them may be waiting.
///
/// It goes by ids, so an event must never become visible after one with a greater id: an engine
/// with several writers sees to that ([`Tx::append`]).
pub(super) fn fill(tx: &mut dyn Tx, now: Timestamp, limit: i64) -> Result<bool> {
    let from = cursor(tx)?;
    let Some(to) = event::last_of_next(tx, from, limit)? else { return Ok(false) };
    let moved = tx.execute(
        "UPDATE webhook_cursor SET event_id = $1 WHERE id = 1 AND event_id = $2",
        params![to, from],
    )?;
    if moved == 0 {
        return Ok(true);
    }
    tx.run(
        "INSERT INTO webhook_queue (webhook_id, event_id, next_try_at)
         SELECT w.id, e.id, $1
         FROM event e JOIN webhook w ON w.active = 1 AND w.events LIKE '%,' || e.name || ',%'
         WHERE e.id > $2 AND e.id <= $3
         ON CONFLICT (webhook_id, event_id) DO NOTHING",
        params![now, from, to],
    )?;
    Ok(to - from >= limit)
}

/// Queues all there is, before the subscriptions change.
pub(super) fn fill_up(tx: &mut dyn Tx, now: Timestamp) -> Result<()> {
    fill(tx, now, i64::MAX).map(drop)
}

/// Queues an event once more, with all its tries before it.
pub(super) fn put_back(
    tx: &mut dyn Tx,
    webhook: &WebhookId,
    event: EventId,
    now: Timestamp,
) -> Result<()> {
    tx.run(
        "INSERT INTO webhook_queue (webhook_id, event_id, next_try_at) VALUES ($1, $2, $3)
         ON CONFLICT (webhook_id, event_id) DO UPDATE
         SET attempts = 0, next_try_at = excluded.next_try_at, claim = NULL",
        params![webhook, event, now],
    )
}

/// Queues what an endpoint subscribes to and never got, of the events after `from` up to `to` that
/// happened since an instant; what waits for its next try is due now. Returns how many there were.
pub(super) fn recover(
    tx: &mut dyn Tx,
    webhook: &WebhookId,
    (from, to): (i64, i64),
    since: Timestamp,
    now: Timestamp,
) -> Result<usize> {
    tx.execute(
        "INSERT INTO webhook_queue (webhook_id, event_id, next_try_at)
         SELECT w.id, e.id, $1
         FROM event e JOIN webhook w ON w.events LIKE '%,' || e.name || ',%'
         WHERE e.id > $2 AND e.id <= $3 AND w.id = $4 AND e.created_at >= $5
           AND NOT EXISTS (SELECT 1 FROM webhook_delivery d
                           WHERE d.event_id = e.id AND d.webhook_id = w.id AND d.success = 1)
         ON CONFLICT (webhook_id, event_id) DO UPDATE
         SET attempts = 0, next_try_at = excluded.next_try_at
         WHERE webhook_queue.next_try_at IS NULL
            OR (webhook_queue.claim IS NULL AND webhook_queue.next_try_at > excluded.next_try_at)",
        params![now, from, to, webhook, since],
    )
}

/// An event that this process, and no other, is to send now.
#[derive(Clone)]
pub(super) struct Claimed {
    pub(super) event: EventId,
    /// Which try it is, from 1.
    pub(super) attempt: i64,
}

/// Takes the next events of an endpoint, in their order; until the lease ends, no other process
/// gets them.
pub(super) fn claim(
    tx: &mut dyn Tx,
    webhook: &WebhookId,
    claim: &str,
    (now, lease): (Timestamp, Timestamp),
    limit: i64,
) -> Result<Vec<Claimed>> {
    let mut claimed = tx.all(
        "UPDATE webhook_queue SET next_try_at = $1, claim = $2
         WHERE webhook_id = $3 AND next_try_at <= $4
           AND event_id IN (SELECT event_id FROM webhook_queue
                            WHERE webhook_id = $3 AND next_try_at <= $4
                            ORDER BY next_try_at, event_id LIMIT $5)
         RETURNING event_id, attempts",
        params![lease, claim, webhook, now, limit],
        |row| Ok(Claimed { event: row.get(0)?, attempt: row.get::<i64>(1)? + 1 }),
    )?;
    claimed.sort_unstable_by_key(|one| one.event);
    Ok(claimed)
}

/// Takes out what was sent, or cannot be sent any more, unless another process claimed it since.
pub(super) fn delete_claimed(
    tx: &mut dyn Tx,
    webhook: &WebhookId,
    event: EventId,
    claim: &str,
) -> Result<()> {
    tx.run(
        "DELETE FROM webhook_queue WHERE webhook_id = $1 AND event_id = $2 AND claim = $3",
        params![webhook, event, claim],
    )
}

/// After a failed attempt of this number: when the next one is due, or `None` for never.
pub(super) fn reschedule(
    tx: &mut dyn Tx,
    webhook: &WebhookId,
    event: EventId,
    claim: &str,
    (attempt, next_try): (i64, Option<Timestamp>),
) -> Result<()> {
    tx.run(
        "UPDATE webhook_queue SET attempts = $1, next_try_at = $2, claim = NULL
         WHERE webhook_id = $3 AND event_id = $4 AND claim = $5",
        params![attempt, next_try, webhook, event, claim],
    )
}

/// Makes what was claimed and not tried due again.
pub(super) fn release(
    tx: &mut dyn Tx,
    webhook: &WebhookId,
    claim: &str,
    now: Timestamp,
) -> Result<()> {
    tx.run(
        "UPDATE webhook_queue SET next_try_at = $1, claim = NULL
         WHERE webhook_id = $2 AND claim = $3 AND next_try_at IS NOT NULL",
        params![now, webhook, claim],
    )
}

/// Empties an endpoint's queue.
pub(super) fn delete_all(tx: &mut dyn Tx, webhook: &WebhookId) -> Result<()> {
    tx.run("DELETE FROM webhook_queue WHERE webhook_id = $1", params![webhook])
}

/// Deletes events of long ago that no endpoint is still to get. A build without the feature `http`
/// queues none, so it waits for none.
pub(crate) fn purge_events(tx: &mut dyn Tx, now: Timestamp) -> Result<usize> {
    let unsent: Option<i64> = tx.value("SELECT min(event_id) FROM webhook_queue", &[])?;
    let unqueued = if cfg!(feature = "http") { cursor(tx)?.saturating_add(1) } else { i64::MAX };
    event::purge(tx, now, unsent.unwrap_or(i64::MAX).min(unqueued))
}

/// Deletes entries of events of long ago that were given up, or whose endpoint is switched off; a
/// few in each round.
pub(crate) fn purge(tx: &mut dyn Tx, now: Timestamp) -> Result<usize> {
    let kept = event::first_since(tx, now.minus(event::KEPT))?.map_or(i64::MAX, EventId::get);
    tx.execute(
        "DELETE FROM webhook_queue WHERE (webhook_id, event_id) IN (
           SELECT q.webhook_id, q.event_id FROM webhook_queue q
           WHERE q.event_id < $1 AND (q.next_try_at IS NULL OR EXISTS (
             SELECT 1 FROM webhook w WHERE w.id = q.webhook_id AND w.active = 0))
           ORDER BY q.event_id LIMIT $2)",
        params![kept, ROUND],
    )
}
