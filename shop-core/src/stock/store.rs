//! The SQL of stock: the only writes of `stock`. Each change of units is an entry of the ledger.

use super::ledger::{self, Movement, Place};
use super::{StockChange, StockItem, StockLine, StockSource};
use crate::area;
use crate::clock::Timestamp;
use crate::context::Work;
use crate::error::{Entity, Error, Refusal, Result};
use crate::id::{OrderId, ProductId, ReturnId};
use crate::storage::{Param, Tx, params};

/// Up to so many units an index of SQLite has the items (`stock_few`).
const INDEXED: i64 = 20;

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
    let first = match quantity {
        0 => "NULL".to_owned(),
        _ => (tx.dialect().next_id)("stock_movement"),
    };
    let sql = format!(
        "INSERT INTO stock (item_id, product_pk, is_variant, quantity, last_movement)
         VALUES ($1, $2, $3, $4, {first}) RETURNING last_movement"
    );
    match tx.value(&sql, params![item_id, product_pk, is_variant, quantity])? {
        None => Ok(()),
        Some(id) => {
            let movement = Movement::adjustment(item_id, quantity, StockSource::Admin);
            ledger::write(tx, at.now(), (id, None), &movement)
        }
    }
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
    let set = moving(tx, "quantity = $1", "item_id = $2 AND quantity = $3");
    let place = tx.find(
        &format!("{set} RETURNING last_movement, movement_before"),
        params![quantity, &item.id, item.quantity],
    )?;
    let Some(place) = place else {
        return Err(Error::busy());
    };
    ledger::write(tx, at.now(), place, &Movement::adjustment(&item.id, delta, source))?;
    Ok(Some(item.change(quantity)))
}

/// Ends the stock of an item that is deleted. What was left is booked out, so that the ledger,
/// which stays, sums to nothing left.
pub(crate) fn remove(tx: &mut dyn Tx, at: &Work, item_id: &str) -> Result<()> {
    let left = quantity(tx, item_id)?.unwrap_or(0);
    announce_item(tx, item_id)?;
    record(tx, at.now(), &Movement::adjustment(item_id, -left, StockSource::Admin))?;
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
    // Where each statement is a round trip, all lines are taken at once.
    let all = if tx.dialect().is_remote { take_together(tx, lines)? } else { Vec::new() };
    let mut ahead = all.into_iter();
    let mut changes = Vec::with_capacity(lines.len());
    for (line, name) in lines {
        let taken = match ahead.next() {
            Some(taken) => taken,
            None => take(tx, line)?,
        };
        let Some((left, product_pk, place)) = taken else {
            let available = quantity(tx, &line.item_id)?.unwrap_or(0);
            let name = (*name).to_owned();
            return Err(Error::Refused(Refusal::InsufficientStock { name, available }));
        };
        announce(tx, product_pk);
        count_sold(tx, line, line.quantity, line.new_lines)?;
        ledger::write(tx, at.now(), place, &Movement::sold(line, order))?;
        changes.push(line.change(left, -line.units));
    }
    Ok(changes)
}

/// What is left of an item after units were taken, the product's `pk`, and the place of the
/// movement.
type Taken = (i64, i64, Place);

const TAKEN_COLUMNS: &str = "quantity, product_pk, last_movement, movement_before";

fn taking(tx: &dyn Tx) -> String {
    moving(
        tx,
        "quantity = quantity - $1, sold = sold + $2, order_lines = order_lines + $3",
        "item_id = $4 AND quantity >= $1",
    )
}

fn taken_units(line: &StockLine) -> [Param<'_>; 4] {
    let StockLine { units, quantity, new_lines, item_id, .. } = line;
    [units.into(), quantity.into(), new_lines.into(), item_id.into()]
}

/// Takes the units of a line; `None` where fewer are left.
fn take(tx: &mut dyn Tx, line: &StockLine) -> Result<Option<Taken>> {
    // SQLite opens a temporary table for `RETURNING`, which costs more than a look-up.
    if tx.execute(&taking(tx), &taken_units(line))? == 0 {
        return Ok(None);
    }
    let tell = format!("SELECT {TAKEN_COLUMNS} FROM stock WHERE item_id = $1");
    tx.find(&tell, params![&line.item_id])
}

/// Plans what [`take_or_refuse`] takes in a later part of the job, of the same lines.
pub(crate) fn plan_taking(tx: &mut dyn Tx, lines: &[(&StockLine, &str)]) {
    if tx.dialect().is_remote {
        let sql = taking_and_telling(tx);
        for (line, _) in lines {
            tx.plan(&sql, &line.item_id, &taken_units(line));
        }
    }
}

fn taking_and_telling(tx: &dyn Tx) -> String {
    format!("{} RETURNING {TAKEN_COLUMNS}", taking(tx))
}

