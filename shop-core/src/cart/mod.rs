//! The cart that the server keeps for an account, or for a guest until the guest logs in
//! (docs/decisions.md, "Guests' carts").

mod lines;
mod owner;
mod store;

use self::owner::OwnerKey;
pub use self::owner::{CartOwner, GuestToken};
pub(crate) use self::store::{
    SavedLine, forget, forget_product, forget_variant, purge, saved_lines, take_lines,
};
use crate::account;
use crate::catalog::Images;
use crate::context::Context;
use crate::error::{Entity, Error, Result};
use crate::id::{AccountId, CartItemId, ProductId, VariantId};
use crate::lane;
use crate::money::Money;
use crate::storage::Tx;
use crate::value::{Quantity, Slug};

/// How many different lines a cart may have, and so an order.
pub(crate) const MAX_LINES: usize = 200;

/// A cart with today's prices.
#[apply(answer!)]
pub struct Cart {
    /// Its lines, oldest first.
    pub items: Vec<CartItem>,
    /// The lines' totals together, before shipping and discounts.
    pub subtotal: Money,
}

/// A line of a cart.
#[apply(answer!)]
pub struct CartItem {
    /// UUID version 7, set by the shop.
    pub id: CartItemId,
    /// May be off sale by now.
    pub product_id: ProductId,
    /// The variant, if one was chosen.
    pub variant_id: Option<VariantId>,
    /// Units, at least 1.
    pub quantity: i64,
    /// Of one unit, now.
    pub price: Money,
    /// Of all units, now.
    pub total: Money,
    /// What a shopper needs to recognise the line.
    pub product: CartProduct,
}

/// The product of a cart's line, as shown to the shopper.
#[apply(answer!)]
pub struct CartProduct {
    /// As it is called now.
    pub name: String,
    /// The name in its address.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub slug: Slug,
    /// Its pictures, as in the catalogue.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<serde_json::Value>"))]
    pub images: Images,
}

/// A line to be added; the same product and variant again adds to the line that is there.
#[apply(input!)]
pub struct NewCartItem {
    /// A product on sale.
    pub product_id: ProductId,
    /// The variant, if one was chosen.
    pub variant_id: Option<VariantId>,
    /// Units to be added.
    pub quantity: Quantity,
}

/// A line's new quantity.
#[apply(input!)]
pub struct CartItemPatch {
    /// How many in all.
    pub quantity: Quantity,
}

/// The carts of accounts and of guests.
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// use shop_core::cart::{GuestToken, NewCartItem};
///
/// let candle = shop.product("Vela de Lavanda", "49.90", 10).await?;
/// let guest = GuestToken::generate()?;
/// let item = NewCartItem { product_id: candle.id, variant_id: None, quantity: 2.try_into()? };
/// shop.carts().add(&guest, item).await?;
///
/// // At log-in the guest's cart becomes the customer's.
/// let ana = shop.buyer("Ana").await?;
/// let cart = shop.carts().merge(&guest, &ana.id).await?;
/// assert_eq!(cart.subtotal.to_string(), "99.80");
/// # Ok(())
/// # });
/// ```
#[apply(handle!)]
pub struct Carts<'a> {
    cx: &'a Context,
}

