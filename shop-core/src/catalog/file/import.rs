//! Products in, from a file: looked through first, then written.

use std::collections::{HashMap, HashSet};
use std::io::{Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;

use super::Column;
use super::check::{CHUNK, Named, Seen};
use super::read::{FileProduct, FileVariant, Group, Groups};
use super::values::Choice;
use crate::actor::Actor;
use crate::audit;
use crate::catalog::category::{self, NewCategory};
use crate::catalog::variant_type::{self, NewVariantOption, NewVariantType};
use crate::catalog::vocabulary::Known;
use crate::catalog::{NewProduct, NewVariant, NewVariantValue, Products, create, variant};
use crate::context::{Context, Work};
use crate::error::{Conflict, Error, Result};
use crate::id::{CategoryId, VariantOptionId, VariantTypeId};
use crate::lane;
use crate::storage::Tx;
use crate::value::{InvalidValue, Slug, Text};

/// Products of a transaction where bad ones are skipped: orders wait no longer than this takes.
const BATCH: usize = 500;
/// Words that are remembered within a transaction.
const MAX_KNOWN: usize = 50_000;

/// What to do with a file of products.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportProducts {
    /// Only look through it.
    pub dry_run: bool,
    /// Take the products that are right and leave the others. Without it one bad row keeps all
    /// from being taken.
    pub skip_bad: bool,
}

/// How far an import is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportStep {
    /// Bytes of the file were looked through.
    Checking,
    /// Products were written.
    Writing,
}

/// A row of a file that cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BadRow {
    /// The line on which it begins; the names of the columns are line 1.
    pub line: u64,
    /// Which of its cells is wrong; empty for the row as a whole.
    pub column: String,
    /// Why.
    pub reason: InvalidValue,
}

pub(super) fn bad_cell(line: u64, column: Column, reason: InvalidValue) -> BadRow {
    BadRow { line, column: column.name().to_owned(), reason }
}

/// Who watches an import: what it finds is told at once and kept nowhere.
pub trait ImportWatch: Send + Sync {
    /// A row is bad.
    fn bad_row(&self, row: &BadRow);
    /// So much of a step is done.
    fn progress(&self, step: ImportStep, done: u64, of: u64);
}

/// Nobody.
impl ImportWatch for () {
    fn bad_row(&self, _: &BadRow) {}
    fn progress(&self, _: ImportStep, _: u64, _: u64) {}
}

/// What became of a file of products.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProductImport {
    /// Rows below the names of the columns.
    pub rows: u64,
    /// What is wrong with them, each cell counted.
    pub bad: u64,
    /// Products that cannot be taken.
    pub skipped: u64,
    /// Products that were taken, or would be.
    pub products: u64,
    /// Their variants.
    pub variants: u64,
    /// Whether these are in the shop now.
    pub written: bool,
}

/// What an import knows of a file once it was looked through.
#[derive(Default)]
struct Looked {
    found: ProductImport,
    /// Where the products begin that cannot be taken.
    bad: HashSet<u64>,
}

impl Products<'_> {
    /// Adds the products of a file that [`Products::export_csv`] wrote, or that has columns of
    /// these names; categories and kinds of variation that the shop does not have are made. The
    /// file is read twice, product by product, so it takes the same memory however long it is, but
    /// for a few bytes a product. Everything is looked through first. Then all is written in one
    /// transaction, for which writers wait, or nothing is; with `skip_bad` several products a
    /// transaction, so that orders go on meanwhile.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a file without the right columns, and where the shop changed so
    /// meanwhile that a product cannot be taken any more.
    pub async fn import_csv(
        &self,
        by: &Actor,
        mut source: impl Read + Seek + Send + 'static,
        how: ImportProducts,
        watch: Arc<dyn ImportWatch>,
    ) -> Result<ProductImport> {
        let Looked { found, bad } = look_through(self.cx, &mut source, &*watch).await?;
        if how.dry_run || found.products == 0 || (!how.skip_bad && found.skipped > 0) {
            return Ok(found);
        }
        if how.skip_bad {
            write_batches(self.cx, by, source, &bad, found, &*watch).await?;
        } else {
            write_all(self.cx, by, source, found, watch).await?;
        }
        Ok(ProductImport { written: true, ..found })
    }
}

async fn look_through(
    cx: &Context,
    source: &mut (impl Read + Seek + Send),
    watch: &dyn ImportWatch,
) -> Result<Looked> {
    let bytes = source.seek(SeekFrom::End(0)).map_err(Error::from_source)?;
    let mut groups = Groups::open(source)?;
    let (mut looked, mut seen) = (Looked::default(), Seen::default());
    loop {
        let mut chunk = chunk_of(&mut groups, CHUNK)?;
        if chunk.is_empty() {
            return Ok(looked);
        }
        let named = Named::of(&chunk);
        let job = move |tx: &mut dyn Tx| named.look_up(tx);
        let taken = cx.db().read("product.import_check", job).await?;
        seen.check(&mut chunk, &taken);
        for group in &chunk {
            looked.count(group, watch);
        }
        watch.progress(ImportStep::Checking, groups.bytes_read().min(bytes), bytes);
    }
}

