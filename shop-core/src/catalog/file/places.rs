//! Where the columns of the shop's own files stand, and which rows do not fit them.

use super::column::Column;
use super::records::Record;
use crate::error::{Error, Result};
use crate::value::InvalidValue;

/// Where each column stands, by the first line of the file.
pub(super) struct Places {
    of: [Option<usize>; Column::ALL.len()],
    /// Cells of the first line.
    width: usize,
}

impl Places {
    /// # Errors
    /// [`Error::Invalid`] where the columns are not those of a file of products. One without a name
    /// is none: spreadsheet programs write those that somebody emptied.
    pub(super) fn of(head: &csv::ByteRecord) -> Result<Self> {
        let names: Vec<String> = head.iter().map(name).collect();
        let said = || names.iter().enumerate().filter(|(_, name)| !name.is_empty());
        let known = |name: &String| Column::ALL.iter().any(|column| column.as_str() == name);
        if let Some((_, unknown)) = said().find(|(_, name)| !known(name)) {
            let reason = InvalidValue::UnknownColumn { name: unknown.clone() };
            return Err(Error::field("columns", reason));
        }
        let of = Column::ALL.map(|column| names.iter().position(|name| column.as_str() == name));
        let found_by = [Column::Sku, Column::Slug, Column::Name];
        if found_by.iter().all(|column| of[*column as usize].is_none()) {
            let name = Column::Name.as_str();
            return Err(Error::field("columns", InvalidValue::MissingColumn { name }));
        }
        if let Some((_, name)) = said().find(|(place, name)| names[..*place].contains(name)) {
            let reason = InvalidValue::RepeatedColumn { name: name.clone() };
            return Err(Error::field("columns", reason));
        }
        Ok(Self { of, width: names.len() })
    }

    /// What a cell says; empty where the row ends before it, as spreadsheet programs leave out the
    /// last cells that are empty. None where the file does not have the column.
    pub(super) fn cell<'a>(&self, record: &'a Record, column: Column) -> Option<&'a [u8]> {
        let place = self.of[column as usize]?;
        Some(record.cells.get(place).unwrap_or_default())
    }

    /// Why a row cannot be what somebody wrote below these columns.
    pub(super) fn misfit(&self, record: &Record) -> Option<InvalidValue> {
        let columns = self.of.iter().flatten().max().map_or(0, |last| last + 1);
        let cells = record.cells.len();
        if record.is_open_ended && cells < columns {
            let (found, expected) = (cells as u64, columns as u64);
            return Some(InvalidValue::CutOffRow { found, expected });
        }
        let says = |place: usize| !record.cells[place].trim_ascii().is_empty();
        if let Some(last) = (self.width..cells).rfind(|place| says(*place)) {
            let (found, expected) = (last as u64 + 1, self.width as u64);
            return Some(InvalidValue::CellCount { found, expected });
        }
        let is_nameless = |place: &usize| !self.of.contains(&Some(*place)) && says(*place);
        let nameless = (0..cells.min(self.width)).find(is_nameless)?;
        Some(InvalidValue::NamelessColumn { column: nameless as u64 + 1 })
    }
}

fn name(cell: &[u8]) -> String {
    let name = String::from_utf8_lossy(cell);
    name.trim_start_matches('\u{feff}').trim().to_lowercase()
}
