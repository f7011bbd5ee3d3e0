//! The cart that the server keeps for an account, or for a guest until he logs in (decision 9).

mod guest;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

pub(crate) use self::guest::purge;
pub use self::guest::{CartOwner, GuestToken};
use self::guest::{OwnerKey, touch};
use crate::context::{Context, Work};
use crate::error::{Entity, Error, Refusal, Result};
use crate::id::{AccountId, CartItemId, ProductId, VariantId};
use crate::lane;
use crate::money::Money;
use crate::storage::Tx;
use crate::value::{InvalidValue, Quantity};

/// How many different lines a cart may have.
const MAX_LINES: usize = 200;

/// A cart with today's prices.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Cart {
    /// Its lines, oldest first.
    pub items: Vec<CartItem>,
    /// The lines' totals together, before shipping and discounts.
    pub subtotal: Money,
}

/// A line of a cart.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CartItem {
    /// Its id.
    pub id: CartItemId,
    /// The product.
    pub product_id: ProductId,
    /// The variant, if one was chosen.
    pub variant_id: Option<VariantId>,
    /// How many.
    pub quantity: i64,
    /// Of one unit, now.
    pub price: Money,
    /// Of all units, now.
    pub total: Money,
    /// What a shopper needs to recognise the line.
    pub product: CartProduct,
}

/// The product of a cart's line, as shown to the shopper.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CartProduct {
    /// Its name.
    pub name: String,
    /// The name in its address.
    pub slug: String,
    /// Its pictures, as in the catalogue.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<serde_json::Value>"))]
    pub images: Box<RawValue>,
}

/// A line to be added; the same product and variant again adds to the line that is there.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NewCartItem {
    /// The product.
    pub product_id: ProductId,
    /// The variant, if one was chosen.
    pub variant_id: Option<VariantId>,
    /// How many more.
    pub quantity: Quantity,
}

/// A line's new quantity.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[derive(Debug, Clone, Copy)]
pub struct Carts<'a> {
    cx: &'a Context,
}

impl<'a> Carts<'a> {
    /// How long a guest's cart is kept after its last change, in seconds: 30 days.
    pub const GUEST_LIFETIME_SECONDS: u64 = guest::LIFETIME.as_secs();

    pub(crate) fn new(cx: &'a Context) -> Self {
        Self { cx }
    }

    /// The owner's cart.
    ///
    /// # Errors
    /// Only the storage's.
    pub async fn get(&self, owner: impl Into<CartOwner>) -> Result<Cart> {
        let owner = OwnerKey::from(owner.into());
        self.cx.db().read("cart.get", move |tx| load(tx, &owner.text)).await
    }

    /// Adds a line, or adds its quantity to the line that is there.
    ///
    /// # Errors
    /// [`Error::NotFound`] for an unknown product or variant, [`Refusal::InactiveProduct`], and
    /// [`Refusal::InsufficientStock`] when the whole line is more than there is.
    pub async fn add(&self, owner: impl Into<CartOwner>, item: NewCartItem) -> Result<Cart> {
        let (owner, at) = (OwnerKey::from(owner.into()), self.cx.work());
        self.cx
            .db()
            .write(lane::CUSTOMERS, "cart.add", move |tx| {
                insert(tx, &at, &owner.text, &item)?;
                touch(tx, &at, &owner)?;
                load(tx, &owner.text)
            })
            .await
    }

