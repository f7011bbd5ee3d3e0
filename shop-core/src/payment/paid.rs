//! Whether an order was ever paid.

use crate::error::Result;
use crate::id::OrderId;
use crate::storage::{Tx, params};

/// The payments that paid an order, also where their money went back since. The order's id follows.
pub(crate) const PAID: &str = "SELECT 1 FROM payment WHERE paid_at IS NOT NULL AND order_id =";

/// Whether a payment paid the order, also where its money went back since.
pub(crate) fn was_paid(tx: &mut dyn Tx, order: &OrderId) -> Result<bool> {
    tx.exists(&format!("{PAID} $1 LIMIT 1"), params![order])
}
