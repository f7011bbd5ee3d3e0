//! A transaction of SQLite.

use rusqlite::Connection;

use super::generation::Touched;
use super::{Area, Tx};
use crate::error::{Error, Result};

pub(crate) struct SqliteTx<'c> {
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
}

impl Tx for SqliteTx<'_> {
    fn number(&mut self, sql: &str) -> Result<i64> {
        self.conn.query_row(sql, [], |row| row.get(0)).map_err(engine_error)
    }

    fn touch(&mut self, area: Area) {
        self.touched.note(area);
    }

    fn touch_row(&mut self, area: Area, row: i64) {
        self.touched.note_row(area, row);
    }
}

pub(crate) fn engine_error(error: rusqlite::Error) -> Error {
    Error::from_source(error)
}

pub(super) fn outcome_of(outcome: Result<()>) -> Result<()> {
    outcome
}
