//! Endpoints, and the events that they subscribe to.

use serde::{Deserialize, Deserializer};

use super::WebhookSecret;
use crate::clock::Timestamp;
use crate::config::Config;
use crate::error::{Error, Result};
use crate::event::EventName;
use crate::id::WebhookId;
use crate::net_guard;
use crate::value::{InvalidValue, WebhookUrl, deserialize_by_from_str, wire_enum};

/// A receiver of events. Its secret is never shown.
#[apply(answer!)]
pub struct WebhookEndpoint {
    /// UUID version 7.
    pub id: WebhookId,
    /// Where it is.
    pub url: String,
    /// The events that it subscribes to.
    pub events: Vec<EventName>,
    /// Whether anything is sent to it.
    pub active: bool,
    /// Why the shop switched it off, if it was the shop.
    pub disabled_reason: Option<DisabledReason>,
    /// Since when every delivery has failed.
    pub failing_since: Option<Timestamp>,
    /// When it was added.
    pub created_at: Timestamp,
    /// When staff last changed it.
    pub updated_at: Timestamp,
}

/// An endpoint to be added.
#[apply(input!)]
pub struct NewWebhook {
    /// Where it is.
    pub url: WebhookUrl,
    /// What its deliveries are signed with.
    pub secret: WebhookSecret,
    /// The events to subscribe to.
    pub events: Subscriptions,
}

/// What to change of an endpoint.
#[apply(patch!)]
pub struct WebhookPatch {
    /// Where it is.
    pub url: Option<WebhookUrl>,
    /// Another secret; the one before signs beside it for 24 hours.
    pub secret: Option<WebhookSecret>,
    /// The events to subscribe to.
    pub events: Option<Subscriptions>,
    /// Whether anything is sent to it.
    pub active: Option<bool>,
}

/// An event to subscribe to. `order.placed` is another name of `order.created`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subscription(pub EventName);

/// The events that an endpoint subscribes to: one or more, each once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscriptions(Vec<EventName>);

impl Subscriptions {
    /// The events.
    pub fn events(&self) -> &[EventName] {
        &self.0
    }
}

/// The other name of `order.created`.
const PLACED: &str = "order.placed";

impl std::str::FromStr for Subscription {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == PLACED {
            return Ok(Self(EventName::OrderCreated));
        }
        let known = EventName::FACTS.into_iter().find(|event| event.as_str() == text);
        known.map(Self).ok_or(InvalidValue::EventName)
    }
}

deserialize_by_from_str!(Subscription);

impl TryFrom<Vec<Subscription>> for Subscriptions {
    type Error = InvalidValue;

    fn try_from(events: Vec<Subscription>) -> Result<Self, Self::Error> {
        let mut events: Vec<EventName> = events.into_iter().map(|Subscription(e)| e).collect();
        events.sort_unstable();
        events.dedup();
        if events.is_empty() {
            return Err(InvalidValue::MinItems { least: 1 });
        }
        Ok(Self(events))
    }
}

impl<'de> Deserialize<'de> for Subscriptions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let events = Vec::<Subscription>::deserialize(deserializer)?;
        events.try_into().map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Subscriptions {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Subscriptions".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let names = EventName::FACTS.iter().map(|event| event.as_str());
        let names: Vec<&str> = names.chain([PLACED]).collect();
        schemars::json_schema!({
            "type": "array", "minItems": 1, "items": { "type": "string", "enum": names },
            "description": "`order.placed` is another name of `order.created`."
        })
    }
}

revised! {
    /// Names the state in which staff left it, and whether it is switched on.
    WebhookEndpoint |it| &(&it.url, &it.events, it.active, it.updated_at);
}

wire_enum! {
    /// Why the shop switched an endpoint off.
    #[cfg_attr(feature = "schema", schemars(inline))]
    #[non_exhaustive]
    pub enum DisabledReason {
        /// It said that it is gone for good (410).
        Gone = "GONE",
        /// Nothing but failures for five days.
        Failing = "FAILING",
    }
}

impl DisabledReason {
    /// For people.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Gone => "o destino respondeu que não existe mais (410)",
            Self::Failing => "todas as entregas falharam nos últimos cinco dias",
        }
    }
}

/// Refuses an address that nothing would ever be sent to.
pub(super) fn check_url(url: &WebhookUrl, config: &Config) -> Result<()> {
    if config.webhooks.allow_insecure {
        return Ok(());
    }
    if !url.is_https() {
        return Err(Error::field("url", InvalidValue::HttpsUrl));
    }
    if net_guard::is_closed_host(url.host()) {
        return Err(Error::field("url", InvalidValue::PublicUrl));
    }
    Ok(())
}
