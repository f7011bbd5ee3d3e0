//! A whole shop moved from one database to another, of the same engine or not.
//!
//! Rows are read from one snapshot, in the order of their keys, and written in one transaction,
//! which only commits once every row was read back. So a target is whole or empty, whatever
//! happens. What an engine derives from rows, such as a full-text index, is made anew there.

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::tables::{TABLES, Table};
#[cfg(feature = "sqlite")]
use super::target::{Unfinished, admit, put};
use super::{Database, Progress, Result, checks, derive};
#[cfg(feature = "sqlite")]
use super::{DatabaseError, beside};
use crate::clock::Timestamp;
use crate::error::Error;
use crate::storage::maintenance::{self, Column, Maintenance};
use crate::storage::{DatabaseUrl, Param, Row, Tx};

/// Rows that are read at once.
const PAGE: i64 = 200;
/// Rows that are written by one statement.
const BATCH: usize = 50;

/// What was moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Copied {
    /// Every table, in the order in which they were moved.
    pub tables: Vec<CopiedTable>,
}

/// A table that was moved, and read back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CopiedTable {
    /// Its name.
    pub name: &'static str,
    /// How many rows it has.
    pub rows: u64,
    /// Of all its rows in the order of their keys; the same on every engine.
    pub sha256: String,
}

/// A value of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Cell {
    Null,
    Int(i64),
    Text(String),
}

impl Database {
    /// Moves all rows into another database, which must be empty; a file must not be there yet.
    /// What is committed after the copy began is not in it: stop the server first.
    ///
    /// # Errors
    /// [`DatabaseError::Unusable`] where this database must be migrated first, where the other one
    /// has rows, or where what was read back is not what was written; [`DatabaseError::Exists`].
    ///
    /// Dropping the future does not stop it: it runs to its end on a thread of its own.
    pub async fn copy_to(
        &self,
        to: &Self,
        now: Timestamp,
        mut progress: Progress,
    ) -> Result<Copied> {
        let to = to.clone();
        self.with(move |from| match &to.url {
            #[cfg(feature = "sqlite")]
            DatabaseUrl::File(file) => {
                admit(file, &from.url, false)?;
                let partial = Unfinished::make(beside(file, ".incomplete"))?;
                let url = DatabaseUrl::File(partial.path.clone());
                let copied = transfer(from, &url, now, &mut *progress)?;
                let settled = crate::storage::sqlite_maintenance::settle(&partial.path);
                settled.map_err(|error| DatabaseError::at(&partial.path, error))?;
                put(&partial.path, file, false)?;
                Ok(copied)
            }
            _ => transfer(from, &to.url, now, &mut *progress),
        })
        .await
    }
}

fn transfer(
    from: &Database,
    to: &DatabaseUrl,
    now: Timestamp,
    progress: maintenance::Progress<'_>,
) -> Result<Copied> {
    let mut source = from.open()?;
    let version = source.schema_version().map_err(|error| from.failed(error))?;
    let known = maintenance::latest_version();
    if version != known {
        let why = format!("it has schema version {version}, not {known}: see db migrate");
        return Err(from.unusable(why));
    }
    let target_of = Database { url: to.clone() };
    maintenance::migrate(to).map_err(|error| target_of.failed(error))?;
    let mut target = Maintenance::open(to).map_err(|error| target_of.failed(error))?;
    #[cfg(feature = "sqlite")]
    checks::prepare(&target)?;
    let wrong = |why: String| target_of.unusable(why);
    let mut refusal = None;
    let copied = source.read(|from| {
        target.write_derived(|to| {
            if let Some(table) = first_with_rows(to)? {
                refusal = Some(format!("it is not empty: {table} has rows"));
                return Err(rolled_back());
            }
            let copied = copy_all(from, to, progress)?;
            derive::derive(to)?;
            refusal = difference(to, &copied, version, now)?;
            if refusal.is_some() { Err(rolled_back()) } else { Ok(copied) }
        })
    });
    match (copied, refusal) {
        (_, Some(why)) => Err(wrong(why)),
        (copied, None) => Ok(copied?),
    }
}

/// Ends the transaction without a change; who called is told why by the refusal that stands beside
/// it.
fn rolled_back() -> Error {
    Error::internal("nothing was copied")
}

/// A table of the target that has rows which no migration made.
fn first_with_rows(to: &mut dyn Tx) -> crate::Result<Option<&'static str>> {
    for table in TABLES.iter().filter(|table| !table.seeded) {
        let any = format!("SELECT 1 FROM {} LIMIT 1", table.name);
        if to.exists(&any, &[])? {
            return Ok(Some(table.name));
        }
    }
    Ok(None)
}

fn copy_all(
    from: &mut dyn Tx,
    to: &mut dyn Tx,
    progress: maintenance::Progress<'_>,
) -> crate::Result<Copied> {
    let mut of = 0;
    for table in TABLES {
        of += count(from, table)?;
    }
    let (mut done, mut tables) = (0, Vec::new());
    for table in TABLES {
        let columns = maintenance::columns(from, table.name)?;
        if table.seeded {
            to.execute(&format!("DELETE FROM {}", table.name), &[])?;
        }
        let mut seen = Seen::default();
        each_page(from, table, &columns, &mut |rows| {
            for batch in rows.chunks(BATCH) {
                insert(to, table, &columns, batch)?;
            }
            seen.add(rows);
            done += u64::try_from(rows.len()).unwrap_or(0);
            progress(done, of);
            Ok(())
        })?;
        tables.push(seen.of(table));
    }
    Ok(Copied { tables })
}