impl Carts<'_> {
    /// How long a guest's cart is kept after its last change, in seconds: 30 days.
    pub const GUEST_LIFETIME_SECONDS: u64 = owner::LIFETIME.as_secs();

    /// The owner's cart.
    ///
    /// Cancel safe: reads only.
    pub async fn get(&self, owner: impl Into<CartOwner>) -> Result<Cart> {
        let owner = OwnerKey::from(owner.into());
        self.cx.db().lookup("cart.get", move |tx| lines::load(tx, &owner.text)).await
    }

    /// Adds a line, or adds its quantity to the line that is there.
    ///
    /// # Errors
    /// [`Error::NotFound`] for an unknown product or variant,
    /// [`Refusal::InactiveProduct`](crate::error::Refusal::InactiveProduct),
    /// [`Refusal::VariantRequired`](crate::error::Refusal::VariantRequired) where the product is
    /// sold in variants only, and
    /// [`Refusal::InsufficientStock`](crate::error::Refusal::InsufficientStock) when the whole line
    /// is more than there is; [`Entity::Account`] and
    /// [`Credential::Session`](crate::error::Credential::Session) for an account that is gone or
    /// ended.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn add(&self, owner: impl Into<CartOwner>, item: NewCartItem) -> Result<Cart> {
        let (owner, at) = (OwnerKey::from(owner.into()), self.cx.work());
        self.cx
            .db()
            .write(lane::CUSTOMERS, "cart.add", move |tx| {
                owner.check(tx)?;
                lines::add(tx, &at, &owner.text, &item)?;
                store::touch(tx, &at, &owner)?;
                lines::load(tx, &owner.text)
            })
            .await
    }

    /// Sets a line's quantity.
    ///
    /// # Errors
    /// [`Error::NotFound`] when the cart has no such line, and
    /// [`Refusal::InsufficientStock`](crate::error::Refusal::InsufficientStock).
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn set_quantity(
        &self,
        owner: impl Into<CartOwner>,
        id: &CartItemId,
        patch: CartItemPatch,
    ) -> Result<Cart> {
        let (owner, at, id) = (OwnerKey::from(owner.into()), self.cx.work(), id.clone());
        self.cx
            .db()
            .write(lane::CUSTOMERS, "cart.set_quantity", move |tx| {
                lines::set_quantity(tx, &owner.text, &id, patch.quantity.get())?;
                store::touch(tx, &at, &owner)?;
                lines::load(tx, &owner.text)
            })
            .await
    }

    /// Takes a line out.
    ///
    /// # Errors
    /// [`Error::NotFound`] when the cart has no such line.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn remove(&self, owner: impl Into<CartOwner>, id: &CartItemId) -> Result<Cart> {
        let (owner, at, id) = (OwnerKey::from(owner.into()), self.cx.work(), id.clone());
        self.cx
            .db()
            .write(lane::CUSTOMERS, "cart.remove", move |tx| {
                if !store::remove(tx, &owner.text, &id)? {
                    return Err(Error::NotFound(Entity::CartItem));
                }
                store::touch(tx, &at, &owner)?;
                lines::load(tx, &owner.text)
            })
            .await
    }

    /// Takes everything out.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn clear(&self, owner: impl Into<CartOwner>) -> Result<Cart> {
        let owner = OwnerKey::from(owner.into());
        self.cx
            .db()
            .write(lane::CUSTOMERS, "cart.clear", move |tx| {
                store::empty(tx, &owner.text)?;
                store::forget_guest(tx, &owner)?;
                lines::load(tx, &owner.text)
            })
            .await
    }

    /// Makes the cart of before a log-in the account's, where it is a guest's or a guest's
    /// account's: quantities are added, as far as there is stock; lines of what is off sale or sold
    /// out are dropped, and those for which the account's cart has no room. The guest's cart is
    /// gone then, so that merging it again, or twice at once, adds nothing more. The cart of
    /// another customer, who used the browser before, stays that customer's.
    ///
    /// # Errors
    /// [`Entity::Account`] and [`Credential::Session`](crate::error::Credential::Session) for an
    /// account that is gone or ended.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn merge(&self, before: impl Into<CartOwner>, account: &AccountId) -> Result<Cart> {
        let (before, account) = (OwnerKey::from(before.into()), account.clone());
        self.cx
            .db()
            .write(lane::CUSTOMERS, "cart.merge", move |tx| {
                account::check_active(tx, &account)?;
                if before.is_of_guest(tx)? {
                    merge(tx, &before, &account)?;
                }
                lines::load(tx, account.as_str())
            })
            .await
    }
}

fn merge(tx: &mut dyn Tx, guest: &OwnerKey, account: &AccountId) -> Result<()> {
    let guests = store::take_lines(tx, &guest.text)?;
    store::forget_guest(tx, guest)?;
    lines::merge(tx, guests, account)
}

/// Makes the cart of a guest's account another account's.
pub(crate) fn adopt(tx: &mut dyn Tx, guest: &AccountId, account: &AccountId) -> Result<()> {
    merge(tx, &CartOwner::from(guest).into(), account)
}

/// An account's cart.
pub(crate) fn of_account(tx: &mut dyn Tx, account: &AccountId) -> Result<Cart> {
    lines::load(tx, account.as_str())
}
