//! A row of a file: what its cells say, and what is wrong with them.

#![expect(
    clippy::option_option,
    reason = "a column that is not there and an empty cell are two things"
)]

use std::str::FromStr;

use super::bad_row::{BadRow, bad_cell};
use super::column::Column;
use super::group::{FileCategory, FileProduct, FileVariant};
use super::pictures::{PictureFiles, read_images, resolve_files};
use super::places::Places;
use super::records::Record;
use super::values::{Choice, is_same_kind, read_choices, unguarded};
use crate::catalog::fiscal::ProductFiscal;
use crate::catalog::image::NewImage;
use crate::catalog::product::ProductPatch;
use crate::catalog::variant::VariantPatch;
use crate::fiscal::Production;
use crate::value::{InvalidValue, Price, Slug, StockLevel};

/// A row of the file, with what is wrong with it.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) line: u64,
    cells: Cells,
    pub(super) bad: Vec<BadRow>,
}

/// What the columns of a row say; none where a column is not there.
pub(super) type Cells = [Option<String>; Column::ALL.len()];

impl Row {
    /// A row whose cells another program named otherwise.
    pub(super) fn mapped(line: u64, cells: Cells) -> Self {
        Self { line, cells, bad: Vec::new() }
    }

    pub(super) fn of(record: &Record, places: &Places) -> Self {
        let line = record.line;
        let mut row = Self { line, cells: Default::default(), bad: Vec::new() };
        if let Some(reason) = places.misfit(record) {
            row.bad.push(BadRow { line, column: String::new(), reason });
        }
        for column in Column::ALL {
            let Some(cell) = places.cell(record, column) else { continue };
            let cell = if let Ok(cell) = std::str::from_utf8(cell) {
                unguarded(cell.trim()).trim()
            } else {
                row.refuse(column, InvalidValue::NotUtf8);
                ""
            };
            row.cells[column as usize] = Some(cell.to_owned());
        }
        row
    }

    /// What its columns say.
    pub(super) fn cells(&self) -> &Cells {
        &self.cells
    }

    /// What a cell says; empty where its column is not there.
    pub(super) fn cell(&self, column: Column) -> &str {
        self.cells[column as usize].as_deref().unwrap_or_default()
    }

    pub(super) fn refuse(&mut self, column: Column, reason: InvalidValue) {
        self.bad.push(bad_cell(self.line, column, reason));
    }

    /// What a cell says; nothing where it is empty or wrong.
    fn read<T>(
        &mut self,
        column: Column,
        parse: impl FnOnce(&str) -> Result<T, InvalidValue>,
    ) -> Option<T> {
        let cell = self.cell(column);
        if cell.is_empty() {
            return None;
        }
        match parse(cell) {
            Ok(value) => Some(value),
            Err(reason) => {
                self.refuse(column, reason);
                None
            }
        }
    }

    fn text<T: FromStr<Err = InvalidValue>>(&mut self, column: Column) -> Option<T> {
        self.read(column, str::parse)
    }

    fn decimal<T: FromStr<Err = InvalidValue>>(&mut self, column: Column) -> Option<T> {
        self.read(column, |cell| {
            if cell.contains('.') { cell.parse() } else { cell.replace(',', ".").parse() }
        })
    }

    /// A price. What has three digits behind its only sign may be a thousand of them, or one with a
    /// zero too many, and is not guessed.
    fn price(&mut self, column: Column) -> Option<Price> {
        let cell = self.cell(column);
        let behind = cell.split_once(['.', ',']).map_or("", |(_, behind)| behind);
        if behind.len() == 3 && behind.bytes().all(|byte| byte.is_ascii_digit()) {
            self.refuse(column, InvalidValue::FinerThanCents);
            return None;
        }
        self.decimal(column)
    }

    /// What it used to cost; 0 says that it never cost anything else.
    fn compare_price(&mut self) -> Option<Option<Price>> {
        let column = Column::ComparePrice;
        let is_zero =
            |cell: &str| cell.contains('0') && cell.chars().all(|c| matches!(c, '0' | '.' | ','));
        let read = if is_zero(self.cell(column)) { None } else { self.price(column) };
        self.cleared(column, read)
    }

    /// What an empty cell clears; nothing where the column is not there.
    fn cleared<T>(&self, column: Column, read: Option<T>) -> Option<Option<T>> {
        self.cells[column as usize].is_some().then_some(read)
    }

    fn clearable<T: FromStr<Err = InvalidValue>>(&mut self, column: Column) -> Option<Option<T>> {
        let read = self.text(column);
        self.cleared(column, read)
    }

    fn clearable_decimal<T>(&mut self, column: Column) -> Option<Option<T>>
    where
        T: FromStr<Err = InvalidValue>,
    {
        let read = self.decimal(column);
        self.cleared(column, read)
    }

    fn stock(&mut self) -> Option<StockLevel> {
        self.read(Column::Stock, |cell| {
            let units: i64 = without_zeros(cell).parse().map_err(|_| InvalidValue::NotWhole)?;
            units.try_into()
        })
    }

