//! When a webhook is tried again, and what is written down of each try.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::clock::Timestamp;
use shop_core::error::{Conflict, Error};
use shop_core::event::EventName;
use shop_core::webhook::DisabledReason;

use super::super::fixture::{START, input};
use super::{deliver, get, log, open, patch, register, subscribe};
use crate::fakes::receiver::{Behaviour, Receiver};

/// Seconds between the tries of an event.
const WAITS: [u64; 7] = [5, 300, 1800, 7200, 18_000, 36_000, 36_000];

#[tokio::test]
async fn what_failed_is_tried_again_when_the_schedule_says_and_then_kept_as_dead() {
    let receiver = Receiver::start(Behaviour::Answers(500)).await;
    let test = open().await;
    let endpoint = subscribe(&test, &receiver.url("/x"), json!(["customer.created"])).await;
    register(&test, "ana").await;
    assert_eq!(deliver(&test).await, 0);
    let (mut tries, mut since) = (1, Duration::ZERO);
    for wait in WAITS {
        // Not a moment before a fifth of it is left, and certainly when a fifth more has passed.
        let early = Duration::from_millis(wait * 800 - 1);
        test.clock.advance(early);
        deliver(&test).await;
        assert_eq!(receiver.count(), tries, "after {wait}");
        let late = Duration::from_millis(wait * 400 + 1);
        test.clock.advance(late);
        deliver(&test).await;
        tries += 1;
        since += early + late;
        assert_eq!(receiver.count(), tries, "after {wait}");
    }
    test.advance_hours(50);
    deliver(&test).await;
    let received = receiver.received();
    assert_eq!(received.len(), 8);
    // The same message each time, signed anew each time.
    let ids: Vec<_> = received.iter().map(|one| one.header("webhook-id").to_owned()).collect();
    assert!(ids.iter().all(|id| *id == ids[0] && id.starts_with("msg_")), "{ids:?}");
    assert!(received.iter().all(|one| one.body == received[0].body));
    let mut times: Vec<_> = received.iter().map(|one| one.header("webhook-timestamp")).collect();
    times.dedup();
    assert_eq!(times.len(), 8);
    let all = log(&test, &endpoint.id, json!({})).await;
    assert_eq!(all.pagination.total, 8);
    let oldest_first: Vec<_> = all.data.iter().rev().collect();
    for (n, delivery) in oldest_first.iter().enumerate() {
        assert_eq!(usize::try_from(delivery.attempt), Ok(n + 1));
        assert_eq!((delivery.response_code, delivery.success), (Some(500), false));
        assert_eq!(delivery.response_body.as_deref(), Some("{\"status\":500}"));
        assert_eq!(delivery.event, EventName::CustomerCreated);
        assert_eq!(delivery.payload.as_ref().expect("kept").get(), received[n].body);
    }
    assert_eq!(oldest_first[7].created_at, START.plus(since));
    assert_eq!(test.count("SELECT count(*) FROM webhook_queue WHERE next_try_at IS NULL"), 1);
    // Staff mend the receiver and send it again, under the same name and with all its tries.
    receiver.next([Behaviour::Answers(503)]);
    receiver.behaves(Behaviour::Takes);
    let webhooks = test.shop.webhooks();
    let again = webhooks.redeliver(&Actor::System, &endpoint.id, &all.data[0].id).await;
    assert_eq!(again.expect("queued").queued, 1);
    assert_eq!(deliver(&test).await, 0);
    test.clock.advance(Duration::from_secs(6));
    assert_eq!(deliver(&test).await, 1);
    let again = receiver.received();
    assert_eq!(again.len(), 2);
    assert!(again.iter().all(|one| one.header("webhook-id") == ids[0]));
    assert_eq!(get(&test, &endpoint.id).await.failing_since, None);
    assert_eq!(test.count("SELECT count(*) FROM webhook_queue"), 0);
}

#[tokio::test]
async fn every_bad_behaviour_is_a_failure_that_is_written_down_as_what_it_was() {
    let behaviours = [
        (Behaviour::Redirects, Some(307), Some("redirect")),
        (Behaviour::Answers(404), Some(404), None),
        (Behaviour::Answers(500), Some(500), None),
        (Behaviour::PutsOff(429, 1), Some(429), None),
        (Behaviour::Closes, None, Some("unreachable")),
        (Behaviour::Hangs, None, Some("timeout: 10")),
        (Behaviour::DripsHead, None, Some("timeout: 10")),
    ];
    join_all(behaviours.map(|(behaviour, code, error)| fails_once(behaviour, code, error))).await;
}

