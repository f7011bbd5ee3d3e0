//! The conditions of a list, put together from a fixed set of fragments.

use std::sync::LazyLock;

use super::{FromColumn, Param, Row, Tx};
use crate::error::Result;
use crate::page::PageLimit;

/// `$1, $2, ..` for as many things as the largest page has. Statements that look up the things of a
/// page have one text for every page so, which is prepared once.
pub(crate) static PLACES: LazyLock<String> = LazyLock::new(|| places(PageLimit::MAX as usize));

/// How many things [`FEW_PLACES`] has room for.
pub(crate) const FEW: usize = 20;

/// As [`PLACES`], for statements that mostly look up a few things and run often: an engine goes
/// over the empty places too.
pub(crate) static FEW_PLACES: LazyLock<String> = LazyLock::new(|| places(FEW));

fn places(count: usize) -> String {
    let places: Vec<String> = (1..=count).map(|n| format!("${n}")).collect();
    places.join(", ")
}

/// The parameters for [`PLACES`]: what is missing to a full page is NULL, which nothing equals.
pub(crate) fn placed<'p, T: Into<Param<'p>>>(
    things: impl IntoIterator<Item = T>,
) -> Vec<Param<'p>> {
    filled(things, PageLimit::MAX as usize)
}

/// The parameters for [`FEW_PLACES`], as [`placed`] has them.
pub(crate) fn few_placed<'p, T: Into<Param<'p>>>(
    things: impl IntoIterator<Item = T>,
) -> Vec<Param<'p>> {
    filled(things, FEW)
}

fn filled<'p, T: Into<Param<'p>>>(
    things: impl IntoIterator<Item = T>,
    count: usize,
) -> Vec<Param<'p>> {
    let nulls = std::iter::repeat(Param::Null);
    things.into_iter().map(Into::into).chain(nulls).take(count).collect()
}

/// What a statement with [`PLACES`] finds for however many things, a page of them at a time.
///
/// # Errors
/// What keeps the engine from answering, or a row from being read.
pub(crate) fn list_placed<'p, T, R: FromColumn>(
    tx: &mut dyn Tx,
    sql: &str,
    things: &'p [T],
) -> Result<Vec<R>>
where
    &'p T: Into<Param<'p>>,
{
    let mut found = Vec::new();
    query_placed(tx, sql, things, &mut |row| {
        found.push(row.get(0)?);
        Ok(())
    })?;
    Ok(found)
}

/// Runs a statement with [`PLACES`] for however many things, a page of them at a time.
///
/// # Errors
/// What keeps the engine from answering, and what `each` says.
pub(crate) fn query_placed<'p, T>(
    tx: &mut dyn Tx,
    sql: &str,
    things: &'p [T],
    each: &mut dyn FnMut(&dyn Row) -> Result<()>,
) -> Result<()>
where
    &'p T: Into<Param<'p>>,
{
    let mut pages = things.chunks(PageLimit::MAX as usize);
    pages.try_for_each(|some| tx.query(sql, &placed(some), each))
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
