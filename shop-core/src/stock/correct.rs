//! Corrections: the stock of an item is set, with its movement.
//!
//! Units that orders hold have left the shelf, so a stock that is set is what is left to be sold.

use serde::Serialize;

use super::{MovementReason, StockChange, announce, record};
use crate::actor::Actor;
use crate::area;
use crate::audit;
use crate::catalog;
use crate::clock::Timestamp;
use crate::context::{Context, Work};
use crate::error::{Entity, Error, Result};
use crate::id::{ProductId, VariantId};
use crate::lane;
use crate::storage::{Row, Tx};
use crate::value::StockLevel;

/// Where a correction came from, as the ledger keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StockSource {
    /// A person of the shop.
    Admin,
    /// A program, through the integration API.
    Api,
    /// A program, through the inbound stock webhook.
    Webhook,
    /// The shop itself, or whoever has the machine.
    System,
}

impl StockSource {
    /// The source as it is written on the wire and in storage.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Admin => "ADMIN",
            Self::Api => "API",
            Self::Webhook => "WEBHOOK",
            Self::System => "SYSTEM",
        }
    }
}

impl From<&Actor> for StockSource {
    fn from(by: &Actor) -> Self {
        match by {
            Actor::Admin(_) => Self::Admin,
            Actor::Key(_) => Self::Api,
            Actor::System => Self::System,
        }
    }
}

/// An item with the stock that it has now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct StockCount {
    /// The variant's id, or the product's.
    pub id: String,
    /// Its article number.
    pub sku: Option<String>,
    /// Units that are left.
    pub stock: i64,
    /// When its product last changed: just now, unless the units were these already.
    pub updated_at: Timestamp,
}

/// Units on the shelf: [`Shop::stock`](crate::Shop::stock).
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// use shop_core::actor::Actor;
///
/// let candle = shop.product("Vela de Lavanda", "49.90", 10).await?;
/// shop.stock().set(&Actor::System, &candle.id, None, 7.try_into()?).await?;
/// assert_eq!(shop.products().get("vela-de-lavanda").await?.stock, 7);
/// # Ok(())
/// # });
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Stocks<'a> {
    pub(super) cx: &'a Context,
}

impl<'a> Stocks<'a> {
    pub(crate) fn new(cx: &'a Context) -> Self {
        Self { cx }
    }

    /// Sets the stock of a product, or of one of its variants.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn set(
        &self,
        by: &Actor,
        product: &ProductId,
        variant: Option<&VariantId>,
        quantity: StockLevel,
    ) -> Result<StockCount> {
        let (by, product, variant) = (by.clone(), product.clone(), variant.cloned());
        let at = self.cx.work();
        let job = move |tx: &mut dyn Tx| {
            let item = StockItem::find(tx, &product, variant.as_ref())?;
            let change = recount(tx, &at, &by, &item, quantity, StockSource::from(&by), None)?;
            announce(tx, &at, change.as_slice())?;
            let StockItem { id, product_id, sku, .. } = item;
            let updated_at = tx.value(
                "SELECT updated_at FROM product WHERE id = $1",
                &[product_id.as_str().into()],
            )?;
            Ok(StockCount { id, sku, stock: quantity.get(), updated_at })
        };
        self.cx.db().write(lane::ORDERS, "stock.set", job).await
    }
}

/// A product or a variant with the units of its own.
#[derive(Debug, Clone)]
pub(super) struct StockItem {
    /// The variant's id, or the product's own.
    pub(super) id: String,
    pub(super) product_id: String,
    pub(super) sku: Option<String>,
    pub(super) quantity: i64,
}

impl StockItem {
    /// A product, or one of its variants.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub(super) fn find(
        tx: &mut dyn Tx,
        product: &ProductId,
        variant: Option<&VariantId>,
    ) -> Result<Self> {
        let found = match variant {
            None => tx.one(
                "SELECT p.id, p.id, k.code, s.quantity
                 FROM product p JOIN stock s ON s.item_id = p.id
                 LEFT JOIN sku k ON k.item_id = p.id WHERE p.id = $1",
                &[product.into()],
                Self::read,
            ),
            Some(variant) => tx.one(
                "SELECT v.id, v.product_id, k.code, s.quantity
                 FROM variant v JOIN stock s ON s.item_id = v.id
                 LEFT JOIN sku k ON k.item_id = v.id WHERE v.id = $1 AND v.product_id = $2",
                &[variant.into(), product.into()],
                Self::read,
            ),
        }?;
        let missing = if variant.is_some() { Entity::Variant } else { Entity::Product };
        found.ok_or(Error::NotFound(missing))
    }

    pub(super) fn find_by_sku(tx: &mut dyn Tx, sku: &str) -> Result<Option<Self>> {
        tx.one(
            "SELECT k.item_id, p.id, k.code, s.quantity
             FROM sku k JOIN stock s ON s.item_id = k.item_id JOIN product p ON p.pk = s.product_pk
             WHERE k.code = $1",
            &[sku.into()],
            Self::read,
        )
    }

    /// What receivers are told of an item that has the wanted stock already.
    pub(super) fn unchanged(&self) -> StockChange {
        self.change(self.quantity)
    }

    fn change(&self, quantity: i64) -> StockChange {
        StockChange {
            product_id: self.product_id.clone(),
            variant_id: (self.id != self.product_id).then(|| self.id.clone()),
            stock: quantity,
            delta: quantity - self.quantity,
        }
    }

    fn read(row: &dyn Row) -> Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            product_id: row.get(1)?,
            sku: row.get(2)?,
            quantity: row.get(3)?,
        })
    }
}

/// Sets an item's stock in somebody's name: with its movement, if it is another one than before, and
/// a line in the audit log. Whoever calls announces the change.
///
/// # Errors
/// [`Error::Busy`] when the stock changed since the item was read.
pub(super) fn recount(
    tx: &mut dyn Tx,
    at: &Work,
    by: &Actor,
    item: &StockItem,
    quantity: StockLevel,
    source: StockSource,
    reason: Option<&str>,
) -> Result<Option<StockChange>> {
    #[derive(Serialize)]
    struct Audited<'a> {
        stock: i64,
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<&'a str>,
    }
    let change = correct(tx, at, item, quantity.get(), source)?;
    if let Some(change) = &change {
        let before = Audited { stock: item.quantity, reason: None };
        let after = Audited { stock: change.stock, reason };
        audit::record(tx, at, by, "stock.set", &item.id, &before, &after)?;
    }
    Ok(change)
}

/// Sets an item's stock, with its movement, and marks its product as changed; `None` where it has
/// that stock already.
pub(super) fn correct(
    tx: &mut dyn Tx,
    at: &Work,
    item: &StockItem,
    quantity: i64,
    source: StockSource,
) -> Result<Option<StockChange>> {
    let delta = quantity - item.quantity;
    if delta == 0 {
        return Ok(None);
    }
    tx.touch(area::STOCK);
    let set = tx.execute(
        "UPDATE stock SET quantity = $1 WHERE item_id = $2 AND quantity = $3",
        &[quantity.into(), (&item.id).into(), item.quantity.into()],
    )?;
    if set == 0 {
        return Err(Error::Busy { retry_after: std::time::Duration::from_secs(1) });
    }
    record(tx, at, &item.id, delta, MovementReason::Adjustment, source.as_str(), None)?;
    catalog::touch(tx, at, &item.product_id)?;
    Ok(Some(item.change(quantity)))
}