    /// Sets a line's quantity.
    ///
    /// # Errors
    /// [`Error::NotFound`] when the cart has no such line, and [`Refusal::InsufficientStock`].
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
                update(tx, &owner.text, &id, patch.quantity.get())?;
                touch(tx, &at, &owner)?;
                load(tx, &owner.text)
            })
            .await
    }

    /// Takes a line out.
    ///
    /// # Errors
    /// [`Error::NotFound`] when the cart has no such line.
    pub async fn remove(&self, owner: impl Into<CartOwner>, id: &CartItemId) -> Result<Cart> {
        let (owner, at, id) = (OwnerKey::from(owner.into()), self.cx.work(), id.clone());
        self.cx
            .db()
            .write(lane::CUSTOMERS, "cart.remove", move |tx| {
                delete(tx, &owner.text, &id)?;
                touch(tx, &at, &owner)?;
                load(tx, &owner.text)
            })
            .await
    }

    /// Takes everything out.
    ///
    /// # Errors
    /// Only the storage's.
    pub async fn clear(&self, owner: impl Into<CartOwner>) -> Result<Cart> {
        let owner = OwnerKey::from(owner.into());
        self.cx
            .db()
            .write(lane::CUSTOMERS, "cart.clear", move |tx| {
                empty(tx, &owner.text)?;
                guest::forget(tx, &owner)?;
                load(tx, &owner.text)
            })
            .await
    }

    /// Makes a guest's cart the account's: quantities are added, as far as there is stock; lines of
    /// what is off sale or sold out are dropped, and those for which the account's cart has no room.
    /// The guest's cart is gone then, so that merging it again, or twice at once, adds nothing more.
    ///
    /// # Errors
    /// Only the storage's.
    pub async fn merge(&self, guest: &GuestToken, account: &AccountId) -> Result<Cart> {
        let (guest, account) = (OwnerKey::from(CartOwner::from(guest)), account.clone());
        self.cx
            .db()
            .write(lane::CUSTOMERS, "cart.merge", move |tx| {
                guest::merge(tx, &guest, &account)?;
                load(tx, account.as_str())
            })
            .await
    }
}

/// What a cart's line asks for, without prices.
#[derive(Debug, Clone)]
pub(crate) struct SavedLine {
    pub(crate) product_id: ProductId,
    pub(crate) variant_id: Option<VariantId>,
    pub(crate) quantity: i64,
}

/// The saved lines of an owner, oldest first.
pub(crate) fn saved_lines(tx: &mut dyn Tx, owner: &str) -> Result<Vec<SavedLine>> {
    tx.all(
        "SELECT product_id, variant_id, quantity FROM cart_item WHERE owner = $1
         ORDER BY created_at, id",
        &[owner.into()],
        |row| {
            Ok(SavedLine {
                product_id: row.get(0)?,
                variant_id: row.get(1)?,
                quantity: row.get(2)?,
            })
        },
    )
}

/// Empties an owner's cart.
pub(crate) fn empty(tx: &mut dyn Tx, owner: &str) -> Result<()> {
    tx.execute("DELETE FROM cart_item WHERE owner = $1", &[owner.into()])?;
    Ok(())
}

/// An account's cart.
pub(crate) fn of_account(tx: &mut dyn Tx, account: &AccountId) -> Result<Cart> {
    load(tx, account.as_str())
}

/// Throws an account's cart away.
pub(crate) fn forget(tx: &mut dyn Tx, account: &AccountId) -> Result<()> {
    empty(tx, account.as_str())
}

/// Takes a product that is deleted out of every cart.
pub(crate) fn forget_product(tx: &mut dyn Tx, product: &ProductId) -> Result<()> {
    tx.execute("DELETE FROM cart_item WHERE product_id = $1", &[product.into()])?;
    Ok(())
}

/// Takes a variant that is deleted out of every cart.
pub(crate) fn forget_variant(
    tx: &mut dyn Tx,
    product: &ProductId,
    variant: &VariantId,
) -> Result<()> {
    tx.execute(
        "DELETE FROM cart_item WHERE product_id = $1 AND variant_id = $2",
        &[product.into(), variant.into()],
    )?;
    Ok(())
}