/// A receiver behaves like this once: the try fails with this code and this error, the next one
/// arrives.
async fn fails_once(behaviour: Behaviour, code: Option<u16>, error: Option<&str>) {
    let receiver = Receiver::start(Behaviour::Takes).await;
    let test = open().await;
    let endpoint = subscribe(&test, &receiver.url("/x"), json!(["customer.created"])).await;
    receiver.next([behaviour]);
    register(&test, "ana").await;
    assert_eq!(deliver(&test).await, 0, "{behaviour:?}");
    let last = &log(&test, &endpoint.id, json!({ "limit": 1 })).await.data[0];
    assert_eq!((last.response_code, last.success), (code, false), "{behaviour:?}");
    let told = last.error.as_ref().map(ToString::to_string).unwrap_or_default();
    assert_eq!(last.error.is_some(), error.is_some(), "{behaviour:?}: {told}");
    assert!(told.starts_with(error.unwrap_or_default()), "{behaviour:?}: {told}");
    if error == Some("timeout: 10") {
        assert!((10_000..12_000).contains(&last.duration_ms), "{}", last.duration_ms);
    }
    test.clock.advance(Duration::from_secs(7));
    assert_eq!(deliver(&test).await, 1, "{behaviour:?}");
    // No delivery followed a redirect.
    assert!(receiver.received().iter().all(|delivered| delivered.path != "/elsewhere"));
}

#[tokio::test]
async fn of_an_answer_only_the_beginning_is_read_and_kept() {
    let receiver = Receiver::start(Behaviour::Huge).await;
    let test = open().await;
    let endpoint = subscribe(&test, &receiver.url("/x"), json!(["customer.created"])).await;
    register(&test, "ana").await;
    assert_eq!(deliver(&test).await, 1);
    let huge = &log(&test, &endpoint.id, json!({})).await.data[0];
    assert_eq!(huge.response_body.as_ref().map(String::len), Some(4096));
    receiver.behaves(Behaviour::DripsBody);
    register(&test, "bia").await;
    assert_eq!(deliver(&test).await, 1);
    let slow = &log(&test, &endpoint.id, json!({})).await.data[0];
    assert!(slow.success && slow.duration_ms < 5000, "{slow:?}");
    assert!(slow.response_body.as_ref().is_some_and(|body| body.starts_with("HTTP")));
}

#[tokio::test]
async fn a_receiver_that_puts_the_shop_off_is_left_alone() {
    let receiver = Receiver::start(Behaviour::PutsOff(429, 600)).await;
    let test = open().await;
    subscribe(&test, &receiver.url("/x"), json!(["customer.created"])).await;
    for name in ["ana", "bia", "eva"] {
        register(&test, name).await;
    }
    deliver(&test).await;
    // The other two were not even tried.
    assert_eq!(receiver.count(), 1);
    receiver.behaves(Behaviour::Takes);
    test.clock.advance(Duration::from_secs(599));
    assert_eq!(deliver(&test).await, 0);
    test.clock.advance(Duration::from_secs(1));
    assert_eq!(deliver(&test).await, 3);
    // No answer puts it off for more than half a day.
    receiver.behaves(Behaviour::PutsOff(503, 1_000_000));
    register(&test, "isa").await;
    deliver(&test).await;
    receiver.behaves(Behaviour::Takes);
    test.advance_hours(12);
    assert_eq!(deliver(&test).await, 1);
}

