//! Webhooks: which endpoint gets which event, signed how, and over which connections.

mod tries;

use std::time::Duration;

use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::clock::Timestamp;
use shop_core::error::{Entity, Error};
use shop_core::event::EventName;
use shop_core::id::{AccountId, WebhookId};
use shop_core::order::OrderStatus;
use shop_core::page::Page;
use shop_core::webhook::{DeliveryError, WebhookDelivery, WebhookEndpoint};

use super::fixture::{START, TestShop, input};
use crate::fakes::receiver::{Behaviour, Receiver};
use crate::fakes::signature::hmac;

pub(crate) const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

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
async fn a_round_passes_over_every_event_that_waits_however_many_nobody_wants() {
    let test = open().await;
    register(&test, "ana").await;
    test.raw_sql(
        "WITH RECURSIVE copy (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copy WHERE n < 1100)
         INSERT INTO event (name, payload, created_at)
         SELECT e.name, e.payload, e.created_at FROM event e CROSS JOIN copy",
    );
    deliver(&test).await;
    let behind = "SELECT count(*) FROM event WHERE id > (SELECT event_id FROM webhook_cursor)";
    assert_eq!(test.count(behind), 0);
}

#[tokio::test]
async fn a_sale_is_told_in_its_order_to_those_who_want_to_know() {
    let (all, paid) =
        (Receiver::start(Behaviour::Takes).await, Receiver::start(Behaviour::Takes).await);
    let test = open().await;
    let before = test.buyer("antes").await;
    let every = json!([
        "order.placed",
        "order.status_changed",
        "order.paid",
        "order.shipped",
        "order.delivered",
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
    test.shop.orders().set_status(&order.id, OrderStatus::Delivered, None).await.expect("set");
    assert_eq!(deliver(&test).await, 10 + 1);
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
            "order.status_changed",
            "order.delivered",
        ]
    );
    assert!(received.iter().all(|delivered| delivered.path == "/all/?shop=1"));
    assert!(received.iter().all(|delivered| !delivered.body.contains(before.id.as_str())));
    let created = received[1].json();
    assert_eq!(created["data"]["orderNumber"], json!(order.order_number));
    assert_eq!(created["data"]["status"], "PENDING");
    assert_eq!(created["timestamp"], json!(START));
    assert_eq!(received[7].json()["data"]["status"], "SHIPPED");
    assert_eq!(received[9].json()["data"]["status"], "DELIVERED");
    let only = paid.received();
    assert_eq!((only.len(), only[0].header("x-webhook-event")), (1, "order.paid"));
    assert_eq!(only[0].path, "/");
    assert_eq!(only[0].json(), received[5].json());
}

#[tokio::test]
async fn after_a_change_of_the_secret_both_sign_for_a_day() {
    let receiver = Receiver::start(Behaviour::Takes).await;
    let test = open().await;
    let endpoint = subscribe(&test, &receiver.url("/x"), json!(["customer.created"])).await;
    let signatures = async |name: &str| {
        register(&test, name).await;
        deliver(&test).await;
        let delivered = receiver.received().remove(0);
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
        let all = delivered.headers.get_all("x-webhook-signature").iter();
        let by = |secret: &str| format!("sha256={}", hmac(secret, delivered.body.as_bytes()));
        let signed: Vec<_> = all.map(|it| (*it == *by(SECRET), *it == *by(&new))).collect();
        (signed, standard, holds(SECRET), holds(&new))
    };
    // Receivers compare the whole header, so that it has one signature: the newest secret's.
    let (by_old, by_new) = (vec![(true, false)], vec![(false, true)]);
    assert_eq!(signatures("ana").await, (by_old, 1, true, false));
    patch(&test, &endpoint.id, json!({ "secret": format!("whsec_{}", "bm92bw".repeat(6)) })).await;
    assert_eq!(signatures("bia").await, (by_new.clone(), 2, true, true));
    test.advance_hours(23);
    // The same one once more changes nothing.
    patch(&test, &endpoint.id, json!({ "secret": format!("whsec_{}", "bm92bw".repeat(6)) })).await;
    assert_eq!(signatures("eva").await, (by_new.clone(), 2, true, true));
    test.advance_hours(1);
    assert_eq!(signatures("isa").await, (by_new, 1, false, true));
}

#[tokio::test]
async fn a_subscription_that_changes_gets_new_events_from_then_on() {
    let receiver = Receiver::start(Behaviour::Takes).await;
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
    receiver.behaves(Behaviour::Answers(500));
    register(&test, "isa").await;
    deliver(&test).await;
    test.shop.webhooks().delete(&Actor::System, &endpoint.id, None).await.expect("removed");
    test.advance_hours(1);
    assert_eq!((deliver(&test).await, receiver.count()), (0, 1));
    assert_eq!(test.count("SELECT count(*) FROM webhook_queue"), 0);
    let gone = test.shop.webhooks().get(&endpoint.id).await;
    assert!(matches!(gone, Err(Error::NotFound(Entity::Webhook))), "{gone:?}");
}

#[tokio::test]
async fn only_the_world_is_called_unless_the_settings_say_otherwise() {
    let receiver = Receiver::start(Behaviour::Takes).await;
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
        "https://2130706433/",
    ] {
        assert!(matches!(create(url).await, Err(Error::Invalid(_))), "{url}");
    }
    // A name says nothing of where it leads; the connection does, and it is never made. These stand for
    // one: they are refused by now, and endpoints of before may have them.
    for host in ["0x7f000001", "2130706433", "0177.0.0.1"] {
        let endpoint = create("https://erp.example.com/x").await.expect("an endpoint");
        let url = format!("https://{host}:{}/x", receiver.port());
        test.raw_sql(&format!("UPDATE webhook SET url = '{url}' WHERE id = '{}'", endpoint.id));
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
    let receiver = Receiver::start(Behaviour::Takes).await;
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
    let receiver = Receiver::start(Behaviour::Takes).await;
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
    test.raw_sql(&format!(
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
    let behaviours = [Behaviour::Takes; 4].into_iter().chain([Behaviour::Hangs; 24]);
    for behaviour in behaviours {
        let receiver = Receiver::start(behaviour).await;
        subscribe(&test, &receiver.url("/x"), json!(["stock.updated"])).await;
        receivers.push(receiver);
    }
    let shop = test.shop.clone();
    let running = tokio::spawn(async move { shop.run_background(std::future::pending()).await });
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
    // One that was given up may be open at its receiver for a moment more.
    assert!(dead.iter().all(|one| one.most_at_once() <= 2));
    running.abort();
}

pub(crate) async fn wait_until(limit: Duration, holds: impl Fn() -> bool) {
    let begun = std::time::Instant::now();
    while !holds() {
        assert!(begun.elapsed() < limit, "not within {limit:?}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
