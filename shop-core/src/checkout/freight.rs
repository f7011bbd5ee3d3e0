//! How an order is sent, and what that costs.

use super::PlaceOrder;
use super::lines::Item;
use crate::error::{Error, Refusal, Result};
use crate::id::ShippingOptionId;
use crate::money::Money;
use crate::shipping::packing::PackingPlan;
use crate::shipping::{self, Parcel, ShippingOption, ShippingRules};
use crate::storage::Tx;
use crate::value::{Cep, Uf};

/// Where the shipping option of an order comes from.
pub(super) enum Freight {
    /// From the shop's own tariffs, which are read with all else that the order is made of.
    OfTariffs,
    /// From carriers, who were asked before.
    Quoted {
        /// The option; `None` where nothing at all can be quoted.
        option: Option<ShippingOption>,
        quoted: Quoted,
    },
}

/// What a shipping price is for. While carriers are asked, customers can change their address and
/// their cart, and staff what products weigh, measure and cost.
pub(super) struct Quoted {
    pub(super) to: Cep,
    /// What is sent.
    pub(super) items: Vec<Item>,
    /// As what carriers were asked about it; nothing where they had no say.
    pub(super) parcel: Option<Parcel>,
}

impl Freight {
    /// Whether an order asks for one of the shop's own tariffs by name.
    pub(super) fn is_own(order: &PlaceOrder) -> bool {
        let wanted = order.shipping_option_id.as_ref();
        wanted.is_some_and(|id| id.as_str().starts_with(shipping::STATIC))
    }

    /// How an order to a state is sent; `None` where nothing at all can be quoted.
    pub(super) fn option(
        &self,
        tx: &mut dyn Tx,
        order: &PlaceOrder,
        state: &Uf,
    ) -> Result<Option<ShippingOption>> {
        match self {
            Self::Quoted { option, .. } => Ok(option.clone()),
            Self::OfTariffs => {
                let tariffs = shipping::static_options(tx, state)?;
                of_tariffs(tariffs, order.shipping_option_id.as_ref())
            }
        }
    }

    /// # Errors
    /// [`Error::Busy`] where carriers were asked about something else, or another place: a repeat
    /// asks anew.
    pub(super) fn check(&self, to: &Cep, items: &[Item]) -> Result<()> {
        match self {
            Self::Quoted { quoted, .. } if quoted.to != *to || quoted.items != items => {
                Err(Error::busy())
            }
            Self::Quoted { .. } | Self::OfTariffs => Ok(()),
        }
    }

    /// The same for how it is packed, which shows later.
    ///
    /// # Errors
    /// As [`Freight::check`].
    pub(super) fn check_packed(
        &self,
        order: &PlaceOrder,
        subtotal: Money,
        plan: &PackingPlan,
        rules: ShippingRules,
    ) -> Result<()> {
        let Self::Quoted { quoted, .. } = self else { return Ok(()) };
        let now = is_asked_about(order, subtotal, rules)
            .then(|| Parcel::packed(quoted.to.clone(), plan))
            .flatten();
        if now == quoted.parcel { Ok(()) } else { Err(Error::busy()) }
    }
}

/// Whether carriers have a say: not where shipping is free and any option will do.
pub(super) fn is_asked_about(order: &PlaceOrder, subtotal: Money, rules: ShippingRules) -> bool {
    !rules.is_free(subtotal) || order.shipping_option_id.is_some()
}

/// The tariff that is asked for, else the cheapest.
pub(super) fn of_tariffs(
    tariffs: Vec<ShippingOption>,
    wanted: Option<&ShippingOptionId>,
) -> Result<Option<ShippingOption>> {
    let mut tariffs = tariffs.into_iter();
    let Some(id) = wanted else { return Ok(tariffs.next()) };
    let found = tariffs.find(|option| option.id == *id);
    found.map(Some).ok_or(Error::Refused(Refusal::UnknownShippingOption))
}
