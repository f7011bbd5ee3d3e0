//! Numbers that a group takes for all of its jobs at once.

use crate::storage::Counter;

/// What was taken of counters and not given out yet.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    expected: i64,
    ranges: Vec<Range>,
}

#[derive(Debug)]
struct Range {
    counter: &'static Counter,
    key: String,
    next: i64,
    /// The first that is not of it any more.
    end: i64,
}

impl Numbers {
    /// Says how many jobs may still ask for a number, the next one included.
    pub(super) fn expect(&mut self, jobs: usize) {
        self.expected = i64::try_from(jobs).unwrap_or(1);
    }

    /// How many to take when there are none.
    pub(super) fn expected(&self) -> i64 {
        self.expected.max(1)
    }

    /// The next of those that were taken.
    pub(super) fn give(&mut self, counter: &'static Counter, key: &str) -> Option<i64> {
        let of = |range: &&mut Range| std::ptr::eq(range.counter, counter) && range.key == key;
        let range = self.ranges.iter_mut().find(of)?;
        (range.next < range.end).then(|| {
            range.next += 1;
            range.next - 1
        })
    }

    /// Takes in as many numbers as [`Numbers::expected`], up to `latest`; the first of them is
    /// given.
    pub(super) fn take_in(&mut self, counter: &'static Counter, key: &str, latest: i64) -> i64 {
        let (first, end) = (latest + 1 - self.expected(), latest + 1);
        self.ranges.retain(|range| range.next < range.end);
        self.ranges.push(Range { counter, key: key.to_owned(), next: first + 1, end });
        first
    }

    /// What nobody asked for, to be taken off its counters again.
    pub(super) fn left_over(&mut self) -> Vec<(&'static Counter, String, i64)> {
        let ranges = std::mem::take(&mut self.ranges).into_iter();
        let left = ranges.filter(|range| range.next < range.end);
        left.map(|range| (range.counter, range.key, range.end - range.next)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static DAYS: Counter = Counter { add: "" };

    #[test]
    fn numbers_are_given_in_their_order_and_what_is_left_goes_back() {
        let mut numbers = Numbers::default();
        numbers.expect(3);
        assert_eq!(numbers.give(&DAYS, "today"), None);
        assert_eq!(numbers.take_in(&DAYS, "today", 12), 10);
        assert_eq!(numbers.give(&DAYS, "today"), Some(11));
        numbers.expect(1);
        assert_eq!(numbers.give(&DAYS, "tomorrow"), None);
        assert_eq!(numbers.take_in(&DAYS, "tomorrow", 1), 1);
        let left: Vec<_> = numbers.left_over().into_iter().map(|(_, key, n)| (key, n)).collect();
        assert_eq!(left, [("today".to_owned(), 1)]);
        assert_eq!(numbers.left_over().len(), 0);
    }
}
