//! The conditions of a list, put together from a fixed set of fragments.

use std::sync::LazyLock;

use super::{Param, Tx};
use crate::error::Result;
use crate::page::PageLimit;

/// `$1, $2, ..` for as many things as the largest page has. Statements that look up the things of a
/// page have one text for every page so, which is prepared once.
pub(crate) static PLACES: LazyLock<String> = LazyLock::new(|| {
    let places: Vec<String> = (1..=PageLimit::MAX).map(|n| format!("${n}")).collect();
    places.join(", ")
});

/// The parameters for [`PLACES`]: what is missing to a full page is NULL, which nothing equals.
pub(crate) fn placed<'p, T: Into<Param<'p>>>(
    things: impl IntoIterator<Item = T>,
) -> Vec<Param<'p>> {
    let nulls = std::iter::repeat(Param::Null);
    things.into_iter().map(Into::into).chain(nulls).take(PageLimit::MAX as usize).collect()
}

/// The `WHERE` of a statement and its parameters, which begin at `$1`.
#[derive(Debug, Default)]
pub(crate) struct Filter<'p> {
    sql: String,
    params: Vec<Param<'p>>,
}

impl<'p> Filter<'p> {
    /// Adds a condition that has no parameter.
    pub(crate) fn and(&mut self, condition: &str) {
        self.sql.push_str(if self.sql.is_empty() { " WHERE " } else { " AND " });
        self.sql.push_str(condition);
    }

    /// Adds a comparison, e.g. `o.status =`, where there is something to compare with.
    pub(crate) fn compare(&mut self, left: &str, right: Option<impl Into<Param<'p>>>) {
        if let Some(right) = right {
            let place = self.bind(right);
            self.and(&format!("{left} {place}"));
        }
    }

    /// Binds one more parameter and says how to write it. It must be written after all before it.
    pub(crate) fn bind(&mut self, value: impl Into<Param<'p>>) -> String {
        self.params.push(value.into());
        format!("${}", self.params.len())
    }

    /// Binds one more parameter for each value and says how to write them: `$1, $2`.
    pub(crate) fn bind_all<V: Into<Param<'p>>>(
        &mut self,
        values: impl IntoIterator<Item = V>,
    ) -> String {
        let places: Vec<String> = values.into_iter().map(|value| self.bind(value)).collect();
        places.join(", ")
    }

    /// How many rows of a table it finds; more than `most` are not counted.
    ///
    /// # Errors
    /// What keeps the engine from counting.
    pub(crate) fn count(&self, tx: &mut dyn Tx, table: &str, most: i64) -> Result<i64> {
        let sql = format!(
            "SELECT count(*) FROM (SELECT 1 FROM {table}{} LIMIT {most}) counted",
            self.sql
        );
        tx.value(&sql, &self.params)
    }

    /// ` WHERE ..`, or nothing.
    pub(crate) fn sql(&self) -> &str {
        &self.sql
    }

    pub(crate) fn params(&self) -> &[Param<'p>] {
        &self.params
    }
}
