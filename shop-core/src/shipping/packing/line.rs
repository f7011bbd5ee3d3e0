//! What is to be packed.

use crate::catalog::Offered;
use crate::id::{ProductId, VariantId};
use crate::money::Money;
use crate::value::{Length, Weight};

/// Units of one product or variant that are to be packed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackLine {
    /// The product.
    pub product_id: ProductId,
    /// The variant, if it is one.
    pub variant_id: Option<VariantId>,
    /// What staff look for on the shelf.
    pub name: String,
    /// How many units.
    pub quantity: i64,
    /// What a unit weighs.
    pub weight: Weight,
    /// The three sides of a unit in any order; none where they are not known.
    pub sides: Option<[Length; 3]>,
    /// What a unit is worth, for the insurance.
    pub price: Money,
}

impl PackLine {
    /// So many units of what is on sale.
    pub(crate) fn of(
        product: &ProductId,
        variant: Option<&VariantId>,
        quantity: i64,
        offered: &Offered,
    ) -> Self {
        let Offered { name, values, price, packed, .. } = offered;
        Self {
            product_id: product.clone(),
            variant_id: variant.cloned(),
            name: values.as_ref().map_or_else(|| name.clone(), |it| format!("{name} ({it})")),
            quantity,
            weight: packed.weight(),
            sides: packed.sides(),
            price: *price,
        }
    }
}
