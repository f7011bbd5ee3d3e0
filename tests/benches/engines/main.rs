//! Both engines side by side, through the library, in one run: lists, details and durable orders by
//! 1, 16 and 64 clients at once, and PostgreSQL's own `pgbench` writing the rows of an order.
//!
//! `cargo bench -p shop-tests --bench engines` (about 3 minutes). It needs PostgreSQL's programs and
//! starts a server of its own, with `fsync` and `synchronous_commit` on as they are by default.
//! Engines take turns, round after round, and medians are printed; compare the ratios.

#![expect(clippy::cast_precision_loss, reason = "counts of a short run")]

#[expect(dead_code, reason = "tests kill it and start it again; a benchmark does not")]
#[path = "../../it/own_postgres.rs"]
mod own_postgres;
#[path = "../shared/pgbench.rs"]
mod pgbench;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use futures_util::future::{BoxFuture, join_all};
use own_postgres::OwnPostgres;
use pgbench::{DATABASE, SHELVES, pgbench};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use shop_core::config::{MailConfig, OrdersConfig};
use shop_core::demo::{self, DemoSize};
use shop_core::id::{AccountId, AddressId, ProductId};
use shop_core::{Config, Shop};

const PRODUCTS: u32 = 2_000;
const CLIENTS: [usize; 3] = [1, 16, 64];
const ROUNDS: usize = 5;
const ROUND: Duration = Duration::from_secs(2);

fn main() {
    let Some(postgres) = OwnPostgres::start() else {
        println!("left out: PostgreSQL is not installed");
        return;
    };
    postgres.sql("postgres", &format!("CREATE DATABASE {DATABASE}"));
    let folder = tempfile::tempdir().expect("a folder");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let engines = runtime.block_on(async {
        let file = folder.path().join("shop.db").display().to_string();
        let engines = [
            Stage::new("SQLite", file.clone(), folder.path()).await,
            Stage::new("PostgreSQL", postgres.url(DATABASE), folder.path()).await,
        ];
        let conn = rusqlite::Connection::open(file).expect("opens");
        conn.execute_batch(SHELVES).expect("filled");
        postgres.sql(DATABASE, SHELVES);
        let engines = engines.map(Arc::new);
        // A table that PostgreSQL counts as empty is read whole, until it counts again.
        per_second(&engines[1], Stage::order, CLIENTS[CLIENTS.len() - 1]).await;
        postgres.sql(DATABASE, "VACUUM ANALYZE");
        engines
    });
    for (title, operation) in [
        ("list of 20, as JSON", Stage::list as Operation),
        ("product detail, as JSON", Stage::detail),
        ("durable order of two items", Stage::order),
    ] {
        println!("\n{title}");
        for clients in CLIENTS {
            compare(&runtime, &engines, operation, clients);
        }
    }
    println!("\npgbench with the rows of an order, without a shop around it");
    for counted in [true, false] {
        for clients in CLIENTS {
            let rounds: Vec<f64> = (0..3).map(|_| pgbench(&postgres, clients, counted)).collect();
            let with = if counted { "with" } else { "without" };
            println!(
                "{clients:>3} clients, {with:>7} the day's counter {:>9.0}/s",
                median(&rounds)
            );
        }
    }
}

type Operation = for<'a> fn(&'a Stage, u64) -> BoxFuture<'a, ()>;

/// Lets the engines take turns; the ratio is to the first.
fn compare(
    runtime: &tokio::runtime::Runtime,
    engines: &[Arc<Stage>; 2],
    operation: Operation,
    clients: usize,
) {
    let mut rounds = [Vec::new(), Vec::new()];
    for round in 0..=ROUNDS {
        for (engine, rounds) in engines.iter().zip(&mut rounds) {
            let measured = runtime.block_on(per_second(engine, operation, clients));
            // The first round warms up.
            if round > 0 {
                rounds.push(measured);
            }
        }
    }
    let base = median(&rounds[0]);
    for (engine, rounds) in engines.iter().zip(&rounds) {
        let found = median(rounds);
        println!(
            "{clients:>3} clients  {:10} {found:>9.0}/s  ratio {:>5.2}",
            engine.name,
            found / base
        );
    }
}

