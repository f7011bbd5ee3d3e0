//! How often one client may do a thing (docs/security.md, "Rate limits"): an exact sliding window
//! for each rate, in this process's memory, on the shop's own clock.

mod bucket;
mod table;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use shop_core::clock::Timestamp;

use self::bucket::Bucket;
use self::table::Table;

/// At most `max` calls in any `window`, counted by client.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rate {
    /// What is counted; rows with the same name share their counters, and have the same limit.
    pub(crate) name: &'static str,
    pub(crate) max: usize,
    pub(crate) window: Duration,
}

/// A call too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooMany {
    pub(crate) max: usize,
    /// How long until the next call is taken.
    pub(crate) retry_after: Duration,
}

/// How much of a rate a client has left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quota {
    pub(crate) max: usize,
    pub(crate) remaining: usize,
    /// How long until the oldest counted call leaves the window.
    pub(crate) reset: Duration,
}

/// What calls are counted by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Client {
    /// Calls from this address; of an IPv6 address the /64 counts.
    Network(IpAddr),
    /// Calls in the name of this account, from wherever they come.
    Account(Box<str>),
    /// A program, by the id of its key.
    Key(Box<str>),
}

/// The counters of all rates, each with a table and a lock of its own.
#[derive(Debug, Default)]
pub(crate) struct RateLimiter {
    tables: RwLock<HashMap<&'static str, Arc<Mutex<Table>>>>,
}

impl RateLimiter {
    /// Counts a call, unless it is one too many: those are not counted, so a client that keeps
    /// trying gets in again when its oldest counted call leaves the window.
    ///
    /// # Errors
    /// [`TooMany`] where the window has `rate.max` calls already.
    pub(crate) fn admit(
        &self,
        rate: Rate,
        client: Client,
        now: Timestamp,
    ) -> Result<Quota, TooMany> {
        let client = Bucket::of(client);
        self.with(rate, |table| {
            let before = table.check(rate, &client, now)?;
            table.count(rate, client, now);
            Ok(Quota { remaining: before.remaining - 1, ..before })
        })
    }

    /// What [`Self::admit`] would answer, except that nothing is counted.
    #[cfg(test)]
    fn check(&self, rate: Rate, client: Client, now: Timestamp) -> Result<Quota, TooMany> {
        self.with(rate, |table| table.check(rate, &Bucket::of(client), now))
    }

    /// Counts a call, whatever the limit says.
    #[cfg(test)]
    fn count(&self, rate: Rate, client: Client, now: Timestamp) {
        self.with(rate, |table| table.count(rate, Bucket::of(client), now));
    }

    /// Takes back a call that was admitted at this time, for limits that count only failures.
    pub(crate) fn take_back(&self, rate: Rate, client: Client, at: Timestamp) {
        self.with(rate, |table| table.take_back(&Bucket::of(client), at));
    }

    fn with<T>(&self, rate: Rate, work: impl FnOnce(&mut Table) -> T) -> T {
        let table = self.known(rate).unwrap_or_else(|| {
            let mut tables = self.tables.write().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(tables.entry(rate.name).or_default())
        });
        work(&mut table.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn known(&self, rate: Rate) -> Option<Arc<Mutex<Table>>> {
        let tables = self.tables.read().unwrap_or_else(PoisonError::into_inner);
        tables.get(rate.name).map(Arc::clone)
    }
}
