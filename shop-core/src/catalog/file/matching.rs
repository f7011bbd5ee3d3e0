//! Which product of the shop a product of a file is, and what the shop has against it.

use std::collections::{HashMap, HashSet};

use super::bad_row::{BadRow, bad_cell};
use super::column::Column;
use super::entry::{self, Entry};
use super::group::{FileProduct, FileVariant, Group};
use super::values::{Choice, is_same_kind};
#[cfg(feature = "nfe")]
use crate::catalog::fiscal::{self, ProductFiscal};
use crate::catalog::slug::is_reserved;
use crate::catalog::variant::{MAX_VARIANTS, Variant};
use crate::error::Result;
use crate::id::ProductId;
use crate::storage::{PLACES, Tx, placed};
use crate::value::{InvalidValue, Slug};

/// What one statement looks up.
const LOOKED_UP: usize = 100;

/// What the shop has of what a chunk names.
#[derive(Default)]
pub(super) struct Known {
    /// Who has an article number: a product or a variant, and its product.
    owners: HashMap<String, (String, ProductId)>,
    slugs: HashMap<String, ProductId>,
    entries: HashMap<ProductId, Entry>,
    pub(super) categories: HashSet<String>,
    /// What categories say to the tax office for their products, by slug.
    #[cfg(feature = "nfe")]
    pub(super) fiscal: HashMap<String, ProductFiscal>,
}

/// What a chunk names: with it the database can be asked while the chunk stays where it is.
pub(super) struct Named {
    slugs: Vec<String>,
    skus: Vec<String>,
    categories: Vec<String>,
}

impl Named {
    pub(super) fn of(groups: &[Group]) -> Self {
        let products = || groups.iter().map(|group| &group.product);
        let own = products().filter_map(FileProduct::sku);
        let of_variants = products().flat_map(|it| &it.variants).filter_map(FileVariant::sku);
        let categories = products().filter_map(|product| product.category.as_ref()?.as_ref());
        Self {
            slugs: products().filter_map(|product| Some(product.slug()?.to_string())).collect(),
            skus: own.chain(of_variants).map(str::to_owned).collect(),
            categories: categories.map(|(slug, _)| slug.to_string()).collect(),
        }
    }

    pub(super) fn look_up(&self, tx: &mut dyn Tx) -> Result<Known> {
        let mut known = Known::default();
        let owners = "SELECT k.code, k.item_id, coalesce(v.product_id, k.item_id)
                      FROM sku k LEFT JOIN variant v ON v.id = k.item_id WHERE k.code IN";
        each_page(&self.skus, |some| {
            let found: Vec<(String, String, ProductId)> = tx.list(&within(owners), some)?;
            known.owners.extend(found.into_iter().map(|(sku, item, of)| (sku, (item, of))));
            Ok(())
        })?;
        each_page(&self.slugs, |some| {
            let sql = within("SELECT slug, id FROM product WHERE slug IN");
            known.slugs.extend(tx.list::<(String, ProductId)>(&sql, some)?);
            Ok(())
        })?;
        known.load(tx)?;
        let of_entries = known.entries.values().filter_map(|entry| entry.category.as_ref());
        let of_entries = of_entries.map(|(slug, _)| slug.to_string());
        let categories: Vec<String> = self
            .categories
            .iter()
            .cloned()
            .chain(of_entries)
            .collect::<HashSet<_>>()
            .into_iter()
            .collect();
        each_page(&categories, |some| {
            let sql = within("SELECT slug FROM category WHERE slug IN");
            known.categories.extend::<Vec<String>>(tx.list(&sql, some)?);
            Ok(())
        })?;
        #[cfg(feature = "nfe")]
        known.fiscal.extend(fiscal::of_categories(tx, &categories)?);
        Ok(known)
    }
}

impl Known {
    /// Reads the products that were found.
    fn load(&mut self, tx: &mut dyn Tx) -> Result<()> {
        let of_skus = self.owners.values().map(|(_, product)| product);
        let found: HashSet<&ProductId> = self.slugs.values().chain(of_skus).collect();
        let found: Vec<String> = found.into_iter().map(ToString::to_string).collect();
        each_page(&found, |some| {
            let piece = within("SELECT pk AS piece_pk FROM product WHERE id IN");
            let entries = entry::load(tx, &piece, some)?;
            self.entries.extend(entries.into_iter().map(|entry| (entry.id.clone(), entry)));
            Ok(())
        })
    }

    /// The product that a product of the file is: by its article number, else by its slug.
    pub(super) fn entry_of(&self, product: &FileProduct) -> Option<&Entry> {
        let by_sku = product.sku().and_then(|sku| self.owners.get(sku));
        let by_sku = by_sku.filter(|(item, of)| item == of.as_str()).map(|(_, of)| of);
        let by_slug = || self.slugs.get(product.slug()?.as_str());
        self.entries.get(by_sku.or_else(by_slug)?)
    }

    /// Whether a row is meant for a variant whose article number it has. One with a name is a
    /// product of its own.
    fn is_of_variant(&self, product: &FileProduct) -> bool {
        if product.patch.name.is_some() {
            return false;
        }
        let owner = product.sku().and_then(|sku| self.owners.get(sku));
        owner.is_some_and(|(item, of)| item != of.as_str())
    }

