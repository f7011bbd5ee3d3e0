//! What keeps orders that are placed beside each other apart.

use super::lines::Item;
use super::place::Placement;
use crate::coupon::{self, Named};
use crate::storage::LockKey;

/// What placing an order locks: what it asks for and others change, and the rows that it changes,
/// so that no two orders wait for each other in a circle.
pub(super) fn of(placement: &Placement, items: &[Item]) -> Vec<LockKey> {
    let Placement { customer, staff, order, request, rules, .. } = placement;
    let mut locks: Vec<LockKey> = request.lock().into_iter().collect();
    if staff.is_none() && rules.limits.ask_for_orders() {
        locks.push(LockKey::alone("customer", customer.as_str()));
    }
    locks.extend(order.coupon().map(|named| match named {
        Named::Id(id) => LockKey::shared("coupon", id.as_str()),
        Named::Code(code) => LockKey::shared("coupon", &coupon::key(code)),
    }));
    for (product, variant, _) in items {
        // What is sold of a variant counts on its product's row too.
        locks.push(LockKey::shared("stock", product.as_str()));
        locks.extend(variant.iter().map(|variant| LockKey::shared("stock", variant.as_str())));
    }
    locks
}
