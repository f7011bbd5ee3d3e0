//! A month of invoices, as accountants ask for them.

use std::str::FromStr;

use chrono::Datelike;

use crate::clock::Timestamp;
use crate::value::{InvalidValue, deserialize_by_from_str, inline_schema};

/// A calendar month, `2026-11`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Month {
    year: i32,
    month: u32,
}

impl FromStr for Month {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || InvalidValue::Month;
        let day: chrono::NaiveDate = format!("{text}-01").parse().map_err(|_| wrong())?;
        if text.len() != 7 {
            return Err(wrong());
        }
        Ok(Self { year: day.year(), month: day.month() })
    }
}

impl std::fmt::Display for Month {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:04}-{:02}", self.year, self.month)
    }
}

deserialize_by_from_str!(Month);

inline_schema!(Month, { "type": "string", "format": "month" });

impl Month {
    /// Its first instant in local time, and the next month's.
    pub(super) fn bounds(self) -> (Timestamp, Timestamp) {
        let first = |year, month| {
            let day = chrono::NaiveDate::from_ymd_opt(year, month, 1).unwrap_or_default();
            Timestamp::start_of(day)
        };
        let next = if self.month == 12 { (self.year + 1, 1) } else { (self.year, self.month + 1) };
        (first(self.year, self.month), first(next.0, next.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_begins_and_ends_by_local_time() {
        let (first, end) = "2026-12".parse::<Month>().expect("a month").bounds();
        assert_eq!(first.to_string(), "2026-12-01T03:00:00.000Z");
        assert_eq!(end.to_string(), "2027-01-01T03:00:00.000Z");
        for wrong in ["2026-13", "2026-1", "2026-11-01", "11/2026", ""] {
            assert!(wrong.parse::<Month>().is_err(), "{wrong}");
        }
    }
}
