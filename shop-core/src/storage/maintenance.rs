//! One connection to a database as it is, for work on a shop's data as a whole: nothing is migrated
//! and no thread is started.
//!
//! It blocks; use it off the async threads.

use super::open::DatabaseUrl;
#[cfg(feature = "postgres")]
use super::postgres::maintenance as server;
#[cfg(feature = "sqlite")]
use super::sqlite_maintenance as file;
use super::{Dialect, Tx, migrate};
#[cfg(not(all(feature = "sqlite", feature = "postgres")))]
use crate::error::Error;
use crate::error::Result;

/// Is told the progress of something: how much is done, of how much.
pub(crate) type Progress<'p> = &'p mut dyn FnMut(u64, u64);

/// A connection that does maintenance.
pub(crate) struct Maintenance(Engine);

enum Engine {
    #[cfg(feature = "sqlite")]
    File(rusqlite::Connection),
    #[cfg(feature = "postgres")]
    Server(Box<server::Maintenance>),
}

impl Maintenance {
    /// Opens a database that exists.
    pub(crate) fn open(url: &DatabaseUrl) -> Result<Self> {
        match url {
            #[cfg(feature = "sqlite")]
            DatabaseUrl::File(path) => Ok(Self(Engine::File(file::open(path)?))),
            #[cfg(feature = "postgres")]
            DatabaseUrl::Server(url) => {
                Ok(Self(Engine::Server(Box::new(server::Maintenance::open(url)?))))
            }
            #[cfg(not(all(feature = "sqlite", feature = "postgres")))]
            _ => Err(unknown_engine()),
        }
    }

    /// Runs a job on one snapshot. It cannot change anything.
    pub(crate) fn read<T>(&mut self, job: impl FnOnce(&mut dyn Tx) -> Result<T>) -> Result<T> {
        match &mut self.0 {
            #[cfg(feature = "sqlite")]
            Engine::File(conn) => file::read(conn, job),
            #[cfg(feature = "postgres")]
            Engine::Server(server) => server.read(job),
        }
    }

    /// Runs a job in one transaction without triggers: rows are taken over exactly as they are, and
    /// the job makes what triggers would have made.
    pub(crate) fn write_derived<T>(
        &mut self,
        job: impl FnOnce(&mut dyn Tx) -> Result<T>,
    ) -> Result<T> {
        match &mut self.0 {
            #[cfg(feature = "sqlite")]
            Engine::File(conn) => file::write_derived(conn, job),
            #[cfg(feature = "postgres")]
            Engine::Server(server) => server.write_derived(job),
        }
    }

    /// The number of the latest migration that ran, 0 where none did.
    pub(crate) fn schema_version(&mut self) -> Result<i64> {
        let notes = match &self.0 {
            #[cfg(feature = "sqlite")]
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

    /// The sizes of the file; `None` for a server.
    #[cfg_attr(
        not(feature = "sqlite"),
        expect(clippy::unnecessary_wraps, reason = "a file can fail")
    )]
    pub(crate) fn file_figures(&self) -> Result<Option<FileFigures>> {
        match &self.0 {
            #[cfg(feature = "sqlite")]
            Engine::File(conn) => file::figures(conn).map(Some),
            #[cfg(feature = "postgres")]
            Engine::Server(_) => Ok(None),
        }
    }

    /// Prepares something for reads of this connection that only SQLite needs, in its `temp`
    /// schema.
    #[cfg(feature = "sqlite")]
    pub(crate) fn prepare_temp(&self, sqlite: &str) -> Result<()> {
        match &self.0 {
            Engine::File(conn) => conn.execute_batch(sqlite).map_err(super::sqlite::engine_error),
            #[cfg(feature = "postgres")]
            Engine::Server(_) => Ok(()),
        }
    }

    /// What the engine says in its own words.
    pub(crate) fn dialect(&self) -> &'static Dialect {
        match &self.0 {
            #[cfg(feature = "sqlite")]
            Engine::File(_) => &super::sqlite::DIALECT,
            #[cfg(feature = "postgres")]
            Engine::Server(_) => &super::postgres::DIALECT,
        }
    }
}

/// What a build says to the database of an engine that it was built without.
#[cfg(not(all(feature = "sqlite", feature = "postgres")))]
fn unknown_engine() -> Error {
    Error::internal("this build does not know this engine (cargo features sqlite, postgres)")
}

/// The migrations after a version, by number and name.
pub(crate) fn migrations_after(version: i64) -> Vec<(i64, &'static str)> {
    migrate::names().filter(|(number, _)| *number > version).collect()
}

/// Brings a database to the schema of this version; creates it where it is missing.
pub(crate) fn migrate(url: &DatabaseUrl) -> Result<()> {
    match url {
        #[cfg(feature = "sqlite")]
        DatabaseUrl::File(path) => super::Sqlite::open(path).map(drop),
        #[cfg(feature = "postgres")]
        DatabaseUrl::Server(url) => super::Postgres::open(url).map(drop),
        #[cfg(not(all(feature = "sqlite", feature = "postgres")))]
        _ => Err(unknown_engine()),
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
    /// Whether it holds text; every other column holds whole numbers.
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

/// Sizes of a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FileFigures {
    pub(crate) page_size: i64,
    pub(crate) pages: i64,
    pub(crate) free_pages: i64,
}
