//! Files in which a product is one or several lines with the same name in addresses, each with the
//! options of one variant.

use serde_json::json;

use super::html;
use super::line::{CellWriter, Line, Lines, Place, amount, price, side, units};
use crate::catalog::file::column::Column;
use crate::catalog::file::row::Row;
use crate::catalog::file::values::write_choices;
use crate::error::{Error, Result};
use crate::fiscal::Gtin;
use crate::value::{InvalidValue, Price, Slug};

/// Lines of a product at most, and bytes of them.
const MAX_LINES: usize = 1000;
const MAX_BYTES: usize = 8 << 20;
/// Pictures that are taken along, the first ones.
const MAX_IMAGES: usize = 20;
/// Characters of a picture's description that are taken along.
const MAX_ALT: usize = 300;

/// Where what a product says stands.
#[derive(Default)]
pub(super) struct Columns {
    pub(super) handle: Place,
    pub(super) name: Place,
    pub(super) description: Place,
    /// The first that says something counts.
    pub(super) categories: [Place; 2],
    /// Whether it is on sale: all that say something must say so.
    pub(super) active: [Place; 2],
    pub(super) price: Place,
    /// What it costs where that is less than the price.
    pub(super) promotional: Place,
    pub(super) compare_price: Place,
    pub(super) sku: Place,
    pub(super) stock: Place,
    /// Who counts the units; nobody where it says nothing.
    pub(super) counted: Place,
    pub(super) gift_card: Place,
    pub(super) gtin: Place,
    pub(super) weight: Place,
    /// What a kilogram is there.
    pub(super) weight_unit: u32,
    pub(super) sides: [Place; 3],
    pub(super) option_names: [Place; 3],
    pub(super) option_values: [Place; 3],
    pub(super) image: Place,
    pub(super) image_alt: Place,
    pub(super) image_position: Place,
}

/// Nuvemshop's names.
pub(super) fn nuvemshop(lines: &Lines) -> Result<Columns> {
    let numbered = |begin: &str| [1, 2, 3].map(|n| lines.place(&[format!("{begin} {n}").as_str()]));
    let side = |name| lines.beginning(&[name]).map(|(place, _)| place);
    Ok(Columns {
        handle: lines.required("Identificador URL", &["identificador url"])?,
        name: lines.required("Nome", &["nome"])?,
        description: lines.place(&["descricao"]),
        categories: [lines.place(&["categorias"]), None],
        active: [lines.place(&["exibir na loja"]), None],
        price: lines.required("Preço", &["preco"])?,
        promotional: lines.place(&["preco promocional"]),
        sku: lines.place(&["sku"]),
        stock: lines.place(&["estoque"]),
        gtin: lines.place(&["codigo de barras"]),
        weight: side("peso"),
        weight_unit: 1,
        sides: [side("comprimento"), side("largura"), side("altura")],
        option_names: numbered("nome da variacao"),
        option_values: numbered("valor da variacao"),
        ..Columns::default()
    })
}

impl Columns {
    /// Whether a line is of the product that these lines of so many bytes are of.
    ///
    /// # Errors
    /// [`Error::Invalid`] where they are more than a product may have.
    pub(super) fn is_of(&self, of_product: &[Line], bytes: usize, line: &Line) -> Result<bool> {
        let handle = of_product.first().and_then(|first| first.at(self.handle));
        let begins = match line.said(self.handle) {
            Some(own) => handle != Some(own),
            // A product whose handle is missing, which is refused as one.
            None => line.said(self.name).is_some(),
        };
        if begins {
            return Ok(false);
        }
        if of_product.len() == MAX_LINES || bytes > MAX_BYTES {
            let line = line.number;
            return Err(Error::field("file", InvalidValue::LongLine { line }));
        }
        Ok(true)
    }

