use std::str::FromStr;

use chrono::{DateTime, NaiveDate, NaiveDateTime};

use super::{InvalidValue, deserialize_by_from_str, inline_schema};
use crate::clock::Timestamp;

/// The beginning of a span of time, as people and programs write it: ISO 8601 with or without a
/// time. A date alone is the beginning of that day in `America/Sao_Paulo`, and a time without an
/// offset is local there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Since(Timestamp);

/// The end of a span of time, written as [`Since`] is. The instant itself is outside of the span; a
/// date alone belongs to it whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Until(Timestamp);

/// What a text says about a time.
enum Written {
    Day(NaiveDate),
    Local(NaiveDateTime),
    Instant(Timestamp),
}

impl Since {
    /// The first instant of the span.
    pub const fn get(self) -> Timestamp {
        self.0
    }
}

impl Until {
    /// The first instant after the span.
    pub const fn get(self) -> Timestamp {
        self.0
    }
}

impl FromStr for Since {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(match read(text)? {
            Written::Day(day) => Timestamp::start_of(day),
            Written::Local(time) => Timestamp::of_local(time),
            Written::Instant(instant) => instant,
        }))
    }
}

impl FromStr for Until {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(match read(text)? {
            Written::Day(day) => Timestamp::start_of(day.succ_opt().ok_or_else(no_date)?),
            Written::Local(time) => Timestamp::of_local(time),
            Written::Instant(instant) => instant,
        }))
    }
}

fn no_date() -> InvalidValue {
    InvalidValue::Date
}

/// A date, a time or an instant, with four digits of the year.
fn read(text: &str) -> Result<Written, InvalidValue> {
    const TIMES: [&str; 2] = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M"];
    const OFFSET: &str = "%#z";
    let text = text.trim();
    if text.len() > 40 || text.as_bytes().get(4) != Some(&b'-') {
        return Err(no_date());
    }
    if let Ok(day) = NaiveDate::parse_from_str(text, "%Y-%m-%d") {
        return Ok(Written::Day(day));
    }
    // A space may stand for the T. In a query it is also what becomes of the plus of an offset.
    let text = text.to_ascii_uppercase().replacen(
        ' ',
        if text.contains(['T', 't']) { "+" } else { "T" },
        1,
    );
    for time in TIMES {
        if let Ok(time) = NaiveDateTime::parse_from_str(&text, time) {
            return Ok(Written::Local(time));
        }
        if let Ok(instant) = DateTime::parse_from_str(&text, &format!("{time}{OFFSET}")) {
            return Ok(Written::Instant(Timestamp::from_millis(instant.timestamp_millis())));
        }
    }
    Err(no_date())
}

/// Gives an end of a span its serde and schema forms.
macro_rules! end {
    ($name:ident) => {
        impl From<Timestamp> for $name {
            fn from(instant: Timestamp) -> Self {
                Self(instant)
            }
        }

        deserialize_by_from_str!($name);

        inline_schema!($name, { "type": "string", "format": "date-or-time" });
    };
}

end!(Since);
end!(Until);

#[cfg(test)]
mod tests {
    use super::*;

    fn since(text: &str) -> Option<String> {
        text.parse::<Since>().ok().map(|it| it.get().to_string())
    }

    fn until(text: &str) -> Option<String> {
        text.parse::<Until>().ok().map(|it| it.get().to_string())
    }

    #[test]
    fn a_date_alone_is_that_day_in_sao_paulo() {
        assert_eq!(since("2026-11-21").as_deref(), Some("2026-11-21T03:00:00.000Z"));
        assert_eq!(until("2026-11-21").as_deref(), Some("2026-11-22T03:00:00.000Z"));
        // The day on which clocks were put forward at midnight.
        assert_eq!(since("2018-11-04").as_deref(), Some("2018-11-04T03:00:00.000Z"));
        assert_eq!(until("2018-11-03"), since("2018-11-04"));
    }

    #[test]
    fn a_time_without_an_offset_is_local() {
        for text in ["2026-11-21T10:00", "2026-11-21T10:00:00", "2026-11-21 10:00:00.000"] {
            assert_eq!(since(text).as_deref(), Some("2026-11-21T13:00:00.000Z"), "{text}");
            assert_eq!(until(text), since(text), "{text}");
        }
    }

    #[test]
    fn a_time_with_an_offset_is_that_instant() {
        for text in [
            "2026-11-21T13:00:00Z",
            "2026-11-21t13:00:00.000z",
            "2026-11-21T13:00Z",
            "2026-11-21T10:00:00-03:00",
            "2026-11-21T10:00:00-0300",
            "2026-11-21T10:00-03",
            "2026-11-21 13:00:00Z",
            "2026-11-21T13:00:00+00:00",
            // As it comes in a query in which the plus is not written as %2B.
            "2026-11-21T13:00:00 00:00",
        ] {
            assert_eq!(since(text).as_deref(), Some("2026-11-21T13:00:00.000Z"), "{text}");
            assert_eq!(until(text), since(text), "{text}");
        }
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for text in [
            "",
            "today",
            "2026-13-01",
            "2026-02-30",
            "21/11/2026",
            "2026-11-21T25:00",
            "+12026-01-01",
            "1795266068",
            "2026-11-21T10:00:00[America/Sao_Paulo]",
            "2026-11-21T",
        ] {
            assert_eq!((since(text), until(text)), (None, None), "{text}");
        }
    }
}
