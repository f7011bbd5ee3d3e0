//! The SQL of an endpoint as the dispatcher sees it.

use super::{DisabledReason, WebhookSecret};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::id::WebhookId;
use crate::storage::Tx;

/// Where to send, and what to sign with.
#[derive(Clone)]
pub(super) struct Target {
    pub(super) id: WebhookId,
    pub(super) url: String,
    /// The present secret first.
    pub(super) secrets: Vec<WebhookSecret>,
    /// Whether it is switched on and did not ask to be left alone.
    pub(super) open: bool,
}

pub(super) fn target(tx: &mut dyn Tx, id: &WebhookId, now: Timestamp) -> Result<Option<Target>> {
    tx.one(
        "SELECT id, url,
                CASE WHEN active = 1 AND (paused_until IS NULL OR paused_until <= $1)
                  THEN 1 ELSE 0 END,
                secret, CASE WHEN old_secret_until > $1 THEN old_secret ELSE NULL END
         FROM webhook WHERE id = $2",
        &[now.into(), id.into()],
        |row| {
            let secrets = [Some(row.get(3)?), row.get(4)?].into_iter().flatten().collect();
            Ok(Target { id: row.get(0)?, url: row.get(1)?, open: row.get(2)?, secrets })
        },
    )
}

/// How an endpoint fares, after attempts to reach it.
pub(super) fn note_success(tx: &mut dyn Tx, id: &WebhookId) -> Result<()> {
    tx.execute(
        "UPDATE webhook SET failing_since = NULL WHERE id = $1 AND failing_since IS NOT NULL",
        &[id.into()],
    )
    .map(drop)
}

/// Since when it fails.
pub(super) fn note_failure(
    tx: &mut dyn Tx,
    id: &WebhookId,
    at: Timestamp,
) -> Result<Option<Timestamp>> {
    tx.execute(
        "UPDATE webhook SET failing_since = $1 WHERE id = $2 AND failing_since IS NULL",
        &[at.into(), id.into()],
    )?;
    tx.one("SELECT failing_since FROM webhook WHERE id = $1", &[id.into()], |row| row.get(0))
}

pub(super) fn pause(tx: &mut dyn Tx, id: &WebhookId, until: Timestamp) -> Result<()> {
    tx.execute("UPDATE webhook SET paused_until = $1 WHERE id = $2", &[until.into(), id.into()])
        .map(drop)
}

/// Switches an endpoint off, unless it is already; tells whether it was on.
pub(super) fn switch_off(tx: &mut dyn Tx, id: &WebhookId, reason: DisabledReason) -> Result<bool> {
    let changed = tx.execute(
        "UPDATE webhook SET active = 0, disabled_reason = $1 WHERE id = $2 AND active = 1",
        &[reason.as_str().into(), id.into()],
    )?;
    Ok(changed == 1)
}
