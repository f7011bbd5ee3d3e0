//! The writer and the generations of shop-core, with as little around them as they need.

mod checkpoint;
#[path = "../../../shop-core/src/storage/counters.rs"]
mod counters;
#[expect(dead_code, reason = "a part of it is used")]
#[path = "../../../shop-core/src/storage/generation.rs"]
mod generation;
mod sqlite;
pub(crate) mod workers;
#[path = "../../../shop-core/src/storage/writer.rs"]
mod writer;

use std::path::PathBuf;
use std::sync::Arc;

pub use self::counters::{Metric, StorageFigures};
pub use self::generation::{Area, Changed, Generations};

/// Starts the writer, which ends with the last who can send.
pub(crate) fn start(
    conn: rusqlite::Connection,
    queue: crate::Receiver<workers::Work>,
    generations: Arc<Generations>,
) -> shuttle::thread::JoinHandle<()> {
    let writer = writer::Writer::new(PathBuf::new(), conn, queue, generations);
    let writer = writer.expect("a writer");
    shuttle::thread::spawn(move || writer.run())
}

/// A unit of work.
pub type Job = Box<dyn FnMut(&mut dyn Tx) -> crate::error::Result<()> + Send>;

/// One transaction, as a job sees it.
pub trait Tx {
    /// Runs a statement that gives one number.
    ///
    /// # Errors
    /// When the engine refuses it.
    fn number(&mut self, sql: &str) -> crate::error::Result<i64>;

    /// Announces that this transaction changes an area.
    fn touch(&mut self, area: Area);

    /// As [`Tx::touch`], where this row is all that changes.
    fn touch_row(&mut self, area: Area, row: i64);
}
