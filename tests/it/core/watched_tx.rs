//! A transaction of SQLite whose statements, and the rows that they find, are watched.

use shop_core::Result;
use shop_core::storage::{AppendLog, Area, Dialect, Param, Row, Tx};

/// What watches a transaction.
pub(super) trait Watch {
    /// A statement is about to run: once, however many lists of parameters it runs with.
    fn statement(&mut self, _: &mut dyn Tx, _sql: &str, _params: &[Param<'_>]) -> Result<()> {
        Ok(())
    }

    /// A row was found.
    fn row(&mut self) {}
}

pub(super) struct WatchedTx<'t, W>(pub(super) &'t mut dyn Tx, pub(super) W);

impl<W: Watch> Tx for WatchedTx<'_, W> {
    fn execute(&mut self, sql: &str, params: &[Param<'_>]) -> Result<usize> {
        self.1.statement(self.0, sql, params)?;
        self.0.execute(sql, params)
    }

    fn query(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
        each: &mut dyn FnMut(&dyn Row) -> Result<()>,
    ) -> Result<()> {
        self.1.statement(self.0, sql, params)?;
        let watch = &mut self.1;
        self.0.query(sql, params, &mut |row| {
            watch.row();
            each(row)
        })
    }

    fn query_each(
        &mut self,
        sql: &str,
        lists: &[&[Param<'_>]],
        each: &mut dyn FnMut(usize, &dyn Row) -> Result<()>,
    ) -> Result<()> {
        if let Some(first) = lists.first() {
            self.1.statement(self.0, sql, first)?;
        }
        let watch = &mut self.1;
        self.0.query_each(sql, lists, &mut |place, row| {
            watch.row();
            each(place, row)
        })
    }

    fn append(&mut self, log: &'static AppendLog, params: &[Param<'_>]) -> Result<()> {
        self.0.append(log, params)
    }

    fn touch(&mut self, area: Area) {
        self.0.touch(area);
    }

    fn touch_row(&mut self, area: Area, row: i64) {
        self.0.touch_row(area, row);
    }

    fn dialect(&self) -> &'static Dialect {
        self.0.dialect()
    }
}
