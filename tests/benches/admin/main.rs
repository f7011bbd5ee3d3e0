//! The back office on a large shop: `cargo bench -p shop-tests --bench admin -- [DATABASE]`, a file
//! or a `postgres://` URL.
//!
//! Seeds 100,000 products, 200,000 customers and a million orders (`SHOP_BENCH_SCALE=0.01` for a
//! hundredth) and what they leave behind where the database has none, then asks for each list,
//! search and dashboard of the back office one at a time, and exports all orders.

#[path = "../shared/cpu.rs"]
mod cpu;
mod fill;

use std::time::Instant;

use futures_util::{TryStreamExt, pin_mut};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::catalog::AdminProductFilter;
use shop_core::demo::{self, DemoSize};
use shop_core::id::AccountId;
use shop_core::views::{OrderExportFilter, OrderFilter, TaskFilter};
use shop_core::{Config, Shop};

const ROUNDS: u32 = 200;

fn main() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let named = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let dir = tempfile::tempdir().expect("a folder");
    let database = named.unwrap_or_else(|| dir.path().join("shop.db").display().to_string());
    runtime.block_on(async {
        let uploads_dir = Some(dir.path().join("uploads"));
        let config = Config { database: database.clone(), uploads_dir, ..Config::default() };
        let shop = Shop::open(config).await.expect("opens");
        seed(&shop, &database).await;
        println!("{:72} {:>9} {:>9} {:>9} {:>9}", "", "CPU", "p50", "p99", "first");
        orders(&shop).await;
        products(&shop).await;
        customers(&shop).await;
        stock(&shop).await;
        journals(&shop).await;
        dashboards(&shop).await;
        export(&shop).await;
    });
}

async fn seed(shop: &Shop, database: &str) {
    let scale: f64 =
        std::env::var("SHOP_BENCH_SCALE").map_or(1.0, |s| s.parse().expect("a number"));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small numbers")]
    let scaled = |n: f64| (n * scale) as u32;
    let size = DemoSize::Trade {
        products: scaled(100_000.0),
        customers: scaled(200_000.0),
        orders: scaled(1_000_000.0),
    };
    let start = Instant::now();
    let report = demo::seed(shop, size).await.expect("seeded");
    fill::fill(database).await;
    println!("seeded: {} ({} s)", report.filled, start.elapsed().as_secs());
}

/// An input as it comes over a wire.
fn input<T: DeserializeOwned>(json: &Value) -> T {
    serde_json::from_str(&json.to_string()).expect("an input")
}

async fn orders(shop: &Shop) {
    let (from, to) = ("2026-03-01T12:00:00.000Z", "2026-05-01T12:00:00.000Z");
    let filters = [
        json!({}),
        json!({ "page": 40_000 }),
        json!({ "status": "DELIVERED" }),
        json!({ "status": "DELIVERED", "page": 30_000 }),
        json!({ "status": "PROCESSING" }),
        json!({ "from": from, "to": to, "status": "CANCELLED" }),
        json!({ "from": from, "to": to, "page": 1000 }),
        json!({ "limit": 100 }),
        json!({ "q": "PED-2026" }),
        json!({ "q": "27" }),
        json!({ "q": "27", "status": "DELIVERED" }),
        json!({ "q": "ana conceição" }),
        json!({ "q": "ana conceição", "status": "CANCELLED" }),
        json!({ "q": "a" }),
        json!({ "q": "a", "page": 40 }),
        json!({ "q": "demo-1234@velas.example" }),
        json!({ "q": "demo-1@" }),
    ];
    for filter in filters {
        let ask = async || drop(shop.orders().list(input(&filter)).await.expect("a page"));
        measure(&format!("orders {filter}"), ask).await;
    }
    let page = shop.orders().list(OrderFilter::default()).await;
    let id = page.expect("a page").data[0].order.id.clone();
    measure("order", async || drop(shop.orders().get_detail(&id).await.expect("an order"))).await;
    measure("order's mails", async || drop(shop.orders().list_mails(&id).await.expect("mails")))
        .await;
}

