//! What it costs to send a parcel.
//!
//! Carriers are asked first ([`CarrierQuotes`]); when none of them says anything in time, the static
//! tariffs count that staff keep, one set for each state. An order above [`FREE_SHIPPING_FROM`] is
//! sent for nothing.

mod breaker;
mod carrier;
mod cep;
mod cep_table;
#[cfg(feature = "http")]
pub(crate) mod client;
mod desk;
mod kept;
mod quote;

use serde::{Deserialize, Serialize};

pub use self::carrier::{BOX, BoxSize, CarrierError, CarrierOption, CarrierQuotes, Parcel};
pub(crate) use self::cep::CepDesk;
pub use self::cep::{Place, PostalCodes};
pub(crate) use self::desk::QuoteDesk;
pub use self::quote::{CalculateShipping, QuoteOption, QuoteSource, ShippingQuote};
use crate::error::Result;
use crate::id::{ShippingOptionId, TariffId};
use crate::money::Money;
use crate::shop::Shop;
use crate::storage::Tx;
use crate::value::{Text, Uf};

/// The subtotal, before any discount, from which shipping is free (section "Limits").
pub const FREE_SHIPPING_FROM: Money = Money::from_cents(15_000);

/// What the ids of options begin with that come from a static tariff.
pub(crate) const STATIC: &str = "static-";

/// A price for a set of states, kept by staff, for when no carrier answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Tariff {
    /// Its id.
    pub id: TariffId,
    /// As shoppers see it, e.g. "Econômica".
    pub name: String,
    /// The states it serves.
    pub states: Vec<Uf>,
    /// What it costs.
    pub price: Money,
    /// Business days until delivery.
    pub estimated_days: i64,
}

/// A tariff to be created.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NewTariff {
    /// As shoppers see it.
    pub name: Text<1, 80>,
    /// The states it serves.
    pub states: Vec<Uf>,
    /// What it costs.
    pub price: Money,
    /// Business days until delivery.
    pub estimated_days: u16,
}

/// A way to send a parcel, with its price before any free shipping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShippingOption {
    pub(crate) id: ShippingOptionId,
    pub(crate) name: String,
    pub(crate) price: Money,
    pub(crate) estimated_days: i64,
}

/// Shipping prices.
#[derive(Debug, Clone, Copy)]
pub struct Shipping<'a> {
    shop: &'a Shop,
}

impl<'a> Shipping<'a> {
    pub(crate) fn new(shop: &'a Shop) -> Self {
        Self { shop }
    }

    /// What it costs to send something: by the first carrier, in the order of preference, that
    /// has an answer in time, else by the static tariffs.
    ///
    /// # Errors
    /// [`crate::error::Refusal::UnknownCep`] when there is positively no such postal code.
    pub async fn calculate(&self, wanted: CalculateShipping) -> Result<ShippingQuote> {
        quote::calculate(self.shop, wanted).await
    }

    /// Adds a static tariff.
    pub async fn create_tariff(&self, new: NewTariff) -> Result<Tariff> {
        let at = self.shop.moment();
        let tariff = Tariff {
            id: at.id(),
            name: new.name.to_string(),
            states: new.states,
            price: new.price,
            estimated_days: new.estimated_days.into(),
        };
        self.shop
            .db()
            .write("shipping.create_tariff", move |tx| {
                insert(tx, &tariff, at.now())?;
                Ok(tariff.clone())
            })
            .await
    }
}

/// What shipping costs on an order: nothing from [`FREE_SHIPPING_FROM`], else the option's price,
/// else the fallback (decision 5).
pub(crate) fn price(subtotal: Money, option: Option<&ShippingOption>, fallback: Money) -> Money {
    if subtotal >= FREE_SHIPPING_FROM {
        Money::ZERO
    } else {
        option.map_or(fallback, |option| option.price)
    }
}

/// The options for a state, cheapest first.
pub(crate) fn static_options(tx: &mut dyn Tx, state: &Uf) -> Result<Vec<ShippingOption>> {
    let served = format!("%,{state},%");
    tx.all(
        "SELECT id, name, price, estimated_days FROM shipping_tariff
         WHERE states LIKE $1 ORDER BY price, id",
        &[(&served).into()],
        |row| {
            let id: TariffId = row.get(0)?;
            Ok(ShippingOption {
                id: format!("{STATIC}{id}").into(),
                name: row.get(1)?,
                price: row.get(2)?,
                estimated_days: row.get(3)?,
            })
        },
    )
}

fn insert(tx: &mut dyn Tx, tariff: &Tariff, now: crate::clock::Timestamp) -> Result<()> {
    let states: Vec<&str> = tariff.states.iter().map(Uf::as_str).collect();
    let states = format!(",{},", states.join(","));
    tx.execute(
        "INSERT INTO shipping_tariff (id, name, states, price, estimated_days, created_at)
         VALUES ($1, $2, $3, $4, $5, $6)",
        &[
            (&tariff.id).into(),
            (&tariff.name).into(),
            (&states).into(),
            tariff.price.into(),
            tariff.estimated_days.into(),
            now.into(),
        ],
    )?;
    Ok(())
}
