//! The endpoint table: every path that the server knows. Handlers hold no rule: they take what was
//! parsed, call the library, and shape the answer.

mod addresses;
mod admin;
mod auth;
mod cart;
mod catalog;
mod contact;
mod coupons;
mod docs;
mod guests;
mod melhor_envio;
mod notifications;
#[cfg(feature = "nfe")]
mod order_invoice;
mod orders;
mod payments;
mod prelude;
mod privacy;
mod returns;
mod reviews;
mod settings;
mod shipping;
mod stock;
mod system;
mod unsubscribe;
mod v1;
mod wishlist;

use crate::openapi::Group;
use crate::route::Route;

/// All rows, in groups as the OpenAPI document shows them.
pub(crate) fn groups() -> Vec<Group> {
    let group = |name, about, routes| Group { name, about, routes };
    let integration = [v1::rows(), stock::rows()].into_iter().flatten().collect();
    let mut groups = vec![
        group("Account and session", "Registration, log-in, profile and password.", accounts()),
        group("Catalogue", "What is for sale.", catalog::rows()),
        group("Reviews", "What customers think of products.", reviews::rows()),
        group("Coupons", "What a code takes off.", coupons::rows()),
        group("Shipping", "What sending something costs.", sending()),
        group("Cart", "The cart that the server keeps, for guests too.", cart::rows()),
        group("Orders", "Placing orders, and following one's own.", own_orders()),
        group("Returns", "Sending back what was bought.", returns::rows()),
        group("Payments", "Paying by PIX or card, and the providers' notices.", payments::rows()),
        group(
            "Customer area",
            "Addresses, wishlist, notifications, one's own data.",
            customer_area(),
        ),
        group("Newsletter and contact", "Mails to and from the shop.", mails()),
        group("Site", "What the shop's pages show.", settings::rows()),
    ];
    groups.extend(admin::groups());
    groups.push(group(
        "Integration",
        "For programs with a key: ERP, marketplaces, stock.",
        integration,
    ));
    groups.push(group(
        "System",
        "For operators of the server.",
        [system::rows(), docs::rows()].into_iter().flatten().collect(),
    ));
    groups
}

fn accounts() -> Vec<Route> {
    [auth::rows(), guests::rows()].into_iter().flatten().collect()
}

fn sending() -> Vec<Route> {
    [shipping::rows(), melhor_envio::rows()].into_iter().flatten().collect()
}

fn own_orders() -> Vec<Route> {
    [
        orders::rows(),
        #[cfg(feature = "nfe")]
        order_invoice::rows(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn mails() -> Vec<Route> {
    [contact::rows(), unsubscribe::rows()].into_iter().flatten().collect()
}

fn customer_area() -> Vec<Route> {
    [addresses::rows(), wishlist::rows(), notifications::rows(), privacy::rows()]
        .into_iter()
        .flatten()
        .collect()
}

#[cfg(test)]
mod tests;