    /// The row of the product and those of its variants.
    pub(super) fn rows(&self, lines: &[Line]) -> Vec<Row> {
        let Some(head) = lines.first() else { return Vec::new() };
        let variants: Vec<(&Line, String)> =
            lines.iter().filter_map(|line| Some((line, self.choices(head, line)?))).collect();
        let mut rows = vec![self.product(lines, head, &variants)];
        rows.extend(variants.into_iter().map(|(line, choices)| {
            let mut cells = CellWriter::default();
            cells.set(Column::Variant, Some(choices));
            self.sold(&mut cells, line);
            Row::mapped(line.number, cells.0)
        }));
        rows
    }

    fn product(&self, lines: &[Line], head: &Line, variants: &[(&Line, String)]) -> Row {
        let mut cells = CellWriter::default();
        cells.set(Column::Slug, head.at(self.handle).map(slug));
        cells.text(Column::Name, head.at(self.name));
        cells.set(Column::Description, head.at(self.description).map(html::text));
        self.category(&mut cells, head);
        cells.set(Column::Active, self.active(head));
        if let Some(cheapest) = self.cheapest(variants) {
            self.priced(&mut cells, cheapest);
            self.packed(&mut cells, head);
            cells.text(Column::VariantRequired, Some("true"));
        } else {
            self.sold(&mut cells, head);
            let gtin = head.said(self.gtin).filter(|gtin| gtin.parse::<Gtin>().is_ok());
            cells.text(Column::Gtin, gtin);
        }
        if self.image.is_some() {
            cells.set(Column::Images, Some(self.images(lines)));
        }
        let mut row = Row::mapped(head.number, cells.0);
        if head.said(self.handle).is_none() {
            row.refuse(Column::Slug, InvalidValue::Required);
        }
        if head.said(self.gift_card).is_some_and(|it| it.eq_ignore_ascii_case("true")) {
            row.refuse(Column::Name, InvalidValue::ProductKind);
        }
        row
    }

    /// The price that lists show is the lowest.
    fn cheapest<'a>(&self, variants: &[(&'a Line, String)]) -> Option<&'a Line> {
        let cents = |line: &Line| {
            let price = self.asked(line).0.unwrap_or_default().parse::<Price>();
            price.map_or(i64::MAX, |price| price.get().cents())
        };
        variants.iter().map(|(line, _)| *line).min_by_key(|line| cents(line))
    }

    /// What a line is sold as: its price, number, units, weight and sides.
    fn sold(&self, cells: &mut CellWriter, line: &Line) {
        self.priced(cells, line);
        self.packed(cells, line);
        cells.text(Column::Sku, line.at(self.sku));
        let is_counted = self.counted.is_none() || line.said(self.counted).is_some();
        let stock = line.at(self.stock).filter(|_| is_counted);
        cells.set(Column::Stock, stock.and_then(units));
    }

    fn priced(&self, cells: &mut CellWriter, line: &Line) {
        let (asked, before) = self.asked(line);
        cells.set(Column::Price, asked);
        cells.set(Column::ComparePrice, before);
    }

    /// What a line costs and what it used to cost.
    fn asked(&self, line: &Line) -> (Option<String>, Option<String>) {
        let regular = line.at(self.price).map(price);
        let promotional = line.said(self.promotional).map(price).filter(|it| !it.is_empty());
        match promotional {
            Some(promotional) => (Some(promotional), regular),
            None if self.promotional.is_some() => (regular, Some(String::new())),
            None => (regular, line.at(self.compare_price).map(price)),
        }
    }

    fn packed(&self, cells: &mut CellWriter, line: &Line) {
        cells.set(Column::WeightKg, line.at(self.weight).map(|it| kilograms(it, self.weight_unit)));
        let columns = [Column::LengthCm, Column::WidthCm, Column::HeightCm];
        for (column, place) in columns.into_iter().zip(self.sides) {
            cells.set(column, line.at(place).map(side));
        }
    }

    fn category(&self, cells: &mut CellWriter, line: &Line) {
        let said = self.categories.iter().find_map(|place| line.said(*place));
        if self.categories.iter().any(Option::is_some) {
            category(cells, said.unwrap_or_default());
        }
    }

    fn active(&self, line: &Line) -> Option<String> {
        let mut said = self.active.iter().filter_map(|place| line.said(*place)).peekable();
        said.peek()?;
        let on = |word: &str| matches!(&*word.to_lowercase(), "true" | "sim" | "active" | "1");
        Some(said.all(on).to_string())
    }

    /// What sets a line's variant apart; none where it is a picture, or the product itself.
    fn choices(&self, head: &Line, line: &Line) -> Option<String> {
        let places = self.option_names.iter().zip(&self.option_values);
        let pairs = places.filter_map(|(name, value)| {
            let name = line.said(*name).or_else(|| head.said(*name))?;
            Some((name, line.said(*value)?))
        });
        let pairs: Vec<(&str, &str)> = pairs.collect();
        let single = pairs == [("Title", "Default Title")];
        (!pairs.is_empty() && !single).then(|| write_choices(pairs.into_iter()))
    }

    fn images(&self, lines: &[Line]) -> String {
        let mut images: Vec<(u32, &str, Option<&str>)> = Vec::new();
        for line in lines {
            let Some(url) = line.said(self.image) else { continue };
            if images.iter().all(|(_, known, _)| *known != url) {
                let place = line.said(self.image_position).and_then(|place| place.parse().ok());
                images.push((place.unwrap_or(u32::MAX), url, line.said(self.image_alt)));
            }
        }
        images.sort_by_key(|(place, ..)| *place);
        written_images(images.into_iter().map(|(_, url, alt)| (url, alt)))
    }
}

