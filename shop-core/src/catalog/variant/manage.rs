//! What staff do with variants.

use super::state::{AuditedVariant, VariantState};
use super::{AdminVariant, NewProductVariant, NewVariant, VariantPatch, insert_named, store};
use crate::actor::Actor;
use crate::audit;
use crate::catalog::{Products, edit, touch};
use crate::context::Work;
use crate::error::Result;
use crate::id::{ProductId, VariantId};
use crate::revision::Revision;
use crate::stock;
use crate::storage::Tx;
use crate::value::StockLevel;

impl Products<'_> {
    /// A product's variants, in their order.
    ///
    /// # Errors
    /// [`crate::Error::NotFound`] without the product.
    ///
    /// Cancel safe: reads only.
    pub async fn list_variants(&self, product: &ProductId) -> Result<Vec<AdminVariant>> {
        let product = product.clone();
        let job = move |tx: &mut dyn Tx| {
            store::product_pk(tx, &product)?;
            store::of_admin(tx, &product)
        };
        self.cx.db().read("variant.list", job).await
    }

    /// Adds a variant to a product.
    ///
    /// # Errors
    /// [`crate::Error::NotFound`] without the product, [`crate::error::Conflict`] when something
    /// else has its SKU or the product has a variant of the same options, [`crate::Error::Invalid`]
    /// when an option does not exist or two are of the same kind.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn create_variant(
        &self,
        by: &Actor,
        product: &ProductId,
        new: NewVariant,
    ) -> Result<AdminVariant> {
        let (by, at, product) = (by.clone(), self.cx.work(), product.clone());
        let job = move |tx: &mut dyn Tx| add(tx, &at, &by, &product, &new);
        edit(self.cx, "variant.create", job).await
    }

    /// Adds a variant whose options are told by name; kinds of variation and options that the shop
    /// does not have yet are made too.
    ///
    /// # Errors
    /// As [`Products::create_variant`].
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn create_named_variant(
        &self,
        by: &Actor,
        product: &ProductId,
        new: NewProductVariant,
    ) -> Result<AdminVariant> {
        let (by, at, product) = (by.clone(), self.cx.work(), product.clone());
        let job = move |tx: &mut dyn Tx| {
            store::product_pk(tx, &product)?;
            let made = insert_named(tx, &at, &product, &new)?;
            added(tx, &at, &by, &product, made)
        };
        edit(self.cx, "variant.create", job).await
    }

    /// Changes what the patch names of a variant, in the state that the caller saw, where one is
    /// given. Another count of units is booked as a movement.
    ///
    /// # Errors
    /// As [`Products::create_variant`], and when the variant changed meanwhile.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn update_variant(
        &self,
        by: &Actor,
        product: &ProductId,
        id: &VariantId,
        patch: VariantPatch,
        expected: Option<Revision>,
    ) -> Result<AdminVariant> {
        let (by, at) = (by.clone(), self.cx.work());
        let (product, id) = (product.clone(), id.clone());
        let job = move |tx: &mut dyn Tx| {
            let found = store::find(tx, &product, &id)?;
            found.revision()?.check(expected.as_ref())?;
            apply(tx, &at, &by, &product, &found, &patch)?;
            store::find(tx, &product, &id)
        };
        edit(self.cx, "variant.update", job).await
    }
}

/// Adds a variant to a product that is there.
///
/// # Errors
/// As [`Products::create_variant`].
pub(in crate::catalog) fn add(
    tx: &mut dyn Tx,
    at: &Work,
    by: &Actor,
    product: &ProductId,
    new: &NewVariant,
) -> Result<AdminVariant> {
    let made = store::insert(tx, at, product, new)?;
    added(tx, at, by, product, made)
}

/// Writes down that a variant was added.
fn added(
    tx: &mut dyn Tx,
    at: &Work,
    by: &Actor,
    product: &ProductId,
    made: AdminVariant,
) -> Result<AdminVariant> {
    touch(tx, at, product)?;
    let (state, stock) = (&VariantState::of(&made), made.stock);
    let audited = AuditedVariant { product_id: product, state, stock };
    audit::record(tx, at, by, "variant.create", made.id.as_str(), &(), &audited)?;
    Ok(made)
}

/// Deletes a variant with its article number and its units.
///
/// # Errors
/// [`crate::Error::NotFound`]; [`Conflict::Changed`](crate::error::Conflict::Changed) where it is
/// not `expected`.
pub(crate) fn delete(
    tx: &mut dyn Tx,
    at: &Work,
    by: &Actor,
    product: &ProductId,
    id: &VariantId,
    expected: Option<&Revision>,
) -> Result<()> {
    let found = store::find(tx, product, id)?;
    found.revision()?.check(expected)?;
    store::erase(tx, at, id)?;
    touch(tx, at, product)?;
    let (state, stock) = (&VariantState::of(&found), found.stock);
    let audited = AuditedVariant { product_id: product, state, stock };
    audit::record(tx, at, by, "variant.delete", id.as_str(), &audited, &())
}

/// Changes what the patch names of a variant that is so.
///
/// # Errors
/// As [`Products::update_variant`].
pub(in crate::catalog) fn apply(
    tx: &mut dyn Tx,
    at: &Work,
    by: &Actor,
    product: &ProductId,
    found: &AdminVariant,
    patch: &VariantPatch,
) -> Result<()> {
    let before = VariantState::of(found);
    let after = before.patched(patch);
    let counted = patch.stock.map_or(found.stock, StockLevel::get);
    let moved = stock::set(tx, at, product, found.id.as_str(), counted, by.into())?;
    if after == before && moved.is_none() {
        return Ok(());
    }
    if let Some(values) = &patch.values {
        store::check_options(tx, values)?;
        let all = store::of_admin(tx, product)?;
        let others = all.iter().filter(|variant| variant.id != found.id);
        store::check_combination(others, &after.options)?;
    }
    store::update(tx, &found.id, &before, &after)?;
    touch(tx, at, product)?;
    stock::announce(tx, at, moved.as_slice())?;
    let old = AuditedVariant { product_id: product, state: &before, stock: found.stock };
    let new = AuditedVariant { product_id: product, state: &after, stock: counted };
    audit::record(tx, at, by, "variant.update", found.id.as_str(), &old, &new)
}