async fn products(shop: &Shop) {
    let category = json!({ "page": 1, "limit": 1 });
    let page = shop.products().list(input(&category)).await.expect("a page");
    let category = page.data[0].category.clone().expect("a category").slug;
    let filters = [
        json!({}),
        json!({ "page": 4_000 }),
        json!({ "limit": 100 }),
        json!({ "active": false }),
        json!({ "featured": true }),
        json!({ "category": category }),
        json!({ "category": category, "page": 200 }),
        json!({ "category": category, "featured": true }),
        json!({ "search": "vela" }),
        json!({ "search": "vela", "page": 300 }),
        json!({ "search": "vela lavanda" }),
        json!({ "search": "v" }),
        json!({ "search": "vela", "category": category }),
    ];
    for filter in filters {
        let ask = async || drop(shop.products().list_for_admin(input(&filter)).await.expect("one"));
        measure(&format!("products {filter}"), ask).await;
    }
    let page = shop.products().list_for_admin(AdminProductFilter::default()).await;
    let id = page.expect("a page").data[0].id.clone();
    measure("product", async || drop(shop.products().get(&id).await.expect("a product"))).await;
}

async fn customers(shop: &Shop) {
    let filters = [
        json!({}),
        json!({ "page": 10_000 }),
        json!({ "limit": 100 }),
        json!({ "active": true, "page": 5_000 }),
        json!({ "active": false }),
        json!({ "search": "ana" }),
        json!({ "search": "ana conceição", "page": 20 }),
        json!({ "search": "a" }),
        json!({ "search": "a", "page": 500 }),
        json!({ "search": "demo velas example ana" }),
        json!({ "search": "demo-1234@" }),
        json!({ "search": "demo-1@" }),
    ];
    for filter in filters {
        let ask = async || drop(shop.customers().list(input(&filter)).await.expect("a page"));
        measure(&format!("customers {filter}"), ask).await;
    }
    let page = shop.customers().list(input(&json!({ "page": 50 }))).await.expect("a page");
    let id: AccountId = page.data[0].id.clone();
    measure("customer", async || drop(shop.customers().get(&id).await.expect("a customer"))).await;
    for filter in [json!({}), json!({ "page": 8_000 }), json!({ "search": "demo-12" })] {
        let ask =
            async || drop(shop.newsletter().list_subscribers(input(&filter)).await.expect("one"));
        measure(&format!("newsletter {filter}"), ask).await;
    }
}

async fn stock(shop: &Shop) {
    let filters = [
        json!({ "page": 1, "limit": 20 }),
        json!({ "page": 4_000, "limit": 20 }),
        json!({ "page": 1, "limit": 100 }),
        json!({ "page": 1, "limit": 20, "low": true }),
        json!({ "page": 1, "limit": 20, "search": "vela" }),
        json!({ "page": 400, "limit": 20, "search": "vela" }),
        json!({ "page": 1, "limit": 20, "search": "vela lavanda" }),
        json!({ "page": 1, "limit": 20, "search": "v", "low": true }),
        json!({ "page": 1, "limit": 20, "search": "SKU-1" }),
    ];
    for filter in filters {
        let ask = async || {
            let list = shop.stock().list(input(&filter)).await.expect("a list");
            drop(list.products.try_collect::<Vec<_>>().await.expect("its pieces"));
        };
        measure(&format!("stock {filter}"), ask).await;
    }
}

