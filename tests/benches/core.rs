//! The library alone: list page, product detail, search and order placement, at 1k and 100k
//! products. `cargo bench -p shop-tests --bench core`
//!
//! The databases are made once, under `target/bench-data`. With `SHOP_BENCH_CPU=1` it prints the
//! CPU time of an operation instead, at 1k products only: where other programs share the machine,
//! that of two versions by turns can be compared when their wall times cannot.

#[path = "shared/cpu.rs"]
mod cpu;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, criterion_group};
use futures_util::future::join_all;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use shop_core::config::{MailConfig, OrdersConfig};
use shop_core::demo::DemoSize;
use shop_core::id::{AccountId, AddressId, ProductId};
use shop_core::{Config, Shop, demo};
use tokio::runtime::Runtime;

const SIZES: [u32; 2] = [1_000, 100_000];
/// Buyers that order at the same time.
const BUYERS: u64 = 64;

fn data_file(products: u32) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/bench-data");
    std::fs::create_dir_all(&folder).expect("a folder");
    folder.join(format!("shop-{products}.db"))
}

/// A shop of so many products; orders go to a copy, so that every run starts alike.
async fn open(products: u32) -> Shop {
    let seeded = data_file(products);
    if !seeded.exists() {
        let making = seeded.with_extension("making");
        let shop = open_file(&making).await;
        demo::seed(&shop, DemoSize::Products(products)).await.expect("seeded");
        drop(shop);
        std::fs::rename(&making, &seeded).expect("renamed");
    }
    let copy = seeded.with_extension("run.db");
    for suffix in ["", "-wal", "-shm"] {
        drop(std::fs::remove_file(format!("{}{suffix}", copy.display())));
    }
    std::fs::copy(&seeded, &copy).expect("copied");
    fill_the_shelves(&copy);
    open_file(&copy).await
}

/// More units than a benchmark can sell.
fn fill_the_shelves(file: &std::path::Path) {
    let conn = rusqlite::Connection::open(file).expect("opens");
    conn.execute_batch("UPDATE stock SET quantity = 1000000000").expect("filled");
}

