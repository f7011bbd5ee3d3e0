//! The catalogue out, into a file, a piece at a time.

use futures_util::stream::{self, Stream, StreamExt, TryStreamExt};
use serde::Deserialize;

use super::column::Column;
use super::values::{guarded, write_choices};
use crate::catalog::Products;
use crate::catalog::category::CategoryRef;
use crate::catalog::fiscal::{self, ProductFiscal};
use crate::catalog::image::{Image, Images};
use crate::catalog::variant::{self, Variant};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::fiscal::{Csosn, Digits, Gtin, Production, Unit};
use crate::id::ProductId;
use crate::money::Money;
use crate::spreadsheet::{Cell, Spreadsheet};
use crate::storage::{Filter, Tx, read_columns};
use crate::value::{Length, Weight};

/// Products of one piece: what is in memory at a time.
const PIECE: u32 = 100;

/// Which products to export.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ProductExportFilter {
    /// Only those on sale, or only those that are not.
    pub active: Option<bool>,
}

struct Exported {
    pk: i64,
    id: ProductId,
    slug: String,
    name: String,
    description: String,
    price: Money,
    compare_price: Option<Money>,
    sku: Option<String>,
    stock: i64,
    weight: Option<Weight>,
    length: Option<Length>,
    width: Option<Length>,
    height: Option<Length>,
    category: Option<CategoryRef>,
    active: bool,
    featured: bool,
    images: Images,
    fiscal: ProductFiscal,
    variants: Vec<Variant>,
}

impl Products<'_> {
    /// The catalogue as a CSV file (`export.decimal`) that [`Products::import_csv`] reads, oldest
    /// products first. A piece is read when it is asked for, each in a transaction of its own, so
    /// it takes the same memory however many products there are. Of categories it has slug and
    /// name; of what invoices need, what products say themselves.
    pub fn export_csv(
        &self,
        filter: ProductExportFilter,
    ) -> impl Stream<Item = Result<Vec<u8>>> + Send + use<> {
        let sheet = Spreadsheet::new(self.cx.config().export);
        let head = stream::once(async move { sheet.head(&Column::ALL.map(Column::as_str)) });
        let body = pieces(self.cx.clone(), filter).and_then(move |piece| async move {
            let mut rows = Vec::new();
            for product in &piece {
                rows.push(product.cells(sheet)?);
                rows.extend(
                    product.variants.iter().map(|it| variant_cells(&product.slug, it, sheet)),
                );
            }
            sheet.rows(rows.iter().map(|row| row.iter().map(Held::cell).collect()))
        });
        head.chain(body)
    }
}

/// A cell that holds its text.
enum Held {
    Text(String),
    Number(i64),
    Money(Money),
    Nothing,
}

impl Held {
    fn cell(&self) -> Cell<'_> {
        match self {
            Self::Text(text) => Cell::Text(text),
            Self::Number(number) => Cell::Number(*number),
            Self::Money(amount) => Cell::Money(*amount),
            Self::Nothing => Cell::Text(""),
        }
    }

    fn text(text: &str) -> Self {
        Self::Text(guarded(text))
    }

    fn of(text: Option<&String>) -> Self {
        text.map_or(Self::Nothing, |text| Self::text(text))
    }

    /// What a product says of its own to the tax office.
    fn fiscal(fiscal: &ProductFiscal, column: Column) -> Self {
        let said = match column {
            Column::Ncm => fiscal.ncm.as_ref().map(Digits::as_str),
            Column::Cest => fiscal.cest.as_ref().map(Digits::as_str),
            Column::CfopInState => fiscal.cfop_in_state.as_ref().map(Digits::as_str),
            Column::CfopOutOfState => fiscal.cfop_out_of_state.as_ref().map(Digits::as_str),
            Column::Csosn => fiscal.csosn.map(Csosn::as_str),
            Column::Gtin => fiscal.gtin.as_ref().map(Gtin::as_str),
            Column::Unit => fiscal.unit.as_ref().map(Unit::as_str),
            Column::Production => fiscal.production.map(|production| match production {
                Production::Own => "own",
                Production::Resale => "resale",
            }),
            Column::Origin => {
                let code = fiscal.origin.map(|origin| Self::Number(i64::from(origin.get())));
                return code.unwrap_or(Self::Nothing);
            }
            _ => None,
        };
        said.map_or(Self::Nothing, |text| Self::Text(text.to_owned()))
    }

    fn weight(weight: Option<Weight>, sheet: Spreadsheet) -> Self {
        weight.map_or(Self::Nothing, |weight| Self::Text(sheet.kilograms(weight)))
    }

    fn length(length: Option<Length>, sheet: Spreadsheet) -> Self {
        length.map_or(Self::Nothing, |length| Self::Text(sheet.centimetres(length)))
    }

    fn money(amount: Option<Money>) -> Self {
        amount.map_or(Self::Nothing, Self::Money)
    }
}

