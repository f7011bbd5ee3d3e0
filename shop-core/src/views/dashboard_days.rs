//! How each day of a period went.

use std::collections::HashMap;

use chrono::NaiveDate;

use crate::money::Money;
use crate::order::daily_stats::Day;

/// How a day went.
#[apply(answer!)]
pub struct OverviewDay {
    /// The local day, e.g. `2026-11-22`.
    #[cfg_attr(feature = "schema", schemars(extend("format" = "date")))]
    pub date: String,
    /// Orders placed on it, without those that are cancelled or refunded.
    pub orders: i64,
    /// What those of them come to that are being prepared, sent or delivered.
    pub revenue: Money,
}

/// Each day from the first to the last, also those without an order.
pub(super) fn each_day(from: NaiveDate, today: NaiveDate, known: &[Day]) -> Vec<OverviewDay> {
    let known: HashMap<NaiveDate, &Day> = known.iter().map(|day| (day.date, day)).collect();
    let of = |date: NaiveDate| {
        let day = known.get(&date);
        OverviewDay {
            date: date.to_string(),
            orders: day.map_or(0, |day| day.orders()),
            revenue: day.map_or(Money::ZERO, |day| day.revenue),
        }
    };
    from.iter_days().take_while(|date| *date <= today).map(of).collect()
}
