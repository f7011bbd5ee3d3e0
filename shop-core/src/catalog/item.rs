//! Items: what has a price and units of its own, a product or a variant, by id, article number or
//! slug.

use crate::clock::Timestamp;
use crate::error::{Entity, Error, Result};
use crate::id::{ProductId, VariantId};
use crate::storage::{Tx, params, read_columns};

/// A product or one of its variants.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    /// The variant's id, or the product's own.
    pub(crate) id: String,
    pub(crate) product_id: ProductId,
    /// The shop's own article number.
    pub(crate) sku: Option<String>,
}

impl Item {
    /// A product, or one of its variants.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub(crate) fn get(
        tx: &mut dyn Tx,
        product: &ProductId,
        variant: Option<&VariantId>,
    ) -> Result<Self> {
        let (found, missing) = match variant {
            None => (Self::product(tx, product.as_str())?, Entity::Product),
            Some(variant) => {
                let found = Self::variant(tx, variant.as_str())?;
                (found.filter(|item| item.product_id == *product), Entity::Variant)
            }
        };
        found.ok_or(Error::NotFound(missing))
    }

    /// A product or a variant, by the id of either.
    ///
    /// # Errors
    /// [`Entity::Product`].
    pub(crate) fn get_by_id(tx: &mut dyn Tx, id: &str) -> Result<Self> {
        let found = match Self::variant(tx, id)? {
            Some(variant) => Some(variant),
            None => Self::product(tx, id)?,
        };
        found.ok_or(Error::NotFound(Entity::Product))
    }

    /// A product or a variant, by its article number, a product's slug, or the id of either.
    ///
    /// # Errors
    /// [`Entity::Product`].
    pub(crate) fn get_by_name(tx: &mut dyn Tx, name: &str) -> Result<Self> {
        if let Some(found) = Self::find_by_sku(tx, name)? {
            return Ok(found);
        }
        let by_slug = "SELECT id, id, sku FROM product WHERE slug = $1";
        match tx.find(by_slug, params![name])? {
            Some(found) => Ok(found),
            None => Self::get_by_id(tx, name),
        }
    }

    pub(crate) fn find_by_sku(tx: &mut dyn Tx, sku: &str) -> Result<Option<Self>> {
        tx.find(
            "SELECT k.item_id, coalesce(v.product_id, k.item_id), k.code
             FROM sku k LEFT JOIN variant v ON v.id = k.item_id WHERE k.code = $1",
            params![sku],
        )
    }

    fn product(tx: &mut dyn Tx, id: &str) -> Result<Option<Self>> {
        tx.find("SELECT id, id, sku FROM product WHERE id = $1", params![id])
    }

    fn variant(tx: &mut dyn Tx, id: &str) -> Result<Option<Self>> {
        tx.find("SELECT id, product_id, sku FROM variant WHERE id = $1", params![id])
    }
}

read_columns!(Item: id, product_id, sku);

/// When a product last changed.
pub(crate) fn updated_at(tx: &mut dyn Tx, product: &ProductId) -> Result<Timestamp> {
    tx.value("SELECT updated_at FROM product WHERE id = $1", params![product])
}