/// As [`take`], of all lines. Where one is `None` the order is refused, so what becomes of the
/// others does not matter.
fn take_together(tx: &mut dyn Tx, lines: &[(&StockLine, &str)]) -> Result<Vec<Option<Taken>>> {
    let sql = taking_and_telling(tx);
    let lists: Vec<_> = lines.iter().map(|(line, _)| taken_units(line)).collect();
    let lists: Vec<&[Param<'_>]> = lists.iter().map(<[_; 4]>::as_slice).collect();
    let mut left = vec![None; lists.len()];
    tx.query_each(&sql, &lists, &mut |place, row| {
        left[place] = Some(row.get(0)?);
        Ok(())
    })?;
    Ok(left)
}

/// Puts an order's line back; `None` where no unit of it moves. Of a variant that was deleted
/// since, only its product counts the units, as it did when they were sold.
pub(crate) fn give_back(
    tx: &mut dyn Tx,
    at: &Work,
    line: &StockLine,
    order: &OrderId,
) -> Result<Option<StockChange>> {
    if line.units == 0 {
        count_unmoved(tx, line, -line.quantity)?;
        return Ok(None);
    }
    count_sold(tx, line, -line.quantity, 0)?;
    let Some((now, product_pk, place)) = put_back(tx, line, line.quantity)? else {
        announce_item(tx, &line.product_id)?;
        return Ok(None);
    };
    announce(tx, product_pk);
    ledger::write(tx, at.now(), place, &Movement::given_back(line, order))?;
    Ok(Some(line.change(now, line.units)))
}

/// Puts units on the shelf that a customer sent back. They stay counted as sold: the order that
/// sold them is still an order. `None` where the item was deleted since.
pub(crate) fn restock(
    tx: &mut dyn Tx,
    at: &Work,
    line: &StockLine,
    from: &ReturnId,
) -> Result<Option<StockChange>> {
    let Some((now, product_pk, place)) = put_back(tx, line, 0)? else { return Ok(None) };
    announce(tx, product_pk);
    ledger::write(tx, at.now(), place, &Movement::returned(line, from))?;
    Ok(Some(line.change(now, line.units)))
}

/// Puts a line's units on the shelf, of which so many are not sold any more.
fn put_back(tx: &mut dyn Tx, line: &StockLine, unsold: i64) -> Result<Option<Taken>> {
    let back = moving(tx, "quantity = quantity + $1, sold = sold - $2", "item_id = $3");
    tx.find(
        &format!("{back} RETURNING {TAKEN_COLUMNS}"),
        params![line.units, unsold, &line.item_id],
    )
}

/// How many units of an item there are; `None` where there is no such item.
pub(crate) fn quantity(tx: &mut dyn Tx, item_id: &str) -> Result<Option<i64>> {
    tx.one("SELECT quantity FROM stock WHERE item_id = $1", params![item_id], |row| row.get(0))
}

/// What is sold of a product includes its variants; they count on the product's own row too.
fn count_sold(tx: &mut dyn Tx, line: &StockLine, units: i64, lines: i64) -> Result<()> {
    if line.is_variant() { add_sold(tx, &line.product_id, units, lines) } else { Ok(()) }
}

/// Counts a line as sold by so many units more or, below zero, less, of which none leaves the shelf
/// or comes back to it: each is part of a return.
pub(crate) fn count_unmoved(tx: &mut dyn Tx, line: &StockLine, units: i64) -> Result<()> {
    announce_item(tx, &line.item_id)?;
    add_sold(tx, &line.item_id, units, 0)?;
    count_sold(tx, line, units, 0)
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

/// Writes a movement of an item into the ledger, unless nothing moved. The units are counted, and
/// the product is announced, by the caller.
pub(crate) fn record(tx: &mut dyn Tx, when: Timestamp, movement: &Movement<'_>) -> Result<()> {
    if movement.delta == 0 {
        return Ok(());
    }
    let next = moving(tx, "quantity = quantity", "item_id = $1");
    let sql = format!("{next} RETURNING last_movement, movement_before");
    let place = tx.find(&sql, params![movement.item_id])?;
    let place = place.ok_or_else(|| Error::internal("a movement of no item"))?;
    ledger::write(tx, when, place, movement)
}

/// A change of an item's row with which a movement takes its place in the ledger: its number is
/// then `last_movement`, and the one before it `movement_before`.
fn moving(tx: &dyn Tx, set: &str, filter: &str) -> String {
    let next = (tx.dialect().next_id)("stock_movement");
    format!(
        "UPDATE stock SET {set}, movement_before = last_movement, last_movement = {next}
         WHERE {filter}"
    )
}
