//! What keeps orders that are placed beside each other apart.

use super::lines::Item;
use super::place::Placement;
use crate::coupon;
use crate::id::CouponId;
use crate::storage::LockKey;

/// What placing an order locks: what it asks for and others change, and the rows that it changes, so
/// that no two orders wait for each other in a circle.
pub(super) fn of(placement: &Placement, items: &[Item]) -> Vec<LockKey> {
    let Placement { customer, staff, order, request, rules, .. } = placement;
    let mut locks: Vec<LockKey> = request.lock().into_iter().collect();
    if staff.is_none() && rules.limits.ask_for_orders() {
        locks.push(LockKey::alone("customer", customer.as_str()));
    }
    let coupon = order.coupon_id.as_ref().map(CouponId::as_str);
    // An empty code is none, as where forms have a field for it.
    let code = order.coupon_code.as_ref().map(|code| coupon::key(code.as_str()));
    let code = code.filter(|code| !code.is_empty());
    locks.extend(coupon.or(code.as_deref()).map(|named| LockKey::shared("coupon", named)));
    for (product, variant, _) in items {
        // What is sold of a variant counts on its product's row too.
        locks.push(LockKey::shared("stock", product.as_str()));
        locks.extend(variant.iter().map(|variant| LockKey::shared("stock", variant.as_str())));
    }
    locks
}
