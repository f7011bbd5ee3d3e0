//! A product made after another one.

use super::create::{claim_slug, numbered};
use super::product::{Product, Products, load_by_id};
use super::sheet::{Sheet, audit};
use super::variant;
use crate::actor::Actor;
use crate::context::Work;
use crate::error::{Entity, Error, Result};
use crate::id::ProductId;
use crate::lane;
use crate::stock;
use crate::storage::Tx;
use crate::value::Slug;

impl Products<'_> {
    /// Makes a product after another one, with its pictures and variants, under the next free
    /// `<slug>-<n>`. It is off sale and has no units; neither it nor a variant of it has an SKU,
    /// for those name one thing.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn copy(&self, by: &Actor, id: &ProductId) -> Result<Product> {
        let (by, id, at) = (by.clone(), id.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| copy(tx, &at, &by, &id);
        self.cx.db().write(lane::CATALOG, "product.copy", job).await
    }
}

fn copy(tx: &mut dyn Tx, at: &Work, by: &Actor, original: &ProductId) -> Result<Product> {
    let found = load_by_id(tx, original)?.ok_or(Error::NotFound(Entity::Product))?;
    let slug: Slug = found.slug.parse().map_err(Error::from_source)?;
    let mut sheet =
        Sheet { active: false, sku: None, images: found.images.copied(at)?, ..Sheet::of(&found) };
    let id: ProductId = at.id();
    let pk = claim_slug(tx, at, &id, &mut sheet, numbered(&slug))?;
    stock::create(tx, at, id.as_str(), pk, false, 0)?;
    for each in &found.variants {
        variant::copy(tx, at, &each.id, &id, pk)?;
    }
    let made = load_by_id(tx, &id)?.ok_or(Error::NotFound(Entity::Product))?;
    audit(tx, at, by, "product.clone", &id, None, Some((&Sheet::of(&made), 0)))?;
    Ok(made)
}
