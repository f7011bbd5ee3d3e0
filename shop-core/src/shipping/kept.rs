//! The quotes of the last half hour.
//!
//! They serve twice. For a few minutes they answer the same question again without asking anybody.
//! And for longer they hold what was offered: an option that a customer was shown can be ordered
//! even when its carrier is down by then.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::ShippingOption;
use super::carrier::Parcel;
use crate::clock::Timestamp;
use crate::id::ShippingOptionId;
use crate::value::Cep;

/// How long a quote answers the same question.
const FRESH: Duration = Duration::from_secs(5 * 60);
/// How long an offer holds.
const HELD: Duration = Duration::from_secs(30 * 60);
/// How many postal codes are remembered, and how many quotes for each.
const MAX_CEPS: usize = 10_000;
const MAX_QUOTES: usize = 16;

#[derive(Debug)]
struct Kept {
    parcel: Parcel,
    at: Timestamp,
    options: Vec<ShippingOption>,
}

/// Quotes of late, by postal code, oldest first.
#[derive(Debug, Default)]
pub(super) struct KeptQuotes(Mutex<HashMap<Cep, VecDeque<Kept>>>);

impl KeptQuotes {
    /// What was quoted for just this parcel a few minutes ago.
    pub(super) fn fresh(&self, parcel: &Parcel, now: Timestamp) -> Option<Vec<ShippingOption>> {
        let quotes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut newest_first = quotes.get(&parcel.to)?.iter().rev();
        let kept = newest_first.find(|kept| kept.parcel == *parcel)?;
        (now < kept.at.plus(FRESH)).then(|| kept.options.clone())
    }

    /// An offer for just this parcel that still holds.
    pub(super) fn offer(
        &self,
        parcel: &Parcel,
        id: &ShippingOptionId,
        now: Timestamp,
    ) -> Option<ShippingOption> {
        self.find(parcel, id, now, |other| other == parcel)
    }

    /// An offer that still holds for this parcel or, failing that, for a heavier one.
    pub(super) fn offer_for_heavier(
        &self,
        parcel: &Parcel,
        id: &ShippingOptionId,
        now: Timestamp,
    ) -> Option<ShippingOption> {
        self.find(parcel, id, now, |other| other.weight >= parcel.weight)
    }

    fn find(
        &self,
        parcel: &Parcel,
        id: &ShippingOptionId,
        now: Timestamp,
        fits: impl Fn(&Parcel) -> bool,
    ) -> Option<ShippingOption> {
        let quotes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let held = |kept: &&Kept| now < kept.at.plus(HELD) && fits(&kept.parcel);
        let offers = quotes.get(&parcel.to)?.iter().filter(held).filter_map(|kept| {
            let option = kept.options.iter().find(|option| option.id == *id)?;
            Some(((kept.parcel.weight, Reverse(kept.at)), option))
        });
        offers.min_by_key(|(nearness, _)| *nearness).map(|(_, option)| option.clone())
    }

    pub(super) fn keep(&self, parcel: Parcel, options: Vec<ShippingOption>, now: Timestamp) {
        let mut quotes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let alive = |kept: &Kept| now < kept.at.plus(HELD);
        if quotes.len() >= MAX_CEPS {
            quotes.retain(|_, kept| kept.back().is_some_and(alive));
            if quotes.len() >= MAX_CEPS {
                quotes.clear();
            }
        }
        let of_place = quotes.entry(parcel.to.clone()).or_default();
        of_place.retain(alive);
        if of_place.len() >= MAX_QUOTES {
            of_place.pop_front();
        }
        of_place.push_back(Kept { parcel, at: now, options });
    }
}
