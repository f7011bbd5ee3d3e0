//! The endpoint table: every path that the server knows. Handlers hold no rule: they take what was
//! parsed, call the library, and shape the answer.

mod addresses;
mod admin;
mod auth;
mod cart;
mod catalog;
mod contact;
mod coupons;
mod notifications;
mod orders;
mod payments;
mod privacy;
mod reviews;
mod settings;
mod shipping;
mod stock;
mod system;
mod v1;
mod wishlist;

use crate::openapi::Group;
use crate::route::Route;

/// All rows, in groups as the OpenAPI document shows them.
pub(crate) fn groups() -> Vec<Group> {
    let group = |name, routes| Group { name, routes };
    vec![
        group("Account and session", auth::rows()),
        group("Catalogue", catalog::rows()),
        group("Reviews", reviews::rows()),
        group("Coupons", coupons::rows()),
        group("Shipping", shipping::rows()),
        group("Cart", cart::rows()),
        group("Orders", orders::rows()),
        group("Payments", payments::rows()),
        group("Customer area", customer_area()),
        group("Newsletter and contact", contact::rows()),
        group("Site", settings::rows()),
        group("Back office", admin::rows()),
        group("Integration", [v1::rows(), stock::rows()].into_iter().flatten().collect()),
        group("System", system::rows()),
    ]
}

fn customer_area() -> Vec<Route> {
    [addresses::rows(), wishlist::rows(), notifications::rows(), privacy::rows()]
        .into_iter()
        .flatten()
        .collect()
}

#[cfg(test)]
mod tests;
