//! What an engine counts: its commits, and what the jobs in them say that happened.

use std::sync::atomic::{AtomicU64, Ordering};
#[cfg(any(feature = "postgres", feature = "sqlite"))]
use std::time::Duration;

use crate::measure::{Histogram, Recorder};

/// How many metrics there can be.
const METRICS: usize = 48;

/// Something that is counted once the transaction in which it happens is committed
/// (`Tx::count`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Metric(usize);

impl Metric {
    /// A metric with its number, below 48 and different from every other's.
    pub const fn new(number: usize) -> Self {
        Self(number)
    }
}

/// What an engine did since it was opened, and what waits for it. Of several servers on one
/// database each tells of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StorageFigures {
    /// How long each commit took, in microseconds: the statement that makes a group durable; on
    /// PostgreSQL with the rows that are sent along with it.
    pub commits: Histogram,
    /// How many jobs shared each commit.
    pub jobs: Histogram,
    /// Groups that PostgreSQL refused because of others, or whose connection broke, and that were
    /// run again.
    pub retries: u64,
    /// The jobs that wait for a thread, by the queue.
    pub queues: Vec<(&'static str, usize)>,
    /// The size of SQLite's write-ahead log, in bytes; 0 where there is none.
    pub wal_bytes: u64,
}

/// The counters of an engine.
#[derive(Debug)]
pub(super) struct Counters {
    metrics: [AtomicU64; METRICS],
    commits: Recorder,
    jobs: Recorder,
    retries: AtomicU64,
}

impl Default for Counters {
    fn default() -> Self {
        Self {
            metrics: [const { AtomicU64::new(0) }; METRICS],
            commits: Recorder::of_times(),
            jobs: Recorder::of_sizes(),
            retries: AtomicU64::new(0),
        }
    }
}

impl Counters {
    /// Notes a commit of so many jobs.
    #[cfg(any(feature = "postgres", feature = "sqlite"))]
    pub(super) fn committed(&self, jobs: usize, took: Duration) {
        self.commits.record_time(took);
        self.jobs.record(u64::try_from(jobs).unwrap_or(u64::MAX));
    }

    /// Notes that a group has to be run again.
    #[cfg(feature = "postgres")]
    pub(super) fn retried(&self) {
        self.retries.fetch_add(1, Ordering::Relaxed);
    }

    #[cfg(any(feature = "postgres", feature = "sqlite"))]
    pub(super) fn count(&self, metric: Metric) {
        if let Some(count) = self.metrics.get(metric.0) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(super) fn counted(&self, metric: Metric) -> u64 {
        self.metrics.get(metric.0).map_or(0, |count| count.load(Ordering::Relaxed))
    }

    pub(super) fn figures(&self) -> StorageFigures {
        StorageFigures {
            commits: self.commits.histogram(),
            jobs: self.jobs.histogram(),
            retries: self.retries.load(Ordering::Relaxed),
            ..StorageFigures::default()
        }
    }
}
