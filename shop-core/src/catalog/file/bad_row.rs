//! What is wrong with a row of a file.

use serde::Serialize;

use super::column::Column;
use crate::value::InvalidValue;

/// A row of a file that cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BadRow {
    /// The line on which it begins; the names of the columns are line 1.
    pub line: u64,
    /// Which of its cells is wrong; empty for the row as a whole.
    pub column: String,
    /// Why.
    pub reason: InvalidValue,
}

pub(super) fn bad_cell(line: u64, column: Column, reason: InvalidValue) -> BadRow {
    BadRow { line, column: column.as_str().to_owned(), reason }
}
