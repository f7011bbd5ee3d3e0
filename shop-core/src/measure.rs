//! Histograms that are recorded without a lock.

use std::sync::atomic::{AtomicU64, Ordering};
#[cfg(any(feature = "http", feature = "postgres", feature = "sqlite"))]
use std::time::Duration;

/// The most bounds that a histogram has.
const BOUNDS: usize = 12;

/// Upper bounds of times in microseconds.
const TIMES: [u64; BOUNDS] =
    [100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 100_000, 500_000, 2_500_000, 10_000_000];

/// Upper bounds of sizes.
const SIZES: [u64; BOUNDS] = [1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 128, 256];

/// A histogram at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Histogram {
    /// How many values were found up to each bound, and above the bound before it. Times and their
    /// bounds are in microseconds.
    pub buckets: Vec<(u64, u64)>,
    /// How many values were above the last bound.
    pub above: u64,
    /// All values added up; times in microseconds.
    pub sum: u64,
}

impl Histogram {
    /// How many values were recorded.
    pub fn count(&self) -> u64 {
        self.buckets.iter().map(|(_, count)| count).sum::<u64>() + self.above
    }
}

/// Records values; recording one is two additions.
#[derive(Debug)]
pub(crate) struct Recorder {
    bounds: &'static [u64; BOUNDS],
    counts: [AtomicU64; BOUNDS],
    above: AtomicU64,
    sum: AtomicU64,
}

impl Recorder {
    /// Of times, in microseconds.
    pub(crate) fn of_times() -> Self {
        Self::new(&TIMES)
    }

    /// Of sizes.
    pub(crate) fn of_sizes() -> Self {
        Self::new(&SIZES)
    }

    fn new(bounds: &'static [u64; BOUNDS]) -> Self {
        let (counts, above, sum) = Default::default();
        Self { bounds, counts, above, sum }
    }

    /// Records a time.
    #[cfg(any(feature = "http", feature = "postgres", feature = "sqlite"))]
    pub(crate) fn record_time(&self, took: Duration) {
        self.record(u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
    }

    /// Records a value.
    #[cfg(any(test, feature = "http", feature = "postgres", feature = "sqlite"))]
    pub(crate) fn record(&self, value: u64) {
        let bucket = self.bounds.partition_point(|bound| *bound < value);
        self.counts.get(bucket).unwrap_or(&self.above).fetch_add(1, Ordering::Relaxed);
        self.sum.fetch_add(value, Ordering::Relaxed);
    }

    pub(crate) fn histogram(&self) -> Histogram {
        let counts = self.counts.iter().map(|count| count.load(Ordering::Relaxed));
        Histogram {
            buckets: self.bounds.iter().copied().zip(counts).collect(),
            above: self.above.load(Ordering::Relaxed),
            sum: self.sum.load(Ordering::Relaxed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_counted_at_the_first_bound_that_it_does_not_exceed() {
        let sizes = Recorder::of_sizes();
        for value in [1, 2, 5, 6, 257] {
            sizes.record(value);
        }
        let histogram = sizes.histogram();
        let at = |bound| histogram.buckets.iter().find(|it| it.0 == bound).map(|it| it.1);
        assert_eq!([at(1), at(2), at(3), at(6), at(256)], [1, 1, 0, 2, 0].map(Some));
        assert_eq!((histogram.above, histogram.sum, histogram.count()), (1, 271, 5));
    }
}
