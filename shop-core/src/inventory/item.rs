//! The stock of one item.

use serde::Serialize;

use super::Stocks;
use crate::actor::Actor;
use crate::audit;
use crate::catalog::{self, Item};
use crate::clock::Timestamp;
use crate::context::Work;
use crate::error::{Entity, Error, Result};
use crate::id::{ProductId, VariantId};
use crate::lane;
use crate::revision::Revision;
use crate::stock::{self, StockChange, StockItem, StockSource, announce};
use crate::storage::Tx;
use crate::value::{StockLevel, Text};

/// The stock that an item has, as staff read it.
#[apply(answer!)]
pub struct ItemStock {
    /// The product, also where the stock is a variant's.
    pub product_id: ProductId,
    /// The variant whose stock it is; absent for the product's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant_id: Option<VariantId>,
    /// Units that are left.
    pub stock: i64,
}

/// An item with the stock that it has now, as programs read it.
#[apply(answer!)]
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

impl Stocks<'_> {
    /// The stock of a product or of a variant, by the id of either.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    ///
    /// Cancel safe: reads only.
    pub async fn get(&self, id: &str) -> Result<ItemStock> {
        let id = id.to_owned();
        let job = move |tx: &mut dyn Tx| {
            let item = Item::get_by_id(tx, &id)?;
            let item = Counted::of(tx, item)?;
            Ok(item.shown(item.quantity()))
        };
        self.cx.db().lookup("stock.item", job).await
    }

    /// Sets the stock of a product or of a variant, by the id of either, in the state that the
    /// caller saw, where one is given.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`crate::error::Conflict::Changed`] where the stock is not `expected`,
    /// also because some units were sold meanwhile.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn update(
        &self,
        by: &Actor,
        id: &str,
        quantity: StockLevel,
        expected: Option<Revision>,
    ) -> Result<ItemStock> {
        let (by, id, at) = (by.clone(), id.to_owned(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            let item = Item::get_by_id(tx, &id)?;
            let item = Counted::of(tx, item)?;
            item.shown(item.quantity()).revision()?.check(expected.as_ref())?;
            item.set(tx, &at, &by, quantity, None)?;
            Ok(item.shown(quantity.get()))
        };
        self.cx.write_events(lane::ORDERS, "stock.set_item", job).await
    }

    /// Sets the stock of a product or of a variant as it was counted, with the reason, which the
    /// audit log keeps. `name` is its id, its article number, or a product's slug.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn count(
        &self,
        by: &Actor,
        name: &str,
        quantity: StockLevel,
        reason: Option<Text<1, 200>>,
    ) -> Result<ItemStock> {
        let (by, name, at) = (by.clone(), name.to_owned(), self.cx.work());
        let job = move |tx: &mut dyn Tx| {
            let item = Item::get_by_name(tx, &name)?;
            let item = Counted::of(tx, item)?;
            item.set(tx, &at, &by, quantity, reason.as_ref().map(Text::as_str))?;
            Ok(item.shown(quantity.get()))
        };
        self.cx.write_events(lane::ORDERS, "stock.count", job).await
    }

    /// Sets the stock of a product, or of one of its variants. `expected` is the state of the
    /// product ([`Product::revision`](catalog::Product::revision)) that the caller saw, which has
    /// no units in it: [`Stocks::update`] is for those who saw them.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`crate::error::Conflict::Changed`] where the product is not
    /// `expected`.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn set(
        &self,
        by: &Actor,
        product: &ProductId,
        variant: Option<&VariantId>,
        quantity: StockLevel,
        expected: Option<Revision>,
    ) -> Result<StockCount> {
        let (by, product, variant) = (by.clone(), product.clone(), variant.cloned());
        let at = self.cx.work();
        let job = move |tx: &mut dyn Tx| {
            let item = Counted::get(tx, &product, variant.as_ref())?;
            catalog::check_product(tx, &product, expected.as_ref())?;
            item.set(tx, &at, &by, quantity, None)?;
            let updated_at = catalog::updated_at(tx, &product)?;
            let Item { id, sku, .. } = item.item;
            Ok(StockCount { id, sku, stock: quantity.get(), updated_at })
        };
        self.cx.write_events(lane::ORDERS, "stock.set", job).await
    }
}

revised! {
    /// The state that staff see and change. It is the stock itself, so that a count never
    /// overwrites a sale that the counting person has not seen.
    ItemStock |it| it;
}

/// An item with the units that it has.
pub(super) struct Counted {
    item: Item,
    stock: StockItem,
}

impl Counted {
    /// A product, or one of its variants.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub(super) fn get(
        tx: &mut dyn Tx,
        product: &ProductId,
        variant: Option<&VariantId>,
    ) -> Result<Self> {
        let item = Item::get(tx, product, variant)?;
        Self::of(tx, item)
    }

    pub(super) fn of(tx: &mut dyn Tx, item: Item) -> Result<Self> {
        let quantity = stock::quantity(tx, &item.id)?.ok_or(Error::NotFound(Entity::Product))?;
        let (id, product_id) = (item.id.clone(), item.product_id.to_string());
        Ok(Self { item, stock: StockItem { id, product_id, quantity } })
    }

    pub(super) fn id(&self) -> &str {
        &self.item.id
    }

    pub(super) fn quantity(&self) -> i64 {
        self.stock.quantity
    }

    pub(super) fn unchanged(&self) -> StockChange {
        self.stock.unchanged()
    }

    fn shown(&self, stock: i64) -> ItemStock {
        let Item { id, product_id, .. } = &self.item;
        let variant_id = (*id != product_id.as_str()).then(|| id.as_str().into());
        ItemStock { product_id: product_id.clone(), variant_id, stock }
    }

    fn set(
        &self,
        tx: &mut dyn Tx,
        at: &Work,
        by: &Actor,
        quantity: StockLevel,
        reason: Option<&str>,
    ) -> Result<()> {
        let change = self.set_as(tx, at, by, quantity, StockSource::from(by), reason)?;
        announce(tx, at, change.as_slice())
    }

    /// Sets the item's stock, with its movement and a line in the audit log, if it is another one
    /// than before. The caller announces the change.
    ///
    /// # Errors
    /// [`Error::Busy`] when the stock changed since the item was read.
    pub(super) fn set_as(
        &self,
        tx: &mut dyn Tx,
        at: &Work,
        by: &Actor,
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
        let change = self.correct(tx, at, quantity.get(), source)?;
        if let Some(change) = &change {
            let before = Audited { stock: self.quantity(), reason: None };
            let after = Audited { stock: change.stock, reason };
            audit::record(tx, at, by, "stock.set", self.id(), &before, &after)?;
        }
        Ok(change)
    }

    /// Sets the item's stock, with its movement, and marks its product as changed; `None` where it
    /// has that stock already.
    pub(super) fn correct(
        &self,
        tx: &mut dyn Tx,
        at: &Work,
        quantity: i64,
        source: StockSource,
    ) -> Result<Option<StockChange>> {
        let change = stock::correct(tx, at, &self.stock, quantity, source)?;
        if change.is_some() {
            catalog::touch(tx, at, &self.item.product_id)?;
        }
        Ok(change)
    }
}
