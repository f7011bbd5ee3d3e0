//! What a deleted product takes with it inside the catalogue.

use super::state::{ProductState, audit};
use super::{load, store};
use crate::actor::Actor;
#[cfg(feature = "nfe")]
use crate::catalog::fiscal;
use crate::catalog::{review, variant};
use crate::context::Work;
use crate::error::Result;
use crate::id::ProductId;
use crate::revision::Revision;
use crate::storage::Tx;

/// Deletes a product with its reviews, variants, article numbers and units; false where there is
/// none. Orders keep their copy of it, the ledger its movements, and invoices what the tax office
/// wants to know of it.
///
/// # Errors
/// [`Conflict::Changed`](crate::error::Conflict::Changed) where it is not `expected`.
pub(crate) fn delete(
    tx: &mut dyn Tx,
    at: &Work,
    by: &Actor,
    id: &ProductId,
    expected: Option<&Revision>,
) -> Result<bool> {
    let Some(found) = load::find(tx, id)? else { return Ok(false) };
    found.revision()?.check(expected)?;
    review::forget_product(tx, id)?;
    for each in &found.variants {
        variant::erase(tx, at, &each.id)?;
    }
    #[cfg(feature = "nfe")]
    fiscal::keep_of_category(tx, id, at.now())?;
    store::delete(tx, at, id)?;
    let state = ProductState::of(&found);
    audit(tx, at, by, "product.delete", id, Some((&state, found.stock)), None)?;
    Ok(true)
}
