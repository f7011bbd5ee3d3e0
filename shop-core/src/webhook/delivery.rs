//! The log of deliveries: every attempt, and what came of it. Only this file writes its table.

use serde_json::value::RawValue;

use super::DeliveryError;
use super::attempt::{Attempt, Outcome};
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::event::{self, Event, EventId, EventName};
use crate::id::{WebhookDeliveryId, WebhookId};
use crate::page::{Page, PageLimit, PageNumber, PageRequest, Pagination};
use crate::storage::{Filter, Tx, params, read_columns};

/// More deliveries than these are not counted.
const COUNTED: i64 = 10_000;
/// How many old ones one round of forgetting looks at.
const ROUND: i64 = 2000;

/// An attempt to deliver an event to an endpoint.
#[apply(inexact_answer!)]
pub struct WebhookDelivery {
    /// UUID version 7.
    pub id: WebhookDeliveryId,
    /// To which endpoint.
    pub endpoint_id: WebhookId,
    /// What happened, or `webhook.test`.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub event: EventName,
    /// Which event; `null` for a test.
    pub event_id: Option<EventId>,
    /// What was sent; `null` once the event is not kept any more.
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")
    )]
    pub payload: Option<Box<RawValue>>,
    /// Which try of this event it was, from 1.
    pub attempt: i64,
    /// The answer's status; `null` where no answer came.
    pub response_code: Option<u16>,
    /// The first 4 KiB of the answer's body.
    pub response_body: Option<String>,
    /// What went wrong, where it is not for the status to say.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub error: Option<DeliveryError>,
    /// Whether the endpoint took it.
    pub success: bool,
    /// How long it took.
    pub duration_ms: i64,
    /// When the attempt was made.
    pub created_at: Timestamp,
}

/// Which deliveries to list.
#[apply(filter!)]
#[derive(Copy)]
pub struct DeliveryFilter {
    /// Which page, from 1.
    pub page: Option<PageNumber>,
    /// Entries a page.
    pub limit: Option<PageLimit>,
    /// Only of this event.
    pub event: Option<EventName>,
    /// Only those that the endpoint took, or only the others.
    pub success: Option<bool>,
}

pub(super) fn list(
    tx: &mut dyn Tx,
    webhook: &WebhookId,
    wanted: &DeliveryFilter,
) -> Result<Page<WebhookDelivery>> {
    let mut filter = Filter::default();
    filter.compare("d.webhook_id =", Some(webhook));
    filter.compare("d.event =", wanted.event.map(EventName::as_str));
    filter.compare("d.success =", wanted.success);
    let total = filter.count(tx, "webhook_delivery d", COUNTED)?;
    let request = PageRequest::of(wanted.page, wanted.limit);
    let conditions = filter.sql().to_owned();
    let (limit, offset) = (filter.bind(request.limit), filter.bind(request.offset().min(COUNTED)));
    // The page is found in the index alone; only its rows are read.
    let sql = format!(
        "SELECT d.id, d.webhook_id, d.event, d.event_id, d.payload, d.attempt, d.response_code,
                d.response_body, d.error, d.success, d.duration_ms, d.created_at
         FROM webhook_delivery d
         WHERE d.id IN (SELECT d.id FROM webhook_delivery d{conditions}
                        ORDER BY d.id DESC LIMIT {limit} OFFSET {offset})
         ORDER BY d.id DESC"
    );
    let mut data: Vec<WebhookDelivery> = tx.list(&sql, filter.params())?;
    add_payloads(tx, &mut data)?;
    Ok(Page { data, pagination: Pagination::new(request, total) })
}

/// What was sent is the event itself, where one is kept; only a test keeps its own.
fn add_payloads(tx: &mut dyn Tx, deliveries: &mut [WebhookDelivery]) -> Result<()> {
    let ids: Vec<EventId> = deliveries.iter().filter_map(|delivery| delivery.event_id).collect();
    let events = event::stored_page(tx, &ids)?;
    for delivery in deliveries.iter_mut().filter(|delivery| delivery.payload.is_none()) {
        let event = events.iter().find(|event| Some(event.id) == delivery.event_id);
        delivery.payload = event.map(Event::to_raw).transpose()?;
    }
    Ok(())
}

read_columns!(
    WebhookDelivery: id, endpoint_id, event, event_id, payload, attempt, [code], response_body,
    error, success, duration_ms, created_at;
    response_code: Option::and_then(code, |code: i64| u16::try_from(code).ok())
);

/// The event of a delivery to an endpoint, where there is such a delivery; a test has none.
#[expect(clippy::option_option, reason = "no delivery and a delivery of no event are two things")]
pub(super) fn event_of(
    tx: &mut dyn Tx,
    webhook: &WebhookId,
    id: &WebhookDeliveryId,
) -> Result<Option<Option<EventId>>> {
    tx.find(
        "SELECT event_id FROM webhook_delivery WHERE id = $1 AND webhook_id = $2",
        params![id, webhook],
    )
}

/// Writes an attempt down.
pub(super) fn insert(tx: &mut dyn Tx, webhook: &WebhookId, attempt: &Attempt) -> Result<()> {
    let Outcome { success, status, body, error, duration_ms, .. } = &attempt.outcome;
    tx.run(
        "INSERT INTO webhook_delivery (id, webhook_id, event_id, event, payload, attempt,
           response_code, response_body, error, success, duration_ms, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        params![
            &attempt.id,
            webhook,
            attempt.event,
            attempt.name.as_str(),
            &attempt.payload,
            attempt.number,
            status.map(i64::from),
            body,
            error.as_ref().map(DeliveryError::to_string).as_ref(),
            *success,
            *duration_ms,
            attempt.at
        ],
    )
}

/// Erases what receivers answered to an event: it may repeat what they were sent.
pub(crate) fn erase_responses(tx: &mut dyn Tx, event: EventId) -> Result<()> {
    tx.run("UPDATE webhook_delivery SET response_body = NULL WHERE event_id = $1", params![event])
}

/// Deletes deliveries of long ago, a few in each round. Ids sort by time.
pub(crate) fn purge(tx: &mut dyn Tx, now: Timestamp) -> Result<usize> {
    tx.execute(
        "DELETE FROM webhook_delivery
         WHERE id IN (SELECT id FROM webhook_delivery ORDER BY id LIMIT $1) AND created_at <= $2",
        params![ROUND, now.minus(event::KEPT)],
    )
}

impl Event {
    /// The event as it goes over the wire.
    pub(super) fn to_raw(&self) -> Result<Box<RawValue>> {
        serde_json::value::to_raw_value(self).map_err(Error::from_source)
    }

    /// What the audit log keeps of it.
    pub(super) fn id_field(&self) -> serde_json::Value {
        serde_json::json!({ "event": self.id })
    }
}
