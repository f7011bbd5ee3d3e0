//! What stands in the cells of a file for a product and for a variant.

use super::column::Column;
use super::entry::Entry;
use super::values::{guarded, write_choices};
use crate::catalog::fiscal::ProductFiscal;
use crate::catalog::image::{Image, Images};
use crate::catalog::variant::Variant;
use crate::error::{Error, Result};
use crate::fiscal::{Csosn, Digits, Gtin, Production, Unit};
use crate::money::Money;
use crate::spreadsheet::{Cell, Spreadsheet};
use crate::value::{Length, Weight};

/// A cell that holds its text.
pub(super) enum Held {
    Text(String),
    Number(i64),
    Money(Money),
    Nothing,
}

impl Held {
    pub(super) fn cell(&self) -> Cell<'_> {
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

impl Entry {
    /// What the row of the product itself says, in the order of the columns.
    pub(super) fn cells(&self, sheet: Spreadsheet) -> Result<Vec<Held>> {
        let cell = |column| {
            Ok(match column {
                Column::Slug => Held::text(self.state.slug.as_str()),
                Column::Name => Held::text(&self.state.name),
                Column::Description => Held::text(&self.state.description),
                Column::Variant => Held::Nothing,
                Column::Price => Held::Money(self.state.price),
                Column::ComparePrice => Held::money(self.state.compare_price),
                Column::Sku => Held::of(self.state.sku.as_ref()),
                Column::Stock => Held::Number(self.stock),
                Column::WeightKg => Held::weight(self.state.weight, sheet),
                Column::LengthCm => Held::length(self.state.length, sheet),
                Column::WidthCm => Held::length(self.state.width, sheet),
                Column::HeightCm => Held::length(self.state.height, sheet),
                Column::Category => self
                    .category
                    .as_ref()
                    .map_or(Held::Nothing, |(slug, _)| Held::text(slug.as_str())),
                Column::CategoryName => Held::of(self.category.as_ref().map(|(_, name)| name)),
                Column::Active => Held::Text(self.state.active.to_string()),
                Column::Featured => Held::Text(self.state.featured.to_string()),
                Column::VariantRequired => Held::Text(self.state.variant_required.to_string()),
                Column::Images => Held::Text(write_images(&self.state.images, &self.state.name)?),
                fiscal => Held::fiscal(&self.fiscal, fiscal),
            })
        };
        Column::ALL.into_iter().map(cell).collect()
    }
}

/// What the row of a variant says, in the order of the columns.
pub(super) fn variant_cells(slug: &str, variant: &Variant, sheet: Spreadsheet) -> Vec<Held> {
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
pub(super) fn write_images(images: &Images, name: &str) -> Result<String> {
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
