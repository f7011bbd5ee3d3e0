//! The SQL of stock and of its ledger: the only writes of `stock` and `stock_movement`.

use super::{MovementReason, StockChange, StockItem, StockLine, StockSource};
use crate::area;
use crate::clock::Timestamp;
use crate::context::Work;
use crate::error::{Entity, Error, Refusal, Result};
use crate::id::{OrderId, ProductId, ReturnId};
use crate::storage::{InsertRows, Param, Tx, params};

/// Up to so many units an index of SQLite has the items (`stock_few`).
const INDEXED: i64 = 20;

/// The ledger.
const MOVEMENTS: InsertRows = InsertRows {
    table: "stock_movement",
    insert: "INSERT INTO stock_movement (item_id, delta, reason, source, reference, created_at)
             VALUES ($1, $2, $3, $4, $5, $6)",
};

/// The condition that an item has no more units than the parameter at a place, which is `few`; in
/// words that the index of such items answers, where it can.
pub(crate) fn at_most(place: &str, few: i64) -> String {
    let indexed = if few <= INDEXED { " AND quantity <= 20" } else { "" };
    format!("quantity <= {place}{indexed}")
}

/// Starts the stock of a new item with its first count.
pub(crate) fn create(
    tx: &mut dyn Tx,
    at: &Work,
    item_id: &str,
    product_pk: i64,
    is_variant: bool,
    quantity: i64,
) -> Result<()> {
    announce(tx, product_pk);
    tx.execute(
        "INSERT INTO stock (item_id, product_pk, is_variant, quantity) VALUES ($1, $2, $3, $4)",
        params![item_id, product_pk, is_variant, quantity],
    )?;
    if quantity == 0 {
        return Ok(());
    }
    record(tx, at.now(), item_id, quantity, MovementReason::Adjustment, "ADMIN", None)
}

/// Sets how many units of an item there are, as they were counted, and books the difference.
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
    correct(tx, at, &StockItem { id, product_id, quantity }, counted, source)
}

/// Sets an item's stock, with its movement; `None` where it has that stock already.
///
/// # Errors
/// [`Error::Busy`] when the stock changed since the item was read.
pub(crate) fn correct(
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
    announce_item(tx, &item.id)?;
    let set = tx.execute(
        "UPDATE stock SET quantity = $1 WHERE item_id = $2 AND quantity = $3",
        params![quantity, &item.id, item.quantity],
    )?;
    if set == 0 {
        return Err(Error::Busy { retry_after: std::time::Duration::from_secs(1) });
    }
    record(tx, at.now(), &item.id, delta, MovementReason::Adjustment, source.as_str(), None)?;
    Ok(Some(item.change(quantity)))
}

/// Ends the stock of an item that is deleted. What was left is booked out, so that the ledger, which
/// stays, sums to nothing left.
pub(crate) fn remove(tx: &mut dyn Tx, at: &Work, item_id: &str) -> Result<()> {
    let left = quantity(tx, item_id)?.unwrap_or(0);
    if left > 0 {
        record(tx, at.now(), item_id, -left, MovementReason::Adjustment, "ADMIN", None)?;
    }
    announce_item(tx, item_id)?;
    tx.execute("DELETE FROM stock WHERE item_id = $1", params![item_id])?;
    Ok(())
}

/// Takes an order's lines, each with its product's name, out of the stock. The guard is in the
/// statement, so no interleaving can sell a unit twice.
///
/// # Errors
/// [`Refusal::InsufficientStock`], by the product's name, when fewer units are left.
pub(crate) fn take_or_refuse(
    tx: &mut dyn Tx,
    at: &Work,
    lines: &[(&StockLine, &str)],
    order: &OrderId,
) -> Result<Vec<StockChange>> {
    let taken = take_units(tx, lines)?;
    let mut changes = Vec::with_capacity(lines.len());
    for ((line, name), taken) in lines.iter().zip(taken) {
        let Some((left, product_pk)) = taken else {
            let available = quantity(tx, &line.item_id)?.unwrap_or(0);
            let name = (*name).to_owned();
            return Err(Error::Refused(Refusal::InsufficientStock { name, available }));
        };
        announce(tx, product_pk);
        count_sold(tx, line, line.quantity, line.new_lines)?;
        let reason = MovementReason::Purchase;
        record(tx, at.now(), &line.item_id, -line.units, reason, "ORDER", Some(order.as_str()))?;
        changes.push(line.change(left, -line.units));
    }
    Ok(changes)
}

