//! Wishlists: products that customers would like to have.

use crate::account;
use crate::catalog::{self, Images, ProductCard};
use crate::clock::Timestamp;
use crate::context::{Context, Work};
use crate::error::{Conflict, Entity, Error, Result};
use crate::id::{AccountId, ProductId, WishlistItemId};
use crate::lane;
use crate::money::Money;
use crate::storage::{Tx, params, read_columns};
use crate::value::{InvalidValue, Slug};

/// How many products a wishlist may have.
const MAX_ITEMS: i64 = 500;

/// A product on a wishlist.
#[apply(answer!)]
pub struct WishlistItem {
    /// UUID version 7, set by the shop.
    pub id: WishlistItemId,
    /// What is wished for.
    pub product_id: ProductId,
    /// Since when.
    pub added_at: Timestamp,
    /// What a shopper needs to recognise it, as it is now.
    pub product: WishlistProduct,
}

/// The product of a wish.
#[apply(answer!)]
pub struct WishlistProduct {
    /// UUID version 7, set by the shop.
    pub id: ProductId,
    /// As it is called now.
    pub name: String,
    /// The name in its address.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub slug: Slug,
    /// What it costs.
    pub price: Money,
    /// Units of the product itself.
    pub stock: i64,
    /// Whether a unit can be ordered, of the product itself or of one of its variants.
    pub in_stock: bool,
    /// Its pictures, as in the catalogue.
    pub images: Images,
}

/// Customers' wishlists.
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// let candle = shop.product("Vela de Lavanda", "49.90", 10).await?;
/// let ana = shop.buyer("Ana").await?;
/// shop.wishlists().add(&ana.id, &candle.id).await?;
/// assert_eq!(shop.wishlists().list(&ana.id).await?.len(), 1);
/// # Ok(())
/// # });
/// ```
#[apply(handle!)]
pub struct Wishlists<'a> {
    cx: &'a Context,
}

impl Wishlists<'_> {
    /// The customer's wishes, latest first; without what is off sale, which comes back with it.
    ///
    /// Cancel safe: reads only.
    pub async fn list(&self, account: &AccountId) -> Result<Vec<WishlistItem>> {
        let account = account.clone();
        self.cx.db().read("wishlist.list", move |tx| select(tx, &account)).await
    }

    /// Adds a product.
    ///
    /// # Errors
    /// [`Entity::Product`] when there is none on sale; [`Conflict::WishlistItem`] when the wishlist
    /// has it; [`Error::Invalid`] when the wishlist is full.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn add(&self, account: &AccountId, product: &ProductId) -> Result<WishlistItem> {
        let (account, product, at) = (account.clone(), product.clone(), self.cx.work());
        self.cx
            .db()
            .write(lane::CUSTOMERS, "wishlist.add", move |tx| insert(tx, &at, &account, &product))
            .await
    }

    /// Takes a product out.
    ///
    /// # Errors
    /// [`Entity::WishlistItem`] when the wishlist does not have it.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn remove(&self, account: &AccountId, product: &ProductId) -> Result<()> {
        let (account, product) = (account.clone(), product.clone());
        self.cx
            .db()
            .write(lane::CUSTOMERS, "wishlist.remove", move |tx| delete(tx, &account, &product))
            .await
    }
}

fn select(tx: &mut dyn Tx, account: &AccountId) -> Result<Vec<WishlistItem>> {
    let wishes: Vec<(WishlistItemId, ProductId, Timestamp)> = tx.list(
        "SELECT id, product_id, created_at FROM wishlist_item WHERE account_id = $1
         ORDER BY created_at DESC, id DESC",
        params![account],
    )?;
    let products: Vec<&ProductId> = wishes.iter().map(|(_, product, _)| product).collect();
    let mut cards = catalog::cards(tx, &products)?;
    cards.retain(|_, card| card.active);
    let shown = wishes.into_iter().filter_map(|(id, product, added_at)| {
        cards.remove(&product).map(|card| item(id, product, added_at, card))
    });
    Ok(shown.collect())
}

fn item(
    id: WishlistItemId,
    product: ProductId,
    added_at: Timestamp,
    card: ProductCard,
) -> WishlistItem {
    let ProductCard { name, slug, price, stock, in_stock, images, active: _ } = card;
    let card = WishlistProduct { id: product.clone(), name, slug, price, stock, in_stock, images };
    WishlistItem { id, product_id: product, added_at, product: card }
}

/// A wish as its owner gets a copy of it.
#[apply(answer!)]
pub struct ExportedWish {
    /// The product, on sale or not.
    pub product_id: ProductId,
    /// Since when it is wished for.
    pub added_at: Timestamp,
}

read_columns!(ExportedWish: product_id, added_at);

/// Every wish of an account, oldest first.
pub(crate) fn of_account(tx: &mut dyn Tx, account: &AccountId) -> Result<Vec<ExportedWish>> {
    tx.list(
        "SELECT product_id, created_at FROM wishlist_item WHERE account_id = $1
         ORDER BY created_at, id",
        params![account],
    )
}

/// Deletes an account's wishlist.
pub(crate) fn forget(tx: &mut dyn Tx, account: &AccountId) -> Result<()> {
    tx.run("DELETE FROM wishlist_item WHERE account_id = $1", params![account])
}

/// Takes a product that is deleted from every wishlist.
pub(crate) fn forget_product(tx: &mut dyn Tx, product: &ProductId) -> Result<()> {
    tx.run("DELETE FROM wishlist_item WHERE product_id = $1", params![product])
}

fn insert(
    tx: &mut dyn Tx,
    at: &Work,
    account: &AccountId,
    product: &ProductId,
) -> Result<WishlistItem> {
    account::check_active(tx, account)?;
    let card = catalog::cards(tx, &[product])?.remove(product).filter(|card| card.active);
    let card = card.ok_or(Error::NotFound(Entity::Product))?;
    let id: WishlistItemId = at.id();
    let inserted = tx.exists(
        "INSERT INTO wishlist_item (id, account_id, product_id, created_at)
         VALUES ($1, $2, $3, $4) ON CONFLICT (account_id, product_id) DO NOTHING RETURNING id",
        params![&id, account, product, at.now()],
    )?;
    Conflict::WishlistItem.unless(inserted)?;
    let items: i64 =
        tx.value("SELECT count(*) FROM wishlist_item WHERE account_id = $1", params![account])?;
    if items > MAX_ITEMS {
        return Err(Error::field("productId", InvalidValue::WishlistFull));
    }
    Ok(item(id, product.clone(), at.now(), card))
}

fn delete(tx: &mut dyn Tx, account: &AccountId, product: &ProductId) -> Result<()> {
    let deleted = tx.execute(
        "DELETE FROM wishlist_item WHERE account_id = $1 AND product_id = $2",
        params![account, product],
    )?;
    if deleted == 0 { Err(Error::NotFound(Entity::WishlistItem)) } else { Ok(()) }
}
