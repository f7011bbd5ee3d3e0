//! `WooCommerce`'s product export. Its variations stand anywhere in the file, each with the number
//! of its product; so the file is gone over once to find them.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::io::{Read, Seek};

use super::html;
use super::line::{CellWriter, Line, Lines, Place, price, side, units};
use super::options::{category, kilograms, split_list, written_images};
use crate::catalog::file::column::Column;
use crate::catalog::file::records::Records;
use crate::catalog::file::row::Row;
use crate::catalog::file::values::write_choices;
use crate::catalog::variant::MAX_VARIANTS;
use crate::error::Result;
use crate::fiscal::Gtin;
use crate::value::{InvalidValue, Price};

/// Attributes of a product that are looked for.
const MAX_ATTRIBUTES: usize = 20;

/// Where the columns stand.
struct Columns {
    id: Place,
    kind: Place,
    parent: Place,
    sku: Place,
    name: Place,
    published: Place,
    visibility: Place,
    featured: Place,
    description: Place,
    short_description: Place,
    price: Place,
    sale_price: Place,
    /// When a sale begins and ends.
    sale_dates: [Place; 2],
    stock: Place,
    gtin: Place,
    weight: Place,
    /// How many of the weight's unit make a kilogram.
    weight_unit: u32,
    sides: [Place; 3],
    categories: Place,
    images: Place,
    attributes: Vec<(Place, Place)>,
}

/// Reads the products, each with its variations.
pub(super) struct Variations {
    columns: Columns,
    /// Where the variations of a product stand, by its number.
    of: HashMap<u64, Vec<csv::Position>>,
    /// Those whose product is not in the file.
    left: Option<Vec<csv::Position>>,
}

fn digest(text: &str) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(text)
}

impl Variations {
    /// Goes over the file once.
    pub(super) fn find<R: Read + Seek>(lines: &Lines, records: &mut Records<R>) -> Result<Self> {
        let columns = Columns::of(lines)?;
        let (start, mut of) = (records.place(), HashMap::<u64, Vec<_>>::new());
        loop {
            let place = records.place();
            let Some(line) = Line::next(records)? else { break };
            if columns.is_variation(&line) && columns.is_enabled(&line) {
                let parent = line.at(columns.parent).unwrap_or_default();
                of.entry(digest(parent)).or_default().push(place);
            }
        }
        records.go_to(start)?;
        Ok(Self { columns, of, left: None })
    }

    pub(super) fn next<R: Read + Seek>(&mut self, records: &mut Records<R>) -> Result<Vec<Row>> {
        while let Some(line) = Line::next(records)? {
            if !self.columns.is_variation(&line) {
                return self.product(&line, records);
            }
        }
        let left = self.left.get_or_insert_with(|| {
            let mut left: Vec<csv::Position> =
                self.of.drain().flat_map(|(_, places)| places).collect();
            left.sort_by_key(|place| std::cmp::Reverse(place.byte()));
            left
        });
        let Some(place) = left.pop() else { return Ok(Vec::new()) };
        let back = records.place();
        records.go_to(place)?;
        let line = Line::next(records)?;
        records.go_to(back)?;
        Ok(line.iter().map(|line| self.columns.variation(line, line)).collect())
    }

    fn product<R: Read + Seek>(
        &mut self,
        line: &Line,
        records: &mut Records<R>,
    ) -> Result<Vec<Row>> {
        let id = line.said(self.columns.id).map(|id| digest(&format!("id:{id}")));
        let sku = line.said(self.columns.sku).map(digest);
        let mut places: Vec<csv::Position> = Vec::new();
        for key in [id, sku].into_iter().flatten() {
            places.extend(self.of.remove(&key).unwrap_or_default());
        }
        places.sort_by_key(csv::Position::byte);
        let back = records.place();
        let mut variations = Vec::new();
        // One more than a product may have is refused as such.
        for place in places.iter().take(MAX_VARIANTS + 1) {
            records.go_to(place.clone())?;
            variations.extend(Line::next(records)?);
        }
        if !places.is_empty() {
            records.go_to(back)?;
        }
        let mut rows = vec![self.columns.product(line, &variations)];
        rows.extend(variations.iter().map(|variation| self.columns.variation(line, variation)));
        Ok(rows)
    }
}

