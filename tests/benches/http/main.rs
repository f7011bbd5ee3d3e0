//! The shop over HTTP, held in the same run against the least that could answer the same: a bare
//! hyper server, hyper with plain rusqlite, and rusqlite with one commit an order.
//!
//! `cargo bench -p shop-tests --bench http` (2 to 3 minutes, traffic to 127.0.0.1 only). Each server
//! is a process of its own, so that its CPU time can be told from the load's. Servers take turns,
//! round after round, and medians are printed; machines differ, so compare the ratios.

#![expect(clippy::cast_precision_loss, reason = "counts of a short run")]

#[path = "../shared/cpu.rs"]
mod cpu;
mod load;
mod peers;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use load::{Request, Round};
use serde_json::{Value, json};
use shop_core::config::{MailConfig, OrdersConfig};
use shop_core::demo::{self, DemoSize};
use shop_core::{Config, Shop};

const PRODUCTS: u32 = 10_000;
const ROUNDS: usize = 5;
const ROUND: Duration = Duration::from_secs(2);
const CLIENTS: usize = 64;
const ROLE: &str = "SHOP_BENCH_ROLE";
const FILE: &str = "SHOP_BENCH_FILE";

fn main() {
    let file = std::env::var(FILE).map(PathBuf::from).unwrap_or_default();
    let serve = async {
        match std::env::var(ROLE).as_deref() {
            Ok("bare") => peers::bare(std::fs::read(&file).expect("a body")).await,
            Ok("inline") => peers::inline(file).await,
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
    let mail =
        MailConfig { outbox_dir: Some(file.with_extension("outbox")), ..MailConfig::default() };
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

/// A server in a process of its own, which ends with this value.
struct Server {
    name: &'static str,
    process: Child,
    port: u16,
}

impl Server {
    fn start(name: &'static str, role: &str, file: &Path) -> Self {
        let mut process = Command::new(std::env::current_exe().expect("this program"))
            .env(ROLE, role)
            .env(FILE, file)
            .stdout(Stdio::piped())
            .spawn()
            .expect("starts");
        let mut line = String::new();
        let stdout = process.stdout.take().expect("its output");
        BufReader::new(stdout).read_line(&mut line).expect("its port");
        let port = line.trim().parse().expect("a port");
        Self { name, process, port }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

async fn compare() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/bench-data");
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("http.db");
    fresh(&file, &folder.join(format!("shop-{PRODUCTS}.db"))).await;

    let cached = Server::start("shop, cached", "shop", &file);
    let uncached = Server::start("shop, not cached", "uncached", &file);
    let inline = Server::start("hyper + plain rusqlite", "inline", &file);
    let (status, body) = load::once(cached.port, &get("/api/products")).await;
    assert_eq!(status, 200);
    let page: Value = serde_json::from_slice(&body).expect("a page");
    let slug = page["data"][0]["slug"].as_str().expect("a slug").to_owned();
    let slugs: Vec<String> = slugs(cached.port).await;

    let bare_list = Server::start("bare hyper", "bare", &save(&folder, "list.json", &body));
    let detail = format!("/api/products/{slug}");
    let (_, body) = load::once(cached.port, &get(&detail)).await;
    let bare_detail = Server::start("bare hyper", "bare", &save(&folder, "detail.json", &body));

    let address = format!("/produto/{slug}");
    let (status, body) = load::once(cached.port, &get(&address)).await;
    assert_eq!(status, 200);
    let bare_page = Server::start("bare hyper", "bare", &save(&folder, "page.html", &body));

    let list: Request = Arc::new(|_| get("/api/products"));
    let one: Request = Arc::new(move |_| get(&detail));
    let many: Request =
        Arc::new(move |n| get(&format!("/api/products/{}", slugs[n * 13 % slugs.len()])));
    table("list of 20", &[(&bare_list, &list), (&cached, &list)]).await;
    table("product detail", &[(&bare_detail, &one), (&cached, &one)]).await;
    let shown: Request = Arc::new(move |_| get(&address));
    table("product's page", &[(&bare_page, &shown), (&cached, &shown)]).await;
    table("list of 20, from SQLite", &[(&inline, &list), (&uncached, &list)]).await;
    table("product detail, from SQLite", &[(&inline, &many), (&uncached, &many)]).await;

    let order = orders(cached.port, &page).await;
    println!("\ndurable orders of two items");
    for clients in [1, 8, CLIENTS, 256] {
        let (mut shop, mut plain) = (Vec::new(), Vec::new());
        for _ in 0..3 {
            shop.push(load::round(cached.port, cached.process.id(), clients, ROUND, &order).await);
            plain.push(peers::plain_orders(&file, ROUND));
        }
        let plain = median(&plain, |n| *n);
        println!("{}", row(&format!("shop over HTTP, {clients} clients"), &shop, plain));
        println!("{:32} {plain:>9.0}/s", "plain rusqlite, a commit each");
    }
}

/// A database with products, made once, copied for this run.
async fn fresh(file: &Path, seeded: &Path) {
    if !seeded.exists() {
        let making = seeded.with_extension("making");
        let shop = open(&making).await;
        demo::seed(&shop, DemoSize::Products(PRODUCTS)).await.expect("seeded");
        drop(shop);
        std::fs::rename(making, seeded).expect("renamed");
    }
    for suffix in ["", "-wal", "-shm"] {
        drop(std::fs::remove_file(format!("{}{suffix}", file.display())));
    }
    std::fs::copy(seeded, file).expect("copied");
    // More units than a run can sell.
    let conn = rusqlite::Connection::open(file).expect("opens");
    conn.execute_batch("UPDATE stock SET quantity = 1000000000").expect("filled");
}

fn save(folder: &Path, name: &str, body: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, body).expect("written");
    path
}

fn get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").into_bytes()
}

fn post(path: &str, cookie: &str, body: &Value) -> Vec<u8> {
    let body = body.to_string();
    format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         cookie: {cookie}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
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

/// Registers a customer with an address, and returns what places the n-th order.
async fn orders(port: u16, page: &Value) -> Request {
    let register =
        json!({ "name": "Ana", "email": "bench@example.com", "password": "segredo-123" });
    let (status, _) = load::once(port, &post("/api/auth/register", "", &register)).await;
    assert_eq!(status, 201);
    let login = json!({ "email": "bench@example.com", "password": "segredo-123" });
    let (_, body) = load::once(port, &post("/api/auth/login", "", &login)).await;
    let session: Value = serde_json::from_slice(&body).expect("a session");
    let cookie = format!("token={}", session["token"].as_str().expect("a token"));
    let address = json!({
        "label": "Casa", "street": "Rua das Flores", "number": "1", "district": "Centro",
        "city": "São Paulo", "state": "SP", "zipCode": "01001000"
    });
    let (_, body) = load::once(port, &post("/api/user/addresses", &cookie, &address)).await;
    let address: Value = serde_json::from_slice(&body).expect("an address");
    let (_, body) =
        load::once(port, &get("/api/products?limit=100&inStock=true&sort=price_asc")).await;
    let stocked: Value = serde_json::from_slice(&body).unwrap_or_else(|_| page.clone());
    let products: Vec<Value> =
        stocked["data"].as_array().expect("products").iter().map(|p| p["id"].clone()).collect();
    Arc::new(move |n| {
        let pick = |n: usize| &products[n % products.len()];
        let order = json!({ "addressId": address["id"], "cartItems": [
            { "productId": pick(n * 7), "quantity": 1, "price": 1 },
            { "productId": pick(n * 7 + 1), "quantity": 1, "price": 1 },
        ]});
        post("/api/orders", &cookie, &order)
    })
}

/// Lets servers take turns with the same requests; ratios are to the first.
async fn table(title: &str, servers: &[(&Server, &Request)]) {
    println!("\n{title}");
    let mut rounds: Vec<Vec<Round>> = vec![Vec::new(); servers.len()];
    for n in 0..=ROUNDS {
        for ((server, request), rounds) in servers.iter().zip(&mut rounds) {
            let pid = server.process.id();
            let round = load::round(server.port, pid, CLIENTS, ROUND, request).await;
            // The first round warms up.
            if n > 0 {
                rounds.push(round);
            }
        }
    }
    let base = median(&rounds[0], |round| round.per_second);
    for ((server, _), rounds) in servers.iter().zip(&rounds) {
        println!("{}", row(server.name, rounds, base));
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
