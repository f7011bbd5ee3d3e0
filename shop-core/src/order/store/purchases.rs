//! What customers bought, and with which coupon.

use crate::error::Result;
use crate::id::{AccountId, CouponId, OrderId, ProductId};
use crate::payment;
use crate::storage::{Tx, params};

/// Whether an order `o` was paid, also where the money went back since; one of nothing is paid as it is
/// placed.
fn is_paid() -> String {
    format!("(o.total = 0 OR EXISTS ({} o.id))", payment::PAID)
}

/// Whether the customer has an order with the product that was paid.
pub(crate) fn has_paid_for(
    tx: &mut dyn Tx,
    customer: &AccountId,
    product: &ProductId,
) -> Result<bool> {
    let sql = format!(
        "SELECT 1 FROM orders o JOIN order_item i ON i.order_id = o.id
         WHERE o.account_id = $1 AND i.product_id = $2 AND {} LIMIT 1",
        is_paid()
    );
    tx.exists(&sql, params![customer, product])
}

/// Whether the order was paid.
pub(crate) fn was_paid(tx: &mut dyn Tx, order: &OrderId) -> Result<bool> {
    let sql = format!("SELECT 1 FROM orders o WHERE o.id = $1 AND {}", is_paid());
    tx.exists(&sql, params![order])
}

/// The coupon that an order was placed with.
pub(crate) fn coupon_of(tx: &mut dyn Tx, order: &OrderId) -> Result<Option<CouponId>> {
    let coupon: Option<Option<CouponId>> =
        tx.one("SELECT coupon_id FROM orders WHERE id = $1", params![order], |row| row.get(0))?;
    Ok(coupon.flatten())
}