impl Columns {
    fn of(lines: &Lines) -> Result<Self> {
        let (weight, unit) = measured(lines, &["weight", "peso"]);
        let place = |names: &[&str]| measured(lines, names).0;
        Ok(Self {
            id: lines.place(&["id"]),
            kind: lines.required("Type", &["type", "tipo"])?,
            parent: lines.place(&["parent", "ascendente", "produto ascendente"]),
            sku: lines.place(&["sku"]),
            name: lines.required("Name", &["name", "nome"])?,
            published: lines.place(&["published", "publicado"]),
            visibility: lines.place(&["visibility in catalog", "visibilidade no catalogo"]),
            featured: lines.place(&["is featured", "em destaque"]),
            description: lines.place(&["description", "descricao"]),
            short_description: lines.place(&["short description", "descricao curta"]),
            price: lines.required("Regular price", &["regular price", "preco normal", "preco"])?,
            sale_price: lines.place(&["sale price", "preco promocional"]),
            sale_dates: sale_dates(lines),
            stock: lines.place(&["stock", "estoque"]),
            gtin: lines.beginning(&["gtin"]).map(|(place, _)| place),
            weight,
            weight_unit: if unit == "g" { 1000 } else { 1 },
            sides: [
                place(&["length", "comprimento"]),
                place(&["width", "largura"]),
                place(&["height", "altura"]),
            ],
            categories: lines.place(&["categories", "categorias"]),
            images: lines.place(&["images", "imagens"]),
            attributes: attributes(lines),
        })
    }

