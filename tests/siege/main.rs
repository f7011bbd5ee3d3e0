//! Attacks on a real server, over the loopback: what each does to the server's memory, to the
//! shoppers beside it and to a restart (docs/security.md, "Figures").
//!
//! `cargo run --release -p shop-tests --bin siege -- [--minutes N] [--server PATH]`. It ends by
//! itself: each attack takes some ten seconds, the mix of all at the end as many minutes as told.

mod attacks;
mod harness;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use attacks::{ATTACKS, Attack};
use harness::{Server, shop};

const SHOPPERS: usize = 64;
/// How long shoppers are measured alone, and beside an attack.
const ALONE: Duration = Duration::from_secs(3);
const BESIDE: Duration = Duration::from_secs(8);

fn main() {
    let mut minutes = 1;
    let mut server = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match (argument.as_str(), arguments.next()) {
            ("--minutes", Some(value)) => minutes = value.parse().expect("a number"),
            ("--server", Some(value)) => server = Some(PathBuf::from(value)),
            _ => panic!("siege [--minutes N] [--server PATH]"),
        }
    }
    let server = server.unwrap_or_else(build);
    println!(
        "| attack | did | peak MiB, before and after | p99 ms, alone and beside | 5xx | broken | stop s |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (name, attack) in ATTACKS {
        println!("{}", row(&server, name, *attack));
    }
    println!("{}", mix(&server, Duration::from_secs(60 * minutes)));
}

/// The server of this tree, in this program's own profile.
fn build() -> PathBuf {
    let own = std::env::current_exe().expect("this program's path");
    let folder = own.parent().expect("a folder").to_path_buf();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--package", "shop-server", "--manifest-path"]);
    cargo.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml"));
    if folder.ends_with("release") {
        cargo.arg("--release");
    }
    assert!(cargo.status().expect("cargo").success());
    folder.join("shop-server")
}

fn row(binary: &Path, name: &str, attack: Attack) -> String {
    let mut server = Server::start(binary);
    let alone = shop(&server, SHOPPERS, ALONE).p99();
    let before = server.memory("VmHWM");
    let crowd = attack(server.address);
    let mut met = shop(&server, SHOPPERS, BESIDE);
    let after = server.memory("VmHWM");
    // While the attack goes on.
    let stop = server.stop().as_secs_f64();
    let did: usize = crowd.end().into_iter().sum();
    let (errors, broken, beside) = (met.server_errors, met.broken, met.p99());
    format!(
        "| {name} | {did} | {before} → {after} | {alone:.1} → {beside:.1} | {errors} | {broken} | {stop:.1} |"
    )
}

/// Everything at once: eight connections that log in all the time, 300 that read slowly, 1,000 that
/// are idle, and 64 that shop.
fn mix(binary: &Path, time: Duration) -> String {
    let mut server = Server::start(binary);
    let alone = shop(&server, SHOPPERS, ALONE).p99();
    let before = server.memory("VmHWM");
    let crowds = [
        attacks::log_in(server.address, 8),
        attacks::slow_readers(server.address, 300),
        attacks::idlers(server.address, 1_000),
    ];
    let mut met = shop(&server, SHOPPERS, time);
    let after = server.memory("VmHWM");
    let stop = server.stop().as_secs_f64();
    let did: usize = crowds.into_iter().flat_map(harness::Crowd::end).sum();
    let (errors, broken, beside) = (met.server_errors, met.broken, met.p99());
    format!(
        "| all of it, {} s | {did} | {before} → {after} | {alone:.1} → {beside:.1} | {errors} | {broken} | {stop:.1} |",
        time.as_secs()
    )
}
