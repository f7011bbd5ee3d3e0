//! A shop on a [`Disk`], what is asked of it, and what it answered.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use shop_core::account::ExternalCustomer;
use shop_core::actor::Actor;
use shop_core::clock::{Clock, ManualClock, Timestamp};
use shop_core::id::{AccountId, AddressId, OrderId, ProductId};
use shop_core::storage::Sqlite;
use shop_core::{Config, Result, Shop, maintenance};
use tempfile::TempDir;

use crate::medium::{Disk, Left};
use crate::rng::Rng;
use crate::vfs;

/// Noon in São Paulo on a Saturday.
const START: Timestamp = Timestamp::from_millis(1_795_273_200_000);
/// More units than are ever sold.
const UNITS: i64 = 1_000_000;

/// What the shop said was done.
#[derive(Debug, Default)]
pub(crate) struct Answered {
    /// The orders by the keys of their requests.
    orders: BTreeMap<String, (String, i64)>,
    paid: BTreeSet<String>,
    cancelled: BTreeSet<String>,
    /// Units of goods that came, in the order of the answers.
    arrived: i64,
}

impl Answered {
    pub(crate) fn len(&self) -> usize {
        self.orders.len() + self.paid.len() + self.cancelled.len()
    }
}

/// Who buys.
#[derive(Debug, Clone)]
struct Customer {
    id: AccountId,
    address: AddressId,
}

/// A folder that is a disk, with a shop's file in it.
pub(crate) struct Machine {
    dir: TempDir,
    pub(crate) disk: Arc<Disk>,
}

impl Machine {
    /// A new disk with these files.
    pub(crate) fn new(files: &Left) -> Self {
        vfs::install();
        let memory = Path::new("/dev/shm");
        let dir = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        let dir = dir.expect("a folder");
        for (name, bytes) in files {
            std::fs::write(dir.path().join(name), bytes).expect("written");
        }
        let disk = Disk::of(dir.path());
        Self { dir, disk }
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.dir.path().join("shop.db")
    }

    /// Opens the shop.
    pub(crate) async fn open(&self, clock: &ManualClock) -> Result<Shop> {
        let mut config = Config {
            database: self.file().display().to_string(),
            uploads_dir: Some(self.dir.path().join("uploads")),
            ..Config::default()
        };
        config.orders.max_per_hour = 0;
        config.orders.max_open_unpaid = 0;
        "offline".clone_into(&mut config.shipping.cep.url);
        let engine = Sqlite::open_with(self.file(), 2)?;
        Shop::builder(config).clock(clock.clone()).storage(engine).open().await
    }
}

/// A shop's life: who buys there, and what it said so far.
pub(crate) struct Life {
    pub(crate) clock: ManualClock,
    customers: Vec<Customer>,
    product: ProductId,
    answered: Mutex<Answered>,
}

/// An input as it comes over a wire.
fn input<T: DeserializeOwned>(json: &Value) -> T {
    serde_json::from_str(&json.to_string()).expect("a valid input")
}

impl Life {
    /// Furnishes a new shop.
    pub(crate) async fn begin(machine: &Machine) -> Self {
        let clock = ManualClock::at(START);
        let shop = machine.open(&clock).await.expect("opens");
        let new = input(&json!({
            "name": "Vela", "slug": "vela", "price": 19.9, "stock": UNITS, "active": true,
        }));
        let made = shop.products().create(&Actor::System, new, None).await.expect("made");
        let mut customers = Vec::new();
        for nth in 0..3 {
            customers.push(customer(&shop, nth).await.expect("made"));
        }
        Self { clock, customers, product: made.product.id, answered: Mutex::default() }
    }

    /// One of those who buy.
    pub(crate) fn customer(&self) -> &AccountId {
        &self.customers[0].id
    }

    pub(crate) fn answered(&self) -> MutexGuard<'_, Answered> {
        self.answered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All customers buy at the same time, each so often or until the disk fails.
    pub(crate) async fn trade(&self, shop: &Shop, seed: u64, rounds: usize) -> Result<()> {
        let customers = self.customers.iter().enumerate();
        let all = customers.map(|(nth, customer)| async move {
            let mut rng = Rng::new(seed.wrapping_mul(31).wrapping_add(nth as u64));
            for round in 0..rounds {
                self.buy(shop, customer, &format!("{seed}-{nth}-{round}"), &mut rng).await?;
            }
            Ok(())
        });
        futures_util::future::join_all(all).await.into_iter().collect()
    }

