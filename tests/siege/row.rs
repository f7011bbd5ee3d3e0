//! One attack at a time, as rows of a table.

use std::path::Path;
use std::time::Duration;

use super::attacks::{self, Attack, Outcome};
use super::shop::Shop;
use super::visit::{Met, Visit, visit};

/// How shoppers are measured alone, and beside an attack.
const ALONE: Visit = Visit { time: Duration::from_secs(4), orders: 2, log_ins: 2 };
const BESIDE: Visit = Visit { time: Duration::from_secs(10), orders: 5, log_ins: 4 };

/// How long an attack has before shoppers come, with new connections.
pub(crate) const UNFOLDING: Duration = Duration::from_secs(2);

/// Runs those whose name holds this text.
pub(crate) fn all(server: &Path, text: &str) {
    println!(
        "| attack | what came of it | peak MiB | p99 of looking, ms | p99 of ordering, ms | \
         median log-in, ms | 5xx, refused, broken | restart, s |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for attack in attacks::all().iter().filter(|attack| attack.name().contains(text)) {
        println!("{}", row(server, attack.as_ref()));
    }
}

fn row(server: &Path, attack: &dyn Attack) -> String {
    let mut shop = Shop::open(server, attack.settings());
    let mut alone = visit(&shop, ALONE);
    let before = shop.server.peak();
    let crowd = attack.start(&shop);
    std::thread::sleep(UNFOLDING);
    let mut beside = visit(&shop, BESIDE);
    let after = shop.server.peak();
    // While the attack goes on.
    let restart = shop.server.restart().as_secs_f64();
    let outcome = crowd.end().into_iter().fold(Outcome::default(), Outcome::join);
    let (name, told) = (attack.name(), attack.tell(outcome));
    let times = times(&mut alone, &mut beside);
    let wrong = wrong(&beside);
    format!("| {name} | {told} | {before} → {after} | {times} | {wrong} | {restart:.1} |")
}

/// Three cells: what looking, ordering and logging in took alone, and beside an attack.
pub(crate) fn times(alone: &mut Met, beside: &mut Met) -> String {
    let looks = [alone.looks.quantile(99), beside.looks.quantile(99)];
    let orders = [alone.orders.quantile(99), beside.orders.quantile(99)];
    let log_ins = [alone.log_ins.quantile(50), beside.log_ins.quantile(50)];
    [looks, orders, log_ins].map(|[alone, beside]| format!("{alone} → {beside}")).join(" | ")
}

/// A cell: how many shoppers' requests went wrong.
pub(crate) fn wrong(met: &Met) -> String {
    format!("{}, {}, {}", met.server_errors, met.refused, met.broken)
}