impl Looked {
    fn count(&mut self, group: &Group, watch: &dyn ImportWatch) {
        for row in &group.bad {
            watch.bad_row(row);
        }
        self.found.rows += group.rows;
        self.found.bad += group.bad.len() as u64;
        match &group.product {
            Some(product) if group.bad.is_empty() => {
                self.found.products += 1;
                self.found.variants += product.variants.len() as u64;
            }
            _ => {
                self.found.skipped += 1;
                self.bad.insert(group.line);
            }
        }
    }
}

fn chunk_of(groups: &mut Groups<impl Read + Seek>, most: usize) -> Result<Vec<Group>> {
    let mut chunk = Vec::with_capacity(most);
    while chunk.len() < most
        && let Some(group) = groups.next()?
    {
        chunk.push(group);
    }
    Ok(chunk)
}

/// All or nothing.
async fn write_all(
    cx: &Context,
    by: &Actor,
    source: impl Read + Seek + Send + 'static,
    found: ProductImport,
    watch: Arc<dyn ImportWatch>,
) -> Result<()> {
    let (by, at, source) = (by.clone(), cx.work(), Arc::new(Mutex::new(source)));
    let job = move |tx: &mut dyn Tx| {
        let mut source = source.lock().unwrap_or_else(PoisonError::into_inner);
        let mut groups = Groups::open(&mut *source)?;
        let mut making = Making::new(tx, &at)?;
        while let Some(group) = groups.next()? {
            making.add(tx, &group)?;
            if making.made.products.is_multiple_of(CHUNK as u64) {
                watch.progress(ImportStep::Writing, making.made.products, found.products);
            }
        }
        making.note(tx, &by)
    };
    cx.db().write(lane::CATALOG, "product.import", job).await
}

/// Leaves out what begins on one of the bad lines.
async fn write_batches(
    cx: &Context,
    by: &Actor,
    mut source: impl Read + Seek + Send,
    bad: &HashSet<u64>,
    found: ProductImport,
    watch: &dyn ImportWatch,
) -> Result<()> {
    let mut groups = Groups::open(&mut source)?;
    let mut done = 0;
    loop {
        let mut batch = chunk_of(&mut groups, BATCH)?;
        if batch.is_empty() {
            return Ok(());
        }
        batch.retain(|group| !bad.contains(&group.line));
        done += batch.len() as u64;
        let (by, at) = (by.clone(), cx.work());
        let job = move |tx: &mut dyn Tx| {
            let mut making = Making::new(tx, &at)?;
            batch.iter().try_for_each(|group| making.add(tx, group))?;
            making.note(tx, &by)
        };
        cx.db().write(lane::CATALOG, "product.import", job).await?;
        watch.progress(ImportStep::Writing, done, found.products);
    }
}

/// What the audit log keeps of an import.
#[derive(Default, Serialize)]
struct Made {
    products: u64,
    variants: u64,
}

/// Products in the making, within one transaction.
struct Making<'a> {
    at: &'a Work,
    categories: HashMap<Slug, CategoryId>,
    kinds: HashMap<String, Kind>,
    known: Known,
    made: Made,
}

/// A kind of variation that the shop has.
struct Kind {
    id: VariantTypeId,
    options: HashMap<String, VariantOptionId>,
}

impl<'a> Making<'a> {
    fn new(tx: &mut dyn Tx, at: &'a Work) -> Result<Self> {
        let mut kinds = HashMap::new();
        for kind in variant_type::list_types(tx)? {
            let options = kind.options.into_iter().map(|option| (option.value, option.id));
            let known = Kind { id: kind.id, options: options.collect() };
            kinds.entry(kind.name).or_insert(known);
        }
        let (categories, known, made) = (HashMap::new(), Known::new(), Made::default());
        Ok(Self { at, categories, kinds, known, made })
    }

    fn add(&mut self, tx: &mut dyn Tx, group: &Group) -> Result<()> {
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
        if self.known.len() > MAX_KNOWN {
            self.known.clear();
        }
        let slug = std::iter::once(new.slug.clone());
        let (id, _) = create::add_under(tx, self.at, &new, &mut self.known, slug)?;
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
        let FileVariant { price, compare_price, stock, .. } = *variant;
        Ok(NewVariant { price, compare_price, stock, sku: variant.sku.clone(), values })
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

    fn note(&self, tx: &mut dyn Tx, by: &Actor) -> Result<()> {
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
    let candidates = std::iter::once(wished.clone()).chain(create::numbered(&wished));
    for slug in candidates {
        let new = NewVariantType { name: name.clone(), slug, order: place(order) };
        match variant_type::insert_type(tx, at, &new) {
            Err(Error::Conflict(Conflict::Slug)) => {}
            made => return made.map(|kind| kind.id),
        }
    }
    Err(Error::Conflict(Conflict::Slug))
}
