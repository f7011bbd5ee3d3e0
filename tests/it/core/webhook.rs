//! Webhooks: who is told what, when it is tried again, and what is written down of it.

use std::time::Duration;

use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::clock::Timestamp;
use shop_core::error::{Conflict, Entity, Error};
use shop_core::event::EventName;
use shop_core::id::{AccountId, WebhookId};
use shop_core::order::OrderStatus;
use shop_core::page::Page;
use shop_core::webhook::{DeliveryError, DisabledReason, WebhookDelivery, WebhookEndpoint};

use super::fixture::{START, TestShop, input};
use crate::parties::receiver::{Manner, Receiver};

pub(crate) const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// Seconds between the tries of an event.
const WAITS: [u64; 7] = [5, 300, 1800, 7200, 18_000, 36_000, 36_000];

async fn open() -> TestShop {
    TestShop::with(|config| config.webhooks.allow_insecure = true).await
}

pub(crate) async fn subscribe(test: &TestShop, url: &str, events: Value) -> WebhookEndpoint {
    let new = input(json!({ "url": url, "secret": SECRET, "events": events }));
    test.shop.webhooks().create(&Actor::System, new).await.expect("an endpoint")
}

async fn deliver(test: &TestShop) -> usize {
    test.shop.run_due().await.expect("done").webhooks_delivered
}

async fn log(test: &TestShop, id: &WebhookId, filter: Value) -> Page<WebhookDelivery> {
    test.shop.webhooks().list_deliveries(id, input(filter)).await.expect("a log")
}

async fn get(test: &TestShop, id: &WebhookId) -> WebhookEndpoint {
    test.shop.webhooks().get(id).await.expect("there")
}

async fn patch(test: &TestShop, id: &WebhookId, patch: Value) -> WebhookEndpoint {
    let webhooks = test.shop.webhooks();
    webhooks.update(&Actor::System, id, input(patch), None).await.expect("changed")
}

/// Something that one event is about.
async fn register(test: &TestShop, name: &str) -> AccountId {
    let register = json!({
        "name": name, "email": format!("{name}@example.com"), "password": "segredo-123"
    });
    test.shop.accounts().register(input(register)).await.expect("registers").account.id
}

#[tokio::test]
async fn a_sale_is_told_in_its_order_to_those_who_want_to_know() {
    let (all, paid) = (Receiver::start(Manner::Takes).await, Receiver::start(Manner::Takes).await);
    let test = open().await;
    let before = test.buyer("antes").await;
    let every = json!([
        "order.placed",
        "order.status_changed",
        "order.paid",
        "order.shipped",
        "stock.low",
        "stock.updated",
        "customer.created"
    ]);
    subscribe(&test, &all.url("/all/?shop=1"), every).await;
    subscribe(&test, &paid.url(""), json!(["order.paid"])).await;
    let buyer = test.buyer("ana").await;
    let candle = test.product("vela", 6, 1990).await;
    let order = test.buy(&buyer, &candle, 2).await.expect("an order");
    test.shop.payments().create_pix(&buyer.id, &order.id, None).await.expect("a code");
    test.shop.sandbox().pay(&order.order_number).await.expect("paid");
    test.shop.orders().set_status(&order.id, OrderStatus::Shipped, None).await.expect("set");
    assert_eq!(deliver(&test).await, 8 + 1);
    assert_eq!(deliver(&test).await, 0);
    let received = all.received();
    let names: Vec<&str> =
        received.iter().map(|delivered| delivered.header("x-webhook-event")).collect();
    // The one from before the subscription is not among them.
    assert_eq!(
        names,
        [
            "customer.created",
            "order.created",
            "stock.updated",
            "stock.low",
            "order.status_changed",
            "order.paid",
            "order.status_changed",
            "order.shipped",
        ]
    );
    assert!(received.iter().all(|delivered| delivered.path == "/all/?shop=1"));
    assert!(received.iter().all(|delivered| !delivered.body.contains(before.id.as_str())));
    let created = received[1].json();
    assert_eq!(created["data"]["orderNumber"], json!(order.order_number));
    assert_eq!(created["data"]["status"], "PENDING");
    assert_eq!(created["timestamp"], json!(START));
    assert_eq!(received[7].json()["data"]["status"], "SHIPPED");
    let only = paid.received();
    assert_eq!((only.len(), only[0].header("x-webhook-event")), (1, "order.paid"));
    assert_eq!(only[0].path, "/");
    assert_eq!(only[0].json(), received[5].json());
}