/// How often a second so many clients do something, each one thing after the other.
async fn per_second(stage: &Arc<Stage>, operation: Operation, clients: usize) -> f64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let start = Instant::now();
    let counts = join_all((0..clients).map(|_| {
        let stage = Arc::clone(stage);
        tokio::spawn(async move {
            let mut done = 0_u64;
            while start.elapsed() < ROUND {
                operation(&stage, NEXT.fetch_add(1, Ordering::Relaxed)).await;
                done += 1;
            }
            done
        })
    }))
    .await;
    let done: u64 = counts.into_iter().map(|count| count.expect("a client")).sum();
    done as f64 / start.elapsed().as_secs_f64()
}

/// A shop on one of the engines, a customer with an address, and the products that the customer
/// orders.
struct Stage {
    name: &'static str,
    shop: Shop,
    customer: AccountId,
    address: AddressId,
    products: Vec<(ProductId, String)>,
}

impl Stage {
    async fn new(name: &'static str, database: String, folder: &Path) -> Self {
        let mail = MailConfig { outbox_dir: Some(folder.join("outbox")), ..MailConfig::default() };
        let uploads_dir = Some(folder.join("uploads"));
        let orders = unlimited();
        let config = Config { database, uploads_dir, mail, orders, ..Config::default() };
        let shop = Shop::open(config).await.expect("opens");
        demo::seed(&shop, DemoSize::Products(PRODUCTS)).await.expect("seeded");
        let register =
            json!({ "name": "Ana", "email": "bench@example.com", "password": "segredo-123" });
        let session = shop.accounts().register(input(&register)).await.expect("registered");
        let customer = session.account.id;
        let address = json!({
            "label": "Casa", "street": "Rua das Flores", "number": "1", "district": "Centro",
            "city": "São Paulo", "state": "SP", "zipCode": "01001000"
        });
        let address = shop.addresses().create(&customer, input(&address)).await;
        let mut products = Vec::new();
        for page in 1..=10 {
            let filter = input(&json!({ "page": page, "limit": 100 }));
            let page = shop.products().list(filter).await.expect("a page");
            products.extend(
                page.data.into_iter().map(|product| (product.id, product.slug.to_string())),
            );
        }
        Self { name, shop, customer, address: address.expect("an address").id, products }
    }

    fn product(&self, n: u64) -> &(ProductId, String) {
        let len = self.products.len() as u64;
        &self.products[usize::try_from(n % len).expect("an index")]
    }

    fn list(&self, _: u64) -> BoxFuture<'_, ()> {
        Box::pin(async {
            let page = self.shop.products().list(input(&json!({}))).await.expect("a page");
            std::hint::black_box(serde_json::to_vec(&page).expect("JSON"));
        })
    }

    fn detail(&self, n: u64) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let slug = &self.product(n * 13).1;
            let product = self.shop.products().get_by_slug(slug).await.expect("a product");
            std::hint::black_box(serde_json::to_vec(&product).expect("JSON"));
        })
    }

    /// One order of two different products, one unit each.
    fn order(&self, n: u64) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let order = json!({ "addressId": self.address, "cartItems": [
                { "productId": self.product(n * 7).0, "quantity": 1 },
                { "productId": self.product(n * 7 + 1).0, "quantity": 1 },
            ]});
            self.shop.orders().place(&self.customer, input(&order), None).await.expect("placed");
        })
    }
}

/// No limit of how much one customer orders: here a single one is all buyers.
fn unlimited() -> OrdersConfig {
    OrdersConfig {
        max_open_unpaid: 0,
        max_per_hour: 0,
        max_per_hour_per_ip: 0,
        ..OrdersConfig::default()
    }
}

fn input<T: DeserializeOwned>(json: &Value) -> T {
    serde_json::from_str(&json.to_string()).expect("an input")
}

fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
