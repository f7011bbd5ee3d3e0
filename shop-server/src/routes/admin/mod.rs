//! The back office (`/api/admin`).

mod api_keys;
mod audit;
mod categories;
mod coupons;
mod customers;
mod dashboard;
#[cfg(feature = "nfe")]
mod labels;
mod mails;
mod melhor_envio;
#[cfg(feature = "nfe")]
mod nfe;
#[cfg(feature = "nfe")]
mod nfe_return;
mod orders;
mod payments;
#[cfg(feature = "media")]
mod product_file;
mod product_form;
mod products;
mod returns;
mod reviews;
mod sessions;
mod settings;
mod shipments;
mod shipping;
mod shipping_boxes;
mod stock;
mod two_factor;
#[cfg(feature = "media")]
mod upload;
mod variant_types;
mod variants;
mod webhooks;

use crate::openapi::Group;
use crate::route::Route;

/// The rows of all topics, by topic.
pub(super) fn groups() -> Vec<Group> {
    let group = |name, about, rows: Vec<Vec<Route>>| Group {
        name,
        about,
        routes: rows.into_iter().flatten().collect(),
    };
    vec![
        group("Back office: dashboard", "How the shop is doing.", vec![dashboard::rows()]),
        group(
            "Back office: products",
            "What the shop sells, with its variants and pictures.",
            vec![
                products::rows(),
                #[cfg(feature = "media")]
                product_file::rows(),
                variants::rows(),
                #[cfg(feature = "media")]
                upload::rows(),
            ],
        ),
        group(
            "Back office: categories and variations",
            "How products are sorted, and in what they come.",
            vec![categories::rows(), variant_types::rows()],
        ),
        group("Back office: stock", "How many there are.", vec![stock::rows()]),
        group(
            "Back office: orders",
            "The orders of all customers: their course, notes and refunds.",
            vec![orders::rows(), payments::rows()],
        ),
        group(
            "Back office: shipments",
            "Parcels of orders, and the labels that are bought for them.",
            vec![shipments::rows()],
        ),
        group(
            "Back office: returns",
            "Goods that come back, and their money.",
            vec![returns::rows()],
        ),
        #[cfg(feature = "nfe")]
        group(
            "Back office: invoices",
            "NF-e: issuing, cancelling, printing, goods that come back.",
            vec![nfe::rows(), nfe_return::rows()],
        ),
        group(
            "Back office: customers",
            "Customers and their reviews.",
            vec![customers::rows(), reviews::rows()],
        ),
        group("Back office: coupons", "Codes that take something off.", vec![coupons::rows()]),
        group(
            "Back office: shipping",
            "Tariffs of one's own, boxes, and carriers.",
            vec![shipping::rows(), shipping_boxes::rows(), melhor_envio::rows()],
        ),
        #[cfg(feature = "nfe")]
        group(
            "Back office: labels",
            "Labels, declarations of content and packing slips.",
            vec![labels::rows()],
        ),
        group(
            "Back office: settings",
            "Pages, analytics, and one's own password, second factor and sessions.",
            vec![settings::rows(), two_factor::rows(), sessions::rows()],
        ),
        group(
            "Back office: integrations",
            "Webhooks, keys of programs, mails that do not leave, and the audit log.",
            vec![webhooks::rows(), api_keys::rows(), mails::rows(), audit::rows()],
        ),
    ]
}
