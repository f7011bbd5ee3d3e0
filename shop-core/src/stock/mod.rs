//! Units on the shelf, and the ledger that explains them.
//!
//! Every change of an item's stock is a movement of the same transaction, so the deltas of an item
//! always sum to its stock.

mod correct;
mod event;
mod item;
mod list;
mod update;

use serde::Serialize;

use self::correct::StockItem;
pub use self::correct::{StockCount, StockSource, Stocks};
pub use self::event::{EventStock, EventStockItem};
pub use self::item::ItemStock;
pub use self::list::{StockFilter, StockList, StockMovement, StockSummary, StockVariant};
pub use self::update::{StockDelta, StockOutcome, StockSet, StockSync, StockUpdate, SyncItem};
use crate::area;
use crate::context::Work;
use crate::error::{Entity, Error, Refusal, Result};
use crate::event::{EventName, emit};
use crate::id::{OrderId, ProductId};
use crate::storage::{Param, Tx};
use crate::value::wire_enum;

wire_enum! {
    /// Why units moved.
    pub enum MovementReason {
        /// Sold with an order.
        Purchase = "PURCHASE",
        /// Counted, entered or corrected.
        Adjustment = "ADJUSTMENT",
        /// Back from an order that was cancelled or refunded.
        Return = "RETURN",
    }
}

/// How many items one `stock.updated` tells about; a change of more is told in several.
const ITEMS_AN_EVENT: usize = 1000;

/// What an order's line wants from the shelf: units of a variant, or of a product itself.
#[derive(Debug, Clone)]
pub(crate) struct StockLine {
    /// The variant's id, or the product's own.
    pub(crate) item_id: String,
    pub(crate) product_id: String,
    pub(crate) quantity: i64,
    /// How many lines of orders are new with it: none when units are taken again.
    pub(crate) new_lines: i64,
}

/// An item's stock after a change, as receivers of `stock.updated` and `stock.low` are told.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StockChange {
    product_id: String,
    variant_id: Option<String>,
    stock: i64,
    #[serde(skip)]
    delta: i64,
}

impl StockLine {
    fn change(&self, stock: i64, delta: i64) -> StockChange {
        let variant_id = self.is_variant().then(|| self.item_id.clone());
        StockChange { product_id: self.product_id.clone(), variant_id, stock, delta }
    }

    fn is_variant(&self) -> bool {
        self.item_id != self.product_id
    }
}

/// Puts a new item on the shelf with its first count.
pub(crate) fn create(
    tx: &mut dyn Tx,
    at: &Work,
    item_id: &str,
    product_pk: i64,
    is_variant: bool,
    quantity: i64,
) -> Result<()> {
    tx.touch(area::STOCK);
    tx.execute(
        "INSERT INTO stock (item_id, product_pk, is_variant, quantity) VALUES ($1, $2, $3, $4)",
        &[item_id.into(), product_pk.into(), is_variant.into(), quantity.into()],
    )?;
    if quantity == 0 {
        return Ok(());
    }
    record(tx, at, item_id, quantity, MovementReason::Adjustment, "ADMIN", None)
}

/// Sets how many units of an item there are, as somebody counted them, and books the difference.
/// `None` where that changes nothing.
///
/// # Errors
/// [`Error::NotFound`] when there is no such item.
pub(crate) fn set(
    tx: &mut dyn Tx,
    at: &Work,
    product_id: &ProductId,
    item_id: &str,
    counted: i64,
    source: StockSource,
) -> Result<Option<StockChange>> {
    let quantity = quantity(tx, item_id)?.ok_or(Error::NotFound(Entity::Product))?;
    let (id, product_id) = (item_id.to_owned(), product_id.to_string());
    let item = StockItem { id, product_id, sku: None, quantity };
    correct::correct(tx, at, &item, counted, source)
}

/// Takes an item off the books for good. What was left is booked out, so that the ledger, which
/// stays, sums to nothing left.
pub(crate) fn remove(tx: &mut dyn Tx, at: &Work, item_id: &str) -> Result<()> {
    let left = quantity(tx, item_id)?.unwrap_or(0);
    if left > 0 {
        record(tx, at, item_id, -left, MovementReason::Adjustment, "ADMIN", None)?;
    }
    tx.touch(area::STOCK);
    tx.execute("DELETE FROM stock WHERE item_id = $1", &[item_id.into()])?;
    Ok(())
}

