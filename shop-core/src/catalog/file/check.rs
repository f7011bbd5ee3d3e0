//! What the shop and the lines above say about a product of a file.

#[cfg(feature = "nfe")]
use std::collections::HashMap;
use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use super::bad_row::bad_cell;
use super::column::Column;
use super::group::Group;
#[cfg(feature = "nfe")]
use crate::catalog::fiscal::{self, EffectiveFiscal, ProductFiscal};
use crate::catalog::slug::is_reserved;
#[cfg(feature = "nfe")]
use crate::config::NfeConfig;
use crate::error::Result;
use crate::storage::{PLACES, Tx, placed};
use crate::value::InvalidValue;

/// Products that are looked up at once.
pub(super) const CHUNK: usize = 50;
/// What one statement looks up.
const LOOKED_UP: usize = 100;

/// The slugs and article numbers of the lines above, as eight bytes each: of a file however long
/// that is all that is kept. Two of a thousand million would be taken for one.
#[derive(Default)]
pub(super) struct Seen {
    slugs: HashSet<u64>,
    skus: HashSet<u64>,
    /// Categories that lines above give a name, so that the import makes them.
    named: HashSet<u64>,
}

/// What the shop has of what a chunk names.
#[derive(Default)]
pub(super) struct Taken {
    slugs: HashSet<String>,
    skus: HashSet<String>,
    categories: HashSet<String>,
    /// What categories say to the tax office for their products, by slug.
    #[cfg(feature = "nfe")]
    fiscal: HashMap<String, ProductFiscal>,
}

#[cfg(feature = "nfe")]
impl Taken {
    /// Adds to each product of a chunk what the company's regime does not take of its codes.
    pub(super) fn check_fiscal(&self, groups: &mut [Group], config: &NfeConfig) {
        for group in groups {
            let Group { line, bad, product: Some(product), .. } = group else { continue };
            if product.fiscal == ProductFiscal::default() {
                continue;
            }
            let slug = product.category.as_ref().map(|(slug, _)| slug.as_str());
            let category = slug.and_then(|slug| self.fiscal.get(slug));
            let nothing = ProductFiscal::default();
            let category = category.unwrap_or(&nothing);
            let holds = EffectiveFiscal::of(&product.fiscal, category, config);
            for (field, wrong) in holds.check_product(config.regime()).field_errors {
                let column = match field.as_str() {
                    "cest" => Column::Cest,
                    "cfopInState" => Column::CfopInState,
                    "cfopOutOfState" => Column::CfopOutOfState,
                    _ => Column::Csosn,
                };
                bad.extend(wrong.into_iter().map(|reason| bad_cell(*line, column, reason)));
            }
        }
    }
}

/// What a chunk names: with it the database can be asked while the chunk stays where it is.
pub(super) struct Named {
    slugs: Vec<String>,
    skus: Vec<String>,
    categories: Vec<String>,
}

fn digest(text: &str) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(text)
}

impl Named {
    pub(super) fn of(groups: &[Group]) -> Self {
        let products = || groups.iter().filter_map(|group| group.product.as_ref());
        let own = products().filter_map(|product| product.new.sku.as_ref());
        let of_variants =
            products().flat_map(|product| &product.variants).filter_map(|v| v.sku.as_ref());
        let categories = products().filter_map(|product| product.category.as_ref());
        Self {
            slugs: products().map(|product| product.new.slug.to_string()).collect(),
            skus: own.chain(of_variants).map(ToString::to_string).collect(),
            categories: categories.map(|(slug, _)| slug.to_string()).collect(),
        }
    }

    pub(super) fn look_up(&self, tx: &mut dyn Tx) -> Result<Taken> {
        let Self { slugs, skus, categories } = self;
        Ok(Taken {
            slugs: found(tx, "SELECT slug FROM product WHERE slug IN", slugs)?,
            skus: found(tx, "SELECT code FROM sku WHERE code IN", skus)?,
            categories: found(tx, "SELECT slug FROM category WHERE slug IN", categories)?,
            #[cfg(feature = "nfe")]
            fiscal: fiscal::of_categories(tx, categories)?,
        })
    }
}

impl Seen {
    /// Adds to each product of a chunk what the shop and the lines above have against it.
    pub(super) fn check(&mut self, groups: &mut [Group], taken: &Taken) {
        for group in groups {
            self.check_one(group, taken);
        }
    }

    fn check_one(&mut self, group: &mut Group, taken: &Taken) {
        let Group { line, bad, product: Some(product), .. } = group else { return };
        let slug = product.new.slug.as_str();
        if taken.slugs.contains(slug) || is_reserved(slug) {
            bad.push(bad_cell(*line, Column::Slug, InvalidValue::AlreadyUsed));
        }
        if !self.slugs.insert(digest(slug)) {
            bad.push(bad_cell(*line, Column::Slug, InvalidValue::RepeatedInFile));
        }
        let own = product.new.sku.as_ref().map(|sku| (*line, sku));
        let variants = product.variants.iter();
        let of_variants = variants.filter_map(|v| v.sku.as_ref().map(|sku| (v.line, sku)));
        for (line, sku) in own.into_iter().chain(of_variants) {
            if taken.skus.contains(sku.as_str()) {
                bad.push(bad_cell(line, Column::Sku, InvalidValue::AlreadyUsed));
            }
            if !self.skus.insert(digest(sku.as_str())) {
                bad.push(bad_cell(line, Column::Sku, InvalidValue::RepeatedInFile));
            }
        }
        if let Some((slug, name)) = &product.category {
            let known = taken.categories.contains(slug.as_str());
            if name.is_some() && bad.is_empty() {
                self.named.insert(digest(slug.as_str()));
            } else if name.is_none() && !known && !self.named.contains(&digest(slug.as_str())) {
                let reason = InvalidValue::CategoryOfImport;
                bad.push(bad_cell(*line, Column::Category, reason));
            }
        }
    }
}

fn found(tx: &mut dyn Tx, select: &str, wanted: &[String]) -> Result<HashSet<String>> {
    let mut found = HashSet::new();
    for some in wanted.chunks(LOOKED_UP) {
        let params = placed(some.iter().map(String::as_str));
        let rows = tx.list(&format!("{select} ({})", *PLACES), &params)?;
        found.extend::<Vec<String>>(rows);
    }
    Ok(found)
}
