//! The back office (`/api/admin`).

mod api_keys;
mod audit;
mod categories;
mod coupons;
mod customers;
mod dashboard;
mod nfe;
mod orders;
mod products;
mod refunds;
mod reviews;
mod settings;
mod shipping;
mod stock;
mod upload;
mod variant_types;
mod variants;
mod webhooks;

use crate::route::Route;

/// The rows of all topics.
pub(super) fn rows() -> Vec<Route> {
    [
        dashboard::rows(),
        products::rows(),
        variants::rows(),
        variant_types::rows(),
        categories::rows(),
        upload::rows(),
        orders::rows(),
        refunds::rows(),
        nfe::rows(),
        customers::rows(),
        coupons::rows(),
        reviews::rows(),
        stock::rows(),
        shipping::rows(),
        settings::rows(),
        webhooks::rows(),
        api_keys::rows(),
        audit::rows(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
