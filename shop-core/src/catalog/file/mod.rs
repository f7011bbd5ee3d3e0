//! The catalogue as a CSV file, as [`super::Products::export_csv`] writes it and
//! [`super::Products::import_csv`] reads it.
//!
//! A product is a row. Each of its variants is a row below it, with the same slug, that says in
//! `variant` what sets it apart. Cells are `;` or `,` apart with a decimal comma or point, as
//! spreadsheet programs in Brazil and elsewhere save them.

mod check;
mod export;
mod import;
mod read;
mod row;
mod values;

pub use self::export::ProductExport;
pub use self::import::{BadRow, ImportProducts, ImportStep, ImportWatch, ProductImport};

/// The columns of a file, in the order in which they are written; read in any order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Slug,
    Name,
    Description,
    Variant,
    Price,
    ComparePrice,
    Sku,
    Stock,
    WeightKg,
    Category,
    CategoryName,
    Active,
    Featured,
    Images,
}

impl Column {
    const ALL: [Self; 14] = [
        Self::Slug,
        Self::Name,
        Self::Description,
        Self::Variant,
        Self::Price,
        Self::ComparePrice,
        Self::Sku,
        Self::Stock,
        Self::WeightKg,
        Self::Category,
        Self::CategoryName,
        Self::Active,
        Self::Featured,
        Self::Images,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Slug => "slug",
            Self::Name => "name",
            Self::Description => "description",
            Self::Variant => "variant",
            Self::Price => "price",
            Self::ComparePrice => "compare_price",
            Self::Sku => "sku",
            Self::Stock => "stock",
            Self::WeightKg => "weight_kg",
            Self::Category => "category",
            Self::CategoryName => "category_name",
            Self::Active => "active",
            Self::Featured => "featured",
            Self::Images => "images",
        }
    }

    /// Whether a variant's row may say something there.
    fn is_of_variants(self) -> bool {
        matches!(
            self,
            Self::Slug | Self::Variant | Self::Price | Self::ComparePrice | Self::Sku | Self::Stock
        )
    }
}
