//! The quotes of the last half hour.
//!
//! They serve twice. For a few minutes they answer the same question again without asking a
//! carrier. And for longer they hold what was offered: an option that a customer was shown can be
//! ordered for that parcel even when its carrier is down by then.

use std::sync::Arc;
use std::time::Duration;

use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, UnitWeighter};

use super::ShippingOption;
use super::carrier::Parcel;
use crate::clock::Timestamp;
use crate::id::ShippingOptionId;

/// How long a quote answers the same question.
const FRESH: Duration = Duration::from_secs(5 * 60);
/// How long an offer holds.
const HELD: Duration = Duration::from_secs(30 * 60);
/// How many parcels are remembered. Each has a few quotes at most, since a fresh one is not asked
/// for again.
const MAX_PARCELS: usize = 10_000;
/// The share of the parcels that stay because they are asked about again and again. The others
/// stay in the order in which they came: the latest 5,000 are always kept.
const OFTEN_ASKED: f64 = 0.5;

#[derive(Debug, Clone)]
struct StoredQuote {
    at: Timestamp,
    options: Arc<[ShippingOption]>,
}

/// Quotes of late, by parcel, oldest first.
#[derive(Debug)]
pub(super) struct QuoteCache(Cache<Parcel, Arc<[StoredQuote]>>);

impl QuoteCache {
    /// What was quoted for this parcel a few minutes ago.
    pub(super) fn fresh(&self, parcel: &Parcel, now: Timestamp) -> Option<Vec<ShippingOption>> {
        let quotes = self.0.get(parcel)?;
        let newest = quotes.last()?;
        (now < newest.at.plus(FRESH)).then(|| newest.options.to_vec())
    }

    /// An offer for this parcel that still holds, by the latest quote that has it.
    pub(super) fn offer(
        &self,
        parcel: &Parcel,
        id: &ShippingOptionId,
        now: Timestamp,
    ) -> Option<ShippingOption> {
        let quotes = self.0.get(parcel)?;
        let mut held = quotes.iter().rev().filter(|quote| quote.holds(now));
        held.find_map(|quote| quote.options.iter().find(|option| option.id == *id).cloned())
    }

    /// Keeps a quote. Each parcel is quoted once at a time, so no other quote for it is lost.
    pub(super) fn store(&self, parcel: Parcel, options: Vec<ShippingOption>, now: Timestamp) {
        let earlier = self.0.peek(&parcel).unwrap_or_default();
        let held = earlier.iter().filter(|quote| quote.holds(now)).cloned();
        let quotes = held.chain([StoredQuote { at: now, options: options.into() }]).collect();
        self.0.insert(parcel, quotes);
    }
}

impl Default for QuoteCache {
    fn default() -> Self {
        let options = OptionsBuilder::new()
            .shards(1)
            .estimated_items_capacity(MAX_PARCELS)
            .weight_capacity(MAX_PARCELS as u64)
            .hot_allocation(OFTEN_ASKED)
            .build()
            .expect("both capacities are set");
        Self(Cache::with_options(
            options,
            UnitWeighter,
            DefaultHashBuilder::default(),
            DefaultLifecycle::default(),
        ))
    }
}

impl StoredQuote {
    fn holds(&self, now: Timestamp) -> bool {
        now < self.at.plus(HELD)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::money::Money;
    use crate::value::Weight;

    fn parcel(grams: i64) -> Parcel {
        let (to, weight) = ("01001000".parse().expect("a code"), Weight::from_grams(grams));
        Parcel::new(to, weight, Money::ZERO)
    }

    #[test]
    fn a_full_cache_forgets_one_parcel_alone_and_none_of_the_latest() {
        let cache = QuoteCache::default();
        let at = |millis: usize| Timestamp::from_millis(i64::try_from(millis).expect("small"));
        for n in 0..=MAX_PARCELS {
            cache.store(parcel(i64::try_from(n).expect("small")), Vec::new(), at(n));
        }
        let now = at(MAX_PARCELS);
        assert_eq!(cache.0.len(), MAX_PARCELS);
        for n in MAX_PARCELS / 2 + 1..=MAX_PARCELS {
            assert!(cache.fresh(&parcel(i64::try_from(n).expect("small")), now).is_some(), "{n}");
        }
    }
}
