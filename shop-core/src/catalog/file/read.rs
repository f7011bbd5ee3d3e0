//! Reads a file product by product. Whatever is in it, no more than one product is in memory.

use std::io::{Read, Seek, SeekFrom};
use std::str::FromStr;

use super::import::BadRow;
use super::values::{Choice, read_choices, unguarded};
use super::{Column, import};
use crate::catalog::{NewImage, NewProduct, create};
use crate::error::{Error, Result};
use crate::value::{InvalidValue, OptionalText, Price, Slug, StockLevel, Text};

/// Bytes of a row at most: of a quote that is never closed not all of the file is read.
const MAX_ROW: u64 = 1 << 20;
/// What a reader takes at once ahead of the row.
const AHEAD: usize = 8 << 10;
/// Variants of a product at most.
const MAX_VARIANTS: usize = 200;

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
}

/// The products of a file, one by one.
pub(super) struct Groups<R: Read> {
    reader: csv::Reader<Bounded<R>>,
    /// Where each column stands in a row.
    places: [Option<usize>; Column::ALL.len()],
    width: usize,
    /// The first row of the next product.
    ahead: Option<Row>,
}

impl<R: Read + Seek> Groups<R> {
    /// # Errors
    /// [`Error::Invalid`] where the columns are not those of a file of products.
    pub(super) fn open(mut source: R) -> Result<Self> {
        let delimiter = delimiter(&mut source).map_err(Error::from_source)?;
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            // A CR before it is trimmed; a reader that looks for both loses count of the lines.
            .terminator(csv::Terminator::Any(b'\n'))
            .flexible(true)
            .has_headers(false)
            .buffer_capacity(AHEAD)
            .from_reader(Bounded { inner: source, left: MAX_ROW });
        let mut head = csv::ByteRecord::new();
        reader.read_byte_record(&mut head).map_err(unreadable)?;
        let names: Vec<String> = head.iter().map(column_name).collect();
        let places = places(&names)?;
        let mut groups = Self { reader, places, width: names.len(), ahead: None };
        groups.ahead = groups.row()?;
        Ok(groups)
    }

    /// The next product, with the rows of its variants.
    ///
    /// # Errors
    /// [`Error::Invalid`] where the file cannot be read on.
    pub(super) fn next(&mut self) -> Result<Option<Group>> {
        let Some(mut first) = self.ahead.take() else { return Ok(None) };
        let line = first.line;
        let mut product = first.product();
        let mut group = Group { line, rows: 1, bad: first.bad, product: None };
        loop {
            let Some(mut row) = self.row()? else { break };
            if row.cell(Column::Variant).is_empty() {
                self.ahead = Some(row);
                break;
            }
            group.rows += 1;
            let others = product.as_ref().map_or(&[][..], |product| &product.variants);
            let variant = row.variant(product.as_ref().map(|p| &p.new.slug), others);
            group.bad.append(&mut row.bad);
            if let (Some(product), Some(variant)) = (&mut product, variant) {
                product.variants.push(variant);
            }
        }
        group.product = product;
        Ok(Some(group))
    }

    pub(super) fn bytes_read(&self) -> u64 {
        self.reader.position().byte()
    }

    /// The next row that says something.
    fn row(&mut self) -> Result<Option<Row>> {
        let mut record = csv::ByteRecord::new();
        loop {
            self.reader.get_mut().left = MAX_ROW;
            if !self.reader.read_byte_record(&mut record).map_err(unreadable)? {
                return Ok(None);
            }
            if record.iter().any(|cell| !cell.trim_ascii().is_empty()) {
                let line = self.line_of(&record);
                return Ok(Some(Row::of(&record, line, &self.places, self.width)));
            }
        }
    }

    /// On which line a row begins that was just read. The record itself says where the reader
    /// began to look for it, which may be an empty line.
    fn line_of(&self, record: &csv::ByteRecord) -> u64 {
        let within = record.as_slice().iter().filter(|byte| **byte == b'\n').count() as u64;
        let ended = u64::from(!self.reader.is_done());
        self.reader.position().line().saturating_sub(within + ended)
    }
}

