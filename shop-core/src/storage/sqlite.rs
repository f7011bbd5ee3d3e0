//! SQLite: one file, one writer thread, a pool of readers.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender};
use futures_util::future::BoxFuture;
use r2d2_sqlite::SqliteConnectionManager;
use rusqlite::config::DbConfig;
use rusqlite::{CachedStatement, Connection, ErrorCode, OpenFlags, TransactionBehavior};

use super::generation::Touched;
use super::migrate::{self, Step};
use super::sqlite_file::{
    self, APPLICATION_ID, at_opening, is_busy, switch_to_wal, wait_for_others,
};
use super::sqlite_row::SqliteRow;
use super::sqlite_steps::StepLimit;
use super::workers::{POOL_THREADS, QUEUE_LENGTH, Work, enqueue, spawn};
use super::writer::Writer;
use super::{
    AppendLog, Area, Dialect, Generations, Job, Lane, Metric, Param, ReadCost, Row, SearchWord,
    Storage, StorageFigures, Tx,
};
use crate::error::{Error, Result};
use crate::private_file;

type Pool = r2d2::Pool<SqliteConnectionManager>;

/// Threads for reads that may take long, at most one a connection.
const READER_THREADS: u32 = 2;
/// Connections for readers: those of the reader threads, and others for bounded reads that run on
/// their callers' threads.
const READ_CONNECTIONS: u32 = 8;

pub(super) static DIALECT: Dialect = Dialect {
    name: "sqlite",
    is_remote: false,
    types: &[("{int}", "INTEGER"), ("{serial}", "INTEGER PRIMARY KEY"), ("{end}", "STRICT")],
    next_id,
    text_search,
    search_pattern,
    state_pattern,
};

fn next_id(table: &str) -> String {
    format!("(SELECT coalesce(max(id), 0) + 1 FROM {table})")
}

fn text_search(index: &str) -> String {
    format!("SELECT rowid AS pk FROM {index} WHERE {index} MATCH $1 ORDER BY rowid DESC")
}

fn state_pattern(words: &[SearchWord], state: Option<&str>) -> String {
    let words = format!("- {{state}} : ({})", search_pattern(words));
    match state {
        None => words,
        Some(state) => format!("{words} AND state : {state}"),
    }
}

fn search_pattern(words: &[SearchWord]) -> String {
    let quoted = |word: &str| format!("\"{}\"", word.replace('"', "\"\""));
    SearchWord::join(words, quoted, "*", " OR ", " AND ")
}

/// The SQLite engine: one file of data, durable against power cuts (`synchronous=FULL`).
///
/// Several processes may open the same file; a commit of another one is noticed within a second.
pub struct Sqlite {
    pool: Pool,
    /// The path of the write-ahead log.
    log: PathBuf,
    reads: Option<Sender<Work>>,
    writes: Option<Sender<Work>>,
    generations: Arc<Generations>,
    threads: Vec<JoinHandle<()>>,
}

opaque! { Sqlite; }

impl Sqlite {
    /// Opens the file, creates it where it is missing, and brings its schema up to date.
    ///
    /// Blocks for as long as the migrations take; call it off the async threads.
    ///
    /// # Errors
    /// [`Error::Unusable`] when the file can be neither made nor written, is damaged, another
    /// program's or locked by one, or was written by a newer version of this library; it names the
    /// file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(path, READ_CONNECTIONS)
    }

    /// As [`Sqlite::open`], with so many connections for reads (8 elsewhere, at least 1): a program
    /// with many files open needs few for each, since every one takes two file descriptors and
    /// memory.
    ///
    /// # Errors
    /// As [`Sqlite::open`].
    pub fn open_with(path: impl AsRef<Path>, read_connections: u32) -> Result<Self> {
        let path = path.as_ref();
        let opened = Self::open_file(path.to_owned(), read_connections.max(1));
        opened.map_err(|error| sqlite_file::unusable(path, error))
    }

    fn open_file(path: PathBuf, read_connections: u32) -> Result<Self> {
        switch_off_memory_statistics();
        let conn = connect(&path)?;
        sqlite_file::refuse_foreign_tables(&conn)?;
        sqlite_file::close_to_others(&path);
        let mut conn = set_up(conn).map_err(at_opening)?;
        run_migrations(&mut conn)?;
        let generations = Arc::new(Generations::default());
        let log = sqlite_file::wal(&path);
        let pool = open_pool(&path, read_connections);
        let (writes, jobs) = crossbeam_channel::bounded(QUEUE_LENGTH);
        let (reads, read_queue) = crossbeam_channel::bounded(QUEUE_LENGTH);
        let worker = Writer::new(path, conn, jobs, Arc::clone(&generations))?;
        let mut threads = vec![spawn("shop-writer", move || worker.run())?];
        for _ in 0..READER_THREADS.min(read_connections) {
            let (pool, queue) = (pool.clone(), read_queue.clone());
            threads.push(spawn("shop-reader", move || run_reader(&pool, &queue))?);
        }
        let (reads, writes) = (Some(reads), Some(writes));
        Ok(Self { pool, log, reads, writes, generations, threads })
    }
}

