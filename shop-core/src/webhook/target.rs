//! An endpoint as the dispatcher reads it.

use super::WebhookSecret;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::id::WebhookId;
use crate::storage::{Tx, params};

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
        params![now, id],
        |row| {
            let secrets = [Some(row.get(3)?), row.get(4)?].into_iter().flatten().collect();
            Ok(Target { id: row.get(0)?, url: row.get(1)?, open: row.get(2)?, secrets })
        },
    )
}
