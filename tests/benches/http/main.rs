//! The shop over HTTP, held in the same run against the least that could answer the same: a bare
//! hyper server, hyper with plain rusqlite, and rusqlite with one commit an order.
//!
//! `cargo bench -p shop-tests --bench http` (3 to 4 minutes, traffic to 127.0.0.1 only; with
//! `-- orders` only the orders). Each server is a process of its own, so that its CPU time can be
//! told from the load's. Servers take turns, round after round, and medians are printed; machines
//! differ, so compare the ratios.

#![expect(clippy::cast_precision_loss, reason = "counts of a short run")]

#[path = "../shared/cpu.rs"]
mod cpu;
#[path = "../shared/load.rs"]
mod load;
mod order_peer;
mod peers;
#[path = "../shared/requests.rs"]
mod requests;
#[path = "../shared/seeded.rs"]
mod seeded;
#[path = "../shared/server.rs"]
mod server;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use load::{Request, Round, get};
use requests::unlimited;
use serde_json::Value;
use server::{ROLE, Server, WHAT};
use shop_core::config::MailConfig;
use shop_core::{Config, Shop};

/// That of the server's program.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const PRODUCTS: u32 = 10_000;
const ROUNDS: usize = 5;
const ROUND: Duration = Duration::from_secs(2);
const CLIENTS: usize = 64;

fn main() {
    let file = std::env::var(WHAT).map(PathBuf::from).unwrap_or_default();
    let serve = async {
        match std::env::var(ROLE).as_deref() {
            Ok("bare") => peers::bare(std::fs::read(&file).expect("a body")).await,
            Ok("inline") => peers::inline(file).await,
            Ok("orders") => order_peer::serve(&file).await,
            Ok("shop") => shop(&file, true).await,
            Ok("uncached") => shop(&file, false).await,
            _ => compare().await,
        }
    };
    tokio::runtime::Runtime::new().expect("a runtime").block_on(serve);
}

async fn shop(file: &Path, cache: bool) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("binds");
    println!("{}", listener.local_addr().expect("an address").port());
    let storefront = Some(shop_server::config::Storefront::Example);
    let options =
        shop_server::ServeOptions { cache, storefront, ..shop_server::ServeOptions::default() };
    let shop = open(file).await;
    shop_server::serve(shop, listener, options, std::future::pending()).await.expect("serves");
}

async fn open(file: &Path) -> Shop {
    let (database, uploads_dir) =
        (file.display().to_string(), Some(file.with_extension("uploads")));
    // Every order's mail leaves by itself, although all are of one customer.
    let outbox_dir = Some(outbox(file));
    let mail = MailConfig { outbox_dir, per_address_per_hour: 0, ..MailConfig::default() };
    let config = Config { database, uploads_dir, mail, orders: unlimited(), ..Config::default() };
    Shop::open(config).await.expect("opens")
}

/// The folder of the mails: in memory where the system has that. Making files by the thousand may
/// cost more than the mails in them (an ext4 without a journal passes over each inode that was
/// deleted in the last minutes), and a shop that sends by SMTP makes none.
fn outbox(file: &Path) -> PathBuf {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { memory.join("shop-bench-outbox") } else { file.with_extension("outbox") }
}

