//! Order numbers: `<PREFIX>-<YYYYMMDD>-<sequence>` (decision 4).

use crate::clock::Timestamp;
use crate::error::Result;
use crate::storage::Tx;

/// The next number of the local day. The counter is part of the order's transaction, so a number
/// is given out exactly when its order is: no gaps, no repeats.
pub(super) fn next(tx: &mut dyn Tx, prefix: &str, now: Timestamp) -> Result<String> {
    let day = now.local_day().format("%Y%m%d").to_string();
    let sequence: i64 = tx.value(
        "INSERT INTO order_day (day, last) VALUES ($1, 1)
         ON CONFLICT (day) DO UPDATE SET last = order_day.last + 1 RETURNING last",
        &[(&day).into()],
    )?;
    Ok(format!("{prefix}-{day}-{sequence:04}"))
}
