//! What an import changes of the products that the shop has, cell by cell.

use serde::Serialize;

use super::cells::{Held, variant_cells};
use super::column::Column;
use super::entry::Entry;
use super::group::{FileProduct, FileVariant, Group};
use super::matching::Known;
use super::values::write_choices;
use crate::catalog::variant::{Variant, VariantValue};
use crate::context::Work;
use crate::error::Result;
use crate::spreadsheet::Spreadsheet;
use crate::value::{Price, StockLevel};

/// What an import does with a row of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum RowOutcome {
    /// It makes a product or a variant.
    New,
    /// It changes one that the shop has.
    Changed,
}

/// A row of a file that makes something or changes something.
#[apply(answer!)]
pub struct ImportedRow {
    /// The line on which it begins; the names of the columns are line 1.
    pub line: u64,
    /// What becomes of it.
    pub outcome: RowOutcome,
    /// The product's name in addresses, as it is before.
    pub slug: String,
    /// What sets its variant apart, as a file says it; none for the product itself.
    pub variant: Option<String>,
    /// The cells that change; none of what is new.
    pub changes: Vec<CellChange>,
}

/// A cell of a file that changes something.
#[apply(answer!)]
pub struct CellChange {
    /// Its column.
    pub column: String,
    /// What an export says now.
    pub before: String,
    /// What it says after the import.
    pub after: String,
}

/// The rows of a product that make or change something.
pub(super) fn changes(
    at: &Work,
    sheet: Spreadsheet,
    known: &Known,
    group: &Group,
    entry: Option<&Entry>,
) -> Result<Vec<ImportedRow>> {
    let product = &group.product;
    let Some(entry) = entry else { return Ok(vec![new_product(group)]) };
    let slug = entry.state.slug.as_str();
    let row = |line, outcome, variant, changes| {
        let slug = slug.to_owned();
        ImportedRow { line, outcome, slug, variant, changes }
    };
    let mut rows = Vec::new();
    let cells =
        compared(sheet, &entry.cells(sheet)?, &product.entry_after(at, entry)?.cells(sheet)?);
    if !cells.is_empty() {
        rows.push(row(group.line, RowOutcome::Changed, None, cells));
    }
    for variant in &product.variants {
        let line = variant.line;
        let Some(before) = known.variant_of(entry, variant) else {
            rows.push(row(line, RowOutcome::New, Some(variant.name()), Vec::new()));
            continue;
        };
        let after = variant.after(before);
        let before_cells = variant_cells(slug, before, sheet);
        let cells = compared(sheet, &before_cells, &variant_cells(slug, &after, sheet));
        if !cells.is_empty() {
            let pairs =
                before.values.iter().map(|it| (it.variant_type.as_str(), it.value.as_str()));
            let name = write_choices(pairs);
            rows.push(row(line, RowOutcome::Changed, Some(name), cells));
        }
    }
    Ok(rows)
}

fn new_product(group: &Group) -> ImportedRow {
    let slug = group.product.slug().map(|slug| slug.to_string()).unwrap_or_default();
    let outcome = RowOutcome::New;
    ImportedRow { line: group.line, outcome, slug, variant: None, changes: Vec::new() }
}

/// The name of a category is no part: a file does not change categories that are there.
fn compared(sheet: Spreadsheet, before: &[Held], after: &[Held]) -> Vec<CellChange> {
    let columns = Column::ALL.into_iter().zip(before.iter().zip(after));
    let columns = columns.filter(|(column, _)| *column != Column::CategoryName);
    let texts = columns.map(|(column, (before, after))| CellChange {
        column: column.as_str().to_owned(),
        before: sheet.written(&before.cell()),
        after: sheet.written(&after.cell()),
    });
    texts.filter(|cell| cell.before != cell.after).collect()
}

impl FileProduct {
    /// What a product of the shop is after the import, but for its variants.
    pub(super) fn entry_after(&self, at: &Work, entry: &Entry) -> Result<Entry> {
        let category = match &self.category {
            None => entry.category.clone(),
            Some(None) => None,
            Some(Some((slug, name))) => {
                let name = name.as_ref().map(ToString::to_string).unwrap_or_default();
                Some((slug.clone(), name))
            }
        };
        Ok(Entry {
            state: entry.state.patched(at, &self.patch)?,
            stock: self.patch.stock.map_or(entry.stock, StockLevel::get),
            fiscal: self.fiscal_of(&entry.fiscal),
            category,
            ..entry.clone()
        })
    }
}

impl FileVariant {
    fn name(&self) -> String {
        write_choices(self.choices.iter().map(|(kind, option)| (kind.as_str(), option.as_str())))
    }

    fn after(&self, before: &Variant) -> Variant {
        let patch = &self.patch;
        let values = self.choices.iter().map(|(kind, option)| VariantValue {
            variant_type: kind.to_string(),
            value: option.to_string(),
        });
        let same = super::matching::is_of(before, &self.choices);
        Variant {
            id: before.id.clone(),
            price: patch.price.map_or(before.price, Price::get),
            compare_price: patch
                .compare_price
                .map_or(before.compare_price, |price| price.map(Price::get)),
            stock: patch.stock.map_or(before.stock, StockLevel::get),
            sku: match &patch.sku {
                Some(sku) => sku.as_ref().map(ToString::to_string),
                None => before.sku.clone(),
            },
            weight: patch.weight.unwrap_or(before.weight),
            length: patch.length.unwrap_or(before.length),
            width: patch.width.unwrap_or(before.width),
            height: patch.height.unwrap_or(before.height),
            values: if same { before.values.clone() } else { values.collect() },
        }
    }
}
