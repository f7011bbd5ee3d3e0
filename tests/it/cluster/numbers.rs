//! One, two and four servers place orders side by side: numbers, the log of events, limits, keys.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use shop_core::event::Event;
use shop_core::id::ProductId;

use super::{Stage, aside};
use crate::binary::{Server, order};

/// Buyers that order at the same time, and how often each.
const BUYERS: usize = 12;
const ORDERS: usize = 20;

/// Everybody orders, each two other things than the one before; what every order was answered.
fn sell(servers: &[Server], token: &str, bodies: &[Value]) -> Vec<Value> {
    std::thread::scope(|scope| {
        let buyers: Vec<_> = (0..BUYERS)
            .map(|buyer| {
                let address = &servers[buyer % servers.len()].address;
                scope.spawn(move || {
                    let place = |n: usize| {
                        let body = &bodies[(buyer * 7 + n) % bodies.len()];
                        let answer = order(address, token, &format!("{buyer}-{n}"), body);
                        let (status, order) = answer.expect("an answer");
                        assert_eq!(status, 201, "{order}");
                        order
                    };
                    (0..ORDERS).map(place).collect::<Vec<_>>()
                })
            })
            .collect();
        buyers.into_iter().flat_map(|buyer| buyer.join().expect("a buyer")).collect()
    })
}

/// Orders of two of these things, in every order of the two.
fn bodies(stage: &Stage, products: &[ProductId]) -> Vec<Value> {
    let line = |product: &ProductId| json!({ "productId": product, "quantity": 1 });
    let pairs = products.iter().flat_map(|one| products.iter().map(move |other| (one, other)));
    pairs
        .filter(|(one, other)| one != other)
        .map(|(one, other)| {
            json!({ "addressId": stage.buyer.address, "cartItems": [line(one), line(other)] })
        })
        .collect()
}

/// Reads the log while it grows, until it has so many orders; every event in the order in which it
/// was found.
async fn follow(stage: &Stage, orders: usize) -> Vec<Event> {
    let (mut seen, mut after) = (Vec::<Event>::new(), None);
    let is_order = |event: &&Event| event.event.as_str() == "order.created";
    while seen.iter().filter(is_order).count() < orders {
        let page = stage.test.shop.events().list(after, 7).await.expect("a page");
        after = page.next;
        seen.extend(page.data);
    }
    seen
}

async fn numbers_and_events_of(count: usize) {
    let stage = Stage::new().await;
    let mut products = Vec::new();
    for n in 0..8 {
        products.push(stage.test.product(&format!("vela-{n}"), 1_000_000, 1990).await);
    }
    let servers = stage.servers(count, &[]).await;
    let (token, bodies) = (stage.token.clone(), bodies(&stage, &products));
    let selling = aside(move || {
        let placed = sell(&servers, &token, &bodies);
        servers.into_iter().for_each(Server::kill);
        placed
    });
    let (placed, seen) = tokio::join!(selling, follow(&stage, BUYERS * ORDERS));
    // Each day's numbers run from 1 on, each once.
    let mut days: BTreeMap<String, BTreeSet<i64>> = BTreeMap::new();
    for order in &placed {
        let number = order["orderNumber"].as_str().expect("a number");
        let (day, sequence) = number.rsplit_once('-').expect("a day and a sequence");
        let new = days.entry(day.to_owned()).or_default().insert(sequence.parse().expect("digits"));
        assert!(new, "{number} was given twice");
    }
    for sequences in days.values() {
        assert!(sequences.iter().copied().eq((1..).take(sequences.len())), "{sequences:?}");
    }
    // A reader that follows the log met every event once, in the order of the ids, and each order
    // with the number that it was answered with.
    assert!(seen.windows(2).all(|two| two[0].id < two[1].id));
    let kept = stage.test.count("SELECT count(*) FROM event");
    assert_eq!(i64::try_from(seen.len()).expect("a count") + later(&stage, &seen).await, kept);
    let told: BTreeMap<String, String> = seen
        .iter()
        .filter(|event| event.event.as_str() == "order.created")
        .map(|event| serde_json::from_str::<Value>(event.data.get()).expect("JSON"))
        .map(|data| (data["id"].to_string(), data["orderNumber"].to_string()))
        .collect();
    let answered: BTreeMap<String, String> = placed
        .iter()
        .map(|order| (order["id"].to_string(), order["orderNumber"].to_string()))
        .collect();
    assert_eq!(told, answered);
    stage.test.check_ledger();
}

/// How many events there are behind those that were seen.
async fn later(stage: &Stage, seen: &[Event]) -> i64 {
    let after = seen.last().map(|event| event.id);
    let page = stage.test.shop.events().list(after, 100).await.expect("a page");
    i64::try_from(page.data.len()).expect("a count")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn numbers_of_one_server_have_no_gap_and_its_log_is_read_in_order() {
    numbers_and_events_of(1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn numbers_of_two_servers_have_no_gap_and_their_log_is_read_in_order() {
    numbers_and_events_of(2).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn numbers_of_four_servers_have_no_gap_and_their_log_is_read_in_order() {
    numbers_and_events_of(4).await;
}

/// So many orders at once, each with its key, from each of the servers in turn; the answers.
async fn at_once(
    servers: Vec<Server>,
    stage: &Stage,
    orders: usize,
    key: fn(usize) -> String,
) -> Vec<(u16, Value)> {
    let (token, body) = (stage.token.clone(), stage.body());
    aside(move || {
        let answers = std::thread::scope(|scope| {
            let place = |n: usize| {
                let (address, token, body) = (&servers[n % servers.len()].address, &token, &body);
                scope.spawn(move || order(address, token, &key(n), body).expect("an answer"))
            };
            let placed: Vec<_> = (0..orders).map(place).collect();
            placed.into_iter().map(|order| order.join().expect("a buyer")).collect()
        });
        servers.into_iter().for_each(Server::kill);
        answers
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_customer_who_orders_everywhere_at_once_gets_no_more_than_the_limit() {
    let stage = Stage::new().await;
    let limit = [("SHOP_ORDERS__MAX_OPEN_UNPAID", "5".to_owned())];
    let servers = stage.servers(4, &limit).await;
    let answers = at_once(servers, &stage, 60, |n| format!("order-{n}")).await;
    for (status, body) in answers.iter().filter(|(status, _)| *status != 201) {
        let refused = (*status, body["code"].as_str());
        assert!(refused.0 < 500 && refused.1 == Some("too_many_unpaid_orders"), "{body}");
    }
    assert_eq!(answers.iter().filter(|(status, _)| *status == 201).count(), 5);
    assert_eq!(stage.test.count("SELECT count(*) FROM orders"), 5);
    stage.test.check_ledger();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_that_is_sent_everywhere_at_once_places_one_order_for_each() {
    let stage = Stage::new().await;
    let servers = stage.servers(4, &[]).await;
    let answers = at_once(servers, &stage, 60, |n| format!("order-{}", n % 3)).await;
    assert!(answers.iter().all(|(status, _)| *status == 201), "{answers:?}");
    let ids: BTreeSet<String> = answers.iter().map(|(_, order)| order["id"].to_string()).collect();
    assert_eq!((ids.len(), stage.test.count("SELECT count(*) FROM orders")), (3, 3));
    stage.test.check_ledger();
}
