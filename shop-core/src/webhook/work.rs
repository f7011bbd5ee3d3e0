//! What is due, and what follows from the attempts to send it.

use std::time::Duration;

use super::attempt::Attempt;
use super::disable::disable;
use super::{DisabledReason, delivery, queue, schedule, store};
use crate::clock::Timestamp;
use crate::context::Work;
use crate::error::Result;
use crate::event::EventId;
use crate::id::WebhookId;
use crate::metric;
use crate::storage::{Tx, params};

/// The status by which a receiver says that it wants nothing ever again.
pub(super) const GONE: u16 = 410;
/// An endpoint to which nothing has got through for so long is switched off.
const FAILING_FOR: Duration = Duration::from_secs(5 * 24 * 60 * 60);

/// An endpoint with something to be sent now.
pub(super) struct Due {
    pub(super) webhook: WebhookId,
    /// Whether nothing got through to it lately.
    pub(super) failing: bool,
}

/// The endpoint that has waited for longest comes first.
pub(super) fn due(tx: &mut dyn Tx, now: Timestamp) -> Result<Vec<Due>> {
    tx.all(
        "SELECT due.id, due.failing FROM (
           SELECT w.id, CASE WHEN w.failing_since IS NULL THEN 0 ELSE 1 END AS failing,
             (SELECT min(q.next_try_at) FROM webhook_queue q
              WHERE q.webhook_id = w.id AND q.next_try_at IS NOT NULL) AS since
           FROM webhook w
           WHERE w.active = 1 AND (w.paused_until IS NULL OR w.paused_until <= $1)) due
         WHERE due.since <= $1 ORDER BY due.since, due.id",
        params![now],
        |row| Ok(Due { webhook: row.get(0)?, failing: row.get(1)? }),
    )
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

/// Writes the attempts down, and when each is tried again; releases what was not tried. Where a
/// lease ended before, another process has the event by now, and only the attempt is written down.
pub(super) fn settle(tx: &mut dyn Tx, at: &Work, done: &Done) -> Result<()> {
    for attempt in &done.attempts {
        delivery::insert(tx, &done.webhook, attempt)?;
        let Some(event) = attempt.event else { continue };
        if attempt.outcome.success {
            queue::delete_claimed(tx, &done.webhook, event, &done.claim)?;
            store::note_success(tx, &done.webhook)?;
            tx.count(metric::WEBHOOK_DELIVERED);
        } else {
            put_off(tx, done, event, attempt, at.now())?;
            settle_failure(tx, at, &done.webhook, attempt)?;
        }
    }
    let Done { webhook, claim, .. } = done;
    done.lost.iter().try_for_each(|event| queue::delete_claimed(tx, webhook, *event, claim))?;
    queue::release(tx, webhook, claim, at.now())
}

/// Until its next try, or for good.
fn put_off(
    tx: &mut dyn Tx,
    done: &Done,
    event: EventId,
    attempt: &Attempt,
    now: Timestamp,
) -> Result<()> {
    let queued = format!("{event} {}", done.webhook);
    let wait = schedule::wait_after(&queued, attempt.number);
    let wait = wait.map(|wait| wait.max(attempt.outcome.retry_after.unwrap_or_default()));
    if wait.is_none() {
        tracing::error!(webhook = %done.webhook, %event, "a webhook was given up");
    }
    tx.count(if wait.is_none() { metric::WEBHOOK_GIVEN_UP } else { metric::WEBHOOK_PUT_OFF });
    let next_try = wait.map(|wait| now.plus(wait));
    queue::reschedule(tx, &done.webhook, event, &done.claim, (attempt.number, next_try))
}

/// What a failure means for the endpoint.
fn settle_failure(
    tx: &mut dyn Tx,
    at: &Work,
    webhook: &WebhookId,
    attempt: &Attempt,
) -> Result<()> {
    if let Some(wait) = attempt.outcome.retry_after {
        store::pause(tx, webhook, at.now().plus(wait))?;
    }
    let since = store::note_failure(tx, webhook, attempt.at)?;
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
