//! Carts of those who have not logged in, and how they become an account's.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use super::MAX_LINES;
use crate::clock::Timestamp;
use crate::context::Work;
use crate::error::{Error, Result};
use crate::id::{AccountId, CartItemId, ProductId, VariantId};
use crate::storage::Tx;
use crate::value::InvalidValue;

/// How long a guest's cart is kept after its last change.
pub(super) const LIFETIME: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// What a guest shows to get at his cart: 32 random bytes, written in base64url. Only their SHA-256
/// is stored. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct GuestToken([u8; 32]);

impl GuestToken {
    /// A new guest's token.
    ///
    /// # Errors
    /// [`Error::Internal`] when the machine has no randomness.
    pub fn generate() -> Result<Self> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(Error::from_source)?;
        Ok(Self(bytes))
    }

    /// The token as text, for the guest and nobody else.
    pub fn reveal(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0)
    }

    fn owner(&self) -> String {
        hex::encode(Sha256::digest(self.0))
    }
}

impl FromStr for GuestToken {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = || InvalidValue::Cart;
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| invalid())?;
        bytes.try_into().map(Self).map_err(|_| invalid())
    }
}

impl fmt::Debug for GuestToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GuestToken(..)")
    }
}

/// Whose cart it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CartOwner {
    /// An account's.
    Account(AccountId),
    /// That of somebody who has not logged in.
    Guest(GuestToken),
}

impl From<&AccountId> for CartOwner {
    fn from(account: &AccountId) -> Self {
        Self::Account(account.clone())
    }
}

impl From<&GuestToken> for CartOwner {
    fn from(guest: &GuestToken) -> Self {
        Self::Guest(guest.clone())
    }
}

impl From<&CartOwner> for CartOwner {
    fn from(owner: &CartOwner) -> Self {
        owner.clone()
    }
}

/// An owner as the lines name him.
#[derive(Debug, Clone)]
pub(super) struct OwnerKey {
    pub(super) text: String,
    is_guest: bool,
}

impl From<CartOwner> for OwnerKey {
    fn from(owner: CartOwner) -> Self {
        match owner {
            CartOwner::Account(id) => Self { text: id.to_string(), is_guest: false },
            CartOwner::Guest(token) => Self { text: token.owner(), is_guest: true },
        }
    }
}

/// Notes that a guest's cart is in use.
pub(super) fn touch(tx: &mut dyn Tx, at: &Work, owner: &OwnerKey) -> Result<()> {
    if owner.is_guest {
        tx.execute(
            "INSERT INTO guest_cart (owner, touched_at) VALUES ($1, $2)
             ON CONFLICT (owner) DO UPDATE SET touched_at = excluded.touched_at",
            &[(&owner.text).into(), at.now().into()],
        )?;
    }
    Ok(())
}

/// Forgets that there is a guest's cart, whose lines are gone already.
pub(super) fn forget(tx: &mut dyn Tx, owner: &OwnerKey) -> Result<()> {
    tx.execute("DELETE FROM guest_cart WHERE owner = $1", &[(&owner.text).into()])?;
    Ok(())
}

/// Throws away guests' carts that nobody touched for [`LIFETIME`], and tells how many.
pub(crate) fn purge(tx: &mut dyn Tx, now: Timestamp) -> Result<usize> {
    let before = now.minus(LIFETIME);
    tx.execute(
        "DELETE FROM cart_item WHERE owner IN (SELECT owner FROM guest_cart WHERE touched_at <= $1)",
        &[before.into()],
    )?;
    tx.execute("DELETE FROM guest_cart WHERE touched_at <= $1", &[before.into()])
}

/// A line on its way from a guest's cart to an account's.
struct Moving {
    id: CartItemId,
    product_id: ProductId,
    variant_id: Option<VariantId>,
    item_id: String,
    quantity: i64,
    created_at: Timestamp,
}

/// Moves the lines. They are taken out and read by one statement, so of two that merge the same
/// cart at once, one finds nothing.
pub(super) fn merge(tx: &mut dyn Tx, guest: &OwnerKey, account: &AccountId) -> Result<()> {
    let mut lines = take_lines(tx, guest)?;
    forget(tx, guest)?;
    lines.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
    let mut items: HashSet<String> = tx
        .all("SELECT item_id FROM cart_item WHERE owner = $1", &[account.into()], |row| row.get(0))?
        .into_iter()
        .collect();
    for line in lines {
        let has_room = items.len() < MAX_LINES || items.contains(&line.item_id);
        let available = sellable_units(tx, &line)?;
        if has_room && available > 0 {
            add_line(tx, account, &line, available)?;
            items.insert(line.item_id);
        }
    }
    Ok(())
}

fn take_lines(tx: &mut dyn Tx, guest: &OwnerKey) -> Result<Vec<Moving>> {
    tx.all(
        "DELETE FROM cart_item WHERE owner = $1
         RETURNING id, product_id, variant_id, item_id, quantity, created_at",
        &[(&guest.text).into()],
        |row| {
            Ok(Moving {
                id: row.get(0)?,
                product_id: row.get(1)?,
                variant_id: row.get(2)?,
                item_id: row.get(3)?,
                quantity: row.get(4)?,
                created_at: row.get(5)?,
            })
        },
    )
}

/// How many units of a line's item can be bought now; none of what is off sale or deleted.
fn sellable_units(tx: &mut dyn Tx, line: &Moving) -> Result<i64> {
    let units = tx.one(
        "SELECT s.quantity FROM stock s JOIN product p ON p.id = $1
         WHERE s.item_id = $2 AND p.active = 1",
        &[(&line.product_id).into(), (&line.item_id).into()],
        |row| row.get(0),
    )?;
    Ok(units.unwrap_or(0))
}

/// Adds up to what is available, so that the cart never holds more than an order could have.
fn add_line(tx: &mut dyn Tx, account: &AccountId, line: &Moving, available: i64) -> Result<()> {
    tx.execute(
        "INSERT INTO cart_item (id, owner, product_id, variant_id, item_id, quantity, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (owner, item_id) DO UPDATE SET quantity =
           CASE WHEN cart_item.quantity + excluded.quantity > $8 THEN $8
                ELSE cart_item.quantity + excluded.quantity END",
        &[
            (&line.id).into(),
            account.into(),
            (&line.product_id).into(),
            line.variant_id.as_ref().into(),
            (&line.item_id).into(),
            line.quantity.min(available).into(),
            line.created_at.into(),
            available.into(),
        ],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_back_and_nothing_else_is_one() {
        let token = GuestToken::generate().expect("a token");
        let text = token.reveal();
        assert_eq!(text.len(), 43);
        assert_eq!(text.parse(), Ok(token.clone()));
        assert_ne!(GuestToken::generate().expect("a token"), token);
        for bad in ["", "x", &text[1..], &format!("{text}A"), &format!("{text}="), &"+".repeat(43)]
        {
            assert!(bad.parse::<GuestToken>().is_err(), "{bad:?}");
        }
        assert!(!format!("{token:?}").contains(&text));
        assert_ne!(token.owner(), hex::encode(token.0));
    }
}