/// Pictures as a cell of the shop's own files says them.
pub(super) fn written_images<'a>(
    images: impl Iterator<Item = (&'a str, Option<&'a str>)>,
) -> String {
    let written = images.take(MAX_IMAGES).map(|(url, alt)| {
        let alt = alt.map(|alt| alt.chars().take(MAX_ALT).collect::<String>());
        let url = url.replace(' ', "%20");
        alt.map_or_else(|| json!({ "url": url }), |alt| json!({ "url": url, "alt": alt }))
    });
    let written: Vec<serde_json::Value> = written.collect();
    if written.is_empty() { String::new() } else { serde_json::Value::from(written).to_string() }
}

/// The first category of a list, of a path the last.
pub(super) fn category(cells: &mut CellWriter, list: &str) {
    let first = split_list(list).into_iter().next().unwrap_or_default();
    let name = first.rsplit('>').next().unwrap_or_default().trim();
    let slug = Slug::from_name(name).map(|slug| slug.to_string());
    cells.set(Column::Category, Some(slug.unwrap_or_else(|_| name.to_owned())));
    cells.text(Column::CategoryName, Some(name));
}

/// What stands between commas; one behind a `\` is part of its text.
pub(super) fn split_list(list: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut rest = list.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, parts.last_mut()) {
            ('\\', Some(part)) if rest.peek() == Some(&',') => part.extend(rest.next()),
            (',', _) => parts.push(String::new()),
            (c, Some(part)) => part.push(c),
            (_, None) => {}
        }
    }
    parts.into_iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

/// A name in addresses as it is, else as this shop would write it.
fn slug(handle: &str) -> String {
    let own = handle.parse::<Slug>().or_else(|_| Slug::from_name(handle));
    own.map_or_else(|_| handle.to_owned(), |slug| slug.to_string())
}

/// A weight in kilograms of which so many units make one.
pub(super) fn kilograms(text: &str, unit: u32) -> String {
    let number = amount(text, if unit == 1 { &["kg"] } else { &["g"] });
    let whole = number.parse::<rust_decimal::Decimal>().ok().filter(|_| unit != 1);
    let kilograms = whole.map(|weight| (weight / rust_decimal::Decimal::from(unit)).round_dp(3));
    kilograms.map_or(number, |kilograms| kilograms.to_string())
}
