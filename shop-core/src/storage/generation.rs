//! Counters by which caches notice that what they hold has changed.

use std::collections::{BTreeSet, VecDeque};

use super::counters::{Counters, Metric, StorageFigures};
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::{Mutex, PoisonError};

/// How many areas a database can have.
const AREAS: usize = 8;
/// Rows of an area that one commit names; of more it is not known which.
const MAX_ROWS: usize = 4096;
/// Rows of an area that are remembered.
const MAX_RECENT: usize = 16_384;
/// Rows in one name, which must fit into a notification of PostgreSQL (8000 bytes).
#[cfg(feature = "postgres")]
const NAMED_ROWS: usize = 300;

/// A part of the data that caches watch. Code that writes its tables declares it, and announces
/// each write ([`Tx::touch`](super::Tx::touch)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Area {
    number: usize,
    tables: &'static [&'static str],
}

impl Area {
    /// An area with its number, below 8 and different from every other's, and the tables it
    /// consists of. Servers that share a database must agree on the numbers. Where a cache is
    /// filled from another one, the area of that other one has the higher number.
    ///
    /// # Panics
    /// For a number above 7.
    pub const fn new(number: usize, tables: &'static [&'static str]) -> Self {
        assert!(number < AREAS, "there are no more than 8 areas");
        Self { number, tables }
    }

    /// The tables whose writes must be announced.
    pub(super) fn tables(self) -> &'static [&'static str] {
        self.tables
    }
}

/// One counter an area, with the rows that changed lately. An engine raises it after its commit and
/// before it answers, so no caller whose write was answered is served from before it. What else a
/// commit is counted for (`Tx::count`) is raised with it.
///
/// Of several areas, the highest number is raised first. Otherwise whoever asks in between would
/// keep what a cache below still has from before the change as the newest there is.
#[derive(Debug, Default)]
pub struct Generations {
    logs: [Log; AREAS],
    counters: Counters,
}

/// What changed in an area since some generation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Changed {
    /// Nothing but these rows, each once.
    Rows(Vec<i64>),
    /// It is not known what.
    Unknown,
}

impl Generations {
    /// The area's counter now. Read it before the data that is to be kept under it.
    pub fn of(&self, area: Area) -> u64 {
        self.logs.get(area.number).map_or(0, |log| log.generation.load(Ordering::Acquire))
    }

    /// What changed since the area's counter stood there, and where it stands now.
    pub fn changed_since(&self, area: Area, generation: u64) -> (Changed, u64) {
        self.logs.get(area.number).map_or((Changed::Unknown, 0), |log| log.since(generation))
    }

    /// Everything kept for this area is from before some change.
    pub fn raise(&self, area: Area) {
        self.raise_number(area.number, &Touch::Unknown);
    }

    /// Another program changed something, and it is not known what.
    pub fn raise_all(&self) {
        (0..AREAS).rev().for_each(|number| self.raise_number(number, &Touch::Unknown));
    }

    /// Raises the counter of an area that another server names, as [`Touched::names`] writes it;
    /// all counters where this version does not know the name.
    #[cfg(feature = "postgres")]
    pub(super) fn raise_named(&self, name: &str) {
        match Touch::parse(name) {
            Some((number, touch)) if number < AREAS => self.raise_number(number, &touch),
            _ => self.raise_all(),
        }
    }

    fn raise_number(&self, number: usize, touch: &Touch) {
        if let Some(log) = self.logs.get(number) {
            log.raise(touch);
        }
    }

    /// How often this was counted since the engine was opened.
    pub fn counted(&self, metric: Metric) -> u64 {
        self.counters.counted(metric)
    }

    /// What was counted of commits.
    pub fn figures(&self) -> StorageFigures {
        self.counters.figures()
    }

    #[cfg(any(feature = "postgres", feature = "sqlite"))]
    pub(super) fn counters(&self) -> &Counters {
        &self.counters
    }
}

/// The counter of an area and what it was raised for.
#[derive(Debug, Default)]
struct Log {
    generation: AtomicU64,
    recent: Mutex<Recent>,
}

#[derive(Debug, Default)]
struct Recent {
    /// What changed up to this generation is not known any more.
    known_from: u64,
    /// The rows, each with the generation that its change made.
    rows: VecDeque<(u64, i64)>,
}

impl Log {
    fn raise(&self, touch: &Touch) {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let generation = self.generation.load(Ordering::Relaxed) + 1;
        match touch {
            Touch::Rows(rows) => recent.rows.extend(rows.iter().map(|row| (generation, *row))),
            Touch::Unknown => {
                recent.rows.clear();
                recent.known_from = generation;
            }
        }
        while recent.rows.len() > MAX_RECENT {
            let oldest = recent.rows.pop_front();
            recent.known_from = oldest.map_or(generation, |(generation, _)| generation);
        }
        self.generation.store(generation, Ordering::Release);
    }

    fn since(&self, generation: u64) -> (Changed, u64) {
        let recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.generation.load(Ordering::Relaxed);
        if generation < recent.known_from {
            return (Changed::Unknown, now);
        }
        let first = recent.rows.partition_point(|(raised, _)| *raised <= generation);
        let mut rows: Vec<i64> = recent.rows.range(first..).map(|(_, row)| *row).collect();
        rows.sort_unstable();
        rows.dedup();
        (Changed::Rows(rows), now)
    }
}

/// What a transaction changed in an area.
#[derive(Debug, Clone)]
enum Touch {
    Rows(BTreeSet<i64>),
    Unknown,
}

