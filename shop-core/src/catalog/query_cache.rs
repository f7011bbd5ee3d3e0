//! Answers that no index bounds (how many products a filter finds, which sell best), kept while the
//! data that they came from is the same.

use std::hash::Hash;

use quick_cache::sync::{Cache, EntryAction, EntryResult};
use tokio::sync::Semaphore;

use crate::area;
use crate::clock::{Clock, Timestamp};
use crate::error::{Error, Result};
use crate::storage::Generations;

/// Answers kept at once where a cache says nothing else.
const CAPACITY: usize = 1024;
/// Answers of each cache that are looked for at once: new questions, of which strangers may think
/// up any number, must not fill the readers' queue.
const SEARCHES: usize = 2;

/// A slow answer is good for so many times as long as it took, although units were sold meanwhile:
/// otherwise a busy shop would do little but count what is in stock.
const PATIENCE: i64 = 20;
/// An answer that took more milliseconds than this is slow.
const SLOW: i64 = 5;

/// What an answer's age is measured by.
#[derive(Clone, Copy)]
pub(crate) struct Now<'a> {
    pub(crate) generations: &'a Generations,
    pub(crate) clock: &'a dyn Clock,
}

/// Which changes make an answer old.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DependsOn {
    /// Those of the catalogue.
    Catalog,
    /// Those of the stock too.
    CatalogAndStock,
    /// Those of the catalogue and of the orders' counters.
    CatalogAndSales,
}

impl DependsOn {
    /// The generations of the catalogue and of the other area now.
    fn generations(self, now: Now<'_>) -> (u64, Option<u64>) {
        let other = match self {
            Self::Catalog => None,
            Self::CatalogAndStock => Some(area::STOCK),
            Self::CatalogAndSales => Some(area::SALES),
        };
        (now.generations.of(area::CATALOG), other.map(|area| now.generations.of(area)))
    }
}

/// An answer and the data that it came from.
#[derive(Debug, Clone)]
struct Entry<V> {
    value: V,
    depends_on: DependsOn,
    catalog: u64,
    other: Option<u64>,
    /// Until when changes of the other area do not matter.
    good_until: Option<Timestamp>,
}

impl<V> Entry<V> {
    fn is_fresh(&self, now: Now<'_>) -> bool {
        let (catalog, other) = self.depends_on.generations(now);
        let bridged = || self.good_until.is_some_and(|until| now.clock.now() < until);
        self.catalog == catalog && (self.other == other || bridged())
    }
}

/// The answers to one kind of question, so many of them at most: a full cache forgets those that
/// are asked for least.
pub(crate) struct QueryCache<K, V, const MAX: usize = CAPACITY> {
    kept: Cache<K, Entry<V>>,
    searches: Semaphore,
}

impl<K: Hash + Eq + Clone, V: Clone, const MAX: usize> QueryCache<K, V, MAX> {
    /// The answer to a question, by `find` where none is kept for the data as it is now. Callers
    /// with the same question wait for one `find`; where its caller goes away, the next one finds.
    pub(crate) async fn get_or_find(
        &self,
        question: &K,
        depends_on: DependsOn,
        now: Now<'_>,
        find: impl Future<Output = Result<V>>,
    ) -> Result<V> {
        if let Some(entry) = self.kept.get(question).filter(|entry| entry.is_fresh(now)) {
            return Ok(entry.value);
        }
        let if_fresh = |_: &K, entry: &mut Entry<V>| {
            if entry.is_fresh(now) {
                EntryAction::Retain(entry.value.clone())
            } else {
                EntryAction::ReplaceWithGuard
            }
        };
        let place = match self.kept.entry_async(question, if_fresh).await {
            EntryResult::Retained(value) => return Ok(value),
            EntryResult::Vacant(place) | EntryResult::Replaced(place, _) => Some(place),
            EntryResult::Removed(..) | EntryResult::Timeout => None,
        };
        let _search = self.searches.acquire().await.map_err(Error::from_source)?;
        // Read before the data: a change in between makes the entry old, never wrong.
        let (catalog, other) = depends_on.generations(now);
        let start = now.clock.now();
        let value = find.await?;
        let end = now.clock.now();
        let took = end.millis() - start.millis();
        let good_until =
            (took > SLOW).then(|| Timestamp::from_millis(end.millis() + took * PATIENCE));
        if let Some(place) = place {
            let entry = Entry { value: value.clone(), depends_on, catalog, other, good_until };
            drop(place.insert(entry));
        }
        Ok(value)
    }
}