fn count(tx: &mut dyn Tx, table: &Table) -> crate::Result<u64> {
    let rows: i64 = tx.value(&format!("SELECT count(*) FROM {}", table.name), &[])?;
    Ok(u64::try_from(rows).unwrap_or(0))
}

/// What is not in the target as it is in the source, if anything.
fn difference(
    to: &mut dyn Tx,
    copied: &Copied,
    version: i64,
    now: Timestamp,
) -> crate::Result<Option<String>> {
    for (table, expected) in TABLES.iter().zip(&copied.tables) {
        let columns = maintenance::columns(to, table.name)?;
        let mut seen = Seen::default();
        each_page(to, table, &columns, &mut |rows| {
            seen.add(rows);
            Ok(())
        })?;
        if seen.of(table) != *expected {
            return Ok(Some(format!("{} came out otherwise than it went in", table.name)));
        }
    }
    // Rows are as they were; what was derived from them must be too.
    let report = checks::run_search(to, version, now);
    let wrong = report.wrong().next();
    Ok(wrong.map(|check| format!("{} found something wrong", check.name)))
}

/// Hands out all rows of a table in the order of its key.
fn each_page(
    tx: &mut dyn Tx,
    table: &Table,
    columns: &[Column],
    each: &mut dyn FnMut(&[Vec<Cell>]) -> crate::Result<()>,
) -> crate::Result<()> {
    let names = names(columns);
    let key = table.key.join(", ");
    let places: Vec<String> = (1..=table.key.len()).map(|n| format!("${n}")).collect();
    let first = format!("SELECT {names} FROM {} ORDER BY {key} LIMIT {PAGE}", table.name);
    let next = format!(
        "SELECT {names} FROM {} WHERE ({key}) > ({}) ORDER BY {key} LIMIT {PAGE}",
        table.name,
        places.join(", ")
    );
    let mut last: Vec<Cell> = Vec::new();
    loop {
        let params: Vec<Param<'_>> = last.iter().map(Param::from).collect();
        let sql = if params.is_empty() { &first } else { &next };
        let rows = tx.all(sql, &params, |row| read(row, columns))?;
        let Some(end) = rows.last() else { return Ok(()) };
        each(&rows)?;
        last = key_of(table, columns, end)?;
    }
}

fn key_of(table: &Table, columns: &[Column], row: &[Cell]) -> crate::Result<Vec<Cell>> {
    let place = |key: &&str| columns.iter().position(|column| column.name == *key);
    let cells = table.key.iter().map(|key| place(key).and_then(|at| row.get(at)).cloned());
    let cells: Option<Vec<Cell>> = cells.collect();
    cells.ok_or_else(|| Error::internal(format!("{} has no such key", table.name)))
}

fn names(columns: &[Column]) -> String {
    let names: Vec<String> = columns.iter().map(|column| format!("\"{}\"", column.name)).collect();
    names.join(", ")
}

fn read(row: &dyn Row, columns: &[Column]) -> crate::Result<Vec<Cell>> {
    let cell = |(at, column): (usize, &Column)| {
        if column.is_text {
            Ok(row.text(at)?.map_or(Cell::Null, |text| Cell::Text(text.to_owned())))
        } else {
            Ok(row.int(at)?.map_or(Cell::Null, Cell::Int))
        }
    };
    columns.iter().enumerate().map(cell).collect()
}

fn insert(
    to: &mut dyn Tx,
    table: &Table,
    columns: &[Column],
    rows: &[Vec<Cell>],
) -> crate::Result<()> {
    let mut place = 0;
    let mut tuple = |row: &Vec<Cell>| {
        let places = row.iter().map(|_| {
            place += 1;
            format!("${place}")
        });
        format!("({})", places.collect::<Vec<_>>().join(", "))
    };
    let tuples: Vec<String> = rows.iter().map(&mut tuple).collect();
    let sql =
        format!("INSERT INTO {} ({}) VALUES {}", table.name, names(columns), tuples.join(", "));
    let params: Vec<Param<'_>> = rows.iter().flatten().map(Param::from).collect();
    to.execute(&sql, &params).map(drop)
}

impl<'a> From<&'a Cell> for Param<'a> {
    fn from(cell: &'a Cell) -> Self {
        match cell {
            Cell::Null => Self::Null,
            Cell::Int(number) => Self::Int(*number),
            Cell::Text(text) => Self::Text(text),
        }
    }
}

/// Rows that went by.
#[derive(Default)]
struct Seen {
    rows: u64,
    hash: Sha256,
}

impl Seen {
    /// Every cell is told from every other: by what it is, and how long.
    fn add(&mut self, rows: &[Vec<Cell>]) {
        for row in rows {
            self.rows += 1;
            for cell in row {
                match cell {
                    Cell::Null => self.hash.update([0]),
                    Cell::Int(number) => {
                        self.hash.update([1]);
                        self.hash.update(number.to_be_bytes());
                    }
                    Cell::Text(text) => {
                        self.hash.update([2]);
                        self.hash.update((text.len() as u64).to_be_bytes());
                        self.hash.update(text);
                    }
                }
            }
        }
    }

    fn of(self, table: &Table) -> CopiedTable {
        let sha256 = hex::encode(self.hash.finalize());
        CopiedTable { name: table.name, rows: self.rows, sha256 }
    }
}
