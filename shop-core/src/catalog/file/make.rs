//! Writes the products of a file, with the categories and kinds of variation that the shop does not
//! have yet.

use std::collections::HashMap;

use serde::Serialize;

use super::group::{FileProduct, FileVariant, Group};
use super::values::Choice;
use crate::actor::Actor;
use crate::audit;
use crate::catalog::category::{self, NewCategory};
use crate::catalog::fiscal::{self, ProductFiscal};
use crate::catalog::product::{self, NewProduct};
use crate::catalog::search::learn::LearnedWords;
use crate::catalog::slug;
use crate::catalog::variant::{self, NewVariant, NewVariantValue};
use crate::catalog::variant_type::{self, NewVariantOption, NewVariantType};
use crate::context::Work;
use crate::error::{Conflict, Error, Result};
use crate::id::{CategoryId, VariantOptionId, VariantTypeId};
use crate::storage::Tx;
use crate::value::{InvalidValue, Slug, Text};

/// Words that are remembered within a transaction.
const MAX_LEARNED: usize = 50_000;

/// What the audit log keeps of an import.
#[derive(Default, Serialize)]
pub(super) struct Made {
    pub(super) products: u64,
    variants: u64,
}

/// Writes products of a file, within one transaction.
pub(super) struct ImportWriter<'a> {
    at: &'a Work,
    categories: HashMap<Slug, CategoryId>,
    kinds: HashMap<String, Kind>,
    learned: LearnedWords,
    pub(super) made: Made,
}

/// A kind of variation that the shop has.
struct Kind {
    id: VariantTypeId,
    options: HashMap<String, VariantOptionId>,
}

impl<'a> ImportWriter<'a> {
    pub(super) fn new(tx: &mut dyn Tx, at: &'a Work) -> Result<Self> {
        let mut kinds = HashMap::new();
        for kind in variant_type::list_types(tx)? {
            let options = kind.options.into_iter().map(|option| (option.value, option.id));
            let known = Kind { id: kind.id, options: options.collect() };
            kinds.entry(kind.name).or_insert(known);
        }
        let (categories, learned, made) = (HashMap::new(), LearnedWords::new(), Made::default());
        Ok(Self { at, categories, kinds, learned, made })
    }

    pub(super) fn add(&mut self, tx: &mut dyn Tx, group: &Group) -> Result<()> {
        let product = group.product.as_ref().filter(|_| group.bad.is_empty());
        let Some(product) = product else { return Err(changed(group.line)) };
        self.product(tx, product).map_err(|error| match error {
            Error::Conflict(Conflict::Slug | Conflict::Sku) | Error::Invalid(_) => {
                changed(group.line)
            }
            other => other,
        })
    }

    fn product(&mut self, tx: &mut dyn Tx, product: &FileProduct) -> Result<()> {
        let category_id = self.category(tx, product)?;
        let new = NewProduct { category_id, ..product.new.clone() };
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
            let new = self.variant(tx, variant)?;
            variant::insert(tx, self.at, &id, &new)?;
            self.made.variants += 1;
        }
        Ok(())
    }

    fn category(&mut self, tx: &mut dyn Tx, product: &FileProduct) -> Result<Option<CategoryId>> {
        let Some((slug, name)) = &product.category else { return Ok(None) };
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

    fn variant(&mut self, tx: &mut dyn Tx, variant: &FileVariant) -> Result<NewVariant> {
        let values = variant.choices.iter().map(|choice| {
            let variant_option_id = self.option(tx, choice)?;
            Ok(NewVariantValue { variant_option_id })
        });
        let values = values.collect::<Result<_>>()?;
        let FileVariant { price, compare_price, stock, weight, .. } = *variant;
        let (sku, [length, width, height]) = (variant.sku.clone(), variant.sides);
        Ok(NewVariant { price, compare_price, stock, sku, weight, length, width, height, values })
    }

    /// The option of a kind; either is made where there is none.
    fn option(&mut self, tx: &mut dyn Tx, choice: &Choice) -> Result<VariantOptionId> {
        let (name, value) = choice;
        if !self.kinds.contains_key(name.as_str()) {
            let id = make_kind(tx, self.at, name, self.kinds.len())?;
            self.kinds.insert(name.to_string(), Kind { id, options: HashMap::new() });
        }
        let kind = self.kinds.get_mut(name.as_str());
        let kind = kind.ok_or_else(|| Error::internal("a kind that was just made"))?;
        if let Some(known) = kind.options.get(value.as_str()) {
            return Ok(known.clone());
        }
        let new = NewVariantOption { value: value.clone(), order: place(kind.options.len()) };
        let made = variant_type::insert_option(tx, self.at, &kind.id, &new)?;
        kind.options.insert(made.value, made.id.clone());
        Ok(made.id)
    }

    pub(super) fn audit(&self, tx: &mut dyn Tx, by: &Actor) -> Result<()> {
        audit::record(tx, self.at, by, "product.import", "products", &(), &self.made)
    }
}

/// The file, or the shop, is not as it was when it was looked through.
fn changed(line: u64) -> Error {
    let reason = InvalidValue::ChangedDuringImport;
    Error::field(format!("line {line}"), reason)
}

fn place(count: usize) -> u32 {
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
        let new = NewVariantType { name: name.clone(), slug, order: place(order) };
        match variant_type::insert_type(tx, at, &new) {
            Err(Error::Conflict(Conflict::Slug)) => {}
            made => return made.map(|kind| kind.id),
        }
    }
    Err(Error::Conflict(Conflict::Slug))
}
