//! Whether a file is a shop's, told in words before SQLite is asked to open it, and how it is
//! shared with other processes.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::ffi::SQLITE_IOERR_SHMSIZE;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::sqlite::engine_error;
use crate::error::{Error, Result};
use crate::private_file;

/// Stands in the header of every shop's file: "SHOP". Files of earlier versions have none.
pub(crate) const APPLICATION_ID: u32 = 0x5348_4F50;

/// How long to wait for another process that writes to the file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// How often to look whether it is done.
const BUSY_PAUSE: Duration = Duration::from_millis(1);

const MAGIC: &[u8] = b"SQLite format 3\0";
const HEADER: usize = 100;
const LOG_MAGIC: u32 = 0x377f_0683;
const WHAT_TO_DO: &str = "name another file as database, or put a backup in its place \
                          (shop-cli db restore)";

/// Connects to the file of this path, whatever its name begins with.
pub(super) fn connect(path: &Path, mode: OpenFlags) -> rusqlite::Result<Connection> {
    Connection::open_with_flags(plain(path), mode | OpenFlags::SQLITE_OPEN_NO_MUTEX)
}

/// The path as SQLite takes it for nothing else. Without the dot, `:memory:` is no file and `file:`
/// the beginning of a URI, also without `SQLITE_OPEN_URI`, since it is compiled with
/// `SQLITE_USE_URI`.
pub(super) fn plain(path: &Path) -> PathBuf {
    Path::new(".").join(path)
}

/// Waits a moment for another process, unless it has taken too long already. SQLite's own way
/// pauses for up to a tenth of a second, and then loses again to a process that writes most of the
/// time.
pub(super) fn wait_for_others(tries: i32) -> bool {
    let waited = BUSY_PAUSE.saturating_mul(u32::try_from(tries).unwrap_or_default());
    if waited >= BUSY_TIMEOUT {
        return false;
    }
    std::thread::sleep(BUSY_PAUSE);
    true
}

/// Of several processes that open a new file at once, one switches it; SQLite answers the others
/// that it is busy without waiting, whatever the time-out.
pub(super) fn switch_to_wal(conn: &Connection) -> rusqlite::Result<()> {
    let start = Instant::now();
    loop {
        match conn.execute_batch("PRAGMA journal_mode = WAL") {
            Err(error) if is_busy(&error) && start.elapsed() < BUSY_TIMEOUT => {
                std::thread::sleep(Duration::from_millis(5));
            }
            outcome => return outcome,
        }
    }
}

pub(super) fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Looks at the header of a file. One that is missing or empty is good: a shop is made in it.
///
/// # Errors
/// What the file is instead, and what to do.
pub(crate) fn inspect(path: &Path) -> Result<(), String> {
    let cannot_be_read = |error: io::Error| format!("the file cannot be read: {error}");
    // Before it is opened, for a pipe's open waits until somebody writes.
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(cannot_be_read(error)),
    };
    if metadata.is_dir() {
        return Err("it is a folder: name a file in it as database".to_owned());
    }
    if !metadata.is_file() {
        return Err(
            "it is no regular file, but a device, a pipe or a socket: name another file as \
                    database"
                .to_owned(),
        );
    }
    let file = File::open(path).map_err(cannot_be_read)?;
    let mut header = Vec::with_capacity(HEADER);
    let limit = u64::try_from(HEADER).unwrap_or(u64::MAX);
    file.take(limit).read_to_end(&mut header).map_err(cannot_be_read)?;
    if header.is_empty() {
        return Ok(());
    }
    if header.len() < HEADER || !header.starts_with(MAGIC) {
        // Where the power ended a checkpoint any page of the file may be half written, the first
        // one too; SQLite takes them from the log.
        if has_log(path) {
            return Ok(());
        }
        return Err(format!("the file is no SQLite database: {WHAT_TO_DO}"));
    }
    let application = word(&header, 68);
    if application != 0 && application != APPLICATION_ID {
        return Err(format!(
            "the file is another program's database (application id {application:#010x}): \
             {WHAT_TO_DO}"
        ));
    }
    match missing_bytes(path, &header, metadata.len()) {
        0 => Ok(()),
        missing => Err(format!("the file is cut off, {missing} bytes are missing: {WHAT_TO_DO}")),
    }
}

/// A number of the header.
fn word(header: &[u8], at: usize) -> u32 {
    let bytes = header.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
    u32::from_be_bytes(bytes.unwrap_or_default())
}

/// Whether a log of SQLite stands beside the file, which holds what is not in it yet.
fn has_log(path: &Path) -> bool {
    let mut begin = [0; 4];
    let read = File::open(wal(path)).and_then(|mut log| log.read_exact(&mut begin));
    // Its last bit says in which order the bytes of its checksums stand.
    read.is_ok() && u32::from_be_bytes(begin) | 1 == LOG_MAGIC
}

