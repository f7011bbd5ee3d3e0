use std::borrow::Cow;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use clap::{Args, Subcommand};
use serde::Serialize;
use shop_core::Shop;
use shop_core::actor::Actor;
use shop_core::catalog::{BadRow, ImportProducts, ImportStep, ImportWatch, ProductImport};
use shop_server::portuguese;

use crate::failure::Failure;
use crate::output::{self, Format, Table};
use crate::progress::Progress;

/// Bad rows of a report in JSON at most: it is one object, which is in memory as a whole.
const MAX_IN_JSON: usize = 10_000;

/// Files into the shop.
#[derive(Debug, Subcommand)]
pub(crate) enum Imports {
    /// Adds the products of a CSV file (docs/cli.md has its columns): all of them, or none where a
    /// row is bad
    Products(Import),
}

#[derive(Debug, Args)]
pub(crate) struct Import {
    /// A file as `export products` writes it
    file: PathBuf,
    /// Only says what is wrong with it
    #[arg(long)]
    dry_run: bool,
    /// Takes the products that are right and leaves out the others
    #[arg(long)]
    skip_bad: bool,
}

/// What became of the file, as scripts read it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'a> {
    #[serde(flatten)]
    done: &'a ProductImport,
    bad_rows: &'a [BadCell],
    /// Bad rows that are not named: `--format csv` names all.
    bad_rows_left_out: u64,
}

/// A cell that is wrong, as scripts read it.
#[derive(Serialize)]
struct BadCell {
    line: u64,
    column: String,
    reason: Cow<'static, str>,
}

pub(crate) async fn run(shop: &Shop, import: Import, format: Format) -> Result<(), Failure> {
    let Import { file, dry_run, skip_bad } = import;
    let source = File::open(&file).map_err(|error| Failure::file(&file, &error))?;
    if !source.metadata()?.is_file() {
        return Err(Failure::new(format!("{}: it is no file, and is read twice", file.display())));
    }
    let watch = Arc::new(Watch { format, progress: Progress::new(), kept: Mutex::default() });
    watch.begin();
    let how = ImportProducts { dry_run, skip_bad };
    let watched = Arc::clone(&watch) as Arc<dyn ImportWatch>;
    let done = shop.products().import_csv(&Actor::System, source, how, watched).await?;
    watch.report(&done)?;
    if done.skipped > 0 && !skip_bad {
        let ProductImport { bad, skipped, .. } = done;
        let text = format!("{bad} cells of {skipped} products are bad; nothing was imported");
        return Err(Failure::new(text));
    }
    Ok(())
}

/// Shows what an import finds while it is found.
struct Watch {
    format: Format,
    progress: Progress,
    kept: Mutex<Vec<BadCell>>,
}

impl Watch {
    fn begin(&self) {
        if self.format == Format::Csv {
            self.say("line,column,reason\n");
        }
    }

    fn say(&self, text: &str) {
        // A reader that has closed the pipe does not stop the import.
        drop(self.progress.aside(|| std::io::stdout().write_all(text.as_bytes())));
    }

    fn report(&self, done: &ProductImport) -> Result<(), Failure> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let bad_rows_left_out = done.bad.saturating_sub(kept.len() as u64);
        let report = Report { done, bad_rows: &kept, bad_rows_left_out };
        self.progress.aside(|| match self.format {
            // The bad rows are the result.
            Format::Csv => {
                let (taken, written) = (done.products, done.written);
                output::note(&format!("{} rows, {taken} products, written: {written}", done.rows));
                Ok(())
            }
            format => format.write(&report, || table(done)),
        })
    }
}

impl ImportWatch for Watch {
    fn bad_row(&self, row: &BadRow) {
        let BadRow { line, column, reason, .. } = row;
        let reason = portuguese::text(reason);
        match self.format {
            Format::Table if column.is_empty() => self.say(&format!("line {line}: {reason}\n")),
            Format::Table => self.say(&format!("line {line}: {column}: {reason}\n")),
            Format::Csv => match output::csv_row(&[&*line.to_string(), column, &reason]) {
                Ok(text) => self.say(&text),
                Err(error) => output::warn(&error.to_string()),
            },
            Format::Json => {
                let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
                if kept.len() < MAX_IN_JSON {
                    kept.push(BadCell { line: *line, column: column.clone(), reason });
                }
            }
        }
    }

    fn progress(&self, step: ImportStep, done: u64, of: u64) {
        let name = match step {
            ImportStep::Checking => "checking",
            ImportStep::Writing => "writing",
            _ => "working",
        };
        self.progress.show(name, done, of);
    }
}

fn table(done: &ProductImport) -> Table<6> {
    let ProductImport { rows, bad, skipped, products, variants, written, .. } = done;
    let numbers = [rows, bad, skipped, products, variants].map(ToString::to_string);
    let [rows, bad, skipped, products, variants] = numbers;
    Table {
        head: ["ROWS", "BAD CELLS", "BAD PRODUCTS", "PRODUCTS", "VARIANTS", "WRITTEN"],
        rows: vec![[rows, bad, skipped, products, variants, written.to_string()]],
    }
}
