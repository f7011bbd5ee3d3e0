//! The SQL of sending: what is due, who has it, and what came of it.

use std::time::Duration;

use super::attempt::{self, Attempt};
use super::disable::disable;
use super::{DisabledReason, message_id, schedule, target};
use crate::clock::Timestamp;
use crate::context::Work;
use crate::error::Result;
use crate::event::EventId;
use crate::id::WebhookId;
use crate::storage::Tx;

/// The status by which a receiver says that it wants nothing ever again.
pub(super) const GONE: u16 = 410;
/// An endpoint to which nothing has got through for so long is switched off.
const FAILING_FOR: Duration = Duration::from_secs(5 * 24 * 60 * 60);

/// Whether there are events that were not queued yet.
pub(super) fn is_behind(tx: &mut dyn Tx) -> Result<bool> {
    tx.value(
        "SELECT EXISTS (SELECT 1 FROM event
                        WHERE id > (SELECT event_id FROM webhook_cursor WHERE id = 1))",
        &[],
    )
}

/// An endpoint with something to be sent now.
pub(super) struct Due {
    pub(super) webhook: WebhookId,
    /// Whether nothing got through to it lately.
    pub(super) failing: bool,
}

/// Who has waited for longest comes first.
pub(super) fn due(tx: &mut dyn Tx, now: Timestamp) -> Result<Vec<Due>> {
    tx.all(
        "SELECT due.id, due.failing FROM (
           SELECT w.id, CASE WHEN w.failing_since IS NULL THEN 0 ELSE 1 END AS failing,
             (SELECT min(q.next_try_at) FROM webhook_queue q
              WHERE q.webhook_id = w.id AND q.next_try_at IS NOT NULL) AS since
           FROM webhook w
           WHERE w.active = 1 AND (w.paused_until IS NULL OR w.paused_until <= $1)) due
         WHERE due.since <= $1 ORDER BY due.since, due.id",
        &[now.into()],
        |row| Ok(Due { webhook: row.get(0)?, failing: row.get(1)? }),
    )
}

/// An event that this process, and no other, is to send now.
#[derive(Clone)]
pub(super) struct Claimed {
    pub(super) event: EventId,
    /// Which try it is, from 1.
    pub(super) attempt: i64,
}

/// Takes the next events of an endpoint, in their order; until the lease ends, nobody else gets
/// them.
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
        &[lease.into(), claim.into(), webhook.into(), now.into(), limit.into()],
        |row| Ok(Claimed { event: row.get(0)?, attempt: row.get::<i64>(1)? + 1 }),
    )?;
    claimed.sort_unstable_by_key(|one| one.event);
    Ok(claimed)
}

/// What was done with what had been claimed.
#[derive(Clone)]
pub(super) struct Done {
    pub(super) webhook: WebhookId,
    pub(super) claim: String,
    pub(super) attempts: Vec<Attempt>,
    /// Events that are not kept any more and cannot be sent.
    pub(super) lost: Vec<EventId>,
}

/// Writes the attempts down, and when each is tried again; lets go of what was not tried. Where a
/// lease ended before, the event is somebody else's by now, and only the attempt is written down.
pub(super) fn settle(tx: &mut dyn Tx, at: &Work, done: &Done) -> Result<()> {
    for attempt in &done.attempts {
        attempt::insert(tx, &done.webhook, attempt)?;
        let Some(event) = attempt.event else { continue };
        if attempt.outcome.success {
            take_out(tx, done, event)?;
            target::note_success(tx, &done.webhook)?;
        } else {
            put_off(tx, done, event, attempt, at.now())?;
            settle_failure(tx, at, &done.webhook, attempt)?;
        }
    }
    done.lost.iter().try_for_each(|event| take_out(tx, done, *event))?;
    tx.execute(
        "UPDATE webhook_queue SET next_try_at = $1, claim = NULL
         WHERE webhook_id = $2 AND claim = $3 AND next_try_at IS NOT NULL",
        &[at.now().into(), (&done.webhook).into(), (&done.claim).into()],
    )
    .map(drop)
}

fn take_out(tx: &mut dyn Tx, done: &Done, event: EventId) -> Result<()> {
    tx.execute(
        "DELETE FROM webhook_queue WHERE webhook_id = $1 AND event_id = $2 AND claim = $3",
        &[(&done.webhook).into(), event.into(), (&done.claim).into()],
    )
    .map(drop)
}

/// Until its next try, or for good.
fn put_off(
    tx: &mut dyn Tx,
    done: &Done,
    event: EventId,
    attempt: &Attempt,
    now: Timestamp,
) -> Result<()> {
    let message = message_id(&done.webhook, event);
    let wait = schedule::wait_after(&message, attempt.number);
    let wait = wait.map(|wait| wait.max(attempt.outcome.retry_after.unwrap_or_default()));
    if wait.is_none() {
        tracing::error!(webhook = %done.webhook, %event, "a webhook was given up");
    }
    tx.execute(
        "UPDATE webhook_queue SET attempts = $1, next_try_at = $2, claim = NULL
         WHERE webhook_id = $3 AND event_id = $4 AND claim = $5",
        &[
            attempt.number.into(),
            wait.map(|wait| now.plus(wait)).into(),
            (&done.webhook).into(),
            event.into(),
            (&done.claim).into(),
        ],
    )
    .map(drop)
}

/// What a failure means for the endpoint.
fn settle_failure(
    tx: &mut dyn Tx,
    at: &Work,
    webhook: &WebhookId,
    attempt: &Attempt,
) -> Result<()> {
    if let Some(wait) = attempt.outcome.retry_after {
        target::pause(tx, webhook, at.now().plus(wait))?;
    }
    let since = target::note_failure(tx, webhook, attempt.at)?;
    if attempt.outcome.status == Some(GONE) {
        return disable(tx, at, webhook, DisabledReason::Gone);
    }
    match since {
        Some(since) if since.plus(FAILING_FOR) <= attempt.at => {
            disable(tx, at, webhook, DisabledReason::Failing)
        }
        _ => Ok(()),
    }
}
