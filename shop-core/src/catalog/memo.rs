//! Answers that no index bounds (how many products a filter finds, which sell best), remembered while the data that they came from is the same.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

use crate::area;
use crate::clock::{Clock, Timestamp};
use crate::error::Result;
use crate::storage::{Area, Generations};

/// Answers remembered at once; beyond that, all are forgotten.
const CAPACITY: usize = 1024;

/// A slow answer is good for so many times as long as it took, although units were sold meanwhile:
/// otherwise a busy shop would do little but count what is in stock.
const PATIENCE: i64 = 20;
/// An answer that took more milliseconds than this is slow.
const SLOW: i64 = 5;

/// By what an answer's age is told.
#[derive(Clone, Copy)]
pub(crate) struct Now<'a> {
    pub(crate) generations: &'a Generations,
    pub(crate) clock: &'a dyn Clock,
}

/// Which changes make an answer old.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Watch {
    /// Those of the catalogue.
    Catalog,
    /// Those of the stock too.
    CatalogAndStock,
    /// Those of the catalogue and of the orders' counters.
    CatalogAndSales,
}

impl Watch {
    /// What is watched besides the catalogue.
    fn besides(self) -> Option<Area> {
        match self {
            Self::Catalog => None,
            Self::CatalogAndStock => Some(area::STOCK),
            Self::CatalogAndSales => Some(area::SALES),
        }
    }
}

/// An answer and the data that it came from.
#[derive(Debug, Clone)]
struct Entry<V> {
    value: V,
    watch: Watch,
    catalog: u64,
    /// The counter of what is watched besides.
    besides: Option<u64>,
    /// Until when sales do not matter.
    good_until: Option<Timestamp>,
}

/// The answers that were asked for lately.
#[derive(Debug)]
pub(crate) struct Memo<K, V> {
    kept: Mutex<HashMap<K, Entry<V>>>,
    /// Held while an answer is found: whoever asks for the same meanwhile gets that one, and any
    /// number of callers with new questions keep at most one reader thread busy.
    turn: tokio::sync::Mutex<()>,
}

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self { kept: Mutex::default(), turn: tokio::sync::Mutex::default() }
    }
}

impl<K: Hash + Eq + Clone, V: Clone> Memo<K, V> {
    /// The answer to a question, by `find` where it is not known for the data as it is now.
    pub(crate) async fn of(
        &self,
        question: &K,
        watch: Watch,
        now: Now<'_>,
        find: impl Future<Output = Result<V>>,
    ) -> Result<V> {
        if let Some(value) = self.known(question, now) {
            return Ok(value);
        }
        let _turn = self.turn.lock().await;
        if let Some(value) = self.known(question, now) {
            return Ok(value);
        }
        // Read before the data: a change in between makes the entry old, never wrong.
        let catalog = now.generations.of(area::CATALOG);
        let besides = watch.besides().map(|area| now.generations.of(area));
        let start = now.clock.now();
        let value = find.await?;
        let end = now.clock.now();
        let took = end.millis() - start.millis();
        let good_until =
            (took > SLOW).then(|| Timestamp::from_millis(end.millis() + took * PATIENCE));
        self.keep(question, Entry { value: value.clone(), watch, catalog, besides, good_until });
        Ok(value)
    }

    fn keep(&self, question: &K, entry: Entry<V>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= CAPACITY && !kept.contains_key(question) {
            kept.clear();
        }
        kept.insert(question.clone(), entry);
    }

    fn known(&self, question: &K, now: Now<'_>) -> Option<V> {
        let generations = now.generations;
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = kept.get(question)?;
        let holds = entry.catalog == generations.of(area::CATALOG)
            && (entry.besides == entry.watch.besides().map(|area| generations.of(area))
                || entry.good_until.is_some_and(|until| now.clock.now() < until));
        holds.then(|| entry.value.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::clock::ManualClock;

    type Counts = Memo<u32, i64>;

    const START: Timestamp = Timestamp::from_millis(0);

    async fn count(memo: &Counts, watch: Watch, generations: &Generations, found: i64) -> i64 {
        let question = u32::from(watch == Watch::Catalog);
        let now = Now { generations, clock: &ManualClock::at(START) };
        memo.of(&question, watch, now, async { Ok(found) }).await.unwrap()
    }

    #[tokio::test]
    async fn what_took_long_is_good_for_a_while_although_units_are_sold() {
        let (memo, generations) = (Counts::default(), Generations::default());
        let clock = ManualClock::at(START);
        let now = Now { generations: &generations, clock: &clock };
        let found = async |took: u64, found: i64| {
            let find = async {
                clock.advance(Duration::from_millis(took));
                Ok(found)
            };
            memo.of(&1, Watch::CatalogAndStock, now, find).await.unwrap()
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
        let (memo, now) = (Counts::default(), Generations::default());
        let (all, in_stock) = (Watch::Catalog, Watch::CatalogAndStock);
        assert_eq!(count(&memo, all, &now, 1).await, 1);
        assert_eq!(count(&memo, in_stock, &now, 1).await, 1);
        now.raise(area::STOCK);
        assert_eq!(count(&memo, all, &now, 2).await, 1);
        assert_eq!(count(&memo, in_stock, &now, 2).await, 2);
        now.raise(area::CATALOG);
        assert_eq!(count(&memo, all, &now, 3).await, 3);
    }

    #[tokio::test]
    async fn the_map_stays_bounded() {
        let (memo, generations) = (Memo::<usize, ()>::default(), Generations::default());
        let now = Now { generations: &generations, clock: &ManualClock::at(START) };
        for n in 0..3 * CAPACITY {
            memo.of(&n, Watch::Catalog, now, async { Ok(()) }).await.unwrap();
            assert!(memo.kept.lock().unwrap().len() <= CAPACITY);
        }
    }
}
