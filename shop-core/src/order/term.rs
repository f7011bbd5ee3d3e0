//! The terms in which the law gives a right to return goods.
//!
//! The day of delivery does not count, and a term that would end on a Saturday, a Sunday or a
//! holiday of the whole country ends with the next working day (Código Civil, art. 132); it lasts
//! until the end of its last day in `America/Sao_Paulo`. Holidays of states and cities are not
//! known here: staff may open a return for a customer who asks on the day after one.

use std::time::Duration;

use chrono::{Days, NaiveDate};

use crate::clock::Timestamp;
use crate::value::holiday::is_day_of_rest;

/// A term that began with the delivery; one that has not begun is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Term {
    /// The first instant after it.
    pub(crate) ends_at: Option<Timestamp>,
}

impl Term {
    /// So many days after a delivery, which nobody may know of.
    pub(crate) fn of(delivered_at: Option<Timestamp>, days: u32) -> Self {
        let ends_at = delivered_at.map(|at| {
            let counted = Days::new(days.into());
            // A day that no calendar has ends no term.
            let last = at.local_day().checked_add_days(counted).unwrap_or(NaiveDate::MAX);
            let after = working_day(last).succ_opt().unwrap_or(NaiveDate::MAX);
            Timestamp::start_of(after)
        });
        Self { ends_at }
    }

    pub(crate) fn is_open(self, now: Timestamp) -> bool {
        self.ends_at.is_none_or(|end| now < end)
    }

    /// Its last day, where it has begun.
    pub(crate) fn last_day(self) -> Option<NaiveDate> {
        self.ends_at.map(|end| end.minus(Duration::from_millis(1)).local_day())
    }
}

/// The day itself, or the next working day.
fn working_day(day: NaiveDate) -> NaiveDate {
    // No more than a few days of rest follow each other.
    day.iter_days().take(14).find(|it| !is_day_of_rest(*it)).unwrap_or(day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().expect("an instant")
    }

    #[test]
    fn a_term_lasts_to_the_end_of_its_last_day_in_sao_paulo() {
        // The delivery, the days, the last millisecond of the term.
        for (delivered, days, last) in [
            // A Tuesday: until the end of the Tuesday after.
            ("2026-11-24T12:00:00-03:00", 7, "2026-12-01T23:59:59.999-03:00"),
            // The time of day does not matter, nor that it is the next day in UTC already.
            ("2026-11-24T00:00:00-03:00", 7, "2026-12-01T23:59:59.999-03:00"),
            ("2026-11-24T23:59:59.999-03:00", 7, "2026-12-01T23:59:59.999-03:00"),
            // A Saturday and a Sunday move to the Monday.
            ("2026-11-21T10:00:00-03:00", 7, "2026-11-30T23:59:59.999-03:00"),
            ("2026-11-22T10:00:00-03:00", 7, "2026-11-30T23:59:59.999-03:00"),
            ("2026-11-23T10:00:00-03:00", 7, "2026-11-30T23:59:59.999-03:00"),
            // Over the end of the year and of a February with 29 days.
            ("2026-12-28T10:00:00-03:00", 7, "2027-01-04T23:59:59.999-03:00"),
            ("2028-02-24T10:00:00-03:00", 7, "2028-03-02T23:59:59.999-03:00"),
            // Christmas, a Friday, and the first of January move to the Monday after.
            ("2026-12-18T10:00:00-03:00", 7, "2026-12-28T23:59:59.999-03:00"),
            ("2026-12-25T10:00:00-03:00", 7, "2027-01-04T23:59:59.999-03:00"),
            // Good Friday of 2027, and a holiday in the middle of a week.
            ("2027-03-19T10:00:00-03:00", 7, "2027-03-29T23:59:59.999-03:00"),
            ("2027-04-14T10:00:00-03:00", 7, "2027-04-22T23:59:59.999-03:00"),
            // One within the term changes nothing.
            ("2027-04-19T10:00:00-03:00", 7, "2027-04-26T23:59:59.999-03:00"),
            // Over the night in which clocks were put forward, when there was daylight saving time.
            ("2018-10-31T10:00:00-03:00", 7, "2018-11-07T23:59:59.999-02:00"),
            // 90 days after the 24th of November is a Monday; 30 days after it a Thursday.
            ("2026-11-24T10:00:00-03:00", 90, "2027-02-22T23:59:59.999-03:00"),
            ("2026-11-24T10:00:00-03:00", 30, "2026-12-24T23:59:59.999-03:00"),
        ] {
            let term = Term::of(Some(at(delivered)), days);
            let last = at(last);
            assert!(term.is_open(last), "{delivered}: {term:?}");
            assert!(!term.is_open(last.plus(Duration::from_millis(1))), "{delivered}: {term:?}");
            assert_eq!(term.last_day(), Some(last.local_day()), "{delivered}");
        }
    }

    #[test]
    fn a_term_that_has_not_begun_is_open() {
        let term = Term::of(None, 7);
        assert!(term.is_open(Timestamp::from_millis(i64::MAX)));
        assert_eq!(term.last_day(), None);
    }
}
