//! Reads a file product by product: its own columns, or those of another program.

use std::collections::VecDeque;
use std::io::{Read, Seek};

use super::column::Column;
use super::foreign::{FileFormat, Foreign};
use super::group::Group;
use super::pictures::PictureFiles;
use super::places::Places;
use super::records::Records;
use super::row::Row;
use crate::error::Result;

/// The products of a file, one by one. No more than one product is in memory.
pub(super) struct Groups<'f, R: Read> {
    files: &'f PictureFiles,
    records: Records<R>,
    layout: Layout,
    /// Rows that were read and not yet given out.
    ahead: VecDeque<Row>,
}

/// Where cells stand.
enum Layout {
    Own(Places),
    Foreign(Foreign),
}

impl<'f, R: Read + Seek> Groups<'f, R> {
    /// # Errors
    /// [`Error::Invalid`] where the columns are not those of a file of products.
    pub(super) fn open(source: R, format: FileFormat, files: &'f PictureFiles) -> Result<Self> {
        let mut records = Records::open(source)?;
        let head = records.head()?;
        let layout = if format == FileFormat::Shop {
            Layout::Own(Places::of(&head)?)
        } else {
            Layout::Foreign(Foreign::open(format, &head, &mut records)?)
        };
        Ok(Self { files, records, layout, ahead: VecDeque::new() })
    }

    /// The next product, with the rows of its variants.
    ///
    /// # Errors
    /// [`Error::Invalid`] where the file cannot be read on.
    pub(super) fn next(&mut self) -> Result<Option<Group>> {
        let Some(first) = self.row(true)? else { return Ok(None) };
        let mut group = Group::of(first, self.files);
        let slug = group.product.slug();
        while let Some(row) = self.row(false)? {
            if row.cell(Column::Variant).is_empty() {
                self.ahead.push_front(row);
                break;
            }
            group.add(row, slug.as_ref());
        }
        Ok(Some(group))
    }

    pub(super) fn bytes_read(&self) -> u64 {
        self.records.place().byte()
    }

    /// The next row; of other programs' files only one of the same product, but for the first.
    fn row(&mut self, first: bool) -> Result<Option<Row>> {
        if let Some(row) = self.ahead.pop_front() {
            return Ok(Some(row));
        }
        match &mut self.layout {
            Layout::Own(places) => {
                let record = self.records.next()?;
                Ok(record.map(|record| Row::of(&record, places)))
            }
            Layout::Foreign(_) if !first => Ok(None),
            Layout::Foreign(foreign) => {
                self.ahead = foreign.next(&mut self.records)?.into();
                Ok(self.ahead.pop_front())
            }
        }
    }
}
