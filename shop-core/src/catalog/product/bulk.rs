//! What staff do to many products at once. The call itself is in `removal`, since it may delete.

use serde::{Deserialize, Serialize};

use super::state::{ProductState, audit};
use super::{load, store};
use crate::actor::Actor;
use crate::context::Work;
use crate::error::Result;
use crate::id::ProductId;
use crate::storage::Tx;

/// What to do to which products (`POST /api/admin/products/bulk`).
#[apply(input!)]
pub struct BulkProducts {
    /// The products, at most 10000. Ids of none are passed over.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 10_000)))]
    pub ids: Vec<ProductId>,
    /// What happens to them.
    pub action: BulkAction,
}

/// What can be done to many products.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "lowercase")]
pub enum BulkAction {
    /// They go for good.
    Delete,
    /// They go on sale.
    Activate,
    /// They go off sale.
    Deactivate,
}

/// How many products it was, each counted once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum BulkOutcome {
    /// So many are on sale, or off sale, now; those that were before are counted too.
    Updated(usize),
    /// So many are gone.
    Deleted(usize),
}

/// Puts a product on sale or takes it off; false where there is no such product.
pub(crate) fn set_active(
    tx: &mut dyn Tx,
    at: &Work,
    by: &Actor,
    id: &ProductId,
    active: bool,
) -> Result<bool> {
    let Some(found) = load::find(tx, id)? else { return Ok(false) };
    if found.active != active {
        let before = ProductState::of(&found);
        let after = ProductState { active, ..before.clone() };
        store::save(tx, at, id, &before, &after)?;
        let states = (Some((&before, found.stock)), Some((&after, found.stock)));
        audit(tx, at, by, "product.update", id, states.0, states.1)?;
    }
    Ok(true)
}
