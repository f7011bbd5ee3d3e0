//! The catalogue as a CSV file, as [`super::Products::export_csv`] writes it and
//! [`super::Products::import_csv`] reads it.
//!
//! A product is a row. Each of its variants is a row below it, with the same slug, that says in
//! `variant` what sets it apart. Cells are `;` or `,` apart with a decimal comma or point, as
//! spreadsheet programs in Brazil and elsewhere save them.

mod bad_row;
mod cells;
mod changes;
mod check;
mod column;
mod entry;
mod export;
mod foreign;
mod group;
mod import;
mod kept;
mod make;
mod matching;
mod pictures;
mod places;
mod quotes;
mod read;
mod records;
mod row;
mod staged;
mod store;
mod values;
mod write;

pub use self::bad_row::BadRow;
pub use self::changes::{CellChange, ImportedRow, RowOutcome};
pub use self::export::ProductExportFilter;
pub use self::foreign::FileFormat;
pub use self::import::{ImportProducts, ImportStep, ImportWatch, OnlyProducts, ProductImport};
pub use self::pictures::PictureFiles;
pub(crate) use self::staged::finish_import;
pub(super) use self::store::refuse_import_under_way;
