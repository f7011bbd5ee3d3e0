//! What placing an order asks, as far as it is known before its job begins. Each query stands with
//! the statement that it asks by, in the store of its table.

use super::freight::Freight;
use super::lines::Item;
use super::place::Placement;
use crate::storage::Prefetch;
use crate::{account, catalog, shipping};

/// The queries of [`draft`](super::place::draft), for orders of these items.
pub(super) fn of(placement: &Placement, items: &[Item]) -> Vec<Prefetch> {
    let Placement { customer, staff, order, freight, request, rules } = placement;
    let mut queries = vec![
        account::prefetch_address(customer, &order.address_id),
        account::prefetch(customer),
        shipping::prefetch_boxes(),
    ];
    if let Freight::OfTariffs = freight {
        queries.push(shipping::prefetch_static_options());
    }
    queries.extend(request.prefetch());
    if staff.is_none() {
        queries.extend(rules.limits.prefetch(customer));
    }
    for (product, variant, _) in items {
        queries.extend(catalog::prefetch_offered(product, variant.as_ref()));
    }
    queries
}
