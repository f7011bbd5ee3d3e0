//! One of three servers is killed while all of them sell.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::{Stage, TO_THIS_MACHINE, aside, order_somewhere};
use crate::binary::{Server, order};
use crate::core::webhook::{subscribe, wait_until};
use crate::crash::order::check_books;
use crate::crash::webhook::end_claims;
use crate::fakes::receiver::{Behaviour, Receiver};

/// Buyers that order at the same time, and how often each.
const BUYERS: usize = 9;
const ORDERS: usize = 30;

/// Everybody orders, and once a third of it is done, the first server is killed. Each buyer whose
/// server died sends the same order, with the same key, to the next one.
fn sell(
    mut servers: Vec<Server>,
    token: &str,
    body: &Value,
) -> (BTreeMap<String, Value>, Vec<Server>) {
    let addresses: Vec<String> = servers.iter().map(|server| server.address.clone()).collect();
    let (answered, done) = (Mutex::new(BTreeMap::new()), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for buyer in 0..BUYERS {
            let (mut addresses, answered, done) = (addresses.clone(), &answered, &done);
            addresses.rotate_left(buyer % 3);
            scope.spawn(move || {
                for n in 0..ORDERS {
                    let key = format!("{buyer}-{n}");
                    let order = order_somewhere(&addresses, token, &key, body);
                    answered.lock().expect("a lock").insert(key, order);
                    done.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        while done.load(Ordering::Relaxed) < BUYERS * ORDERS / 3 {
            std::thread::sleep(Duration::from_millis(1));
        }
        servers.remove(0).kill();
    });
    (answered.into_inner().expect("a lock"), servers)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_killed_server_was_at_is_done_once_by_the_others() {
    let receiver = Receiver::start(Behaviour::Takes).await;
    let stage = Stage::new().await;
    subscribe(&stage.test, &receiver.url("/x"), json!(["order.created"])).await;
    let environment = [(TO_THIS_MACHINE.0, TO_THIS_MACHINE.1.to_owned())];
    let servers = stage.servers(3, &environment).await;
    let (token, body) = (stage.token.clone(), stage.body());
    let (answered, left) = aside(move || sell(servers, &token, &body)).await;
    assert_eq!(answered.len(), BUYERS * ORDERS);
    check_books(&stage.test, answered.len(), stage.items());
    // Nobody's order was placed twice, although some sent it twice.
    let orders = stage.test.count("SELECT count(*) FROM orders");
    assert_eq!(orders, i64::try_from(answered.len()).expect("a count"));
    let (token, body, address) = (stage.token.clone(), stage.body(), left[0].address.clone());
    let numbers: BTreeSet<String> =
        answered.values().map(|order| order["orderNumber"].to_string()).collect();
    assert_eq!(numbers.len(), answered.len());
    aside(move || {
        for (key, first) in &answered {
            assert_eq!(order(&address, &token, key, &body), Some((201, first.clone())), "{key}");
        }
    })
    .await;
    end_claims(&stage.test);
    let waiting = "SELECT (SELECT count(*) FROM webhook_queue) + (SELECT count(*) FROM event
        WHERE id > (SELECT event_id FROM webhook_cursor))";
    wait_until(Duration::from_secs(90), || stage.test.count(waiting) == 0).await;
    left.into_iter().for_each(Server::kill);
    let mut told: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for one in receiver.received() {
        let order = one.json()["data"]["orderNumber"].to_string();
        told.entry(order).or_default().insert(one.header("webhook-id").to_owned());
    }
    assert_eq!(told.keys().cloned().collect::<BTreeSet<_>>(), numbers);
    assert!(told.values().all(|names| names.len() == 1), "an event has one name");
}
