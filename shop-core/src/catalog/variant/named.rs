//! Variants that are made with their product, their options told by name.

use serde::Serialize;

use super::{AdminVariant, NewVariant, NewVariantValue, insert};
use crate::catalog::variant_type::option_named;
use crate::context::Work;
use crate::error::Result;
use crate::id::ProductId;
use crate::storage::Tx;
use crate::value::{Length, Price, StockLevel, Text, Weight, compare_price};

/// A variant that is made with its product. Kinds of variation and options that the shop does not
/// have yet are made too.
#[apply(input!)]
#[derive(PartialEq, Eq, Serialize)]
pub struct NewProductVariant {
    /// What it costs.
    pub price: Price,
    /// What it used to cost; 0 is no such price.
    #[serde(default, deserialize_with = "compare_price")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::money::Money>", extend("minimum" = 0)))]
    pub compare_price: Option<Price>,
    /// Its first count.
    pub stock: StockLevel,
    /// The shop's own article number.
    #[serde(default)]
    pub sku: Option<Text<1, 64>>,
    /// In kilograms, with packaging; as the product where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<Weight>,
    /// The first side in centimetres, packed for sending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<Length>,
    /// The second side in centimetres, packed for sending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<Length>,
    /// The third side in centimetres, packed for sending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<Length>,
    /// What sets it apart: one option of each kind of variation at most.
    pub values: Vec<NamedOption>,
}

/// An option by the name of its kind and its own, e.g. "Tamanho" and "M".
#[apply(input!)]
#[derive(PartialEq, Eq, Serialize)]
pub struct NamedOption {
    /// The kind of variation. One with the same slug (`tamanho`) is the same kind.
    pub variant_type: Text<1, 60>,
    /// What shoppers choose.
    pub value: Text<1, 60>,
}

impl NewProductVariant {
    /// A variant with a price and units that one option tells apart, a kind of variation and its
    /// value; add further ones to `values`, and set the other fields on it.
    pub fn new(price: Price, stock: StockLevel, option: (Text<1, 60>, Text<1, 60>)) -> Self {
        let (variant_type, value) = option;
        let values = vec![NamedOption { variant_type, value }];
        Self {
            price,
            compare_price: None,
            stock,
            sku: None,
            weight: None,
            length: None,
            width: None,
            height: None,
            values,
        }
    }
}

/// Inserts a variant whose options are told by name, and those that the shop does not have yet.
pub(in crate::catalog) fn insert_named(
    tx: &mut dyn Tx,
    at: &Work,
    product: &ProductId,
    new: &NewProductVariant,
) -> Result<AdminVariant> {
    let mut values = Vec::with_capacity(new.values.len());
    for (place, NamedOption { variant_type, value }) in new.values.iter().enumerate() {
        let variant_option_id = option_named(tx, at, variant_type, value)
            .map_err(|error| error.rename_fields(|field| format!("values[{place}].{field}")))?;
        values.push(NewVariantValue { variant_option_id });
    }
    let NewProductVariant {
        price, compare_price, stock, sku, weight, length, width, height, ..
    } = new.clone();
    let variant =
        NewVariant { price, compare_price, stock, sku, weight, length, width, height, values };
    insert(tx, at, product, &variant).map_err(|error| {
        error.rename_fields(|field| field.replace("variantOptionId", "variantType"))
    })
}
