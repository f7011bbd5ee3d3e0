//! What the lines above and the company's regime say about a product of a file.

use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use super::bad_row::{BadRow, bad_cell};
use super::column::Column;
use super::entry::Entry;
use super::group::Group;
use super::matching::Known;
#[cfg(feature = "nfe")]
use crate::catalog::fiscal::{EffectiveFiscal, ProductFiscal};
#[cfg(feature = "nfe")]
use crate::config::NfeConfig;
use crate::value::InvalidValue;

/// The slugs and article numbers of the lines above, as eight bytes each: of a file however long
/// that is all that is kept. Two of a thousand million would be taken for one.
#[derive(Default)]
pub(super) struct Seen {
    /// Products that the shop has.
    products: HashSet<u64>,
    slugs: HashSet<u64>,
    skus: HashSet<u64>,
    /// Categories that lines above give a name, so that the import makes them.
    named: HashSet<u64>,
}

fn digest(text: &str) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(text)
}

impl Seen {
    /// What the lines above have against a product.
    pub(super) fn check(
        &mut self,
        group: &Group,
        entry: Option<&Entry>,
        known: &Known,
    ) -> Vec<BadRow> {
        let (line, product) = (group.line, &group.product);
        let mut bad = Vec::new();
        let known_again =
            entry.is_some_and(|entry| !self.products.insert(digest(entry.id.as_str())));
        let slug = if entry.is_some() { product.patch.slug.clone() } else { product.slug() };
        let slug_again = slug.is_some_and(|slug| !self.slugs.insert(digest(slug.as_str())));
        if slug_again || known_again {
            let by_sku = !slug_again && product.sku().is_some();
            let column = if by_sku { Column::Sku } else { Column::Slug };
            bad.push(bad_cell(line, column, InvalidValue::RepeatedInFile));
        }
        let variants = product.variants.iter().map(|variant| (variant.line, variant.sku()));
        for (line, sku) in std::iter::once((line, product.sku())).chain(variants) {
            if let Some(sku) = sku
                && !self.skus.insert(digest(sku))
            {
                bad.push(bad_cell(line, Column::Sku, InvalidValue::RepeatedInFile));
            }
        }
        if group.bad.is_empty() && bad.is_empty() {
            bad.extend(self.category(group, known));
        }
        bad
    }

    fn category(&mut self, group: &Group, known: &Known) -> Option<BadRow> {
        let (slug, name) = group.product.category.as_ref()?.as_ref()?;
        if name.is_some() {
            self.named.insert(digest(slug.as_str()));
            return None;
        }
        let there = known.categories.contains(slug.as_str());
        let there = there || self.named.contains(&digest(slug.as_str()));
        let reason = InvalidValue::CategoryOfImport;
        (!there).then(|| bad_cell(group.line, Column::Category, reason))
    }
}

/// What the company's regime does not take of a product's codes, where the file says some.
#[cfg(feature = "nfe")]
pub(super) fn check_fiscal(
    group: &Group,
    entry: Option<&Entry>,
    known: &Known,
    config: &NfeConfig,
) -> Vec<BadRow> {
    let product = &group.product;
    let before = entry.map(|entry| entry.fiscal.clone()).unwrap_or_default();
    let own = product.fiscal_of(&before);
    if own == before {
        return Vec::new();
    }
    let said = product.category.as_ref().map(|said| said.as_ref().map(|(slug, _)| slug));
    let kept = || entry.and_then(|entry| entry.category.as_ref()).map(|(slug, _)| slug);
    let category = said.unwrap_or_else(kept).and_then(|slug| known.fiscal.get(slug.as_str()));
    let nothing = ProductFiscal::default();
    let holds = EffectiveFiscal::of(&own, category.unwrap_or(&nothing), config);
    let wrong = holds.check_product(config.regime()).field_errors.into_iter();
    let cells = wrong.flat_map(|(field, wrong)| {
        let column = match field.as_str() {
            "cest" => Column::Cest,
            "cfopInState" => Column::CfopInState,
            "cfopOutOfState" => Column::CfopOutOfState,
            _ => Column::Csosn,
        };
        wrong.into_iter().map(move |reason| bad_cell(group.line, column, reason))
    });
    cells.collect()
}
