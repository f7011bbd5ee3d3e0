//! The table of endpoints, which only this file writes.

use std::time::Duration;

use super::{DisabledReason, NewWebhook, WebhookEndpoint, WebhookPatch, WebhookSecret, queue};
use crate::clock::Timestamp;
use crate::context::Work;
use crate::error::Result;
use crate::event::EventName;
use crate::id::WebhookId;
use crate::storage::{Row, Tx, params};

/// How long the secret before the present one signs beside it.
const OVERLAP: Duration = Duration::from_secs(24 * 60 * 60);

/// The columns of an endpoint, for [`read`].
macro_rules! select_webhook {
    ($tail:literal) => {
        concat!(
            "SELECT id, url, events, active, disabled_reason, failing_since, created_at, updated_at
             FROM webhook ",
            $tail
        )
    };
}

fn read(row: &dyn Row) -> Result<WebhookEndpoint> {
    let events = row.text(2)?.unwrap_or_default().split(',');
    let named = |name: &str| EventName::FACTS.into_iter().find(|event| event.as_str() == name);
    Ok(WebhookEndpoint {
        id: row.get(0)?,
        url: row.get(1)?,
        events: events.filter_map(named).collect(),
        active: row.get(3)?,
        disabled_reason: row.get(4)?,
        failing_since: row.get(5)?,
        created_at: row.get(6)?,
        updated_at: row.get(7)?,
    })
}

pub(super) fn all(tx: &mut dyn Tx) -> Result<Vec<WebhookEndpoint>> {
    tx.all(select_webhook!("ORDER BY id"), &[], read)
}

pub(super) fn find(tx: &mut dyn Tx, id: &WebhookId) -> Result<Option<WebhookEndpoint>> {
    tx.one(select_webhook!("WHERE id = $1"), params![id], read)
}

/// `,order.created,order.paid,`: each name can be looked for between its commas.
fn joined(events: &[EventName]) -> String {
    events.iter().fold(",".to_owned(), |text, event| text + event.as_str() + ",")
}

pub(super) fn insert(tx: &mut dyn Tx, at: &Work, new: &NewWebhook) -> Result<WebhookEndpoint> {
    let endpoint = WebhookEndpoint {
        id: at.id(),
        url: new.url.to_string(),
        events: new.events.events().to_vec(),
        active: true,
        disabled_reason: None,
        failing_since: None,
        created_at: at.now(),
        updated_at: at.now(),
    };
    tx.execute(
        "INSERT INTO webhook (id, url, events, secret, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $5)",
        params![
            &endpoint.id,
            &endpoint.url,
            &joined(&endpoint.events),
            new.secret.reveal(),
            at.now()
        ],
    )?;
    Ok(endpoint)
}

/// What went wrong before is forgotten: the address may be another one, or mended.
pub(super) fn update(
    tx: &mut dyn Tx,
    at: &Work,
    before: &WebhookEndpoint,
    patch: &WebhookPatch,
) -> Result<()> {
    let (url, events, active) = patched(before, patch);
    tx.run(
        "UPDATE webhook SET url = $1, events = $2, active = $3, updated_at = $4,
           disabled_reason = CASE WHEN CAST($3 AS BIGINT) = 1 THEN NULL ELSE disabled_reason END,
           failing_since = NULL, paused_until = NULL
         WHERE id = $5",
        params![url, &joined(events), active, at.now(), &before.id],
    )
}

/// Whether a patch makes another endpoint of this one, secret apart. To say of one that fails that
/// it is active is to have it tried again at once.
pub(super) fn changes(before: &WebhookEndpoint, patch: &WebhookPatch) -> bool {
    let is_mended = patch.active == Some(true) && before.failing_since.is_some();
    let now = (before.url.as_str(), before.events.as_slice(), before.active);
    is_mended || patched(before, patch) != now
}

fn patched<'a>(
    before: &'a WebhookEndpoint,
    patch: &'a WebhookPatch,
) -> (&'a str, &'a [EventName], bool) {
    let url = patch.url.as_ref().map_or(before.url.as_str(), |url| url.as_str());
    let events = patch.events.as_ref().map_or(before.events.as_slice(), |events| events.events());
    (url, events, patch.active.unwrap_or(before.active))
}

/// Gives an endpoint another secret, and says whether it is one: the same once more is no rotation,
/// and must not end one.
pub(super) fn rotate(
    tx: &mut dyn Tx,
    at: &Work,
    id: &WebhookId,
    secret: Option<&WebhookSecret>,
) -> Result<bool> {
    let Some(secret) = secret else { return Ok(false) };
    let rotated = tx.execute(
        "UPDATE webhook SET old_secret = secret, old_secret_until = $1, secret = $2
         WHERE id = $3 AND secret <> $2",
        params![at.now().plus(OVERLAP), secret.reveal(), id],
    )?;
    Ok(rotated > 0)
}

/// The log of what it was sent goes with its time.
pub(super) fn delete(tx: &mut dyn Tx, id: &WebhookId) -> Result<()> {
    queue::delete_all(tx, id)?;
    tx.run("DELETE FROM webhook WHERE id = $1", params![id])
}

/// Notes that a delivery got through.
pub(super) fn note_success(tx: &mut dyn Tx, id: &WebhookId) -> Result<()> {
    tx.run(
        "UPDATE webhook SET failing_since = NULL WHERE id = $1 AND failing_since IS NOT NULL",
        params![id],
    )
}

/// Notes that a delivery failed; returns since when they all have.
pub(super) fn note_failure(
    tx: &mut dyn Tx,
    id: &WebhookId,
    at: Timestamp,
) -> Result<Option<Timestamp>> {
    tx.execute(
        "UPDATE webhook SET failing_since = $1 WHERE id = $2 AND failing_since IS NULL",
        params![at, id],
    )?;
    tx.find("SELECT failing_since FROM webhook WHERE id = $1", params![id])
}

/// Sends an endpoint nothing until then.
pub(super) fn pause(tx: &mut dyn Tx, id: &WebhookId, until: Timestamp) -> Result<()> {
    tx.run("UPDATE webhook SET paused_until = $1 WHERE id = $2", params![until, id])
}

/// Switches an endpoint off, unless it is already; returns whether it was on.
pub(super) fn switch_off(tx: &mut dyn Tx, id: &WebhookId, reason: DisabledReason) -> Result<bool> {
    tx.changes(
        "UPDATE webhook SET active = 0, disabled_reason = $1 WHERE id = $2 AND active = 1",
        params![reason, id],
    )
}
