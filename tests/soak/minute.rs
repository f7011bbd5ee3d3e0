//! What was met in each minute, and whether the minutes are alike.

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::server::Server;

/// Whether the answers of a kind are fast, in milliseconds.
#[derive(Debug, Clone, Copy, Default)]
struct Speed {
    count: usize,
    median: f64,
    slowest: f64,
}

impl Speed {
    fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let at = |percent: usize| {
            let at = (times.len() * percent / 100).min(times.len().saturating_sub(1));
            times.get(at).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
        };
        Self { count: times.len(), median: at(50), slowest: at(99) }
    }
}

/// What the load met since the last row.
#[derive(Debug, Default)]
pub(crate) struct Met(Mutex<Meetings>);

#[derive(Debug, Default)]
struct Meetings {
    looks: Vec<Duration>,
    orders: Vec<Duration>,
    refused: usize,
    unavailable: usize,
    broken: usize,
    faults: usize,
}

/// What became of a request.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Ended {
    Looked(Duration),
    Ordered(Duration),
    /// With a status below 500.
    Refused,
    /// With 503: the same will succeed later.
    Unavailable,
    /// With another status of 500 and above, or by a connection that broke.
    Broken,
    /// Something that was done to the server on purpose.
    Fault,
}

impl Met {
    pub(crate) fn note(&self, ended: Ended) {
        let mut met = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match ended {
            Ended::Looked(time) => met.looks.push(time),
            Ended::Ordered(time) => met.orders.push(time),
            Ended::Refused => met.refused += 1,
            Ended::Unavailable => met.unavailable += 1,
            Ended::Broken => met.broken += 1,
            Ended::Fault => met.faults += 1,
        }
    }

    fn take(&self) -> Meetings {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A minute.
#[derive(Debug, Clone, Default)]
pub(crate) struct Row {
    minute: u64,
    memory: f64,
    descriptors: usize,
    threads: usize,
    log: f64,
    database: f64,
    looks: Speed,
    orders: Speed,
    refused: usize,
    unavailable: usize,
    broken: usize,
    faults: usize,
}

impl Row {
    pub(crate) const HEAD: &str = "| minute | MiB of memory | descriptors | threads | MiB of log | MiB of file | looks | p50, p99 ms | orders | p50, p99 ms | refused | 503 | broken | faults |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|";

    pub(crate) fn take(minute: u64, server: &Server, met: &Met) -> Self {
        let met = met.take();
        let (descriptors, threads) = server.descriptors();
        Self {
            minute,
            memory: server.memory(),
            descriptors,
            threads,
            log: server.file("shop.db-wal"),
            database: server.file("shop.db"),
            looks: Speed::of(met.looks),
            orders: Speed::of(met.orders),
            refused: met.refused,
            unavailable: met.unavailable,
            broken: met.broken,
            faults: met.faults,
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "| {} | {:.0} | {} | {} | {:.0} | {:.0} | {} | {:.1}, {:.1} | {} | {:.1}, {:.1} | {} | {} | {} | {} |",
            self.minute,
            self.memory,
            self.descriptors,
            self.threads,
            self.log,
            self.database,
            self.looks.count,
            self.looks.median,
            self.looks.slowest,
            self.orders.count,
            self.orders.median,
            self.orders.slowest,
            self.refused,
            self.unavailable,
            self.broken,
            self.faults,
        )
    }
}

/// A figure that must not grow: what it is, how to read it, and by how much it may differ, as a
/// factor and beyond it.
type Figure = (&'static str, fn(&Row) -> f64, f64, f64);

#[expect(clippy::cast_precision_loss, reason = "a few thousand")]
const FIGURES: [Figure; 6] = [
    ("memory in MiB", |row| row.memory, 1.15, 16.0),
    ("descriptors", |row| row.descriptors as f64, 1.1, 16.0),
    ("threads", |row| row.threads as f64, 1.0, 4.0),
    // A checkpoint comes every 40 MB; while somebody reads, it waits.
    ("the write-ahead log in MiB", |row| row.log, 1.5, 40.0),
    ("the median of looks in ms", |row| row.looks.median, 2.0, 2.0),
    ("the median of orders in ms", |row| row.orders.median, 2.0, 5.0),
];

/// All minutes so far.
#[derive(Debug, Default)]
pub(crate) struct Minutes(Vec<Row>);

impl Minutes {
    pub(crate) fn add(&mut self, row: Row) {
        self.0.push(row);
    }

    /// What is more at the end than in the second quarter, when everything is warm; and what should
    /// not have happened at all.
    pub(crate) fn wrong(&self) -> Vec<String> {
        let quarter = (self.0.len() / 4).max(1);
        let mut wrong = Vec::new();
        if let (Some(early), Some(late)) =
            (self.0.get(quarter..2 * quarter), self.0.get(self.0.len().saturating_sub(quarter)..))
        {
            for (what, read, factor, beyond) in FIGURES {
                let (early, late) = (median(early, read), median(late, read));
                if late > early * factor + beyond {
                    wrong.push(format!("{what}: {early:.1}, in the end {late:.1}"));
                }
            }
        }
        let broken: usize = self.0.iter().map(|row| row.broken).sum();
        if broken > 0 {
            wrong.push(format!("{broken} requests broke, or met a defect"));
        }
        let refused: usize = self.0.iter().map(|row| row.refused).sum();
        if refused > 0 {
            wrong.push(format!("{refused} requests of well-behaved clients were refused"));
        }
        wrong
    }
}

fn median(rows: &[Row], read: fn(&Row) -> f64) -> f64 {
    let mut found: Vec<f64> = rows.iter().map(read).collect();
    found.sort_unstable_by(f64::total_cmp);
    found.get(found.len() / 2).copied().unwrap_or_default()
}