impl Exported {
    fn cells(&self, sheet: Spreadsheet) -> Result<Vec<Held>> {
        let cell = |column| {
            Ok(match column {
                Column::Slug => Held::text(&self.slug),
                Column::Name => Held::text(&self.name),
                Column::Description => Held::text(&self.description),
                Column::Variant => Held::Nothing,
                Column::Price => Held::Money(self.price),
                Column::ComparePrice => Held::money(self.compare_price),
                Column::Sku => Held::of(self.sku.as_ref()),
                Column::Stock => Held::Number(self.stock),
                Column::WeightKg => Held::weight(self.weight, sheet),
                Column::LengthCm => Held::length(self.length, sheet),
                Column::WidthCm => Held::length(self.width, sheet),
                Column::HeightCm => Held::length(self.height, sheet),
                Column::Category => {
                    self.category.as_ref().map_or(Held::Nothing, |c| Held::text(c.slug.as_str()))
                }
                Column::CategoryName => Held::of(self.category.as_ref().map(|c| &c.name)),
                Column::Active => Held::Text(self.active.to_string()),
                Column::Featured => Held::Text(self.featured.to_string()),
                Column::Images => Held::Text(write_images(&self.images, &self.name)?),
                fiscal => Held::fiscal(&self.fiscal, fiscal),
            })
        };
        Column::ALL.into_iter().map(cell).collect()
    }
}

fn variant_cells(slug: &str, variant: &Variant, sheet: Spreadsheet) -> Vec<Held> {
    let cell = |column| match column {
        Column::Slug => Held::text(slug),
        Column::Variant => {
            let values = variant.values.iter();
            let pairs = values.map(|it| (it.variant_type.as_str(), it.value.as_str()));
            Held::text(&write_choices(pairs))
        }
        Column::Price => Held::Money(variant.price),
        Column::ComparePrice => Held::money(variant.compare_price),
        Column::Sku => Held::of(variant.sku.as_ref()),
        Column::Stock => Held::Number(variant.stock),
        Column::WeightKg => Held::weight(variant.weight, sheet),
        Column::LengthCm => Held::length(variant.length, sheet),
        Column::WidthCm => Held::length(variant.width, sheet),
        Column::HeightCm => Held::length(variant.height, sheet),
        _ => Held::Nothing,
    };
    Column::ALL.into_iter().map(cell).collect()
}

/// Addresses with a space between them where that says it all, else JSON.
fn write_images(images: &Images, name: &str) -> Result<String> {
    let list = images.to_vec()?;
    let plain = |(index, image): (usize, &Image)| {
        image.alt == name
            && image.is_primary == (index == 0)
            && u32::try_from(index) == Ok(image.order)
    };
    if list.iter().enumerate().all(plain) {
        let urls: Vec<&str> = list.iter().map(|image| image.url.as_str()).collect();
        return Ok(urls.join(" "));
    }
    let said = list.iter().map(|image| {
        serde_json::json!({ "url": image.url, "alt": image.alt, "order": image.order,
                            "isPrimary": image.is_primary })
    });
    serde_json::to_string(&said.collect::<Vec<_>>()).map_err(Error::from_source)
}

fn pieces(
    cx: Context,
    filter: ProductExportFilter,
) -> impl Stream<Item = Result<Vec<Exported>>> + Send {
    stream::try_unfold(Some((cx, 0)), move |state| async move {
        let Some((cx, after)) = state else { return Ok(None) };
        let job = move |tx: &mut dyn Tx| following(tx, filter, after);
        let piece = cx.db().read("product.export", job).await?;
        let full = u32::try_from(piece.len()) == Ok(PIECE);
        let next = piece.last().filter(|_| full).map(|last| (cx, last.pk));
        Ok((!piece.is_empty()).then_some((piece, next)))
    })
}

fn following(tx: &mut dyn Tx, wanted: ProductExportFilter, after: i64) -> Result<Vec<Exported>> {
    let mut filter = Filter::default();
    filter.compare("pk >", Some(after));
    filter.compare("active =", wanted.active);
    let conditions = filter.sql().to_owned();
    let limit = filter.bind(PIECE);
    let sql = format!(
        "SELECT p.pk, p.id, p.slug, p.name, p.description, p.price, p.compare_price, p.sku,
                s.quantity, p.weight_grams, p.length_mm, p.width_mm, p.height_mm, p.active, p.featured, p.images, c.id, c.name, c.slug
         FROM (SELECT pk AS piece_pk FROM product{conditions} ORDER BY pk LIMIT {limit}) hit
         CROSS JOIN product p CROSS JOIN stock s LEFT JOIN category c ON c.id = p.category_id
         WHERE p.pk = hit.piece_pk AND s.item_id = p.id ORDER BY p.pk"
    );
    let mut products = tx.list(&sql, filter.params())?;
    let ids: Vec<ProductId> =
        products.iter().map(|product: &Exported| product.id.clone()).collect();
    let mut variants = variant::of_products(tx, &ids)?;
    let mut fiscal = fiscal::of_products(tx, &ids)?;
    for product in &mut products {
        product.fiscal = fiscal.remove(&product.id).unwrap_or_default();
        product.variants = variants.remove(&product.id).unwrap_or_default();
        // A line of the file is found by what sets its variant apart.
        product.variants.retain(|variant| !variant.values.is_empty());
    }
    Ok(products)
}

read_columns!(
    Exported: pk, id, slug, name, description, price, compare_price, sku, stock, weight, length,
    width, height, active, featured, images, category; fiscal: ProductFiscal::default(), variants: Vec::new()
);
