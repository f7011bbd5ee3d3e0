//! Counters by which caches notice that what they hold has changed.

use std::sync::atomic::{AtomicU64, Ordering};

/// How many areas a database can have.
const AREAS: usize = 8;

/// A part of the data that caches watch. Code that writes its tables declares it, and announces each
/// write ([`Tx::touch`](super::Tx::touch)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Area {
    number: usize,
    tables: &'static [&'static str],
}

impl Area {
    /// An area with its number, below 8 and different from every other's, and the tables it consists
    /// of. Servers that share a database must agree on the numbers.
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

/// One counter an area. An engine raises it after its commit and before it answers, so no caller
/// whose write was answered is served from before it.
#[derive(Debug, Default)]
pub struct Generations([AtomicU64; AREAS]);

impl Generations {
    /// The area's counter now. Read it before the data that is to be kept under it.
    pub fn of(&self, area: Area) -> u64 {
        self.0.get(area.number).map_or(0, |counter| counter.load(Ordering::Acquire))
    }

    /// Everything kept for this area is from before some change.
    pub fn raise(&self, area: Area) {
        self.raise_number(area.number);
    }

    /// Another program changed something, and it is not known what.
    pub fn raise_all(&self) {
        (0..AREAS).for_each(|number| self.raise_number(number));
    }

    /// Raises the counter of an area that another server names by its number; all counters where
    /// this version knows no such number.
    #[cfg(feature = "postgres")]
    pub(super) fn raise_named(&self, number: &str) {
        match number.parse() {
            Ok(number) if number < AREAS => self.raise_number(number),
            _ => self.raise_all(),
        }
    }

    fn raise_number(&self, number: usize) {
        if let Some(counter) = self.0.get(number) {
            counter.fetch_add(1, Ordering::Release);
        }
    }
}

/// The areas that a transaction changed.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Touched([bool; AREAS]);

impl Touched {
    pub(super) fn note(&mut self, area: Area) {
        if let Some(touched) = self.0.get_mut(area.number) {
            *touched = true;
        }
    }

    pub(super) fn includes(self, area: Area) -> bool {
        self.0.get(area.number).copied().unwrap_or_default()
    }
}

#[cfg(any(feature = "postgres", feature = "sqlite"))]
impl Touched {
    pub(super) fn merge(&mut self, other: Self) {
        for (touched, more) in self.0.iter_mut().zip(other.0) {
            *touched |= more;
        }
    }

    pub(super) fn raise(self, generations: &Generations) {
        self.numbers().for_each(|number| generations.raise_number(number));
    }

    /// The numbers of the areas.
    pub(super) fn numbers(self) -> impl Iterator<Item = usize> {
        self.0.into_iter().enumerate().filter_map(|(number, touched)| touched.then_some(number))
    }
}
