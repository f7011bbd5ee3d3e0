//! Hands events to the queue and sends what is due.
//!
//! Each endpoint is served by one worker at a time, an event after the other, so that a slow one
//! only waits for itself. Those that fail have places of their own, and those that are slow give
//! theirs up: however many hang, the others find a free one.
//!
//! Events are claimed in the database for longer than sending them may take, so of several
//! processes one sends each. What a process that dies has sent and not written down is sent again,
//! under the same `webhook-id`.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::stream::{FuturesUnordered, StreamExt};
use tracing::Instrument;

use super::attempt::{Attempt, Outcome};
use super::queue::{self, Claimed};
use super::send::Message;
use super::target::{self, Target};
use super::work::{self, Done};
use super::{DeliveryError, EventTest, WebhookTest, Webhooks, delivery, existing, message_id};
use crate::clock::Timestamp;
use crate::error::{Entity, Error, Result};
use crate::event::{self, Event, EventId, EventName, VERSION};
use crate::id::WebhookId;
use crate::lane;
use crate::storage::Tx;

/// Endpoints that are served at the same time.
const PLACES: usize = 16;
/// One that takes longer makes room for another one and goes on beside it.
const QUICK: Duration = Duration::from_secs(1);
/// Endpoints that are served at the same time, slow ones and all.
const ALL_PLACES: usize = 64;
/// And of those that fail.
const PLACES_OF_FAILING: usize = 4;
/// Events that one transaction hands to the queue.
const FILL: i64 = 500;
/// Events that a worker claims at once.
const BATCH: i64 = 32;
/// After so long a worker starts no further event of its batch.
const BATCH_TIME: Duration = Duration::from_secs(2);
/// Batches after which an endpoint makes room for another one.
const BATCHES: usize = 8;
/// How long no other process sends what was claimed: longer than a batch and its last event may
/// take.
const LEASE: Duration = Duration::from_secs(30);
/// How often to look for more while workers are busy.
const LOOK: Duration = Duration::from_millis(250);

/// The endpoints that are being served.
type Busy = HashMap<WebhookId, Place>;

/// A place that is taken.
struct Place {
    failing: bool,
    since: Instant,
}

/// Whether there is a place for one more endpoint.
fn has_place(busy: &Busy, failing: bool) -> bool {
    let alike = || busy.values().filter(|place| place.failing == failing);
    if failing {
        return alike().count() < PLACES_OF_FAILING;
    }
    let quick = alike().filter(|place| place.since.elapsed() <= QUICK).count();
    quick < PLACES && alike().count() < ALL_PLACES
}

