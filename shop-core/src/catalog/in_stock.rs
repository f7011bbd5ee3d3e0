//! What is in stock: a product of which a unit can be ordered, of itself unless it is sold in its
//! variants only, or of one of them.

/// Whether a product `p` is in stock, of which `s` is its own row of `stock`.
pub(in crate::catalog) const IN_STOCK: &str = "
    ((p.variant_required = 0 AND s.quantity > 0)
     OR EXISTS (SELECT 1 FROM variant v JOIN stock vs ON vs.item_id = v.id
                WHERE v.product_id = p.id AND vs.quantity > 0))";

/// Whether units of a product's own make it one that is in stock; those of a variant always do.
pub(in crate::catalog) const fn own_count(variant_required: bool, units: i64) -> bool {
    !variant_required && units > 0
}
