//! How many products a filter finds, remembered until the catalogue changes. Counting is the one
//! part of a list page that no index bounds.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::filter::Criteria;
use crate::error::Result;
use crate::storage::{Area, Generations};

/// Filters remembered at once; beyond that, all are forgotten.
const CAPACITY: usize = 1024;

/// A slow count is good for so many times as long as it took, although units were sold meanwhile:
/// otherwise a busy shop would do little but count what is in stock.
const PATIENCE: u32 = 20;
/// A count that took longer than this is slow.
const SLOW: Duration = Duration::from_millis(5);

/// A total and the data that it was counted in.
#[derive(Debug, Clone, Copy)]
struct Counted {
    total: i64,
    catalog: u64,
    stock: u64,
    /// Until when sales do not matter.
    good_until: Option<Instant>,
}

/// The totals of the filters that were asked for lately.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    counted: Mutex<HashMap<Criteria, Counted>>,
    /// Held while counting: whoever asks for the same meanwhile gets that answer, and any number
    /// of callers with new filters keep at most one reader thread busy.
    counting: tokio::sync::Mutex<()>,
}

impl Totals {
    /// The total of a filter, by `count` where it is not known for the data as it is now.
    pub(super) async fn of(
        &self,
        criteria: &Criteria,
        generations: &Generations,
        count: impl Future<Output = Result<i64>>,
    ) -> Result<i64> {
        if let Some(total) = self.known(criteria, generations) {
            return Ok(total);
        }
        let _turn = self.counting.lock().await;
        if let Some(total) = self.known(criteria, generations) {
            return Ok(total);
        }
        // Read before the count: a change in between makes the entry stale, never wrong.
        let (catalog, stock) = (generations.of(Area::Catalog), generations.of(Area::Stock));
        let start = Instant::now();
        let total = count.await?;
        let took = start.elapsed();
        let good_until = (took > SLOW).then(|| Instant::now() + took * PATIENCE);
        self.keep(criteria, Counted { total, catalog, stock, good_until });
        Ok(total)
    }

    fn keep(&self, criteria: &Criteria, entry: Counted) {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        if counted.len() >= CAPACITY && !counted.contains_key(criteria) {
            counted.clear();
        }
        counted.insert(criteria.clone(), entry);
    }

    fn known(&self, criteria: &Criteria, generations: &Generations) -> Option<i64> {
        let counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = counted.get(criteria)?;
        let holds = entry.catalog == generations.of(Area::Catalog)
            && (!criteria.in_stock
                || entry.stock == generations.of(Area::Stock)
                || entry.good_until.is_some_and(|until| Instant::now() < until));
        holds.then_some(entry.total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn count(totals: &Totals, criteria: &Criteria, now: &Generations, found: i64) -> i64 {
        totals.of(criteria, now, async { Ok(found) }).await.unwrap()
    }

    #[tokio::test]
    async fn a_total_holds_until_what_it_depends_on_changes() {
        let (totals, now) = (Totals::default(), Generations::default());
        let all = Criteria::default();
        let in_stock = Criteria { in_stock: true, ..Criteria::default() };
        assert_eq!(count(&totals, &all, &now, 1).await, 1);
        assert_eq!(count(&totals, &in_stock, &now, 1).await, 1);
        now.raise(Area::Stock);
        assert_eq!(count(&totals, &all, &now, 2).await, 1);
        assert_eq!(count(&totals, &in_stock, &now, 2).await, 2);
        now.raise(Area::Catalog);
        assert_eq!(count(&totals, &all, &now, 3).await, 3);
    }

    #[tokio::test]
    async fn the_map_stays_bounded() {
        let (totals, now) = (Totals::default(), Generations::default());
        for n in 0..3 * CAPACITY {
            let criteria = Criteria { category: Some(n.to_string()), ..Criteria::default() };
            count(&totals, &criteria, &now, 0).await;
            assert!(totals.counted.lock().unwrap().len() <= CAPACITY);
        }
    }
}
