//! Everything at once for some minutes: connections that log in, slow readers, idle connections,
//! and shoppers who shall notice nothing.

use std::path::Path;
use std::time::Duration;

use super::attacks::{Attack, Connections, LogIns, Outcome, SlowReaders};
use super::row::{UNFOLDING, times, wrong};
use super::shop::Shop;
use super::visit::{Visit, visit};

const ALONE: Visit = Visit { time: Duration::from_secs(30), orders: 3, log_ins: 2 };

pub(crate) fn run(server: &Path, time: Duration) {
    let mut shop = Shop::open(server, Vec::new());
    let mut alone = visit(&shop, ALONE);
    let before = shop.server.peak();
    let attacks: [Box<dyn Attack>; 3] = [
        Box::new(LogIns),
        Box::new(SlowReaders::that_read_slowly()),
        Box::new(Connections { number: 1_000, by_address: 100, name: "1,000 idle connections" }),
    ];
    let crowds: Vec<_> = attacks.iter().map(|attack| attack.start(&shop)).collect();
    std::thread::sleep(UNFOLDING);
    let mut beside = visit(&shop, Visit { time, orders: 15, log_ins: 6 });
    let after = shop.server.peak();
    let restart = shop.server.restart().as_secs_f64();
    println!("{} s of", time.as_secs());
    for (attack, crowd) in attacks.iter().zip(crowds) {
        let outcome = crowd.end().into_iter().fold(Outcome::default(), Outcome::join);
        println!("- {}: {}", attack.name(), attack.tell(outcome));
    }
    println!("- 64 shoppers: 5xx, refused and broken {}", wrong(&beside));
    println!();
    println!(
        "| peak MiB | p99 of looking, ms | p99 of ordering, ms | median log-in, ms | restart, s |"
    );
    println!("|---|---|---|---|---|");
    println!("| {before} → {after} | {} | {restart:.1} |", times(&mut alone, &mut beside));
}
