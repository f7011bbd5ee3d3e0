//! One connection to a database as it is: nothing is migrated and no thread is started. For what is
//! done to a shop's data as a whole.
//!
//! It blocks; use it off the async threads.

use std::path::Path;
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::migrate;
use super::open::Place;
use super::sqlite::{DIALECT, Sqlite, SqliteTx, engine_error};
use super::{Dialect, Tx};
use crate::error::{Error, Result};
use crate::private_file;

/// How long to wait for another process that writes to the file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// How many pages are copied before it is told how far it is.
const PAGES: i32 = 4096;

/// Tells how far it is: done, of how many.
pub(crate) type Progress<'p> = &'p mut dyn FnMut(u64, u64);

/// A connection.
pub(crate) struct Plain(Engine);

enum Engine {
    File(Connection),
    #[cfg(feature = "postgres")]
    Server(Box<super::postgres::plain::Plain>),
}

impl Plain {
    /// Opens what is there.
    pub(crate) fn open(place: &Place) -> Result<Self> {
        Ok(Self(match place {
            Place::File(path) => Engine::File(open_file(path)?),
            #[cfg(feature = "postgres")]
            Place::Server(url) => {
                Engine::Server(Box::new(super::postgres::plain::Plain::open(url)?))
            }
            #[cfg(not(feature = "postgres"))]
            Place::Server(_) => return Err(no_server()),
        }))
    }

    /// Runs a job on one snapshot. It cannot change anything.
    pub(crate) fn read<T>(&mut self, job: impl FnOnce(&mut dyn Tx) -> Result<T>) -> Result<T> {
        match &mut self.0 {
            Engine::File(conn) => read_file(conn, job),
            #[cfg(feature = "postgres")]
            Engine::Server(server) => server.read(job),
        }
    }

    /// Runs a job in one transaction in which triggers sleep: rows are taken over exactly as they
    /// are. What triggers would have made is for [`derive`].
    pub(crate) fn write_derived<T>(
        &mut self,
        job: impl FnOnce(&mut dyn Tx) -> Result<T>,
    ) -> Result<T> {
        match &mut self.0 {
            Engine::File(conn) => write_file(conn, job),
            #[cfg(feature = "postgres")]
            Engine::Server(server) => server.write_derived(job),
        }
    }

    /// The latest migration that ran, 0 where none did.
    pub(crate) fn schema_version(&mut self) -> Result<i64> {
        let notes = match &self.0 {
            Engine::File(_) => "SELECT count(*) FROM sqlite_schema WHERE name = 'schema_migration'",
            #[cfg(feature = "postgres")]
            Engine::Server(_) => {
                "SELECT count(*) FROM information_schema.tables
                 WHERE table_schema = current_schema() AND table_name = 'schema_migration'"
            }
        };
        self.read(|tx| {
            if tx.value::<i64>(notes, &[])? == 0 {
                return Ok(0);
            }
            tx.value("SELECT coalesce(max(version), 0) FROM schema_migration", &[])
        })
    }

    /// The file's figures; nothing where there is no file.
    pub(crate) fn file_figures(&self) -> Result<Option<FileFigures>> {
        match &self.0 {
            Engine::File(conn) => FileFigures::of(conn).map(Some),
            #[cfg(feature = "postgres")]
            Engine::Server(_) => Ok(None),
        }
    }

    /// What the engine says in its own words.
    pub(crate) fn dialect(&self) -> &'static Dialect {
        match &self.0 {
            Engine::File(_) => &DIALECT,
            #[cfg(feature = "postgres")]
            Engine::Server(_) => &super::postgres::DIALECT,
        }
    }
}

fn read_file<T>(conn: &Connection, job: impl FnOnce(&mut dyn Tx) -> Result<T>) -> Result<T> {
    conn.execute_batch("PRAGMA query_only = ON; BEGIN").map_err(engine_error)?;
    let outcome = job(&mut SqliteTx::new(conn));
    conn.execute_batch("COMMIT; PRAGMA query_only = OFF").map_err(engine_error)?;
    outcome
}

fn write_file<T>(conn: &Connection, job: impl FnOnce(&mut dyn Tx) -> Result<T>) -> Result<T> {
    let triggers = DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER;
    conn.set_db_config(triggers, false).map_err(engine_error)?;
    conn.execute_batch("BEGIN IMMEDIATE").map_err(engine_error)?;
    let outcome = job(&mut SqliteTx::new(conn));
    let end = if outcome.is_ok() { "COMMIT" } else { "ROLLBACK" };
    conn.execute_batch(end).map_err(engine_error)?;
    conn.set_db_config(triggers, true).map_err(engine_error)?;
    outcome
}

