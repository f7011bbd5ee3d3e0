//! Results on stdout: a table for people, JSON or CSV for scripts.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};

use anstyle::{AnsiColor, Style};
use clap::ValueEnum;
use serde::Serialize;

use crate::failure::Failure;

/// How results are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Columns of text, for people
    Table,
    /// What the library answered, for scripts; errors are JSON too
    Json,
    /// The table's columns as CSV, for scripts
    Csv,
}

/// A result as people read it: named columns, and a row for each thing.
#[derive(Debug)]
pub(crate) struct Table<const COLUMNS: usize> {
    pub(crate) head: [&'static str; COLUMNS],
    pub(crate) rows: Vec<[String; COLUMNS]>,
}

const HEAD: Style = Style::new().bold();
const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();

impl Format {
    /// Writes a result; the table is only made where it is wanted.
    pub(crate) fn write<const COLUMNS: usize>(
        self,
        result: &impl Serialize,
        table: impl FnOnce() -> Table<COLUMNS>,
    ) -> Result<(), Failure> {
        let text = match self {
            Self::Table => table().to_text(HEAD).into_bytes(),
            Self::Csv => table().to_csv()?.into_bytes(),
            Self::Json => {
                let mut json = serde_json::to_vec_pretty(result).map_err(io::Error::from)?;
                json.push(b'\n');
                json
            }
        };
        // Takes the colours out unless a person reads and wants them (NO_COLOR, CLICOLOR, TERM).
        written(anstream::stdout().write_all(&text))
    }

    /// Whether arguments that cannot be parsed ask for JSON.
    pub(crate) fn asks_for_json(arguments: impl Iterator<Item = OsString>) -> bool {
        let arguments: Vec<_> = arguments.collect();
        arguments.windows(2).any(|it| it[0] == "--format" && it[1] == "json")
            || arguments.iter().any(|it| it == "--format=json")
    }

    /// Tells on stderr why a command failed.
    pub(crate) fn write_failure(self, failure: &Failure) {
        let mut stderr = anstream::stderr();
        // With stderr closed there is no way left to report it.
        drop(match self {
            Self::Json => writeln!(stderr, "{}", failure.to_json()),
            Self::Table | Self::Csv => {
                writeln!(stderr, "{ERROR}error:{ERROR:#} {}", plain(&failure.to_string()))
            }
        });
    }
}

/// What is wrong with a command, of all that clap tells about it, in one line.
pub(crate) fn usage(told: &str) -> String {
    let first = told.split("\n\n").next().unwrap_or_default();
    let words: Vec<_> = first.trim_start_matches("error: ").split_whitespace().collect();
    words.join(" ")
}

/// Says something on stderr that stops nothing.
pub(crate) fn warn(text: &str) {
    drop(writeln!(anstream::stderr(), "{WARNING}warning:{WARNING:#} {}", plain(text)));
}

/// Says something on stderr for people; it is no part of the result.
pub(crate) fn note(text: &str) {
    drop(writeln!(anstream::stderr(), "{}", plain(text)));
}

/// What became of writing to stdout, as a command's end.
pub(crate) fn written(outcome: io::Result<()>) -> Result<(), Failure> {
    match outcome {
        // The reader has closed the pipe, as `| head` does.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        outcome => Ok(outcome?),
    }
}

/// Asks whether to go on with what cannot be taken back. `yes` says that `--yes` was given; where
/// standard input is no terminal, nothing is done without it.
pub(crate) fn confirm(yes: bool, deed: &str) -> Result<(), Failure> {
    if yes {
        return Ok(());
    }
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        let text = format!("{deed}: standard input is no terminal; give --yes");
        return Err(Failure::not_confirmed(text));
    }
    write!(anstream::stderr(), "{}. Go on? [y/N] ", plain(deed))?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    match answer.trim() {
        "y" | "Y" | "yes" => Ok(()),
        _ => Err(Failure::not_confirmed("nothing was done")),
    }
}

impl<const COLUMNS: usize> Table<COLUMNS> {
    fn to_text(&self, style: Style) -> String {
        let line = |row: &[String; COLUMNS]| {
            let cells = row.iter().enumerate();
            let line = cells.fold(String::new(), |line, (column, cell)| {
                format!("{line}{:1$}  ", plain(cell), self.width(column))
            });
            line.trim_end().to_owned()
        };
        let mut text = format!("{style}{}{style:#}\n", line(&self.head.map(str::to_owned)));
        for row in &self.rows {
            text.push_str(&line(row));
            text.push('\n');
        }
        text
    }

    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().map(|row| row[column].chars().count());
        cells.chain([self.head[column].len()]).max().unwrap_or_default()
    }

    /// Names of columns are `lower_case`; cells are as they are.
    fn to_csv(&self) -> Result<String, Failure> {
        let head = self.head.map(|name| name.to_lowercase().replace([' ', '-'], "_"));
        std::iter::once(&head).chain(&self.rows).map(|row| csv_row(row)).collect()
    }
}

/// A row of a CSV file.
pub(crate) fn csv_row(cells: &[impl AsRef<[u8]>]) -> Result<String, Failure> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(cells).map_err(io::Error::from)?;
    let row = writer.into_inner().map_err(|error| Failure::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&row).into_owned())
}

/// Without control characters: a name in the database must not control the terminal.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table<2> {
        let row = |name: &str, role: &str| [name.to_owned(), role.to_owned()];
        Table {
            head: ["FULL NAME", "ROLE"],
            rows: vec![row("Conceição", "ADMIN"), row("A\u{1b}[2J, \"B\"", "")],
        }
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let expected = "FULL NAME   ROLE\nConceição   ADMIN\nA [2J, \"B\"\n";
        assert_eq!(table().to_text(Style::new()), expected);
        assert!(table().to_text(HEAD).starts_with("\u{1b}[1mFULL NAME"));
    }

    #[test]
    fn csv_is_quoted_where_it_must_be() {
        let csv = table().to_csv().expect("CSV");
        assert_eq!(csv, "full_name,role\nConceição,ADMIN\n\"A\u{1b}[2J, \"\"B\"\"\",\n");
    }
}
