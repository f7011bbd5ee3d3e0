//! The storage seam: asynchronous outside, synchronous inside.
//!
//! A [`Storage`] runs named units of work. A job sees one transaction as a [`Tx`] and speaks one
//! SQL text that every engine takes: `$1..$n` numbered in the order of their first use (SQLite
//! numbers them so), `RETURNING`, `ON CONFLICT`, common table expressions, window functions. Ids
//! are text, money is cents, times are milliseconds, booleans are 0 and 1, JSON is text. What
//! engines do not share (full-text search, a few type names) is in their [`Dialect`].
//!
//! A job never touches the network, never hashes a password and never waits: everything that must
//! be seen outside is a row of the same transaction.
//!
//! A program may put a storage of its own before an engine. This one counts what is written:
//!
//! ```
//! use std::sync::Arc;
//! use std::sync::atomic::{AtomicU64, Ordering};
//!
//! use shop_core::storage::{Generations, Job, Lane, ReadCost, Sqlite, Storage};
//! use shop_core::{BoxFuture, Result};
//!
//! struct Counted {
//!     engine: Sqlite,
//!     writes: Arc<AtomicU64>,
//! }
//!
//! impl Storage for Counted {
//!     fn read(&self, name: &'static str, cost: ReadCost, job: Job) -> BoxFuture<'_, Result<()>> {
//!         self.engine.read(name, cost, job)
//!     }
//!
//!     fn write(&self, lane: Lane, name: &'static str, job: Job) -> BoxFuture<'_, Result<()>> {
//!         self.writes.fetch_add(1, Ordering::Relaxed);
//!         self.engine.write(lane, name, job)
//!     }
//!
//!     fn generations(&self) -> &Generations {
//!         self.engine.generations()
//!     }
//! }
//!
//! # use shop_core::testing::TestShop;
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! # let folder = tempfile::tempdir()?;
//! let writes = Arc::new(AtomicU64::new(0));
//! let engine = Sqlite::open(folder.path().join("shop.db"))?;
//! let counted = Counted { engine, writes: Arc::clone(&writes) };
//! let shop = TestShop::with(|builder| builder.storage(counted)).await?;
//! shop.order().await?;
//! assert!(writes.load(Ordering::Relaxed) > 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod announced;
#[cfg(feature = "sqlite")]
mod checkpoint;
mod concurrent;
#[cfg(feature = "test-util")]
pub mod conformance;
mod counters;
mod db;
mod dialect;
#[cfg(test)]
pub(crate) mod explain;
mod filter;
mod generation;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
pub(crate) mod maintenance;
mod migrate;
mod open;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(feature = "sqlite")]
pub(crate) mod sqlite_file;
#[cfg(feature = "sqlite")]
pub(crate) mod sqlite_maintenance;
#[cfg(feature = "sqlite")]
mod sqlite_row;
#[cfg(feature = "sqlite")]
mod sqlite_steps;
mod tokenizer;
mod value;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod workers;
#[cfg(feature = "sqlite")]
mod writer;

use futures_util::future::BoxFuture;

pub use self::concurrent::{ConcurrentJob, Counter, LockKey, Prefetch};
pub use self::counters::{Metric, StorageFigures};
pub(crate) use self::db::Db;
pub use self::dialect::{Dialect, SearchWord};
pub(crate) use self::filter::{
    FEW, FEW_PLACES, Filter, PLACES, few_placed, list_placed, placed, query_placed,
};
pub use self::generation::{Area, Changed, Generations};
pub use self::migrate::{Step as MigrationStep, pending as pending_migrations};
pub(crate) use self::open::{DatabaseUrl, open, refuse_url};
#[cfg(feature = "postgres")]
pub use self::postgres::Postgres;
#[cfg(feature = "sqlite")]
pub use self::sqlite::Sqlite;
pub use self::value::{FromColumn, Param, Row};
pub(crate) use self::value::{params, read_columns};
use crate::error::{Error, Result};

/// A unit of work. `FnMut`, because an engine may have to run it again after a conflict.
pub type Job = Box<dyn FnMut(&mut dyn Tx) -> Result<()> + Send>;

/// What a read costs, which decides where it may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadCost {
    /// Indexes bound it to a handful of rows nearly always: it may run on the calling thread. An
    /// engine that does so stops one that takes longer than some 100 microseconds, and runs it
    /// again as [`ReadCost::Unbounded`].
    Bounded,
    /// Anything else. It runs on a reader thread, so that it never stalls an async worker.
    Unbounded,
}

/// One of the queues of writes. An engine that runs several writes at once runs those of one lane
/// one after the other, so jobs that change the same rows share a lane; an engine with one writer
/// takes no notice of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lane(usize);

