//! Writes the products of a file, new ones and changes, with the categories and kinds of variation
//! that the shop does not have yet.

use std::collections::HashMap;

use serde::Serialize;

use super::entry::Entry;
use super::group::{FileProduct, FileVariant, Group};
use super::import::ImportProducts;
use super::matching::{Known, Named, is_of};
use super::values::Choice;
use crate::actor::Actor;
use crate::audit;
use crate::catalog::category::{self, NewCategory};
use crate::catalog::fiscal::{self, ProductFiscal};
use crate::catalog::product::{self, NewProduct};
use crate::catalog::search::learn::LearnedWords;
use crate::catalog::variant::{self, NewVariant, NewVariantValue};
use crate::catalog::variant_type::{self, NewVariantOption, NewVariantType};
use crate::catalog::{slug, touch};
use crate::context::Work;
use crate::error::{Conflict, Entity, Error, Result};
use crate::id::{CategoryId, VariantOptionId, VariantTypeId};
use crate::storage::Tx;
use crate::value::{InvalidValue, Slug, StockLevel, Text};

/// Words that are remembered within a transaction.
const MAX_LEARNED: usize = 50_000;

/// What the audit log keeps of an import; of products that it changes also the changes, one by one.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Made {
    pub(super) products: u64,
    pub(super) variants: u64,
    /// Products that the shop had, those that are as the file says among them.
    pub(super) updated: u64,
    /// The lines of those that could not be written any more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) left_out: Vec<u64>,
}

impl Made {
    /// Products that were written, or were so already.
    pub(super) fn taken(&self) -> u64 {
        self.products + self.updated
    }

    pub(super) fn audit(&self, tx: &mut dyn Tx, at: &Work, by: &Actor) -> Result<()> {
        audit::record(tx, at, by, "product.import", "products", &(), self)
    }
}

/// Writes products of a file, within one transaction.
pub(super) struct ImportWriter<'a> {
    at: &'a Work,
    by: &'a Actor,
    how: ImportProducts,
    categories: HashMap<Slug, CategoryId>,
    /// Those of the shop, from the first variant on.
    kinds: Option<Kinds>,
    learned: LearnedWords,
    made: Made,
}

/// A kind of variation that the shop has.
struct Kind {
    id: VariantTypeId,
    options: HashMap<String, VariantOptionId>,
}

/// The kinds of variation that the shop has, by their places in the list.
#[derive(Default)]
struct Kinds {
    list: Vec<Kind>,
    by_name: HashMap<String, usize>,
    /// By the slugs of their names: a kind of another spelling is the same ([`is_same_kind`]).
    ///
    /// [`is_same_kind`]: super::values::is_same_kind
    by_slug: HashMap<Slug, usize>,
}

impl Kinds {
    fn of(tx: &mut dyn Tx) -> Result<Self> {
        let mut kinds = Self::default();
        for kind in variant_type::list_types(tx)? {
            let options = kind.options.into_iter().map(|option| (option.value, option.id));
            kinds.add(&kind.name, Kind { id: kind.id, options: options.collect() });
        }
        Ok(kinds)
    }

    /// Where a kind of this name is; the very name comes first, for the shop may have both.
    fn place(&self, name: &str) -> Option<usize> {
        let by_slug = || self.by_slug.get(&Slug::from_name(name).ok()?);
        self.by_name.get(name).or_else(by_slug).copied()
    }

    fn add(&mut self, name: &str, kind: Kind) -> usize {
        let place = self.list.len();
        self.list.push(kind);
        self.by_name.entry(name.to_owned()).or_insert(place);
        if let Ok(slug) = Slug::from_name(name) {
            self.by_slug.entry(slug).or_insert(place);
        }
        place
    }
}

impl<'a> ImportWriter<'a> {
    pub(super) fn new(at: &'a Work, by: &'a Actor, how: ImportProducts) -> Self {
        let (categories, learned, made) = (HashMap::new(), LearnedWords::new(), Made::default());
        Self { at, by, how, categories, kinds: None, learned, made }
    }