/// What a build without the other engine has to say to a URL.
#[cfg(not(feature = "postgres"))]
fn no_server() -> Error {
    Error::internal("this build only knows SQLite files as a database")
}

/// The migrations after a version, by number and name.
pub(crate) fn migrations_after(version: i64) -> Vec<(i64, &'static str)> {
    migrate::names().filter(|(number, _)| *number > version).collect()
}

/// Brings a database to the schema of this version; makes it where it is missing.
pub(crate) fn migrate(place: &Place) -> Result<()> {
    match place {
        Place::File(path) => Sqlite::open(path).map(drop),
        #[cfg(feature = "postgres")]
        Place::Server(url) => super::Postgres::open(url).map(drop),
        #[cfg(not(feature = "postgres"))]
        Place::Server(_) => Err(no_server()),
    }
}

/// The number of the latest migration that this version knows.
pub(crate) fn latest_version() -> i64 {
    migrate::names().last().map_or(0, |(version, _)| version)
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: String,
    /// A text, else a whole number; there is nothing else.
    pub(crate) is_text: bool,
}

/// The columns of a table, by their names.
pub(crate) fn columns(tx: &mut dyn Tx, table: &str) -> Result<Vec<Column>> {
    let sql = match tx.dialect().name {
        "sqlite" => "SELECT name, type FROM pragma_table_info($1) ORDER BY name",
        _ => {
            "SELECT CAST(column_name AS text) COLLATE \"C\" AS name, CAST(data_type AS text)
             FROM information_schema.columns
             WHERE table_schema = current_schema() AND table_name = CAST($1 AS text)
             ORDER BY name"
        }
    };
    tx.all(sql, &[table.into()], |row| {
        let kind: String = row.get(1)?;
        Ok(Column { name: row.get(0)?, is_text: kind.eq_ignore_ascii_case("text") })
    })
}

/// Makes anew what an engine derives from rows, in its own words.
pub(crate) fn derive(tx: &mut dyn Tx) -> Result<()> {
    if tx.dialect().name == "sqlite" {
        return DERIVED_BY_SQLITE.iter().try_for_each(|sql| tx.execute(sql, &[]).map(drop));
    }
    DERIVED_BY_POSTGRES.iter().try_for_each(|sql| tx.execute(sql, &[]).map(drop))?;
    // SQLite goes on from the greatest number by itself.
    let numbered = tx.all(
        "SELECT CAST(table_name AS text), CAST(column_name AS text) FROM information_schema.columns
         WHERE table_schema = current_schema() AND is_identity = 'YES'",
        &[],
        |row| Ok((row.get::<String>(0)?, row.get::<String>(1)?)),
    )?;
    for (table, column) in numbered {
        let go_on = format!(
            "SELECT setval(pg_get_serial_sequence('{table}', '{column}'),
               coalesce(max({column}), 1), max({column}) IS NOT NULL) FROM {table}"
        );
        tx.value::<i64>(&go_on, &[])?;
    }
    Ok(())
}

/// The full-text indexes, as migrations and triggers fill them.
const DERIVED_BY_SQLITE: &[&str] = &[
    "INSERT INTO product_search (rowid, name, description)
     SELECT pk, name, description FROM product WHERE active = 1",
    "INSERT INTO product_name_search (rowid, name) SELECT pk, name FROM product WHERE active = 1",
    "INSERT INTO product_any_name_search (rowid, name) SELECT pk, name FROM product",
    "INSERT INTO customer_search (rowid, name, email, state)
     SELECT e.pk, a.name, a.email, CASE a.active WHEN 1 THEN 'active' ELSE 'suspended' END
     FROM customer_entry e JOIN account a ON a.id = e.account_id",
];

const DERIVED_BY_POSTGRES: &[&str] = &[
    "INSERT INTO product_search (pk, name_words, words)
     SELECT pk, shop_words(name), shop_words(name || ' ' || description)
     FROM product WHERE active = 1",
    "INSERT INTO product_any_name_search (pk, words) SELECT pk, shop_words(name) FROM product",
    "INSERT INTO customer_search (pk, words)
     SELECT e.pk, customer_words(a.name, a.email, a.active)
     FROM customer_entry e JOIN account a ON a.id = e.account_id",
];

fn open_file(path: &Path) -> Result<Connection> {
    // Never made by looking at it.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags).map_err(engine_error)?;
    conn.busy_timeout(BUSY_TIMEOUT).map_err(engine_error)?;
    conn.execute_batch(
        "PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;
         PRAGMA cache_size = -16384;
         CREATE VIRTUAL TABLE temp.product_search_word USING fts5vocab(main, product_search, row);",
    )
    .map_err(engine_error)?;
    Ok(conn)
}

