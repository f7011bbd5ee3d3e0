//! Moving pages from SQLite's write-ahead log into the file, without the writer waiting for most of
//! it.
//!
//! SQLite would do it inside the commit that fills the log, while all who wait for that commit and
//! for the next ones stand still. Here a thread of its own copies what the log has, and then what
//! came in between; the writer goes on meanwhile, copies the little that is left, and SQLite begins
//! the log anew.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use rusqlite::Connection;

use super::sqlite::engine_error;
use super::sqlite_maintenance;
use super::workers::spawn;
use crate::error::Result;

/// How many pages the log has when it is copied: 40 MB, ten times SQLite's own choice, since what
/// is changed again and again is then copied once.
const PAGES: u32 = 10_000;

/// How often the thread copies what came in meanwhile, so that little is left to the writer:
/// copying and flushing what came in during one round holds it up for some 17 ms, after three for
/// some 4.
const ROUNDS: usize = 3;

thread_local! {
    /// How many pages the log had after the last commit of this thread.
    static LOGGED: Cell<u32> = const { Cell::new(0) };
}

/// When to copy the log, as the one writer sees it.
pub(super) struct Checkpoints {
    file: PathBuf,
    logged: u32,
    /// How many pages the log is to have before it is copied next.
    due_at: u32,
    running: Option<JoinHandle<()>>,
}

impl Checkpoints {
    /// Instead of SQLite's own checkpoints on this connection, which is to write on one thread
    /// only.
    pub(super) fn new(file: PathBuf, conn: &Connection) -> Self {
        conn.wal_hook(Some(|_, pages| {
            LOGGED.set(pages.unsigned_abs());
            Ok(())
        }));
        Self { file, logged: 0, due_at: PAGES, running: None }
    }

    /// To be called by the writer after each commit, when those who waited for it are answered.
    pub(super) fn after_commit(&mut self, conn: &Connection) {
        let logged = LOGGED.get();
        if logged < self.logged {
            self.due_at = PAGES;
        }
        self.logged = logged;
        match &self.running {
            Some(thread) if thread.is_finished() => {
                self.wait();
                note(copy(conn));
            }
            None if logged >= self.due_at => {
                // Until it begins anew: a reader may need it, or the disk may be full.
                self.due_at = logged + PAGES;
                let file = self.file.clone();
                self.running = spawn("shop-checkpoint", move || note(copy_beside(&file)))
                    .map_err(|error| tracing::warn!(%error, "no thread for a checkpoint"))
                    .ok();
            }
            Some(_) | None => {}
        }
    }

    fn wait(&mut self) {
        if let Some(thread) = self.running.take() {
            drop(thread.join());
        }
    }
}

impl Drop for Checkpoints {
    fn drop(&mut self) {
        self.wait();
    }
}

fn copy_beside(file: &Path) -> Result<()> {
    let conn = sqlite_maintenance::open(file)?;
    (0..ROUNDS).try_for_each(|_| copy(&conn))
}

/// Copies what no reader needs from the log, and waits for nobody.
fn copy(conn: &Connection) -> Result<()> {
    conn.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())).map_err(engine_error)
}

/// The log keeps what is not copied, and the next time it is copied with the rest.
fn note(copied: Result<()>) {
    if let Err(error) = copied {
        tracing::warn!(%error, "the write-ahead log could not be copied into the file");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_log_is_copied_and_begins_anew() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("shop.db");
        let conn = Connection::open(&file).expect("opens");
        let made = "PRAGMA journal_mode = WAL; CREATE TABLE a (b BLOB); PRAGMA synchronous = OFF";
        conn.execute_batch(made).expect("a table");
        let mut checkpoints = Checkpoints::new(file.clone(), &conn);
        let mut begun_anew = 0;
        for _ in 0..12 * PAGES / 4 {
            conn.execute("INSERT INTO a (b) VALUES (zeroblob(8000))", []).expect("inserted");
            let before = checkpoints.logged;
            checkpoints.after_commit(&conn);
            // However busy the machine is, the thread is done after some commits.
            while checkpoints.running.as_ref().is_some_and(|thread| !thread.is_finished()) {
                std::thread::yield_now();
            }
            assert!(checkpoints.logged < 2 * PAGES, "{} pages", checkpoints.logged);
            begun_anew += u32::from(checkpoints.logged < before);
        }
        drop(checkpoints);
        assert!(begun_anew >= 2, "{begun_anew} times");
        let count = |conn: &Connection| -> u32 {
            conn.query_row("SELECT count(*) FROM a", [], |row| row.get(0)).expect("counted")
        };
        assert_eq!(count(&sqlite_maintenance::open(&file).expect("opens")), 12 * PAGES / 4);
    }
}
