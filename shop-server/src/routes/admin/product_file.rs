//! The catalogue as a CSV file, out and in (`/api/admin/products/export`, `/import`).

use std::io::Cursor;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt};
use shop_core::catalog::{
    BadRow, FileFormat, ImportProducts, ImportStep, ImportWatch, ImportedRow, OnlyProducts,
    ProductExportFilter, ProductImport,
};

use crate::multipart::{AROUND, Upload};
use crate::output::CSV;
use crate::portuguese;
use crate::routes::prelude::*;

/// The largest file; larger ones go in by `shop-cli import products`, which holds none of them.
const MAX_FILE: usize = 16 * 1024 * 1024;
/// Rows that a report names at most, of each kind.
const MAX_NAMED: usize = 1000;

pub(super) fn rows() -> Vec<Route> {
    vec![
        admin(Method::GET, "/api/admin/products/export", "exportProducts", export)
            .about("The catalogue as a CSV file, as the import reads it, oldest products first")
            .media(&["text/csv; charset=utf-8"])
            .details("Comes while it is made, however long."),
        admin(Method::POST, "/api/admin/products/import", "importProducts", import)
            .about("Add and change products as a CSV file says, at most 16 MiB")
            .details(
                "A product that the shop has, by its SKU, else by its slug, is changed. All of them \
                 are taken or, where a cell is bad, none, unless `skipBad` is set; `written` says so. \
                 With `dryRun` nothing is written and each change is named.\n\nMore than 300 rows are \
                 written some at a time, so that orders go on, and to the end even where the caller \
                 goes away or the server dies. Until then other changes of the catalogue are refused \
                 (`import_under_way`).",
            )
            .body_limit(MAX_FILE + AROUND)
            .fails(&[Code::ImportUnderWay]),
    ]
}

/// What to do with the file.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
struct HowToImport {
    /// Whether to say only what would happen.
    dry_run: bool,
    /// Whether to take the products that are right and leave the others.
    skip_bad: bool,
    /// Which products to take: all where it is left out.
    only: Option<OnlyProducts>,
    /// Whether to leave the units as they are of what the shop has.
    keep_stock: bool,
    /// Whose columns the file has.
    from: FileFormat,
}

/// What became of a file.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ImportReport {
    #[serde(flatten)]
    done: ProductImport,
    /// The cells that are wrong, at most 1000.
    bad_rows: Vec<BadCell>,
    /// Cells that are wrong and not named.
    bad_rows_left_out: u64,
    /// What a dry run would make and change, at most 1000 rows.
    changes: Vec<ImportedRow>,
    /// Rows of these that are not named.
    changes_left_out: u64,
}

/// A cell that is wrong.
#[derive(Debug, Serialize, JsonSchema)]
struct BadCell {
    /// The line on which its row begins; the names of the columns are line 1.
    line: u64,
    /// Its column; empty for the row as a whole.
    column: String,
    /// Why.
    reason: String,
}

async fn export(call: Call<Admin>, Query(filter): Query<ProductExportFilter>) -> Result<Download> {
    let shop = call.shop();
    Ok(Download {
        content_type: CSV,
        name: format!("produtos-{}.csv", shop.now().local_day()),
        pieces: shop.products().export_csv(filter).map_ok(Bytes::from).boxed(),
    })
}

async fn import(
    call: Call<Admin>,
    Query(how): Query<HowToImport>,
    Upload(file): Upload,
) -> Result<ImportReport> {
    let HowToImport { dry_run, skip_bad, only, keep_stock, from } = how;
    let how = ImportProducts { dry_run, skip_bad, only, keep_stock, from };
    let seen = Arc::new(Seen { dry_run, kept: Mutex::default() });
    let watch = Arc::clone(&seen) as Arc<dyn ImportWatch>;
    let products = call.shop().products();
    let done = products.import_csv(&call.actor(), Cursor::new(file), how, watch).await?;
    let mut kept = seen.kept.lock().unwrap_or_else(PoisonError::into_inner);
    let Kept { bad_rows, changes, changes_left_out } = std::mem::take(&mut *kept);
    let bad_rows_left_out = done.bad.saturating_sub(bad_rows.len() as u64);
    Ok(ImportReport { done, bad_rows, bad_rows_left_out, changes, changes_left_out })
}

/// Keeps what a report names.
struct Seen {
    dry_run: bool,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    bad_rows: Vec<BadCell>,
    changes: Vec<ImportedRow>,
    changes_left_out: u64,
}

impl ImportWatch for Seen {
    fn bad_row(&self, row: &BadRow) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.bad_rows.len() < MAX_NAMED {
            let reason = portuguese::text(&row.reason).into_owned();
            kept.bad_rows.push(BadCell { line: row.line, column: row.column.clone(), reason });
        }
    }

    fn row(&self, row: &ImportedRow) {
        if !self.dry_run {
            return;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.changes.len() < MAX_NAMED {
            kept.changes.push(row.clone());
        } else {
            kept.changes_left_out += 1;
        }
    }

    fn progress(&self, _: ImportStep, _: u64, _: u64) {}
}
