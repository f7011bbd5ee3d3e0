//! The log of events, and what each says.

use std::collections::BTreeSet;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use shop_core::account::EventCustomer;
use shop_core::actor::Actor;
use shop_core::event::{Event, EventName, EventPage};
use shop_core::order::OrderStatus;
use shop_core::order::{EventOrder, EventRefund, EventStatusChange};
use shop_core::order_return::EventReturn;
use shop_core::shipment::EventShipment;
use shop_core::stock::{EventStock, EventStockItem};
use shop_core::webhook::EventTest;

use super::fixture::{START, TestShop, input};
use super::shipment::sandbox;
use super::webhook::emit;
use crate::fakes::receiver::{Behaviour, Receiver};

async fn page(test: &TestShop, after: Option<&str>, limit: u32) -> EventPage {
    let after = after.map(|id| id.parse().expect("an id"));
    test.shop.events().list(after, limit).await.expect("a page")
}

/// A shop in which everything has happened that can.
async fn eventful() -> TestShop {
    let test = TestShop::with(sandbox).await;
    let buyer = test.buyer("ana").await;
    let cpf = input(json!({ "cpf": "529.982.247-25" }));
    test.shop.accounts().update(&buyer.id, cpf).await.expect("named");
    let candle = test.product("vela", 6, 1990).await;
    let order = test.buy(&buyer, &candle, 2).await.expect("an order");
    test.shop.payments().create_pix(&buyer.id, &order.id, None).await.expect("a code");
    test.shop.sandbox().pay(&order.order_number).await.expect("paid");
    let label = input(json!({}));
    test.shop.shipments().buy(&Actor::System, &order.id, label, None).await.expect("bought");
    test.shop.orders().set_status(&order.id, OrderStatus::Shipped, None).await.expect("set");
    test.shop.orders().set_status(&order.id, OrderStatus::Delivered, None).await.expect("set");
    let part = input(json!({ "amount": 10 }));
    test.shop.payments().refund(&Actor::System, &order.id, part, None).await.expect("refunded");
    let returns = test.shop.returns();
    let asked = input(json!({ "reason": "Não combinou com a sala" }));
    let back = returns.request(&buyer.id, &order.id, asked, None).await.expect("asked");
    let all = input(json!({}));
    returns.receive(&Actor::System, &back.id, all, None, None).await.expect("received");
    let all = input(json!({}));
    returns.refund(&Actor::System, &back.id, all, None, None).await.expect("refunded");
    test
}

/// Whether data is of this shape, with no field more and none less.
fn is<T: DeserializeOwned + Serialize>(data: &str) {
    let parsed: T = serde_json::from_str(data).unwrap_or_else(|error| panic!("{error}: {data}"));
    let original: Value = serde_json::from_str(data).expect("JSON");
    assert_eq!(serde_json::to_value(parsed).expect("JSON"), original);
}

fn check_shape(event: &str, data: &str) {
    match event {
        "order.created" | "order.paid" | "order.shipped" | "order.delivered" => {
            is::<EventOrder>(data);
        }
        "order.status_changed" => is::<EventStatusChange>(data),
        "order.refunded" => is::<EventRefund>(data),
        "return.requested" | "return.received" | "return.refunded" => is::<EventReturn>(data),
        "shipment.updated" => is::<EventShipment>(data),
        "stock.updated" => is::<EventStock>(data),
        "stock.low" => is::<EventStockItem>(data),
        "customer.created" => is::<EventCustomer>(data),
        "webhook.test" => is::<EventTest>(data),
        other => panic!("what is {other}?"),
    }
}

#[tokio::test]
async fn every_event_has_the_shape_that_is_promised_and_no_secret() {
    let test = eventful().await;
    let log = page(&test, None, 100).await;
    for event in &log.data {
        check_shape(event.event.as_str(), event.data.get());
        assert_eq!((event.version, event.timestamp), (1, START));
        for secret in ["password", "hash", "token", "cpf", "phone"] {
            assert!(!event.data.get().to_lowercase().contains(secret), "{}", event.data);
        }
    }
    let happened: BTreeSet<&str> = log.data.iter().map(|event| event.event.as_str()).collect();
    let all: BTreeSet<&str> = EventName::FACTS.iter().map(|event| event.as_str()).collect();
    assert_eq!(happened, all);
}

