//! What states and the law demand of every document, by state and by year: told to the operator
//! where settings are checked, and refused by the sandbox.

use chrono::{Datelike, NaiveDate};
use rust_decimal::Decimal;

/// States that refuse a document that does not say who answers for the program (rejection 972):
/// NT 2018.005 v1.52, rule ZD01-10.
pub(crate) const RESPONSIBLE: [&str; 6] = ["AM", "MS", "PE", "PR", "SC", "TO"];

/// States that also demand the hash made with the responsible company's code, the CSRT (rejection
/// 975): rule ZD07-10.
pub(crate) const CSRT: [&str; 1] = ["PR"];

/// The parts of IBS that go to state and city in percent, as the law has them for the day of issue:
/// 0.1 and 0 in 2026, 0.05 and 0.05 in 2027 and 2028 (LC 214/2025, articles 343 and 344; rejections
/// 1026 and 1036). Nothing where no law says them yet.
pub(crate) fn ibs_rates(day: NaiveDate) -> Option<(Decimal, Decimal)> {
    match day.year() {
        ..=2026 => Some((Decimal::new(10, 2), Decimal::ZERO)),
        2027 | 2028 => Some((Decimal::new(5, 2), Decimal::new(5, 2))),
        _ => None,
    }
}

/// The rate of CBS in percent that the law has for the day of issue: 0.9 in 2026 (LC 214/2025,
/// article 346; rejection 1037). For 2027 no rate was fixed when this was written.
pub(crate) fn cbs_rate(day: NaiveDate) -> Option<Decimal> {
    (day.year() <= 2026).then(|| Decimal::new(90, 2))
}
