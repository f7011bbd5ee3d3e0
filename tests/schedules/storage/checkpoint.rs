//! No checkpoints: the logs here stay short, and a thread for them would be SQLite's affair alone.

use std::path::PathBuf;

use rusqlite::Connection;

pub(super) struct Checkpoints;

impl Checkpoints {
    pub(super) fn new(_: PathBuf, _: &Connection) -> Self {
        Self
    }

    #[expect(clippy::unused_self, reason = "as the one that it stands for")]
    pub(super) fn after_commit(&mut self, _: &Connection) {}
}
