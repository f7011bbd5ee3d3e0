//! The SQL of imports that are written piece by piece: the only writes of `product_import` and
//! `product_import_piece`.

use super::import::{ImportProducts, OnlyProducts};
use super::make::Made;
use crate::actor::{Actor, ActorKind};
use crate::clock::Timestamp;
use crate::error::{Conflict, Error, Result};
use crate::lease;
use crate::storage::{Tx, params};

/// An import, by its id, with who imports and what was asked for.
#[derive(Debug, Clone)]
pub(super) struct StagedImport {
    pub(super) id: String,
    pub(super) by: Actor,
    pub(super) how: ImportProducts,
}

/// Refuses to go on while an import is under way. One whose process died before it was decided is
/// forgotten: with its row it loses the right to go on, should it be alive after all.
///
/// # Errors
/// [`Conflict::ImportUnderWay`].
pub(in crate::catalog) fn refuse_import_under_way(tx: &mut dyn Tx, now: Timestamp) -> Result<()> {
    let found: Option<(bool, Timestamp)> =
        tx.find("SELECT decided, until FROM product_import", &[])?;
    let Some((decided, until)) = found else { return Ok(()) };
    let is_alive = until > now && until <= lease::latest_end(now);
    Conflict::ImportUnderWay.unless(!decided && !is_alive)?;
    tx.run("DELETE FROM product_import", &[])
}

/// From now on nothing else changes the catalogue.
pub(super) fn begin(
    tx: &mut dyn Tx,
    import: &StagedImport,
    now: Timestamp,
    until: Timestamp,
) -> Result<()> {
    refuse_import_under_way(tx, now)?;
    let StagedImport { id, by, how } = import;
    tx.run(
        "INSERT INTO product_import (slot, id, actor, actor_id, only_products, keep_stock, decided,
                                     until, products, variants, updated, left_out)
         VALUES (1, $1, $2, $3, $4, $5, 0, $6, 0, 0, 0, '[]')",
        params![
            id.as_str(),
            by.kind().as_str(),
            by.id(),
            how.only.map(OnlyProducts::as_str),
            how.keep_stock,
            until
        ],
    )
}

/// Keeps some products of an import that is not decided.
///
/// # Errors
/// [`Conflict::ImportUnderWay`] where it was taken for dead: the catalogue may have changed.
pub(super) fn stage(
    tx: &mut dyn Tx,
    id: &str,
    (line, products): (i64, &str),
    until: Timestamp,
) -> Result<()> {
    let own = "UPDATE product_import SET until = $1 WHERE id = $2 AND decided = 0";
    Conflict::ImportUnderWay.unless(tx.changes(own, params![until, id])?)?;
    add_piece(tx, id, line, products)
}

fn add_piece(tx: &mut dyn Tx, id: &str, line: i64, products: &str) -> Result<()> {
    tx.run(
        "INSERT INTO product_import_piece (import_id, line, products) VALUES ($1, $2, $3)",
        params![id, line, products],
    )
}

/// From now on the import is applied to its end.
///
/// # Errors
/// As [`stage`].
pub(super) fn decide(tx: &mut dyn Tx, id: &str, until: Timestamp) -> Result<()> {
    let own = "UPDATE product_import SET decided = 1, until = $1 WHERE id = $2 AND decided = 0";
    Conflict::ImportUnderWay.unless(tx.changes(own, params![until, id])?)
}

/// Ends an import that is not decided.
pub(super) fn give_up(tx: &mut dyn Tx, id: &str) -> Result<()> {
    tx.run("DELETE FROM product_import WHERE id = $1 AND decided = 0", params![id])
}