/// Runs what is to be run, in one transaction.
fn run_migrations(conn: &mut Connection) -> Result<()> {
    // Taken at once: two processes that open a new file at the same time must not both migrate.
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate).map_err(at_opening)?;
    tx.execute_batch(&DIALECT.fill_in(migrate::NOTES)).map_err(at_opening)?;
    let marked: u32 =
        tx.query_row("PRAGMA application_id", [], |row| row.get(0)).map_err(at_opening)?;
    if marked != APPLICATION_ID {
        tx.pragma_update(None, "application_id", APPLICATION_ID).map_err(at_opening)?;
    }
    let applied = tx
        .query_row("SELECT coalesce(max(version), 0) FROM schema_migration", [], |row| row.get(0))
        .map_err(at_opening)?;
    for Step { version, name, sql } in migrate::pending(applied, &DIALECT)? {
        tx.execute_batch(&sql).map_err(at_opening)?;
        tx.execute("INSERT INTO schema_migration (version, name) VALUES (?1, ?2)", (version, name))
            .map_err(at_opening)?;
        migrate::log(applied, version, name);
    }
    tx.commit().map_err(at_opening)
}

impl Drop for Sqlite {
    /// Finishes what is queued, so that a program that ends leaves a settled file behind.
    fn drop(&mut self) {
        self.reads = None;
        self.writes = None;
        for thread in self.threads.drain(..) {
            if thread.thread().id() != std::thread::current().id() {
                drop(thread.join());
            }
        }
    }
}

impl Storage for Sqlite {
    fn read(&self, name: &'static str, cost: ReadCost, mut job: Job) -> BoxFuture<'_, Result<()>> {
        if cost == ReadCost::Bounded
            && let Some(conn) = self.pool.try_get()
            && let Some(outcome) = run_bounded(&conn, name, &mut job)
        {
            return Box::pin(std::future::ready(outcome_of(outcome)));
        }
        enqueue(self.reads.as_ref(), name, job)
    }

    fn write(&self, _: Lane, name: &'static str, job: Job) -> BoxFuture<'_, Result<()>> {
        enqueue(self.writes.as_ref(), name, job)
    }

    fn generations(&self) -> &Generations {
        &self.generations
    }

    fn figures(&self) -> StorageFigures {
        let waiting = |queue: &Option<Sender<Work>>| queue.as_ref().map_or(0, Sender::len);
        // A file that is not there, or cannot be looked at, holds nothing that waits.
        let wal_bytes = std::fs::metadata(&self.log).map_or(0, |file| file.len());
        StorageFigures {
            queues: vec![("writes", waiting(&self.writes)), ("reads", waiting(&self.reads))],
            wal_bytes,
            ..self.generations.figures()
        }
    }
}

fn run_reader(pool: &Pool, queue: &Receiver<Work>) {
    for mut read in queue {
        let outcome = match pool.get() {
            Ok(conn) => run_read(&conn, read.name, &mut read.job),
            Err(error) => Err(Error::from_source(error)),
        };
        drop(read.done.send(outcome_of(outcome)));
    }
}

/// Runs a job on one snapshot.
fn run_read(
    conn: &Connection,
    name: &'static str,
    job: impl FnOnce(&mut dyn Tx) -> Result<()>,
) -> Result<()> {
    let run = |sql| conn.prepare_cached(sql).and_then(|mut s| s.execute([])).map_err(engine_error);
    run("BEGIN")?;
    let outcome = catch_unwind(AssertUnwindSafe(|| job(&mut SqliteTx::new(conn))))
        .unwrap_or_else(|_| Err(Error::internal(format!("{name} panicked"))));
    // After an I/O error there is no transaction any more.
    if conn.is_autocommit() {
        return outcome.and_then(|()| Err(Error::internal("the transaction was rolled back")));
    }
    run("COMMIT")?;
    outcome
}

/// As [`run_read`], on the caller's thread; `None` when the job takes too long for that.
fn run_bounded(conn: &Connection, name: &'static str, job: &mut Job) -> Option<Result<()>> {
    let mut exceeded = false;
    let outcome = run_read(conn, name, |tx| {
        let limit = StepLimit::new(conn)?;
        let outcome = job(tx);
        exceeded = limit.is_exceeded();
        outcome
    });
    (!exceeded).then_some(outcome)
}

/// By default SQLite counts every allocation under one global lock, which readers then share.
fn switch_off_memory_statistics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: takes one int by value. Called before the first connection of this library; if
        // the embedding program opened SQLite earlier, it answers SQLITE_MISUSE and does nothing.
        #[expect(unsafe_code, reason = "rusqlite has no safe form of sqlite3_config")]
        let status =
            unsafe { rusqlite::ffi::sqlite3_config(rusqlite::ffi::SQLITE_CONFIG_MEMSTATUS, 0_i32) };
        tracing::debug!(status, "SQLite memory statistics switched off");
    });
}

/// What readers and the writer have in common.
fn prepare(conn: &Connection) -> rusqlite::Result<()> {
    conn.busy_handler(Some(wait_for_others))?;
    conn.set_prepared_statement_cache_capacity(256);
    // Without the planner's stability guarantee SQLite prepares a statement anew whenever a bound
    // `LIMIT $n` gets a value, which made a list page cost half as much again.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map(drop)
}

