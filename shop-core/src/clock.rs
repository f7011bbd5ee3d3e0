//! Time as a value that is handed in, never taken from the machine in the middle of a rule.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use crate::forms::{deserialize_by_from_str, inline_schema};
use chrono::{DateTime, NaiveDate, NaiveDateTime, SecondsFormat, TimeDelta, TimeZone, Utc};
use chrono_tz::America::Sao_Paulo;
use serde::{Serialize, Serializer};

/// Where the shop reads the time. [`SystemClock`] outside tests, [`ManualClock`] inside.
pub trait Clock: Send + Sync + 'static {
    /// The current instant.
    fn now(&self) -> Timestamp;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        #[expect(clippy::disallowed_methods, reason = "the one place that asks the machine")]
        Timestamp(Utc::now().timestamp_millis())
    }
}

/// A clock that stands still until it is moved, for tests and for demonstrations of what time does.
#[derive(Debug, Clone)]
pub struct ManualClock(Arc<AtomicI64>);

impl ManualClock {
    /// A clock that stands at `start`.
    pub fn at(start: Timestamp) -> Self {
        Self(Arc::new(AtomicI64::new(start.0)))
    }

    /// Moves the clock forward.
    pub fn advance(&self, by: Duration) {
        self.0.fetch_add(millis(by), Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }
}

/// An instant in whole milliseconds since 1970-01-01 UTC; written as ISO 8601 UTC with
/// milliseconds (`2026-11-21T13:01:08.000Z`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// From milliseconds since 1970-01-01 UTC.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since 1970-01-01 UTC.
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Whole seconds since 1970-01-01 UTC, rounded down.
    pub const fn seconds(self) -> i64 {
        self.0.div_euclid(1000)
    }

    /// The instant `by` later.
    #[must_use]
    pub fn plus(self, by: Duration) -> Self {
        Self(self.0.saturating_add(millis(by)))
    }

    /// The instant `by` earlier.
    #[must_use]
    pub fn minus(self, by: Duration) -> Self {
        Self(self.0.saturating_sub(millis(by)))
    }

    /// The calendar day in `America/Sao_Paulo`, by which orders are numbered and days are counted.
    pub fn local_day(self) -> NaiveDate {
        self.utc().with_timezone(&Sao_Paulo).date_naive()
    }

    /// When a calendar day in `America/Sao_Paulo` begins.
    pub(crate) fn start_of(day: NaiveDate) -> Self {
        Self::of_local(day.and_time(chrono::NaiveTime::MIN))
    }

    /// The instant at which the clocks in `America/Sao_Paulo` show this time; the first of two.
    pub(crate) fn of_local(time: NaiveDateTime) -> Self {
        // A time that clocks which were put forward left out is the one that they showed instead.
        let local = Sao_Paulo
            .from_local_datetime(&time)
            .earliest()
            .or_else(|| Sao_Paulo.from_local_datetime(&(time + HOUR)).earliest());
        Self(local.map_or_else(|| time.and_utc().timestamp_millis(), |at| at.timestamp_millis()))
    }

    /// As people read it, in São Paulo: `21/11/2026 às 13:01`.
    pub(crate) fn local_words(self) -> String {
        self.utc().with_timezone(&Sao_Paulo).format("%d/%m/%Y às %H:%M").to_string()
    }

    /// As spreadsheets show it, in São Paulo: `2026-11-21 13:01:08`.
    pub(crate) fn local_text(self) -> String {
        self.utc().with_timezone(&Sao_Paulo).format("%Y-%m-%d %H:%M:%S").to_string()
    }

    /// The local time in `America/Sao_Paulo` to the second, with its offset, as invoices write it:
    /// `2026-11-21T10:01:08-03:00`.
    #[cfg(feature = "nfe")]
    pub(crate) fn local_seconds(self) -> String {
        let local = self.utc().with_timezone(&Sao_Paulo);
        local.to_rfc3339_opts(SecondsFormat::Secs, false)
    }

    /// How long it is until a date as HTTP writes it (`Sat, 21 Nov 2026 13:01:08 GMT`); nothing
    /// when it is past.
    #[cfg(feature = "http")]
    pub(crate) fn until_http_date(self, text: &str) -> Option<Duration> {
        let date = DateTime::parse_from_rfc2822(text).ok()?.timestamp_millis();
        Some(Duration::from_millis(u64::try_from(date.saturating_sub(self.0)).unwrap_or(0)))
    }

    /// As a date. What lies outside the years 1 to 9999, which formats have no room for, is written
    /// as the first or the last instant in them.
    fn utc(self) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(self.0.clamp(FIRST, LAST)).unwrap_or_default()
    }
}

/// 0001-01-02T00:00:00.000Z, which has a local day before it.
const FIRST: i64 = -62_135_510_400_000;
/// 9999-12-31T23:59:59.999Z.
const LAST: i64 = 253_402_300_799_999;
const HOUR: TimeDelta = TimeDelta::hours(1);

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.utc().to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

impl FromStr for Timestamp {
    type Err = chrono::ParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(DateTime::parse_from_rfc3339(text)?.timestamp_millis()))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

deserialize_by_from_str!(Timestamp);

inline_schema!(Timestamp, { "type": "string", "format": "date-time" });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_written_with_milliseconds_and_z() {
        let at = Timestamp::from_millis(1_795_266_068_000);
        assert_eq!(at.to_string(), "2026-11-21T13:01:08.000Z");
        assert_eq!(at.to_string().parse::<Timestamp>().ok(), Some(at));
    }

    #[test]
    fn every_instant_can_be_written() {
        let years = (-300..12_000).step_by(7).map(|year| (year - 1970) * 31_556_952_000 + year);
        for millis in years.chain([i64::MIN, -1, 0, 1, FIRST, LAST, i64::MAX]) {
            let at = Timestamp::from_millis(millis);
            let texts = [at.to_string(), at.local_text(), at.local_day().to_string()];
            assert!(texts.iter().all(|text| text.len() >= 10), "{millis}: {texts:?}");
            if (FIRST..=LAST).contains(&millis) {
                assert_eq!(at.to_string().parse::<Timestamp>().ok(), Some(at), "{millis}");
                let start = Timestamp::start_of(at.local_day());
                assert!(start <= at && start.local_day() == at.local_day(), "{millis}");
            }
            let _ = (at.plus(Duration::MAX), at.minus(Duration::MAX), at.seconds());
        }
    }

    #[test]
    fn a_local_day_begins_where_the_one_before_it_ends() {
        // Clocks were put forward at midnight on the second of these.
        for day in ["2026-11-21", "2018-11-04", "2018-02-18", "2020-02-29"] {
            let start = Timestamp::start_of(day.parse().expect("a day"));
            assert_eq!(start.local_day().to_string(), day);
            assert!(start.minus(Duration::from_millis(1)).local_day() < start.local_day());
        }
    }

    #[test]
    fn the_local_day_turns_at_three_in_the_morning_utc() {
        let before: Timestamp = "2026-11-21T02:59:59.999Z".parse().expect("a date");
        assert_eq!(before.local_day().to_string(), "2026-11-20");
        assert_eq!(before.plus(Duration::from_millis(1)).local_day().to_string(), "2026-11-21");
    }
}
