//! An attempt to deliver, as it is made and written down.

use std::time::Duration;

use crate::clock::Timestamp;
use crate::error::Result;
use crate::event::EventId;
use crate::id::{WebhookDeliveryId, WebhookId};
use crate::storage::Tx;

/// An attempt as it is to be written down.
#[derive(Debug, Clone)]
pub(super) struct Attempt {
    pub(super) id: WebhookDeliveryId,
    /// A test has none.
    pub(super) event: Option<EventId>,
    pub(super) name: String,
    /// What was sent, where no event says it.
    pub(super) payload: Option<String>,
    /// From 1.
    pub(super) number: i64,
    pub(super) at: Timestamp,
    pub(super) outcome: Outcome,
}

/// What came of an attempt.
#[derive(Debug, Clone, Default)]
pub(super) struct Outcome {
    pub(super) success: bool,
    pub(super) status: Option<u16>,
    pub(super) body: Option<String>,
    pub(super) error: Option<String>,
    pub(super) duration_ms: i64,
    /// How long the receiver asked to be left alone.
    pub(super) retry_after: Option<Duration>,
}

pub(super) fn insert(tx: &mut dyn Tx, webhook: &WebhookId, attempt: &Attempt) -> Result<()> {
    let Outcome { success, status, body, error, duration_ms, .. } = &attempt.outcome;
    tx.execute(
        "INSERT INTO webhook_delivery (id, webhook_id, event_id, event, payload, attempt,
           response_code, response_body, error, success, duration_ms, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        &[
            (&attempt.id).into(),
            webhook.into(),
            attempt.event.into(),
            (&attempt.name).into(),
            attempt.payload.as_ref().into(),
            attempt.number.into(),
            status.map(i64::from).into(),
            body.as_ref().into(),
            error.as_ref().into(),
            (*success).into(),
            (*duration_ms).into(),
            attempt.at.into(),
        ],
    )
    .map(drop)
}