    /// The variant that a variant of the file is: by its article number, else by what sets it
    /// apart.
    pub(super) fn variant_of<'a>(
        &self,
        entry: &'a Entry,
        variant: &FileVariant,
    ) -> Option<&'a Variant> {
        let owner = variant.sku().and_then(|sku| self.owners.get(sku));
        let by_sku =
            owner.and_then(|(item, _)| entry.variants.iter().find(|v| v.id.as_str() == item));
        by_sku.or_else(|| entry.variants.iter().find(|known| is_of(known, &variant.choices)))
    }

    /// What the shop has against a product of the file.
    pub(super) fn check(&self, group: &Group, entry: Option<&Entry>) -> Vec<BadRow> {
        let mut check = Check { known: self, group, bad: Vec::new() };
        match entry {
            Some(entry) => check.change(entry),
            None => check.new_product(),
        }
        check.bad
    }
}

/// What is found wrong with a product.
struct Check<'a> {
    known: &'a Known,
    group: &'a Group,
    bad: Vec<BadRow>,
}

impl Check<'_> {
    fn refuse(&mut self, line: u64, column: Column, reason: InvalidValue) {
        self.bad.push(bad_cell(line, column, reason));
    }

    /// A cell that must say something; one that is wrong was refused already.
    fn require(&mut self, line: u64, column: Column) {
        let refused = |bad: &BadRow| bad.line == line && bad.column == column.as_str();
        if !self.group.bad.iter().any(refused) {
            self.refuse(line, column, InvalidValue::Required);
        }
    }

    fn new_product(&mut self) {
        let (line, product) = (self.group.line, &self.group.product);
        // What else it lacks is no news: it is no product.
        if self.known.is_of_variant(product) {
            return self.refuse(line, Column::Sku, InvalidValue::SkuOfVariant);
        }
        match &product.patch.name {
            None => self.require(line, Column::Name),
            Some(name) if product.patch.slug.is_none() => {
                if let Err(reason) = Slug::from_name(name.as_str()) {
                    self.refuse(line, Column::Slug, reason);
                }
            }
            Some(_) => {}
        }
        if product.patch.price.is_none() {
            self.require(line, Column::Price);
        }
        if product.slug().is_some_and(|slug| is_reserved(slug.as_str())) {
            self.refuse(line, Column::Slug, InvalidValue::AlreadyUsed);
        }
        self.owner(line, product.sku(), None);
        for variant in &product.variants {
            self.owner(variant.line, variant.sku(), None);
            if variant.patch.price.is_none() {
                self.require(variant.line, Column::Price);
            }
        }
    }

    fn change(&mut self, entry: &Entry) {
        let (line, product) = (self.group.line, &self.group.product);
        // Two products may have one name: only a slug that the file says gives another number.
        let other = product.sku().filter(|_| product.patch.slug.is_none());
        if other.is_some_and(|sku| entry.state.sku.as_deref().is_some_and(|own| own != sku)) {
            return self.refuse(line, Column::Slug, InvalidValue::AlreadyUsed);
        }
        if let Some(slug) = product.patch.slug.as_ref().filter(|slug| **slug != entry.state.slug) {
            let taken = self.known.slugs.get(slug.as_str()).is_some_and(|id| *id != entry.id);
            if taken || is_reserved(slug.as_str()) {
                self.refuse(line, Column::Slug, InvalidValue::AlreadyUsed);
            }
        }
        if self.known.is_of_variant(product) {
            self.refuse(line, Column::Sku, InvalidValue::SkuOfVariant);
        } else {
            self.owner(line, product.sku(), Some(entry.id.as_str()));
        }
        let (mut matched, mut count) = (HashSet::new(), entry.variants.len());
        for variant in &product.variants {
            if let Some(known) = self.known.variant_of(entry, variant) {
                if !matched.insert(&known.id) {
                    self.refuse(variant.line, Column::Variant, InvalidValue::RepeatedInFile);
                }
                self.variant(entry, variant, known);
            } else {
                self.owner(variant.line, variant.sku(), None);
                if variant.patch.price.is_none() {
                    self.require(variant.line, Column::Price);
                }
                count += 1;
                if count == MAX_VARIANTS + 1 {
                    let most = MAX_VARIANTS as u64;
                    self.refuse(
                        variant.line,
                        Column::Variant,
                        InvalidValue::TooManyVariants { most },
                    );
                }
            }
        }
    }

    fn variant(&mut self, entry: &Entry, variant: &FileVariant, known: &Variant) {
        self.owner(variant.line, variant.sku(), Some(known.id.as_str()));
        let mut others = entry.variants.iter().filter(|other| other.id != known.id);
        if others.any(|other| is_of(other, &variant.choices)) {
            self.refuse(variant.line, Column::Variant, InvalidValue::VariantExists);
        }
    }

    /// Refuses an article number that something else has.
    fn owner(&mut self, line: u64, sku: Option<&str>, own: Option<&str>) {
        let owner = sku.and_then(|sku| self.known.owners.get(sku));
        if owner.is_some_and(|(item, _)| own != Some(item.as_str())) {
            self.refuse(line, Column::Sku, InvalidValue::AlreadyUsed);
        }
    }
}

/// Whether these choices set a variant apart.
pub(super) fn is_of(variant: &Variant, choices: &[Choice]) -> bool {
    let chosen = |(kind, option): &Choice| {
        let mut values = variant.values.iter();
        values.any(|own| {
            own.value == option.as_str() && is_same_kind(&own.variant_type, kind.as_str())
        })
    };
    variant.values.len() == choices.len() && choices.iter().all(chosen)
}

fn within(select: &str) -> String {
    format!("{select} ({})", *PLACES)
}

/// Asks about some at a time.
fn each_page(
    wanted: &[String],
    mut ask: impl FnMut(&[crate::storage::Param<'_>]) -> Result<()>,
) -> Result<()> {
    wanted.chunks(LOOKED_UP).try_for_each(|some| ask(&placed(some.iter().map(String::as_str))))
}