    fn flag(&mut self, column: Column) -> Option<bool> {
        self.read(column, |cell| match cell.to_lowercase().as_str() {
            "true" | "1" | "verdadeiro" | "sim" | "yes" => Ok(true),
            "false" | "0" | "falso" | "não" | "nao" | "no" => Ok(false),
            _ => Err(InvalidValue::NotABoolean),
        })
    }

    /// What the row says of its product.
    pub(super) fn product(&mut self, files: &PictureFiles) -> FileProduct {
        if !self.cell(Column::Variant).is_empty() {
            self.refuse(Column::Variant, InvalidValue::NoProductAbove);
        }
        let patch = ProductPatch {
            name: self.text(Column::Name),
            slug: self.text(Column::Slug),
            description: self.clearable(Column::Description),
            price: self.price(Column::Price),
            compare_price: self.compare_price(),
            stock: self.stock(),
            sku: self.clearable(Column::Sku),
            weight: self.clearable_decimal(Column::WeightKg),
            length: self.clearable_decimal(Column::LengthCm),
            width: self.clearable_decimal(Column::WidthCm),
            height: self.clearable_decimal(Column::HeightCm),
            category_id: None,
            featured: self.flag(Column::Featured),
            active: self.flag(Column::Active),
            variant_required: self.flag(Column::VariantRequired),
            images: self.images(files),
        };
        let (category, fiscal) = (self.category(), self.fiscal());
        let said = Column::ALL.map(|column| self.cells[column as usize].is_some());
        FileProduct { patch, category, fiscal, said, variants: Vec::new() }
    }

    fn images(&mut self, files: &PictureFiles) -> Option<Vec<NewImage>> {
        let images = self.read(Column::Images, |cell| {
            let resolved = resolve_files(cell, files)?;
            Ok((read_images(&resolved)?, resolved.into_owned()))
        });
        let (images, resolved) = images.unzip();
        if let Some(resolved) = resolved {
            self.cells[Column::Images as usize] = Some(resolved);
        }
        self.cleared(Column::Images, images).map(Option::unwrap_or_default)
    }

    fn category(&mut self) -> Option<Option<FileCategory>> {
        let slug: Option<Slug> = self.text(Column::Category);
        let name = self.text(Column::CategoryName);
        if slug.is_none() && name.is_some() {
            self.refuse(Column::Category, InvalidValue::RequiredWith { other: "category_name" });
        }
        self.cleared(Column::Category, slug.map(|slug| (slug, name)))
    }

    /// What the tax office wants to know of the product; an empty cell leaves it to the category or
    /// the settings.
    fn fiscal(&mut self) -> ProductFiscal {
        ProductFiscal {
            ncm: self.text(Column::Ncm),
            cest: self.text(Column::Cest),
            cfop_in_state: self.text(Column::CfopInState),
            cfop_out_of_state: self.text(Column::CfopOutOfState),
            gtin: self.text(Column::Gtin),
            origin: self.read(Column::Origin, |cell| {
                let code: i64 = cell.parse().map_err(|_| InvalidValue::NotWhole)?;
                code.try_into()
            }),
            csosn: self.text(Column::Csosn),
            unit: self.text(Column::Unit),
            production: self.read(Column::Production, |cell| match cell.to_lowercase().as_str() {
                "own" => Ok(Production::Own),
                "resale" => Ok(Production::Resale),
                _ => Err(InvalidValue::Production),
            }),
        }
    }

    /// The variant of this row, unless nothing sets it apart from others.
    pub(super) fn variant(
        &mut self,
        slug: Option<&Slug>,
        others: &[FileVariant],
    ) -> Option<FileVariant> {
        let own = self.cell(Column::Slug);
        if slug.is_some_and(|slug| !own.is_empty() && own != slug.as_str()) {
            self.refuse(Column::Slug, InvalidValue::OtherProduct);
        }
        for column in Column::ALL.into_iter().filter(|column| !column.is_of_variants()) {
            if !self.cell(column).is_empty() {
                self.refuse(column, InvalidValue::ColumnOfProduct);
            }
        }
        let choices = self.read(Column::Variant, read_choices);
        let patch = VariantPatch {
            price: self.price(Column::Price),
            compare_price: self.compare_price(),
            stock: self.stock(),
            sku: self.clearable(Column::Sku),
            weight: self.clearable_decimal(Column::WeightKg),
            length: self.clearable_decimal(Column::LengthCm),
            width: self.clearable_decimal(Column::WidthCm),
            height: self.clearable_decimal(Column::HeightCm),
            values: None,
        };
        let choices = choices?;
        if others.iter().any(|other| same(&other.choices, &choices)) {
            self.refuse(Column::Variant, InvalidValue::VariantExists);
        }
        Some(FileVariant { line: self.line, choices, patch })
    }
}

/// `12` of `12.0`, as some spreadsheet programs write whole numbers; three zeros may be thousands.
fn without_zeros(cell: &str) -> &str {
    [".0", ",0", ".00", ",00"].iter().find_map(|end| cell.strip_suffix(end)).unwrap_or(cell)
}

pub(super) fn same(one: &[Choice], other: &[Choice]) -> bool {
    let is_chosen = |(kind, option): &Choice| {
        let mut others = other.iter();
        others.any(|(name, own)| own == option && is_same_kind(name.as_str(), kind.as_str()))
    };
    one.len() == other.len() && one.iter().all(is_chosen)
}
