//! Whether an order was ever paid.

use crate::error::Result;
use crate::id::OrderId;
use crate::storage::Tx;

/// Whether a payment paid the order, also where its money went back since.
pub(crate) fn was_paid(tx: &mut dyn Tx, order: &OrderId) -> Result<bool> {
    let paid = tx.one(
        "SELECT 1 FROM payment WHERE order_id = $1
           AND status IN ('PAID', 'REFUNDED', 'CHARGED_BACK') LIMIT 1",
        &[order.into()],
        |_| Ok(()),
    )?;
    Ok(paid.is_some())
}