/// Copies a file, as it is at one instant, into another that is not there yet, while others write to
/// it. The copy is one file that needs no others beside it, and is on the disk.
///
/// The pages are copied as they are, free ones too: what reads them afterwards sees any damage that
/// the file has. The snapshot is held by a transaction on the connection that reads, so a commit of
/// somebody else does not make it begin again.
pub(crate) fn copy_file(from: &Path, to: &Path, progress: Progress<'_>) -> Result<()> {
    let source = open_file(from)?;
    source.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema").map_err(engine_error)?;
    private_file::ensure(to).map_err(Error::from_source)?;
    let mut target = Connection::open(to).map_err(engine_error)?;
    copy_pages(&source, &mut target, progress)?;
    source.execute_batch("COMMIT").map_err(engine_error)?;
    drop(target);
    settle(to)
}

/// Makes a file that nobody has open one that needs no others beside it, and brings it to the disk.
pub(crate) fn settle(file: &Path) -> Result<()> {
    let conn = Connection::open(file).map_err(engine_error)?;
    let alone = "PRAGMA synchronous = FULL; PRAGMA journal_mode = DELETE";
    conn.execute_batch(alone).map_err(engine_error)?;
    conn.close().map_err(|(_, error)| engine_error(error))?;
    sync(file)
}

fn copy_pages(source: &Connection, target: &mut Connection, progress: Progress<'_>) -> Result<()> {
    let copy = Backup::new(source, target).map_err(engine_error)?;
    loop {
        let step = copy.step(PAGES).map_err(engine_error)?;
        let at = copy.progress();
        let count = |pages: i32| u64::try_from(pages).unwrap_or(0);
        progress(count(at.pagecount - at.remaining), count(at.pagecount));
        match step {
            StepResult::Done => return Ok(()),
            StepResult::More => {}
            _ => return Err(Error::Busy { retry_after: Duration::from_secs(1) }),
        }
    }
}

/// What was written to a file, and that it is in its folder, outlives a power cut.
pub(crate) fn sync(file: &Path) -> Result<()> {
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    for path in [file, folder] {
        let synced = std::fs::File::open(path).and_then(|it| it.sync_all());
        synced.map_err(Error::from_source)?;
    }
    Ok(())
}

/// A file that nobody else has open, nor can open until this is dropped.
pub(crate) struct Exclusive(Connection);

impl Exclusive {
    /// Takes it, or `None` while somebody else has it open. Whoever has a file in SQLite's WAL mode
    /// open holds a lock on it all the time, also while he does nothing, and the mode can only be
    /// left by one who is alone; so SQLite itself tells, for any program, and no process that is
    /// gone can leave a lock behind.
    pub(crate) fn take(path: &Path) -> Result<Option<Self>> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let conn = Connection::open_with_flags(path, flags).map_err(engine_error)?;
        let alone = conn
            .execute_batch("PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL")
            .and_then(|()| {
                conn.query_row("PRAGMA journal_mode = DELETE", [], |row| row.get::<_, String>(0))
            })
            .and_then(|mode| {
                conn.execute_batch("BEGIN EXCLUSIVE; COMMIT")?;
                Ok(mode == "delete")
            });
        match alone.map_err(engine_error) {
            Ok(true) => Ok(Some(Self(conn))),
            Ok(false) | Err(Error::Busy { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Copies what it holds into a file that is not there yet.
    pub(crate) fn keep(&self, aside: &Path) -> Result<()> {
        private_file::ensure(aside).map_err(Error::from_source)?;
        let mut target = Connection::open(aside).map_err(engine_error)?;
        copy_pages(&self.0, &mut target, &mut |_, _| {})?;
        target.close().map_err(|(_, error)| engine_error(error))?;
        sync(aside)
    }

    /// Makes it hold what another file holds, in one transaction: whatever happens, it is the one
    /// or the other.
    pub(crate) fn become_copy_of(&mut self, other: &Path, progress: Progress<'_>) -> Result<()> {
        let source = open_file(other)?;
        copy_pages(&source, &mut self.0, progress)
    }
}

/// Figures of a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FileFigures {
    pub(crate) page_size: i64,
    pub(crate) pages: i64,
    pub(crate) free_pages: i64,
}

impl FileFigures {
    fn of(conn: &Connection) -> Result<Self> {
        let pragma = |name: &str| {
            conn.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0)).map_err(engine_error)
        };
        Ok(Self {
            page_size: pragma("page_size")?,
            pages: pragma("page_count")?,
            free_pages: pragma("freelist_count")?,
        })
    }
}
