//! The rules of carriers.

use std::collections::HashSet;

use super::{Broken, Outcome, checks, must, run, verdict};
use crate::clock::Timestamp;
use crate::money::Money;
use crate::shipping::{CarrierOption, CarrierQuotes, Parcel};
use crate::value::{Cep, Weight};

/// Where a carrier is asked to go.
#[derive(Debug, Clone)]
pub struct CarrierBench {
    now: Timestamp,
    served: Cep,
    unserved: Option<Cep>,
}

impl CarrierBench {
    /// At this time, and to a place that the carrier serves.
    #[must_use]
    pub fn new(now: Timestamp, served: Cep) -> Self {
        Self { now, served, unserved: None }
    }

    /// Also to a place that it does not serve.
    #[must_use]
    pub fn not_serving(self, unserved: Cep) -> Self {
        Self { unserved: Some(unserved), ..self }
    }
}

pub(super) struct Tried<'a> {
    port: &'a dyn CarrierQuotes,
    bench: &'a CarrierBench,
}

impl Tried<'_> {
    async fn quote(&self, to: &Cep) -> Result<Vec<CarrierOption>, String> {
        let parcel = Parcel::new(to.clone(), Weight::from_grams(300), Money::from_cents(5000));
        let quoted = self.port.quote(&parcel, self.bench.now).await;
        quoted.map_err(|error| format!("it answers with an error: {error}"))
    }
}

checks! {
    /// The checks of every carrier.
    CARRIER_CHECKS, CARRIERS:
    a_place_that_is_served_has_an_option,
    a_place_that_is_not_served_has_none_and_is_no_error,
    options_are_told_apart_by_their_ids,
    the_same_parcel_has_the_same_options,
    an_option_has_a_name_a_price_and_a_time,
    the_carrier_says_that_it_can_carry,
}

/// Holds a carrier to its port ([`CarrierQuotes`]).
///
/// # Errors
/// [`Broken`] names every rule that it breaks.
///
/// Cancel safe: it asks only.
pub async fn carrier(port: &dyn CarrierQuotes, bench: &CarrierBench) -> Result<(), Broken> {
    let mut broken = Vec::new();
    run::<Tried<'_>>(CARRIERS, &Tried { port, bench }, &mut broken).await;
    verdict(broken)
}

async fn a_place_that_is_served_has_an_option(tried: &Tried<'_>) -> Outcome {
    let options = tried.quote(&tried.bench.served).await?;
    must(!options.is_empty(), || "it has none".to_owned())
}

async fn a_place_that_is_not_served_has_none_and_is_no_error(tried: &Tried<'_>) -> Outcome {
    let Some(unserved) = &tried.bench.unserved else { return Ok(()) };
    let options = tried.quote(unserved).await?;
    must(options.is_empty(), || format!("it offers {options:?}"))
}

async fn options_are_told_apart_by_their_ids(tried: &Tried<'_>) -> Outcome {
    let options = tried.quote(&tried.bench.served).await?;
    let ids: HashSet<&str> = options.iter().map(|option| option.id.as_str()).collect();
    let are_apart = ids.len() == options.len() && !ids.contains("");
    must(are_apart, || {
        format!("they are {:?}", options.iter().map(|it| &it.id).collect::<Vec<_>>())
    })
}

/// An order names an option of a quote by its id, and is placed a while after.
async fn the_same_parcel_has_the_same_options(tried: &Tried<'_>) -> Outcome {
    let ids =
        |options: Vec<CarrierOption>| options.into_iter().map(|it| it.id).collect::<HashSet<_>>();
    let first = ids(tried.quote(&tried.bench.served).await?);
    let again = ids(tried.quote(&tried.bench.served).await?);
    must(first == again, || format!("{again:?} after {first:?}"))
}

async fn an_option_has_a_name_a_price_and_a_time(tried: &Tried<'_>) -> Outcome {
    for option in tried.quote(&tried.bench.served).await? {
        let is_whole = !option.name.trim().is_empty()
            && (Money::ZERO..=Money::MAX).contains(&option.price)
            && option.estimated_days >= 0;
        must(is_whole, || format!("it offers {option:?}"))?;
    }
    Ok(())
}

async fn the_carrier_says_that_it_can_carry(tried: &Tried<'_>) -> Outcome {
    let probed = tried.port.probe(tried.bench.now).await;
    probed.map_err(|error| format!("its probe fails: {error}"))
}