/// For each line what is left of its item after its units were taken, and the product's `pk`; `None`
/// where fewer units are left. The order is refused then, so what becomes of the lines after it does
/// not matter: PostgreSQL has run them, SQLite has not.
fn take_units(tx: &mut dyn Tx, lines: &[(&StockLine, &str)]) -> Result<Vec<Option<(i64, i64)>>> {
    const TAKE: &str = "UPDATE stock SET quantity = quantity - $1, sold = sold + $2,
                                         order_lines = order_lines + $3
                        WHERE item_id = $4 AND quantity >= $1";
    const TAKE_AND_TELL: &str = "UPDATE stock SET quantity = quantity - $1, sold = sold + $2,
                                                  order_lines = order_lines + $3
                                 WHERE item_id = $4 AND quantity >= $1
                                 RETURNING quantity, product_pk";
    let lists = lines.iter().map(|(line, _)| {
        let StockLine { units, quantity, new_lines, item_id, .. } = line;
        [(*units).into(), (*quantity).into(), (*new_lines).into(), item_id.as_str().into()]
    });
    let lists: Vec<[Param<'_>; 4]> = lists.collect();
    if tx.dialect().is_remote {
        let lists: Vec<&[Param<'_>]> = lists.iter().map(<[_; 4]>::as_slice).collect();
        let mut left = vec![None; lists.len()];
        tx.query_each(TAKE_AND_TELL, &lists, &mut |place, row| {
            left[place] = Some(row.get(0)?);
            Ok(())
        })?;
        return Ok(left);
    }
    let mut left = Vec::with_capacity(lists.len());
    for ((line, _), params) in lines.iter().zip(&lists) {
        // SQLite opens a temporary table for `RETURNING`, which costs more than a look-up.
        if tx.execute(TAKE, params)? == 0 {
            left.push(None);
            break;
        }
        let sql = "SELECT quantity, product_pk FROM stock WHERE item_id = $1";
        left.push(tx.find(sql, params![&line.item_id])?);
    }
    Ok(left)
}

/// Puts an order's line back. Items that were deleted since are passed over.
pub(crate) fn give_back(
    tx: &mut dyn Tx,
    at: &Work,
    line: &StockLine,
    order: &OrderId,
) -> Result<Option<StockChange>> {
    let now = tx.one(
        "UPDATE stock SET quantity = quantity + $1, sold = sold - $2
         WHERE item_id = $3 RETURNING quantity, product_pk",
        params![line.units, line.quantity, line.item_id.as_str()],
        |row| Ok((row.get::<i64>(0)?, row.get(1)?)),
    )?;
    let Some((now, product_pk)) = now else { return Ok(None) };
    announce(tx, product_pk);
    count_sold(tx, line, -line.quantity, 0)?;
    let reason = MovementReason::Return;
    record(tx, at.now(), &line.item_id, line.units, reason, "ORDER", Some(order.as_str()))?;
    Ok(Some(line.change(now, line.units)))
}

/// Puts units on the shelf that a customer sent back. They stay counted as sold: the order that sold
/// them is still an order. `None` where the item was deleted since.
pub(crate) fn restock(
    tx: &mut dyn Tx,
    at: &Work,
    line: &StockLine,
    from: &ReturnId,
) -> Result<Option<StockChange>> {
    let now: Option<(i64, i64)> = tx.find(
        "UPDATE stock SET quantity = quantity + $1 WHERE item_id = $2
         RETURNING quantity, product_pk",
        params![line.units, line.item_id.as_str()],
    )?;
    let Some((now, product_pk)) = now else { return Ok(None) };
    announce(tx, product_pk);
    let reason = MovementReason::Return;
    record(tx, at.now(), &line.item_id, line.units, reason, "RETURN", Some(from.as_str()))?;
    Ok(Some(line.change(now, line.units)))
}

/// How many units of an item there are; `None` where there is no such item.
pub(crate) fn quantity(tx: &mut dyn Tx, item_id: &str) -> Result<Option<i64>> {
    tx.one("SELECT quantity FROM stock WHERE item_id = $1", params![item_id], |row| row.get(0))
}

/// What is sold of a product includes its variants; they count on the product's own row too.
fn count_sold(tx: &mut dyn Tx, line: &StockLine, units: i64, lines: i64) -> Result<()> {
    if line.is_variant() { add_sold(tx, &line.product_id, units, lines) } else { Ok(()) }
}

/// Announces that units of a product or of a variant of it change.
fn announce(tx: &mut dyn Tx, product_pk: i64) {
    tx.touch(area::STOCK);
    tx.touch_row(area::LISTING, product_pk);
}

/// As [`announce`], of the product that an item is or belongs to.
fn announce_item(tx: &mut dyn Tx, item_id: &str) -> Result<()> {
    let sql = "SELECT product_pk FROM stock WHERE item_id = $1";
    let product: Option<i64> = tx.find(sql, params![item_id])?;
    if let Some(product_pk) = product {
        announce(tx, product_pk);
    }
    Ok(())
}

/// Adds to the units sold of an item, and to the lines of orders that name it. The product is
/// announced by the caller.
pub(crate) fn add_sold(tx: &mut dyn Tx, item_id: &str, units: i64, lines: i64) -> Result<()> {
    tx.execute(
        "UPDATE stock SET sold = sold + $1, order_lines = order_lines + $2 WHERE item_id = $3",
        params![units, lines, item_id],
    )?;
    Ok(())
}

/// Writes a movement of an item into the ledger, unless nothing moved. The reference is the order or
/// the return that it belongs to.
pub(crate) fn record(
    tx: &mut dyn Tx,
    when: Timestamp,
    item_id: &str,
    delta: i64,
    reason: MovementReason,
    source: &str,
    reference: Option<&str>,
) -> Result<()> {
    if delta == 0 {
        return Ok(());
    }
    let reference = reference.map_or(Param::Null, Into::into);
    tx.insert(
        &MOVEMENTS,
        &[
            item_id.into(),
            delta.into(),
            reason.as_str().into(),
            source.into(),
            reference,
            when.into(),
        ],
    )
}