impl Lane {
    /// A lane by its number. An engine that has fewer lanes lets several numbers share one.
    pub const fn new(number: usize) -> Self {
        Self(number)
    }

    /// The lane's number.
    pub fn number(self) -> usize {
        self.0
    }
}

/// An engine that keeps the shop's data.
///
/// Every implementation must pass the `conformance` list (feature `test-util`).
pub trait Storage: Send + Sync + 'static {
    /// Runs a job that only reads, on one consistent snapshot.
    fn read(&self, name: &'static str, cost: ReadCost, job: Job) -> BoxFuture<'_, Result<()>>;

    /// As [`Storage::read`], for public data: it may run on a replica, and then sees every commit
    /// that this server knows of, its own and those that other servers have notified it of.
    fn read_public(
        &self,
        name: &'static str,
        cost: ReadCost,
        job: Job,
    ) -> BoxFuture<'_, Result<()>> {
        self.read(name, cost, job)
    }

    /// Runs a job in a transaction that is durable once the future is ready with `Ok`. A job that
    /// fails or panics leaves nothing behind. Dropping the future does not take back a job that
    /// is queued. The jobs of one lane run in the order in which they were queued.
    fn write(&self, lane: Lane, name: &'static str, job: Job) -> BoxFuture<'_, Result<()>>;

    /// As [`Storage::write`], for a job that may run beside other concurrent jobs of its lane, in
    /// whatever order.
    fn write_concurrent(
        &self,
        lane: Lane,
        name: &'static str,
        job: ConcurrentJob,
    ) -> BoxFuture<'_, Result<()>> {
        self.write(lane, name, job.into_job())
    }

    /// The counters by which caches notice that what they hold has changed.
    fn generations(&self) -> &Generations;

    /// What the engine did since it was opened, and what waits for it. An engine that has queues
    /// adds how many jobs are in them.
    fn figures(&self) -> StorageFigures {
        self.generations().figures()
    }
}