/// How much shorter the file is than its header says.
fn missing_bytes(path: &Path, header: &[u8], length: u64) -> u64 {
    // The page count only holds where the two counters agree.
    if has_log(path) || word(header, 24) != word(header, 92) {
        return 0;
    }
    let page_size = match word(header, 16) >> 16 {
        1 => 65_536,
        size => u64::from(size),
    };
    (page_size * u64::from(word(header, 28))).saturating_sub(length)
}

/// The path of the write-ahead log.
pub(super) fn wal(path: &Path) -> PathBuf {
    beside(path, "-wal")
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Takes other users' rights off a file and what SQLite keeps beside it, which it makes with the
/// rights that the file has at that moment.
pub(super) fn close_to_others(path: &Path) {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        private_file::close_to_others(&beside(path, suffix));
    }
}

/// Refuses tables of another program, which has no mark of its own.
pub(super) fn refuse_foreign_tables(conn: &Connection) -> Result<()> {
    let count = |which: &str| -> rusqlite::Result<i64> {
        let sql = format!("SELECT count(*) FROM sqlite_schema WHERE type = 'table' {which}");
        conn.query_row(&sql, [], |row| row.get(0))
    };
    let notes = count("AND name = 'schema_migration'").map_err(at_opening)?;
    let others = count("AND name NOT LIKE 'sqlite_%'").map_err(at_opening)?;
    if notes == 0 && others > 0 {
        let tables = if others == 1 { "1 table" } else { &format!("{others} tables") };
        let why = format!("the file holds {tables} of another program: {WHAT_TO_DO}");
        return Err(Error::internal(why));
    }
    Ok(())
}

/// Whether SQLite can neither open nor make the log beside a file that can be read, as on a disk or
/// in a folder that cannot be written, or where the log is another user's.
pub(crate) fn lacks_log(error: &Error) -> bool {
    let Error::Internal(source) = error else { return false };
    let code = source.downcast_ref().and_then(rusqlite::Error::sqlite_error_code);
    matches!(code, Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen))
}

/// Why no shop can be opened in a file: what the file is, or what the machine says of it. An error
/// of the engine at its work stays as it is.
pub(super) fn unusable(path: &Path, error: Error) -> Error {
    match error {
        Error::Internal(source) if !source.is::<rusqlite::Error>() => {
            let what = format!("the database {} cannot be used: {source}", path.display());
            Error::Unusable { what, source }
        }
        other => other,
    }
}

/// An error of the engine on a file that is being opened, in words for who opens it.
pub(super) fn at_opening(error: rusqlite::Error) -> Error {
    let Some(cause) = error.sqlite_error() else { return engine_error(error) };
    let why = match cause.code {
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => damage(&error),
        ErrorCode::ReadOnly | ErrorCode::CannotOpen => format!(
            "SQLite cannot write the file, or not the log beside it ({error}): the shop must be \
             allowed to write both the file and its folder"
        ),
        // The index of the log is made long enough before it is used.
        _ if cause.code == ErrorCode::DiskFull || cause.extended_code == SQLITE_IOERR_SHMSIZE => {
            format!("there is no room on the disk of the file ({error}): make room and try again")
        }
        ErrorCode::SystemIoFailure => format!("the disk of the file fails, or is full ({error})"),
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => format!(
            "another program has the file locked, and has not let go of it for {} seconds ({error}): \
             end that program, or wait until it is done",
            BUSY_TIMEOUT.as_secs()
        ),
        _ => return engine_error(error),
    };
    Error::internal(why)
}

/// What is said of a file whose pages cannot be read, and the way on.
pub(crate) fn damage(error: &dyn std::fmt::Display) -> String {
    format!(
        "the file is damaged ({error}), so that neither a shop nor `db check` can read it: the way back \
         is a backup (shop-cli db restore)"
    )
}

#[cfg(test)]
mod tests {
    use rusqlite::ffi;

    use super::*;

    #[test]
    fn a_log_that_cannot_be_made_is_told_from_a_disk_that_fails() {
        let failed =
            |code| engine_error(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None));
        assert!(lacks_log(&failed(ffi::SQLITE_READONLY_DIRECTORY)));
        assert!(lacks_log(&failed(ffi::SQLITE_CANTOPEN)));
        assert!(!lacks_log(&failed(ffi::SQLITE_IOERR_READ)));
    }

    #[test]
    fn what_keeps_a_file_from_being_opened_is_told_in_words() {
        let told = |code| {
            let error = at_opening(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None));
            unusable(Path::new("shop.db"), error).to_string()
        };
        for (code, words) in [
            (ffi::SQLITE_FULL, "no room on the disk"),
            (ffi::SQLITE_IOERR_SHMSIZE, "no room on the disk"),
            (ffi::SQLITE_IOERR_WRITE, "the disk of the file fails"),
            (ffi::SQLITE_BUSY, "another program has the file locked"),
            (ffi::SQLITE_CORRUPT, "the way back is a backup"),
        ] {
            let told = told(code);
            assert!(told.contains("shop.db") && told.contains(words), "{told}");
        }
    }
}
