//! What a server of a large shop takes: how long until its first answer, and how much memory while
//! 64 connections ask for lists of products that nobody asked for before.
//!
//! `cargo bench -p shop-tests --bench memory` (Linux; half a minute, the first time some minutes more to
//! make a shop of 100,000 products). The server is a process of its own, with the program's
//! allocator and caches.

#![expect(clippy::cast_precision_loss, reason = "counts of a short run")]

#[path = "../shared/cpu.rs"]
mod cpu;
#[path = "../shared/load.rs"]
mod load;
#[path = "../shared/seeded.rs"]
mod seeded;
#[path = "../shared/server.rs"]
mod server;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use load::{Request, get};
use server::{ROLE, Server, WHAT};

/// That of the server's program.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const PRODUCTS: u32 = 100_000;
const CLIENTS: usize = 64;
const LENGTH: Duration = Duration::from_secs(20);
const SORTS: [&str; 4] = ["newest", "price_asc", "price_desc", "popular"];
/// How much memory the server may take, in megabytes.
const MOST_MEMORY: f64 = 80.0;
/// When the first answer is to be there, in milliseconds after the start of the process.
const LATEST_ANSWER: f64 = 100.0;

fn main() {
    let work = async {
        match std::env::var_os(WHAT).filter(|_| std::env::var_os(ROLE).is_some()) {
            Some(file) => serve(Path::new(&file)).await,
            None => measure().await,
        }
    };
    tokio::runtime::Runtime::new().expect("a runtime").block_on(work);
}

async fn serve(file: &Path) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("binds");
    let port = listener.local_addr().expect("an address").port();
    let shop = seeded::open(file).await;
    println!("{port}");
    let options = shop_server::ServeOptions::default();
    shop_server::serve(shop, listener, options, std::future::pending()).await.expect("serves");
}

async fn measure() {
    let file = seeded::seeded(PRODUCTS).await.display().to_string();
    let start = Instant::now();
    let server = Server::start("shop", &file);
    assert_eq!(load::once(server.port, &get("/api/products")).await.0, 200);
    let answered = start.elapsed();
    assert_eq!(load::once(server.port, &list(0)).await.0, 200);
    let filtered = start.elapsed().saturating_sub(answered);
    println!("\n{PRODUCTS} products, {CLIENTS} connections");
    println!("{}", row("first answer", answered.as_secs_f64() * 1e3, "ms", LATEST_ANSWER));
    println!("{:24} {:>6.1} ms", "then a list by filters", filtered.as_secs_f64() * 1e3);
    println!("{}", row("memory after it", memory(&server, "VmRSS:"), "MB", MOST_MEMORY));
    let ask: Request = Arc::new(list);
    let round = load::round(&[&server], CLIENTS, LENGTH, &ask).await;
    assert_eq!(round.refused, 0, "lists were refused");
    println!("{}", row("at most meanwhile", memory(&server, "VmHWM:"), "MB", MOST_MEMORY));
    println!(
        "{:24} {:>6.0}/s   p50 {:.1?}  p99 {:.1?}  cpu {:.0?} a list",
        "lists", round.per_second, round.p50, round.p99, round.cpu
    );
}

fn row(name: &str, value: f64, unit: &str, most: f64) -> String {
    format!("{name:24} {value:>6.1} {unit}  of {most:.0}: {:.2}", value / most)
}

/// Asks for the n-th list, which no other number asks for.
fn list(n: usize) -> Vec<u8> {
    let (sort, page, least) = (SORTS[n % 4], n % 40 + 1, n % 9_000);
    let (whole, cents, most) = (least / 100, least % 100, 100 + n / 9_000);
    let in_stock = n.is_multiple_of(3);
    get(&format!(
        "/api/products?sort={sort}&page={page}&minPrice={whole}.{cents:02}&maxPrice={most}\
         &inStock={in_stock}"
    ))
}

/// A figure that Linux keeps of the server's memory, in megabytes.
fn memory(server: &Server, figure: &str) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid()));
    let status = status.expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix(figure)).expect("a line");
    let kib: f64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
    kib * 1.024 / 1e3
}
