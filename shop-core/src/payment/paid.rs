//! Whether an order was ever paid.

/// The payments that paid an order, also where their money went back since. The order's id follows.
pub(crate) const PAID: &str = "SELECT 1 FROM payment WHERE paid_at IS NOT NULL AND order_id =";
