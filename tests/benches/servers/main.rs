//! One, two and four servers on one PostgreSQL, over HTTP, beside `pgbench` that writes the same
//! rows.
//!
//! `cargo bench -p shop-tests --bench servers` (about 3 minutes, traffic to 127.0.0.1 only). It needs
//! PostgreSQL's programs and starts a server of its own, with `fsync` and `synchronous_commit` on
//! as they are by default. 64 clients are spread over the servers, which are started for their
//! turn: PostgreSQL has 100 connections, and four servers and `pgbench` at once would want more.
//! All take turns, round after round, and medians are printed with the least and the most; compare
//! the ratios.

#![expect(clippy::cast_precision_loss, reason = "counts of a short run")]

#[path = "../shared/cpu.rs"]
mod cpu;
#[path = "../shared/load.rs"]
mod load;
#[expect(dead_code, reason = "tests kill it and start it again; a benchmark does not")]
#[path = "../../it/own_postgres.rs"]
mod own_postgres;
#[path = "../shared/pgbench.rs"]
mod pgbench;
#[path = "../shared/requests.rs"]
mod requests;
#[path = "../shared/server.rs"]
mod server;

use std::time::Duration;

use futures_util::future::BoxFuture;
use load::Round;
use own_postgres::OwnPostgres;
use pgbench::{DATABASE, SHELVES, pgbench};
use server::{ROLE, Server, WHAT};
use shop_core::demo::{self, DemoSize};
use shop_core::mail::{Mailer, NotSent, OutgoingMail};
use shop_core::{Config, Shop};

/// That of the server's program.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const PRODUCTS: u32 = 2_000;
const CLIENTS: usize = 64;
const SERVERS: [usize; 3] = [1, 2, 4];
const ROUNDS: usize = 5;
const ROUND: Duration = Duration::from_secs(3);
/// How long new servers take orders before they are measured: each connection plans its statements
/// first.
const WARM_UP: Duration = Duration::from_secs(4);

fn main() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    if std::env::var(ROLE).is_ok() {
        runtime.block_on(serve(std::env::var(WHAT).expect("a database")));
        return;
    }
    let Some(postgres) = OwnPostgres::start() else {
        println!("left out: PostgreSQL is not installed");
        return;
    };
    postgres.sql("postgres", &format!("CREATE DATABASE {DATABASE}"));
    let url = postgres.url(DATABASE);
    runtime.block_on(async {
        let shop = open(url.clone()).await;
        demo::seed(&shop, DemoSize::Products(PRODUCTS)).await.expect("seeded");
    });
    postgres.sql(DATABASE, SHELVES);
    runtime.block_on(async {
        let server = Server::start("shop", &url);
        let order = requests::orders(server.port, PRODUCTS as usize).await;
        // A table that PostgreSQL counts as empty is read whole, until it counts again.
        load::round(&[&server], CLIENTS, WARM_UP, &order).await;
        drop(server);
        postgres.sql(DATABASE, "VACUUM ANALYZE");
        compare(&postgres, &url, &order).await;
    });
}

async fn serve(database: String) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("binds");
    println!("{}", listener.local_addr().expect("an address").port());
    let shop = open(database).await;
    let options = shop_server::ServeOptions::default();
    shop_server::serve(shop, listener, options, std::future::pending()).await.expect("serves");
}

/// A shop whose mails wait: `pgbench` sends none either.
async fn open(database: String) -> Shop {
    let mut config = Config { database, orders: requests::unlimited(), ..Config::default() };
    // One customer places all orders; mails above the limit would be put off, which is work too.
    config.mail.per_address_per_hour = 0;
    Shop::builder(config).mailer(Silent).open().await.expect("opens")
}

/// A mail server that does not answer. One that refuses would have every mail tried again and
/// again.
struct Silent;

impl Mailer for Silent {
    fn send<'a>(&'a self, _: &'a OutgoingMail) -> BoxFuture<'a, Result<(), NotSent>> {
        Box::pin(std::future::pending())
    }
}

/// What a round of some servers measured, and the time that PostgreSQL computed for an order.
type Measured = (Round, Duration);

async fn compare(postgres: &OwnPostgres, url: &str, order: &load::Request) {
    let start = |_| Server::start("shop", url);
    let mut shops = SERVERS.map(|_| Vec::new());
    let (mut bare, mut counted) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        for (count, rounds) in SERVERS.into_iter().zip(&mut shops) {
            let servers: Vec<_> = (0..count).map(start).collect();
            rounds.push(measure(postgres, &servers, order).await);
        }
        bare.push(pgbench(postgres, CLIENTS, false));
        counted.push(pgbench(postgres, CLIENTS, true));
    }
    println!("\ndurable orders of two items, {CLIENTS} clients");
    for (count, rounds) in SERVERS.into_iter().zip(&shops) {
        let refused: usize = rounds.iter().map(|(round, _)| round.refused).sum();
        assert_eq!(refused, 0, "orders were refused");
        let of = |figure: fn(&Measured) -> f64| rounds.iter().map(figure).collect::<Vec<_>>();
        let middle = |figure| sorted(&of(figure))[ROUNDS / 2];
        let (p50, p99) = (
            middle(|(round, _)| round.p50.as_secs_f64() * 1e3),
            middle(|(round, _)| round.p99.as_secs_f64() * 1e3),
        );
        let cpu = middle(|(round, _)| round.cpu.as_secs_f64() * 1e6);
        let postgres = middle(|(_, postgres)| postgres.as_secs_f64() * 1e6);
        let name = format!("{count} servers over HTTP");
        let line = row(&name, &of(|(round, _)| round.per_second), &bare);
        println!(
            "{line}  p50 {p50:>5.0} ms  p99 {p99:>5.0} ms  \
             cpu/order {cpu:>5.0} us, of PostgreSQL {postgres:>5.0} us"
        );
    }
    println!("{}", row("pgbench", &bare, &bare));
    println!("{}", row("pgbench with the day's counter", &counted, &bare));
}

async fn measure(postgres: &OwnPostgres, servers: &[Server], order: &load::Request) -> Measured {
    let servers: Vec<_> = servers.iter().collect();
    load::round(&servers, CLIENTS, WARM_UP, order).await;
    let pids = postgres.sql(DATABASE, "SELECT pid FROM pg_stat_activity");
    let pids: Vec<u32> = pids.lines().map(|pid| pid.parse().expect("a process")).collect();
    let spent = || pids.iter().map(|pid| cpu::time(*pid)).sum::<Duration>();
    let before = spent();
    let round = load::round(&servers, CLIENTS, ROUND, order).await;
    let orders = round.per_second * ROUND.as_secs_f64();
    (round, spent().saturating_sub(before).div_f64(orders))
}

/// The ratios are to what `pgbench` did in the same round.
fn row(name: &str, per_second: &[f64], bare: &[f64]) -> String {
    let rates = sorted(per_second);
    let (least, median, most) = (rates[0], rates[ROUNDS / 2], rates[ROUNDS - 1]);
    let ratios: Vec<f64> = per_second.iter().zip(bare).map(|(one, base)| one / base).collect();
    let ratio = sorted(&ratios)[ROUNDS / 2];
    format!("{name:32} {median:>6.0}/s ({least:.0} to {most:.0})  ratio {ratio:>5.2}")
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values
}
