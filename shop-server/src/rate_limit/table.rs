//! The counters of one rate: exact sliding windows, bounded in number.
//!
//! A live counter is never dropped to make room. While there is no room for a new one, new clients
//! share the counter of their network (`Bucket::wider`), which has the same limit, so sharing can
//! only be stricter. A counter that is made later begins with the calls of the counter that its
//! client shared until then. So the narrowest counter of a client always holds all its calls of the
//! window, and no amount of other clients' calls lets a client exceed its rate.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use shop_core::clock::Timestamp;

use super::bucket::{Bucket, Kind};
use super::{Quota, Rate, TooMany};

/// How many counters of each kind (single addresses, /24s, /48s, accounts, ..) a rate has at most.
/// Few in unit tests, so that they fill a table often.
pub(super) const CAPACITY: usize = if cfg!(test) { 200 } else { 20_000 };
/// How many of the 65,536 subnets of one IPv6 /48 are counted apart; further ones share the counter
/// of the /48. A mobile network's /48 has many subscribers, an attacker's has one.
pub(super) const SUBNETS: usize = 64;
/// How many counters are looked at for removal with each call that is counted. A call adds one at
/// most, so the table shrinks faster than it grows.
const SWEEP: usize = 8;

#[derive(Debug, Default)]
pub(super) struct Table {
    counters: HashMap<Bucket, VecDeque<Timestamp>>,
    /// How many counters there are of each kind.
    sizes: HashMap<Kind, usize>,
    /// How many subnets of a /48 have a counter of their own.
    subnets: HashMap<Bucket, usize>,
    /// Each counter once, with a time before which it cannot be empty, in the order of these times.
    expiries: VecDeque<(Timestamp, Bucket)>,
}

impl Table {
    /// What the client has left, without counting a call.
    pub(super) fn check(
        &self,
        rate: Rate,
        client: &Bucket,
        now: Timestamp,
    ) -> Result<Quota, TooMany> {
        let calls = self.inherited(client).map(|calls| live(calls, rate.window, now));
        let (used, oldest) = calls.map_or((0, None), |mut calls| {
            let oldest = calls.next();
            (calls.count() + usize::from(oldest.is_some()), oldest)
        });
        let millis = oldest.unwrap_or(now).plus(rate.window).millis() - now.millis();
        let reset = Duration::from_millis(u64::try_from(millis).unwrap_or_default());
        match rate.max.checked_sub(used) {
            None | Some(0) => Err(TooMany { max: rate.max, retry_after: reset }),
            Some(remaining) => Ok(Quota { max: rate.max, remaining, reset }),
        }
    }

    /// Counts a call, also one above the limit; of those the latest are kept.
    pub(super) fn count(&mut self, rate: Rate, client: Bucket, now: Timestamp) {
        self.sweep(rate.window, now);
        let bucket = self.counted_by(client);
        if !self.counters.contains_key(&bucket) {
            self.add(bucket.clone(), rate.window, now);
        }
        let Some(calls) = self.counters.get_mut(&bucket) else { return };
        while calls.len() >= rate.max.max(1) || expired(calls.front(), rate.window, now) {
            calls.pop_front();
        }
        calls.push_back(now);
    }

    /// Takes a call back that was counted at this time, as if it had not been made.
    pub(super) fn take_back(&mut self, client: &Bucket, at: Timestamp) {
        let mut bucket = Some(client.clone());
        while let Some(it) = bucket {
            if let Some(calls) = self.counters.get_mut(&it) {
                if let Some(place) = calls.iter().rposition(|call| *call == at) {
                    calls.remove(place);
                }
                return;
            }
            bucket = it.wider(self.counters.hasher());
        }
    }

    /// The calls of the narrowest counter that there is for a client.
    fn inherited(&self, client: &Bucket) -> Option<&VecDeque<Timestamp>> {
        let mut bucket = client.clone();
        loop {
            if let Some(calls) = self.counters.get(&bucket) {
                return Some(calls);
            }
            bucket = bucket.wider(self.counters.hasher())?;
        }
    }

    /// Under which bucket the next call is counted: the narrowest that has a counter or may get
    /// one.
    fn counted_by(&self, client: Bucket) -> Bucket {
        let mut bucket = client;
        loop {
            let Some(wider) = bucket.wider(self.counters.hasher()) else { return bucket };
            if self.counters.contains_key(&bucket) || self.has_room(&bucket, &wider) {
                return bucket;
            }
            bucket = wider;
        }
    }

    fn has_room(&self, bucket: &Bucket, wider: &Bucket) -> bool {
        let size = self.sizes.get(&bucket.kind()).copied().unwrap_or_default();
        let subnets = self.subnets.get(wider).copied().unwrap_or_default();
        size < CAPACITY && !(bucket.is_subnet() && subnets >= SUBNETS)
    }

    fn add(&mut self, bucket: Bucket, window: Duration, now: Timestamp) {
        let calls = self.inherited(&bucket).map(|calls| live(calls, window, now).collect());
        *self.sizes.entry(bucket.kind()).or_default() += 1;
        if let Some(network) = self.network_of(&bucket) {
            *self.subnets.entry(network).or_default() += 1;
        }
        self.expiries.push_back((now.plus(window), bucket.clone()));
        self.counters.insert(bucket, calls.unwrap_or_default());
    }

    /// Looks at the counters that may be empty by now, and removes those that are.
    fn sweep(&mut self, window: Duration, now: Timestamp) {
        for _ in 0..SWEEP {
            if self.expiries.front().is_none_or(|(expiry, _)| now < *expiry) {
                return;
            }
            let Some((_, bucket)) = self.expiries.pop_front() else { return };
            let last = self.counters.get(&bucket).and_then(VecDeque::back);
            match last.map(|call| call.plus(window)) {
                Some(expiry) if now < expiry => self.expiries.push_back((expiry, bucket)),
                _ => self.remove(&bucket),
            }
        }
    }

    fn remove(&mut self, bucket: &Bucket) {
        self.counters.remove(bucket);
        decrement(self.sizes.entry(bucket.kind()));
        if let Some(network) = self.network_of(bucket) {
            decrement(self.subnets.entry(network));
        }
    }

    /// The /48 of a subnet.
    fn network_of(&self, bucket: &Bucket) -> Option<Bucket> {
        bucket.is_subnet().then(|| bucket.wider(self.counters.hasher())).flatten()
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.counters.len()
    }
}

fn decrement<K>(entry: Entry<'_, K, usize>) {
    if let Entry::Occupied(mut count) = entry {
        *count.get_mut() -= 1;
        if *count.get() == 0 {
            count.remove();
        }
    }
}

fn expired(call: Option<&Timestamp>, window: Duration, now: Timestamp) -> bool {
    call.is_some_and(|call| call.plus(window) <= now)
}

/// The calls that are in the window, oldest first.
fn live(
    calls: &VecDeque<Timestamp>,
    window: Duration,
    now: Timestamp,
) -> impl Iterator<Item = Timestamp> + '_ {
    calls.iter().copied().skip_while(move |call| expired(Some(call), window, now))
}
