//! PostgreSQL itself is killed, with everything that it was at, while two servers sell.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use shop_core::actor::Actor;

use super::news::sees;
use super::{Stage, aside, client, own_postgres};
use crate::binary::{Server, order};
use crate::core::fixture::input;
use crate::crash::order::check_books;
use crate::own_postgres::OwnPostgres;

/// Buyers that order at the same time, and how often each.
const BUYERS: usize = 8;
const ORDERS: usize = 60;
/// After how many answers PostgreSQL is killed.
const KILLS: [usize; 2] = [BUYERS * ORDERS / 5, BUYERS * ORDERS * 3 / 5];

/// Everybody orders, with the same key until there is an answer, and PostgreSQL is killed twice.
fn sell(
    postgres: &mut OwnPostgres,
    servers: &[Server],
    token: &str,
    body: &Value,
) -> BTreeMap<String, Value> {
    let (answered, done) = (Mutex::new(BTreeMap::new()), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for buyer in 0..BUYERS {
            let address = &servers[buyer % servers.len()].address;
            let (answered, done) = (&answered, &done);
            scope.spawn(move || {
                for n in 0..ORDERS {
                    let key = format!("{buyer}-{n}");
                    let order = order_until_it_is_taken(address, token, &key, body);
                    answered.lock().expect("a lock").insert(key, order);
                    done.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for kill in KILLS {
            while done.load(Ordering::Relaxed) < kill {
                std::thread::sleep(Duration::from_millis(1));
            }
            postgres.kill();
            postgres.restart();
        }
    });
    answered.into_inner().expect("a lock")
}

/// Without a database nobody can be served; with the same key it is safe to ask again.
fn order_until_it_is_taken(address: &str, token: &str, key: &str, body: &Value) -> Value {
    for _ in 0..400 {
        match order(address, token, key, body).expect("the server lives") {
            (201, order) => return order,
            (500..600, _) => std::thread::sleep(Duration::from_millis(50)),
            (status, body) => panic!("{status}: {body}"),
        }
    }
    panic!("nobody took {key}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_under_load_it_loses_and_repeats_nothing_and_the_servers_find_it_again() {
    let Some(mut postgres) = own_postgres("killing it under load").await else { return };
    let stage = Stage::on(&postgres, None).await;
    let servers = stage.servers(2, &[]).await;
    client(&servers[1]).get("/api/products/vela").await.expect(200);
    let (token, body) = (stage.token.clone(), stage.body());
    let (answered, servers, postgres) = aside(move || {
        let answered = sell(&mut postgres, &servers, &token, &body);
        (answered, servers, postgres)
    })
    .await;
    assert_eq!(answered.len(), BUYERS * ORDERS);
    check_books(&stage.test, answered.len(), stage.items());
    let orders = stage.test.count("SELECT count(*) FROM orders");
    assert_eq!(orders, i64::try_from(answered.len()).expect("a count"));
    let (token, body, address) = (stage.token.clone(), stage.body(), servers[0].address.clone());
    aside(move || {
        for (key, first) in &answered {
            assert_eq!(order(&address, &token, key, &body), Some((201, first.clone())), "{key}");
        }
    })
    .await;
    // They hear of each other's changes again, too.
    let patch = input(json!({ "price": 25.5 }));
    let products = stage.test.shop.products();
    products.update(&Actor::System, &stage.vela, patch, None).await.expect("changed");
    sees(&client(&servers[1]), "/api/products/vela", |page| page["price"] == 25.5).await;
    servers.into_iter().for_each(Server::kill);
    drop(stage);
    drop(postgres);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_says_once_that_its_database_is_away_and_once_that_it_is_back() {
    let Some(mut postgres) = own_postgres("an outage in the log").await else { return };
    let stage = Stage::on(&postgres, None).await;
    let mut servers = stage.servers(1, &[]).await;
    let server = servers.remove(0);
    let (server, postgres) = aside(move || {
        postgres.kill();
        let told = |what: &str| server.log().matches(what).count();
        let wait_for = |what: &str| {
            let found = (0..1500).any(|_| {
                std::thread::sleep(Duration::from_millis(20));
                told(what) > 0
            });
            assert!(found, "{}", server.log());
        };
        wait_for("cannot hear");
        // As long as a server asks four times.
        std::thread::sleep(Duration::from_secs(1));
        postgres.restart();
        wait_for("hears again");
        assert_eq!(told("cannot hear"), 1, "{}", server.log());
        (server, postgres)
    })
    .await;
    server.kill();
    drop(stage);
    drop(postgres);
}
