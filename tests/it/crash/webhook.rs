//! Webhooks from a real server process: killed in the middle, and with a lot to do.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::json;
use shop_tests::repeats;

use super::order::burst;
use crate::binary::Server;
use crate::core::fixture::{Buyer, TestShop};
use crate::core::webhook::{emit, subscribe, wait_until};
use crate::fakes::receiver::{Behaviour, Delivered, Receiver};

/// What lets it send to this machine.
const SETTINGS: [(&str, &str); 1] = [("SHOP_WEBHOOKS__ALLOW_INSECURE", "true")];

/// On the machine's clock, which the processes beside this one have too.
async fn open() -> TestShop {
    let test = TestShop::with(|config| config.webhooks.allow_insecure = true).await;
    let shop = shop_core::Shop::open(test.shop.config().clone()).await.expect("opens");
    TestShop { shop, ..test }
}

/// The orders that were told of, each with the names under which it was.
fn told(received: &[Delivered]) -> BTreeMap<String, BTreeSet<String>> {
    let mut told: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for delivered in received {
        let order = delivered.json()["data"]["id"].as_str().expect("an id").to_owned();
        told.entry(order).or_default().insert(delivered.header("webhook-id").to_owned());
    }
    told
}

/// What a query of the file gives, of what the API does not show.
fn texts(test: &TestShop, sql: &str) -> BTreeSet<String> {
    test.data.rows(sql).into_iter().flatten().flatten().collect()
}

/// Half a minute passes for what was claimed: then what a dead process had is free again.
pub(crate) fn end_claims(test: &TestShop) {
    test.raw_sql(
        "UPDATE webhook_queue SET next_try_at = next_try_at - 30000 WHERE claim IS NOT NULL",
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_committed_order_is_told_however_the_server_dies_and_no_other() {
    let receiver = Receiver::start(Behaviour::Takes).await;
    let test = open().await;
    subscribe(&test, &receiver.url("/x"), json!(["order.created"])).await;
    let buyer: Buyer = test.buyer("ana").await;
    let candle = test.product("vela", 1_000_000, 1990).await;
    let token = test.log_in("ana").await;
    let body = json!({ "addressId": buyer.address, "cartItems": [
        { "productId": candle, "quantity": 1 },
    ]});
    let undelivered = "SELECT (SELECT count(*) FROM webhook_queue) + (SELECT count(*) FROM event
        WHERE name = 'order.created' AND id > (SELECT event_id FROM webhook_cursor))";
    let (mut received, mut interrupted, mut kills) = (Vec::new(), 0, 0);
    // On a busy machine a server may not live until its first order or delivery; then more of them
    // die.
    while kills < repeats(6, 50) || interrupted < repeats(4, 26) || received.is_empty() {
        assert!(kills < 500, "{interrupted} kills fell before a delivery, {} came", received.len());
        let (file, token, body) = (test.database(), token.clone(), body.clone());
        let killed = tokio::task::spawn_blocking(move || {
            burst(Server::start_with(&file, SETTINGS), kills, &token, &body)
        });
        killed.await.expect("a burst");
        interrupted += u64::from(test.count(undelivered) > 0);
        received.extend(receiver.received());
        kills += 1;
    }
    end_claims(&test);
    let server = Server::start_with(&test.database(), SETTINGS);
    wait_until(Duration::from_secs(90), || test.count(undelivered) == 0).await;
    server.kill();
    received.extend(receiver.received());
    let told = told(&received);
    let orders = texts(&test, "SELECT id FROM orders");
    assert_eq!(told.keys().cloned().collect::<BTreeSet<_>>(), orders);
    for (order, names) in told {
        assert_eq!(names.len(), 1, "{order} went by {names:?}");
    }
}

/// Many events to five endpoints, one of which is dead.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_events_reach_the_living_and_the_memory_stays_flat() {
    let events = repeats(1_000, 10_000);
    let test = open().await;
    let mut living = Vec::new();
    for _ in 0..4 {
        let receiver = Receiver::start(Behaviour::Takes).await;
        subscribe(&test, &receiver.url("/x"), json!(["stock.updated"])).await;
        living.push(receiver);
    }
    let dead = Receiver::start(Behaviour::Closes).await;
    subscribe(&test, &dead.url("/x"), json!(["stock.updated"])).await;
    let server = Server::start_with(&test.database(), SETTINGS);
    let mut emitted = 0;
    let mut resident = Vec::new();
    for more in [events / 5, events - events / 5] {
        emit(&test, more, 20);
        emitted += more;
        wait_until(Duration::from_secs(240), || living.iter().all(|one| one.count() == emitted))
            .await;
        resident.push(server.resident());
    }
    if let [Some(first), Some(last)] = resident[..] {
        assert!(last < first + 16 * 1024, "from {first} to {last} KiB");
    }
    // The dead one had each of them refused, and waits for each again.
    let tried = "SELECT count(*) FROM webhook_queue WHERE attempts > 0";
    let all = i64::try_from(events).expect("a count");
    wait_until(Duration::from_secs(240), || test.count(tried) == all).await;
    server.kill();
    for one in living {
        let names: BTreeSet<_> =
            one.received().iter().map(|one| one.header("webhook-id").to_owned()).collect();
        assert_eq!(names.len(), events);
    }
}
