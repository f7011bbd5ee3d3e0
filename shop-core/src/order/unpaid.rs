//! For how long the units of an unpaid order are held.

use std::time::Duration;

use crate::clock::Timestamp;
use crate::config::OrdersConfig;

const HOUR: Duration = Duration::from_secs(60 * 60);

/// Which unpaid orders have been held for too long: those placed at this moment or before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UnpaidCutoff {
    /// For orders that were only ever to be paid by PIX: a PIX code that is not paid within a day
    /// will not be.
    pub(super) pix: Timestamp,
    /// For all others. Never later.
    pub(super) other: Timestamp,
    pub(super) now: Timestamp,
}

impl UnpaidCutoff {
    /// `None` where unpaid orders stay (`orders.unpaid_ttl_hours = 0`). PIX orders are never held
    /// for longer than others.
    pub(crate) fn of(config: &OrdersConfig, now: Timestamp) -> Option<Self> {
        let other = config.unpaid_ttl_hours;
        let pix = match config.unpaid_pix_ttl_hours {
            0 => other,
            pix => pix.min(other),
        };
        let before = |hours: u32| now.minus(HOUR * hours);
        (other > 0).then(|| Self { pix: before(pix), other: before(other), now })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pix_orders_are_held_no_longer_than_others_and_for_ever_only_where_all_are() {
        let now = Timestamp::from_millis(1_000_000_000_000);
        let cutoff = |other, pix| {
            let config = OrdersConfig {
                unpaid_ttl_hours: other,
                unpaid_pix_ttl_hours: pix,
                ..OrdersConfig::default()
            };
            let hours = |at: Timestamp| (now.millis() - at.millis()) / 3_600_000;
            UnpaidCutoff::of(&config, now).map(|cutoff| (hours(cutoff.other), hours(cutoff.pix)))
        };
        assert_eq!(cutoff(72, 24), Some((72, 24)));
        assert_eq!(cutoff(12, 24), Some((12, 12)));
        assert_eq!(cutoff(72, 0), Some((72, 72)));
        assert_eq!(cutoff(0, 24), None);
    }
}
