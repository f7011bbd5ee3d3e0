//! The SQL of carts: the only writes of `cart_item` and `guest_cart`.

use super::owner::{LIFETIME, OwnerKey};
use crate::clock::Timestamp;
use crate::context::Work;
use crate::error::Result;
use crate::id::{AccountId, CartItemId, ProductId, VariantId};
use crate::storage::{Tx, params, read_columns};

/// Guests' carts that one round deletes: whatever else is written waits for it.
const ROUND: i64 = 500;

/// A line of a cart, without prices.
#[derive(Debug, Clone)]
pub(crate) struct SavedLine {
    pub(super) id: CartItemId,
    pub(crate) product_id: ProductId,
    pub(crate) variant_id: Option<VariantId>,
    pub(crate) quantity: i64,
    pub(super) created_at: Timestamp,
}

impl SavedLine {
    /// The variant's id, or the product's own.
    pub(super) fn item_id(&self) -> &str {
        self.variant_id.as_ref().map_or(self.product_id.as_str(), VariantId::as_str)
    }
}

read_columns!(SavedLine: id, product_id, variant_id, quantity, created_at);

/// The saved lines of an owner, oldest first.
pub(crate) fn saved_lines(tx: &mut dyn Tx, owner: &str) -> Result<Vec<SavedLine>> {
    tx.list(
        "SELECT id, product_id, variant_id, quantity, created_at FROM cart_item WHERE owner = $1
         ORDER BY created_at, id",
        params![owner],
    )
}

/// Adds a line, or its quantity to the line of the same item, up to `most` where that is given.
pub(super) fn add(tx: &mut dyn Tx, owner: &str, line: &SavedLine, most: Option<i64>) -> Result<()> {
    tx.run(
        "INSERT INTO cart_item (id, owner, product_id, variant_id, item_id, quantity, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (owner, item_id) DO UPDATE SET quantity =
           CASE WHEN cart_item.quantity + excluded.quantity > $8 THEN $8
                ELSE cart_item.quantity + excluded.quantity END",
        params![
            &line.id,
            owner,
            &line.product_id,
            line.variant_id.as_ref(),
            line.item_id(),
            most.map_or(line.quantity, |most| line.quantity.min(most)),
            line.created_at,
            most.unwrap_or(i64::MAX)
        ],
    )
}

/// Sets a line's quantity.
pub(super) fn set_quantity(
    tx: &mut dyn Tx,
    owner: &str,
    id: &CartItemId,
    quantity: i64,
) -> Result<()> {
    tx.run(
        "UPDATE cart_item SET quantity = $1 WHERE id = $2 AND owner = $3",
        params![quantity, id, owner],
    )
}

/// Whether the cart had the line.
pub(super) fn remove(tx: &mut dyn Tx, owner: &str, id: &CartItemId) -> Result<bool> {
    let removed =
        tx.execute("DELETE FROM cart_item WHERE id = $1 AND owner = $2", params![id, owner])?;
    Ok(removed > 0)
}

/// Takes the lines out and reads them by one statement, so of two that merge the same cart at once,
/// one finds nothing. Oldest first.
pub(crate) fn take_lines(tx: &mut dyn Tx, owner: &str) -> Result<Vec<SavedLine>> {
    let mut lines: Vec<SavedLine> = tx.list(
        "DELETE FROM cart_item WHERE owner = $1
         RETURNING id, product_id, variant_id, quantity, created_at",
        params![owner],
    )?;
    lines.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
    Ok(lines)
}

/// Empties an owner's cart.
pub(super) fn empty(tx: &mut dyn Tx, owner: &str) -> Result<()> {
    tx.run("DELETE FROM cart_item WHERE owner = $1", params![owner])
}

/// Deletes an account's cart.
pub(crate) fn forget(tx: &mut dyn Tx, account: &AccountId) -> Result<()> {
    empty(tx, account.as_str())
}

/// Takes a product that is deleted out of every cart.
pub(crate) fn forget_product(tx: &mut dyn Tx, product: &ProductId) -> Result<()> {
    tx.run("DELETE FROM cart_item WHERE product_id = $1", params![product])
}

/// Takes a variant that is deleted out of every cart.
pub(crate) fn forget_variant(
    tx: &mut dyn Tx,
    product: &ProductId,
    variant: &VariantId,
) -> Result<()> {
    tx.run(
        "DELETE FROM cart_item WHERE product_id = $1 AND variant_id = $2",
        params![product, variant],
    )
}

/// Records that a guest's cart is in use.
pub(super) fn touch(tx: &mut dyn Tx, at: &Work, owner: &OwnerKey) -> Result<()> {
    if owner.is_guest {
        tx.execute(
            "INSERT INTO guest_cart (owner, touched_at) VALUES ($1, $2)
             ON CONFLICT (owner) DO UPDATE SET touched_at = excluded.touched_at",
            params![&owner.text, at.now()],
        )?;
    }
    Ok(())
}

/// Ends a guest's cart, whose lines are gone already.
pub(super) fn forget_guest(tx: &mut dyn Tx, owner: &OwnerKey) -> Result<()> {
    tx.run("DELETE FROM guest_cart WHERE owner = $1", params![&owner.text])
}

/// Deletes guests' carts that were not touched for [`LIFETIME`], some in a round, and counts them.
pub(crate) fn purge(tx: &mut dyn Tx, now: Timestamp) -> Result<usize> {
    let before = now.minus(LIFETIME);
    let mut rows = 0;
    for table in ["cart_item", "guest_cart"] {
        let sql = format!(
            "DELETE FROM {table} WHERE owner IN (
               SELECT owner FROM guest_cart WHERE touched_at <= $1 ORDER BY touched_at, owner LIMIT $2)"
        );
        rows = tx.execute(&sql, params![before, ROUND])?;
    }
    Ok(rows)
}
