//! The back office (`/api/admin`).

mod audit;
mod coupons;
mod customers;
mod reviews;
mod settings;
mod shipping;
mod stock;

use crate::route::Route;

/// The rows of all topics.
pub(super) fn rows() -> Vec<Route> {
    [
        coupons::rows(),
        customers::rows(),
        reviews::rows(),
        stock::rows(),
        shipping::rows(),
        settings::rows(),
        audit::rows(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
