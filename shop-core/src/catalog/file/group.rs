//! A product of a file: its own row and those of its variants.

use super::bad_row::BadRow;
use super::values::Choice;
use crate::catalog::fiscal::ProductFiscal;
use crate::catalog::product::NewProduct;
use crate::value::{Length, Price, Slug, StockLevel, Text, Weight};

/// A product of a file with what is wrong with its rows.
#[derive(Debug)]
pub(super) struct Group {
    /// Where it begins.
    pub(super) line: u64,
    /// How many rows it has.
    pub(super) rows: u64,
    pub(super) bad: Vec<BadRow>,
    /// None where a cell of the product's own row is wrong.
    pub(super) product: Option<FileProduct>,
}

#[derive(Debug)]
pub(super) struct FileProduct {
    /// Without a category.
    pub(super) new: NewProduct,
    /// Slug and name of its category.
    pub(super) category: Option<(Slug, Option<Text<2, 120>>)>,
    /// What the tax office wants to know of it.
    pub(super) fiscal: ProductFiscal,
    pub(super) variants: Vec<FileVariant>,
}

#[derive(Debug)]
pub(super) struct FileVariant {
    pub(super) line: u64,
    pub(super) choices: Vec<Choice>,
    pub(super) price: Price,
    pub(super) compare_price: Option<Price>,
    pub(super) sku: Option<Text<1, 64>>,
    pub(super) stock: StockLevel,
    pub(super) weight: Option<Weight>,
    /// Length, width and height.
    pub(super) sides: [Option<Length>; 3],
}