    /// Writes some products, of which nothing was found wrong.
    ///
    /// # Errors
    /// [`Error::Invalid`] where the shop has something against one of them by now.
    pub(super) fn add(&mut self, tx: &mut dyn Tx, groups: &[Group]) -> Result<()> {
        let known = Named::of(groups).look_up(tx)?;
        for group in groups {
            let entry = known.entry_of(&group.product);
            if self.how.leaves_out(entry.is_some()) {
                continue;
            }
            if !group.bad.is_empty() || !known.check(group, entry).is_empty() {
                return Err(changed(group.line));
            }
            let written = match entry {
                None => self.create(tx, &group.product),
                Some(entry) => self.update(tx, &known, entry, &group.product),
            };
            written.map_err(|error| match error {
                Error::Conflict(Conflict::Slug | Conflict::Sku) | Error::Invalid(_) => {
                    changed(group.line)
                }
                other => other,
            })?;
        }
        Ok(())
    }

    pub(super) fn made(&self) -> &Made {
        &self.made
    }

    fn create(&mut self, tx: &mut dyn Tx, product: &FileProduct) -> Result<()> {
        let category_id = self.category(tx, product)?;
        let new = product.to_new();
        let new = new.ok_or_else(|| Error::field("name", InvalidValue::Required))?;
        let new = NewProduct { category_id, ..new };
        if self.learned.len() > MAX_LEARNED {
            self.learned.clear();
        }
        let slug = std::iter::once(new.slug.clone());
        let (id, _) = product::add_under(tx, self.at, &new, &mut self.learned, slug)?;
        if product.fiscal != ProductFiscal::default() {
            fiscal::set_product(tx, &id, &product.fiscal, self.at.now())?;
        }
        self.made.products += 1;
        for variant in &product.variants {
            let new = self.new_variant(tx, variant)?;
            variant::insert(tx, self.at, &id, &new)?;
            self.made.variants += 1;
        }
        Ok(())
    }

    /// Writes what the file changes of a product; nothing where it changes nothing.
    fn update(
        &mut self,
        tx: &mut dyn Tx,
        known: &Known,
        entry: &Entry,
        product: &FileProduct,
    ) -> Result<()> {
        let mut patch = product.patch.clone();
        let after = product.entry_after(self.at, entry)?;
        let slug_of = |entry: &Entry| entry.category.as_ref().map(|(slug, _)| slug.clone());
        if slug_of(&after) != slug_of(entry) {
            patch.category_id = Some(self.category(tx, product)?);
        }
        if self.how.keep_stock {
            patch.stock = None;
        }
        let (at, by, id) = (self.at, self.by, &entry.id);
        product::apply(tx, at, by, id, (&entry.state, entry.stock), &patch)?;
        if after.fiscal != entry.fiscal {
            fiscal::set_product(tx, id, &after.fiscal, at.now())?;
            touch(tx, at, id)?;
            let (before, after) = (&entry.fiscal, &after.fiscal);
            audit::record(tx, at, by, "product_fiscal.update", id.as_str(), before, after)?;
        }
        if !product.variants.is_empty() {
            self.update_variants(tx, known, entry, product)?;
        }
        self.made.updated += 1;
        Ok(())
    }

    fn update_variants(
        &mut self,
        tx: &mut dyn Tx,
        known: &Known,
        entry: &Entry,
        product: &FileProduct,
    ) -> Result<()> {
        let (at, by, id) = (self.at, self.by, &entry.id);
        let there = variant::of_admin(tx, id)?;
        for said in &product.variants {
            let Some(found) = known.variant_of(entry, said) else {
                let new = self.new_variant(tx, said)?;
                variant::add(tx, at, by, id, &new)?;
                self.made.variants += 1;
                continue;
            };
            let mut patch = said.patch.clone();
            if !is_of(found, &said.choices) {
                patch.values = Some(self.options(tx, &said.choices)?);
            }
            if self.how.keep_stock {
                patch.stock = None;
            }
            let found = there.iter().find(|variant| variant.id == found.id);
            let found = found.ok_or(Error::NotFound(Entity::Variant))?;
            variant::apply(tx, at, by, id, found, &patch)?;
        }
        Ok(())
    }