/// Lists of what is written beside the trade.
async fn journals(shop: &Shop) {
    for filter in [
        json!({}),
        json!({ "page": 200 }),
        json!({ "approved": false }),
        json!({ "approved": true, "page": 400 }),
    ] {
        let ask = async || drop(shop.reviews().list(input(&filter)).await.expect("a page"));
        measure(&format!("reviews {filter}"), ask).await;
    }
    let (from, to) = ("2026-03-01T12:00:00.000Z", "2026-05-01T12:00:00.000Z");
    for filter in [
        json!({}),
        json!({ "page": 500 }),
        json!({ "actorId": fill::ADMIN }),
        json!({ "action": "order.cancel" }),
        json!({ "action": "order.cancel", "actorId": fill::ADMIN, "page": 400 }),
        json!({ "action": "product.delete" }),
        json!({ "action": "order.cancel", "from": from, "to": to }),
        json!({ "from": from, "to": to, "page": 400 }),
    ] {
        let ask = async || drop(shop.audit().list(input(&filter)).await.expect("a page"));
        measure(&format!("audit {filter}"), ask).await;
    }
    for filter in [json!({}), json!({ "search": "vela" })] {
        let ask = async || drop(shop.coupons().list(input(&filter)).await.expect("coupons"));
        measure(&format!("coupons {filter}"), ask).await;
    }
    for filter in [
        json!({}),
        json!({ "page": 400 }),
        json!({ "success": false }),
        json!({ "event": "order.status_changed" }),
        json!({ "event": "order.paid", "success": false }),
    ] {
        let id = fill::WEBHOOK.into();
        let ask =
            async || drop(shop.webhooks().list_deliveries(&id, input(&filter)).await.expect("one"));
        measure(&format!("deliveries {filter}"), ask).await;
    }
    for filter in [
        json!({}),
        json!({ "page": 400 }),
        json!({ "status": "rejeitada" }),
        json!({ "from": "2026-10-01", "to": "2026-10-31" }),
        json!({ "from": "2026-10-01", "to": "2026-10-31", "page": 400 }),
    ] {
        let ask = async || drop(shop.invoices().list(input(&filter)).await.expect("a page"));
        measure(&format!("invoices {filter}"), ask).await;
    }
}

async fn dashboards(shop: &Shop) {
    for period in ["7d", "30d", "90d"] {
        let filter = json!({ "period": period });
        let ask = async || drop(shop.dashboard().get_overview(input(&filter)).await.expect("one"));
        measure(&format!("dashboard {period}"), ask).await;
    }
    measure("dashboard stats", async || drop(shop.dashboard().get_totals().await.expect("stats")))
        .await;
    measure("dashboard tasks", async || {
        drop(shop.dashboard().get_tasks(TaskFilter::default()).await.expect("tasks"));
    })
    .await;
}

/// Asks once, which finds what is remembered from then on, and then so many times. A mean of the
/// CPU time of all threads, and of the time that passed the median, the 99th of a hundred and the
/// first.
async fn measure(name: &str, ask: impl AsyncFn()) {
    let start = Instant::now();
    ask().await;
    let first = start.elapsed();
    let mut took = Vec::new();
    let before = cpu::time(std::process::id());
    for _ in 0..ROUNDS {
        let start = Instant::now();
        ask().await;
        took.push(start.elapsed());
    }
    let cpu = cpu::time(std::process::id()).saturating_sub(before) / ROUNDS;
    took.sort_unstable();
    let times = [cpu, took[took.len() / 2], took[took.len() * 99 / 100], first];
    let [cpu, p50, p99, first] = times.map(|time| format!("{:.2} ms", time.as_secs_f64() * 1000.0));
    println!("{name:72} {cpu:>9} {p50:>9} {p99:>9} {first:>9}");
}

async fn export(shop: &Shop) {
    let before = resident();
    let start = Instant::now();
    let filter = OrderExportFilter::default();
    let pieces = shop.orders().export_csv(&Actor::System, filter).await.expect("a file");
    pin_mut!(pieces);
    let (mut rows, mut bytes, mut most) = (0, 0, 0);
    while let Some(piece) = pieces.try_next().await.expect("a piece") {
        let mut reader =
            csv::ReaderBuilder::new().delimiter(b';').has_headers(false).from_reader(&piece[..]);
        for record in reader.records() {
            record.expect("a row");
            rows += 1;
        }
        bytes += piece.len();
        most = most.max(resident());
    }
    println!(
        "export: {} orders, {} MB in {} s; resident {before} MB before, {most} MB at most",
        rows - 1,
        bytes / 1_000_000,
        start.elapsed().as_secs()
    );
}

/// What the process has in memory, in MB.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().split(' ').next()?.parse::<usize>().ok());
    kilobytes.unwrap_or_default() / 1000
}
