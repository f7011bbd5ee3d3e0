//! The parts of a shop's data that caches watch.
//!
//! The store that writes a table of an area announces it in the same transaction
//! ([`Tx::touch`](crate::storage::Tx::touch)). What no cache holds (accounts, orders, ..) has no
//! area.

use crate::storage::Area;

/// Products, categories, variants and reviews, and what else the site shows.
pub const CATALOG: Area = Area::new(
    0,
    &[
        "product",
        "product_fiscal",
        "category",
        "category_fiscal",
        "variant",
        "variant_type",
        "variant_option",
        "variant_value",
        "review",
        "site_setting",
    ],
);

/// How many units there are.
pub const STOCK: Area = Area::new(1, &["stock"]);

/// The counters of orders, which each order that is placed or moved changes.
pub const SALES: Area = Area::new(2, &["order_day"]);

/// What lists of products filter and sort by; its rows are the products' `pk`s. Lists are made from
/// the index of this area and kept by the catalogue and the stock, so its number is above theirs.
pub const LISTING: Area = Area::new(3, &["product", "stock"]);

/// Every area there is.
pub(crate) const ALL: &[Area] = &[CATALOG, STOCK, SALES, LISTING];
