//! Order numbers: `<PREFIX>-<YYYYMMDD>-<sequence>`.

use chrono::NaiveDate;

use super::daily_stats;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::storage::Tx;

/// The next number of the local day. The counter is part of the order's transaction, so a number
/// is given out exactly when its order is: no gaps, no repeats.
pub(crate) fn next(tx: &mut dyn Tx, prefix: &str, now: Timestamp) -> Result<String> {
    let day = now.local_day();
    let sequence = daily_stats::count_new(tx, day)?;
    Ok(format!("{prefix}-{}-{sequence:04}", day_key(day)))
}

/// How a local day is written in numbers and counters.
pub(crate) fn day_key(day: NaiveDate) -> String {
    day.format("%Y%m%d").to_string()
}
