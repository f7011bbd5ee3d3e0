//! What was asked for jobs before they began.
//!
//! Queries of one statement go as one, with a list for each parameter: PostgreSQL starts a
//! statement, and sends what it found, once for all and not once for each of a group's line items.

use tokio_postgres::{Row, Statement};

use super::link::Request;
use super::outbox::lists;
use crate::error::{Error, Result};
use crate::storage::{Param, Prefetch};

/// Queries in their order, each once, with their answers.
#[derive(Debug, Default)]
pub(super) struct Prefetched(Vec<(Prefetch, Vec<Row>)>);

impl Prefetched {
    /// What was asked, with its answers.
    pub(super) fn of(
        asked: &[Asked<'_>],
        answers: impl IntoIterator<Item = Vec<Row>>,
    ) -> Result<Self> {
        let mut prefetched = Self::default();
        for (it, rows) in asked.iter().zip(answers) {
            prefetched.take_in(it.queries, rows)?;
        }
        Ok(prefetched)
    }

    /// Takes in sorted queries of one statement, which follow those that are there, and all of
    /// their rows, as [`for_each`] returns them.
    fn take_in(&mut self, queries: &[Prefetch], rows: Vec<Row>) -> Result<()> {
        let from = self.0.len();
        self.0.extend(queries.iter().map(|query| (query.clone(), Vec::new())));
        for row in rows {
            let place: i64 = row.try_get(row.len() - 1).map_err(Error::from_source)?;
            let place = usize::try_from(place - 1).map_err(Error::from_source)?;
            let of = self.0.get_mut(from + place);
            of.ok_or_else(|| Error::internal("a row of no query"))?.1.push(row);
        }
        Ok(())
    }

    /// The answer to a query, if it was prefetched.
    pub(super) fn answer(&self, sql: &str, params: &[Param<'_>]) -> Option<&[Row]> {
        let found = self.0.binary_search_by(|(query, _)| query.cmp_query(sql, params)).ok()?;
        Some(&self.0.get(found)?.1)
    }
}

/// Queries of one statement, about to be asked.
pub(super) struct Asked<'q> {
    pub(super) queries: &'q [Prefetch],
    pub(super) statement: Statement,
    pub(super) columns: Vec<Vec<Param<'q>>>,
}

impl Asked<'_> {
    pub(super) fn request(&self) -> Request<'_> {
        Request::Lists(&self.statement, &self.columns)
    }
}

/// Sorted queries, those of one statement together.
pub(super) fn by_statement(queries: &[Prefetch]) -> impl Iterator<Item = &[Prefetch]> {
    queries.chunk_by(|one, other| one.sql() == other.sql())
}

/// The query that returns the rows of another one for each of its parameters' values, from an array
/// for each; its last column says for which, from 1.
pub(super) fn for_each(query: &str, types: &[&str]) -> String {
    if types.is_empty() {
        return format!("SELECT found.*, CAST(1 AS int8) AS place FROM ({query}) AS found");
    }
    let (arrays, names) = lists(types);
    let query = query.replace('$', "c");
    format!(
        "SELECT found.*, asked.place
         FROM unnest({arrays}) WITH ORDINALITY AS asked ({names}, place)
         CROSS JOIN LATERAL ({query}) AS found"
    )
}

/// Whether a query has that form ([`for_each`]): a `$` in a quoted text is no parameter.
pub(super) fn takes_lists(query: &str) -> bool {
    !query.split('\'').skip(1).step_by(2).any(|quoted| quoted.contains('$'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_with_a_dollar_in_a_text_takes_no_lists() {
        for (query, takes) in [
            ("SELECT $1 || 'it''s' || $2", true),
            ("SELECT 'R$ ' || $1", false),
            ("SELECT '''$1' || $1", false),
            ("SELECT 'a' || $1 || 'b'", true),
        ] {
            assert_eq!(takes_lists(query), takes, "{query}");
        }
    }

    #[test]
    fn a_query_is_asked_for_all_lists_of_its_parameters_at_once() {
        let one = "SELECT name FROM product WHERE id = $1 ORDER BY name LIMIT $2";
        assert_eq!(
            for_each(one, &["text", "int8"]),
            "SELECT found.*, asked.place
         FROM unnest(CAST($1 AS text[]), CAST($2 AS int8[])) WITH ORDINALITY AS asked (c1, c2, place)
         CROSS JOIN LATERAL (SELECT name FROM product WHERE id = c1 ORDER BY name LIMIT c2) AS found"
        );
    }

    #[test]
    fn only_the_query_that_was_asked_has_an_answer() {
        let query = |sql, id: &str| Prefetch::new(sql, &[id.into()]);
        let mut queries = vec![query("b", "2"), query("a", "9"), query("b", "10"), query("b", "3")];
        queries.sort();
        let mut prefetched = Prefetched::default();
        for queries in by_statement(&queries) {
            prefetched.take_in(queries, Vec::new()).expect("no rows");
        }
        let found = |sql: &str, params: &[Param<'_>]| prefetched.answer(sql, params).is_some();
        for (sql, id) in [("b", "2"), ("a", "9"), ("b", "10"), ("b", "3")] {
            assert!(found(sql, &[id.into()]), "{sql} {id}");
        }
        assert!(!found("a", &["2".into()]) && !found("c", &["2".into()]));
        assert!(!found("b", &[]) && !found("b", &[2_i64.into()]) && !found("b", &[Param::Null]));
    }
}
