//! Variants: what a product can be had as, each with its own price and stock. Options of kinds of
//! variation ([`super::VariantTypes`]) tell them apart.

mod manage;
mod named;
mod state;
mod store;

use serde::Deserialize;

pub(crate) use self::manage::delete;
pub(super) use self::manage::{add, apply};
pub(super) use self::named::insert_named;
pub use self::named::{NamedOption, NewProductVariant};
pub(crate) use self::store::insert;
pub(super) use self::store::{copy, erase, of_admin, of_product, of_products};
use crate::error::{Error, Result};
use crate::id::{VariantId, VariantOptionId};
use crate::money::Money;
use crate::value::{
    InvalidValue, Length, Price, StockLevel, Text, Weight, compare_price, nullable_compare_price,
};

/// The most variants of a product, however they are made: what a shop exports, one can import.
pub(super) const MAX_VARIANTS: usize = 200;

/// Refuses more variants than a product may have.
pub(super) fn check_count(variants: usize) -> Result<()> {
    if variants > MAX_VARIANTS {
        let most = MAX_VARIANTS as u64;
        return Err(Error::field("variants", InvalidValue::TooManyVariants { most }));
    }
    Ok(())
}

/// A variant of a product.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct Variant {
    /// UUID version 7, set by the shop.
    pub id: VariantId,
    /// What it costs.
    pub price: Money,
    /// What it used to cost.
    pub compare_price: Option<Money>,
    /// Units of the variant that are left.
    pub stock: i64,
    /// The shop's own article number.
    pub sku: Option<String>,
    /// In kilograms, with packaging; as the product where it is null.
    pub weight: Option<Weight>,
    /// The first side in centimetres, packed for sending.
    pub length: Option<Length>,
    /// The second side in centimetres, packed for sending.
    pub width: Option<Length>,
    /// The third side in centimetres, packed for sending.
    pub height: Option<Length>,
    /// What sets it apart.
    pub values: Vec<VariantValue>,
}

/// One of the things that set a variant apart.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct VariantValue {
    /// The kind of variation, e.g. "Tamanho".
    pub variant_type: String,
    /// Its option, e.g. "200 g".
    pub value: String,
}

/// A variant as staff see it.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct AdminVariant {
    /// UUID version 7, set by the shop.
    pub id: VariantId,
    /// What it costs.
    pub price: Money,
    /// What it used to cost.
    pub compare_price: Option<Money>,
    /// Units of the variant that are left.
    pub stock: i64,
    /// The shop's own article number, unique over products and variants.
    pub sku: Option<String>,
    /// In kilograms, with packaging; as the product where it is null.
    pub weight: Option<Weight>,
    /// The first side in centimetres, packed for sending.
    pub length: Option<Length>,
    /// The second side in centimetres, packed for sending.
    pub width: Option<Length>,
    /// The third side in centimetres, packed for sending.
    pub height: Option<Length>,
    /// What sets it apart.
    pub values: Vec<AdminVariantValue>,
}

/// One of the things that set a variant apart, with the option behind it.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct AdminVariantValue {
    /// Its own id, made of the variant's and the option's.
    pub id: String,
    /// The option's id.
    pub variant_option_id: VariantOptionId,
    /// The option with the name of its kind.
    pub variant_option: ChosenOption,
}

/// An option that a variant has.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct ChosenOption {
    /// What shoppers choose, e.g. "200 g".
    pub value: String,
    /// The kind of variation that it is an option of.
    pub variant_type: ChosenType,
}

/// The kind of an option that a variant has.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct ChosenType {
    /// What shoppers call it, e.g. "Tamanho".
    pub name: String,
}

/// A variant to be added to a product.
#[apply(input!)]
#[derive(PartialEq, Eq)]
pub struct NewVariant {
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
    pub values: Vec<NewVariantValue>,
}

/// An option that a new variant takes.
#[apply(input!)]
#[derive(PartialEq, Eq)]
pub struct NewVariantValue {
    /// The option's id.
    pub variant_option_id: VariantOptionId,
}

/// What staff change of a variant; fields that are absent stay.
#[apply(patch!)]
#[cfg_attr(feature = "schema", schemars(rename = "PatchVariant"))]
pub struct VariantPatch {
    /// What it costs.
    pub price: Option<Price>,
    #[own_form]
    /// What it used to cost; null or 0 clears it.
    #[serde(
        default,
        deserialize_with = "nullable_compare_price",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::money::Money>", extend("minimum" = 0)))]
    pub compare_price: Option<Option<Price>>,
    /// Its units, as they were counted.
    pub stock: Option<StockLevel>,
    /// The shop's own article number; null clears it.
    pub sku: Option<Option<Text<1, 64>>>,
    /// In kilograms, with packaging; null takes the product's.
    pub weight: Option<Option<Weight>>,
    /// The first side in centimetres, packed for sending; null clears it.
    pub length: Option<Option<Length>>,
    /// The second side in centimetres, packed for sending; null clears it.
    pub width: Option<Option<Length>>,
    /// The third side in centimetres, packed for sending; null clears it.
    pub height: Option<Option<Length>>,
    /// All that sets it apart from now on.
    pub values: Option<Vec<NewVariantValue>>,
}

impl From<AdminVariant> for Variant {
    fn from(of_admin: AdminVariant) -> Self {
        let AdminVariant {
            id,
            price,
            compare_price,
            stock,
            sku,
            weight,
            length,
            width,
            height,
            values,
        } = of_admin;
        let public = |value: AdminVariantValue| VariantValue {
            variant_type: value.variant_option.variant_type.name,
            value: value.variant_option.value,
        };
        let values = values.into_iter().map(public).collect();
        Self { id, price, compare_price, stock, sku, weight, length, width, height, values }
    }
}
