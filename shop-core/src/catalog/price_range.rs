//! From what to what a product can be had: at the prices of its variants, where it has some, else
//! at its own ([`Product::price_range`](super::Product::price_range)).

/// The lowest price of a product `p` as a column.
pub(in crate::catalog) const MIN_PRICE: &str =
    "coalesce((SELECT min(v.price) FROM variant v WHERE v.product_id = p.id), p.price)";

/// The highest.
pub(in crate::catalog) const MAX_PRICE: &str =
    "coalesce((SELECT max(v.price) FROM variant v WHERE v.product_id = p.id), p.price)";
