//! Attacks on a real server, over the loopback: what each does to the server's memory, to those who
//! shop beside it and to a restart (docs/security.md, "Figures").
//!
//! `cargo run --release -p shop-tests --bin siege -- [rows [TEXT] | mix] [--minutes N] [--server
//! PATH]`. `rows` (the default) takes some twenty seconds for each attack whose name holds the text,
//! `mix` runs eight connections that log in, 300 slow readers, 1,000 idle connections and 64 shoppers
//! together. `--server` attacks another build of the server. Everything ends by itself.

mod attacks;
mod crowd;
mod mix;
mod row;
mod server;
mod shop;
mod visit;
mod wire;

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

const USAGE: &str = "siege [rows [TEXT] | mix] [--minutes N] [--server PATH]";

fn main() {
    let (mut minutes, mut server, mut words) = (10, None, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--minutes" => minutes = arguments.next().and_then(|it| it.parse().ok()).expect(USAGE),
            "--server" => {
                let path = arguments.next().map(PathBuf::from).expect(USAGE);
                // It is started in a folder of its own.
                server = Some(path.canonicalize().expect("the server is there"));
            }
            _ => words.push(argument),
        }
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let server = server.unwrap_or_else(build);
    match words[..] {
        [] | ["rows"] => row::all(&server, ""),
        ["rows", text] => row::all(&server, text),
        ["mix"] => mix::run(&server, Duration::from_secs(60 * minutes)),
        _ => panic!("{USAGE}"),
    }
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
