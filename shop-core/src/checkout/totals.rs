//! The sums of an order, and the settings that placing one follows.

use super::limits::Limits;
use crate::config::Config;
use crate::error::{Error, Refusal, Result};
use crate::money::Money;
use crate::shipping::{ShippingOption, ShippingRules};

/// The settings that placing an order follows.
#[derive(Debug, Clone)]
pub(super) struct Rules {
    pub(super) order_prefix: String,
    pub(super) shipping: ShippingRules,
    pub(super) limits: Limits,
}

impl Rules {
    pub(super) fn of(config: &Config) -> Self {
        Self {
            order_prefix: config.order_prefix.clone(),
            shipping: ShippingRules::of(&config.shipping),
            limits: Limits::of(&config.orders),
        }
    }
}

/// The sums of an order: `total = subtotal - discount + shipping`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Totals {
    pub(super) subtotal: Money,
    pub(super) discount: Money,
    pub(super) shipping: Money,
    pub(super) total: Money,
}

impl Totals {
    pub(super) fn new(
        subtotal: Money,
        discount: Money,
        option: Option<&ShippingOption>,
        rules: &Rules,
    ) -> Self {
        let shipping = rules.shipping.price(subtotal, option);
        Self { subtotal, discount, shipping, total: subtotal - discount + shipping }
    }

    /// Every amount of an order can be read again, as repeats are.
    pub(super) fn check(&self) -> Result<()> {
        if self.subtotal.max(self.total) > Money::MAX {
            return Err(Error::Refused(Refusal::AmountOutOfRange(self.total)));
        }
        Ok(())
    }
}
