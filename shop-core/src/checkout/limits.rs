//! How much one customer may order before paying.
//!
//! Units of an unpaid order cannot be sold to anybody else. Without limits one account, which costs
//! nothing, takes the whole shop off sale for days.

use std::time::Duration;

use crate::clock::Timestamp;
use crate::config::OrdersConfig;
use crate::error::{Error, Refusal, Result};
use crate::id::AccountId;
use crate::order::store;
use crate::storage::{Prefetch, Tx};

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

    /// Whether they depend on the customer's other orders.
    pub(super) fn ask_for_orders(self) -> bool {
        self.open_unpaid > 0 || self.per_hour > 0
    }

    /// What [`Limits::check`] asks.
    pub(super) fn prefetch(self, customer: &AccountId) -> impl Iterator<Item = Prefetch> {
        let Self { open_unpaid, per_hour, .. } = self;
        let unpaid = (open_unpaid > 0).then(|| store::prefetch_unpaid(customer, open_unpaid));
        let latest = (per_hour > 0).then(|| store::prefetch_nth(customer, per_hour));
        unpaid.into_iter().chain(latest)
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
