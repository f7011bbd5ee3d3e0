//! The endpoint table: every path that the server knows. Handlers hold no rule: they take what was
//! parsed, call the library, and shape the answer.

mod addresses;
mod auth;
mod cart;
mod catalog;
mod orders;
mod payments;
mod shipping;
mod system;

use crate::openapi::Group;

/// All rows, in groups as the OpenAPI document shows them.
pub(crate) fn groups() -> Vec<Group> {
    let group = |name, routes| Group { name, routes };
    vec![
        group("Account and session", auth::rows()),
        group("Catalogue", catalog::rows()),
        group("Shipping", shipping::rows()),
        group("Cart", cart::rows()),
        group("Orders", orders::rows()),
        group("Payments", payments::rows()),
        group("Customer area", addresses::rows()),
        group("System", system::rows()),
    ]
}

#[cfg(test)]
mod tests;
