//! Work on a SQLite file as a whole: a connection as it is, copies, and taking it for oneself.

use std::path::Path;
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, ffi};

use super::Tx;
use super::maintenance::{FileFigures, Progress};
use super::sqlite::{SqliteTx, engine_error};
use super::sqlite_file::connect;
use crate::error::{Error, Result};
use crate::private_file;

/// How long to wait for another process that writes to the file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// How many pages are copied between two reports of the progress.
const PAGES: i32 = 4096;

/// Runs a job on one snapshot. It cannot change anything.
pub(super) fn read<T>(conn: &Connection, job: impl FnOnce(&mut dyn Tx) -> Result<T>) -> Result<T> {
    conn.execute_batch("PRAGMA query_only = ON; BEGIN").map_err(engine_error)?;
    let outcome = job(&mut SqliteTx::new(conn));
    // Nothing was written. A commit would ask the full-text indexes once more, and of a damaged
    // file fail with what the job has found and told.
    let end = if conn.is_autocommit() { "" } else { "ROLLBACK; " };
    conn.execute_batch(&format!("{end}PRAGMA query_only = OFF")).map_err(engine_error)?;
    outcome
}

/// Runs a job in one transaction without triggers.
pub(super) fn write_derived<T>(
    conn: &Connection,
    job: impl FnOnce(&mut dyn Tx) -> Result<T>,
) -> Result<T> {
    let triggers = DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER;
    conn.set_db_config(triggers, false).map_err(engine_error)?;
    conn.execute_batch("BEGIN IMMEDIATE").map_err(engine_error)?;
    let outcome = job(&mut SqliteTx::new(conn));
    let end = if outcome.is_ok() { "COMMIT" } else { "ROLLBACK" };
    conn.execute_batch(end).map_err(engine_error)?;
    conn.set_db_config(triggers, true).map_err(engine_error)?;
    outcome
}

/// Opens a file that exists.
pub(super) fn open(path: &Path) -> Result<Connection> {
    // Never made by looking at it.
    let conn = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(engine_error)?;
    conn.busy_timeout(BUSY_TIMEOUT).map_err(engine_error)?;
    conn.execute_batch(
        "PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;
         PRAGMA cache_size = -16384;",
    )
    .map_err(engine_error)?;
    Ok(conn)
}

/// Copies a file, as it is at one instant, into another that is not there yet, while others write
/// to it. The copy is one file that needs no others beside it, and is on the disk.
///
/// The pages are copied as they are, free ones too: what reads them afterwards sees any damage that
/// the file has. The snapshot is held by a transaction on the connection that reads, so a commit of
/// another process does not make it begin again.
pub(crate) fn copy_file(from: &Path, to: &Path, progress: Progress<'_>) -> Result<(), CopyError> {
    let source = open(from).map_err(CopyError::From)?;
    let of_source = |error| CopyError::From(engine_error(error));
    source.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema").map_err(of_source)?;
    let mut target = make(to).map_err(CopyError::To)?;
    copy_pages(&source, &mut target, progress)?;
    source.execute_batch("COMMIT").map_err(of_source)?;
    drop(target);
    settle(to).map_err(CopyError::To)
}

/// Opens a file that only the shop's own user may read, and makes it where it is missing.
fn make(file: &Path) -> Result<Connection> {
    private_file::ensure(file).map_err(Error::from_source)?;
    connect(file, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(engine_error)
}

/// Which of two files is the cause that one could not be copied into the other, and why.
#[derive(Debug)]
pub(crate) enum CopyError {
    From(Error),
    To(Error),
}

impl CopyError {
    /// SQLite does not say which file it means. One is only read, the other only written.
    fn of(error: rusqlite::Error) -> Self {
        let is_read = error.sqlite_error().is_some_and(|error| {
            [ffi::SQLITE_IOERR_READ, ffi::SQLITE_IOERR_SHORT_READ].contains(&error.extended_code)
        });
        let error = engine_error(error);
        if is_read || is_damage(&error) { Self::From(error) } else { Self::To(error) }
    }
}

/// Whether a file is no database, or one that is damaged.
pub(crate) fn is_damage(error: &Error) -> bool {
    is_corrupt(error) || code_of(error) == Some(ErrorCode::NotADatabase)
}

/// Whether a file is a database that is damaged.
pub(crate) fn is_corrupt(error: &Error) -> bool {
    code_of(error) == Some(ErrorCode::DatabaseCorrupt)
}

fn code_of(error: &Error) -> Option<ErrorCode> {
    let Error::Internal(source) = error else { return None };
    source.downcast_ref().and_then(rusqlite::Error::sqlite_error_code)
}

/// Makes a file that no process has open one that needs no others beside it, and brings it to the
/// disk.
pub(crate) fn settle(file: &Path) -> Result<()> {
    let conn = connect(file, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(engine_error)?;
    let alone = "PRAGMA synchronous = FULL; PRAGMA journal_mode = DELETE";
    conn.execute_batch(alone).map_err(engine_error)?;
    conn.close().map_err(|(_, error)| engine_error(error))?;
    sync(file)
}

fn copy_pages(
    source: &Connection,
    target: &mut Connection,
    progress: Progress<'_>,
) -> Result<(), CopyError> {
    let copy = Backup::new(source, target).map_err(CopyError::of)?;
    loop {
        let step = copy.step(PAGES).map_err(CopyError::of)?;
        let at = copy.progress();
        let count = |pages: i32| u64::try_from(pages).unwrap_or(0);
        progress(count(at.pagecount - at.remaining), count(at.pagecount));
        match step {
            StepResult::Done => return Ok(()),
            StepResult::More => {}
            _ => return Err(CopyError::To(Error::busy())),
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

/// A file that no other process has open, nor can open until this is dropped.
pub(crate) struct Exclusive(Connection);

impl Exclusive {
    /// Takes it, or `None` while another process has it open. A process that has a file in SQLite's
    /// WAL mode open holds a lock on it all the time, also while idle, and the mode can only be
    /// left by a process that is the only one; so SQLite itself tells, for any program, and no
    /// process that is gone can leave a lock behind.
    pub(crate) fn take(path: &Path) -> Result<Option<Self>> {
        let conn = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(engine_error)?;
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
    pub(crate) fn keep(&self, aside: &Path) -> Result<(), CopyError> {
        let mut target = make(aside).map_err(CopyError::To)?;
        copy_pages(&self.0, &mut target, &mut |_, _| {})?;
        target.close().map_err(|(_, error)| CopyError::To(engine_error(error)))?;
        sync(aside).map_err(CopyError::To)
    }

    /// Makes it hold what another file holds, in one transaction: whatever happens, it is the one
    /// or the other.
    pub(crate) fn become_copy_of(
        &mut self,
        other: &Path,
        progress: Progress<'_>,
    ) -> Result<(), CopyError> {
        let source = open(other).map_err(CopyError::From)?;
        copy_pages(&source, &mut self.0, progress)
    }
}

/// The sizes of a file.
pub(super) fn figures(conn: &Connection) -> Result<FileFigures> {
    let pragma = |name: &str| {
        conn.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0)).map_err(engine_error)
    };
    Ok(FileFigures {
        page_size: pragma("page_size")?,
        pages: pragma("page_count")?,
        free_pages: pragma("freelist_count")?,
    })
}
