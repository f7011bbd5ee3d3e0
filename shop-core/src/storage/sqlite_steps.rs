//! How long a read may hold its caller's thread, counted by SQLite itself. Of a job with very many
//! statements their preparation is not counted; such a job is no bounded read.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::Connection;

use super::sqlite::engine_error;
use crate::error::Result;

/// Steps of SQLite's virtual machine after which a bounded read is stopped. A page of 24 products
/// takes some 1,400, and 3 more for each that it passes over; 2,000 take 50 to 100 microseconds.
const MOST: u32 = 2_000;
/// How many steps pass between two looks at the count.
const INTERVAL: u32 = 250;

/// While it lives, statements of the connection may take so many steps together; the one that takes
/// more is stopped.
pub(super) struct StepLimit<'c> {
    conn: &'c Connection,
    exceeded: Arc<AtomicBool>,
}

impl<'c> StepLimit<'c> {
    pub(super) fn new(conn: &'c Connection) -> Result<Self> {
        let exceeded = Arc::new(AtomicBool::new(false));
        let (mut taken, flag) = (0, Arc::clone(&exceeded));
        let stop = move || {
            taken += INTERVAL;
            let over = taken > MOST;
            flag.store(over, Ordering::Relaxed);
            over
        };
        conn.progress_handler(INTERVAL.cast_signed(), Some(stop)).map_err(engine_error)?;
        Ok(Self { conn, exceeded })
    }

    /// Whether a statement was stopped.
    pub(super) fn is_exceeded(&self) -> bool {
        self.exceeded.load(Ordering::Relaxed)
    }
}

impl Drop for StepLimit<'_> {
    fn drop(&mut self) {
        let removed = self.conn.progress_handler(0, None::<fn() -> bool>);
        debug_assert!(removed.is_ok(), "the connection is its owner's");
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};
    use std::thread;
    use std::time::{Duration, Instant};

    use crate::storage::{Db, Sqlite, Tx};

    /// Counts in SQL, and tells on which threads.
    async fn count(db: &Db, to: i64) -> (i64, Vec<thread::ThreadId>) {
        let threads = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&threads);
        let job = move |tx: &mut dyn Tx| {
            seen.lock().expect("a lock").push(thread::current().id());
            tx.value::<i64>(
                "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < $1)
                 SELECT count(*) FROM n",
                &[to.into()],
            )
        };
        let counted = db.lookup("count", job).await.expect("counted");
        let threads = threads.lock().expect("a lock").clone();
        (counted, threads)
    }

    #[tokio::test]
    async fn a_bounded_read_that_takes_too_many_steps_is_run_again_on_a_reader_thread() {
        let dir = tempfile::tempdir().expect("a folder");
        let engine = Sqlite::open(dir.path().join("shop.db")).expect("opens");
        let db = Db::new(Arc::new(engine), &[]);
        let here = thread::current().id();
        // The engine opens its connections in the background; until then its own threads read.
        let start = Instant::now();
        while count(&db, 10).await != (10, vec![here]) {
            assert!(start.elapsed() < Duration::from_secs(20), "reads never run here");
        }
        let (counted, threads) = count(&db, 100_000).await;
        assert_eq!((counted, threads.len()), (100_000, 2), "stopped here, run again elsewhere");
        assert!(threads[0] == here && threads[1] != here, "{threads:?}");
        assert_eq!(count(&db, 10).await, (10, vec![here]), "the limit is gone with its read");
    }
}
