//! What the shop sends to receivers of webhooks, as the document's `webhooks`.

use schemars::JsonSchema;
use serde_json::{Map, Value, json};
use shop_core::account::EventCustomer;
use shop_core::event::EventName;
use shop_core::event::VERSION;
use shop_core::order::{EventOrder, EventRefund, EventStatusChange};
use shop_core::stock::{EventStock, EventStockItem};
use shop_core::webhook::EventTest;

use super::Schemas;

/// The heading under which they stand.
pub(super) const TAG: &str = "Webhooks";
pub(super) const ABOUT: &str = "What the shop sends to receivers that are registered with `POST \
                                /api/admin/webhooks`, as it happens.";

/// Every event with its shape.
pub(super) fn webhooks(schemas: &mut Schemas) -> Map<String, Value> {
    let every = EventName::FACTS.into_iter().chain([EventName::WebhookTest]);
    every
        .filter_map(|event| {
            let (operation, about, data) = shape(schemas, event)?;
            Some((event.as_str().to_owned(), webhook(event, operation, about, &data)))
        })
        .collect()
}

/// The name of the operation, what happened, and the schema of its data; a test holds that every
/// event has them.
fn shape(schemas: &mut Schemas, event: EventName) -> Option<(&'static str, &'static str, Value)> {
    fn of<T: JsonSchema>(schemas: &mut Schemas) -> Value {
        schemas.output::<T>()
    }
    Some(match event {
        EventName::OrderCreated => {
            ("onOrderCreated", "A new order was placed", of::<EventOrder>(schemas))
        }
        EventName::OrderStatusChanged => (
            "onOrderStatusChanged",
            "An order has another status",
            of::<EventStatusChange>(schemas),
        ),
        EventName::OrderPaid => ("onOrderPaid", "An order was paid", of::<EventOrder>(schemas)),
        EventName::OrderShipped => {
            ("onOrderShipped", "An order was handed to a carrier", of::<EventOrder>(schemas))
        }
        EventName::OrderRefunded => (
            "onOrderRefunded",
            "Money of an order went back to the customer",
            of::<EventRefund>(schemas),
        ),
        EventName::StockLow => (
            "onStockLow",
            "A sale left an item at the threshold or below",
            of::<EventStockItem>(schemas),
        ),
        EventName::StockUpdated => {
            ("onStockUpdated", "The stock of items changed", of::<EventStock>(schemas))
        }
        EventName::CustomerCreated => {
            ("onCustomerCreated", "A customer registered", of::<EventCustomer>(schemas))
        }
        EventName::WebhookTest => {
            ("onWebhookTest", "Staff try the endpoint", of::<EventTest>(schemas))
        }
        _ => return None,
    })
}

fn webhook(event: EventName, operation: &str, about: &str, data: &Value) -> Value {
    let body = json!({
        "type": "object",
        "required": ["id", "event", "version", "timestamp", "data"],
        "properties": {
            "id": { "type": "string", "description": "The event's, as the log of events has it." },
            "event": { "const": event.as_str() },
            "version": { "const": VERSION, "description": "Of the shape of `data`." },
            "timestamp": {
                "type": "string", "format": "date-time", "description": "When it happened."
            },
            "data": data,
        }
    });
    json!({
        "post": {
            "operationId": operation,
            "summary": about,
            "description": "Sent to every active endpoint that subscribed to it, and again for 28 \
                            hours until it is taken. Check `webhook-signature` before anything.",
            "tags": [TAG],
            "security": [{ "webhookSignature": [] }],
            "parameters": headers(event),
            "requestBody": {
                "required": true,
                "content": { "application/json": { "schema": body, "example": example(event) } }
            },
            "responses": {
                "2XX": { "description": "Taken. Anything else, a redirect too, is a failure." },
                "410": { "description": "Never again: the endpoint is switched off." }
            }
        }
    })
}

fn headers(event: EventName) -> Value {
    let header = |name: &str, about: &str| {
        json!({ "name": name, "in": "header", "required": true, "description": about,
                "schema": { "type": "string" } })
    };
    json!([
        header("X-Webhook-Event", &format!("`{}`", event.as_str())),
        header(
            "X-Webhook-Signature",
            "`sha256=` and the HMAC-SHA256 of the raw body with the secret, in hex; for 24 hours \
             after a change of the secret a second one with the old secret",
        ),
        header("X-Webhook-Timestamp", "When this attempt was made, ISO 8601"),
        header("webhook-id", "The same each time that this event is sent to this endpoint"),
        header("webhook-timestamp", "When this attempt was made, seconds since 1970"),
    ])
}

/// The event as the catalogue of events (`docs/events.md`) shows it, which a test holds true.
fn example(event: EventName) -> Value {
    let catalogue = include_str!("../../../docs/events.md");
    let of_event = catalogue.split_once(&format!("### {}\n", event.as_str()));
    let fenced = of_event.and_then(|(_, rest)| rest.split_once("```json\n")?.1.split("```").next());
    fenced.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_has_its_place_in_the_document() {
        let described = webhooks(&mut Schemas::default());
        for event in EventName::ALL {
            assert!(described.contains_key(event.as_str()), "{event:?}");
        }
    }
}