async fn compare() {
    let folder = seeded::folder();
    let file = folder.join("http.db");
    fresh(&file).await;

    let cached = Server::start("shop", &text(&file));
    let (status, body) = load::once(cached.port, &get("/api/products")).await;
    assert_eq!(status, 200);
    let page: Value = serde_json::from_slice(&body).expect("a page");
    if !std::env::args().any(|argument| argument == "orders") {
        catalogue(&cached, &folder, &file, &page, &body).await;
    }
    let order = requests::orders(cached.port, 100).await;
    // A file of its own: one that has as much to write as the shop's.
    let plain = folder.join("plain.db");
    // The shop finds the movements of an item from row to row, the bare server by an index.
    let index = "CREATE INDEX movement_item ON stock_movement (item_id, id)";
    copied(&file, &plain).execute_batch(index).expect("an index");
    let bare = Server::start("orders", &text(&plain));
    let mails = rusqlite::Connection::open(&file).expect("opens");
    println!("\ndurable orders of two items");
    for clients in [1, 8, CLIENTS, 256] {
        let (mut shop, mut limit, mut commits) = (Vec::new(), Vec::new(), Vec::new());
        for n in 0..=3 {
            let round = durable(&bare, clients, &order, || false).await;
            let measured = durable(&cached, clients, &order, || mails_wait(&mails)).await;
            // The first round warms up.
            if n > 0 {
                limit.push(round);
                shop.push(measured);
                commits.push(peers::plain_orders(&plain, ROUND));
            }
        }
        println!("{clients} clients");
        let base = median(&limit, |durable| durable.round.per_second);
        println!("{}", durable_row("bare order server", &limit, base));
        println!("{}", durable_row("shop over HTTP", &shop, base));
        println!("{:32} {:>9.0}/s", "plain rusqlite, a commit each", median(&commits, |n| *n));
    }
    drop(cached);
    drop(std::fs::remove_dir_all(outbox(&file)));
}

/// Reads of the public catalogue, from the cache and from SQLite, and of a product's page.
async fn catalogue(cached: &Server, folder: &Path, file: &Path, page: &Value, body: &[u8]) {
    let uncached = Server::start("uncached", &text(file));
    let inline = Server::start("inline", &text(file));
    let slug = page["data"][0]["slug"].as_str().expect("a slug").to_owned();
    let slugs: Vec<String> = slugs(cached.port).await;

    let bare_list = Server::start("bare", &text(&save(folder, "list.json", body)));
    let detail = format!("/api/products/{slug}");
    let (_, body) = load::once(cached.port, &get(&detail)).await;
    let bare_detail = Server::start("bare", &text(&save(folder, "detail.json", &body)));

    let address = format!("/produto/{slug}");
    let (status, body) = load::once(cached.port, &get(&address)).await;
    assert_eq!(status, 200);
    let bare_page = Server::start("bare", &text(&save(folder, "page.html", &body)));

    let list: Request = Arc::new(|_| get("/api/products"));
    let one: Request = Arc::new(move |_| get(&detail));
    let many: Request =
        Arc::new(move |n| get(&format!("/api/products/{}", slugs[n * 13 % slugs.len()])));
    table("list of 20", &[("bare hyper", &bare_list, &list), ("shop, cached", cached, &list)])
        .await;
    table("product detail", &[("bare hyper", &bare_detail, &one), ("shop, cached", cached, &one)])
        .await;
    let shown: Request = Arc::new(move |_| get(&address));
    table(
        "product's page",
        &[("bare hyper", &bare_page, &shown), ("shop, cached", cached, &shown)],
    )
    .await;
    table(
        "list of 20, from SQLite",
        &[("hyper + plain rusqlite", &inline, &list), ("shop, not cached", &uncached, &list)],
    )
    .await;
    table(
        "product detail, from SQLite",
        &[("hyper + plain rusqlite", &inline, &many), ("shop, not cached", &uncached, &many)],
    )
    .await;
}

/// A round of orders, and the server's CPU time an order until what they left behind (mails,
/// checkpoints) is done too.
struct Durable {
    round: Round,
    until_idle: Duration,
}

async fn durable(
    server: &Server,
    clients: usize,
    order: &Request,
    is_behind: impl Fn() -> bool,
) -> Durable {
    let before = server.cpu();
    let round = load::round(&[server], clients, ROUND, order).await;
    let mut spent = server.cpu();
    let mut idle = 0;
    while idle < 5 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let now = server.cpu();
        // At most a tenth of one core, which is as fine as Linux counts in so short a time.
        let is_idle = now.saturating_sub(spent) <= Duration::from_millis(10) && !is_behind();
        idle = if is_idle { idle + 1 } else { 0 };
        spent = now;
    }
    let orders = (round.per_second * ROUND.as_secs_f64()).max(1.0);
    Durable { round, until_idle: spent.saturating_sub(before).div_f64(orders) }
}