#[tokio::test]
async fn an_order_that_money_moves_on_is_told_as_paid() {
    let test = eventful().await;
    let log = page(&test, None, 100).await;
    let told = |name: &str| {
        let event = log.data.iter().find(|event| event.event.as_str() == name).expect("told");
        serde_json::from_str::<Value>(event.data.get()).expect("JSON")
    };
    let moved = told("order.status_changed");
    assert_eq!(
        (&moved["previousStatus"], &moved["order"]["status"]),
        (&json!("PENDING"), &json!("PROCESSING"))
    );
    let paid = json!({ "method": "PIX", "status": "PAID" });
    assert_eq!((&moved["order"]["payment"], &told("order.paid")["payment"]), (&paid, &paid));
}

/// The examples of the catalogue are what it says they are, and none is missing.
#[test]
fn the_catalogue_of_events_is_true() {
    let catalogue = include_str!("../../../docs/events.md");
    let mut shown = BTreeSet::new();
    for example in catalogue.split("```json\n").skip(1) {
        let example = example.split("```").next().expect("an end");
        let event: Value =
            serde_json::from_str(example).unwrap_or_else(|e| panic!("{e}: {example}"));
        let fields: Vec<&str> =
            event.as_object().expect("an object").keys().map(String::as_str).collect();
        assert_eq!(fields.len(), 5, "{fields:?}");
        assert_eq!(event["version"], 1);
        let name = event["event"].as_str().expect("a name").to_owned();
        // As text: amounts are read from it.
        let data = example.split_once("\"data\": ").expect("data").1.trim_end();
        check_shape(&name, data.strip_suffix('}').expect("the end of the event"));
        shown.insert(name);
    }
    let all = EventName::FACTS.into_iter().chain([EventName::WebhookTest]);
    assert_eq!(shown, all.map(|event| event.as_str().to_owned()).collect());
}

#[tokio::test]
async fn the_log_is_read_page_by_page_and_nothing_twice() {
    let test = eventful().await;
    let whole = page(&test, None, 100).await;
    assert!(!whole.has_more && !whole.gap);
    let (mut after, mut read) = (None, Vec::new());
    loop {
        let part = page(&test, after.as_deref(), 3).await;
        assert!(part.data.len() <= 3 && !part.gap);
        read.extend(part.data.iter().map(|event: &Event| event.id));
        after = part.next.map(|id| id.to_string());
        if !part.has_more {
            break;
        }
    }
    assert_eq!(read, whole.data.iter().map(|event| event.id).collect::<Vec<_>>());
    // At the end the reader keeps his place, and finds what is new.
    let end = page(&test, after.as_deref(), 3).await;
    assert_eq!((end.data.len(), end.next.map(|id| id.to_string())), (0, after.clone()));
    test.buyer("bia").await;
    let new = page(&test, after.as_deref(), 3).await;
    assert_eq!((new.data.len(), new.data[0].event.as_str()), (1, "customer.created"));
    let json = serde_json::to_value(&new).expect("JSON");
    assert_eq!(json["next"], json["data"][0]["id"]);
    assert!(json["next"].is_string() && json["data"][0]["data"]["email"] == "bia@example.com");
    let empty = TestShop::open().await;
    let none = page(&empty, None, 10).await;
    assert!(none.data.is_empty() && none.next.is_none() && !none.has_more && !none.gap);
}

#[tokio::test]
async fn who_has_read_beyond_the_end_is_told_and_goes_on_from_there() {
    let test = eventful().await;
    let end = page(&test, None, 100).await.next.map(|id| id.to_string()).expect("an event");
    // The database was put back from a copy that is older than what was read.
    let lost = page(&test, Some("999"), 10).await;
    assert_eq!((lost.data.len(), lost.gap, lost.has_more), (0, true, false));
    assert_eq!(lost.next.map(|id| id.to_string()).as_ref(), Some(&end));
    test.buyer("bia").await;
    let new = page(&test, Some(&end), 10).await;
    assert_eq!((new.data.len(), new.gap), (1, false));
}

#[tokio::test]
async fn a_page_of_heavy_events_is_short() {
    let test = TestShop::open().await;
    // About 2 MB each.
    emit(&test, 5, 45_000);
    let first = page(&test, None, 100).await;
    assert_eq!((first.data.len(), first.has_more), (2, true));
    emit(&test, 1, 200_000);
    let last = page(&test, Some("5"), 100).await;
    assert_eq!((last.data.len(), last.has_more), (1, false));
}

