//! Tables as CSV files that spreadsheet programs open as they are meant.

use serde::Deserialize;

use crate::error::{Error, Result};
use crate::money::Money;
use crate::value::{Length, Weight};

/// What spreadsheet programs take for a formula when a cell begins with it.
pub(crate) const FORMULA: &[char] = &['=', '+', '-', '@', '\t', '\r', '\n'];

/// Whether a spreadsheet program would take a cell for a formula. A phone number is none.
pub(crate) fn is_formula(text: &str) -> bool {
    text.starts_with(FORMULA) && !is_phone(text)
}

/// `+` and behind it digits, spaces, brackets and hyphens only.
fn is_phone(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('+') else { return false };
    let digit = |c: char| c.is_ascii_digit();
    rest.contains(digit) && rest.chars().all(|c| digit(c) || matches!(c, ' ' | '(' | ')' | '-'))
}
/// Tells programs that the file is UTF-8.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// How files for spreadsheet programs are written (`export`).
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExportConfig {
    /// What stands between reais and cents.
    pub decimal: Decimal,
}

/// What stands between reais and cents; and so what stands between cells, which must be something
/// else.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decimal {
    /// `12,90`, and `;` between cells: what programs set to Brazilian Portuguese open.
    #[default]
    Comma,
    /// `12.90`, and `,` between cells.
    Point,
}

/// What stands in a cell.
#[derive(Debug)]
pub(crate) enum Cell<'a> {
    Text(&'a str),
    Number(i64),
    Money(Money),
}

/// Writes rows of cells.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spreadsheet {
    decimal: Decimal,
}

impl Spreadsheet {
    pub(crate) fn new(config: ExportConfig) -> Self {
        Self { decimal: config.decimal }
    }

    /// The beginning of a file, with the names of its columns.
    pub(crate) fn head(self, columns: &[&str]) -> Result<Vec<u8>> {
        let cells = columns.iter().map(|name| Cell::Text(name)).collect();
        let mut file = BYTE_ORDER_MARK.as_bytes().to_vec();
        file.extend(self.rows([cells])?);
        Ok(file)
    }

    pub(crate) fn rows<'a>(self, rows: impl IntoIterator<Item = Vec<Cell<'a>>>) -> Result<Vec<u8>> {
        let delimiter = match self.decimal {
            Decimal::Comma => b';',
            Decimal::Point => b',',
        };
        let mut writer = csv::WriterBuilder::new()
            .delimiter(delimiter)
            .terminator(csv::Terminator::CRLF)
            .from_writer(Vec::new());
        for row in rows {
            let cells = row.iter().map(|cell| self.written(cell));
            writer.write_record(cells).map_err(Error::from_source)?;
        }
        writer.into_inner().map_err(|error| Error::internal(error.to_string()))
    }

    /// What is written into a cell.
    pub(crate) fn written(self, cell: &Cell<'_>) -> String {
        match cell {
            Cell::Text(text) if is_formula(text) => format!("'{text}"),
            Cell::Text(text) => (*text).to_owned(),
            Cell::Number(number) => number.to_string(),
            Cell::Money(money) => {
                let cents = money.cents();
                let (sign, cents) = (if cents < 0 { "-" } else { "" }, cents.unsigned_abs());
                format!("{sign}{}{}{:02}", cents / 100, self.point(), cents % 100)
            }
        }
    }

    /// A weight for a cell, to the gram.
    pub(crate) fn kilograms(self, weight: Weight) -> String {
        let grams = weight.grams();
        format!("{}{}{:03}", grams / 1000, self.point(), grams % 1000)
    }

    /// A length for a cell, to the millimetre.
    pub(crate) fn centimetres(self, length: Length) -> String {
        let millimetres = length.millimetres();
        format!("{}{}{}", millimetres / 10, self.point(), millimetres % 10)
    }

    fn point(self) -> char {
        if self.decimal == Decimal::Comma { ',' } else { '.' }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(decimal: Decimal, cells: Vec<Cell<'_>>) -> String {
        let sheet = Spreadsheet::new(ExportConfig { decimal });
        String::from_utf8(sheet.rows([cells]).expect("a row")).expect("UTF-8")
    }

    #[test]
    fn no_text_is_taken_for_a_formula_and_numbers_and_phones_stay_themselves() {
        for text in ["=1+1", "+", "+A1", "+1+1", "+5*5", "+55 11 =1", "+()", "-2", "@SUM(A1)"] {
            assert_eq!(written(Decimal::Comma, vec![Cell::Text(text)]), format!("'{text}\r\n"));
        }
        for phone in ["+5511999990000", "+55 11", "+55 (11) 99999-0000"] {
            assert_eq!(written(Decimal::Comma, vec![Cell::Text(phone)]), format!("{phone}\r\n"));
        }
        assert_eq!(written(Decimal::Comma, vec![Cell::Text("\t=1")]), "'\t=1\r\n");
        assert_eq!(written(Decimal::Comma, vec![Cell::Text("\r=1")]), "\"'\r=1\"\r\n");
        let money = |cents| Cell::Money(Money::from_cents(cents));
        let numbers = || vec![money(-5), money(129_000), Cell::Number(-3), Cell::Text("a;b,\"c\"")];
        let comma = "-0,05;1290,00;-3;\"a;b,\"\"c\"\"\"\r\n";
        let point = "-0.05,1290.00,-3,\"a;b,\"\"c\"\"\"\r\n";
        assert_eq!(written(Decimal::Comma, numbers()), comma);
        assert_eq!(written(Decimal::Point, numbers()), point);
    }
}
