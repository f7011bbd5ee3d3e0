//! The ledger: what moved of each item, and why. The only writes of `stock_movement`.

use super::{MovementReason, StockLine, StockSource};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::id::{OrderId, ReturnId};
use crate::storage::{InsertRows, Tx, params};

/// The items' rows of `stock` give out the numbers, so that each movement names the one before it
/// of its item, and the latest ones are found without an index.
const MOVEMENTS: InsertRows = InsertRows {
    table: "stock_movement",
    insert: "INSERT INTO stock_movement (id, previous, item_id, delta, reason, source, reference,
               created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
};

/// A movement's number, and that of the movement before it of its item.
pub(super) type Place = (i64, Option<i64>);

/// Units of an item that came or went.
pub(crate) struct Movement<'a> {
    pub(crate) item_id: &'a str,
    pub(crate) delta: i64,
    pub(crate) reason: MovementReason,
    pub(crate) source: &'a str,
    /// The order or the return that it belongs to.
    pub(crate) reference: Option<&'a str>,
}

impl<'a> Movement<'a> {
    pub(super) fn adjustment(item_id: &'a str, delta: i64, source: StockSource) -> Self {
        let (reason, source) = (MovementReason::Adjustment, source.as_str());
        Self { item_id, delta, reason, source, reference: None }
    }

    /// Of a line whose order is placed.
    pub(super) fn sold(line: &'a StockLine, order: &'a OrderId) -> Self {
        let (reason, reference) = (MovementReason::Purchase, Some(order.as_str()));
        Self { item_id: &line.item_id, delta: -line.units, reason, source: "ORDER", reference }
    }

    /// Of a line whose order is closed.
    pub(super) fn given_back(line: &'a StockLine, order: &'a OrderId) -> Self {
        Self { delta: line.units, reason: MovementReason::Return, ..Self::sold(line, order) }
    }

    /// Of a line that a customer sent back.
    pub(super) fn returned(line: &'a StockLine, from: &'a ReturnId) -> Self {
        let (reason, reference) = (MovementReason::Return, Some(from.as_str()));
        Self { item_id: &line.item_id, delta: line.units, reason, source: "RETURN", reference }
    }
}

pub(super) fn write(
    tx: &mut dyn Tx,
    when: Timestamp,
    place: Place,
    movement: &Movement<'_>,
) -> Result<()> {
    let (id, previous) = place;
    let Movement { item_id, delta, reason, source, reference } = *movement;
    tx.insert(
        &MOVEMENTS,
        params![id, previous, item_id, delta, reason.as_str(), source, reference, when],
    )
}
