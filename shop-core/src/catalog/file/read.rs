//! Reads a file product by product. Whatever is in it, no more than one product is in memory.

use std::io::{Read, Seek, SeekFrom};

use super::column::Column;
use super::group::Group;
use super::row::Row;
use crate::error::{Error, Result};
use crate::value::InvalidValue;

/// Bytes of a row at most: of a quote that is never closed not all of the file is read.
const MAX_ROW: u64 = 1 << 20;
/// What a reader takes at once ahead of the row.
const AHEAD: usize = 8 << 10;

/// The products of a file, one by one.
pub(super) struct Groups<R: Read> {
    reader: csv::Reader<Bounded<R>>,
    /// Where each column stands in a row.
    places: [Option<usize>; Column::ALL.len()],
    width: usize,
    /// Where the file ends, if not with a line's end.
    open_end: Option<u64>,
    /// The first row of the next product.
    ahead: Option<Row>,
}

impl<R: Read + Seek> Groups<R> {
    /// # Errors
    /// [`Error::Invalid`] where the columns are not those of a file of products.
    pub(super) fn open(mut source: R) -> Result<Self> {
        let open_end = open_end(&mut source).map_err(Error::from_source)?;
        let delimiter = delimiter(&mut source).map_err(Error::from_source)?;
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            // A CR before it is trimmed; a reader that looks for both loses count of the lines.
            .terminator(csv::Terminator::Any(b'\n'))
            .flexible(true)
            .has_headers(false)
            .buffer_capacity(AHEAD)
            .from_reader(Bounded { inner: source, left: MAX_ROW });
        let mut head = csv::ByteRecord::new();
        reader.read_byte_record(&mut head).map_err(unreadable)?;
        let names: Vec<String> = head.iter().map(column_name).collect();
        let places = places(&names)?;
        let mut groups = Self { reader, places, width: names.len(), open_end, ahead: None };
        groups.ahead = groups.row()?;
        Ok(groups)
    }

    /// The next product, with the rows of its variants.
    ///
    /// # Errors
    /// [`Error::Invalid`] where the file cannot be read on.
    pub(super) fn next(&mut self) -> Result<Option<Group>> {
        let Some(mut first) = self.ahead.take() else { return Ok(None) };
        let line = first.line;
        let mut product = first.product();
        let mut group = Group { line, rows: 1, bad: first.bad, product: None };
        loop {
            let Some(mut row) = self.row()? else { break };
            if row.cell(Column::Variant).is_empty() {
                self.ahead = Some(row);
                break;
            }
            group.rows += 1;
            let others = product.as_ref().map_or(&[][..], |product| &product.variants);
            let variant = row.variant(product.as_ref().map(|p| &p.new.slug), others);
            group.bad.append(&mut row.bad);
            if let (Some(product), Some(variant)) = (&mut product, variant) {
                product.variants.push(variant);
            }
        }
        group.product = product;
        Ok(Some(group))
    }

    pub(super) fn bytes_read(&self) -> u64 {
        self.reader.position().byte()
    }

    /// The next row that says something.
    fn row(&mut self) -> Result<Option<Row>> {
        let mut record = csv::ByteRecord::new();
        loop {
            self.reader.get_mut().left = MAX_ROW;
            if !self.reader.read_byte_record(&mut record).map_err(unreadable)? {
                return Ok(None);
            }
            if record.iter().any(|cell| !cell.trim_ascii().is_empty()) {
                let line = self.line_of(&record);
                return Ok(Some(Row::of(&record, line, &self.places, self.width)));
            }
        }
    }

    /// On which line a row begins that was just read. The record itself says where the reader
    /// began to look for it, which may be an empty line.
    fn line_of(&self, record: &csv::ByteRecord) -> u64 {
        let within = record.as_slice().split(|byte| *byte == b'\n').count() as u64 - 1;
        let at = self.reader.position();
        let ended = u64::from(self.open_end != Some(at.byte()));
        at.line().saturating_sub(within + ended)
    }
}

fn open_end(source: &mut (impl Read + Seek)) -> std::io::Result<Option<u64>> {
    let end = source.seek(SeekFrom::End(0))?;
    let mut last = [b'\n'];
    if end > 0 {
        source.seek(SeekFrom::End(-1))?;
        source.read_exact(&mut last)?;
    }
    Ok((last != [b'\n']).then_some(end))
}

/// What stands between cells is in the first line.
fn delimiter(source: &mut (impl Read + Seek)) -> std::io::Result<u8> {
    source.seek(SeekFrom::Start(0))?;
    let mut first = Vec::new();
    source.by_ref().take(4096).read_to_end(&mut first)?;
    source.seek(SeekFrom::Start(0))?;
    let line = first.split(|byte| *byte == b'\n').next().unwrap_or_default();
    Ok(if line.contains(&b';') { b';' } else { b',' })
}

fn column_name(cell: &[u8]) -> String {
    let name = String::from_utf8_lossy(cell);
    name.trim_start_matches('\u{feff}').trim().to_lowercase()
}

fn places(names: &[String]) -> Result<[Option<usize>; Column::ALL.len()]> {
    let known = |name: &String| Column::ALL.iter().any(|column| column.as_str() == name);
    if let Some(unknown) = names.iter().find(|name| !known(name)) {
        return Err(Error::field("columns", InvalidValue::UnknownColumn { name: unknown.clone() }));
    }
    let places = Column::ALL.map(|column| names.iter().position(|name| column.as_str() == name));
    for column in [Column::Name, Column::Price] {
        if places[column as usize].is_none() {
            return Err(Error::field(
                "columns",
                InvalidValue::MissingColumn { name: column.as_str() },
            ));
        }
    }
    let repeated = |(index, name): (usize, &String)| names[..index].contains(name);
    if let Some((_, name)) = names.iter().enumerate().find(|each| repeated(*each)) {
        return Err(Error::field("columns", InvalidValue::RepeatedColumn { name: name.clone() }));
    }
    Ok(places)
}

fn unreadable(error: csv::Error) -> Error {
    let line = error.position().map_or(0, csv::Position::line);
    match error.into_kind() {
        csv::ErrorKind::Io(error) if error.kind() == std::io::ErrorKind::FileTooLarge => {
            Error::field("file", InvalidValue::LongLine { line })
        }
        csv::ErrorKind::Io(error) => Error::from_source(error),
        _ => Error::field("file", InvalidValue::NotCsv { line }),
    }
}

/// A reader that gives no more than a row may have.
struct Bounded<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.left == 0 {
            return Err(std::io::ErrorKind::FileTooLarge.into());
        }
        let read = self.inner.read(buffer)?;
        self.left = self.left.saturating_sub(read as u64);
        Ok(read)
    }
}