impl Touch {
    fn merge(&mut self, other: Self) {
        match (&mut *self, other) {
            (Self::Rows(rows), Self::Rows(more)) if rows.len() < MAX_ROWS => rows.extend(more),
            _ => *self = Self::Unknown,
        }
    }
}

/// How other servers are told.
#[cfg(feature = "postgres")]
impl Touch {
    fn names(&self, number: usize) -> Vec<String> {
        let Self::Rows(rows) = self else { return vec![number.to_string()] };
        let rows: Vec<String> = rows.iter().map(i64::to_string).collect();
        rows.chunks(NAMED_ROWS).map(|rows| format!("{number}:{}", rows.join(","))).collect()
    }

    fn parse(name: &str) -> Option<(usize, Self)> {
        let Some((number, rows)) = name.split_once(':') else {
            return Some((name.parse().ok()?, Self::Unknown));
        };
        let rows: Result<BTreeSet<i64>, _> = rows.split(',').map(str::parse).collect();
        Some((number.parse().ok()?, Self::Rows(rows.ok()?)))
    }
}

/// The areas that a transaction changed, and what it is counted for.
#[derive(Debug, Clone, Default)]
pub(super) struct Touched {
    areas: [Option<Touch>; AREAS],
    #[cfg(any(feature = "postgres", feature = "sqlite"))]
    counted: Vec<Metric>,
}

impl Touched {
    pub(super) fn note(&mut self, area: Area) {
        self.add(area.number, Touch::Unknown);
    }

    pub(super) fn note_row(&mut self, area: Area, row: i64) {
        self.add(area.number, Touch::Rows(BTreeSet::from([row])));
    }

    pub(super) fn includes(&self, area: Area) -> bool {
        self.areas.get(area.number).is_some_and(Option::is_some)
    }

    fn add(&mut self, number: usize, more: Touch) {
        match self.areas.get_mut(number) {
            Some(Some(touch)) => touch.merge(more),
            Some(none) => *none = Some(more),
            None => {}
        }
    }
}

#[cfg(any(feature = "postgres", feature = "sqlite"))]
impl Touched {
    pub(super) fn count(&mut self, metric: Metric) {
        self.counted.push(metric);
    }

    pub(super) fn merge(&mut self, other: Self) {
        for (number, more) in other.areas.into_iter().enumerate() {
            if let Some(more) = more {
                self.add(number, more);
            }
        }
        self.counted.extend(other.counted);
    }

    pub(super) fn raise(&self, generations: &Generations) {
        for (number, touch) in self.each() {
            generations.raise_number(number, touch);
        }
        self.counted.iter().for_each(|metric| generations.counters.count(*metric));
    }

    /// In the order in which they are raised.
    fn each(&self) -> impl Iterator<Item = (usize, &Touch)> {
        let areas = self.areas.iter().enumerate().rev();
        areas.filter_map(|(number, touch)| Some((number, touch.as_ref()?)))
    }
}

#[cfg(feature = "postgres")]
impl Touched {
    /// The areas' names, as [`Generations::raise_named`] reads them.
    pub(super) fn names(&self) -> Vec<String> {
        self.each().flat_map(|(number, touch)| touch.names(number)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Area = Area::new(3, &[]);

    fn raised(generations: &Generations, touch: &Touch) -> u64 {
        generations.raise_number(AREA.number, touch);
        generations.of(AREA)
    }

    #[test]
    fn the_rows_that_changed_are_known_until_something_unknown_changes() {
        let generations = Generations::default();
        let first = raised(&generations, &Touch::Rows([7, 5].into()));
        let second = raised(&generations, &Touch::Rows([5].into()));
        assert_eq!(generations.changed_since(AREA, 0), (Changed::Rows(vec![5, 7]), second));
        assert_eq!(generations.changed_since(AREA, first), (Changed::Rows(vec![5]), second));
        assert_eq!(generations.changed_since(AREA, second), (Changed::Rows(vec![]), second));
        let third = raised(&generations, &Touch::Unknown);
        assert_eq!(generations.changed_since(AREA, second), (Changed::Unknown, third));
        assert_eq!(generations.changed_since(AREA, third), (Changed::Rows(vec![]), third));
    }

    #[test]
    fn rows_that_are_forgotten_are_not_known() {
        let generations = Generations::default();
        let first = raised(&generations, &Touch::Rows([1].into()));
        let many = (0..).take(MAX_RECENT).collect();
        let last = raised(&generations, &Touch::Rows(many));
        assert_eq!(generations.changed_since(AREA, 0), (Changed::Unknown, last));
        let (changed, _) = generations.changed_since(AREA, first);
        assert!(matches!(changed, Changed::Rows(rows) if rows.len() == MAX_RECENT));
    }

    #[cfg(feature = "postgres")]
    #[test]
    fn other_servers_read_what_one_says() {
        let mut touched = Touched::default();
        touched.note_row(AREA, 12);
        touched.note_row(AREA, 34);
        touched.note(Area::new(0, &[]));
        assert_eq!(touched.names(), ["3:12,34", "0"]);
        let generations = Generations::default();
        touched.names().iter().for_each(|name| generations.raise_named(name));
        assert_eq!(generations.changed_since(AREA, 0).0, Changed::Rows(vec![12, 34]));
        generations.raise_named("3:a");
        assert_eq!(generations.changed_since(AREA, 1).0, Changed::Unknown);
    }
}