/// Opens the file, and makes it where it is missing. One that is there stays as it is, for it may
/// be another program's.
fn connect(path: &Path) -> Result<Connection> {
    sqlite_file::inspect(path).map_err(Error::internal)?;
    private_file::ensure(path).map_err(|error| {
        Error::internal(format!("the file can be neither made nor written: {error}"))
    })?;
    let conn = sqlite_file::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(at_opening)?;
    prepare(&conn).map_err(at_opening)?;
    Ok(conn)
}

/// Makes of a connection to a shop's file the one that writes.
fn set_up(conn: Connection) -> rusqlite::Result<Connection> {
    switch_to_wal(&conn)?;
    conn.execute_batch(
        "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;
         PRAGMA cache_size = -16384;",
    )?;
    Ok(conn)
}

fn open_pool(path: &Path, connections: u32) -> Pool {
    let manager = SqliteConnectionManager::file(sqlite_file::plain(path)).with_init(|conn| {
        prepare(conn)?;
        conn.execute_batch(
            "PRAGMA query_only = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -4096;",
        )
    });
    r2d2::Pool::builder()
        .max_size(connections)
        // Each reads the whole schema: one is opened when a reader needs it.
        .min_idle(Some(0))
        .thread_pool(Arc::clone(&POOL_THREADS))
        .test_on_check_out(false)
        .idle_timeout(None)
        .max_lifetime(None)
        .error_handler(Box::new(LogPoolError))
        .build_unchecked(manager)
}

#[derive(Debug)]
struct LogPoolError;

impl<E: std::error::Error> r2d2::HandleError<E> for LogPoolError {
    fn handle_error(&self, error: E) {
        tracing::error!(%error, "cannot open a read connection");
    }
}

/// Errors of the engine: a file that others hold too long is [`Error::Busy`], the rest internal.
pub(super) fn engine_error(error: rusqlite::Error) -> Error {
    if is_busy(&error) { Error::busy() } else { Error::from_source(error) }
}

/// What a job's error says where the machine below the engine is its cause: a disk that is full or
/// fails. It goes by the engine's own error, wherever in the job it came up.
pub(super) fn outcome_of(outcome: Result<()>) -> Result<()> {
    let Err(Error::Internal(source)) = &outcome else { return outcome };
    let code = source.downcast_ref().and_then(rusqlite::Error::sqlite_error_code);
    match code {
        Some(ErrorCode::DiskFull | ErrorCode::SystemIoFailure | ErrorCode::CannotOpen) => {
            Err(Error::storage_unavailable(Arc::clone(source)))
        }
        _ => outcome,
    }
}

/// A transaction on one connection. Statements are prepared once a connection and kept.
pub(super) struct SqliteTx<'c> {
    conn: &'c Connection,
    touched: Touched,
}

impl<'c> SqliteTx<'c> {
    pub(super) fn new(conn: &'c Connection) -> Self {
        Self { conn, touched: Touched::default() }
    }

    pub(super) fn into_touched(self) -> Touched {
        self.touched
    }

    fn prepare(&self, sql: &str) -> Result<CachedStatement<'c>> {
        let statement = self.conn.prepare_cached(sql).map_err(engine_error)?;
        debug_assert!(numbered_by_first_use(&statement), "parameters out of order in: {sql}");
        Ok(statement)
    }
}

/// SQLite numbers `$n` by first appearance, PostgreSQL by the number itself; both agree only when
/// the numbers ascend in the order of first use.
fn numbered_by_first_use(statement: &CachedStatement<'_>) -> bool {
    (1..=statement.parameter_count())
        .all(|i| statement.parameter_name(i) == Some(format!("${i}").as_str()))
}

impl Tx for SqliteTx<'_> {
    fn execute(&mut self, sql: &str, params: &[Param<'_>]) -> Result<usize> {
        let mut statement = self.prepare(sql)?;
        statement.execute(rusqlite::params_from_iter(params)).map_err(engine_error)
    }

    fn query(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
        each: &mut dyn FnMut(&dyn Row) -> Result<()>,
    ) -> Result<()> {
        let mut statement = self.prepare(sql)?;
        let mut rows = statement.query(rusqlite::params_from_iter(params)).map_err(engine_error)?;
        while let Some(row) = rows.next().map_err(engine_error)? {
            each(&SqliteRow(row))?;
        }
        Ok(())
    }

    /// There is one writer, so numbers are visible in their order anyway.
    fn append(&mut self, log: &'static AppendLog, params: &[Param<'_>]) -> Result<()> {
        self.execute(log.insert, params).map(drop)
    }

    fn touch(&mut self, area: Area) {
        self.touched.note(area);
    }

    fn touch_row(&mut self, area: Area, row: i64) {
        self.touched.note_row(area, row);
    }

    fn count(&mut self, metric: Metric) {
        self.touched.count(metric);
    }

    fn dialect(&self) -> &'static Dialect {
        &DIALECT
    }
}
