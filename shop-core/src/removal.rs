//! Deletion of products and variants. Orders keep their copies and the ledger its movements; cart
//! lines, wishes, reviews, variants, article numbers and units go in the same transaction
//! (docs/decisions.md, "Catalogue in the back office").

use std::collections::HashSet;

use crate::actor::Actor;
use crate::catalog::{self, BulkAction, BulkOutcome, BulkProducts, Products};
use crate::context::Work;
use crate::error::{Entity, Error, Result, check_count};
use crate::id::{ProductId, VariantId};
use crate::revision::Revision;
use crate::storage::Tx;
use crate::{cart, wishlist};

/// How many products one call may name.
const MAX_IDS: usize = 10_000;
/// Products a transaction: orders wait no longer than this takes.
const CHUNK: usize = 500;

impl Products<'_> {
    /// Deletes a product for good, in the state that the caller saw, where one is given. Orders
    /// that have it stay as they are.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Conflict::Changed`](crate::error::Conflict::Changed) where it is not
    /// `expected`.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn delete(
        &self,
        by: &Actor,
        id: &ProductId,
        expected: Option<Revision>,
    ) -> Result<()> {
        let (by, id, at) = (by.clone(), id.clone(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            let found = remove(tx, &at, &by, &id, expected.as_ref())?;
            if found { Ok(()) } else { Err(Error::NotFound(Entity::Product)) }
        };
        catalog::edit(self.cx, "product.delete", job).await
    }

    /// Does the same to many products: up to 500 of them in one transaction, more in several, each
    /// of which is done or not.
    ///
    /// # Errors
    /// [`Error::Invalid`] for none or more than 10000.
    ///
    /// Cancel safe: each transaction is done or not; those after it are not begun.
    pub async fn bulk(&self, by: &Actor, bulk: BulkProducts) -> Result<BulkOutcome> {
        let BulkProducts { ids, action } = bulk;
        check_count("ids", ids.len(), MAX_IDS)?;
        let mut seen = HashSet::new();
        let ids: Vec<ProductId> = ids.into_iter().filter(|id| seen.insert(id.clone())).collect();
        let mut done = 0;
        for chunk in ids.chunks(CHUNK) {
            let (by, at, chunk) = (by.clone(), self.cx.work(), chunk.to_vec());
            let job = move |tx: &mut dyn Tx| {
                let mut done = 0;
                for id in &chunk {
                    done += usize::from(act(tx, &at, &by, id, action)?);
                }
                Ok(done)
            };
            done += catalog::edit(self.cx, "product.bulk", job).await?;
        }
        Ok(match action {
            BulkAction::Delete => BulkOutcome::Deleted(done),
            BulkAction::Activate | BulkAction::Deactivate => BulkOutcome::Updated(done),
        })
    }

    /// Deletes a variant for good, in the state that the caller saw, where one is given. Orders
    /// that have it stay as they are.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Conflict::Changed`](crate::error::Conflict::Changed) where it is not
    /// `expected`.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn delete_variant(
        &self,
        by: &Actor,
        product: &ProductId,
        id: &VariantId,
        expected: Option<Revision>,
    ) -> Result<()> {
        let (by, at) = (by.clone(), self.cx.work());
        let (product, id) = (product.clone(), id.clone());
        let job = move |tx: &mut dyn Tx| {
            cart::forget_variant(tx, &product, &id)?;
            catalog::delete_variant(tx, &at, &by, &product, &id, expected.as_ref())
        };
        catalog::edit(self.cx, "variant.delete", job).await
    }
}

/// Whether there is, or was, such a product.
fn act(tx: &mut dyn Tx, at: &Work, by: &Actor, id: &ProductId, action: BulkAction) -> Result<bool> {
    match action {
        BulkAction::Delete => remove(tx, at, by, id, None),
        BulkAction::Activate => catalog::set_active(tx, at, by, id, true),
        BulkAction::Deactivate => catalog::set_active(tx, at, by, id, false),
    }
}

/// Whether there was such a product.
fn remove(
    tx: &mut dyn Tx,
    at: &Work,
    by: &Actor,
    id: &ProductId,
    expected: Option<&Revision>,
) -> Result<bool> {
    cart::forget_product(tx, id)?;
    wishlist::forget_product(tx, id)?;
    catalog::delete_product(tx, at, by, id, expected)
}
