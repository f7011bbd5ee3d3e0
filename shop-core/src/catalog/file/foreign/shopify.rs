//! The names of Shopify's columns: those of its templates until 2024, and those since.

use super::line::Lines;
use super::options::Columns;
use crate::error::Result;

pub(super) fn columns(lines: &Lines) -> Result<Columns> {
    let option =
        |what: &str| [1, 2, 3].map(|n| lines.place(&[format!("option{n} {what}").as_str()]));
    Ok(Columns {
        handle: lines.required("Handle", &["handle", "url handle"])?,
        name: lines.required("Title", &["title"])?,
        description: lines.place(&["body html", "description"]),
        categories: [lines.place(&["type"]), lines.place(&["product category"])],
        active: [
            lines.place(&["published", "published on online store"]),
            lines.place(&["status"]),
        ],
        price: lines.required("Variant Price", &["variant price", "price"])?,
        compare_price: lines.place(&["variant compare at price", "compare at price"]),
        sku: lines.place(&["variant sku", "sku"]),
        stock: lines.place(&["variant inventory qty", "inventory quantity"]),
        counted: lines.place(&["variant inventory tracker", "inventory tracker"]),
        gift_card: lines.place(&["gift card"]),
        gtin: lines.place(&["variant barcode", "barcode"]),
        weight: lines.place(&["variant grams", "weight value grams"]),
        weight_unit: 1000,
        option_names: option("name"),
        option_values: option("value"),
        image: lines.place(&["image src", "product image url", "image source"]),
        image_alt: lines.place(&["image alt text"]),
        image_position: lines.place(&["image position"]),
        ..Columns::default()
    })
}
