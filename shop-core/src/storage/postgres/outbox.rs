//! The rows that the jobs of a group leave to be written at its end.
//!
//! A reader of a log ([`Tx::append`](crate::storage::Tx::append)) must never meet a row below a
//! number that it has seen. So transactions that append rows commit one after the other, under a
//! lock. Kept back, a row takes that lock when nothing else is left to wait for: no two transactions
//! can wait for each other over it, and no transaction holds it longer than its commit takes.
//!
//! Rows that nothing in their transaction depends on ([`Tx::insert`](crate::storage::Tx::insert))
//! are kept back too: those of one statement, of all jobs, take one round trip instead of one each.

use super::numbers::Numbers;
use super::prefetched::Prefetched;
use crate::storage::Param;
use crate::storage::value::Value;

/// Under this lock appended rows are numbered and committed.
pub(super) const ONE_APPENDS: &str = "SELECT pg_advisory_xact_lock(21328, -1)";

/// How many rows one statement writes: few sizes, so that few statements are kept prepared.
const SIZES: [usize; 7] = [64, 32, 16, 8, 4, 2, 1];

/// Rows that are still to be written, and what else the jobs of a group share.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    /// Of logs, which are written in their order.
    pub(super) log: Pending,
    /// Of other tables.
    pub(super) inserted: Pending,
    /// What its jobs count by.
    pub(super) numbers: Numbers,
    /// What was asked for them before the first began.
    pub(super) prefetched: Prefetched,
}

/// Rows that are still to be written, and those that were written early.
#[derive(Debug, Default)]
pub(super) struct Pending {
    rows: Vec<Kept>,
    written: usize,
    /// The tables of all rows, each once.
    tables: Vec<&'static str>,
}

/// A row with the statement that writes it.
#[derive(Debug)]
struct Kept {
    insert: &'static str,
    values: Vec<Value>,
}

/// A statement that writes several rows.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) sql: String,
    values: Vec<Value>,
}

/// How far an outbox was filled and written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark([(usize, usize); 2]);

impl Outbox {
    pub(super) fn mark(&self) -> Mark {
        Mark([&self.log, &self.inserted].map(|pending| (pending.rows.len(), pending.written)))
    }

    /// The outbox as it was, when all since then is rolled back.
    pub(super) fn back_to(&mut self, Mark([log, inserted]): Mark) {
        self.log.back_to(log);
        self.inserted.back_to(inserted);
    }
}

