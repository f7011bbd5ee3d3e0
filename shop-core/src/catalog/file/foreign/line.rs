//! A line of another program's file, its cells found by the names of their columns.

use std::io::{Read, Seek};

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::catalog::file::column::Column;
use crate::catalog::file::records::{Record, Records};
use crate::catalog::file::row::Cells;
use crate::catalog::file::values::unguarded;
use crate::error::{Error, Result};
use crate::value::InvalidValue;

/// What Windows-1252, in which spreadsheet programs save, has from 0x80 to 0x9f.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// The names of the columns.
pub(super) struct Lines {
    names: Vec<String>,
}

/// A line of the file.
pub(super) struct Line {
    pub(super) number: u64,
    cells: Vec<String>,
}

/// Where a column stands; none where the file does not have it.
pub(super) type Place = Option<usize>;

impl Lines {
    pub(super) fn of(head: &csv::ByteRecord) -> Self {
        Self { names: head.iter().map(|name| plain(&decoded(name))).collect() }
    }

    /// Where the first of these columns stands that the file has.
    pub(super) fn place(&self, names: &[&str]) -> Place {
        names.iter().find_map(|name| self.names.iter().position(|own| own == name))
    }

    /// Where the first column stands whose name begins so, and what follows in its name.
    pub(super) fn beginning(&self, beginnings: &[&str]) -> Option<(usize, &str)> {
        let rest = |begins: &&str| {
            let mut names = self.names.iter().enumerate();
            names.find_map(|(place, name)| Some((place, name.strip_prefix(begins)?.trim())))
        };
        beginnings.iter().find_map(rest)
    }

    /// # Errors
    /// [`Error::Invalid`] where the file does not have it.
    pub(super) fn required(&self, name: &'static str, names: &[&str]) -> Result<Place> {
        let place = self.place(names);
        let missing = || Error::field("columns", InvalidValue::MissingColumn { name });
        place.ok_or_else(missing).map(Some)
    }
}

impl Line {
    /// The line that follows; none at the end of the file.
    pub(super) fn next<R: Read + Seek>(records: &mut Records<R>) -> Result<Option<Self>> {
        Ok(records.next()?.as_ref().map(Self::of))
    }

    fn of(record: &Record) -> Self {
        let cells = record.cells.iter().map(|cell| unguarded(decoded(cell).trim()).to_owned());
        Self { number: record.line, cells: cells.collect() }
    }

    /// What a cell says; none where the file does not have its column.
    pub(super) fn at(&self, place: Place) -> Option<&str> {
        place.map(|place| self.cells.get(place).map_or("", String::as_str))
    }

    /// What a cell says, where it says something.
    pub(super) fn said(&self, place: Place) -> Option<&str> {
        self.at(place).filter(|cell| !cell.is_empty())
    }

    pub(super) fn size(&self) -> usize {
        self.cells.iter().map(String::len).sum()
    }
}

/// Text in UTF-8, else in what spreadsheet programs take instead.
fn decoded(cell: &[u8]) -> String {
    let other = |byte: &u8| match byte {
        0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
        byte => char::from(*byte),
    };
    std::str::from_utf8(cell).map_or_else(|_| cell.iter().map(other).collect(), str::to_owned)
}

/// A name without accents, case and signs: `Preço (R$)` is `preco r`.
fn plain(name: &str) -> String {
    let letters = name.nfd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase);
    let spaced: String = letters.map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Writes what a row of the shop's own columns says.
#[derive(Default)]
pub(super) struct CellWriter(pub(super) Cells);

impl CellWriter {
    pub(super) fn set(&mut self, column: Column, said: Option<String>) {
        self.0[column as usize] = said;
    }

    pub(super) fn text(&mut self, column: Column, said: Option<&str>) {
        self.set(column, said.map(str::to_owned));
    }
}

/// What may stand around an amount of money, around a side and around units.
const MONEY: &[&str] = &["r$", "brl"];
const CENTIMETRES: &[&str] = &["cm"];
const PIECES: &[&str] = &["un", "un.", "unidade", "unidades"];

