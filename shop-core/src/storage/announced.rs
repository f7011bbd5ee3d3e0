//! Debug builds hold what a job announces ([`Tx::touch`], [`Tx::append`]) against what its
//! statements say, so that a store that forgets to announce a write fails in the first test that
//! reaches it. Release builds run the job as it is.

use super::generation::Touched;
use super::{AppendLog, Area, Counter, Dialect, InsertRows, Job, Metric, Param, Row, Tx};
use crate::error::Result;

/// The job, which in a debug build panics when it succeeds and has changed a table of an area that
/// it did not announce.
pub(super) fn checked(areas: &'static [Area], name: &'static str, mut job: Job) -> Job {
    if !cfg!(debug_assertions) {
        return job;
    }
    Box::new(move |tx| {
        let mut checked = Checked { tx, areas, announced: Touched::default(), written: Vec::new() };
        job(&mut checked)?;
        let missing = checked.missing().map(Area::tables);
        assert!(missing.is_none(), "{name} writes one of {missing:?} and does not announce it");
        Ok(())
    })
}

/// A transaction that notes what is announced and what is written.
struct Checked<'t> {
    tx: &'t mut dyn Tx,
    areas: &'static [Area],
    announced: Touched,
    written: Vec<Area>,
}

impl Checked<'_> {
    fn read(&mut self, sql: &str) {
        for table in written_tables(sql) {
            let areas = self.areas.iter().filter(|area| area.tables().contains(&table));
            self.written.extend(areas);
        }
    }

    fn missing(&self) -> Option<Area> {
        self.written.iter().copied().find(|area| !self.announced.includes(*area))
    }
}

impl Tx for Checked<'_> {
    fn execute(&mut self, sql: &str, params: &[Param<'_>]) -> Result<usize> {
        let changed = self.tx.execute(sql, params)?;
        // One that changes nothing needs no announcement.
        if changed > 0 {
            self.read(sql);
        }
        Ok(changed)
    }

    fn query(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
        each: &mut dyn FnMut(&dyn Row) -> Result<()>,
    ) -> Result<()> {
        let mut rows = 0;
        self.tx.query(sql, params, &mut |row| {
            rows += 1;
            each(row)
        })?;
        if rows > 0 {
            self.read(sql);
        }
        Ok(())
    }

    fn query_each(
        &mut self,
        sql: &str,
        lists: &[&[Param<'_>]],
        each: &mut dyn FnMut(usize, &dyn Row) -> Result<()>,
    ) -> Result<()> {
        let mut rows = 0;
        self.tx.query_each(sql, lists, &mut |place, row| {
            rows += 1;
            each(place, row)
        })?;
        if rows > 0 {
            self.read(sql);
        }
        Ok(())
    }

    fn plan(&mut self, sql: &str, row: &str, params: &[Param<'_>]) {
        self.tx.plan(sql, row, params);
    }

    fn append(&mut self, log: &'static AppendLog, params: &[Param<'_>]) -> Result<()> {
        self.read(log.insert);
        self.tx.append(log, params)
    }

    fn insert(&mut self, rows: &'static InsertRows, params: &[Param<'_>]) -> Result<()> {
        self.read(rows.insert);
        self.tx.insert(rows, params)
    }

    fn next_number(&mut self, counter: &'static Counter, key: &str) -> Result<i64> {
        self.read(counter.add);
        self.tx.next_number(counter, key)
    }

    fn touch(&mut self, area: Area) {
        self.announced.note(area);
        self.tx.touch(area);
    }

    fn touch_row(&mut self, area: Area, row: i64) {
        self.announced.note_row(area, row);
        self.tx.touch_row(area, row);
    }

    fn count(&mut self, metric: Metric) {
        self.tx.count(metric);
    }

    fn dialect(&self) -> &'static Dialect {
        self.tx.dialect()
    }
}

/// The words after `INSERT INTO`, `UPDATE` and `DELETE FROM`, wherever they stand in a statement.
fn written_tables(sql: &str) -> impl Iterator<Item = &str> {
    let words = sql.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let words = words.filter(|word| !word.is_empty());
    words
        .scan(["", ""], |before, word| {
            let is_table = matches!(*before, [_, "INTO"] | ["DELETE", "FROM"])
                || (before[1] == "UPDATE" && before[0] != "FOR");
            *before = [before[1], word];
            Some(is_table.then_some(word))
        })
        .flatten()
}

#[cfg(feature = "sqlite")]
#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::error::Error;
    use crate::storage::{Db, Lane, Sqlite};

    const LANE: Lane = Lane::new(0);
    const AREA: Area = Area::new(0, &["note"]);
    const WRITE: &str = "INSERT INTO note (value) VALUES ('a')";

    #[test]
    fn the_tables_that_a_statement_writes_are_found_wherever_they_stand() {
        let of = |sql| written_tables(sql).collect::<Vec<_>>();
        assert_eq!(of("UPDATE note SET value = 1"), ["note"]);
        assert_eq!(of("INSERT INTO page(id) VALUES ($1)"), ["page"]);
        assert_eq!(of("INSERT OR IGNORE INTO page (id) VALUES ($1)"), ["page"]);
        assert_eq!(of("\n  DELETE FROM note WHERE id = $1"), ["note"]);
        assert_eq!(of("WITH old AS (SELECT 1) UPDATE note SET value = 1"), ["note"]);
        assert!(
            !of("INSERT INTO a (b) VALUES (1) ON CONFLICT (b) DO UPDATE SET b = 2").contains(&"b")
        );
        assert!(of("SELECT id FROM note FOR UPDATE").is_empty());
    }

    #[tokio::test]
    async fn a_write_that_is_not_announced_fails_in_a_debug_build() {
        let dir = tempfile::tempdir().expect("a folder");
        let engine = Sqlite::open(dir.path().join("shop.db")).expect("opens");
        let db = Db::new(Arc::new(engine), &[AREA]);
        let made = |tx: &mut dyn Tx| tx.execute("CREATE TABLE note (value TEXT) STRICT", &[]);
        db.write(LANE, "made", made).await.expect("a table");
        let silent = db.write(LANE, "silent", |tx| tx.execute(WRITE, &[])).await;
        assert_eq!(matches!(silent, Err(Error::Internal(_))), cfg!(debug_assertions));
        let announced = |tx: &mut dyn Tx| {
            tx.touch(AREA);
            tx.execute(WRITE, &[])
        };
        if cfg!(debug_assertions) {
            assert_eq!(db.write(LANE, "announced", announced).await.expect("written"), 1);
        }
    }
}
