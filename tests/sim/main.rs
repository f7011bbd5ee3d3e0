//! Runs the simulation for as long as it is told to, and reports what it tried. Statements of
//! writes that never failed fail afterwards, each in a life of its own.
//!
//! `cargo run --release -p shop-tests --bin simulate -- --seeds 10000 --minutes 30`; `--seed 7`
//! tells the story of one life, `--failing "order.place: INSERT …"` with that statement failing.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use shop_tests::sim::{Failure, Limits, Report, Scenario, Statement, many, story};

const USAGE: &str =
    "simulate [--from SEED] [--seeds N] [--minutes N] | --seed SEED [--failing \"JOB: STATEMENT\"]";
/// What a statement's failure makes run for the first time fails in the next round.
const ROUNDS: usize = 3;

fn main() -> ExitCode {
    let (mut first, mut seeds, mut minutes, mut seed, mut failing) = (0, 1_000, 10, None, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let value = arguments.next().expect(USAGE);
        match argument.as_str() {
            "--from" => first = value.parse().expect(USAGE),
            "--seeds" => seeds = value.parse().expect(USAGE),
            "--minutes" => minutes = value.parse().expect(USAGE),
            "--seed" => seed = Some(value.parse::<u64>().expect(USAGE)),
            "--failing" => failing = Some(value.parse::<Statement>().expect(USAGE)),
            _ => panic!("{USAGE}"),
        }
    }
    if let Some(seed) = seed {
        println!("{}", story(&Scenario { seed, failing }));
        return ExitCode::SUCCESS;
    }
    let start = Instant::now();
    let limits =
        Limits { end: Some(start + Duration::from_secs(60 * minutes)), until_failure: false };
    let (mut report, mut failed) = many((first..first + seeds).map(Scenario::from), limits);
    for _ in 0..ROUNDS {
        let (more, wrong) = many(report.still_to_fail().into_iter(), limits);
        report.add(more);
        failed.extend(wrong);
    }
    tell(&report, &failed);
    println!("\n{} seconds, {} lives failed", start.elapsed().as_secs(), failed.len());
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn tell(report: &Report, failed: &[Failure]) {
    println!("{report}\nmoves that were never taken:");
    report.never_taken().iter().for_each(|name| println!("  {name}"));
    println!("\nstatements of writes that never failed:");
    report.never_failed().iter().for_each(|statement| println!("  {statement}"));
    for failure in failed {
        println!("{}: {}", failure.scenario, failure.why);
    }
}
