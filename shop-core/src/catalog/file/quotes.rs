//! Whether the quotes of a CSV file end as they must, which the reader of records does not tell: to
//! it the end of the file closes a quote, and text behind a closing quote belongs to the cell.

/// What some programs begin a file in UTF-8 with. It is no part of the first cell.
const MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

/// Goes over the bytes of a file as they are read, which is ahead of the records.
pub(super) struct Quotes {
    delimiter: u8,
    place: Place,
    /// The byte that comes next.
    at: u64,
    /// The first byte that is wrong; of a quote that is open at the end, the end of the file.
    bad: Option<u64>,
}

/// Where in a cell a byte stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Start,
    /// In a cell without quotes, where they are signs as others are.
    Plain,
    Quoted,
    /// Behind a quote that closes the cell, or is the first one of two.
    Quote,
    /// Behind blanks that follow the closing quote.
    Closed,
}

impl Quotes {
    pub(super) fn new(delimiter: u8) -> Self {
        Self { delimiter, place: Place::Start, at: 0, bad: None }
    }

    /// Goes on at the beginning of a record.
    pub(super) fn go_to(&mut self, at: u64) {
        *self = Self { at, ..Self::new(self.delimiter) };
    }

    pub(super) fn read(&mut self, bytes: &[u8]) {
        for byte in bytes {
            let marked = usize::try_from(self.at).ok().and_then(|at| MARK.get(at));
            if marked != Some(byte) {
                self.step(*byte);
            }
            self.at += 1;
        }
    }

    /// The file ends here.
    pub(super) fn end(&mut self) {
        if self.place == Place::Quoted {
            self.bad.get_or_insert(self.at.saturating_sub(1));
        }
    }

    /// Whether a quote is wrong that stands before a byte.
    pub(super) fn are_bad_before(&self, byte: u64) -> bool {
        self.bad.is_some_and(|bad| bad < byte)
    }

    fn step(&mut self, byte: u8) {
        let ends = byte == self.delimiter || byte == b'\n';
        self.place = match self.place {
            Place::Quoted if byte == b'"' => Place::Quote,
            Place::Quoted => Place::Quoted,
            Place::Quote if byte == b'"' => Place::Quoted,
            _ if ends => Place::Start,
            Place::Start if byte == b'"' => Place::Quoted,
            Place::Start | Place::Plain => Place::Plain,
            Place::Quote | Place::Closed if byte.is_ascii_whitespace() => Place::Closed,
            Place::Quote | Place::Closed => {
                self.bad.get_or_insert(self.at);
                Place::Plain
            }
        };
    }
}