    fn kinds<'a>(&self, line: &'a Line) -> impl Iterator<Item = &'a str> {
        line.at(self.kind).unwrap_or_default().split(',').map(str::trim)
    }

    fn is_variation(&self, line: &Line) -> bool {
        self.kinds(line).any(|kind| kind == "variation")
    }

    /// Whether a variation can be bought; one that cannot is left out.
    fn is_enabled(&self, line: &Line) -> bool {
        line.said(self.published).is_none_or(|it| it == "1")
    }

    fn product(&self, line: &Line, variations: &[Line]) -> Row {
        let mut cells = CellWriter::default();
        cells.text(Column::Name, line.at(self.name));
        cells.set(Column::Description, self.description(line));
        cells.set(Column::Active, self.active(line));
        cells.set(Column::Featured, line.said(self.featured).map(|it| (it == "1").to_string()));
        cells.text(Column::Sku, line.at(self.sku));
        let cents = |line: &&Line| {
            let price = self.asked(line).0.unwrap_or_default().parse::<Price>();
            price.map_or(i64::MAX, |price| price.get().cents())
        };
        let cheapest = variations.iter().min_by_key(cents);
        self.priced(&mut cells, cheapest.unwrap_or(line));
        self.packed(&mut cells, line);
        if cheapest.is_some() {
            cells.text(Column::VariantRequired, Some("true"));
        } else {
            cells.set(Column::Stock, line.at(self.stock).and_then(units));
            let gtin = line.said(self.gtin).filter(|gtin| gtin.parse::<Gtin>().is_ok());
            cells.text(Column::Gtin, gtin);
        }
        if let Some(list) = line.at(self.categories) {
            category(&mut cells, list);
        }
        cells.set(
            Column::Images,
            line.at(self.images).map(|list| {
                let images = split_list(list);
                written_images(images.iter().map(|url| (url.as_str(), None)))
            }),
        );
        let mut row = Row::mapped(line.number, cells.0);
        if self.kinds(line).any(|kind| matches!(kind, "grouped" | "external")) {
            row.refuse(Column::Name, InvalidValue::ProductKind);
        }
        row
    }

    /// Whether a product is on sale. One that `WooCommerce` shows to nobody who does not know its
    /// address is not: here all that is on sale is listed.
    fn active(&self, line: &Line) -> Option<String> {
        let is_hidden = line.said(self.visibility) == Some("hidden");
        let published = line.said(self.published).map(|it| it == "1");
        published.or(is_hidden.then_some(false)).map(|on| (on && !is_hidden).to_string())
    }

    /// A line break in a description is written as `\n`.
    fn description(&self, line: &Line) -> Option<String> {
        let said = line.said(self.description).or_else(|| line.said(self.short_description));
        let there = self.description.or(self.short_description).is_some();
        there.then(|| html::text(&said.unwrap_or_default().replace("\\n", "\n")))
    }

    fn variation(&self, product: &Line, line: &Line) -> Row {
        let mut cells = CellWriter::default();
        let pairs = self.attributes.iter().filter_map(|(name, value)| {
            let name = line.said(*name).or_else(|| product.said(*name))?;
            Some((name, line.said(*value)?))
        });
        let choices = write_choices(pairs);
        // A variation of any value is refused as one that nothing sets apart.
        let is_any = choices.is_empty() || self.leaves_open(line);
        let choices = if is_any { "?".to_owned() } else { choices };
        cells.set(Column::Variant, Some(choices));
        // The product's number stands for a variation that has none.
        let sku = line.at(self.sku).filter(|sku| Some(*sku) != product.said(self.sku));
        cells.text(Column::Sku, sku);
        self.priced(&mut cells, line);
        self.packed(&mut cells, line);
        let stock = line.said(self.stock);
        let is_of_product = stock == Some("parent");
        cells.set(Column::Stock, stock.filter(|_| !is_of_product).and_then(units));
        let mut row = Row::mapped(line.number, cells.0);
        if is_of_product && product.said(self.stock).is_some_and(|it| it != "parent") {
            row.refuse(Column::Stock, InvalidValue::StockOfProduct);
        }
        row
    }

    /// Whether a variation has any value of an attribute, which it names then without one. What its
    /// product says of itself besides is not named.
    fn leaves_open(&self, line: &Line) -> bool {
        let mut attributes = self.attributes.iter();
        attributes.any(|(name, value)| line.said(*name).is_some() && line.said(*value).is_none())
    }

    fn priced(&self, cells: &mut CellWriter, line: &Line) {
        let (asked, before) = self.asked(line);
        cells.set(Column::Price, asked);
        cells.set(Column::ComparePrice, before);
    }

    /// What a line costs and what it used to cost. A sale of some days is not taken along, for
    /// nothing here would end it.
    fn asked(&self, line: &Line) -> (Option<String>, Option<String>) {
        let regular = line.at(self.price).map(price);
        let dated = self.sale_dates.iter().any(|place| line.said(*place).is_some());
        let sale = line.said(self.sale_price).filter(|_| !dated).map(price);
        match sale.filter(|sale| !sale.is_empty()) {
            Some(sale) => (Some(sale), regular),
            None => (regular, Some(String::new())),
        }
    }

    fn packed(&self, cells: &mut CellWriter, line: &Line) {
        cells.set(Column::WeightKg, line.at(self.weight).map(|it| kilograms(it, self.weight_unit)));
        let columns = [Column::LengthCm, Column::WidthCm, Column::HeightCm];
        for (column, place) in columns.into_iter().zip(self.sides) {
            cells.set(column, line.at(place).map(side));
        }
    }
}

/// Where a measure stands and its unit. Only metric ones are taken along.
fn measured<'a>(lines: &'a Lines, names: &[&str]) -> (Place, &'a str) {
    let found = lines.beginning(names).filter(|(_, unit)| matches!(*unit, "kg" | "g" | "cm" | ""));
    found.map_or((None, ""), |(place, unit)| (Some(place), unit))
}

/// When a sale begins and ends.
fn sale_dates(lines: &Lines) -> [Place; 2] {
    let beginning = |names: &[&str]| lines.beginning(names).map(|(place, _)| place);
    [
        beginning(&[
            "date sale price starts",
            "data de preco promocional comeca",
            "data de inicio",
        ]),
        beginning(&[
            "date sale price ends",
            "data de preco promocional termina",
            "data de termino",
        ]),
    ]
}

fn attributes(lines: &Lines) -> Vec<(Place, Place)> {
    let numbered = |n: usize| {
        let name = lines.place(&[&format!("attribute {n} name"), &format!("nome do atributo {n}")]);
        let value = lines.place(&[
            &format!("attribute {n} value s"),
            &format!("valores do atributo {n}"),
            &format!("valor es do atributo {n}"),
        ]);
        (name, value)
    };
    let all = (1..=MAX_ATTRIBUTES).map(numbered);
    all.filter(|(name, value)| name.is_some() && value.is_some()).collect()
}
