//! What was asked for the jobs of a group before they began.

use tokio_postgres::Row;

use crate::storage::{Param, Prefetch};

/// Queries, each once, with their answers.
#[derive(Debug, Default)]
pub(super) struct Prefetched(Vec<(Prefetch, Vec<Row>)>);

impl Prefetched {
    pub(super) fn new(queries: Vec<Prefetch>, answers: Vec<Vec<Row>>) -> Self {
        Self(queries.into_iter().zip(answers).collect())
    }

    /// The answer to a query, if it was prefetched.
    pub(super) fn answer(&self, sql: &str, params: &[Param<'_>]) -> Option<&[Row]> {
        let found = self.0.iter().find(|(query, _)| query.is(sql, params))?;
        Some(&found.1)
    }
}