#[tokio::test]
async fn who_is_gone_is_switched_off_and_those_who_run_the_shop_are_told() {
    let receiver = Receiver::start(Behaviour::Answers(410)).await;
    let test = open().await;
    let admin = json!({ "name": "Eva", "email": "eva@example.com", "password": "segredo-123" });
    let admin = test.shop.accounts().create_admin(input(admin)).await.expect("an admin");
    let endpoint =
        subscribe(&test, &receiver.url("/x?token=hush"), json!(["customer.created"])).await;
    register(&test, "ana").await;
    register(&test, "bia").await;
    let done = test.shop.run_due().await.expect("done");
    assert_eq!((receiver.count(), done.webhooks_delivered), (1, 0));
    let off = get(&test, &endpoint.id).await;
    assert_eq!((off.active, off.disabled_reason), (false, Some(DisabledReason::Gone)));
    let told = test.shop.notifications().list(&admin.id).await.expect("a list");
    assert_eq!((told.len(), told[0].title.as_str()), (1, "Webhook desativado"));
    assert!(told[0].body.contains("127.0.0.1") && !told[0].body.contains("hush"));
    let mail = "SELECT count(*) FROM mail WHERE kind = 'webhook-disabled' AND sent_at IS NOT NULL
                AND recipient = 'eva@example.com' AND letter NOT LIKE '%hush%'";
    assert_eq!(test.count(mail), 1);
    let audited = "SELECT count(*) FROM audit WHERE action = 'webhook.disable'";
    assert_eq!(test.count(audited), 1);
    // What happens while it is off is not sent, and nothing can be sent again.
    register(&test, "eva2").await;
    test.advance_hours(24);
    assert_eq!((deliver(&test).await, receiver.count()), (0, 1));
    let since = || input(json!({ "since": START }));
    let refused = test.shop.webhooks().recover(&Actor::System, &endpoint.id, since()).await;
    let inactive = matches!(refused, Err(Error::Conflict(Conflict::InactiveWebhook)));
    assert!(inactive, "{refused:?}");
    // Switched on again it gets what waited, and the rest when it is recovered.
    receiver.behaves(Behaviour::Takes);
    let on = patch(&test, &endpoint.id, json!({ "active": true })).await;
    assert_eq!((on.active, on.disabled_reason, on.failing_since), (true, None, None));
    assert_eq!(deliver(&test).await, 2);
    let queued = test.shop.webhooks().recover(&Actor::System, &endpoint.id, since()).await;
    assert_eq!(queued.expect("queued").queued, 1);
    assert_eq!(deliver(&test).await, 1);
    let again = test.shop.webhooks().recover(&Actor::System, &endpoint.id, since()).await;
    assert_eq!(again.expect("nothing").queued, 0);
}

#[tokio::test]
async fn five_days_of_nothing_but_failures_switch_an_endpoint_off() {
    let receiver = Receiver::start(Behaviour::Answers(500)).await;
    let test = open().await;
    let endpoint = subscribe(&test, &receiver.url("/x"), json!(["customer.created"])).await;
    let fail_for = async |days: u64, from: &str| {
        for day in 0..days {
            register(&test, &format!("{from}{day}")).await;
            deliver(&test).await;
            test.advance_hours(24);
        }
    };
    fail_for(4, "a").await;
    // One that gets through begins the count anew.
    receiver.next([Behaviour::Takes]);
    deliver(&test).await;
    fail_for(4, "b").await;
    assert!(get(&test, &endpoint.id).await.active);
    fail_for(3, "c").await;
    let off = get(&test, &endpoint.id).await;
    assert_eq!((off.active, off.disabled_reason), (false, Some(DisabledReason::Failing)));
}

#[tokio::test]
async fn recovering_sends_nothing_from_before_there_was_the_endpoint() {
    let receiver = Receiver::start(Behaviour::Takes).await;
    let test = open().await;
    register(&test, "early").await;
    test.advance_hours(1);
    let endpoint = subscribe(&test, &receiver.url("/x"), json!(["customer.created"])).await;
    let all = input(json!({ "since": START }));
    let queued = test.shop.webhooks().recover(&Actor::System, &endpoint.id, all).await;
    assert_eq!(queued.expect("nothing").queued, 0);
}

