//! An attempt to deliver, and what came of it.

use std::time::Duration;

use super::DeliveryError;
use crate::clock::Timestamp;
use crate::event::{EventId, EventName};
use crate::id::WebhookDeliveryId;

/// An attempt as it is to be written down.
#[derive(Debug, Clone)]
pub(super) struct Attempt {
    pub(super) id: WebhookDeliveryId,
    /// A test has none.
    pub(super) event: Option<EventId>,
    pub(super) name: EventName,
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
    pub(super) error: Option<DeliveryError>,
    pub(super) duration_ms: i64,
    /// How long the receiver asked to be left alone.
    pub(super) retry_after: Option<Duration>,
}
