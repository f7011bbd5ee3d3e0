//! A row of a file: what its cells say, and what is wrong with them.

use std::str::FromStr;

use super::bad_row::{BadRow, bad_cell};
use super::column::Column;
use super::group::{FileProduct, FileVariant};
use super::values::{Choice, read_choices, unguarded};
use crate::catalog::fiscal::ProductFiscal;
use crate::catalog::image::{self, NewImage};
use crate::catalog::product::NewProduct;
use crate::fiscal::Production;
use crate::value::{InvalidValue, Length, OptionalText, Price, Slug, StockLevel, Text};

/// Variants of a product at most.
const MAX_VARIANTS: usize = 200;

/// A row of the file, with what is wrong with it.
pub(super) struct Row {
    pub(super) line: u64,
    cells: [String; Column::ALL.len()],
    pub(super) bad: Vec<BadRow>,
}

impl Row {
    pub(super) fn of(
        record: &csv::ByteRecord,
        line: u64,
        places: &[Option<usize>],
        width: usize,
    ) -> Self {
        let mut row = Self { line, cells: Default::default(), bad: Vec::new() };
        if record.len() != width {
            let (found, expected) = (record.len() as u64, width as u64);
            let reason = InvalidValue::CellCount { found, expected };
            row.bad.push(BadRow { line, column: String::new(), reason });
        }
        for column in Column::ALL {
            let Some(place) = places[column as usize] else { continue };
            match std::str::from_utf8(record.get(place).unwrap_or_default()) {
                Ok(cell) => {
                    unguarded(cell.trim()).trim().clone_into(&mut row.cells[column as usize]);
                }
                Err(_) => row.refuse(column, InvalidValue::NotUtf8),
            }
        }
        row
    }

    pub(super) fn cell(&self, column: Column) -> &str {
        &self.cells[column as usize]
    }

    fn refuse(&mut self, column: Column, reason: InvalidValue) {
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

    fn sides(&mut self) -> [Option<Length>; 3] {
        [Column::LengthCm, Column::WidthCm, Column::HeightCm].map(|column| self.decimal(column))
    }

    /// The same of a cell that must not be empty.
    fn price(&mut self) -> Option<Price> {
        if self.cell(Column::Price).is_empty() {
            self.refuse(Column::Price, InvalidValue::Required);
        }
        self.decimal(Column::Price)
    }

    fn stock(&mut self) -> Option<StockLevel> {
        if self.cell(Column::Stock).is_empty() {
            return StockLevel::try_from(0).ok();
        }
        self.read(Column::Stock, |cell| {
            let units: i64 = cell.parse().map_err(|_| InvalidValue::NotWhole)?;
            units.try_into()
        })
    }

    fn flag(&mut self, column: Column, unsaid: bool) -> Option<bool> {
        if self.cell(column).is_empty() {
            return Some(unsaid);
        }
        self.read(column, |cell| match cell.to_lowercase().as_str() {
            "true" | "1" | "sim" | "yes" => Ok(true),
            "false" | "0" | "não" | "nao" | "no" => Ok(false),
            _ => Err(InvalidValue::NotABoolean),
        })
    }

    /// The product of this row, unless something is wrong with it.
    pub(super) fn product(&mut self) -> Option<FileProduct> {
        if !self.cell(Column::Variant).is_empty() {
            self.refuse(Column::Variant, InvalidValue::NoProductAbove);
        }
        let name = self.name();
        let slug = self.slug(name.as_ref());
        let (price, compare_price) = (self.price(), self.decimal(Column::ComparePrice));
        let description: Option<OptionalText<20_000>> = self.text(Column::Description);
        let (sku, stock) = (self.text(Column::Sku), self.stock());
        let weight = self.decimal(Column::WeightKg);
        let [length, width, height] = self.sides();
        let category: Option<Slug> = self.text(Column::Category);
        let category_name = self.text(Column::CategoryName);
        let active = self.flag(Column::Active, true);
        let featured = self.flag(Column::Featured, false);
        let images = self.read(Column::Images, read_images).unwrap_or_default();
        let fiscal = self.fiscal();
        if category.is_none() && category_name.is_some() {
            self.refuse(Column::Category, InvalidValue::RequiredWith { other: "category_name" });
        }
        if !self.bad.is_empty() {
            return None;
        }
        let (name, slug, price, stock) = (name?, slug?, price?, stock?);
        let (active, featured, category_id) = (active?, featured?, None);
        let new = NewProduct {
            name,
            slug,
            description,
            price,
            compare_price,
            stock,
            sku,
            weight,
            length,
            width,
            height,
            category_id,
            featured,
            active,
            images,
            variant_required: false,
            variants: Vec::new(),
        };
        let category = category.map(|slug| (slug, category_name));
        Some(FileProduct { new, category, fiscal, variants: Vec::new() })
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

    fn name(&mut self) -> Option<Text<2, 200>> {
        if self.cell(Column::Name).is_empty() {
            self.refuse(Column::Name, InvalidValue::Required);
        }
        self.text(Column::Name)
    }

    /// What the row says, else what the name suggests.
    fn slug(&mut self, name: Option<&Text<2, 200>>) -> Option<Slug> {
        if !self.cell(Column::Slug).is_empty() {
            return self.text(Column::Slug);
        }
        match Slug::from_name(name?.as_str()) {
            Ok(slug) => Some(slug),
            Err(reason) => {
                self.refuse(Column::Slug, reason);
                None
            }
        }
    }

    /// The variant of this row, unless something is wrong with it.
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
        let (price, compare_price) = (self.price(), self.decimal(Column::ComparePrice));
        let (sku, stock) = (self.text(Column::Sku), self.stock());
        let (weight, sides) = (self.decimal(Column::WeightKg), self.sides());
        if choices.as_ref().is_some_and(|choices| others.iter().any(|o| same(&o.choices, choices)))
        {
            self.refuse(Column::Variant, InvalidValue::VariantExists);
        }
        if others.len() == MAX_VARIANTS {
            self.refuse(
                Column::Variant,
                InvalidValue::TooManyVariants { most: MAX_VARIANTS as u64 },
            );
        }
        if !self.bad.is_empty() {
            return None;
        }
        let (line, choices, price, stock) = (self.line, choices?, price?, stock?);
        Some(FileVariant { line, choices, price, compare_price, sku, stock, weight, sides })
    }
}

fn same(one: &[Choice], other: &[Choice]) -> bool {
    one.len() == other.len() && one.iter().all(|choice| other.contains(choice))
}

/// Addresses with a space between them, or the pictures as JSON where there is more to say.
fn read_images(cell: &str) -> Result<Vec<NewImage>, InvalidValue> {
    let images: Vec<NewImage> = if cell.starts_with('[') {
        serde_json::from_str(cell)
            .map_err(|error| InvalidValue::Unreadable { why: error.to_string() })?
    } else {
        let image = |url: &str| {
            Ok(NewImage { url: url.parse()?, alt: None, is_primary: false, order: None })
        };
        cell.split_whitespace().map(image).collect::<Result<_, InvalidValue>>()?
    };
    image::check_count(&images).map_err(|_| InvalidValue::TooManyImages)?;
    Ok(images)
}
