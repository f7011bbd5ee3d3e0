//! Webhooks: the events of the shop, sent to programs outside.
//!
//! Events are rows of the transaction in which they happen ([`crate::event`]). A dispatcher hands
//! them to the queue of every endpoint that subscribed, sends what is due, signed, and writes down
//! every attempt. Nothing of that slows an order down, and no endpoint slows another one down.
//! An event arrives at least once, and always under the same `webhook-id`.

#[cfg_attr(not(feature = "http"), expect(dead_code, reason = "nothing is sent"))]
mod attempt;
#[cfg_attr(not(feature = "http"), expect(dead_code, reason = "nothing is sent"))]
mod delivery;
mod delivery_error;
#[cfg(feature = "http")]
mod disable;
#[cfg(feature = "http")]
mod dispatch;
mod endpoint;
mod mail;
#[cfg_attr(not(feature = "http"), expect(dead_code, reason = "nothing is sent"))]
mod queue;
#[cfg(feature = "http")]
mod schedule;
mod secret;
#[cfg(feature = "http")]
mod send;
#[cfg(feature = "http")]
mod sign;
#[cfg_attr(not(feature = "http"), expect(dead_code, reason = "nothing is sent"))]
mod store;
#[cfg(feature = "http")]
mod target;
mod test_event;
#[cfg(feature = "http")]
mod work;

pub use self::delivery::{DeliveryFilter, WebhookDelivery};
pub(crate) use self::delivery::{erase_responses, purge};
pub use self::delivery_error::DeliveryError;
pub use self::endpoint::{
    DisabledReason, NewWebhook, Subscription, Subscriptions, WebhookEndpoint, WebhookPatch,
};
pub use self::mail::WebhookMail;
pub(crate) use self::queue::{purge as purge_queue, purge_events};
pub use self::secret::WebhookSecret;
#[cfg(feature = "http")]
pub(crate) use self::send::Sender;
pub use self::test_event::EventTest;
use crate::actor::Actor;
use crate::audit;
use crate::context::Context;
use crate::error::{Conflict, Entity, Error, Result};
use crate::event;
use crate::id::{WebhookDeliveryId, WebhookId};
use crate::lane;
use crate::page::Page;
use crate::revision::Revision;
use crate::storage::Tx;
use crate::value::Since;

/// How many events one transaction of [`Webhooks::recover`] looks at.
const BATCH: i64 = 1000;

/// Receivers of what happens in the shop.
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// use shop_core::actor::Actor;
/// use shop_core::webhook::NewWebhook;
///
/// let new: NewWebhook = serde_json::from_str(
///     r#"{ "url": "https://erp.example/hook", "secret": "whsec_c2VncmVkby1kZS10ZXN0ZQ==",
///          "events": ["order.paid", "stock.low"] }"#,
/// )?;
/// let endpoint = shop.webhooks().create(&Actor::System, new).await?;
/// assert!(endpoint.active);
/// # Ok(())
/// # });
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Webhooks<'a> {
    cx: &'a Context,
    #[cfg(feature = "http")]
    sender: &'a Sender,
}

/// What a test of an endpoint brought.
#[apply(answer!)]
pub struct WebhookTest {
    /// Whether the endpoint took it: any status from 200 to 299.
    pub delivered: bool,
    /// What it answered with; 0 where no answer came.
    pub status_code: u16,
    /// How long it took, in milliseconds.
    pub duration: i64,
    /// Why it was not delivered; absent where it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub error: Option<DeliveryError>,
}

/// From when on to send again what did not arrive.
#[apply(input!)]
#[derive(Copy)]
pub struct Recover {
    /// Events from this instant, or from the beginning of this day, on.
    pub since: Since,
}

/// How many events were queued.
#[apply(answer!)]
#[derive(Copy)]
pub struct Queued {
    /// Events that are sent as soon as their turn comes.
    pub queued: usize,
}

impl<'a> Webhooks<'a> {
    pub(crate) fn new(cx: &'a Context, #[cfg(feature = "http")] sender: &'a Sender) -> Self {
        Self {
            cx,
            #[cfg(feature = "http")]
            sender,
        }
    }

    /// All endpoints, oldest first; never their secrets.
    ///
    /// Cancel safe: reads only.
    pub async fn list(&self) -> Result<Vec<WebhookEndpoint>> {
        self.cx.db().read("webhook.list", store::all).await
    }

