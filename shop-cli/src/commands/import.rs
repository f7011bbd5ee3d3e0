use std::borrow::Cow;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use clap::{Args, Subcommand, ValueEnum};
use serde::Serialize;
use shop_core::actor::Actor;
use shop_core::catalog::{
    BadRow, FileFormat, ImportProducts, ImportStep, ImportWatch, ImportedRow, OnlyProducts,
    PictureFiles, ProductImport, RowOutcome,
};
use shop_core::{Error, Shop};
use shop_server::portuguese;

use super::import_pictures;
use crate::failure::{Failure, text_of};
use crate::output::{self, Format, Table};
use crate::progress::Progress;

/// Bad rows and changes of a report in JSON at most, each: it is one object, which is in memory as
/// a whole.
const MAX_IN_JSON: usize = 10_000;

/// Files into the shop.
#[derive(Debug, Subcommand)]
pub(crate) enum Imports {
    /// Adds and changes products as a CSV file says (docs/cli.md has its columns): all of them, or
    /// none where a row is bad
    Products(Import),
}

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "they are flags of the command line")]
pub(crate) struct Import {
    /// A file as `export products` or another program writes it
    file: PathBuf,
    /// Whose columns it has
    #[arg(long, value_enum, default_value = "shop")]
    from: Program,
    /// Only says what is wrong with it, and what it would change, cell by cell
    #[arg(long)]
    dry_run: bool,
    /// Takes the products that are right and leaves out the others
    #[arg(long)]
    skip_bad: bool,
    /// Leaves products as they are that the shop has, by their SKU, else by their slug
    #[arg(long)]
    only_new: bool,
    /// Leaves out products that the shop does not have
    #[arg(long, conflicts_with = "only_new")]
    only_existing: bool,
    /// Leaves the units as they are of what the shop has
    #[arg(long)]
    keep_stock: bool,
    /// Uploads the pictures of this folder, which cells then name by their files (`mel.jpg`)
    #[arg(long, value_name = "FOLDER")]
    pictures: Option<PathBuf>,
}

/// Whose columns a file of products has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Program {
    /// The shop's own
    Shop,
    /// `WooCommerce`'s product export
    Woocommerce,
    /// Shopify's product export
    Shopify,
    /// Nuvemshop's product export
    Nuvemshop,
}

impl Import {
    fn how(&self) -> ImportProducts {
        let only = match (self.only_new, self.only_existing) {
            (true, _) => Some(OnlyProducts::New),
            (false, true) => Some(OnlyProducts::Existing),
            (false, false) => None,
        };
        let from = match self.from {
            Program::Shop => FileFormat::Shop,
            Program::Woocommerce => FileFormat::WooCommerce,
            Program::Shopify => FileFormat::Shopify,
            Program::Nuvemshop => FileFormat::Nuvemshop,
        };
        let Self { dry_run, skip_bad, keep_stock, .. } = *self;
        ImportProducts { dry_run, skip_bad, only, keep_stock, from }
    }
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
    /// What a dry run would make and change.
    changes: &'a [ImportedRow],
    /// Rows of these that are not named.
    changes_left_out: u64,
}

/// A cell that is wrong, as scripts read it.
#[derive(Serialize)]
struct BadCell {
    line: u64,
    column: String,
    reason: Cow<'static, str>,
}

pub(crate) async fn run(shop: &Shop, import: Import, format: Format) -> Result<(), Failure> {
    let (how, Import { file, pictures, .. }) = (import.how(), import);
    let source = File::open(&file).map_err(|error| Failure::file(&file, &error))?;
    if !source.metadata()?.is_file() {
        return Err(Failure::new(format!("{}: it is no file, and is read twice", file.display())));
    }
    let dry_run = how.dry_run;
    let (progress, kept, lost) = (Progress::new(), Mutex::default(), Mutex::default());
    let watch = Arc::new(Watch { format, dry_run, progress, kept, lost });
    watch.begin();
    let files = match pictures {
        Some(folder) => import_pictures::upload(shop, &folder, dry_run, &watch.progress).await?,
        None => PictureFiles::new(),
    };
    let watched = Arc::clone(&watch) as Arc<dyn ImportWatch>;
    let products = shop.products();
    let done = products.import_csv_with_pictures(&Actor::System, source, how, files, watched);
    let done = done.await?;
    watch.report(&done)?;
    if done.skipped > 0 && !how.skip_bad {
        let ProductImport { bad, skipped, .. } = done;
        let text = if done.written {
            format!("{skipped} products could not be written any more; the others were imported")
        } else {
            format!("{bad} cells of {skipped} products are bad; nothing was imported")
        };
        return Err(Failure::new(text));
    }
    Ok(())
}

/// Shows what an import finds while it is found.
struct Watch {
    format: Format,
    dry_run: bool,
    progress: Progress,
    kept: Mutex<Kept>,
    /// Why something of the report could not be written.
    lost: Mutex<Option<io::Error>>,
}

/// What a report in JSON names.
#[derive(Default)]
struct Kept {
    bad: Vec<BadCell>,
    changes: Vec<ImportedRow>,
    changes_left_out: u64,
}

impl Watch {
    fn begin(&self) {
        if self.format == Format::Csv {
            let dry = "line,outcome,slug,variant,column,before,after,reason\n";
            self.say(if self.dry_run { dry } else { "line,column,reason\n" });
        }
    }

