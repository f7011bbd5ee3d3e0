//! What the shop sends to receivers of webhooks, as the document's `webhooks`.

use serde_json::{Map, Value, json};
use shop_core::account::EventCustomer;
use shop_core::event::EventName;
use shop_core::event::VERSION;
use shop_core::order::{EventOrder, EventRefund, EventStatusChange};
use shop_core::order_return::EventReturn;
use shop_core::shipment::EventShipment;
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
            let (about, data) = shape(schemas, event)?;
            Some((event.as_str().to_owned(), webhook(event, about, &data)))
        })
        .collect()
}

/// What happened, and the schema of its data; a test holds that every event has them.
fn shape(schemas: &mut Schemas, event: EventName) -> Option<(&'static str, Value)> {
    use EventName as Of;
    let (about, data): (_, fn(&mut Schemas) -> Value) = match event {
        Of::OrderCreated => ("A new order was placed", Schemas::output::<EventOrder>),
        Of::OrderStatusChanged => {
            ("An order has another status", Schemas::output::<EventStatusChange>)
        }
        Of::OrderPaid => ("An order was paid", Schemas::output::<EventOrder>),
        Of::OrderShipped => ("An order was handed to a carrier", Schemas::output::<EventOrder>),
        Of::OrderDelivered => ("An order arrived", Schemas::output::<EventOrder>),
        Of::ShipmentUpdated => {
            ("A parcel of an order got further", Schemas::output::<EventShipment>)
        }
        Of::OrderRefunded => {
            ("Money of an order went back to the customer", Schemas::output::<EventRefund>)
        }
        Of::ReturnRequested => {
            ("Goods of an order are to be returned", Schemas::output::<EventReturn>)
        }
        Of::ReturnReceived => ("Goods that were returned arrived", Schemas::output::<EventReturn>),
        Of::ReturnRefunded => ("The money of a return went back", Schemas::output::<EventReturn>),
        Of::StockLow => {
            ("A change left an item at the threshold or below", Schemas::output::<EventStockItem>)
        }
        Of::StockUpdated => ("The stock of items changed", Schemas::output::<EventStock>),
        Of::CustomerCreated => ("A customer registered", Schemas::output::<EventCustomer>),
        Of::WebhookTest => ("Staff try the endpoint", Schemas::output::<EventTest>),
        _ => return None,
    };
    Some((about, data(schemas)))
}

fn webhook(event: EventName, about: &str, data: &Value) -> Value {
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
            "operationId": format!("on{event:?}"),
            "summary": about,
            "description": format!("{} Check `webhook-signature` before anything.", sent_to(event)),
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

fn sent_to(event: EventName) -> &'static str {
    match event {
        EventName::WebhookTest => "Sent once, to the endpoint that is tried.",
        _ => {
            "Sent to every active endpoint that subscribed to it, and again for 28 hours until it \
             is taken."
        }
    }
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
            "`sha256=` and the HMAC-SHA256 of the raw body with the secret, in hex; after a change \
             of the secret with the new one",
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
