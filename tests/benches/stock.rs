//! What taking over a warehouse's count costs: `sync` of 10,000 SKUs in one call, beside the same
//! number of plain updates in one transaction by rusqlite, which is the least it can cost.
//! `cargo bench -p shop-tests --bench stock`

use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::config::MailConfig;
use shop_core::demo::{self, DemoSize};
use shop_core::inventory::StockUpdate;
use shop_core::{Config, Shop};
use tokio::runtime::Runtime;

const ITEMS: usize = 10_000;

async fn open(folder: &std::path::Path) -> Shop {
    let mail = MailConfig { outbox_dir: Some(folder.join("outbox")), ..MailConfig::default() };
    let (database, uploads_dir) =
        (folder.join("shop.db").display().to_string(), Some(folder.join("uploads")));
    let config = Config { database, uploads_dir, mail, ..Config::default() };
    Shop::open(config).await.expect("opens")
}

/// The first SKUs of a shop, on a file that has no other reader then.
fn skus(conn: &rusqlite::Connection) -> Vec<(String, String)> {
    let sql = "SELECT code, item_id FROM sku ORDER BY code LIMIT ?1";
    let mut statement = conn.prepare(sql).expect("a statement");
    let rows = statement
        .query_map([i64::try_from(ITEMS).expect("small")], |row| Ok((row.get(0)?, row.get(1)?)));
    rows.expect("rows").map(|row| row.expect("a row")).collect()
}

fn count(skus: &[(String, String)], stock: u64) -> StockUpdate {
    let items: Vec<Value> =
        skus.iter().map(|(sku, _)| json!({ "sku": sku, "stock": stock % 1000 })).collect();
    let sync = json!({ "type": "sync", "items": items });
    serde_json::from_str(&sync.to_string()).expect("an update")
}

fn sync(c: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime");
    let folder = tempfile::tempdir().expect("a folder");
    let shop = runtime.block_on(open(folder.path()));
    let size = DemoSize::Products(u32::try_from(ITEMS).expect("few"));
    runtime.block_on(demo::seed(&shop, size)).expect("seeded");
    let conn = rusqlite::Connection::open(folder.path().join("shop.db")).expect("opens");
    conn.execute_batch("PRAGMA synchronous = FULL").expect("durable");
    conn.busy_timeout(Duration::from_secs(10)).expect("a timeout");
    let skus = skus(&conn);
    assert_eq!(skus.len(), ITEMS);

    let mut stock = 1;
    c.bench_function("stock/sync of 10000 SKUs", |b| {
        b.iter_custom(|rounds| {
            let mut spent = Duration::ZERO;
            for _ in 0..rounds {
                stock += 1;
                let update = count(&skus, stock);
                let start = Instant::now();
                let stock = shop.stock();
                let done = stock.apply(&Actor::System, update, None);
                let done = runtime.block_on(done).expect("done");
                spent += start.elapsed();
                assert_eq!(done.updated, ITEMS);
            }
            spent
        });
    });
    c.bench_function("stock/plain updates of 10000 rows", |b| {
        b.iter(|| {
            stock += 1;
            conn.execute_batch("BEGIN IMMEDIATE").expect("begun");
            let sql = "UPDATE stock SET quantity = ?1 WHERE item_id = ?2";
            let mut statement = conn.prepare_cached(sql).expect("a statement");
            for (_, item) in &skus {
                statement
                    .execute((i64::try_from(stock % 1000).expect("small"), item))
                    .expect("updated");
            }
            conn.execute_batch("COMMIT").expect("committed");
        });
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).measurement_time(Duration::from_secs(4));
    targets = sync
}
criterion_main!(benches);
