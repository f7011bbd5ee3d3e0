//! The events of a group, kept back until its end.
//!
//! Whoever reads events by their number must never meet one below a number that he has seen. So
//! transactions that write events commit one after the other, under a lock. Kept back, an event
//! takes that lock when nothing else is left to wait for: no two transactions can wait for each
//! other over it, and nobody holds it longer than his commit takes.

use crate::storage::Param;

/// Writes an event.
const EMIT: &str = "INSERT INTO event ";

/// Under this lock events are numbered and committed.
pub(super) const ONE_EMITS: &str = "SELECT pg_advisory_xact_lock(21328, -1)";

/// Statements that are still to be run, and those that were run early.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    rows: Vec<Emission>,
    written: usize,
}

/// A statement that writes an event.
#[derive(Debug)]
pub(super) struct Emission {
    pub(super) sql: String,
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
    pub(super) fn takes(sql: &str) -> bool {
        sql.starts_with(EMIT)
    }

    pub(super) fn keep(&mut self, sql: &str, params: &[Param<'_>]) {
        let params = params.iter().map(|param| match *param {
            Param::Null => Kept::Null,
            Param::Int(number) => Kept::Int(number),
            Param::Text(text) => Kept::Text(text.to_owned()),
        });
        self.rows.push(Emission { sql: sql.to_owned(), params: params.collect() });
    }

    /// Whether a statement could tell that events are not there yet.
    pub(super) fn is_missed_by(&self, sql: &str) -> bool {
        let mut names = sql.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        self.written < self.rows.len() && names.any(|name| name == "event")
    }

    /// What is still to be written, which is written then.
    pub(super) fn take(&mut self) -> &[Emission] {
        let from = std::mem::replace(&mut self.written, self.rows.len());
        self.rows.get(from..).unwrap_or_default()
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { rows: self.rows.len(), written: self.written }
    }

    /// As it was, when all since then is rolled back.
    pub(super) fn back_to(&mut self, mark: Mark) {
        self.rows.truncate(mark.rows);
        self.written = mark.written;
    }
}

impl Emission {
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

    fn texts(rows: &[Emission]) -> Vec<&str> {
        rows.iter().map(|row| row.sql.as_str()).collect()
    }

    #[test]
    fn what_is_rolled_back_is_forgotten_and_what_was_written_in_it_is_written_again() {
        let mut outbox = Outbox::default();
        outbox.keep("one", &[]);
        let mark = outbox.mark();
        outbox.keep("two", &[]);
        assert_eq!(texts(outbox.take()), ["one", "two"]);
        assert_eq!(texts(outbox.take()), [""; 0]);
        outbox.back_to(mark);
        outbox.keep("three", &[]);
        assert_eq!(texts(outbox.take()), ["one", "three"]);
    }

    #[test]
    fn only_statements_about_events_miss_them() {
        let mut outbox = Outbox::default();
        let reads = "SELECT max(id) FROM (SELECT id FROM event WHERE id > $1) upcoming";
        assert!(!outbox.is_missed_by(reads));
        outbox.keep("INSERT INTO event (name) VALUES ($1)", &["x".into()]);
        assert!(outbox.is_missed_by(reads) && outbox.is_missed_by("DELETE FROM event"));
        assert!(!outbox.is_missed_by("SELECT event_id FROM webhook_cursor"));
        outbox.take();
        assert!(!outbox.is_missed_by(reads));
    }
}