/// What stands between cells is in the first line.
fn delimiter(source: &mut (impl Read + Seek)) -> std::io::Result<u8> {
    source.seek(SeekFrom::Start(0))?;
    let mut first = Vec::new();
    source.by_ref().take(4096).read_to_end(&mut first)?;
    source.seek(SeekFrom::Start(0))?;
    let line = first.split(|byte| *byte == b'\n').next().unwrap_or_default();
    Ok(if line.contains(&b';') { b';' } else { b',' })
}

fn column_name(cell: &[u8]) -> String {
    let name = String::from_utf8_lossy(cell);
    name.trim_start_matches('\u{feff}').trim().to_lowercase()
}

fn places(names: &[String]) -> Result<[Option<usize>; Column::ALL.len()]> {
    let known = |name: &String| Column::ALL.iter().any(|column| column.name() == name);
    if let Some(unknown) = names.iter().find(|name| !known(name)) {
        return Err(Error::field("columns", format!("Coluna desconhecida: {unknown}")));
    }
    let places = Column::ALL.map(|column| names.iter().position(|name| column.name() == name));
    for column in [Column::Name, Column::Price] {
        if places[column as usize].is_none() {
            return Err(Error::field("columns", format!("Falta a coluna {}", column.name())));
        }
    }
    let repeated = |(index, name): (usize, &String)| names[..index].contains(name);
    if let Some((_, name)) = names.iter().enumerate().find(|each| repeated(*each)) {
        return Err(Error::field("columns", format!("Coluna repetida: {name}")));
    }
    Ok(places)
}

fn unreadable(error: csv::Error) -> Error {
    let line = error.position().map_or(0, csv::Position::line);
    match error.into_kind() {
        csv::ErrorKind::Io(error) if error.kind() == std::io::ErrorKind::FileTooLarge => {
            Error::field("file", format!("Linha longa demais, ou aspas que não fecham: {line}"))
        }
        csv::ErrorKind::Io(error) => Error::from_source(error),
        _ => Error::field("file", format!("Não é um arquivo CSV: linha {line}")),
    }
}

/// A reader that gives no more than a row may have.
struct Bounded<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.left == 0 {
            return Err(std::io::ErrorKind::FileTooLarge.into());
        }
        let read = self.inner.read(buffer)?;
        self.left = self.left.saturating_sub(read as u64);
        Ok(read)
    }
}

/// A row of the file, with what is wrong with it.
struct Row {
    line: u64,
    cells: [String; Column::ALL.len()],
    bad: Vec<BadRow>,
}

impl Row {
    fn of(record: &csv::ByteRecord, line: u64, places: &[Option<usize>], width: usize) -> Self {
        let mut row = Self { line, cells: Default::default(), bad: Vec::new() };
        if record.len() != width {
            let message = format!("Tem {} células em vez de {width}", record.len());
            row.bad.push(BadRow { line, column: String::new(), reason: message.into() });
        }
        for column in Column::ALL {
            let Some(place) = places[column as usize] else { continue };
            match std::str::from_utf8(record.get(place).unwrap_or_default()) {
                Ok(cell) => {
                    unguarded(cell.trim()).trim().clone_into(&mut row.cells[column as usize])
                }
                Err(_) => row.refuse(column, "Não está em UTF-8"),
            }
        }
        row
    }

    fn cell(&self, column: Column) -> &str {
        &self.cells[column as usize]
    }

