//! How a product goes for good (decision 11): orders keep their snapshot and the ledger its
//! movements; wishes, cart lines, reviews, variants, article numbers and units go with it.

use super::product::{Products, load_by_id};
use super::sheet::{Sheet, audit};
use super::{review, sku, variant};
use crate::actor::Actor;
use crate::area;
use crate::context::Work;
use crate::error::{Entity, Error, Result};
use crate::id::ProductId;
use crate::lane;
use crate::storage::Tx;
use crate::{cart, stock, wishlist};

impl Products<'_> {
    /// Deletes a product for good. Orders that have it stay as they are.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn delete(&self, by: &Actor, id: &ProductId) -> Result<()> {
        let (by, id, at) = (by.clone(), id.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            let found = remove(tx, &at, &by, &id)?;
            if found { Ok(()) } else { Err(Error::NotFound(Entity::Product)) }
        };
        self.cx.db().write(lane::CATALOG, "product.delete", job).await
    }
}

/// Whether there was such a product.
pub(super) fn remove(tx: &mut dyn Tx, at: &Work, by: &Actor, id: &ProductId) -> Result<bool> {
    let Some(found) = load_by_id(tx, id)? else { return Ok(false) };
    cart::forget_product(tx, id)?;
    wishlist::forget_product(tx, id)?;
    review::forget_product(tx, id)?;
    for each in &found.variants {
        variant::erase(tx, at, &each.id)?;
    }
    sku::release(tx, id.as_str())?;
    stock::remove(tx, at, id.as_str())?;
    tx.touch(area::CATALOG);
    tx.execute("DELETE FROM product WHERE id = $1", &[id.into()])?;
    let sheet = Sheet::of(&found);
    audit(tx, at, by, "product.delete", id, Some((&sheet, found.stock)), None)?;
    Ok(true)
}
