//! What a quote is asked for by its items, as they stand in a query.

use std::str::FromStr;

use crate::id::{ProductId, VariantId};
use crate::value::{InvalidValue, Quantity, deserialize_by_from_str, inline_schema};

/// How many different items a quote is for at most: so many fit into an address that proxies take,
/// 8 KB.
const MAX_ITEMS: usize = 80;

/// Items with their quantities: `<product>:<quantity>` or `<product>/<variant>:<quantity>`, with
/// commas between, at most 80.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuotedItems(Vec<QuotedItem>);

/// So many units of a product or variant.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct QuotedItem {
    /// The product.
    pub product_id: ProductId,
    /// The variant, if one is chosen.
    pub variant_id: Option<VariantId>,
    /// Units.
    pub quantity: Quantity,
}

impl QuotedItems {
    /// The items, at least one.
    pub fn as_slice(&self) -> &[QuotedItem] {
        &self.0
    }
}

impl FromStr for QuotedItems {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let items: Vec<QuotedItem> =
            text.split(',').take(MAX_ITEMS + 1).map(read_item).collect::<Result<_, _>>()?;
        if items.len() > MAX_ITEMS {
            return Err(InvalidValue::TooManyProducts { most: MAX_ITEMS as u64 });
        }
        Ok(Self(items))
    }
}

fn read_item(text: &str) -> Result<QuotedItem, InvalidValue> {
    let (item, quantity) = text.trim().split_once(':').ok_or(InvalidValue::QuotedItems)?;
    let (product, variant) = match item.split_once('/') {
        Some((product, variant)) => (product, Some(variant)),
        None => (item, None),
    };
    if product.is_empty() || variant.is_some_and(str::is_empty) {
        return Err(InvalidValue::QuotedItems);
    }
    let quantity: i64 = quantity.parse().map_err(|_| InvalidValue::QuotedItems)?;
    let (product_id, variant_id) = (product.into(), variant.map(VariantId::from));
    Ok(QuotedItem { product_id, variant_id, quantity: quantity.try_into()? })
}

deserialize_by_from_str!(QuotedItems);

inline_schema!(QuotedItems, {
    "type": "string", "format": "quoted-items", "maxLength": 8000,
    "description": "Items with quantities: `<product>:<quantity>` or `<product>/<variant>:<quantity>`, with commas between, at most 80."
});
