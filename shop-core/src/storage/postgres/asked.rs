//! What was asked for the jobs of a group before they began.

use tokio_postgres::Row;

use crate::storage::{Param, Question};

/// Questions, each once, with their answers.
#[derive(Debug, Default)]
pub(super) struct Asked(Vec<(Question, Vec<Row>)>);

impl Asked {
    pub(super) fn new(questions: Vec<Question>, answers: Vec<Vec<Row>>) -> Self {
        Self(questions.into_iter().zip(answers).collect())
    }

    /// The answer to a query, if it was asked.
    pub(super) fn answer(&self, sql: &str, params: &[Param<'_>]) -> Option<&[Row]> {
        let found = self.0.iter().find(|(question, _)| question.is(sql, params))?;
        Some(&found.1)
    }
}
