//! Many lives, one for each processor at a time.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::report::Report;
use super::run::{Failure, live};

/// Which seeds, and when to stop before the last.
#[derive(Debug, Clone)]
pub struct Seeds {
    /// The seeds.
    pub seeds: Range<u64>,
    /// No life begins after this time.
    pub time: Duration,
    /// Whether the first failure ends it.
    pub until_failure: bool,
}

/// Lives every life, and sums up what was tried. The failures come in the order of their seeds.
pub fn many(wanted: &Seeds) -> (Report, Vec<Failure>) {
    let (next, stop, start) =
        (AtomicU64::new(wanted.seeds.start), AtomicBool::new(false), Instant::now());
    let (sum, failed) = (Mutex::new(Report::default()), Mutex::new(Vec::new()));
    let work = || {
        while start.elapsed() < wanted.time && !stop.load(Ordering::Relaxed) {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= wanted.seeds.end {
                return;
            }
            match live(seed) {
                Ok(report) => sum.lock().unwrap_or_else(PoisonError::into_inner).add(report),
                Err(failure) => {
                    stop.store(wanted.until_failure, Ordering::Relaxed);
                    failed.lock().unwrap_or_else(PoisonError::into_inner).push(*failure);
                }
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let mut failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    failed.sort_by_key(|it: &Failure| it.seed);
    (sum.into_inner().unwrap_or_else(PoisonError::into_inner), failed)
}
