//! A product made after another one.

use super::load::get;
use super::state::{ProductState, audit};
use super::{Product, store};
use crate::actor::Actor;
use crate::catalog::fiscal::{self, ProductFiscal};
use crate::catalog::slug::numbered;
use crate::catalog::{Products, edit, variant};
use crate::context::Work;
use crate::error::Result;
use crate::id::ProductId;
use crate::stock;
use crate::storage::Tx;

impl Products<'_> {
    /// Makes a product after another one, with its pictures, variants and fiscal data, under the
    /// next free `<slug>-<n>`. It is off sale and has no units; it has no GTIN, and neither it nor
    /// a variant of it has an SKU, for those name one thing.
    ///
    /// # Errors
    /// [`crate::Error::NotFound`].
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn copy(&self, by: &Actor, id: &ProductId) -> Result<Product> {
        let (by, id, at) = (by.clone(), id.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| copy(tx, &at, &by, &id);
        edit(self.cx, "product.copy", job).await
    }
}

fn copy(tx: &mut dyn Tx, at: &Work, by: &Actor, original: &ProductId) -> Result<Product> {
    let found = get(tx, original)?;
    let mut state = ProductState {
        active: false,
        sku: None,
        images: found.images.copied(at)?,
        ..ProductState::of(&found)
    };
    let id: ProductId = at.id();
    let pk = store::insert(tx, at, &id, &mut state, numbered(&found.slug))?;
    stock::create(tx, at, id.as_str(), pk, false, 0)?;
    let fiscal = fiscal::of_products(tx, std::slice::from_ref(original))?;
    if let Some(fiscal) = fiscal.into_values().next() {
        fiscal::set_product(tx, &id, &ProductFiscal { gtin: None, ..fiscal }, at.now())?;
    }
    for each in &found.variants {
        variant::copy(tx, at, &each.id, &id, pk)?;
    }
    let made = get(tx, &id)?;
    audit(tx, at, by, "product.clone", &id, None, Some((&ProductState::of(&made), 0)))?;
    Ok(made)
}
