//! Values on their way into SQLite and out of it.

use rusqlite::ToSql;
use rusqlite::types::{ToSqlOutput, ValueRef};

use super::sqlite::engine_error;
use super::{Param, Row};
use crate::error::{Error, Result};

/// A row, as SQLite hands it out.
pub(super) struct SqliteRow<'r, 's>(pub(super) &'r rusqlite::Row<'s>);

impl SqliteRow<'_, '_> {
    fn value(&self, column: usize) -> Result<ValueRef<'_>> {
        self.0.get_ref(column).map_err(engine_error)
    }
}

impl Row for SqliteRow<'_, '_> {
    fn int(&self, column: usize) -> Result<Option<i64>> {
        self.value(column)?.as_i64_or_null().map_err(Error::from_source)
    }

    fn text(&self, column: usize) -> Result<Option<&str>> {
        self.value(column)?.as_str_or_null().map_err(Error::from_source)
    }

    fn is_null(&self, column: usize) -> Result<bool> {
        Ok(matches!(self.value(column)?, ValueRef::Null))
    }
}

impl ToSql for Param<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Param::Null => ValueRef::Null,
            Param::Int(value) => ValueRef::Integer(*value),
            Param::Text(value) => ValueRef::Text(value.as_bytes()),
        }))
    }
}