#[tokio::test]
async fn what_failed_is_tried_again_when_the_schedule_says_and_then_kept_as_dead() {
    let receiver = Receiver::start(Manner::Answers(500)).await;
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
    receiver.next([Manner::Answers(503)]);
    receiver.behaves(Manner::Takes);
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
async fn every_bad_manner_is_a_failure_that_is_written_down_as_what_it_was() {
    let receiver = Receiver::start(Manner::Takes).await;
    let test = open().await;
    let endpoint = subscribe(&test, &receiver.url("/x"), json!(["customer.created"])).await;
    for (manner, code, error) in [
        (Manner::Redirects, Some(307), Some("redirect")),
        (Manner::Answers(404), Some(404), None),
        (Manner::Answers(500), Some(500), None),
        (Manner::PutsOff(429, 1), Some(429), None),
        (Manner::Closes, None, Some("unreachable")),
        (Manner::Hangs, None, Some("timeout: 10")),
        (Manner::DripsHead, None, Some("timeout: 10")),
    ] {
        receiver.next([manner]);
        register(&test, &format!("{manner:?}").replace(['(', ')', ',', ' '], "")).await;
        assert_eq!(deliver(&test).await, 0, "{manner:?}");
        let last = &log(&test, &endpoint.id, json!({ "limit": 1 })).await.data[0];
        assert_eq!((last.response_code, last.success), (code, false), "{manner:?}");
        let told = last.error.as_ref().map(ToString::to_string).unwrap_or_default();
        assert_eq!(last.error.is_some(), error.is_some(), "{manner:?}: {told}");
        assert!(told.starts_with(error.unwrap_or_default()), "{manner:?}: {told}");
        if error == Some("timeout: 10") {
            assert!((10_000..12_000).contains(&last.duration_ms), "{}", last.duration_ms);
        }
        test.clock.advance(Duration::from_secs(7));
        assert_eq!(deliver(&test).await, 1, "{manner:?}");
    }
    // Nobody went where he was sent.
    assert!(receiver.received().iter().all(|delivered| delivered.path != "/elsewhere"));
}

#[tokio::test]
async fn of_an_answer_only_the_beginning_is_read_and_kept() {
    let receiver = Receiver::start(Manner::Huge).await;
    let test = open().await;
    let endpoint = subscribe(&test, &receiver.url("/x"), json!(["customer.created"])).await;
    register(&test, "ana").await;
    assert_eq!(deliver(&test).await, 1);
    let huge = &log(&test, &endpoint.id, json!({})).await.data[0];
    assert_eq!(huge.response_body.as_ref().map(String::len), Some(4096));
    receiver.behaves(Manner::DripsBody);
    register(&test, "bia").await;
    assert_eq!(deliver(&test).await, 1);
    let slow = &log(&test, &endpoint.id, json!({})).await.data[0];
    assert!(slow.success && slow.duration_ms < 5000, "{slow:?}");
    assert!(slow.response_body.as_ref().is_some_and(|body| body.starts_with("HTTP")));
}

#[tokio::test]
async fn a_receiver_that_puts_the_shop_off_is_left_alone() {
    let receiver = Receiver::start(Manner::PutsOff(429, 600)).await;
    let test = open().await;
    subscribe(&test, &receiver.url("/x"), json!(["customer.created"])).await;
    for name in ["ana", "bia", "eva"] {
        register(&test, name).await;
    }
    deliver(&test).await;
    // The other two were not even tried.
    assert_eq!(receiver.count(), 1);
    receiver.behaves(Manner::Takes);
    test.clock.advance(Duration::from_secs(599));
    assert_eq!(deliver(&test).await, 0);
    test.clock.advance(Duration::from_secs(1));
    assert_eq!(deliver(&test).await, 3);
    // Nobody puts it off for more than half a day.
    receiver.behaves(Manner::PutsOff(503, 1_000_000));
    register(&test, "isa").await;
    deliver(&test).await;
    receiver.behaves(Manner::Takes);
    test.advance_hours(12);
    assert_eq!(deliver(&test).await, 1);
}

#[tokio::test]
async fn who_is_gone_is_switched_off_and_those_who_run_the_shop_are_told() {
    let receiver = Receiver::start(Manner::Answers(410)).await;
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
    receiver.behaves(Manner::Takes);
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
    let receiver = Receiver::start(Manner::Answers(500)).await;
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
    receiver.next([Manner::Takes]);
    deliver(&test).await;
    fail_for(4, "b").await;
    assert!(get(&test, &endpoint.id).await.active);
    fail_for(3, "c").await;
    let off = get(&test, &endpoint.id).await;
    assert_eq!((off.active, off.disabled_reason), (false, Some(DisabledReason::Failing)));
}

#[tokio::test]
async fn recovering_sends_what_was_given_up_since_then_and_nothing_that_arrived() {
    let receiver = Receiver::start(Manner::Takes).await;
    let test = open().await;
    let endpoint = subscribe(&test, &receiver.url("/x"), json!(["customer.created"])).await;
    register(&test, "arrived").await;
    deliver(&test).await;
    receiver.behaves(Manner::Answers(500));
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
    receiver.behaves(Manner::Takes);
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

#[tokio::test]
async fn after_a_change_of_the_secret_both_sign_for_a_day() {
    let receiver = Receiver::start(Manner::Takes).await;
    let test = open().await;
    let endpoint = subscribe(&test, &receiver.url("/x"), json!(["customer.created"])).await;
    let signatures = async |name: &str| {
        register(&test, name).await;
        deliver(&test).await;
        let delivered = receiver.received().remove(0);
        let bodies = delivered.headers.get_all("x-webhook-signature").iter().count();
        let standard = delivered.header("webhook-signature").split(' ').count();
        let holds = |secret: &str| {
            let library = standardwebhooks::Webhook::new(secret).expect("a secret");
            let seconds = delivered.header("webhook-timestamp").parse().expect("seconds");
            let body = delivered.body.as_bytes();
            let signed = library.sign(delivered.header("webhook-id"), seconds, body);
            let signed = signed.expect("signed");
            delivered.header("webhook-signature").split(' ').any(|one| one == signed)
        };
        let new = format!("whsec_{}", "bm92bw".repeat(6));
        (bodies, standard, holds(SECRET), holds(&new))
    };
    assert_eq!(signatures("ana").await, (1, 1, true, false));
    patch(&test, &endpoint.id, json!({ "secret": format!("whsec_{}", "bm92bw".repeat(6)) })).await;
    assert_eq!(signatures("bia").await, (2, 2, true, true));
    test.advance_hours(23);
    // The same one once more changes nothing.
    patch(&test, &endpoint.id, json!({ "secret": format!("whsec_{}", "bm92bw".repeat(6)) })).await;
    assert_eq!(signatures("eva").await, (2, 2, true, true));
    test.advance_hours(1);
    assert_eq!(signatures("isa").await, (1, 1, false, true));
}

#[tokio::test]
async fn a_subscription_that_changes_gets_new_events_from_then_on() {
    let receiver = Receiver::start(Manner::Takes).await;
    let test = open().await;
    let endpoint = subscribe(&test, &receiver.url("/x"), json!(["order.paid"])).await;
    register(&test, "ana").await;
    patch(&test, &endpoint.id, json!({ "events": ["customer.created"] })).await;
    register(&test, "bia").await;
    assert_eq!(deliver(&test).await, 1);
    assert_eq!(receiver.received()[0].json()["data"]["name"], "bia");
    patch(&test, &endpoint.id, json!({ "active": false })).await;
    register(&test, "eva").await;
    patch(&test, &endpoint.id, json!({ "active": true })).await;
    assert_eq!(deliver(&test).await, 0);
    // Removed, it gets nothing, and its queue is gone with it.
    receiver.behaves(Manner::Answers(500));
    register(&test, "isa").await;
    deliver(&test).await;
    test.shop.webhooks().delete(&Actor::System, &endpoint.id).await.expect("removed");
    test.advance_hours(1);
    assert_eq!((deliver(&test).await, receiver.count()), (0, 1));
    assert_eq!(test.count("SELECT count(*) FROM webhook_queue"), 0);
    let gone = test.shop.webhooks().get(&endpoint.id).await;
    assert!(matches!(gone, Err(Error::NotFound(Entity::Webhook))), "{gone:?}");
}

#[tokio::test]
async fn only_the_world_is_called_unless_the_settings_say_otherwise() {
    let receiver = Receiver::start(Manner::Takes).await;
    let test = TestShop::open().await;
    let create = async |url: &str| {
        let new = json!({ "url": url, "secret": SECRET, "events": ["customer.created"] });
        test.shop.webhooks().create(&Actor::System, input(new)).await
    };
    for url in [
        "http://erp.example.com/",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://10.0.0.1:8443/",
        "https://169.254.169.254/latest/meta-data",
        "https://[::ffff:127.0.0.1]/",
        "https://localhost/",
        "https://LocalHost.:8443/x",
        "https://erp.localhost/",
    ] {
        assert!(matches!(create(url).await, Err(Error::Invalid(_))), "{url}");
    }
    // A name says nothing of where it leads; the connection does, and it is never made.
    for host in ["0x7f000001", "2130706433", "0177.0.0.1"] {
        let url = format!("https://{host}:{}/x", receiver.port());
        let endpoint = create(&url).await.expect("an endpoint");
        let tried = test.shop.webhooks().test(&endpoint.id).await.expect("tried");
        assert_eq!((tried.delivered, tried.status_code), (false, 0), "{host}");
        let last = &log(&test, &endpoint.id, json!({})).await.data[0];
        let error = last.error.clone().expect("a reason");
        assert!(!last.success && last.event == EventName::WebhookTest, "{last:?}");
        assert_eq!(tried.error, Some(error.clone()));
        let closed = error == DeliveryError::NotPublic;
        // Some resolvers know no such spelling of an address.
        assert!(closed || matches!(error, DeliveryError::Unreachable(_)), "{host}: {error}");
    }
    assert_eq!(receiver.count(), 0);
}

#[tokio::test]
async fn signatures_hold_for_other_implementations() {
    let receiver = Receiver::start(Manner::Takes).await;
    let test = open().await;
    // On the machine's clock, because the library looks at it.
    let shop = shop_core::Shop::open(test.shop.config().clone()).await.expect("opens");
    let test = TestShop { shop, ..test };
    subscribe(&test, &receiver.url("/x"), json!(["customer.created"])).await;
    let register =
        json!({ "name": "Conceição", "email": "c@example.com", "password": "segredo-123" });
    test.shop.accounts().register(input(register)).await.expect("registers");
    assert_eq!(deliver(&test).await, 1);
    let delivered = receiver.received().remove(0);
    let library = standardwebhooks::Webhook::new(SECRET).expect("a secret");
    library.verify(delivered.body.as_bytes(), &delivered.headers).expect("it holds");
    let other = standardwebhooks::Webhook::new("whsec_c2VncmVkbw==").expect("a secret");
    assert!(other.verify(delivered.body.as_bytes(), &delivered.headers).is_err());
    assert_eq!(delivered.header("content-type"), "application/json");
    assert!(delivered.header("user-agent").starts_with("shop-core/"));
    let at: Timestamp = delivered.header("x-webhook-timestamp").parse().expect("ISO 8601");
    assert_eq!(delivered.header("webhook-timestamp"), at.seconds().to_string());
    // What any receiver would write in a few lines of another language.
    let script = "import sys,hmac,hashlib,base64\n\
        secret,i,t=sys.argv[1:4]\nbody=sys.stdin.buffer.read()\n\
        print('sha256='+hmac.new(secret.encode(),body,hashlib.sha256).hexdigest())\n\
        key=base64.b64decode(secret[6:])\n\
        print('v1,'+base64.b64encode(hmac.new(key,f'{i}.{t}.'.encode()+body,\
        hashlib.sha256).digest()).decode())";
    let (id, time) = (delivered.header("webhook-id"), delivered.header("webhook-timestamp"));
    let Some(signed) = python(script, &[SECRET, id, time], &delivered.body) else {
        println!("left out: python3 is not installed");
        return;
    };
    let ours = [delivered.header("x-webhook-signature"), delivered.header("webhook-signature")];
    assert_eq!(signed.lines().collect::<Vec<_>>(), ours);
}

/// What a script prints; nothing where there is no Python.
fn python(script: &str, arguments: &[&str], stdin: &str) -> Option<String> {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut command = Command::new("python3");
    command.args(["-c", script]).args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut process = command.spawn().ok()?;
    process.stdin.take().expect("a pipe").write_all(stdin.as_bytes()).expect("written");
    let output = process.wait_with_output().expect("ends");
    assert!(output.status.success());
    Some(String::from_utf8(output.stdout).expect("text"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_processes_one_sends_each_event() {
    let receiver = Receiver::start(Manner::Takes).await;
    let test = open().await;
    let other = test.open_again().await;
    subscribe(&test, &receiver.url("/x"), json!(["stock.updated"])).await;
    emit(&test, 300, 1);
    let (one, two) = tokio::join!(test.shop.run_due(), other.run_due());
    let sent = one.expect("done").webhooks_delivered + two.expect("done").webhooks_delivered;
    let received = receiver.received();
    let ids: std::collections::HashSet<_> =
        received.iter().map(|delivered| delivered.header("webhook-id")).collect();
    assert_eq!((sent, received.len(), ids.len()), (300, 300, 300));
}

/// Events that are already there, as a busy shop writes them.
pub(crate) fn emit(test: &TestShop, count: usize, items: usize) {
    let item = r#"{"productId":"p","variantId":null,"stock":1}"#;
    let payload = format!("{{\"items\":[{}]}}", vec![item; items].join(","));
    let now = test.shop.now().millis();
    test.meddle(&format!(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})
         INSERT INTO event (name, payload, created_at)
         SELECT 'stock.updated', '{payload}', {now} FROM n"
    ));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dead_and_slow_endpoints_keep_nothing_from_the_others() {
    let test = open().await;
    let mut receivers = Vec::new();
    // More that hang than there are places.
    let manners = [Manner::Takes; 4].into_iter().chain([Manner::Hangs; 24]);
    for manner in manners {
        let receiver = Receiver::start(manner).await;
        subscribe(&test, &receiver.url("/x"), json!(["stock.updated"])).await;
        receivers.push(receiver);
    }
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let shop = test.shop.clone();
    let running =
        tokio::spawn(async move { shop.run_background(async { drop(stopped.await) }).await });
    let (healthy, dead) = receivers.split_at(4);
    let limit = Duration::from_secs(60);
    let failures = || test.count("SELECT count(*) FROM webhook_delivery WHERE success = 0");
    let all_dead = i64::try_from(dead.len()).expect("a number");
    // At first nobody knows which of them hang, and then they are known to.
    for round in 1..=2 {
        let before = failures();
        emit(&test, 200, 1);
        wait_until(limit, || healthy.iter().all(|one| one.count() == 200 * round)).await;
        assert!(failures() - before < all_dead, "who takes events waited for who does not");
        wait_until(limit, || failures() >= all_dead).await;
    }
    assert!(dead.iter().all(|one| one.count() > 0));
    for one in healthy {
        let ids: Vec<i64> = one
            .received()
            .iter()
            .map(|delivered| delivered.json()["id"].as_str().expect("an id").parse().expect("one"))
            .collect();
        assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "{ids:?}");
        assert_eq!(one.most_at_once(), 1);
    }
    assert!(dead.iter().all(|one| one.most_at_once() <= 1));
    stop.send(()).expect("it runs");
    running.await.expect("it ends");
}

pub(crate) async fn wait_until(limit: Duration, holds: impl Fn() -> bool) {
    let begun = std::time::Instant::now();
    while !holds() {
        assert!(begun.elapsed() < limit, "not within {limit:?}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