    /// One order, and what becomes of it.
    async fn buy(&self, shop: &Shop, who: &Customer, key: &str, rng: &mut Rng) -> Result<()> {
        let units = 1 + rng.below(3);
        let order = json!({ "addressId": who.address, "cartItems": [
            { "productId": self.product, "quantity": units },
        ]});
        let named = Some(key.parse().expect("a key"));
        let placed = shop.orders().place(&who.id, input(&order), named).await?.order;
        let (id, total) = (placed.id.to_string(), placed.total.cents());
        self.answered().orders.insert(key.to_owned(), (id.clone(), total));
        match rng.below(4) {
            0 => {}
            1 => {
                shop.payments().cancel_order(&who.id, &placed.id).await?;
                self.answered().cancelled.insert(id);
            }
            2 => {
                let came = json!({ "type": "delta", "productId": self.product, "delta": 5 });
                shop.stock().apply(&Actor::System, input(&came), None).await?;
                self.answered().arrived += 5;
            }
            _ => {
                shop.payments().create_pix(&who.id, &placed.id, None).await?;
                shop.sandbox().pay(&placed.order_number).await?;
                self.answered().paid.insert(id);
            }
        }
        Ok(())
    }

    /// Whether nothing that was answered is lost, and whether the books are right.
    pub(crate) async fn check(&self, shop: &Shop, file: &Path) {
        let report = maintenance::Database::at(&file.display().to_string());
        let report = report.check(self.clock.now()).await.expect("it can be checked");
        let wrong: Vec<_> = report.wrong().collect();
        assert!(wrong.is_empty(), "db check: {wrong:?}");
        self.check_rows(file);
        self.check_repeats(shop).await;
    }

    fn check_rows(&self, file: &Path) {
        let conn = rusqlite::Connection::open(file).expect("opens");
        let sql = "SELECT id, status, total, EXISTS (SELECT 1 FROM payment
            WHERE order_id = orders.id AND status = 'PAID') FROM orders";
        let mut rows = conn.prepare(sql).expect("a query");
        let rows = rows.query_map([], |row| {
            let order: (String, i64, bool) = (row.get(1)?, row.get(2)?, row.get(3)?);
            Ok((row.get::<_, String>(0)?, order))
        });
        let rows: rusqlite::Result<BTreeMap<_, _>> = rows.expect("rows").collect();
        let rows = rows.expect("rows");
        let answered = self.answered();
        for (key, (id, total)) in &answered.orders {
            let found = rows.get(id).map(|(_, total, _)| total);
            let there = rows.len();
            assert_eq!(found, Some(total), "order {id} by {key} was answered; {there} are there");
        }
        for id in &answered.paid {
            let found = rows.get(id).map(|(status, _, paid)| (status.as_str(), *paid));
            assert_eq!(found, Some(("PROCESSING", true)), "payment of {id} was answered");
        }
        for id in &answered.cancelled {
            let found = rows.get(id).map(|(status, ..)| status.as_str());
            assert_eq!(found, Some("CANCELLED"), "cancellation of {id} was answered");
        }
        let arrived = "SELECT coalesce(sum(delta), 0) FROM stock_movement WHERE delta = 5";
        let arrived: i64 = conn.query_row(arrived, [], |row| row.get(0)).expect("a sum");
        assert!(arrived >= answered.arrived, "{arrived} of {}", answered.arrived);
    }

    /// The latest orders, asked for again with their keys, are the same orders.
    async fn check_repeats(&self, shop: &Shop) {
        let who = &self.customers[0];
        let latest: Vec<(String, (String, i64))> = {
            let answered = self.answered();
            let own = answered.orders.iter().filter(|(key, _)| key.split('-').nth(1) == Some("0"));
            own.rev().take(2).map(|(key, order)| (key.clone(), order.clone())).collect()
        };
        for (_, (id, total)) in latest {
            let id: OrderId = id.as_str().into();
            let order =
                shop.orders().get_for_customer(&who.id, &id).await.expect("the customer's order");
            assert_eq!(order.total.cents(), total);
        }
    }
}

async fn customer(shop: &Shop, nth: usize) -> Result<Customer> {
    let name = format!("Cliente {nth}").parse().expect("a name");
    let email = format!("cliente{nth}@example.com").parse().expect("an address");
    let key = format!("cliente-{nth}").parse().expect("a key");
    let id = shop.accounts().ensure(&key, ExternalCustomer::new(name, email)).await?.id;
    let home = input(&json!({
        "label": "Casa", "street": "Rua das Flores", "number": "123", "district": "Centro",
        "city": "São Paulo", "state": "SP", "zipCode": "01001000"
    }));
    let address = shop.addresses().create(&id, home).await?.id;
    Ok(Customer { id, address })
}