    /// An endpoint.
    ///
    /// # Errors
    /// [`Entity::Webhook`] when there is none.
    ///
    /// Cancel safe: reads only.
    pub async fn get(&self, id: &WebhookId) -> Result<WebhookEndpoint> {
        let id = id.clone();
        self.cx.db().lookup("webhook.get", move |tx| existing(tx, &id)).await
    }

    /// Adds an endpoint. It gets the events from now on.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an address that is not `https` or that no receiver outside can have,
    /// unless the settings allow it.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn create(&self, by: &Actor, new: NewWebhook) -> Result<WebhookEndpoint> {
        endpoint::check_url(&new.url, self.cx.config())?;
        let (at, by) = (self.cx.work(), by.clone());
        let job = move |tx: &mut dyn Tx| {
            queue::fill_up(tx, at.now())?;
            let endpoint = store::insert(tx, &at, &new)?;
            audit::record(tx, &at, &by, "webhook.create", endpoint.id.as_str(), &(), &endpoint)?;
            Ok(endpoint)
        };
        self.cx.db().write(lane::INTEGRATIONS, "webhook.create", job).await
    }

    /// Changes an endpoint. Of a new secret and the one before, both sign for 24 hours. Switching
    /// it on again forgets why it was switched off and sends what still waits.
    ///
    /// # Errors
    /// [`Entity::Webhook`]; [`Conflict::Changed`] when it is not in the state that was expected; as
    /// [`Webhooks::create`].
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn update(
        &self,
        by: &Actor,
        id: &WebhookId,
        patch: WebhookPatch,
        expected: Option<Revision>,
    ) -> Result<WebhookEndpoint> {
        if let Some(url) = &patch.url {
            endpoint::check_url(url, self.cx.config())?;
        }
        let (at, by, id) = (self.cx.work(), by.clone(), id.clone());
        let job = move |tx: &mut dyn Tx| {
            let before = existing(tx, &id)?;
            before.revision()?.check(expected.as_ref())?;
            let rotated = store::rotate(tx, &at, &id, patch.secret.as_ref())?;
            if !rotated && !store::changes(&before, &patch) {
                return Ok(before);
            }
            // What it subscribes to now, it gets from now on.
            queue::fill_up(tx, at.now())?;
            store::update(tx, &at, &before, &patch)?;
            let after = existing(tx, &id)?;
            audit::record(tx, &at, &by, "webhook.update", id.as_str(), &before, &after)?;
            if rotated {
                audit::record(tx, &at, &by, "webhook.rotate_secret", id.as_str(), &(), &())?;
            }
            Ok(after)
        };
        let endpoint = self.cx.db().write(lane::INTEGRATIONS, "webhook.update", job).await?;
        self.cx.event_written();
        Ok(endpoint)
    }

    /// Removes an endpoint, in the state that the caller saw, where one is given. Nothing is
    /// sent to it any more.
    ///
    /// # Errors
    /// [`Entity::Webhook`]; [`Conflict::Changed`] where it is not `expected`.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn delete(
        &self,
        by: &Actor,
        id: &WebhookId,
        expected: Option<Revision>,
    ) -> Result<()> {
        let (at, by, id) = (self.cx.work(), by.clone(), id.clone());
        let job = move |tx: &mut dyn Tx| {
            let before = existing(tx, &id)?;
            before.revision()?.check(expected.as_ref())?;
            store::delete(tx, &id)?;
            audit::record(tx, &at, &by, "webhook.delete", id.as_str(), &before, &())
        };
        self.cx.db().write(lane::INTEGRATIONS, "webhook.delete", job).await
    }

    /// Sends a test, also to an endpoint that is switched off, and waits for what comes of it. It
    /// is a delivery like any other, but never tried again and of no consequence for the endpoint.
    ///
    /// # Errors
    /// [`Entity::Webhook`].
    ///
    /// Cancel safe: a dropped test is broken off, and nothing of it is written down.
    #[cfg(feature = "http")]
    pub async fn test(&self, id: &WebhookId) -> Result<WebhookTest> {
        dispatch::test(*self, id).await
    }

    /// The attempts to deliver to an endpoint, the latest first; those of the last 30 days, and no
    /// more than 10,000 of them are counted.
    ///
    /// # Errors
    /// [`Entity::Webhook`].
    ///
    /// Cancel safe: reads only.
    pub async fn list_deliveries(
        &self,
        id: &WebhookId,
        filter: DeliveryFilter,
    ) -> Result<Page<WebhookDelivery>> {
        let id = id.clone();
        let job = move |tx: &mut dyn Tx| {
            existing(tx, &id)?;
            delivery::list(tx, &id, &filter)
        };
        self.cx.db().read("webhook.deliveries", job).await
    }

    /// Sends the event of a delivery again, with all its tries before it, whether or not it
    /// arrived.
    ///
    /// # Errors
    /// [`Entity::Webhook`]; [`Entity::WebhookDelivery`]; [`Entity::Event`] for a test and for an
    /// event that is not kept any more; [`Conflict::InactiveWebhook`].
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn redeliver(
        &self,
        by: &Actor,
        id: &WebhookId,
        delivery: &WebhookDeliveryId,
    ) -> Result<Queued> {
        let (at, by, id, delivery) = (self.cx.work(), by.clone(), id.clone(), delivery.clone());
        let job = move |tx: &mut dyn Tx| {
            active(tx, &id)?;
            let event = delivery::event_of(tx, &id, &delivery)?;
            let event = event.ok_or(Error::NotFound(Entity::WebhookDelivery))?;
            let event = event.map(|event| event::stored(tx, event)).transpose()?.flatten();
            let event = event.ok_or(Error::NotFound(Entity::Event))?;
            queue::put_back(tx, &id, event.id, at.now())?;
            audit::record(tx, &at, &by, "webhook.redeliver", id.as_str(), &(), &event.id_field())
        };
        self.cx.db().write(lane::INTEGRATIONS, "webhook.redeliver", job).await?;
        self.cx.event_written();
        Ok(Queued { queued: 1 })
    }

    /// Sends an endpoint all that it should have got since an instant and did not: what was given
    /// up, what waits for its next try, and what happened while it was switched off; nothing from
    /// before there was the endpoint. Events go back 30 days.
    ///
    /// # Errors
    /// [`Entity::Webhook`]; [`Conflict::InactiveWebhook`].
    ///
    /// Cancel safe: what is queued by then stays queued, and calling it again queues the rest.
    pub async fn recover(&self, by: &Actor, id: &WebhookId, input: Recover) -> Result<Queued> {
        let since = input.since.get();
        let (at, by, of) = (self.cx.work(), by.clone(), id.clone());
        let begin = move |tx: &mut dyn Tx| {
            let endpoint = existing(tx, &of)?;
            Conflict::InactiveWebhook.unless(endpoint.active)?;
            queue::fill_up(tx, at.now())?;
            let asked = serde_json::json!({ "since": since });
            audit::record(tx, &at, &by, "webhook.recover", of.as_str(), &(), &asked)?;
            let since = since.max(endpoint.created_at);
            Ok((since, event::first_since(tx, since)?, queue::cursor(tx)?))
        };
        let (since, first, last) =
            self.cx.db().write(lane::INTEGRATIONS, "webhook.recover", begin).await?;
        let mut from = first.map_or(last, |first| first.get() - 1);
        let mut queued = 0;
        while from < last {
            let (id, now, to) = (id.clone(), self.cx.now(), last.min(from + BATCH));
            let job = move |tx: &mut dyn Tx| queue::recover(tx, &id, (from, to), since, now);
            queued += self.cx.db().write(lane::INTEGRATIONS, "webhook.recover", job).await?;
            from = to;
        }
        self.cx.event_written();
        Ok(Queued { queued })
    }
}

fn existing(tx: &mut dyn Tx, id: &WebhookId) -> Result<WebhookEndpoint> {
    store::find(tx, id)?.ok_or(Error::NotFound(Entity::Webhook))
}

fn active(tx: &mut dyn Tx, id: &WebhookId) -> Result<()> {
    Conflict::InactiveWebhook.unless(existing(tx, id)?.active)
}

/// What an event is called at an endpoint, the same each time that it is sent there. With its time,
/// because a database that was put back gives the same ids to other events.
#[cfg(feature = "http")]
fn message_id(webhook: &WebhookId, event: &event::Event) -> String {
    format!("msg_{}_{}_{webhook}", event.id, event.timestamp.millis())
}
