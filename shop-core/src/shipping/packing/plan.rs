//! The plan of an order's parcels, as it is kept with the order.

use serde::Deserialize;

use crate::id::{ProductId, VariantId};
use crate::money::Money;
use crate::value::{Length, Weight};

/// The parcels of an order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PackingPlan {
    /// One for each label: boxes in the order in which they were opened, then what travels by
    /// itself.
    pub parcels: Vec<PackedParcel>,
}

/// A parcel, with what is in it.
#[apply(answer!)]
pub struct PackedParcel {
    /// The name of the shop's box; null for goods that travel without one, or where the shop has no
    /// boxes.
    #[serde(rename = "box")]
    pub box_name: Option<String>,
    /// The outer length in centimetres, the longest side.
    pub length: Length,
    /// The outer width in centimetres.
    pub width: Length,
    /// The outer height in centimetres, the shortest side.
    pub height: Length,
    /// In kilograms, with the box.
    pub weight: Weight,
    /// What its goods are worth, before discounts of the order.
    pub value: Money,
    /// The goods.
    pub items: Vec<PackedItem>,
}

/// Units of one product or variant in a parcel.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct PackedItem {
    /// The product.
    pub product_id: ProductId,
    /// The variant, if it is one.
    pub variant_id: Option<VariantId>,
    /// As it was called when the order was placed.
    pub name: String,
    /// How many units.
    pub quantity: i64,
}