/// Takes an order's line off the shelf. The guard is in the statement, so no interleaving can sell
/// a unit twice.
///
/// # Errors
/// [`Refusal::InsufficientStock`], by the product's name, when fewer units are left.
pub(crate) fn take_or_refuse(
    tx: &mut dyn Tx,
    at: &Work,
    line: &StockLine,
    name: &str,
    order: &OrderId,
) -> Result<StockChange> {
    if let Some(change) = take(tx, at, line, order)? {
        return Ok(change);
    }
    let available = quantity(tx, &line.item_id)?.unwrap_or(0);
    Err(Error::Refused(Refusal::InsufficientStock { name: name.to_owned(), available }))
}

/// The line's stock after taking it, or `None` (and nothing changed) when fewer units are left.
fn take(
    tx: &mut dyn Tx,
    at: &Work,
    line: &StockLine,
    order: &OrderId,
) -> Result<Option<StockChange>> {
    tx.touch(area::STOCK);
    let taken = tx.execute(
        "UPDATE stock SET quantity = quantity - $1, sold = sold + $1,
                          order_lines = order_lines + $2
         WHERE item_id = $3 AND quantity >= $1",
        &[line.quantity.into(), line.new_lines.into(), line.item_id.as_str().into()],
    )?;
    if taken == 0 {
        return Ok(None);
    }
    // No `RETURNING`: SQLite opens a temporary table for it, which costs more than a look-up.
    let Some(left) = quantity(tx, &line.item_id)? else { return Ok(None) };
    count_sold(tx, line, line.quantity, line.new_lines)?;
    let reason = MovementReason::Purchase;
    record(tx, at, &line.item_id, -line.quantity, reason, "ORDER", Some(order))?;
    Ok(Some(line.change(left, -line.quantity)))
}

/// Puts an order's line back. Items that were deleted since are passed over.
pub(crate) fn give_back(
    tx: &mut dyn Tx,
    at: &Work,
    line: &StockLine,
    order: &OrderId,
) -> Result<Option<StockChange>> {
    tx.touch(area::STOCK);
    let now = tx.one(
        "UPDATE stock SET quantity = quantity + $1, sold = sold - $1
         WHERE item_id = $2 RETURNING quantity",
        &[line.quantity.into(), line.item_id.as_str().into()],
        |row| row.get::<i64>(0),
    )?;
    let Some(now) = now else { return Ok(None) };
    count_sold(tx, line, -line.quantity, 0)?;
    let reason = MovementReason::Return;
    record(tx, at, &line.item_id, line.quantity, reason, "ORDER", Some(order))?;
    Ok(Some(line.change(now, line.quantity)))
}

/// Emits `stock.updated` once for all changes of a transaction (once for each thousand, where there
/// are more), and `stock.low` for each item that a change leaves at the threshold or below, be it
/// that units came back.
pub(crate) fn announce(tx: &mut dyn Tx, at: &Work, changes: &[StockChange]) -> Result<()> {
    #[derive(Serialize)]
    struct Updated<'a> {
        items: &'a [StockChange],
    }
    for items in changes.chunks(ITEMS_AN_EVENT) {
        emit(tx, at, EventName::StockUpdated, &Updated { items })?;
    }
    for change in changes.iter().filter(|it| it.delta != 0 && it.stock <= at.low_stock()) {
        emit(tx, at, EventName::StockLow, change)?;
    }
    Ok(())
}

/// How many units of an item there are; `None` where there is no such item.
pub(crate) fn quantity(tx: &mut dyn Tx, item_id: &str) -> Result<Option<i64>> {
    tx.one("SELECT quantity FROM stock WHERE item_id = $1", &[item_id.into()], |row| row.get(0))
}

/// What is sold of a product includes its variants; they count on the product's own row too.
fn count_sold(tx: &mut dyn Tx, line: &StockLine, units: i64, lines: i64) -> Result<()> {
    if line.is_variant() {
        tx.touch(area::STOCK);
        tx.execute(
            "UPDATE stock SET sold = sold + $1, order_lines = order_lines + $2 WHERE item_id = $3",
            &[units.into(), lines.into(), line.product_id.as_str().into()],
        )?;
    }
    Ok(())
}

fn record(
    tx: &mut dyn Tx,
    at: &Work,
    item_id: &str,
    delta: i64,
    reason: MovementReason,
    source: &str,
    reference: Option<&OrderId>,
) -> Result<()> {
    let reference = reference.map_or(Param::Null, Into::into);
    tx.execute(
        "INSERT INTO stock_movement (item_id, delta, reason, source, reference, created_at)
         VALUES ($1, $2, $3, $4, $5, $6)",
        &[
            item_id.into(),
            delta.into(),
            reason.as_str().into(),
            source.into(),
            reference,
            at.now().into(),
        ],
    )?;
    Ok(())
}
