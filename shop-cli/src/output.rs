//! Results on stdout: a table for people, JSON for scripts.

use std::io::Write;

use clap::ValueEnum;
use serde::Serialize;

use crate::failure::Failure;

/// How results are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Columns of text, for people
    Table,
    /// What the library answered, for scripts
    Json,
}

/// A result as people read it: named columns, and a row for each thing.
#[derive(Debug)]
pub(crate) struct Table<const COLUMNS: usize> {
    pub(crate) head: [&'static str; COLUMNS],
    pub(crate) rows: Vec<[String; COLUMNS]>,
}

impl Format {
    /// Writes a result; the table is only made where it is wanted.
    pub(crate) fn write<const COLUMNS: usize>(
        self,
        result: &impl Serialize,
        table: impl FnOnce() -> Table<COLUMNS>,
    ) -> Result<(), Failure> {
        let text = match self {
            Self::Table => table().to_text(),
            Self::Json => {
                let json = serde_json::to_string_pretty(result).map_err(std::io::Error::from)?;
                format!("{json}\n")
            }
        };
        match std::io::stdout().write_all(text.as_bytes()) {
            // Whoever reads has seen enough, as with `| head`.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            outcome => Ok(outcome?),
        }
    }
}

impl<const COLUMNS: usize> Table<COLUMNS> {
    fn to_text(&self) -> String {
        let head = self.head.map(str::to_owned);
        let mut text = String::new();
        for row in std::iter::once(&head).chain(&self.rows) {
            let cells = row.iter().enumerate().map(|(column, cell)| {
                let width = self.width(column);
                format!("{}  ", pad(cell, width))
            });
            text.push_str(cells.collect::<String>().trim_end());
            text.push('\n');
        }
        text
    }

    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().map(|row| row[column].chars().count());
        cells.chain([self.head[column].len()]).max().unwrap_or_default()
    }
}

/// Without control characters: a name in the database must not steer anybody's terminal.
fn pad(cell: &str, width: usize) -> String {
    let plain: String = cell.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("{plain:width$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let row = |name: &str, role: &str| [name.to_owned(), role.to_owned()];
        let table = Table {
            head: ["NAME", "ROLE"],
            rows: vec![row("Conceição", "ADMIN"), row("A\u{1b}[2J", "")],
        };
        let expected = "NAME       ROLE\nConceição  ADMIN\nA [2J\n";
        assert_eq!(table.to_text(), expected);
    }
}