impl Webhooks<'_> {
    /// Sends what is due, until there is nothing more or `stopping` says so; tells how many events
    /// arrived. What is under way is always seen through, after an error too.
    pub(crate) async fn deliver_due(
        &self,
        stopping: impl Fn() -> bool + Send + Sync,
    ) -> Result<usize> {
        let (mut workers, mut busy) = (FuturesUnordered::new(), Busy::new());
        let (mut delivered, mut failed) = (0, None);
        loop {
            if failed.is_none() && !stopping() {
                match self.next_work(&mut busy).await {
                    Ok(webhooks) => {
                        workers.extend(webhooks.into_iter().map(|it| self.serve(it, &stopping)));
                    }
                    Err(error) => failed = Some(error),
                }
            }
            // Another endpoint may have something to get while all workers wait for theirs.
            match tokio::time::timeout(LOOK, workers.next()).await {
                Ok(None) => return failed.map_or(Ok(delivered), Err),
                Ok(Some((webhook, served))) => {
                    busy.remove(&webhook);
                    match served {
                        Ok(events) => delivered += events,
                        Err(error) => failed = Some(error),
                    }
                }
                Err(_) => {}
            }
        }
    }

    /// Puts new events into the queue, and tells which endpoints to serve besides those that are.
    async fn next_work(&self, busy: &mut Busy) -> Result<Vec<WebhookId>> {
        self.fill_queue().await?;
        self.next_endpoints(busy).await
    }

    /// What comes meanwhile is left to the next round, for which it gathers.
    async fn fill_queue(&self) -> Result<()> {
        let db = self.cx.db();
        while db.lookup("webhook.behind", queue::is_behind).await? {
            let now = self.cx.now();
            let fill = move |tx: &mut dyn Tx| queue::fill(tx, now, FILL);
            if !db.write(lane::INTEGRATIONS, "webhook.fill", fill).await? {
                break;
            }
        }
        Ok(())
    }

    /// The endpoints that can be served now besides those that are already.
    async fn next_endpoints(&self, busy: &mut Busy) -> Result<Vec<WebhookId>> {
        let now = self.cx.now();
        let due = self.cx.db().read("webhook.due", move |tx| work::due(tx, now)).await?;
        let mut next = Vec::new();
        for work::Due { webhook, failing } in due {
            if has_place(busy, failing) && !busy.contains_key(&webhook) {
                busy.insert(webhook.clone(), Place { failing, since: Instant::now() });
                next.push(webhook);
            }
        }
        Ok(next)
    }

    async fn serve(
        &self,
        webhook: WebhookId,
        stopping: &(impl Fn() -> bool + Sync),
    ) -> (WebhookId, Result<usize>) {
        let served = self.serve_batches(&webhook, stopping).await;
        (webhook, served)
    }

    async fn serve_batches(
        &self,
        webhook: &WebhookId,
        stopping: &(impl Fn() -> bool + Sync),
    ) -> Result<usize> {
        let (mut delivered, mut done) = (0, None);
        for round in 0.. {
            let more = round < BATCHES && !stopping();
            let claimed = self.settle_and_claim_events(webhook, done.take(), more).await?;
            let Some(batch) = claimed else { break };
            let (sent, failed) = self.send_batch(batch, stopping).await;
            delivered += sent.attempts.iter().filter(|attempt| attempt.outcome.success).count();
            if let Err(error) = failed {
                // What left is noted first: else it would be sent again.
                self.settle_and_claim_events(webhook, Some(sent), false).await?;
                return Err(error);
            }
            done = Some(sent);
        }
        Ok(delivered)
    }

    /// One transaction for each batch: the end of the last and the beginning of the next.
    async fn settle_and_claim_events(
        &self,
        webhook: &WebhookId,
        done: Option<Done>,
        more: bool,
    ) -> Result<Option<Batch>> {
        if done.is_none() && !more {
            return Ok(None);
        }
        let (at, webhook) = (self.cx.work(), webhook.clone());
        let job = move |tx: &mut dyn Tx| {
            if let Some(done) = &done {
                work::settle(tx, &at, done)?;
            }
            let Some(target) = target::target(tx, &webhook, at.now())?.filter(|_| more) else {
                return Ok(None);
            };
            if !target.open {
                return Ok(None);
            }
            let (claim, lease) = (at.id::<String>(), at.now().plus(LEASE));
            let events = queue::claim(tx, &webhook, &claim, (at.now(), lease), BATCH)?;
            Ok((!events.is_empty()).then_some(Batch { target, claim, events }))
        };
        // What was sent is sent: it is noted as soon as the database can be written again.
        self.cx.db().write_patiently(lane::INTEGRATIONS, "webhook.next", job).await
    }

    /// Sends one event after the other, as long as there is time and the endpoint wants more.
    /// Beside what was sent, why it ended early.
    async fn send_batch(
        &self,
        batch: Batch,
        stopping: &(impl Fn() -> bool + Sync),
    ) -> (Done, Result<()>) {
        let Batch { target, claim, events } = batch;
        let webhook = target.id.clone();
        let mut done = Done { webhook, claim, attempts: Vec::new(), lost: Vec::new() };
        let ended = self.send_events(&target, events, stopping, &mut done).await;
        (done, ended)
    }

    async fn send_events(
        &self,
        target: &Target,
        events: Vec<Claimed>,
        stopping: &(impl Fn() -> bool + Sync),
        done: &mut Done,
    ) -> Result<()> {
        let begun = Instant::now();
        for Claimed { event: id, attempt: number } in events {
            if !done.attempts.is_empty() && (begun.elapsed() > BATCH_TIME || stopping()) {
                break;
            }
            let stored =
                self.cx.db().lookup("webhook.event", move |tx| event::stored(tx, id)).await?;
            let Some(event) = stored else {
                done.lost.push(id);
                continue;
            };
            let attempt = self.attempt(target, &event, number).await?;
            let Outcome { status, retry_after, .. } = &attempt.outcome;
            let enough = *status == Some(work::GONE) || retry_after.is_some();
            done.attempts.push(attempt);
            if enough {
                break;
            }
        }
        Ok(())
    }

    async fn attempt(&self, target: &Target, event: &Event, number: i64) -> Result<Attempt> {
        let at = self.cx.work();
        let id = message_id(&target.id, event);
        let body = Bytes::from(String::from(Box::<str>::from(event.to_raw()?)));
        let message = Message { id: &id, event: event.event.as_str(), at: at.now(), body };
        let webhook = &target.id;
        let span = tracing::debug_span!("webhook.send", %webhook, event = message.event);
        let outcome = self.sender.send(target, message).instrument(span).await;
        let Outcome { success, status, duration_ms, error, .. } = &outcome;
        tracing::debug!(%webhook, id, success, status, duration_ms, ?error, "a webhook was sent");
        Ok(Attempt {
            id: at.id(),
            event: Some(event.id),
            name: event.event,
            payload: None,
            number,
            at: at.now(),
            outcome,
        })
    }
}