    fn say(&self, text: &str) {
        // It does not stop the import; what became of the report is told at the end.
        if let Err(error) = self.progress.aside(|| io::stdout().write_all(text.as_bytes())) {
            self.lost.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    }

    /// What became of the rows of the report.
    fn told(&self) -> Result<(), Failure> {
        let lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner).take();
        output::written(lost.map_or(Ok(()), Err))
    }

    fn say_csv(&self, cells: &[&str]) {
        match output::csv_row(cells) {
            Ok(text) => self.say(&text),
            Err(error) => output::warn(&error.to_string()),
        }
    }

    fn report(&self, done: &ProductImport) -> Result<(), Failure> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let report = Report {
            done,
            bad_rows: &kept.bad,
            bad_rows_left_out: done.bad.saturating_sub(kept.bad.len() as u64),
            changes: &kept.changes,
            changes_left_out: kept.changes_left_out,
        };
        let reported = self.progress.aside(|| match self.format {
            // The rows are the result.
            Format::Csv => {
                let ProductImport { rows, created, updated, written, .. } = done;
                let text = format!("{rows} rows, {created} new and {updated} changed products");
                output::note(&format!("{text}, written: {written}"));
                Ok(())
            }
            format => format.write(&report, || table(done)),
        });
        reported.and_then(|()| self.told()).map_err(|failure| {
            let deed = if done.written { "the file was imported" } else { "nothing was imported" };
            Failure::new(format!("{deed}, but the report cannot be written: {failure}"))
        })
    }
}

impl ImportWatch for Watch {
    fn waits(&self, why: &Error) {
        let why = text_of(why);
        self.progress.aside(|| output::warn(&format!("the import is decided and waits: {why}")));
    }

    fn bad_row(&self, row: &BadRow) {
        let BadRow { line, column, reason, .. } = row;
        let reason = portuguese::text(reason);
        match self.format {
            Format::Table if column.is_empty() => self.say(&format!("line {line}: {reason}\n")),
            Format::Table => self.say(&format!("line {line}: {column}: {reason}\n")),
            Format::Csv if self.dry_run => {
                self.say_csv(&[&line.to_string(), "bad", "", "", column, "", "", &reason]);
            }
            Format::Csv => self.say_csv(&[&line.to_string(), column, &reason]),
            Format::Json => {
                let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
                if kept.bad.len() < MAX_IN_JSON {
                    kept.bad.push(BadCell { line: *line, column: column.clone(), reason });
                }
            }
        }
    }

    fn row(&self, row: &ImportedRow) {
        if !self.dry_run {
            return;
        }
        match self.format {
            Format::Table => self.say(&told(row)),
            Format::Csv => self.row_as_csv(row),
            Format::Json => {
                let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
                if kept.changes.len() < MAX_IN_JSON {
                    kept.changes.push(row.clone());
                } else {
                    kept.changes_left_out += 1;
                }
            }
        }
    }

    fn progress(&self, step: ImportStep, done: u64, of: u64) {
        let name = match step {
            ImportStep::Checking => "checking",
            ImportStep::Staging => "staging",
            ImportStep::Writing => "writing",
            _ => "working",
        };
        self.progress.show(name, done, of);
    }
}

impl Watch {
    fn row_as_csv(&self, row: &ImportedRow) {
        let ImportedRow { line, slug, variant, changes, .. } = row;
        let (line, variant) = (line.to_string(), variant.as_deref().unwrap_or_default());
        if row.outcome == RowOutcome::New {
            self.say_csv(&[&line, "new", slug, variant, "", "", "", ""]);
        }
        for cell in changes {
            let (before, after) = (&cell.before, &cell.after);
            self.say_csv(&[&line, "changed", slug, variant, &cell.column, before, after, ""]);
        }
    }
}

/// What a row makes or changes, for people.
fn told(row: &ImportedRow) -> String {
    let ImportedRow { line, slug, variant, changes, .. } = row;
    let of = variant.as_ref().map(|variant| format!(" ({variant})")).unwrap_or_default();
    let mut told = String::new();
    if row.outcome == RowOutcome::New {
        writeln!(told, "line {line}: {slug}{of}: new").ok();
    }
    for cell in changes {
        let (column, before, after) = (&cell.column, &cell.before, &cell.after);
        writeln!(told, "line {line}: {slug}{of}: {column}: {before:?} -> {after:?}").ok();
    }
    told
}

fn table(done: &ProductImport) -> Table<9> {
    let ProductImport { rows, bad, skipped, created, updated, left_out, .. } = *done;
    let same = done.products - created - updated;
    let numbers = [rows, bad, skipped, created, updated, same, left_out, done.variants];
    let [rows, bad, skipped, new, changed, same, left_out, variants] =
        numbers.map(|number| number.to_string());
    let written = done.written.to_string();
    Table {
        head: [
            "ROWS",
            "BAD CELLS",
            "BAD PRODUCTS",
            "NEW",
            "CHANGED",
            "SAME",
            "LEFT OUT",
            "VARIANTS",
            "WRITTEN",
        ],
        rows: vec![[rows, bad, skipped, new, changed, same, left_out, variants, written]],
    }
}