async fn open_file(path: &std::path::Path) -> Shop {
    let (database, uploads_dir) =
        (path.display().to_string(), Some(path.with_extension("uploads")));
    let mail =
        MailConfig { outbox_dir: Some(path.with_extension("outbox")), ..MailConfig::default() };
    let config = Config { database, uploads_dir, mail, orders: unlimited(), ..Config::default() };
    Shop::open(config).await.expect("opens")
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

fn reads(c: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime");
    for products in SIZES {
        let shop = runtime.block_on(open(products));
        let newest = input(&json!({}));
        let page = runtime.block_on(shop.products().list(newest)).expect("a page");
        let slug = page.data[0].slug.to_string();
        let lists = [
            ("list/newest", json!({})),
            ("list/price", json!({ "sort": "price_asc" })),
            ("list/popular", json!({ "sort": "popular" })),
        ];
        for (name, filter) in lists {
            c.bench_with_input(BenchmarkId::new(name, products), &filter, |b, filter| {
                let list = || async {
                    let page = shop.products().list(input(filter)).await.expect("a page");
                    serde_json::to_vec(&page).expect("json")
                };
                b.iter(|| runtime.block_on(list()));
            });
        }
        c.bench_with_input(BenchmarkId::new("detail", products), &slug, |b, slug| {
            let detail = || async {
                let product = shop.products().get_by_slug(slug).await.expect("a product");
                serde_json::to_vec(&product).expect("json")
            };
            b.iter(|| runtime.block_on(detail()));
        });
        for (name, q) in [
            ("search/one common word", "vela"),
            ("search/two common words", "vela lavanda"),
            ("search/one letter", "v"),
            ("search/misspelt", "lavnda"),
            ("search/nothing like it", "xyzxyz"),
        ] {
            c.bench_with_input(BenchmarkId::new(name, products), &q, |b, q| {
                let query = json!({ "q": q });
                b.iter(|| runtime.block_on(shop.products().search(input(&query))).expect("a page"));
            });
        }
    }
}

/// A customer with an address, and the products to order.
struct Stage {
    shop: Shop,
    customer: AccountId,
    address: AddressId,
    products: Vec<ProductId>,
}

async fn stage(products: u32) -> Stage {
    let shop = open(products).await;
    let register = json!({ "name": "Ana", "email": "ana@example.com", "password": "segredo-123" });
    let customer = shop.accounts().register(input(&register)).await.expect("registered").account.id;
    let address = json!({
        "label": "Casa", "street": "Rua das Flores", "number": "1", "district": "Centro",
        "city": "São Paulo", "state": "SP", "zipCode": "01001000"
    });
    let address = shop.addresses().create(&customer, input(&address)).await.expect("an address").id;
    let mut ids = Vec::new();
    for page in 1..=10 {
        let filter = input(&json!({ "page": page, "limit": 100 }));
        let page = shop.products().list(filter).await.expect("a page");
        ids.extend(page.data.into_iter().map(|product| product.id));
    }
    Stage { shop, customer, address, products: ids }
}

impl Stage {
    /// One order of two different products, one unit each.
    async fn order(&self, n: u64) {
        let len = self.products.len() as u64;
        let pick = |n: u64| &self.products[usize::try_from(n % len).expect("an index")];
        let order = json!({ "addressId": self.address, "cartItems": [
            { "productId": pick(n * 7), "quantity": 1 },
            { "productId": pick(n * 7 + 1), "quantity": 1 },
        ]});
        self.shop.orders().place(&self.customer, input(&order), None).await.expect("placed");
    }

    /// So many orders by so many buyers at once.
    async fn orders(&self, total: u64, buyers: u64) -> Duration {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let buyers = buyers.min(total).max(1);
        let start = Instant::now();
        let share = |buyer| total / buyers + u64::from(buyer < total % buyers);
        join_all((0..buyers).map(|buyer| async move {
            for _ in 0..share(buyer) {
                self.order(NEXT.fetch_add(1, Ordering::Relaxed)).await;
            }
        }))
        .await;
        start.elapsed()
    }
}

fn orders(c: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime");
    for products in SIZES {
        let stage = runtime.block_on(stage(products));
        for buyers in [1, BUYERS] {
            let name = BenchmarkId::new(format!("durable order/{buyers} buyers"), products);
            c.bench_with_input(name, &buyers, |b, buyers| {
                b.iter_custom(|total| runtime.block_on(stage.orders(total, *buyers)));
            });
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).measurement_time(Duration::from_secs(4));
    targets = reads, orders
}

fn main() {
    if std::env::var_os("SHOP_BENCH_CPU").is_some() {
        cpu_times();
    } else {
        benches();
        Criterion::default().configure_from_args().final_summary();
    }
}

/// User and system time of this process an operation, all threads together.
fn cpu_times() {
    let runtime = Runtime::new().expect("a runtime");
    let stage = runtime.block_on(stage(SIZES[0]));
    let shop = &stage.shop;
    let newest = input(&json!({}));
    let slug = runtime.block_on(shop.products().list(newest)).expect("a page").data[0].slug.clone();
    spent("list/newest", 20_000, || {
        let page = runtime.block_on(shop.products().list(input(&json!({})))).expect("a page");
        std::hint::black_box(serde_json::to_vec(&page).expect("json"));
    });
    spent("detail", 40_000, || {
        let product =
            runtime.block_on(shop.products().get_by_slug(slug.as_str())).expect("a product");
        std::hint::black_box(serde_json::to_vec(&product).expect("json"));
    });
    spent("64 durable orders at once", 100, || {
        runtime.block_on(stage.orders(BUYERS, BUYERS));
    });
}

fn spent(name: &str, times: u32, operation: impl Fn()) {
    let (start, before) = (Instant::now(), cpu::time(std::process::id()));
    (0..times).for_each(|_| operation());
    let (cpu, wall) = (cpu::time(std::process::id()).saturating_sub(before), start.elapsed());
    println!("{name}: {:?} of CPU, {:?} passed", cpu / times, wall / times);
}
