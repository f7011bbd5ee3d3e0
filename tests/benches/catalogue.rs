//! Lists of products through the library, each filter with each sort, at 1,000 and 100,000 products
//! (and at a million with `SHOP_BENCH_LARGE=1`): `cargo bench -p shop-tests --bench catalogue`
//!
//! First one caller, who asks every question anew; then 64 at once, each with questions that no
//! other asks. The databases are made once, under `target/bench-data`.

#[path = "shared/seeded.rs"]
mod seeded;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use shop_core::Shop;

const ROUNDS: usize = 200;
const CALLERS: usize = 64;
const SORTS: [&str; 4] = ["newest", "price_asc", "price_desc", "popular"];

fn main() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let large = std::env::var_os("SHOP_BENCH_LARGE").map(|_| 1_000_000);
    let sizes: Vec<u32> = [1_000, 100_000].into_iter().chain(large).collect();
    let mut measured = Vec::new();
    for products in &sizes {
        measured.push(runtime.block_on(measure(*products)));
    }
    print!("{:42}", "p50 / p99 us");
    for size in &sizes {
        print!(" {size:>17}");
    }
    println!(" {:>7}", "ratio");
    for (place, (name, _)) in measured[0].0.iter().enumerate() {
        print!("{name:42}");
        let times: Vec<(u128, u128)> = measured.iter().map(|shop| shop.0[place].1).collect();
        for (p50, p99) in &times {
            print!(" {:>17}", format!("{p50} / {p99}"));
        }
        let (first, last) = (times.first(), times.last());
        #[expect(clippy::cast_precision_loss, reason = "microseconds")]
        let ratio = first.zip(last).map_or(1.0, |(first, last)| last.1 as f64 / first.1 as f64);
        println!(" {ratio:>7.2}");
    }
    for (size, shop) in sizes.iter().zip(&measured) {
        println!(
            "{size} products: read in {:?}, {} questions a second by 64 callers",
            shop.1, shop.2
        );
    }
}

type Measured = (Vec<(String, (u128, u128))>, Duration, u64);

async fn measure(products: u32) -> Measured {
    let shop = Arc::new(seeded::open(&seeded::seeded(products).await).await);
    let start = Instant::now();
    ask(&shop, &json!({})).await;
    let read = start.elapsed();
    let page = shop.products().list(filter(&json!({}))).await.expect("a page");
    let category = page.data.iter().find_map(|product| product.category.clone());
    let category = category.expect("a category").slug;
    let filters = [
        ("all", json!({})),
        ("featured", json!({ "featured": true })),
        ("inStock", json!({ "inStock": true })),
        ("category", json!({ "category": category })),
        ("prices", json!({ "minPrice": "20.00", "maxPrice": "90.00" })),
        (
            "category, inStock, prices",
            json!({ "category": category, "inStock": true, "minPrice": "20.00", "maxPrice": "90.00" }),
        ),
        ("search", json!({ "search": "vela" })),
        ("search, prices", json!({ "search": "vela", "minPrice": "20.00", "maxPrice": "90.00" })),
    ];
    let mut rows = Vec::new();
    for (name, wanted) in filters {
        for sort in SORTS {
            let mut wanted = wanted.clone();
            wanted["sort"] = sort.into();
            rows.push((format!("{name} by {sort}"), time(&shop, &wanted).await));
            let page = shop.products().list(filter(&wanted)).await.expect("a page");
            wanted["page"] = (page.pagination.total / 20).max(1).into();
            rows.push((format!("{name} by {sort}, last page"), time(&shop, &wanted).await));
        }
    }
    (rows, read, side_by_side(&shop).await)
}

/// The median and the 99th percentile in microseconds, of questions that differ in their prices.
async fn time(shop: &Shop, wanted: &Value) -> (u128, u128) {
    let mut times = Vec::with_capacity(ROUNDS);
    for round in 0..ROUNDS {
        let mut wanted = wanted.clone();
        if wanted.get("minPrice").is_some() {
            wanted["minPrice"] = format!("20.{:02}", round % 100).into();
        }
        let start = Instant::now();
        ask(shop, &wanted).await;
        times.push(start.elapsed().as_micros());
    }
    times.sort_unstable();
    (times[ROUNDS / 2], times[ROUNDS * 99 / 100])
}

/// Questions a second of many callers, none asked twice.
async fn side_by_side(shop: &Arc<Shop>) -> u64 {
    let (asked, end) = (Arc::new(AtomicU64::new(0)), Instant::now() + Duration::from_secs(3));
    let callers = (0..CALLERS).map(|_| {
        let (shop, asked) = (Arc::clone(shop), Arc::clone(&asked));
        tokio::spawn(async move {
            while Instant::now() < end {
                let n = asked.fetch_add(1, Ordering::Relaxed);
                let sort = SORTS[usize::try_from(n % 4).expect("small")];
                let least = format!("{}.{:02}", n / 100 % 90, n % 100);
                let wanted = json!({
                    "sort": sort, "inStock": n % 3 == 0, "featured": n % 5 == 0,
                    "minPrice": least, "page": n % 40 + 1
                });
                ask(&shop, &wanted).await;
            }
        })
    });
    futures_util::future::join_all(callers).await.into_iter().for_each(|it| it.expect("asked"));
    asked.load(Ordering::Relaxed) / 3
}

async fn ask(shop: &Shop, wanted: &Value) {
    drop(shop.products().list(filter(wanted)).await.expect("a page"));
}

fn filter(wanted: &Value) -> shop_core::catalog::ProductFilter {
    let texts: Map<String, Value> = wanted.as_object().expect("an object").clone();
    serde_json::from_str(&Value::Object(texts).to_string()).expect("a filter")
}
