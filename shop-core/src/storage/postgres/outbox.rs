//! The rows that the jobs of a group leave to be written at its end.
//!
//! A reader of a log ([`Tx::append`](crate::storage::Tx::append)) must never meet a row below a
//! number that it has seen. So transactions that append rows commit one after the other, under a
//! lock. Kept back, a row takes that lock when nothing else is left to wait for: no two
//! transactions can wait for each other over it, and no transaction holds it longer than its commit
//! takes.
//!
//! Rows that nothing in their transaction depends on ([`Tx::insert`](crate::storage::Tx::insert))
//! are kept back too: those of all jobs and tables are written by one statement.

use super::numbers::Numbers;
use super::planned::Planned;
use super::prefetched::Prefetched;
use crate::storage::Param;
use crate::storage::value::Value;

/// Under this lock appended rows are numbered and committed.
pub(super) const ONE_APPENDS: &str = "SELECT pg_advisory_xact_lock(21328, -1)";

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
    /// What their first parts plan to change.
    pub(super) planned: Planned,
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

/// All rows of one statement.
#[derive(Debug)]
pub(super) struct Batch {
    /// The statement, for one row.
    pub(super) insert: &'static str,
    rows: Vec<Vec<Value>>,
}

/// How far an outbox was filled and written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    kept: [(usize, usize); 2],
    planned: usize,
}

impl Outbox {
    pub(super) fn mark(&self) -> Mark {
        let kept = [&self.log, &self.inserted].map(|it| (it.rows.len(), it.written));
        Mark { kept, planned: self.planned.len() }
    }

    /// Whether rows were kept back, or written, since then.
    pub(super) fn has_kept_since(&self, mark: Mark) -> bool {
        self.mark().kept != mark.kept
    }

    /// The outbox as it was, when all since then is rolled back.
    pub(super) fn back_to(&mut self, Mark { kept: [log, inserted], planned }: Mark) {
        self.log.back_to(log);
        self.inserted.back_to(inserted);
        self.planned.back_to(planned);
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
        let mut batches: Vec<Batch> = Vec::new();
        for Kept { insert, values } in self.rows.get(from..).unwrap_or_default() {
            match batches.iter_mut().find(|batch| batch.insert == *insert) {
                Some(batch) => batch.rows.push(values.clone()),
                None => batches.push(Batch { insert, rows: vec![values.clone()] }),
            }
        }
        batches
    }

    fn back_to(&mut self, (rows, written): (usize, usize)) {
        self.rows.truncate(rows);
        self.written = written;
    }
}

impl Batch {
    /// The values, by column.
    pub(super) fn columns(&self) -> Vec<Vec<Param<'_>>> {
        columns(self.rows.iter().map(|row| row.iter().map(Value::param)))
    }
}

/// Rows of values as columns, which are as many as a row has values.
pub(super) fn columns<'v, R>(rows: impl Iterator<Item = R>) -> Vec<Vec<Param<'v>>>
where
    R: IntoIterator<Item = Param<'v>>,
{
    let mut columns: Vec<Vec<Param<'v>>> = Vec::new();
    for row in rows {
        for (place, value) in row.into_iter().enumerate() {
            match columns.get_mut(place) {
                Some(column) => column.push(value),
                None => columns.push(vec![value]),
            }
        }
    }
    columns
}

/// The statement that inserts any number of rows, in their order, from an array for each parameter
/// of the one that inserts a row.
pub(super) fn for_many(insert: &str, types: &[&str]) -> String {
    insert_from(insert, lists(types))
}

/// As [`for_many`], of several statements, each with its types: their parameters follow each other.
pub(super) fn for_all(inserts: &[(&str, Vec<&str>)]) -> String {
    let mut behind = 0;
    let mut inserts: Vec<String> = inserts
        .iter()
        .map(|(insert, types)| {
            behind += types.len();
            insert_from(insert, lists_behind(behind - types.len(), types))
        })
        .collect();
    let last = inserts.pop().unwrap_or_default();
    let others = (1..).zip(inserts).map(|(n, insert)| format!("rows_{n} AS ({insert})"));
    let others = others.collect::<Vec<_>>().join(", ");
    if others.is_empty() { last } else { format!("WITH {others} {last}") }
}

fn insert_from(insert: &str, (arrays, names): (String, String)) -> String {
    let Some((head, row)) = insert.rsplit_once("VALUES") else { return insert.to_owned() };
    let row = row.trim();
    let row = row.strip_prefix('(').and_then(|row| row.strip_suffix(')')).unwrap_or(row);
    let row = row.replace('$', "c");
    format!("{head}SELECT {row} FROM unnest({arrays}) AS kept ({names})")
}

/// Arrays of these types as a statement's parameters, and what a value of each is called: `c1` is
/// one of `$1`.
pub(super) fn lists(types: &[&str]) -> (String, String) {
    lists_behind(0, types)
}

/// As [`lists`], of the parameters behind so many others: `c1` is one of the first.
fn lists_behind(others: usize, types: &[&str]) -> (String, String) {
    let names: Vec<String> = (1..=types.len()).map(|n| format!("c{n}")).collect();
    let arrays = (others + 1..).zip(types).map(|(n, of)| format!("CAST(${n} AS {of}[])"));
    (arrays.collect::<Vec<_>>().join(", "), names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(batches: &[Batch]) -> Vec<&str> {
        batches.iter().map(|batch| batch.insert).collect()
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
        const A: &str = "INSERT INTO a (x, y, z) VALUES ($1, 'P', lower($2))";
        let mut pending = Pending::default();
        for n in 0..21_i64 {
            pending.keep("a", A, &[n.into(), "q".into()]);
            pending.keep("b", "INSERT INTO b (x) VALUES ($1)", &[n.into()]);
        }
        let batches = pending.take();
        assert_eq!(texts(&batches), [A, "INSERT INTO b (x) VALUES ($1)"]);
        let columns = batches[0].columns();
        let numbers = columns[0].iter().map(|value| match value {
            Param::Int(number) => *number,
            other => panic!("{other:?}"),
        });
        assert_eq!(numbers.collect::<Vec<_>>(), (0..21).collect::<Vec<_>>());
        assert!(columns.len() == 2 && columns[1].len() == 21);
        assert_eq!(
            for_many(A, &["int8", "text"]),
            "INSERT INTO a (x, y, z) SELECT c1, 'P', lower(c2) \
             FROM unnest(CAST($1 AS int8[]), CAST($2 AS text[])) AS kept (c1, c2)"
        );
    }

    #[test]
    fn rows_of_several_statements_are_written_by_one() {
        let inserts = [
            ("INSERT INTO a (x) VALUES ($1)", vec!["int8"]),
            ("INSERT INTO b (x, y, z) VALUES ($1, $2, $1)", vec!["int8", "text"]),
            ("INSERT INTO c (x) VALUES ($1)", vec!["text"]),
        ];
        assert_eq!(
            for_all(&inserts),
            "WITH rows_1 AS (INSERT INTO a (x) SELECT c1 FROM unnest(CAST($1 AS int8[])) AS kept (c1)), \
             rows_2 AS (INSERT INTO b (x, y, z) SELECT c1, c2, c1 \
             FROM unnest(CAST($2 AS int8[]), CAST($3 AS text[])) AS kept (c1, c2)) \
             INSERT INTO c (x) SELECT c1 FROM unnest(CAST($4 AS text[])) AS kept (c1)"
        );
        assert_eq!(for_all(&inserts[..1]), for_many(inserts[0].0, &inserts[0].1));
    }
}
