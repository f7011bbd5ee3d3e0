//! The quotes of the last half hour.
//!
//! They serve twice. For a few minutes they answer the same question again without asking anybody.
//! And for longer they hold what was offered: an option that a customer was shown can be ordered
//! for that parcel even when its carrier is down by then.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

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

#[derive(Debug)]
struct StoredQuote {
    at: Timestamp,
    options: Vec<ShippingOption>,
}

/// Quotes of late, by parcel, oldest first.
#[derive(Debug, Default)]
pub(super) struct QuoteCache(Mutex<HashMap<Parcel, VecDeque<StoredQuote>>>);

impl QuoteCache {
    /// What was quoted for this parcel a few minutes ago.
    pub(super) fn fresh(&self, parcel: &Parcel, now: Timestamp) -> Option<Vec<ShippingOption>> {
        let quotes = self.lock();
        let newest = quotes.get(parcel)?.back()?;
        (now < newest.at.plus(FRESH)).then(|| newest.options.clone())
    }

    /// An offer for this parcel that still holds, by the latest quote that has it.
    pub(super) fn offer(
        &self,
        parcel: &Parcel,
        id: &ShippingOptionId,
        now: Timestamp,
    ) -> Option<ShippingOption> {
        let quotes = self.lock();
        let mut held = quotes.get(parcel)?.iter().rev().filter(|quote| quote.holds(now));
        held.find_map(|quote| quote.options.iter().find(|option| option.id == *id).cloned())
    }

    pub(super) fn store(&self, parcel: Parcel, options: Vec<ShippingOption>, now: Timestamp) {
        let mut quotes = self.lock();
        if quotes.len() >= MAX_PARCELS && !quotes.contains_key(&parcel) {
            make_room(&mut quotes, now);
        }
        let of_parcel = quotes.entry(parcel).or_default();
        of_parcel.retain(|quote| quote.holds(now));
        of_parcel.push_back(StoredQuote { at: now, options });
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Parcel, VecDeque<StoredQuote>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StoredQuote {
    fn holds(&self, now: Timestamp) -> bool {
        now < self.at.plus(HELD)
    }
}

/// Forgets what holds no longer or, where all of it holds, the parcel that was quoted longest ago.
fn make_room(quotes: &mut HashMap<Parcel, VecDeque<StoredQuote>>, now: Timestamp) {
    quotes.retain(|_, quotes| quotes.back().is_some_and(|quote| quote.holds(now)));
    if quotes.len() < MAX_PARCELS {
        return;
    }
    let age = |quotes: &VecDeque<StoredQuote>| quotes.back().map(|quote| quote.at);
    let oldest = quotes.iter().min_by_key(|(_, quotes)| age(quotes)).map(|(parcel, _)| parcel);
    if let Some(oldest) = oldest.cloned() {
        quotes.remove(&oldest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::money::Money;
    use crate::value::Weight;

    fn parcel(grams: i64) -> Parcel {
        let (to, weight) = ("01001000".parse().expect("a code"), Weight::from_grams(grams));
        Parcel { to, weight, value: Money::ZERO }
    }

    #[test]
    fn a_full_cache_forgets_the_oldest_parcel_alone() {
        let cache = QuoteCache::default();
        let at = |millis: usize| Timestamp::from_millis(i64::try_from(millis).expect("small"));
        for n in 0..=MAX_PARCELS {
            cache.store(parcel(i64::try_from(n).expect("small")), Vec::new(), at(n));
        }
        let now = at(MAX_PARCELS);
        assert!(cache.fresh(&parcel(0), now).is_none());
        assert!(cache.fresh(&parcel(1), now).is_some());
        assert_eq!(cache.lock().len(), MAX_PARCELS);
    }
}
