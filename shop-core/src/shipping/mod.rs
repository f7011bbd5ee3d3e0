//! What it costs to send a parcel.
//!
//! Carriers are asked first ([`CarrierQuotes`]); when none of them says anything in time, the
//! static tariffs count that staff keep, one set for each state. A large order is sent for nothing
//! (`shipping.free_from`).

mod boxes;
mod breaker;
mod carrier;
mod cep;
mod cep_table;
#[cfg(feature = "http")]
pub(crate) mod client;
mod health;
mod in_flight;
pub mod packing;
mod pause;
mod place;
mod quote;
mod quote_cache;
mod quote_service;
mod quoted_items;
mod tariff;
mod tracking;

pub use self::boxes::{BoxWarning, NewShippingBox, ShippingBox, ShippingBoxPatch};
pub(crate) use self::boxes::{all as all_boxes, prefetch_all as prefetch_boxes};
pub use self::carrier::{BOX, BoxSize, CarrierError, CarrierOption, CarrierQuotes, Parcel, Volume};
pub(crate) use self::cep::PostalCodeLookup;
pub(crate) use self::cep_table::state_of;
pub(crate) use self::health::{CarrierHealth, SUPPORTED};
pub use self::health::{CarrierState, CarrierStatus};
pub(crate) use self::pause::Paced;
pub use self::place::{Place, PostalCodes};
pub use self::quote::{
    CalculateShipping, PostalCodePlace, QuoteOption, QuoteSource, ShippingQuote,
};
pub(crate) use self::quote_service::QuoteService;
pub use self::quoted_items::{QuotedItem, QuotedItems};
pub use self::tariff::{NewTariff, Tariff, TariffPatch};
pub(crate) use self::tariff::{prefetch_static_options, static_options};
pub(crate) use self::tracking::tracking_url;
use crate::config::ShippingConfig;
use crate::context::Context;
use crate::error::Result;
use crate::id::ShippingOptionId;
use crate::money::Money;
use crate::storage::Db;

/// What the ids of options begin with that come from a static tariff.
pub(crate) const STATIC: &str = "static-";

/// A way to send a parcel, with its price before any free shipping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShippingOption {
    pub(crate) id: ShippingOptionId,
    pub(crate) name: String,
    pub(crate) price: Money,
    pub(crate) estimated_days: i64,
}

/// Shipping prices.
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// use shop_core::actor::Actor;
/// use shop_core::shipping::{CalculateShipping, NewTariff};
///
/// let sedex = NewTariff {
///     name: "Sudeste".parse()?,
///     states: vec!["SP".parse()?, "RJ".parse()?],
///     price: "18.50".parse()?,
///     estimated_days: 5,
/// };
/// shop.shipping().create_tariff(&Actor::System, sedex).await?;
/// let wanted =
///     CalculateShipping::new("01001-000".parse()?, "99.80".parse()?);
/// let quote = shop.shipping().calculate(wanted).await?;
/// assert_eq!(quote.options[0].price.to_string(), "18.50");
/// assert_eq!(quote.remaining.map(|it| it.to_string()).as_deref(), Some("50.20"));
/// # Ok(())
/// # });
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Shipping<'a> {
    cx: &'a Context,
    services: &'a ShippingServices,
}

/// The third parties of shipping: carriers that are asked for prices, and for how they are, and the
/// look-up of postal codes.
pub(crate) struct ShippingServices {
    pub(crate) quotes: QuoteService,
    pub(crate) probes: CarrierHealth,
    pub(crate) postal_codes: PostalCodeLookup,
}

opaque! { ShippingServices; }

impl<'a> Shipping<'a> {
    pub(crate) fn new(cx: &'a Context, services: &'a ShippingServices) -> Self {
        Self { cx, services }
    }

    /// How each carrier is doing. A real question says so: it was asked in the background, or is
    /// asked now where that is too long ago.
    ///
    /// Cancel safe: reads only.
    pub async fn list_carriers(&self) -> Vec<CarrierState> {
        self.services.probes.look(health::FRESH).await
    }
}

/// Says in the log that every order is sent for nothing, where nobody decided so.
pub(crate) async fn warn_of_fallback(
    config: &ShippingConfig,
    quotes: &QuoteService,
    db: &Db,
) -> Result<()> {
    let is_decided =
        config.fallback_price > Money::ZERO || ShippingRules::of(config).is_free(Money::ZERO);
    if is_decided || quotes.has_carriers() || db.lookup("shipping.any", tariff::any).await? {
        return Ok(());
    }
    tracing::warn!(
        "no carrier is set up and there is no shipping tariff: every order is sent for R$ 0,00; set \
         up a carrier, add tariffs, set shipping.fallback_price, or set shipping.free_from = \
         \"0.00\" where this is meant"
    );
    Ok(())
}

/// The settings that say what shipping costs on an order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShippingRules {
    /// The subtotal, before any discount, from which it is free, if there is one.
    free_from: Option<Money>,
    /// What it costs where nothing at all can be quoted.
    fallback: Money,
}

impl ShippingRules {
    pub(crate) fn of(config: &ShippingConfig) -> Self {
        Self { free_from: config.free_from, fallback: config.fallback_price }
    }

    pub(crate) fn is_free(self, subtotal: Money) -> bool {
        self.free_from.is_some_and(|from| subtotal >= from)
    }

    /// Nothing where it is free, else the option's price, else the fallback
    /// (docs/decisions.md, "Orders and stock").
    pub(crate) fn price(self, subtotal: Money, option: Option<&ShippingOption>) -> Money {
        if self.is_free(subtotal) {
            Money::ZERO
        } else {
            option.map_or(self.fallback, |option| option.price)
        }
    }
}