/// A number as programs write it, with a point for its decimals: `R$ 1.234,50` is `1234.50`. None
/// where the cell says anything else beside such a unit: nobody knows which of its digits count.
pub(super) fn number(text: &str, units: &[&str]) -> Option<String> {
    let text = text.trim_start_matches('\'').trim().to_lowercase();
    let bare = units.iter().find_map(|unit| text.strip_prefix(unit).or(text.strip_suffix(unit)));
    let bare = bare.map_or(text.as_str(), str::trim);
    let (sign, digits) = bare.strip_prefix('-').map_or(("", bare), |digits| ("-", digits));
    let decimal = match (digits.rfind('.'), digits.rfind(',')) {
        (Some(point), Some(comma)) => Some(point.max(comma)),
        (Some(point), None) if digits.matches('.').count() == 1 => Some(point),
        (None, Some(comma)) if digits.matches(',').count() == 1 => Some(comma),
        _ => None,
    };
    let (whole, rest) =
        decimal.map_or((digits, None), |place| (&digits[..place], Some(&digits[place + 1..])));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let whole = without_thousands(whole).filter(|whole| is_digits(whole))?;
    match rest {
        Some(rest) if is_digits(rest) && !rest.is_empty() => Some(format!("{sign}{whole}.{rest}")),
        None if !whole.is_empty() => Some(format!("{sign}{whole}")),
        _ => None,
    }
}

/// The digits of a whole number without the signs between its thousands; none where they stand
/// between anything else, as in a date.
fn without_thousands(whole: &str) -> Option<String> {
    let groups: Vec<&str> = whole.split(['.', ',']).collect();
    let (first, others) = groups.split_first()?;
    let are_thousands = others.iter().all(|group| group.len() == 3) && matches!(first.len(), 1..=3);
    (others.is_empty() || are_thousands).then(|| groups.concat())
}

/// What a cell says as a number, nothing where that is zero. What is none stays as it is, to be
/// refused as the cell of the shop's own column.
pub(super) fn amount(text: &str, units: &[&str]) -> String {
    match number(text, units) {
        Some(number) if number.contains(|c: char| matches!(c, '1'..='9')) => number,
        Some(_) => String::new(),
        None => text.to_owned(),
    }
}

/// A price; nothing is one of zero.
pub(super) fn price(text: &str) -> String {
    amount(text, MONEY)
}

/// A side in centimetres; nothing is one of zero.
pub(super) fn side(text: &str) -> String {
    amount(text, CENTIMETRES)
}

/// Whole units; none where the cell says nothing. Shops that sell what they do not have count below
/// zero.
pub(super) fn units(text: &str) -> Option<String> {
    let Some(number) = number(text, PIECES) else {
        return (!text.is_empty()).then(|| text.to_owned());
    };
    if number.starts_with('-') {
        return Some("0".to_owned());
    }
    // `1.000` may be a thousand: it stays as it is, which is no whole number.
    let is_nothing = |rest: &str| rest.len() != 3 && rest.chars().all(|c| c == '0');
    let whole = number.split_once('.').filter(|(_, rest)| is_nothing(rest));
    Some(whole.map_or(number.clone(), |(whole, _)| whole.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_each_country_writes_them() {
        for (text, read) in [
            ("49.90", "49.90"),
            ("49,90", "49.90"),
            ("R$ 1.234,50", "1234.50"),
            ("1,234.50", "1234.50"),
            ("1.234.567", "1234567"),
            ("BRL 10", "10"),
            ("'10,00 R$ ", "10.00"),
            ("-3", "-3"),
        ] {
            assert_eq!(number(text, MONEY).as_deref(), Some(read), "{text}");
        }
        for text in [
            "",
            "-",
            "1e3",
            "2x 10,00",
            "10 / 12",
            "10,00 (pix 9,00)",
            "01.02.2024",
            "5-",
            "1.",
            "3 kg",
            "1234.567.890",
        ] {
            assert_eq!(number(text, MONEY), None, "{text}");
        }
        assert_eq!((price("0.00"), price("0,10")), (String::new(), "0.10".to_owned()));
        assert_eq!((price("a combinar"), side("8,5 cm")), ("a combinar".into(), "8.5".into()));
        assert_eq!((units("5 un"), units("1e2")), (Some("5".into()), Some("1e2".into())));
        assert_eq!((units("-3"), units("5.00")), (Some("0".into()), Some("5".into())));
        assert_eq!((units(""), units("2.5")), (None, Some("2.5".into())));
        assert_eq!(units("1.000"), Some("1.000".into()), "one or a thousand");
    }

    #[test]
    fn names_and_texts_are_read_in_either_encoding() {
        assert_eq!(plain("Valor(es) da Variação 1"), "valor es da variacao 1");
        assert_eq!(decoded("Preço".as_bytes()), "Preço");
        assert_eq!(decoded(b"Pre\xe7o \x96 \x80"), "Preço – €");
    }
}
