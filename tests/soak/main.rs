//! A real server under mixed load, with everything that goes wrong around it, for as long as
//! wanted: a row for each minute of what it holds and how fast it answers. It fails where that is
//! not flat.
//!
//! `cargo run --release -p shop-tests --bin soak -- [--minutes 60] [--server PATH]`

#[path = "../siege/crowd.rs"]
mod crowd;
mod load;
mod minute;
mod server;
#[expect(dead_code, reason = "made for the attacks; this needs a part of it")]
#[path = "../siege/shop.rs"]
mod shop;
mod trouble;
#[expect(dead_code, reason = "made for the attacks; this needs a part of it")]
#[path = "../siege/wire.rs"]
mod wire;

use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::{Duration, Instant};

use self::minute::{Met, Minutes, Row};
use self::shop::Shop;

const USAGE: &str = "soak [--minutes N] [--server PATH]";

fn main() -> ExitCode {
    let (mut minutes, mut server) = (60, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let value = arguments.next().expect(USAGE);
        match argument.as_str() {
            "--minutes" => minutes = value.parse().expect(USAGE),
            "--server" => server = Some(PathBuf::from(value).canonicalize().expect("is there")),
            _ => panic!("{USAGE}"),
        }
    }
    let shop = Shop::open(&server.unwrap_or_else(build), server::settings());
    let met = Arc::new(Met::default());
    let (load, trouble) = (load::start(&shop, &met), trouble::start(&shop, &met));
    println!("{}", Row::HEAD);
    let (start, mut rows) = (Instant::now(), Minutes::default());
    for minute in 1..=minutes {
        let end = start + Duration::from_secs(60 * minute);
        std::thread::sleep(end.saturating_duration_since(Instant::now()));
        let row = Row::take(minute, &shop.server, &met);
        println!("{row}");
        rows.add(row);
    }
    load.end();
    trouble.end();
    let wrong = rows.wrong();
    for what in &wrong {
        println!("not flat: {what}");
    }
    if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
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
