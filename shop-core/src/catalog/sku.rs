//! Article numbers: one namespace for products and variants.

use crate::error::{Conflict, Result};
use crate::storage::{Tx, params};

/// Takes an article number for a product or a variant.
///
/// # Errors
/// [`Conflict::Sku`] when something else has it.
pub(super) fn claim(tx: &mut dyn Tx, sku: Option<&str>, item_id: &str) -> Result<()> {
    let Some(sku) = sku else { return Ok(()) };
    let free = tx.exists(
        "INSERT INTO sku (code, item_id) VALUES ($1, $2)
         ON CONFLICT (code) DO NOTHING RETURNING code",
        params![sku, item_id],
    )?;
    Conflict::Sku.unless(free)
}

/// Gives the number of an item back, if it has one.
pub(super) fn release(tx: &mut dyn Tx, item_id: &str) -> Result<()> {
    tx.run("DELETE FROM sku WHERE item_id = $1", params![item_id])
}

/// The number of a product or a variant, if it has one.
#[cfg(feature = "nfe")]
pub(crate) fn sku_of(tx: &mut dyn Tx, item_id: &str) -> Result<Option<String>> {
    tx.find("SELECT code FROM sku WHERE item_id = $1", params![item_id])
}