    fn category(&mut self, tx: &mut dyn Tx, product: &FileProduct) -> Result<Option<CategoryId>> {
        let Some(Some((slug, name))) = &product.category else { return Ok(None) };
        if let Some(known) = self.categories.get(slug) {
            return Ok(Some(known.clone()));
        }
        let id = match (category::id_of(tx, slug.as_str())?, name) {
            (Some(id), _) => id,
            (None, Some(name)) => category::insert(tx, self.at, &new_category(slug, name))?.id,
            (None, None) => return Err(Error::field("category", InvalidValue::UnknownCategory)),
        };
        self.categories.insert(slug.clone(), id.clone());
        Ok(Some(id))
    }

    fn options(&mut self, tx: &mut dyn Tx, choices: &[Choice]) -> Result<Vec<NewVariantValue>> {
        let values = choices.iter().map(|choice| {
            let variant_option_id = self.option(tx, choice)?;
            Ok(NewVariantValue { variant_option_id })
        });
        values.collect()
    }

    fn new_variant(&mut self, tx: &mut dyn Tx, variant: &FileVariant) -> Result<NewVariant> {
        let (values, said) = (self.options(tx, &variant.choices)?, variant.patch.clone());
        let price = said.price.ok_or_else(|| Error::field("price", InvalidValue::Required))?;
        Ok(NewVariant {
            price,
            compare_price: said.compare_price.flatten(),
            stock: said.stock.unwrap_or_else(|| StockLevel::clamped(0)),
            sku: said.sku.flatten(),
            weight: said.weight.flatten(),
            length: said.length.flatten(),
            width: said.width.flatten(),
            height: said.height.flatten(),
            values,
        })
    }

    /// The option of a kind; either is made where there is none.
    fn option(&mut self, tx: &mut dyn Tx, choice: &Choice) -> Result<VariantOptionId> {
        let (name, value) = choice;
        let kinds = match &mut self.kinds {
            Some(known) => known,
            unknown @ None => unknown.insert(Kinds::of(tx)?),
        };
        let place = if let Some(known) = kinds.place(name.as_str()) {
            known
        } else {
            let id = make_kind(tx, self.at, name, kinds.list.len())?;
            kinds.add(name.as_str(), Kind { id, options: HashMap::new() })
        };
        let kind = kinds.list.get_mut(place);
        let kind = kind.ok_or_else(|| Error::internal("a kind that was just made"))?;
        if let Some(known) = kind.options.get(value.as_str()) {
            return Ok(known.clone());
        }
        let new = NewVariantOption { value: value.clone(), order: order_of(kind.options.len()) };
        let made = variant_type::insert_option(tx, self.at, &kind.id, &new)?;
        kind.options.insert(made.value, made.id.clone());
        Ok(made.id)
    }
}

/// The file, or the shop, is not as it was when it was looked through.
pub(super) fn changed(line: u64) -> Error {
    let reason = InvalidValue::ChangedDuringImport;
    Error::field(format!("line {line}"), reason)
}

fn order_of(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn new_category(slug: &Slug, name: &Text<2, 120>) -> NewCategory {
    let (slug, name) = (Some(slug.clone()), name.clone());
    NewCategory { name, slug, description: None, image: None, active: true }
}

/// A kind of variation under the first slug that none has.
fn make_kind(
    tx: &mut dyn Tx,
    at: &Work,
    name: &Text<1, 60>,
    order: usize,
) -> Result<VariantTypeId> {
    let wished = Slug::from_name(name.as_str()).or_else(|_| "tipo".parse());
    let wished = wished.map_err(Error::from_source)?;
    let candidates = std::iter::once(wished.clone()).chain(slug::numbered(&wished));
    for slug in candidates {
        let new = NewVariantType { name: name.clone(), slug, order: order_of(order) };
        match variant_type::insert_type(tx, at, &new) {
            Err(Error::Conflict(Conflict::Slug)) => {}
            made => return made.map(|kind| kind.id),
        }
    }
    Err(Error::Conflict(Conflict::Slug))
}
