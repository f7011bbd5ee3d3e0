//! A shipping quote, as shoppers see it.

use std::borrow::Cow;

use futures_util::future;
use serde::{Deserialize, Deserializer, Serialize};

use super::carrier::Parcel;
use super::{Shipping, ShippingOption, ShippingRules, ShippingServices, static_options};
use crate::context::Context;
use crate::error::{Error, Refusal, Result};
use crate::id::ShippingOptionId;
use crate::money::{AskedAmount, Money};
use crate::value::{Cep, InvalidValue, Uf, Weight};

/// What a quote is wanted for. It comes in a query, so its numbers are read from text.
#[apply(input!)]
pub struct CalculateShipping {
    /// Where the parcel goes: eight digits, with or without a hyphen.
    pub cep: Cep,
    /// What is in the cart, in BRL, before discounts.
    #[serde(deserialize_with = "subtotal_from_text")]
    #[cfg_attr(feature = "schema", schemars(extend("minimum" = 0)))]
    pub subtotal: AskedAmount,
    /// What it weighs in kilograms; 0.3 where it is left out.
    #[serde(default, deserialize_with = "weight_from_text")]
    pub weight: Option<Weight>,
}

/// What it costs to send something.
#[apply(answer!)]
pub struct ShippingQuote {
    /// The postal code, digits only.
    pub cep: Cep,
    /// The state that the postal code is in.
    pub state: Uf,
    /// The city; empty where only the state is known.
    pub city: String,
    /// The ways to send it, cheapest first.
    pub options: Vec<QuoteOption>,
    /// Whether the subtotal makes shipping free.
    pub qualifies_for_free: bool,
    /// The subtotal from which it is; null where it never is (`shipping.free_from`).
    pub free_shipping_threshold: Option<Money>,
    /// What is still missing for that; 0 when it is reached.
    pub remaining: Option<Money>,
    /// Where the options come from.
    pub source: QuoteSource,
}

/// A way to send it.
#[apply(answer!)]
pub struct QuoteOption {
    /// What an order names as `shippingOptionId`.
    pub id: ShippingOptionId,
    /// As shoppers see it.
    pub name: String,
    /// What it costs where it is not free.
    pub price: Money,
    /// Business days until delivery.
    pub estimated_days: i64,
    /// Whether an order of this subtotal gets it for nothing.
    pub free: bool,
}

/// Where the options come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "lowercase")]
pub enum QuoteSource {
    /// A carrier.
    Api,
    /// The shop's own tariffs.
    Static,
}

impl CalculateShipping {
    /// What carriers are asked about.
    fn parcel(&self) -> Parcel {
        Parcel::new(self.cep.clone(), self.weight.unwrap_or(Weight::DEFAULT), self.subtotal.get())
    }
}

impl Shipping<'_> {
    /// What it costs to send something: by the first carrier, in the order of preference, that
    /// has an answer in time, else by the static tariffs.
    ///
    /// # Errors
    /// [`crate::error::Refusal::UnknownCep`] when there is positively no such postal code.
    ///
    /// Cancel safe: reads only.
    pub async fn calculate(&self, wanted: CalculateShipping) -> Result<ShippingQuote> {
        calculate(self.cx, self.services, wanted).await
    }

    /// Whether [`Shipping::calculate`] would ask a carrier or the look-up of postal codes. What was
    /// asked of late is answered from memory.
    pub fn would_ask(&self, wanted: &CalculateShipping) -> bool {
        let parcel = wanted.parcel();
        self.services.quotes.would_ask(&parcel) || self.services.postal_codes.would_ask(&parcel.to)
    }
}

/// Carriers need not wait to hear where a postal code is; an unknown one ends their work.
async fn calculate(
    cx: &Context,
    services: &ShippingServices,
    wanted: CalculateShipping,
) -> Result<ShippingQuote> {
    let parcel = wanted.parcel();
    let CalculateShipping { cep, subtotal, weight: _ } = wanted;
    let subtotal = subtotal.get();
    let place =
        async { services.postal_codes.find(&cep).await.ok_or(Error::Refused(Refusal::UnknownCep)) };
    let by_carriers = async { Ok(services.quotes.quote(&parcel).await) };
    let (place, by_carriers) = future::try_join(Box::pin(place), Box::pin(by_carriers)).await?;
    let (options, source) = if by_carriers.is_empty() {
        (of_tariffs(cx, place.state.clone()).await?, QuoteSource::Static)
    } else {
        (by_carriers, QuoteSource::Api)
    };
    let config = &cx.config().shipping;
    let free = ShippingRules::of(config).is_free(subtotal);
    Ok(ShippingQuote {
        cep,
        state: place.state,
        city: place.city,
        options: options.into_iter().map(|option| option.shown(free)).collect(),
        qualifies_for_free: free,
        free_shipping_threshold: config.free_from,
        remaining: config.free_from.map(|from| (from - subtotal).max(Money::ZERO)),
        source,
    })
}

async fn of_tariffs(cx: &Context, state: Uf) -> Result<Vec<ShippingOption>> {
    cx.db().lookup("shipping.tariffs", move |tx| static_options(tx, &state)).await
}

impl ShippingOption {
    fn shown(self, free: bool) -> QuoteOption {
        let Self { id, name, price, estimated_days } = self;
        QuoteOption { id, name, price, estimated_days, free }
    }
}

fn subtotal_from_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<AskedAmount, D::Error> {
    let amount: AskedAmount = AskedAmount::deserialize_text(deserializer)?;
    if amount.get() < Money::ZERO {
        return Err(serde::de::Error::custom(InvalidValue::AtLeast { least: 0 }));
    }
    Ok(amount)
}

fn weight_from_text<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Weight>, D::Error> {
    let text = Cow::<'de, str>::deserialize(deserializer)?;
    text.parse().map(Some).map_err(serde::de::Error::custom)
}