/// What a worker sends next.
#[derive(Clone)]
struct Batch {
    target: Target,
    claim: String,
    events: Vec<Claimed>,
}

/// Sends a test to an endpoint and writes it down.
pub(super) async fn test(webhooks: Webhooks<'_>, id: &WebhookId) -> Result<WebhookTest> {
    let Webhooks { cx, sender } = webhooks;
    let (webhook, at) = (id.clone(), cx.work());
    let now = at.now();
    let find = move |tx: &mut dyn Tx| {
        existing(tx, &webhook)?;
        target::target(tx, &webhook, now)?.ok_or(Error::NotFound(Entity::Webhook))
    };
    let target = cx.db().lookup("webhook.target", find).await?;
    let event = test_event(now)?;
    let payload = String::from(Box::<str>::from(event.to_raw()?));
    let delivery_id: crate::id::WebhookDeliveryId = at.id();
    let message_id = format!("msg_test_{delivery_id}");
    let body = Bytes::from(payload.clone());
    let message = Message { id: &message_id, event: event.event.as_str(), at: now, body };
    let outcome = sender.send(&target, message).await;
    let tested = WebhookTest::of(&outcome);
    let attempt = Attempt {
        id: delivery_id,
        event: None,
        name: event.event,
        payload: Some(payload),
        number: 1,
        at: now,
        outcome,
    };
    let job = move |tx: &mut dyn Tx| delivery::insert(tx, &target.id, &attempt);
    cx.db().write(lane::INTEGRATIONS, "webhook.test", job).await?;
    Ok(tested)
}

impl WebhookTest {
    fn of(outcome: &Outcome) -> Self {
        let Outcome { success: delivered, status, error, duration_ms: duration, .. } = outcome;
        let refused = || status.map(DeliveryError::Status);
        let error = if *delivered { None } else { error.clone().or_else(refused) };
        let (delivered, duration) = (*delivered, *duration);
        Self { delivered, status_code: status.unwrap_or(0), duration, error }
    }
}

fn test_event(now: Timestamp) -> Result<Event> {
    let data = EventTest { message: "Teste de webhook".to_owned() };
    Ok(Event {
        id: EventId::NONE,
        event: EventName::WebhookTest,
        version: VERSION,
        timestamp: now,
        data: serde_json::value::to_raw_value(&data).map_err(Error::from_source)?,
    })
}
