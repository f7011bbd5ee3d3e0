//! Leaves alone for a while what keeps failing.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::clock::Timestamp;

/// So many failures in a row are enough.
const FAILURES: u32 = 3;
/// How long it is left alone.
const PAUSE: Duration = Duration::from_secs(60);

/// A circuit breaker on the shop's clock.
#[derive(Debug, Default)]
pub(super) struct Breaker(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    failures: u32,
    open_until: Option<Timestamp>,
}

impl Breaker {
    /// Whether to try. After a pause one caller tries for all; the others wait for what comes of
    /// it.
    pub(super) fn allows(&self, now: Timestamp) -> bool {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match state.open_until {
            Some(until) if now < until => false,
            Some(_) => {
                state.open_until = Some(now.plus(PAUSE));
                true
            }
            None => true,
        }
    }

    pub(super) fn succeeded(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = State::default();
    }

    /// Counts a failure; true for the one that opens the breaker.
    pub(super) fn failed(&self, now: Timestamp) -> bool {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.failures = state.failures.saturating_add(1);
        if state.failures >= FAILURES {
            state.open_until = Some(now.plus(PAUSE));
        }
        state.failures == FAILURES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_failures_in_a_row_pause_it_and_one_caller_tries_again() {
        let breaker = Breaker::default();
        let at = |second: i64| Timestamp::from_millis(second * 1000);
        assert!(!breaker.failed(at(0)) && !breaker.failed(at(0)));
        breaker.succeeded();
        assert!(!breaker.failed(at(0)) && !breaker.failed(at(0)));
        assert!(breaker.allows(at(0)));
        assert!(breaker.failed(at(0)));
        assert!(!breaker.allows(at(59)));
        assert!(breaker.allows(at(60)));
        assert!(!breaker.allows(at(60)), "one tries for all");
        breaker.failed(at(61));
        assert!(!breaker.allows(at(120)));
        assert!(breaker.allows(at(121)));
        breaker.succeeded();
        assert!(breaker.allows(at(121)) && breaker.allows(at(121)));
    }
}
