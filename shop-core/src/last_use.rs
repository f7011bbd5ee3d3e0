//! When things were last used: kept in memory, and written down about once a minute, so that a
//! request that uses one waits for no write.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::Duration;

use crate::clock::Timestamp;
use crate::error::Result;
use crate::sync::{Mutex, PoisonError};

/// How often uses are written down at most.
const NOTE_INTERVAL: Duration = Duration::from_secs(60);

/// The latest use of each thing, as far as it is not written down yet.
#[derive(Debug)]
pub(crate) struct LastUses<Id>(Mutex<Uses<Id>>);

#[derive(Debug)]
struct Uses<Id> {
    last: HashMap<Id, Timestamp>,
    noted_at: Option<Timestamp>,
}

impl<Id> Default for LastUses<Id> {
    fn default() -> Self {
        Self(Mutex::new(Uses { last: HashMap::new(), noted_at: None }))
    }
}

impl<Id: Clone + Eq + Hash> LastUses<Id> {
    fn with<T>(&self, act: impl FnOnce(&mut Uses<Id>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn used(&self, id: &Id, now: Timestamp) {
        self.with(|uses| match uses.last.get_mut(id) {
            Some(last) => *last = now.max(*last),
            None => drop(uses.last.insert(id.clone(), now)),
        });
    }

    /// The latest use that is not written down yet.
    pub(crate) fn of(&self, id: &Id) -> Option<Timestamp> {
        self.with(|uses| uses.last.get(id).copied())
    }

    /// Whether nothing was written down within the last minute.
    pub(crate) fn is_due(&self, now: Timestamp) -> bool {
        self.with(|uses| uses.noted_at.is_none_or(|noted| noted.plus(NOTE_INTERVAL) <= now))
    }

    /// Writes the uses down; where that fails, they are kept for the next time.
    ///
    /// # Errors
    /// Those of `write`.
    pub(crate) async fn note<F: Future<Output = Result<()>>>(
        &self,
        now: Timestamp,
        write: impl FnOnce(Vec<(Id, Timestamp)>) -> F,
    ) -> Result<()> {
        let uses: Vec<(Id, Timestamp)> = self.with(|uses| {
            uses.noted_at = Some(now);
            uses.last.drain().collect()
        });
        if uses.is_empty() {
            return Ok(());
        }
        let outcome = write(uses.clone()).await;
        if outcome.is_err() {
            for (id, at) in &uses {
                self.used(id, *at);
            }
        }
        outcome
    }
}
