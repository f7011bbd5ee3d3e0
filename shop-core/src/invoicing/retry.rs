//! When the tax office is asked again about what it has not decided.

use std::time::Duration;

use crate::clock::Timestamp;

/// How long a round of background work starts questions to the tax office: a slow office must not
/// hold up the rest of the work.
pub(super) const ROUND_TIME: Duration = Duration::from_secs(60);
/// The longest time between two questions about the same thing.
const LONGEST_WAIT: Duration = Duration::from_secs(60 * 60);

/// When to ask again after a rejection that passes.
pub(super) fn after_passing(code: u16, tries: i64, now: Timestamp) -> Timestamp {
    // Asked too often: the office refuses further questions for an hour.
    if code == 656 { now.plus(LONGEST_WAIT) } else { next_try(tries, now) }
}

/// When to ask again after so many questions: after a minute, then twice as long each time, up to
/// an hour.
pub(super) fn next_try(tries: i64, now: Timestamp) -> Timestamp {
    let doublings = u32::try_from(tries.clamp(0, 6)).unwrap_or_default();
    now.plus(LONGEST_WAIT.min(Duration::from_secs(60) * 2_u32.pow(doublings)))
}