/// The cart with today's prices. A product that went off sale stays in sight, so that the shopper
/// can take it out; an order from this cart would refuse it by name.
fn load(tx: &mut dyn Tx, owner: &str) -> Result<Cart> {
    let items = tx.all(
        "SELECT c.id, c.product_id, c.variant_id, c.quantity, coalesce(v.price, p.price),
                p.name, p.slug, p.images
         FROM cart_item c
         JOIN product p ON p.id = c.product_id
         LEFT JOIN variant v ON v.id = c.variant_id
         WHERE c.owner = $1 ORDER BY c.created_at, c.id",
        &[owner.into()],
        |row| {
            let (quantity, price): (i64, Money) = (row.get(3)?, row.get(4)?);
            Ok(CartItem {
                id: row.get(0)?,
                product_id: row.get(1)?,
                variant_id: row.get(2)?,
                quantity,
                price,
                total: price * quantity,
                product: CartProduct {
                    name: row.get(5)?,
                    slug: row.get(6)?,
                    images: RawValue::from_string(row.get(7)?).map_err(Error::from_source)?,
                },
            })
        },
    )?;
    let subtotal = items.iter().map(|item| item.total).sum();
    Ok(Cart { items, subtotal })
}

fn insert(tx: &mut dyn Tx, at: &Work, owner: &str, item: &NewCartItem) -> Result<()> {
    let product = item.product_id.as_str();
    let found =
        tx.one("SELECT name, active FROM product WHERE id = $1", &[product.into()], |row| {
            Ok((row.get::<String>(0)?, row.get::<bool>(1)?))
        })?;
    let (name, active) = found.ok_or(Error::NotFound(Entity::Product))?;
    if !active {
        return Err(Error::Refused(Refusal::InactiveProduct { name }));
    }
    if let Some(variant) = &item.variant_id {
        tx.one(
            "SELECT 1 FROM variant WHERE id = $1 AND product_id = $2",
            &[variant.into(), product.into()],
            |_| Ok(()),
        )?
        .ok_or(Error::NotFound(Entity::Variant))?;
    }
    let stock_item = item.variant_id.as_ref().map_or(product, VariantId::as_str);
    let id: CartItemId = at.id();
    let quantity: i64 = tx.value(
        "INSERT INTO cart_item (id, owner, product_id, variant_id, item_id, quantity, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (owner, item_id) DO UPDATE SET quantity = cart_item.quantity + excluded.quantity
         RETURNING quantity",
        &[
            (&id).into(),
            owner.into(),
            product.into(),
            item.variant_id.as_ref().into(),
            stock_item.into(),
            item.quantity.get().into(),
            at.now().into(),
        ],
    )?;
    if saved_lines(tx, owner)?.len() > MAX_LINES {
        return Err(Error::field("productId", InvalidValue::CartFull));
    }
    check_stock(tx, stock_item, quantity, name)
}

fn update(tx: &mut dyn Tx, owner: &str, id: &CartItemId, quantity: i64) -> Result<()> {
    let line = tx.one(
        "UPDATE cart_item SET quantity = $1 WHERE id = $2 AND owner = $3
         RETURNING item_id, product_id",
        &[quantity.into(), id.into(), owner.into()],
        |row| Ok((row.get::<String>(0)?, row.get::<ProductId>(1)?)),
    )?;
    let (stock_item, product) = line.ok_or(Error::NotFound(Entity::CartItem))?;
    let name = tx.value("SELECT name FROM product WHERE id = $1", &[(&product).into()])?;
    check_stock(tx, &stock_item, quantity, name)
}

fn check_stock(tx: &mut dyn Tx, stock_item: &str, quantity: i64, name: String) -> Result<()> {
    let available = crate::stock::quantity(tx, stock_item)?.unwrap_or(0);
    if quantity > available {
        return Err(Error::Refused(Refusal::InsufficientStock { name, available }));
    }
    Ok(())
}

fn delete(tx: &mut dyn Tx, owner: &str, id: &CartItemId) -> Result<()> {
    let deleted = tx.execute(
        "DELETE FROM cart_item WHERE id = $1 AND owner = $2",
        &[id.into(), owner.into()],
    )?;
    if deleted == 0 { Err(Error::NotFound(Entity::CartItem)) } else { Ok(()) }
}