/// One transaction, as a job sees it.
pub trait Tx {
    /// Runs a statement and tells how many rows it changed.
    ///
    /// # Errors
    /// [`Error::Internal`] when the engine refuses the statement or breaks a constraint.
    fn execute(&mut self, sql: &str, params: &[Param<'_>]) -> Result<usize>;

    /// Runs a statement and hands each row it returns to `each`.
    ///
    /// # Errors
    /// As [`Tx::execute`], or what `each` returned.
    fn query(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
        each: &mut dyn FnMut(&dyn Row) -> Result<()>,
    ) -> Result<()>;

    /// Runs a statement once with each of these lists of parameters, in their order, and hands each
    /// row to `each`, with the place of its list. An engine to which each statement is a round trip
    /// sends them all at once; so they all run, also where `each` fails.
    ///
    /// # Errors
    /// As [`Tx::query`].
    fn query_each(
        &mut self,
        sql: &str,
        lists: &[&[Param<'_>]],
        each: &mut dyn FnMut(usize, &dyn Row) -> Result<()>,
    ) -> Result<()> {
        let mut lists = lists.iter().enumerate();
        lists.try_for_each(|(place, list)| self.query(sql, list, &mut |row| each(place, row)))
    }

    /// Plans a change of the row of this name, in the first part of a [`ConcurrentJob`]. The
    /// statement is an `UPDATE` that ends with `WHERE … RETURNING …`, once each. An engine to which
    /// each statement is a round trip may make what the jobs of a group plan together; the middle
    /// part runs the statement nevertheless, by [`Tx::query_each`] with the lists of all that it
    /// planned by it, and is given those answers.
    fn plan(&mut self, sql: &str, row: &str, params: &[Param<'_>]) {
        let _ = (sql, row, params);
    }

    /// Appends a row to a log that is read in the order of its row numbers.
    ///
    /// A reader that has seen a number never finds a lower one later. An engine in which several
    /// transactions run at once may therefore hold the row back until its transaction ends;
    /// statements of the same transaction see it nevertheless.
    ///
    /// # Errors
    /// As [`Tx::execute`].
    fn append(&mut self, log: &'static AppendLog, params: &[Param<'_>]) -> Result<()>;

    /// Inserts a row that nothing in this transaction depends on.
    ///
    /// An engine to which each statement is a round trip may hold the row back and write many with
    /// one statement, at the latest when its transaction ends; statements of the same transaction
    /// see it nevertheless. So a constraint may be found broken late, and this is for rows whose
    /// ids are new and whose other columns were looked up.
    ///
    /// # Errors
    /// As [`Tx::execute`].
    fn insert(&mut self, rows: &'static InsertRows, params: &[Param<'_>]) -> Result<()> {
        self.execute(rows.insert, params).map(drop)
    }

    /// The next number of a row that counts, from 1: without gaps, and without repeats.
    ///
    /// Who asks for it waits for every transaction that has one and is not committed yet, so a
    /// [`ConcurrentJob`] asks in its last part.
    ///
    /// # Errors
    /// As [`Tx::execute`].
    fn next_number(&mut self, counter: &'static Counter, key: &str) -> Result<i64> {
        let mut next = None;
        self.query(counter.add, &[key.into(), 1_i64.into()], &mut |row| {
            next = row.int(0)?;
            Ok(())
        })?;
        next.ok_or_else(|| Error::internal(format!("no row from: {}", counter.add)))
    }

    /// Announces that this transaction changes an area, so that caches of it are forgotten once it
    /// is committed. Each write of a table of an area calls it; debug builds panic where it is
    /// missing.
    fn touch(&mut self, area: Area);

    /// As [`Tx::touch`], where this row is all that changes: caches that keep rows of the area read
    /// it anew and no other.
    fn touch_row(&mut self, area: Area, row: i64);

    /// Says that this transaction is to be counted, once it is committed.
    fn count(&mut self, metric: Metric) {
        let _: Metric = metric;
    }

    /// What this engine says in its own words.
    fn dialect(&self) -> &'static Dialect;
}

/// A table into which rows are inserted that may be held back, and how ([`Tx::insert`]).
#[derive(Debug)]
pub struct InsertRows {
    /// The table's name.
    pub table: &'static str,
    /// The statement that inserts a row. It ends with the row's values, in brackets.
    pub insert: &'static str,
}

/// A table to which rows are only ever appended, and how ([`Tx::append`]).
#[derive(Debug)]
pub struct AppendLog {
    /// The table's name.
    pub table: &'static str,
    /// The statement that appends a row. It ends with the row's values, in brackets.
    pub insert: &'static str,
}

impl dyn Tx + '_ {
    /// Runs a statement, however many rows it changes.
    ///
    /// # Errors
    /// As [`Tx::execute`].
    pub fn run(&mut self, sql: &str, params: &[Param<'_>]) -> Result<()> {
        self.execute(sql, params).map(drop)
    }

    /// Runs a statement that changes one row or, where its guard does not hold, none: whether it
    /// did.
    ///
    /// # Errors
    /// As [`Tx::execute`].
    pub fn changes(&mut self, sql: &str, params: &[Param<'_>]) -> Result<bool> {
        Ok(self.execute(sql, params)? == 1)
    }

    /// Whether a query has a row.
    ///
    /// # Errors
    /// As [`Tx::query`].
    pub fn exists(&mut self, sql: &str, params: &[Param<'_>]) -> Result<bool> {
        Ok(self.one(sql, params, |_| Ok(()))?.is_some())
    }

    /// All rows of a query.
    ///
    /// # Errors
    /// As [`Tx::query`].
    pub fn all<T>(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
        mut read: impl FnMut(&dyn Row) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut rows = Vec::new();
        self.query(sql, params, &mut |row| {
            rows.push(read(row)?);
            Ok(())
        })?;
        Ok(rows)
    }

    /// The first row of a query, if there is one.
    ///
    /// # Errors
    /// As [`Tx::query`].
    pub fn one<T>(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
        mut read: impl FnMut(&dyn Row) -> Result<T>,
    ) -> Result<Option<T>> {
        let mut first = None;
        self.query(sql, params, &mut |row| {
            if first.is_none() {
                first = Some(read(row)?);
            }
            Ok(())
        })?;
        Ok(first)
    }

    /// All rows of a query, each of which is a `T`.
    ///
    /// # Errors
    /// As [`Tx::query`].
    pub fn list<T: FromColumn>(&mut self, sql: &str, params: &[Param<'_>]) -> Result<Vec<T>> {
        self.all(sql, params, |row| row.get(0))
    }

    /// The first row of a query, if there is one, as a `T`.
    ///
    /// # Errors
    /// As [`Tx::query`].
    pub fn find<T: FromColumn>(&mut self, sql: &str, params: &[Param<'_>]) -> Result<Option<T>> {
        self.one(sql, params, |row| row.get(0))
    }

    /// The first column of a row that is always there, such as a `count(*)` or a `RETURNING`.
    ///
    /// # Errors
    /// As [`Tx::query`], and [`Error::Internal`] when there is no row.
    pub fn value<T: FromColumn>(&mut self, sql: &str, params: &[Param<'_>]) -> Result<T> {
        self.find(sql, params)?.ok_or_else(|| Error::internal(format!("no row from: {sql}")))
    }
}