/// Whether mails are still to be sent.
fn mails_wait(shop: &rusqlite::Connection) -> bool {
    let waits = "SELECT EXISTS (SELECT 1 FROM mail WHERE sent_at IS NULL)";
    shop.query_row(waits, [], |row| row.get(0)).expect("asked")
}

fn durable_row(name: &str, rounds: &[Durable], base: f64) -> String {
    let in_all = median(rounds, |durable| durable.until_idle.as_secs_f64() * 1e6);
    let rounds: Vec<Round> = rounds.iter().map(|durable| durable.round).collect();
    format!("{}  until idle {in_all:>6.1} us", row(name, &rounds, base))
}

/// A database with products, made once, copied for this run.
async fn fresh(file: &Path) {
    let seeded = seeded::seeded(PRODUCTS).await;
    // More units than a run can sell.
    let filled = copied(&seeded, file).execute_batch("UPDATE stock SET quantity = 1000000000");
    filled.expect("filled");
}

/// A new copy of a database.
fn copied(from: &Path, to: &Path) -> rusqlite::Connection {
    for suffix in ["", "-wal", "-shm"] {
        drop(std::fs::remove_file(format!("{}{suffix}", to.display())));
    }
    let conn = rusqlite::Connection::open(from).expect("opens");
    conn.execute("VACUUM INTO ?1", [to.to_str().expect("a path")]).expect("copied");
    rusqlite::Connection::open(to).expect("opens")
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

fn save(folder: &Path, name: &str, body: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, body).expect("written");
    path
}

async fn slugs(port: u16) -> Vec<String> {
    let mut slugs = Vec::new();
    for page in 1..=9 {
        let (_, body) =
            load::once(port, &get(&format!("/api/products?limit=100&page={page}"))).await;
        let page: Value = serde_json::from_slice(&body).expect("a page");
        let products = page["data"].as_array().expect("products");
        slugs.extend(
            products.iter().filter_map(|product| product["slug"].as_str().map(str::to_owned)),
        );
    }
    slugs
}

/// Lets servers take turns with the same requests; ratios are to the first.
async fn table(title: &str, servers: &[(&str, &Server, &Request)]) {
    println!("\n{title}");
    let mut rounds: Vec<Vec<Round>> = vec![Vec::new(); servers.len()];
    for n in 0..=ROUNDS {
        for ((_, server, request), rounds) in servers.iter().zip(&mut rounds) {
            let round = load::round(&[server], CLIENTS, ROUND, request).await;
            // The first round warms up.
            if n > 0 {
                rounds.push(round);
            }
        }
    }
    let base = median(&rounds[0], |round| round.per_second);
    for ((name, _, _), rounds) in servers.iter().zip(&rounds) {
        println!("{}", row(name, rounds, base));
    }
}

fn row(name: &str, rounds: &[Round], base: f64) -> String {
    let per_second = median(rounds, |round| round.per_second);
    let micros = |of: fn(&Round) -> Duration| median(rounds, |r| of(r).as_secs_f64() * 1e6);
    let refused: usize = rounds.iter().map(|round| round.refused).sum();
    let refused = if refused > 0 { format!("  {refused} refused!") } else { String::new() };
    format!(
        "{name:32} {per_second:>9.0}/s  ratio {:>5.2}  cpu/request {:>6.1} us  \
         p50 {:>6.0} us  p99 {:>6.0} us{refused}",
        per_second / base,
        micros(|round| round.cpu),
        micros(|round| round.p50),
        micros(|round| round.p99),
    )
}

fn median<T>(values: &[T], of: impl Fn(&T) -> f64) -> f64 {
    let mut values: Vec<f64> = values.iter().map(of).collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
