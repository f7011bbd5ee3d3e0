//! When a delivery that failed is tried again: after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h.

use std::time::Duration;

use sha2::{Digest, Sha256};

/// Seconds after each failure; after the last there is no further try.
const WAITS: [u64; 7] = [5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 10 * 3600];

/// How long a receiver may put the shop off.
pub(super) const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(12 * 3600);

/// The wait after the failure of this attempt, counted from 1, give or take a fifth: receivers that
/// went down together are not all asked again at the same instant. Which way it is bent follows
/// from the message, so that it is the same wherever it is worked out.
pub(super) fn wait_after(message: &str, attempt: i64) -> Option<Duration> {
    let index = usize::try_from(attempt.checked_sub(1)?).ok()?;
    let seconds = *WAITS.get(index)?;
    let digest = Sha256::digest(format!("{message}:{attempt}"));
    let bent = u64::from(u16::from_be_bytes([digest[0], digest[1]]));
    // 0.8 to 1.2 of it, in milliseconds.
    Some(Duration::from_millis(seconds * 800 + seconds * 400 * bent / u64::from(u16::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_those_of_the_table_give_or_take_a_fifth() {
        for message in 0..200 {
            let waits: Vec<Duration> =
                (1..=8).map_while(|n| wait_after(&format!("msg_{message}"), n)).collect();
            assert_eq!(waits.len(), WAITS.len());
            for (wait, seconds) in waits.iter().zip(WAITS) {
                let exact = Duration::from_secs(seconds);
                assert!(*wait >= exact * 4 / 5 && *wait <= exact * 6 / 5, "{wait:?}");
            }
        }
        assert_eq!((wait_after("msg_1", 0), wait_after("msg_1", 8)), (None, None));
        assert_eq!(wait_after("msg_1", i64::MIN), None);
    }

    #[test]
    fn messages_are_spread_over_the_whole_range_and_each_keeps_its_place() {
        let waits: Vec<u128> = (0..500)
            .filter_map(|n| wait_after(&format!("msg_{n}"), 2))
            .map(|wait| wait.as_millis())
            .collect();
        assert!(waits.iter().any(|wait| *wait < 246_000), "{waits:?}");
        assert!(waits.iter().any(|wait| *wait > 354_000), "{waits:?}");
        assert_eq!(wait_after("msg_7", 2), wait_after("msg_7", 2));
    }
}
