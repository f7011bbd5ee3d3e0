//! Whether an order was ever paid.

use crate::error::Result;
use crate::id::OrderId;
use crate::storage::{Tx, params};

/// Whether a payment paid the order, also where its money went back since.
pub(crate) fn was_paid(tx: &mut dyn Tx, order: &OrderId) -> Result<bool> {
    tx.exists(
        "SELECT 1 FROM payment WHERE order_id = $1 AND paid_at IS NOT NULL LIMIT 1",
        params![order],
    )
}