    fn refuse(&mut self, column: Column, reason: impl Into<std::borrow::Cow<'static, str>>) {
        self.bad.push(import::bad_cell(self.line, column, reason));
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
            Err(InvalidValue(reason)) => {
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

    /// The same of a cell that must not be empty.
    fn price(&mut self) -> Option<Price> {
        if self.cell(Column::Price).is_empty() {
            self.refuse(Column::Price, "Campo obrigatório");
        }
        self.decimal(Column::Price)
    }

    fn stock(&mut self) -> Option<StockLevel> {
        if self.cell(Column::Stock).is_empty() {
            return StockLevel::try_from(0).ok();
        }
        self.read(Column::Stock, |cell| {
            let units: i64 =
                cell.parse().map_err(|_| InvalidValue("Deve ser um número inteiro".into()))?;
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
            _ => Err(InvalidValue("Deve ser true ou false".into())),
        })
    }

    /// The product of this row, unless something is wrong with it.
    fn product(&mut self) -> Option<FileProduct> {
        if !self.cell(Column::Variant).is_empty() {
            self.refuse(Column::Variant, "Não há um produto acima desta variante");
        }
        let name = self.name();
        let slug = self.slug(name.as_ref());
        let (price, compare_price) = (self.price(), self.decimal(Column::ComparePrice));
        let description: Option<OptionalText<20_000>> = self.text(Column::Description);
        let (sku, stock) = (self.text(Column::Sku), self.stock());
        let weight = self.decimal(Column::WeightKg);
        let category: Option<Slug> = self.text(Column::Category);
        let category_name = self.text(Column::CategoryName);
        let active = self.flag(Column::Active, true);
        let featured = self.flag(Column::Featured, false);
        let images = self.read(Column::Images, read_images).unwrap_or_default();
        if category.is_none() && category_name.is_some() {
            self.refuse(Column::Category, "Campo obrigatório quando há category_name");
        }
        if !self.bad.is_empty() {
            return None;
        }
        let mut new = NewProduct::new(name?, price?, stock?).ok()?;
        (new.slug, new.description) = (slug?, description);
        (new.compare_price, new.sku, new.weight) = (compare_price, sku, weight);
        (new.active, new.featured, new.images) = (active?, featured?, images);
        let category = category.map(|slug| (slug, category_name));
        Some(FileProduct { new, category, variants: Vec::new() })
    }

    fn name(&mut self) -> Option<Text<2, 200>> {
        if self.cell(Column::Name).is_empty() {
            self.refuse(Column::Name, "Campo obrigatório");
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
            Err(InvalidValue(reason)) => {
                self.refuse(Column::Slug, reason);
                None
            }
        }
    }

    /// The variant of this row, unless something is wrong with it.
    fn variant(&mut self, slug: Option<&Slug>, others: &[FileVariant]) -> Option<FileVariant> {
        let own = self.cell(Column::Slug);
        if slug.is_some_and(|slug| !own.is_empty() && own != slug.as_str()) {
            self.refuse(Column::Slug, "Não é o produto da linha acima");
        }
        for column in Column::ALL.into_iter().filter(|column| !column.is_of_variants()) {
            if !self.cell(column).is_empty() {
                self.refuse(column, "Variantes não têm esta coluna");
            }
        }
        let choices = self.read(Column::Variant, read_choices);
        let (price, compare_price) = (self.price(), self.decimal(Column::ComparePrice));
        let (sku, stock) = (self.text(Column::Sku), self.stock());
        if choices.as_ref().is_some_and(|choices| others.iter().any(|o| same(&o.choices, choices)))
        {
            self.refuse(Column::Variant, "Outra variante do produto tem estas opções");
        }
        if others.len() == MAX_VARIANTS {
            self.refuse(Column::Variant, format!("Mais de {MAX_VARIANTS} variantes"));
        }
        if !self.bad.is_empty() {
            return None;
        }
        let (line, choices, price, stock) = (self.line, choices?, price?, stock?);
        Some(FileVariant { line, choices, price, compare_price, sku, stock })
    }
}

fn same(one: &[Choice], other: &[Choice]) -> bool {
    one.len() == other.len() && one.iter().all(|choice| other.contains(choice))
}

/// Addresses with a space between them, or the pictures as JSON where there is more to say.
fn read_images(cell: &str) -> Result<Vec<NewImage>, InvalidValue> {
    let images: Vec<NewImage> = if cell.starts_with('[') {
        serde_json::from_str(cell).map_err(|error| InvalidValue(error.to_string().into()))?
    } else {
        let image = |url: &str| {
            Ok(NewImage { url: url.parse()?, alt: None, is_primary: false, order: None })
        };
        cell.split_whitespace().map(image).collect::<Result<_, InvalidValue>>()?
    };
    create::check_image_count(&images).map_err(|_| InvalidValue("Tem imagens demais".into()))?;
    Ok(images)
}
