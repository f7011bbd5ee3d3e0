//! The rows of a group that are appended to a log ([`Tx::append`](crate::storage::Tx::append)), kept
//! back until its end.
//!
//! A reader of a log must never meet a row below a number that it has seen. So transactions that
//! append rows commit one after the other, under a lock. Kept back, a row takes that lock when
//! nothing else is left to wait for: no two transactions can wait for each other over it, and no
//! transaction holds it longer than its commit takes.

use crate::storage::{AppendLog, Param};

/// Under this lock appended rows are numbered and committed.
pub(super) const ONE_APPENDS: &str = "SELECT pg_advisory_xact_lock(21328, -1)";

/// Rows that are still to be written, and those that were written early.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    rows: Vec<Appended>,
    written: usize,
    /// The tables of all rows, each once.
    tables: Vec<&'static str>,
}

/// A row that is appended to a log.
#[derive(Debug)]
pub(super) struct Appended {
    pub(super) insert: &'static str,
    params: Vec<Kept>,
}

#[derive(Debug)]
enum Kept {
    Null,
    Int(i64),
    Text(String),
}

/// How far an outbox was filled and written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    rows: usize,
    written: usize,
}

impl Outbox {
    pub(super) fn keep(&mut self, log: &'static AppendLog, params: &[Param<'_>]) {
        let params = params.iter().map(|param| match *param {
            Param::Null => Kept::Null,
            Param::Int(number) => Kept::Int(number),
            Param::Text(text) => Kept::Text(text.to_owned()),
        });
        self.rows.push(Appended { insert: log.insert, params: params.collect() });
        if !self.tables.contains(&log.table) {
            self.tables.push(log.table);
        }
    }

    /// Whether a statement could tell that rows are not there yet: it names their table.
    pub(super) fn is_missed_by(&self, sql: &str) -> bool {
        let mut names = sql.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        self.written < self.rows.len() && names.any(|name| self.tables.contains(&name))
    }

    /// What is still to be written, which is written then.
    pub(super) fn take(&mut self) -> &[Appended] {
        let from = std::mem::replace(&mut self.written, self.rows.len());
        self.rows.get(from..).unwrap_or_default()
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { rows: self.rows.len(), written: self.written }
    }

    /// The outbox as it was, when all since then is rolled back.
    pub(super) fn back_to(&mut self, mark: Mark) {
        self.rows.truncate(mark.rows);
        self.written = mark.written;
    }
}

impl Appended {
    pub(super) fn params(&self) -> Vec<Param<'_>> {
        self.params.iter().map(Kept::param).collect()
    }
}

impl Kept {
    fn param(&self) -> Param<'_> {
        match self {
            Self::Null => Param::Null,
            Self::Int(number) => Param::Int(*number),
            Self::Text(text) => Param::Text(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(insert: &'static str) -> &'static AppendLog {
        Box::leak(Box::new(AppendLog { table: "log", insert }))
    }

    fn texts(rows: &[Appended]) -> Vec<&str> {
        rows.iter().map(|row| row.insert).collect()
    }

    #[test]
    fn what_is_rolled_back_is_forgotten_and_what_was_written_in_it_is_written_again() {
        let mut outbox = Outbox::default();
        outbox.keep(log("one"), &[]);
        let mark = outbox.mark();
        outbox.keep(log("two"), &[]);
        assert_eq!(texts(outbox.take()), ["one", "two"]);
        assert_eq!(texts(outbox.take()), [""; 0]);
        outbox.back_to(mark);
        outbox.keep(log("three"), &[]);
        assert_eq!(texts(outbox.take()), ["one", "three"]);
    }

    #[test]
    fn only_statements_about_the_log_miss_its_rows() {
        let mut outbox = Outbox::default();
        let reads = "SELECT max(id) FROM (SELECT id FROM log WHERE id > $1) upcoming";
        assert!(!outbox.is_missed_by(reads));
        outbox.keep(log("INSERT INTO log (name) VALUES ($1)"), &["x".into()]);
        assert!(outbox.is_missed_by(reads) && outbox.is_missed_by("DELETE FROM log"));
        assert!(!outbox.is_missed_by("SELECT log_id FROM cursor"));
        outbox.take();
        assert!(!outbox.is_missed_by(reads));
    }
}
