//! A shipping quote, as shoppers see it.

use std::borrow::Cow;

use futures_util::future;
use serde::{Deserialize, Deserializer, Serialize};

use super::carrier::Parcel;
use super::packing::{PackLine, PackingPlan};
use super::place::Place;
use super::quoted_items::{QuotedItem, QuotedItems};
use super::{Shipping, ShippingOption, ShippingRules, ShippingServices, boxes, static_options};
use crate::catalog;
use crate::context::Context;
use crate::error::{Error, Refusal, Result};
use crate::id::ShippingOptionId;
use crate::money::{AskedAmount, Money};
use crate::storage::Tx;
use crate::value::{Cep, InvalidValue, Uf, Weight};

/// What a quote is wanted for. It comes in a query, so its numbers are read from text.
#[apply(input!)]
pub struct CalculateShipping {
    /// Where the parcel goes: eight digits, with or without a hyphen.
    pub cep: Cep,
    /// What is in the cart, in BRL, before discounts; with `items` it is what they come to that
    /// counts.
    #[serde(deserialize_with = "subtotal_from_text")]
    #[cfg_attr(feature = "schema", schemars(extend("minimum" = 0)))]
    pub subtotal: AskedAmount,
    /// What it weighs in kilograms; 0.3 where it is left out.
    #[serde(default, deserialize_with = "weight_from_text")]
    pub weight: Option<Weight>,
    /// What is in the cart. Carriers are then asked about the parcels that an order of it would
    /// travel in, and `weight` does not count; the price is the order's.
    #[serde(default)]
    pub items: Option<QuotedItems>,
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
    /// Where there are no options: what an order of this subtotal pays for shipping all the same
    /// (`shipping.fallback_price`, nothing where it is free). Null where there are some.
    pub fallback_price: Option<Money>,
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

/// What a postal code says of an address, for a form that fills itself in.
#[apply(answer!)]
pub struct PostalCodePlace {
    /// Eight digits.
    pub zip_code: Cep,
    /// The street, where the code is of one.
    pub street: Option<String>,
    /// The district, where the code is of one.
    pub district: Option<String>,
    /// The city; empty where only the state is known.
    pub city: String,
    /// By its two letters.
    pub state: Uf,
}

impl Shipping<'_> {
    /// Where a postal code is, by the look-up service, else as far as the built-in table knows.
    ///
    /// # Errors
    /// [`crate::error::Refusal::UnknownCep`] when there is positively no such postal code.
    ///
    /// Cancel safe: reads only.
    pub async fn look_up(&self, cep: Cep) -> Result<PostalCodePlace> {
        let place = self.services.postal_codes.find(&cep).await;
        let place = place.ok_or(Error::Refused(Refusal::UnknownCep))?;
        let Place { state, city, district, street } = place;
        Ok(PostalCodePlace { zip_code: cep, street, district, city, state })
    }

    /// Whether [`Shipping::look_up`] would ask the service.
    pub fn would_look_up(&self, cep: &Cep) -> bool {
        self.services.postal_codes.would_ask(cep)
    }

    /// What it costs to send something: by the first carrier, in the order of preference, that
    /// has an answer in time, else by the static tariffs.
    ///
    /// # Errors
    /// [`crate::error::Refusal::UnknownCep`] when there is positively no such postal code;
    /// [`crate::error::Refusal::InactiveProduct`] and [`crate::error::Refusal::VariantRequired`]
    /// for items that cannot be bought.
    ///
    /// Cancel safe: reads only.
    pub async fn calculate(&self, wanted: CalculateShipping) -> Result<ShippingQuote> {
        self.prepare(wanted).await?.calculate().await
    }

