//! How many parcels an invoice says that its goods go in.

use std::collections::HashMap;

use crate::error::Result;
use crate::id::{ProductId, VariantId};
use crate::order::Order;
use crate::shipping::packing;
use crate::storage::Tx;

/// Those of the order's packing plan that its lines, from which units may have been withdrawn,
/// still fill; one for an order that is older than plans.
pub(super) fn of(tx: &mut dyn Tx, order: &Order) -> Result<usize> {
    let plan = packing::of_order(tx, &order.id)?.unwrap_or_default();
    let mut left = HashMap::<(&ProductId, Option<&VariantId>), i64>::new();
    for line in &order.items {
        *left.entry((&line.product_id, line.variant_id.as_ref())).or_default() += line.quantity;
    }
    let mut filled = 0;
    for parcel in &plan.parcels {
        let mut units = 0;
        for item in &parcel.items {
            let goods = (&item.product_id, item.variant_id.as_ref());
            let Some(left) = left.get_mut(&goods) else { continue };
            let packed = item.quantity.min(*left);
            *left -= packed;
            units += packed;
        }
        filled += usize::from(units > 0);
    }
    Ok(filled.max(1))
}