#[tokio::test]
async fn events_are_kept_for_a_month_and_as_long_as_somebody_waits_for_them() {
    let receiver = Receiver::start(Behaviour::Takes).await;
    let test = TestShop::with(|config| config.webhooks.allow_insecure = true).await;
    let new = json!({ "url": receiver.url("/x"), "secret": "segredo-do-erp",
                      "events": ["customer.created"] });
    let endpoint = test.shop.webhooks().create(&Actor::System, input(new)).await;
    let endpoint = endpoint.expect("an endpoint").id;
    let due = async || test.shop.run_due().await.expect("done");
    let events = || test.count("SELECT count(*) FROM event");
    for name in ["ana", "bia"] {
        test.buyer(name).await;
        due().await;
    }
    receiver.behaves(Behaviour::Answers(500));
    test.buyer("eva").await;
    due().await;
    test.advance_hours(29 * 24);
    assert_eq!((due().await.events_forgotten, events()), (0, 3));
    // The one that is still to be sent again stays beyond its time, and so do those after it.
    test.raw_sql("UPDATE webhook SET active = 1, failing_since = NULL");
    test.raw_sql("UPDATE webhook_queue SET next_try_at = 2000000000000 WHERE attempts < 8");
    test.advance_hours(2 * 24);
    let forgotten = due().await;
    assert_eq!((forgotten.events_forgotten, events()), (2, 1));
    assert!(forgotten.deliveries_forgotten >= 3, "{forgotten:?}");
    // Given up, it goes too; but the last of all stays, so that ids never begin anew.
    test.raw_sql("UPDATE webhook_queue SET next_try_at = NULL");
    assert_eq!((due().await.webhooks_forgotten, events()), (1, 1));
    test.buyer("isa").await;
    due().await;
    assert_eq!(events(), 1);
    let left = page(&test, Some("1"), 10).await;
    assert_eq!((left.data.len(), left.gap), (1, true));
    assert_eq!(left.data[0].id.to_string(), "4");
    let log =
        test.shop.webhooks().list_deliveries(&endpoint, input(json!({}))).await.expect("a log");
    // A delivery outlives its event, without what was sent.
    assert!(!log.data.is_empty());
    for delivery in &log.data {
        let is_kept = delivery.event_id == Some(left.data[0].id);
        assert_eq!(delivery.payload.is_some(), is_kept, "{delivery:?}");
    }
}

#[tokio::test]
async fn who_is_erased_is_gone_from_the_log_and_from_what_receivers_answered() {
    let receiver = Receiver::start(Behaviour::Takes).await;
    let test = TestShop::with(|config| config.webhooks.allow_insecure = true).await;
    let new = json!({ "url": receiver.url("/x"), "secret": "segredo-do-erp",
                      "events": ["customer.created", "order.created"] });
    let endpoint = test.shop.webhooks().create(&Actor::System, input(new)).await;
    let endpoint = endpoint.expect("an endpoint").id;
    let candle = test.product("vela", 9, 1990).await;
    let (ana, bia) = (test.buyer("ana").await, test.buyer("bia").await);
    for buyer in [&ana, &bia] {
        let order = test.buy(buyer, &candle, 1).await.expect("an order");
        test.shop.orders().set_status(&order.id, OrderStatus::Delivered, None).await.expect("set");
    }
    test.shop.run_due().await.expect("sent");
    let password = input(json!({ "password": "segredo-123" }));
    test.shop.accounts().erase(&ana.id, password).await.expect("erased");
    // Ana's registration, her order, its move and its arrival; not Bia's.
    assert_eq!(test.shop.run_due().await.expect("done").events_erased, 4);
    let log = page(&test, None, 100).await;
    let text = serde_json::to_string(&log).expect("JSON");
    assert!(!text.contains("ana@example.com") && text.contains("bia@example.com"));
    for event in &log.data {
        check_shape(event.event.as_str(), event.data.get());
        let data: Value = serde_json::from_str(event.data.get()).expect("JSON");
        if data["userId"] == json!(ana.id) {
            let rough = json!({ "street": "", "number": "", "complement": null, "district": "",
                                "city": "São Paulo", "state": "SP", "zipCode": "01001000" });
            assert_eq!((&data["address"], &data["total"]), (&rough, &json!(19.90)));
        }
        if data["userId"] == json!(bia.id) {
            assert_eq!(data["address"]["street"], "Rua das Flores");
        }
    }
    let log =
        test.shop.webhooks().list_deliveries(&endpoint, input(json!({}))).await.expect("a log");
    let bodies: Vec<bool> = log.data.iter().map(|one| one.response_body.is_some()).collect();
    // The latest first: Bia's order, Ana's, Bia's registration, Ana's.
    assert_eq!(bodies, [true, false, true, false]);
    assert!(!serde_json::to_string(&log).expect("JSON").contains("ana@example.com"));
}
