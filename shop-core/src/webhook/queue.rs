//! The SQL of what endpoints have still to get.

use crate::clock::Timestamp;
use crate::error::Result;
use crate::event::{self, EventId};
use crate::id::WebhookId;
use crate::storage::Tx;

/// How many entries one round of forgetting looks at.
const ROUND: i64 = 2000;

/// The last event that was queued.
pub(super) fn cursor(tx: &mut dyn Tx) -> Result<i64> {
    tx.value("SELECT event_id FROM webhook_cursor WHERE id = 1", &[])
}

/// Queues the next events for all who subscribed. The cursor moves in the same transaction, guarded
/// by where it stood, so each event is queued once, whoever else is at it.
///
/// It goes by ids, so an event must never become visible after one with a greater id: whoever
/// writes an engine with several writers has to see to that.
pub(super) fn fill(tx: &mut dyn Tx, now: Timestamp, limit: i64) -> Result<()> {
    let from = cursor(tx)?;
    let to: Option<i64> = tx.value(
        "SELECT max(id) FROM (SELECT id FROM event WHERE id > $1 ORDER BY id LIMIT $2) upcoming",
        &[from.into(), limit.into()],
    )?;
    let Some(to) = to else { return Ok(()) };
    let moved = tx.execute(
        "UPDATE webhook_cursor SET event_id = $1 WHERE id = 1 AND event_id = $2",
        &[to.into(), from.into()],
    )?;
    if moved == 0 {
        return Ok(());
    }
    tx.execute(
        "INSERT INTO webhook_queue (webhook_id, event_id, next_try_at)
         SELECT w.id, e.id, $1
         FROM event e JOIN webhook w ON w.active = 1 AND w.events LIKE '%,' || e.name || ',%'
         WHERE e.id > $2 AND e.id <= $3
         ON CONFLICT (webhook_id, event_id) DO NOTHING",
        &[now.into(), from.into(), to.into()],
    )
    .map(drop)
}

/// Queues all there is, before the subscriptions change.
pub(super) fn fill_up(tx: &mut dyn Tx, now: Timestamp) -> Result<()> {
    fill(tx, now, i64::MAX)
}

/// Queues an event once more, with all its tries before it.
pub(super) fn put_back(
    tx: &mut dyn Tx,
    webhook: &WebhookId,
    event: EventId,
    now: Timestamp,
) -> Result<()> {
    tx.execute(
        "INSERT INTO webhook_queue (webhook_id, event_id, next_try_at) VALUES ($1, $2, $3)
         ON CONFLICT (webhook_id, event_id) DO UPDATE
         SET attempts = 0, next_try_at = excluded.next_try_at, claim = NULL",
        &[webhook.into(), event.into(), now.into()],
    )
    .map(drop)
}

/// Queues what an endpoint subscribes to, never got, and does not wait for, of a stretch of events;
/// tells how many there were.
pub(super) fn recover(
    tx: &mut dyn Tx,
    webhook: &WebhookId,
    from: i64,
    to: i64,
    now: Timestamp,
) -> Result<usize> {
    tx.execute(
        "INSERT INTO webhook_queue (webhook_id, event_id, next_try_at)
         SELECT w.id, e.id, $1
         FROM event e JOIN webhook w ON w.events LIKE '%,' || e.name || ',%'
         WHERE e.id > $2 AND e.id <= $3 AND w.id = $4
           AND NOT EXISTS (SELECT 1 FROM webhook_delivery d
                           WHERE d.event_id = e.id AND d.webhook_id = w.id AND d.success = 1)
         ON CONFLICT (webhook_id, event_id) DO UPDATE
         SET attempts = 0, next_try_at = excluded.next_try_at
         WHERE webhook_queue.next_try_at IS NULL",
        &[now.into(), from.into(), to.into(), webhook.into()],
    )
}

/// Forgets entries of events of long ago that were given up, or whose endpoint is switched off; a
/// few in each round.
pub(crate) fn purge(tx: &mut dyn Tx, now: Timestamp) -> Result<usize> {
    let kept = event::first_since(tx, now.minus(event::KEPT))?.map_or(i64::MAX, EventId::get);
    tx.execute(
        "DELETE FROM webhook_queue WHERE (webhook_id, event_id) IN (
           SELECT q.webhook_id, q.event_id FROM webhook_queue q
           WHERE q.event_id < $1 AND (q.next_try_at IS NULL OR EXISTS (
             SELECT 1 FROM webhook w WHERE w.id = q.webhook_id AND w.active = 0))
           ORDER BY q.event_id LIMIT $2)",
        &[kept.into(), ROUND.into()],
    )
}
