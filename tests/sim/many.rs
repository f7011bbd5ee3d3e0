//! Many lives, one for each processor at a time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::report::Report;
use super::run::{Failure, live};
use super::scenario::Scenario;

/// When to stop before the last.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    /// No life begins after this time.
    pub end: Option<Instant>,
    /// Whether the first failure ends it.
    pub until_failure: bool,
}

/// Lives every life, and sums up what was tried. The failures come in the order of their scenarios.
pub fn many(
    scenarios: impl Iterator<Item = Scenario> + Send,
    limits: Limits,
) -> (Report, Vec<Failure>) {
    let (scenarios, stop) = (Mutex::new(scenarios), AtomicBool::new(false));
    let (sum, failed) = (Mutex::new(Report::default()), Mutex::new(Vec::new()));
    let is_over = || limits.end.is_some_and(|end| Instant::now() >= end);
    let next = || locked(&scenarios).next();
    let work = || {
        while !is_over() && !stop.load(Ordering::Relaxed) {
            let Some(scenario) = next() else { return };
            match live(&scenario) {
                Ok(report) => locked(&sum).add(report),
                Err(failure) => {
                    stop.store(limits.until_failure, Ordering::Relaxed);
                    locked(&failed).push(*failure);
                }
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let mut failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    failed.sort_by(|one: &Failure, other| one.scenario.cmp(&other.scenario));
    (sum.into_inner().unwrap_or_else(PoisonError::into_inner), failed)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