/// A decided import that nobody is at, also one of a clock that was ahead and was set back since.
pub(super) fn due(tx: &mut dyn Tx, now: Timestamp) -> Result<Option<StagedImport>> {
    let due = tx.all(
        "SELECT id, actor, actor_id, only_products, keep_stock FROM product_import
         WHERE decided = 1 AND (until <= $1 OR until > $2)",
        params![now, lease::latest_end(now)],
        |row| {
            let (kind, by): (ActorKind, Option<String>) = (row.get(1)?, row.get(2)?);
            let (only, keep_stock) = (row.get(3)?, row.get(4)?);
            let how = ImportProducts { only, keep_stock, ..ImportProducts::default() };
            Ok(StagedImport {
                id: row.get(0)?,
                by: Actor::from_stored(kind, by).map_err(Error::from_source)?,
                how,
            })
        },
    )?;
    Ok(due.into_iter().next())
}

/// The next products that are to be written, with the line of the first.
pub(super) fn next_piece(tx: &mut dyn Tx, id: &str) -> Result<Option<(i64, String)>> {
    tx.find(
        "SELECT line, products FROM product_import_piece WHERE import_id = $1
         ORDER BY line LIMIT 1",
        params![id],
    )
}

/// Takes a piece for the transaction that writes it; whether it was still there.
pub(super) fn take_piece(tx: &mut dyn Tx, id: &str, line: i64) -> Result<bool> {
    tx.changes(
        "DELETE FROM product_import_piece WHERE import_id = $1 AND line = $2",
        params![id, line],
    )
}

/// Puts others in the place of a piece, where it is still there.
pub(super) fn split(tx: &mut dyn Tx, id: &str, line: i64, pieces: &[(i64, String)]) -> Result<()> {
    if !take_piece(tx, id, line)? {
        return Ok(());
    }
    pieces.iter().try_for_each(|(line, products)| add_piece(tx, id, *line, products))
}

/// Notes what was written; all of the import so far.
pub(super) fn advance(tx: &mut dyn Tx, id: &str, more: &Made, until: Timestamp) -> Result<Made> {
    let Made { products, variants, updated, .. } = *more;
    let row = tx.all(
        "UPDATE product_import SET products = products + $1, variants = variants + $2,
                updated = updated + $3, until = $4
         WHERE id = $5 RETURNING products, variants, updated, left_out",
        params![count(products), count(variants), count(updated), until, id],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get::<String>(3)?)),
    )?;
    let row: Option<(i64, i64, i64, String)> = row.into_iter().next();
    let (products, variants, updated, left_out) =
        row.ok_or_else(|| Error::internal("an import has pieces and no row"))?;
    let left_out = serde_json::from_str(&left_out).map_err(Error::from_source)?;
    let [products, variants, updated] = [products, variants, updated].map(i64::unsigned_abs);
    Ok(Made { products, variants, updated, left_out })
}

/// Keeps the lines of products that were left out.
pub(super) fn note_left_out(tx: &mut dyn Tx, id: &str, lines: &[u64]) -> Result<()> {
    let lines = serde_json::to_string(lines).map_err(Error::from_source)?;
    tx.run("UPDATE product_import SET left_out = $1 WHERE id = $2", params![&lines, id])
}

fn count(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Ends an import that has no pieces any more; whether it has none.
pub(super) fn end(tx: &mut dyn Tx, id: &str) -> Result<bool> {
    tx.changes(
        "DELETE FROM product_import WHERE id = $1
         AND NOT EXISTS (SELECT 1 FROM product_import_piece WHERE import_id = $1)",
        params![id],
    )
}

/// Deletes pieces of imports that are no more, at most so many; how many.
pub(super) fn forget_pieces(tx: &mut dyn Tx, most: i64) -> Result<usize> {
    tx.execute(
        "DELETE FROM product_import_piece WHERE (import_id, line) IN (
           SELECT import_id, line FROM product_import_piece
           WHERE import_id NOT IN (SELECT id FROM product_import) LIMIT $1)",
        params![most],
    )
}

/// Whether there are such.
pub(super) fn has_forgotten_pieces(tx: &mut dyn Tx) -> Result<bool> {
    tx.exists(
        "SELECT 1 FROM product_import_piece
         WHERE import_id NOT IN (SELECT id FROM product_import) LIMIT 1",
        &[],
    )
}
