//! The real server, killed at random moments of a burst of orders.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use serde_json::{Value, json};
use shop_tests::repeats;

use crate::binary::{Server, order};
use crate::core::fixture::{Buyer, TestShop};

/// Buyers that order at the same time.
const BUYERS: usize = 8;
/// How many orders are answered at least before it ends, so that kills meet some.
const LEAST: usize = 25;
/// Units there are in all; more than the burst can sell.
pub(crate) const UNITS: i64 = 1_000_000;

/// Orders of all buyers until the server is killed, with those that were answered 201 by key.
pub(crate) fn burst(
    server: Server,
    round: u64,
    token: &str,
    body: &Value,
) -> BTreeMap<String, Value> {
    let answered = Mutex::new(BTreeMap::new());
    let address = server.address.clone();
    std::thread::scope(|scope| {
        for buyer in 0..BUYERS {
            let (answered, address) = (&answered, &address);
            scope.spawn(move || {
                for n in 0.. {
                    let key = format!("{round}-{buyer}-{n}");
                    match order(address, token, &key, body) {
                        Some((201, order)) => {
                            answered.lock().expect("a lock").insert(key, order);
                        }
                        Some((status, body)) => panic!("{status}: {body}"),
                        None => return,
                    }
                }
            });
        }
        // Anywhere from the first answers to the thick of it.
        std::thread::park_timeout(Duration::from_millis(5 + round * 7919 % 197));
        server.kill();
    });
    answered.into_inner().expect("a lock")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_acknowledged_order_is_lost_however_the_server_dies() {
    let test = TestShop::with_machine_clock().await;
    let buyer: Buyer = test.buyer("ana").await;
    let vela = test.product("vela", UNITS, 1990).await;
    let other = test.product("difusor", UNITS, 2990).await;
    let token = test.log_in("ana").await;
    let body = json!({ "addressId": buyer.address, "cartItems": [
        { "productId": vela, "quantity": 2 }, { "productId": other, "quantity": 1 },
    ]});
    let database = test.database();
    let mut answered: BTreeMap<String, Value> = BTreeMap::new();
    let kills = repeats(8, 50);
    for round in 0.. {
        if round >= kills && answered.len() >= LEAST {
            break;
        }
        let (file, token, body) = (database.clone(), token.clone(), body.clone());
        let more =
            tokio::task::spawn_blocking(move || burst(Server::start(&file), round, &token, &body));
        answered.extend(more.await.expect("a burst"));
        check_books(&test, answered.len(), [vela.as_str(), other.as_str()]);
    }
    check_repeats(&database, &token, &body, answered).await;
}

/// The file is whole, and what was sold explains what is left.
pub(crate) fn check_books(test: &TestShop, answered: usize, [vela, other]: [&str; 2]) {
    if test.data.is_a_file() {
        let wrong = "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'";
        assert_eq!(test.count(wrong), 0);
    }
    let orders = test.count("SELECT count(*) FROM orders");
    assert!(orders >= i64::try_from(answered).expect("a count"), "an order was lost");
    assert_eq!((test.stock(vela), test.stock(other)), (UNITS - 2 * orders, UNITS - orders));
    assert_eq!(test.count("SELECT count(*) FROM order_item"), 2 * orders);
    assert_eq!(test.count("SELECT count(*) FROM idempotency"), orders);
    assert_eq!(test.count("SELECT count(*) FROM event WHERE name = 'order.created'"), orders);
    // Each day's numbers run from 1 to the last without a gap.
    assert_eq!(test.count("SELECT coalesce(sum(last), 0) FROM order_day"), orders);
    assert_eq!(test.count("SELECT count(DISTINCT number) FROM orders"), orders);
    test.check_ledger();
}

/// Every acknowledged order is there whole, and its key sent again gives the same answer.
async fn check_repeats(
    database: &Path,
    token: &str,
    body: &Value,
    answered: BTreeMap<String, Value>,
) {
    let (database, token, body) = (database.to_path_buf(), token.to_owned(), body.clone());
    let check = tokio::task::spawn_blocking(move || {
        let server = Server::start(&database);
        for (key, first) in &answered {
            let again = order(&server.address, &token, key, &body);
            assert_eq!(again, Some((201, first.clone())), "{key}");
        }
        server.kill();
    });
    check.await.expect("a check");
}
