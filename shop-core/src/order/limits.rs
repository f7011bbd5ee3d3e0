//! How much one customer may take off the shelf before paying, and for how long.
//!
//! Units of an unpaid order cannot be sold to anybody else. Without limits one account, which costs
//! nothing, takes the whole shop off sale for days.

use std::time::Duration;

use super::{AccountId, store};
use crate::clock::Timestamp;
use crate::config::OrdersConfig;
use crate::error::{Error, Refusal, Result};
use crate::storage::Tx;

const HOUR: Duration = Duration::from_secs(60 * 60);

/// The settings that limit one customer; 0 limits nothing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    units: u32,
    open_unpaid: u32,
    per_hour: u32,
}

impl Limits {
    pub(super) fn of(config: &OrdersConfig) -> Self {
        Self {
            units: config.max_units_per_order,
            open_unpaid: config.max_open_unpaid,
            per_hour: config.max_per_hour,
        }
    }

    /// Whether the customer may place one more order, of so many units.
    ///
    /// # Errors
    /// [`Refusal::TooManyUnits`], [`Refusal::TooManyUnpaidOrders`], [`Refusal::TooManyOrders`].
    pub(super) fn check(
        self,
        tx: &mut dyn Tx,
        customer: &AccountId,
        units: i64,
        now: Timestamp,
    ) -> Result<()> {
        let Self { units: max_units, open_unpaid, per_hour } = self;
        if max_units > 0 && units > i64::from(max_units) {
            return Err(Error::Refused(Refusal::TooManyUnits { max: max_units }));
        }
        if open_unpaid > 0 && store::has_unpaid(tx, customer, open_unpaid)? {
            return Err(Error::Refused(Refusal::TooManyUnpaidOrders { max: open_unpaid }));
        }
        if per_hour > 0
            && let Some(oldest) = store::nth_latest(tx, customer, per_hour)?
            && now < oldest.plus(HOUR)
        {
            let millis = oldest.plus(HOUR).millis() - now.millis();
            let retry_after = Duration::from_millis(u64::try_from(millis).unwrap_or_default());
            return Err(Error::Refused(Refusal::TooManyOrders { retry_after }));
        }
        Ok(())
    }
}

/// Which unpaid orders have been held for too long: those placed at this moment or before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UnpaidCutoff {
    /// For orders that were only ever to be paid by PIX: who does not pay within a day does not pay.
    pub(super) pix: Timestamp,
    /// For all others.
    pub(super) other: Timestamp,
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
        (other > 0).then(|| Self { pix: before(pix), other: before(other) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pix_orders_are_held_no_longer_than_others_and_none_for_ever_but_all() {
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