impl Pending {
    pub(super) fn keep(&mut self, table: &'static str, insert: &'static str, params: &[Param<'_>]) {
        self.rows.push(Kept { insert, values: params.iter().map(Value::of).collect() });
        if !self.tables.contains(&table) {
            self.tables.push(table);
        }
    }

    /// Whether a statement could tell that rows are not there yet: it names their table.
    pub(super) fn is_missed_by(&self, sql: &str) -> bool {
        let mut names = sql.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        self.written < self.rows.len() && names.any(|name| self.tables.contains(&name))
    }

    /// What is still to be written, which is written then: the rows of one statement together, and
    /// among each other in their order.
    pub(super) fn take(&mut self) -> Vec<Batch> {
        let from = std::mem::replace(&mut self.written, self.rows.len());
        let rows = self.rows.get(from..).unwrap_or_default();
        let mut by_statement: Vec<(&'static str, Vec<&Kept>)> = Vec::new();
        for row in rows {
            match by_statement.iter_mut().find(|(insert, _)| *insert == row.insert) {
                Some((_, rows)) => rows.push(row),
                None => by_statement.push((row.insert, vec![row])),
            }
        }
        by_statement.iter().flat_map(|(insert, rows)| batches(insert, rows)).collect()
    }

    fn back_to(&mut self, (rows, written): (usize, usize)) {
        self.rows.truncate(rows);
        self.written = written;
    }
}

fn batches(insert: &str, mut rows: &[&Kept]) -> Vec<Batch> {
    let mut batches = Vec::new();
    while let Some(size) = SIZES.into_iter().find(|size| *size <= rows.len()) {
        let (some, rest) = rows.split_at(size);
        let width = some.first().map_or(0, |row| row.values.len());
        let values = some.iter().flat_map(|row| row.values.iter().cloned()).collect();
        batches.push(Batch { sql: repeated(insert, size, width), values });
        rows = rest;
    }
    batches
}

/// The statement for so many rows: what stands behind `VALUES` once for each, with its parameters
/// numbered on.
fn repeated(insert: &str, rows: usize, width: usize) -> String {
    let Some((head, row)) = insert.rsplit_once("VALUES") else { return insert.to_owned() };
    let rows: Vec<String> = (0..rows).map(|place| moved(row.trim(), place * width)).collect();
    format!("{head}VALUES {}", rows.join(", "))
}

/// A row's values with their parameters moved on by so many places.
fn moved(row: &str, by: usize) -> String {
    let mut parts = row.split('$');
    let before = parts.next().unwrap_or_default().to_owned();
    parts.fold(before, |text, part| {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = part.split_at(digits);
        let number = number.parse::<usize>().unwrap_or_default() + by;
        text + &format!("${number}{rest}")
    })
}

impl Batch {
    pub(super) fn params(&self) -> Vec<Param<'_>> {
        self.values.iter().map(Value::param).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(batches: &[Batch]) -> Vec<&str> {
        batches.iter().map(|batch| batch.sql.as_str()).collect()
    }

    #[test]
    fn what_is_rolled_back_is_forgotten_and_what_was_written_in_it_is_written_again() {
        let mut outbox = Outbox::default();
        outbox.log.keep("log", "one", &[]);
        let mark = outbox.mark();
        outbox.log.keep("log", "two", &[]);
        outbox.inserted.keep("other", "four", &[]);
        assert_eq!(texts(&outbox.log.take()), ["one", "two"]);
        assert_eq!(texts(&outbox.log.take()), [""; 0]);
        outbox.back_to(mark);
        outbox.log.keep("log", "three", &[]);
        assert_eq!(texts(&outbox.log.take()), ["one", "three"]);
        assert_eq!(texts(&outbox.inserted.take()), [""; 0]);
    }

    #[test]
    fn only_statements_about_a_table_miss_its_rows() {
        let mut pending = Pending::default();
        let reads = "SELECT max(id) FROM (SELECT id FROM log WHERE id > $1) upcoming";
        assert!(!pending.is_missed_by(reads));
        pending.keep("log", "INSERT INTO log (name) VALUES ($1)", &["x".into()]);
        assert!(pending.is_missed_by(reads) && pending.is_missed_by("DELETE FROM log"));
        assert!(!pending.is_missed_by("SELECT log_id FROM cursor"));
        pending.take();
        assert!(!pending.is_missed_by(reads));
    }

    #[test]
    fn rows_of_one_statement_are_written_together_in_their_order() {
        let mut pending = Pending::default();
        for n in 0..21_i64 {
            pending.keep(
                "a",
                "INSERT INTO a (x, y, z) VALUES ($1, 'P', $2, $2)",
                &[n.into(), 7_i64.into()],
            );
            pending.keep("b", "INSERT INTO b (x) VALUES ($1)", &[n.into()]);
        }
        let batches = pending.take();
        let sizes: Vec<usize> = batches.iter().map(|batch| batch.params().len()).collect();
        assert_eq!(sizes, [32, 8, 2, 16, 4, 1]);
        assert_eq!(
            batches[1].sql,
            "INSERT INTO a (x, y, z) VALUES ($1, 'P', $2, $2), ($3, 'P', $4, $4), \
             ($5, 'P', $6, $6), ($7, 'P', $8, $8)"
        );
        let first = |batch: &Batch| matches!(batch.params()[0], Param::Int(16));
        assert!(first(&batches[1]) && first(&batches[4]));
    }
}