    /// What [`Shipping::calculate`] does before it asks anybody: items are priced and packed.
    ///
    /// # Errors
    /// As [`Shipping::calculate`] for the items.
    ///
    /// Cancel safe: reads only.
    pub async fn prepare(&self, wanted: CalculateShipping) -> Result<PreparedQuote<'_>> {
        let CalculateShipping { cep, subtotal, weight, items } = wanted;
        let (subtotal, parcel) = match items {
            None => {
                let (weight, subtotal) = (weight.unwrap_or(Weight::DEFAULT), subtotal.get());
                (subtotal, Some(Parcel::new(cep.clone(), weight, subtotal)))
            }
            Some(items) => {
                let job = move |tx: &mut dyn Tx| pack(tx, &items);
                let (subtotal, plan) = self.cx.db().read("shipping.pack", job).await?;
                (subtotal, Parcel::packed(cep.clone(), &plan))
            }
        };
        Ok(PreparedQuote { cx: self.cx, services: self.services, cep, subtotal, parcel })
    }
}

/// A quote that is still to be asked for ([`Shipping::prepare`]).
#[derive(Debug)]
pub struct PreparedQuote<'a> {
    cx: &'a Context,
    services: &'a ShippingServices,
    cep: Cep,
    /// Before discounts.
    subtotal: Money,
    /// None for more parcels than carriers are asked about.
    parcel: Option<Parcel>,
}

impl PreparedQuote<'_> {
    /// Whether [`PreparedQuote::calculate`] would ask a carrier or the look-up of postal codes.
    /// What was asked of late is answered from memory.
    pub fn would_ask(&self) -> bool {
        let asks = |parcel: &Parcel| self.services.quotes.would_ask(parcel);
        self.parcel.as_ref().is_some_and(asks) || self.services.postal_codes.would_ask(&self.cep)
    }

    /// Asks carriers and the look-up of postal codes, as [`Shipping::calculate`] says. Carriers
    /// need not wait to hear where a postal code is; an unknown one ends their work.
    ///
    /// # Errors
    /// [`crate::error::Refusal::UnknownCep`] when there is positively no such postal code.
    ///
    /// Cancel safe: reads only.
    pub async fn calculate(self) -> Result<ShippingQuote> {
        let Self { cx, services, cep, subtotal, parcel } = self;
        let place = async {
            services.postal_codes.find(&cep).await.ok_or(Error::Refused(Refusal::UnknownCep))
        };
        let by_carriers = async {
            match &parcel {
                Some(parcel) => Ok(services.quotes.quote(parcel).await),
                None => Ok(Vec::new()),
            }
        };
        let (place, by_carriers) = future::try_join(Box::pin(place), Box::pin(by_carriers)).await?;
        let (options, source) = if by_carriers.is_empty() {
            (of_tariffs(cx, place.state.clone()).await?, QuoteSource::Static)
        } else {
            (by_carriers, QuoteSource::Api)
        };
        let config = &cx.config().shipping;
        let rules = ShippingRules::of(config);
        let free = rules.is_free(subtotal);
        Ok(ShippingQuote {
            cep,
            state: place.state,
            city: place.city,
            fallback_price: options.is_empty().then(|| rules.price(subtotal, None)),
            options: options.into_iter().map(|option| option.shown(free)).collect(),
            qualifies_for_free: free,
            free_shipping_threshold: config.free_from,
            remaining: config.free_from.map(|from| (from - subtotal).max(Money::ZERO)),
            source,
        })
    }
}

/// What the items come to, and the parcels that they travel in.
fn pack(tx: &mut dyn Tx, items: &QuotedItems) -> Result<(Money, PackingPlan)> {
    let mut lines = Vec::with_capacity(items.as_slice().len());
    for QuotedItem { product_id, variant_id, quantity } in items.as_slice() {
        let offered = catalog::offered(tx, product_id, variant_id.as_ref())?;
        lines.push(PackLine::of(product_id, variant_id.as_ref(), quantity.get(), &offered));
    }
    let subtotal = lines.iter().map(|line: &PackLine| line.price * line.quantity).sum();
    Ok((subtotal, PackingPlan::pack(&boxes::all(tx)?, &lines)))
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