#[tokio::test]
async fn recovering_finds_an_event_that_was_written_before_one_of_an_earlier_time() {
    let receiver = Receiver::start(Behaviour::Answers(500)).await;
    let test = open().await;
    let endpoint = subscribe(&test, &receiver.url("/x"), json!(["customer.created"])).await;
    test.advance_hours(1);
    let since = test.shop.now();
    for name in ["late", "early", "later"] {
        register(&test, name).await;
    }
    // A unit of work reads its time before it waits for its turn.
    test.raw_sql(
        "UPDATE event SET created_at = created_at - 1000 WHERE payload LIKE '%\"early\"%'",
    );
    assert_eq!(test.count("SELECT count(*) FROM event WHERE name = 'customer.created'"), 3);
    assert_eq!(deliver(&test).await, 0);
    let recover = input(json!({ "since": since }));
    let queued = test.shop.webhooks().recover(&Actor::System, &endpoint.id, recover).await;
    assert_eq!(queued.expect("queued").queued, 2);
    receiver.behaves(Behaviour::Takes);
    receiver.received();
    assert_eq!(deliver(&test).await, 2);
    let names: Vec<Value> =
        receiver.received().iter().map(|one| one.json()["data"]["name"].clone()).collect();
    assert_eq!(names, ["late", "later"]);
}

#[tokio::test]
async fn recovering_sends_now_what_waits_for_its_next_try() {
    let receiver = Receiver::start(Behaviour::Answers(500)).await;
    let test = open().await;
    let endpoint = subscribe(&test, &receiver.url("/x"), json!(["customer.created"])).await;
    for name in ["early", "late"] {
        register(&test, name).await;
        deliver(&test).await;
    }
    receiver.behaves(Behaviour::Takes);
    assert_eq!(deliver(&test).await, 0);
    let all = input(json!({ "since": START }));
    let queued = test.shop.webhooks().recover(&Actor::System, &endpoint.id, all).await;
    assert_eq!(queued.expect("queued").queued, 2);
    receiver.received();
    assert_eq!(deliver(&test).await, 2);
    let names: Vec<Value> =
        receiver.received().iter().map(|one| one.json()["data"]["name"].clone()).collect();
    assert_eq!(names, ["early", "late"]);
}

#[tokio::test]
async fn an_id_is_never_used_again_though_the_database_was_put_back() {
    let receiver = Receiver::start(Behaviour::Takes).await;
    let test = open().await;
    subscribe(&test, &receiver.url("/x"), json!(["customer.created"])).await;
    register(&test, "early").await;
    deliver(&test).await;
    let early = receiver.received().remove(0);
    let id = early.json()["id"].as_str().expect("an id").to_owned();
    // A copy from before that event gives its id to the next one.
    test.raw_sql("DELETE FROM event");
    test.clock.advance(std::time::Duration::from_secs(60));
    register(&test, "late").await;
    test.raw_sql(&format!("UPDATE event SET id = {id}"));
    test.raw_sql(&format!("UPDATE webhook_cursor SET event_id = {id} - 1"));
    deliver(&test).await;
    let late = receiver.received().remove(0);
    assert_eq!(late.json()["id"], id.as_str());
    assert_ne!(early.header("webhook-id"), late.header("webhook-id"));
}

#[tokio::test]
async fn recovering_sends_what_was_given_up_since_then_and_nothing_that_arrived() {
    let receiver = Receiver::start(Behaviour::Takes).await;
    let test = open().await;
    let endpoint = subscribe(&test, &receiver.url("/x"), json!(["customer.created"])).await;
    register(&test, "arrived").await;
    deliver(&test).await;
    receiver.behaves(Behaviour::Answers(500));
    register(&test, "early").await;
    test.advance_hours(1);
    let since: Timestamp = test.shop.now();
    for name in ["late", "later"] {
        register(&test, name).await;
    }
    for _ in 0..10 {
        deliver(&test).await;
        test.advance_hours(12);
    }
    // The endpoint is off by now: five days of failures.
    patch(&test, &endpoint.id, json!({ "active": true })).await;
    let dead = "SELECT count(*) FROM webhook_queue WHERE next_try_at IS NULL";
    assert_eq!(test.count(dead), 3);
    receiver.behaves(Behaviour::Takes);
    receiver.received();
    let recover = input(json!({ "since": since }));
    let queued = test.shop.webhooks().recover(&Actor::System, &endpoint.id, recover).await;
    assert_eq!(queued.expect("queued").queued, 2);
    assert_eq!(deliver(&test).await, 2);
    let names: Vec<Value> =
        receiver.received().iter().map(|one| one.json()["data"]["name"].clone()).collect();
    assert_eq!(names, ["late", "later"]);
    assert_eq!(test.count(dead), 1);
}
