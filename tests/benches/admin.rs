//! The back office on a large shop: `cargo bench -p shop-tests --bench admin -- [SHOP.DB]`.
//!
//! Seeds 100,000 products, 200,000 customers and a million orders (`SHOP_BENCH_SCALE=0.01` for a
//! hundredth) where the file has none, then asks for each list, search and dashboard one at a time
//! and exports all orders.

use std::time::{Duration, Instant};

use futures_util::{TryStreamExt, pin_mut};
use serde_json::{Value, json};
use shop_core::demo::{self, DemoSize};
use shop_core::views::OrderExportFilter;
use shop_core::{Config, Shop};

const ROUNDS: usize = 200;

fn main() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let file = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let dir = tempfile::tempdir().expect("a folder");
    let database = file.unwrap_or_else(|| dir.path().join("shop.db").display().to_string());
    runtime.block_on(async {
        let uploads_dir = dir.path().join("uploads");
        let config = Config { database, uploads_dir, ..Config::default() };
        let shop = Shop::open(config).await.expect("opens");
        seed(&shop).await;
        println!("{:44} {:>9} {:>9} {:>9}", "", "p50", "p99", "most");
        lists(&shop).await;
        dashboards(&shop).await;
        export(&shop).await;
    });
}

async fn seed(shop: &Shop) {
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
    println!("seeded: {} ({} s)", report.filled, start.elapsed().as_secs());
}

async fn lists(shop: &Shop) {
    let (from, to) = ("2026-03-01T12:00:00.000Z", "2026-05-01T12:00:00.000Z");
    let filters: [Value; 10] = [
        json!({}),
        json!({ "page": 40_000 }),
        json!({ "status": "DELIVERED" }),
        json!({ "status": "DELIVERED", "page": 30_000 }),
        json!({ "from": from, "to": to, "status": "CANCELLED" }),
        json!({ "limit": 100 }),
        json!({ "q": "PED-2026" }),
        json!({ "q": "ana conceição" }),
        json!({ "q": "a" }),
        json!({ "q": "demo-1234@velas.example" }),
    ];
    for filter in filters {
        let name = format!("orders {filter}");
        let ask = || serde_json::from_str(&filter.to_string()).expect("a filter");
        measure(&name, async || drop(shop.orders().list(ask()).await.expect("a page"))).await;
    }
    let page = shop.orders().list(shop_core::views::OrderFilter::default()).await;
    let id = page.expect("a page").data[0].order.id.clone();
    measure("order", async || drop(shop.orders().get_detail(&id).await.expect("an order"))).await;
}

async fn dashboards(shop: &Shop) {
    for period in ["7d", "30d", "90d"] {
        let text = json!({ "period": period }).to_string();
        let ask = || serde_json::from_str(&text).expect("a filter");
        let overview =
            async || drop(shop.dashboard().get_overview(ask()).await.expect("an overview"));
        measure(&format!("dashboard {period}"), overview).await;
    }
    measure("dashboard stats", async || drop(shop.dashboard().get_totals().await.expect("stats")))
        .await;
}

async fn measure(name: &str, ask: impl AsyncFn()) {
    ask().await;
    let mut took = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        ask().await;
        took.push(start.elapsed());
    }
    took.sort_unstable();
    let millis = |duration: Duration| format!("{:.2} ms", duration.as_secs_f64() * 1000.0);
    let [p50, p99, most] = [ROUNDS / 2, ROUNDS * 99 / 100, ROUNDS - 1].map(|n| millis(took[n]));
    println!("{name:44} {p50:>9} {p99:>9} {most:>9}");
}

async fn export(shop: &Shop) {
    let before = resident();
    let start = Instant::now();
    let pieces = shop.orders().export_csv(OrderExportFilter::default());
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
