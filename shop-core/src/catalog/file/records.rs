//! Reads a CSV file record by record. Whatever is in it, no more than one record is in memory.

use std::io::{Read, Seek, SeekFrom};

use super::quotes::Quotes;
use crate::error::{Error, Result};
use crate::value::InvalidValue;

/// Bytes of a record at most: of a quote that is never closed not all of the file is read.
const MAX_RECORD: u64 = 1 << 20;
/// What a reader takes at once ahead of the record.
const AHEAD: usize = 8 << 10;

/// The records of a file, one by one.
pub(super) struct Records<R: Read> {
    reader: csv::Reader<Bounded<R>>,
    /// Where the file ends, if not with a line's end.
    open_end: Option<u64>,
}

/// A record with the line on which it begins.
pub(super) struct Record {
    pub(super) line: u64,
    pub(super) cells: csv::ByteRecord,
    /// Whether the file ends behind it without a line's end.
    pub(super) is_open_ended: bool,
}

impl<R: Read + Seek> Records<R> {
    pub(super) fn open(mut source: R) -> Result<Self> {
        let open_end = open_end(&mut source).map_err(Error::from_source)?;
        let delimiter = delimiter(&mut source).map_err(Error::from_source)?;
        let reader = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            // A CR before it is trimmed; a reader that looks for both loses count of the lines.
            .terminator(csv::Terminator::Any(b'\n'))
            .flexible(true)
            .has_headers(false)
            .buffer_capacity(AHEAD)
            .from_reader(Bounded {
                inner: source,
                left: MAX_RECORD,
                quotes: Quotes::new(delimiter),
            });
        Ok(Self { reader, open_end })
    }

    /// The names of the columns.
    pub(super) fn head(&mut self) -> Result<csv::ByteRecord> {
        let mut head = csv::ByteRecord::new();
        self.reader.read_byte_record(&mut head).map_err(|error| unreadable(error, 1))?;
        self.refuse_bad_quotes(1)?;
        Ok(head)
    }

    /// The next record that says something.
    pub(super) fn next(&mut self) -> Result<Option<Record>> {
        let mut cells = csv::ByteRecord::new();
        loop {
            self.reader.get_mut().left = MAX_RECORD;
            let from = self.reader.position().line();
            let read = self.reader.read_byte_record(&mut cells);
            if !read.map_err(|error| unreadable(error, from))? {
                return Ok(None);
            }
            self.refuse_bad_quotes(self.line_of(&cells).max(from))?;
            if cells.iter().any(|cell| !cell.trim_ascii().is_empty()) {
                // Not before that: of a quote that is never closed the last line's end is within.
                let line = self.line_of(&cells).max(from);
                return Ok(Some(Record { line, cells, is_open_ended: self.is_at_open_end() }));
            }
        }
    }

    /// Where the next record is looked for.
    pub(super) fn place(&self) -> csv::Position {
        self.reader.position().clone()
    }

    /// Goes on from a place that [`Records::place`] gave.
    pub(super) fn go_to(&mut self, place: csv::Position) -> Result<()> {
        self.reader.get_mut().left = MAX_RECORD;
        let line = place.line();
        self.reader.seek(place).map_err(|error| unreadable(error, line))
    }

    /// Refuses the file where the quotes of the record that was just read do not end as they must:
    /// the reader takes the end of the file for a closing quote, and with it every line up to
    /// there.
    fn refuse_bad_quotes(&self, line: u64) -> Result<()> {
        if self.reader.get_ref().quotes.are_bad_before(self.reader.position().byte()) {
            return Err(Error::field("file", InvalidValue::LongLine { line }));
        }
        Ok(())
    }

    fn is_at_open_end(&self) -> bool {
        self.open_end == Some(self.reader.position().byte())
    }

    /// On which line a record begins that was just read. The record itself says where the reader
    /// began to look for it, which may be an empty line.
    fn line_of(&self, cells: &csv::ByteRecord) -> u64 {
        let within = cells.as_slice().split(|byte| *byte == b'\n').count() as u64 - 1;
        let at = self.reader.position();
        let ended = u64::from(!self.is_at_open_end());
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

/// Of a record that was looked for from a line on.
fn unreadable(error: csv::Error, from: u64) -> Error {
    let line = error.position().map_or(from, csv::Position::line);
    match error.into_kind() {
        csv::ErrorKind::Io(error) if error.kind() == std::io::ErrorKind::FileTooLarge => {
            Error::field("file", InvalidValue::LongLine { line })
        }
        csv::ErrorKind::Io(error) => Error::from_source(error),
        _ => Error::field("file", InvalidValue::NotCsv { line }),
    }
}

/// A reader that gives no more than a record may have, and looks at the quotes of what it gives.
struct Bounded<R> {
    inner: R,
    left: u64,
    quotes: Quotes,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.left == 0 {
            return Err(std::io::ErrorKind::FileTooLarge.into());
        }
        let read = self.inner.read(buffer)?;
        self.left = self.left.saturating_sub(read as u64);
        match read {
            0 if !buffer.is_empty() => self.quotes.end(),
            _ => self.quotes.read(&buffer[..read]),
        }
        Ok(read)
    }
}

impl<R: Seek> Seek for Bounded<R> {
    fn seek(&mut self, place: SeekFrom) -> std::io::Result<u64> {
        let at = self.inner.seek(place)?;
        // The reader goes to beginnings of records only.
        self.quotes.go_to(at);
        Ok(at)
    }
}
