//! The back office (`/api/admin`).

mod audit;
mod categories;
mod products;
mod upload;
mod variant_types;
mod variants;

use crate::route::Route;

/// The rows of all topics.
pub(super) fn rows() -> Vec<Route> {
    [
        audit::rows(),
        products::rows(),
        variants::rows(),
        variant_types::rows(),
        categories::rows(),
        upload::rows(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