impl<K: Hash + Eq, V: Clone, const MAX: usize> Default for QueryCache<K, V, MAX> {
    fn default() -> Self {
        Self { kept: Cache::new(MAX), searches: Semaphore::new(SEARCHES) }
    }
}

impl<K, V, const MAX: usize> std::fmt::Debug for QueryCache<K, V, MAX> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("QueryCache").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::time::Duration;

    use futures_util::poll;

    use super::*;
    use crate::clock::ManualClock;

    type Counts = QueryCache<u32, i64>;

    const START: Timestamp = Timestamp::from_millis(0);

    async fn count(
        cache: &Counts,
        depends_on: DependsOn,
        generations: &Generations,
        found: i64,
    ) -> i64 {
        let question = u32::from(depends_on == DependsOn::Catalog);
        let now = Now { generations, clock: &ManualClock::at(START) };
        cache.get_or_find(&question, depends_on, now, async { Ok(found) }).await.unwrap()
    }

    #[tokio::test]
    async fn what_took_long_is_good_for_a_while_although_units_are_sold() {
        let (cache, generations) = (Counts::default(), Generations::default());
        let clock = ManualClock::at(START);
        let now = Now { generations: &generations, clock: &clock };
        let found = async |took: u64, found: i64| {
            let find = async {
                clock.advance(Duration::from_millis(took));
                Ok(found)
            };
            cache.get_or_find(&1, DependsOn::CatalogAndStock, now, find).await.unwrap()
        };
        assert_eq!(found(10, 1).await, 1);
        generations.raise(area::STOCK);
        assert_eq!(found(0, 2).await, 1);
        clock.advance(Duration::from_millis(200));
        assert_eq!(found(0, 3).await, 3);
        generations.raise(area::STOCK);
        assert_eq!(found(0, 4).await, 4);
    }

    #[tokio::test]
    async fn an_answer_holds_until_what_it_depends_on_changes() {
        let (cache, now) = (Counts::default(), Generations::default());
        let (all, in_stock) = (DependsOn::Catalog, DependsOn::CatalogAndStock);
        assert_eq!(count(&cache, all, &now, 1).await, 1);
        assert_eq!(count(&cache, in_stock, &now, 1).await, 1);
        now.raise(area::STOCK);
        assert_eq!(count(&cache, all, &now, 2).await, 1);
        assert_eq!(count(&cache, in_stock, &now, 2).await, 2);
        now.raise(area::CATALOG);
        assert_eq!(count(&cache, all, &now, 3).await, 3);
    }

    #[tokio::test]
    async fn equal_questions_are_asked_once_and_others_do_not_wait_for_them() {
        let (cache, generations) = (Counts::default(), Generations::default());
        let now = Now { generations: &generations, clock: &ManualClock::at(START) };
        let answer = tokio::sync::Notify::new();
        let slow = |found| {
            let answer = &answer;
            cache.get_or_find(&1, DependsOn::Catalog, now, async move {
                answer.notified().await;
                Ok(found)
            })
        };
        let (mut first, mut second) = (Box::pin(slow(1)), pin!(slow(2)));
        assert!(poll!(&mut first).is_pending() && poll!(&mut second).is_pending());
        let other = cache.get_or_find(&2, DependsOn::Catalog, now, async { Ok(3) });
        assert_eq!(other.await.unwrap(), 3);
        drop(first);
        assert!(poll!(&mut second).is_pending(), "the one who waited asks on");
        answer.notify_one();
        assert_eq!(second.await.unwrap(), 2);
    }

    #[tokio::test]
    async fn a_full_cache_keeps_what_is_asked_for_often() {
        let (cache, generations) =
            (QueryCache::<usize, (), CAPACITY>::default(), Generations::default());
        let now = Now { generations: &generations, clock: &ManualClock::at(START) };
        for n in 1..3 * CAPACITY {
            for question in [n, 0] {
                let find = async { Ok(()) };
                cache.get_or_find(&question, DependsOn::Catalog, now, find).await.unwrap();
            }
            assert!(cache.kept.len() <= CAPACITY);
        }
        assert!(cache.kept.contains_key(&0));
    }
}
