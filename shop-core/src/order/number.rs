//! Order numbers: `<PREFIX>-<YYYYMMDD>-<sequence>` (decision 4).

use chrono::NaiveDate;

use crate::area;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::storage::Tx;

/// The next number of the local day. The counter is part of the order's transaction, so a number
/// is given out exactly when its order is: no gaps, no repeats. On the same row the order, which is
/// PENDING and no revenue yet, is counted (`tally.rs`).
pub(crate) fn next(tx: &mut dyn Tx, prefix: &str, now: Timestamp) -> Result<String> {
    let day = day_key(now.local_day());
    // No `RETURNING`: SQLite opens a temporary table for it, which costs more than a look-up.
    tx.touch(area::SALES);
    let counted = tx.execute(
        "UPDATE order_day SET last = last + 1, pending = pending + 1 WHERE day = $1",
        &[(&day).into()],
    )?;
    if counted == 0 {
        tx.execute(
            "INSERT INTO order_day (day, last, pending) VALUES ($1, 1, 1)
             ON CONFLICT (day) DO UPDATE SET last = order_day.last + 1,
               pending = order_day.pending + 1",
            &[(&day).into()],
        )?;
    }
    let sequence: i64 = tx.value("SELECT last FROM order_day WHERE day = $1", &[(&day).into()])?;
    Ok(format!("{prefix}-{day}-{sequence:04}"))
}

/// How a local day is written in numbers and counters.
pub(crate) fn day_key(day: NaiveDate) -> String {
    day.format("%Y%m%d").to_string()
}
