//! Runs the simulation for as long as it is told to, and reports what it tried.
//!
//! `cargo run --release -p shop-tests --bin simulate -- --seeds 10000 --minutes 30`; `--seed 7`
//! tells the story of one seed.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use shop_tests::sim::{Seeds, many, story};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let option = |name: &str| {
        let at = arguments.iter().position(|it| it == name)?;
        arguments.get(at + 1)?.parse::<u64>().ok()
    };
    if let Some(seed) = option("--seed") {
        println!("{}", story(seed));
        return ExitCode::SUCCESS;
    }
    let first = option("--from").unwrap_or(0);
    let seeds = first..first + option("--seeds").unwrap_or(1_000);
    let time = Duration::from_secs(60 * option("--minutes").unwrap_or(10));
    let start = Instant::now();
    let (report, failed) = many(&Seeds { seeds, time, until_failure: false });
    println!("{report}\nmoves that were never taken:");
    report.never_taken().iter().for_each(|name| println!("  {name}"));
    println!("\nstatements of writes that never failed:");
    report.never_failed().iter().for_each(|statement| println!("  {statement}"));
    for failure in &failed {
        println!("seed {}: {}", failure.seed, failure.why);
    }
    println!("\n{} seconds, {} seeds failed", start.elapsed().as_secs(), failed.len());
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
