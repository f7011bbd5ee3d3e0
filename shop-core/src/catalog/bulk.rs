//! What staff do to many products at once.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::delete::remove;
use super::product::{Products, load_by_id};
use super::sheet::{Sheet, audit};
use crate::actor::Actor;
use crate::context::Work;
use crate::error::Result;
use crate::id::ProductId;
use crate::lane;
use crate::storage::Tx;
use crate::value::InvalidValue;

/// How many products one call may name.
const MAX_IDS: usize = 10_000;
/// Products a transaction: orders wait no longer than this takes.
const CHUNK: usize = 500;

/// What to do to which products (`POST /api/admin/products/bulk`).
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
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
pub enum BulkOutcome {
    /// So many are on sale, or off sale, now; those that were before are counted too.
    Updated(usize),
    /// So many are gone.
    Deleted(usize),
}

impl Products<'_> {
    /// Does the same to many products: in one transaction up to 500 of them, in several beyond,
    /// each of which is done or not.
    ///
    /// # Errors
    /// [`crate::Error::Invalid`] for none or more than 10000.
    pub async fn bulk(&self, by: &Actor, bulk: BulkProducts) -> Result<BulkOutcome> {
        let BulkProducts { ids, action } = bulk;
        if !(1..=MAX_IDS).contains(&ids.len()) {
            let message = InvalidValue::ItemCount { least: 1, most: MAX_IDS as u64 };
            return Err(crate::Error::field("ids", message));
        }
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
            done += self.cx.db().write(lane::CATALOG, "product.bulk", job).await?;
        }
        Ok(match action {
            BulkAction::Delete => BulkOutcome::Deleted(done),
            BulkAction::Activate | BulkAction::Deactivate => BulkOutcome::Updated(done),
        })
    }
}

/// Whether there is, or was, such a product.
fn act(tx: &mut dyn Tx, at: &Work, by: &Actor, id: &ProductId, action: BulkAction) -> Result<bool> {
    let active = match action {
        BulkAction::Delete => return remove(tx, at, by, id),
        BulkAction::Activate => true,
        BulkAction::Deactivate => false,
    };
    let Some(found) = load_by_id(tx, id)? else { return Ok(false) };
    if found.active != active {
        let before = Sheet::of(&found);
        let after = Sheet { active, ..before.clone() };
        after.save(tx, at, id, &before)?;
        let states = (Some((&before, found.stock)), Some((&after, found.stock)));
        audit(tx, at, by, "product.update", id, states.0, states.1)?;
    }
    Ok(true)
}
