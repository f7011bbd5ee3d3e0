//! Which way statements take to their rows, for tests that hold that an index leads there.

use std::sync::Arc;

use super::{AppendLog, Area, Db, Dialect, Param, Row, Sqlite, Tx};
use crate::error::Result;

/// A transaction that asks for the plan of whatever is asked.
struct Explaining<'t> {
    tx: &'t mut dyn Tx,
    plan: Vec<String>,
}

impl Tx for Explaining<'_> {
    fn execute(&mut self, sql: &str, params: &[Param<'_>]) -> Result<usize> {
        self.tx.execute(sql, params)
    }

    fn query(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
        each: &mut dyn FnMut(&dyn Row) -> Result<()>,
    ) -> Result<()> {
        let explain = format!("EXPLAIN QUERY PLAN {sql}");
        self.plan.extend(self.tx.all(&explain, params, |row| row.get::<String>(3))?);
        self.tx.query(sql, params, each)
    }

    fn append(&mut self, log: &'static AppendLog, params: &[Param<'_>]) -> Result<()> {
        self.tx.append(log, params)
    }

    fn touch(&mut self, area: Area) {
        self.tx.touch(area);
    }

    fn touch_row(&mut self, area: Area, row: i64) {
        self.tx.touch_row(area, row);
    }

    fn dialect(&self) -> &'static Dialect {
        self.tx.dialect()
    }
}

/// The steps of all statements of a job, in an empty database.
pub(crate) async fn plan(
    mut job: impl FnMut(&mut dyn Tx) -> Result<()> + Send + 'static,
) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let engine = Sqlite::open(folder.path().join("shop.db")).expect("a database");
    let db = Db::new(Arc::new(engine), &[]);
    let job = move |tx: &mut dyn Tx| {
        let mut tx = Explaining { tx, plan: Vec::new() };
        job(&mut tx)?;
        Ok(tx.plan)
    };
    db.read("test.plan", job).await.expect("a plan")
}

/// The steps that look at every row of a table: those that pass over the rows themselves and not
/// only over a narrow index, and indexes that are made for one statement. A subquery's own rows are
/// bounded by it.
pub(crate) fn costly<'p>(plan: &'p [String], subqueries: &[&str]) -> Vec<&'p String> {
    let is_costly = |step: &&String| {
        let mut words = step.split(' ');
        let scans = words.next() == Some("SCAN")
            && words.next().is_some_and(|table| !subqueries.contains(&table));
        let narrow = step.contains("COVERING INDEX") || step.contains("VIRTUAL TABLE");
        step.contains("AUTOMATIC") || (scans && !narrow)
    };
    plan.iter().filter(is_costly).collect()
}
