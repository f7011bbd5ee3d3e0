//! The holidays of the whole country, on which no term ends (Código Civil, art. 132, §1) and no
//! carrier works.

use chrono::{Datelike, Days, NaiveDate, Weekday};

/// The holidays with a fixed date, as the law has them since 2024: month and day.
const FIXED: [(u32, u32); 9] = [
    // Lei 662/1949, as Lei 10.607/2002 has it.
    (1, 1),
    (4, 21),
    (5, 1),
    (9, 7),
    (11, 2),
    (11, 15),
    (12, 25),
    // Lei 6.802/1980.
    (10, 12),
    // Lei 14.759/2023.
    (11, 20),
];

/// Whether the whole country has a holiday. Good Friday is one by the laws of cities (Lei
/// 9.093/1995, art. 2), which all have it; carnival and Corpus Christi are none by law of the
/// Union.
fn is_holiday(day: NaiveDate) -> bool {
    let good_friday =
        || easter(day.year()).and_then(|easter| easter.checked_sub_days(Days::new(2)));
    FIXED.contains(&(day.month(), day.day())) || good_friday() == Some(day)
}

/// Whether the whole country rests on a day: at weekends and on holidays.
pub(crate) fn is_day_of_rest(day: NaiveDate) -> bool {
    matches!(day.weekday(), Weekday::Sat | Weekday::Sun) || is_holiday(day)
}

/// So many working days after a day, which does not count itself.
pub(crate) fn working_days_after(day: NaiveDate, count: u16) -> NaiveDate {
    let mut later = day.iter_days().skip(1).filter(|it| !is_day_of_rest(*it));
    // A day that no calendar has is none to wait for.
    count.checked_sub(1).and_then(|before| later.nth(before.into())).unwrap_or(day)
}

/// The Sunday of Easter in the Gregorian calendar, by the rule of Meeus, Jones and Butcher.
fn easter(year: i32) -> Option<NaiveDate> {
    let (golden, century, of_century) = (year % 19, year / 100, year % 100);
    let correction = (century + 8) / 25;
    let epact = (19 * golden + century - century / 4 - (century - correction + 1) / 3 + 15) % 30;
    let to_sunday = (32 + 2 * (century % 4) + 2 * (of_century / 4) - epact - of_century % 4) % 7;
    let late = (golden + 11 * epact + 22 * to_sunday) / 451;
    let days = epact + to_sunday - 7 * late + 114;
    let (month, day) = (days / 31, days % 31 + 1);
    NaiveDate::from_ymd_opt(year, u32::try_from(month).ok()?, u32::try_from(day).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().expect("a day")
    }

    #[test]
    fn easter_is_where_the_calendar_has_it() {
        for sunday in [
            "1961-04-02",
            "2000-04-23",
            "2024-03-31",
            "2025-04-20",
            "2026-04-05",
            "2027-03-28",
            "2038-04-25",
        ] {
            assert_eq!(easter(day(sunday).year()), Some(day(sunday)));
        }
    }

    #[test]
    fn working_days_pass_over_weekends_and_holidays() {
        for (from, count, to) in [
            // A Monday: the Friday of the same week, and the Monday after.
            ("2026-11-23", 4, "2026-11-27"),
            ("2026-11-23", 5, "2026-11-30"),
            // Saturdays do not count; the day itself does not either.
            ("2026-11-21", 1, "2026-11-23"),
            ("2026-11-23", 0, "2026-11-23"),
            // Christmas and the first of January are on Fridays.
            ("2026-12-23", 2, "2026-12-28"),
            ("2026-12-24", 5, "2027-01-04"),
        ] {
            assert_eq!(working_days_after(day(from), count), day(to), "{count} after {from}");
        }
    }

    #[test]
    fn the_holidays_of_2027_are_these() {
        let all = day("2027-01-01").iter_days().take(365).filter(|it| is_holiday(*it));
        let all: Vec<String> = all.map(|it| it.format("%m-%d").to_string()).collect();
        let known = [
            "01-01", "03-26", "04-21", "05-01", "09-07", "10-12", "11-02", "11-15", "11-20",
            "12-25",
        ];
        assert_eq!(all, known);
    }
}
