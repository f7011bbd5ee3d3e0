//! Three server processes on one database: the file, or the PostgreSQL, that the other tests use
//! too.

mod kill;
mod news;
mod numbers;
mod outbox;
mod plans;
mod postgres;
mod read_only;
mod replica;

use std::path::PathBuf;

use serde_json::{Value, json};
use shop_core::id::ProductId;

use crate::binary::{Server, order};
use crate::core::fixture::{Buyer, START, TestShop};
use crate::crash::order::UNITS;
use crate::database::{Database, say};
use crate::http::client::Client;
use crate::own_postgres::OwnPostgres;

/// What lets a server send to this machine.
const TO_THIS_MACHINE: (&str, &str) = ("SHOP_WEBHOOKS__ALLOW_INSECURE", "true");

/// A database, on the machine's clock, and what can be bought there.
struct Stage {
    test: TestShop,
    buyer: Buyer,
    token: String,
    vela: ProductId,
    other: ProductId,
}

impl Stage {
    async fn new() -> Self {
        Self::of(TestShop::with(|config| config.webhooks.allow_insecure = true).await).await
    }

    /// In the database `shop` of a PostgreSQL, which may have a replica.
    async fn on(postgres: &OwnPostgres, replica: Option<String>) -> Self {
        let data = Database::elsewhere(&postgres.url("shop"));
        let dir = tempfile::tempdir().expect("a folder");
        let adapt = |config: &mut shop_core::Config| config.database_read = replica;
        Self::of(TestShop::on(data, dir, START, adapt).await).await
    }

    async fn of(test: TestShop) -> Self {
        let shop = shop_core::Shop::open(test.shop.config().clone()).await.expect("opens");
        let test = TestShop { shop, ..test };
        let buyer = test.buyer("ana").await;
        let vela = test.product("vela", UNITS, 1990).await;
        let other = test.product("difusor", UNITS, 2990).await;
        let token = test.log_in("ana").await;
        Self { test, buyer, token, vela, other }
    }

    /// An order of two of one thing and one of another.
    fn body(&self) -> Value {
        json!({ "addressId": self.buyer.address, "cartItems": [
            { "productId": self.vela, "quantity": 2 }, { "productId": self.other, "quantity": 1 },
        ]})
    }

    fn items(&self) -> [&str; 2] {
        [self.vela.as_str(), self.other.as_str()]
    }

    /// So many servers with these variables in their environment.
    async fn servers(&self, count: usize, environment: &[(&'static str, String)]) -> Vec<Server> {
        let (database, environment): (PathBuf, Vec<_>) =
            (self.test.database(), environment.to_vec());
        aside(move || {
            let start = |_| Server::start_with(&database, environment.clone());
            (0..count).map(start).collect()
        })
        .await
    }
}

/// A PostgreSQL of the test's own with an empty database `shop`; where there is none, says what is
/// left out.
async fn own_postgres(left_out: &str) -> Option<OwnPostgres> {
    let started = aside(|| {
        let postgres = OwnPostgres::start()?;
        postgres.sql("postgres", "CREATE DATABASE shop");
        Some(postgres)
    });
    let started = started.await;
    if started.is_none() {
        say(&format!("left out, because PostgreSQL is not installed: {left_out}"));
    }
    started
}

/// Somebody at one of the servers.
fn client(server: &Server) -> Client {
    Client::new(server.address.parse().expect("an address"))
}

/// Runs what blocks.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.expect("no panic")
}

/// Places an order at the first of the servers, and where that dies, or is too busy, at the next
/// one, with the same key.
fn order_somewhere(addresses: &[String], token: &str, key: &str, body: &Value) -> Value {
    for address in addresses.iter().cycle().take(600) {
        match order(address, token, key, body) {
            Some((201, order)) => return order,
            Some((503, _)) | None => std::thread::sleep(std::time::Duration::from_millis(20)),
            Some((status, body)) => panic!("{status}: {body}"),
        }
    }
    panic!("nobody took {key}")
}
