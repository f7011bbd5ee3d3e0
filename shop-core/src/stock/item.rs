//! The stock of one item, as staff read and set it.

use serde::Serialize;

use super::correct::{StockItem, recount};
use super::{StockSource, Stocks, announce};
use crate::actor::Actor;
use crate::error::Result;
use crate::id::{ProductId, VariantId};
use crate::lane;
use crate::revision::Revision;
use crate::storage::Tx;
use crate::value::{StockLevel, Text};

/// The stock that an item has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ItemStock {
    /// The product.
    pub product_id: ProductId,
    /// Its variant, where it is one's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant_id: Option<VariantId>,
    /// Units that are left.
    pub stock: i64,
}

impl Stocks<'_> {
    /// The stock of a product or of a variant, by the id of either.
    ///
    /// # Errors
    /// [`crate::error::Error::NotFound`].
    pub async fn item(&self, id: &str) -> Result<ItemStock> {
        let id = id.to_owned();
        let job = move |tx: &mut dyn Tx| find(tx, &id).map(|item| item.shown(item.quantity));
        self.cx.db().lookup("stock.item", job).await
    }

    /// Sets the stock of a product or of a variant, by the id of either.
    ///
    /// # Errors
    /// [`crate::error::Error::NotFound`]; [`crate::error::Conflict::Changed`] where it is not as the caller saw
    /// it, be it that some were sold.
    pub async fn set_item(
        &self,
        by: &Actor,
        id: &str,
        quantity: StockLevel,
        seen: Option<Revision>,
    ) -> Result<ItemStock> {
        let (by, id, at) = (by.clone(), id.to_owned(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            let item = find(tx, &id)?;
            item.shown(item.quantity).revision()?.check(seen.as_ref())?;
            let change = recount(tx, &at, &by, &item, quantity, StockSource::from(&by), None)?;
            announce(tx, &at, change.as_slice())?;
            Ok(item.shown(quantity.get()))
        };
        self.cx.db().write(lane::ORDERS, "stock.set_item", job).await
    }

    /// Sets the stock of a product or of a variant as somebody counted it, and why: the audit log
    /// keeps that. It is named by its id, its article number, or a product by its slug.
    ///
    /// # Errors
    /// [`crate::error::Error::NotFound`].
    pub async fn count(
        &self,
        by: &Actor,
        name: &str,
        quantity: StockLevel,
        reason: Option<Text<1, 200>>,
    ) -> Result<ItemStock> {
        let (by, name, at) = (by.clone(), name.to_owned(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            let item = named(tx, &name)?;
            let (source, reason) = (StockSource::from(&by), reason.as_ref().map(Text::as_str));
            let change = recount(tx, &at, &by, &item, quantity, source, reason)?;
            announce(tx, &at, change.as_slice())?;
            Ok(item.shown(quantity.get()))
        };
        self.cx.db().write(lane::ORDERS, "stock.count", job).await
    }
}

impl ItemStock {
    /// The state that staff sees and changes. Here it is the stock itself, so that nobody counts
    /// over a sale that he has not seen.
    ///
    /// # Errors
    /// [`crate::error::Error::Internal`] when it cannot be written.
    pub fn revision(&self) -> Result<Revision> {
        Revision::of(self)
    }
}

impl StockItem {
    fn shown(&self, stock: i64) -> ItemStock {
        let variant_id = (self.id != self.product_id).then(|| self.id.as_str().into());
        ItemStock { product_id: self.product_id.as_str().into(), variant_id, stock }
    }
}

/// By an article number, an id, or a product's slug.
fn named(tx: &mut dyn Tx, name: &str) -> Result<StockItem> {
    if let Some(found) = StockItem::find_by_sku(tx, name)? {
        return Ok(found);
    }
    let by_slug = "SELECT id FROM product WHERE slug = $1";
    match tx.one(by_slug, &[name.into()], |row| row.get::<ProductId>(0))? {
        Some(product) => StockItem::find(tx, &product, None),
        None => find(tx, name),
    }
}

fn find(tx: &mut dyn Tx, id: &str) -> Result<StockItem> {
    let product: Option<ProductId> =
        tx.one("SELECT product_id FROM variant WHERE id = $1", &[id.into()], |row| row.get(0))?;
    match product {
        Some(product) => StockItem::find(tx, &product, Some(&id.into())),
        None => StockItem::find(tx, &id.into(), None),
    }
}
