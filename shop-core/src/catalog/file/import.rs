//! Products in, from a file: looked through first, then written.

use std::collections::HashSet;
use std::io::{Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;

use super::bad_row::BadRow;
use super::check::{CHUNK, Named, Seen};
use super::group::Group;
use super::make::ImportWriter;
use super::read::Groups;
use crate::actor::Actor;
use crate::catalog::Products;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::lane;
use crate::storage::Tx;

/// Products of a transaction where bad ones are skipped: orders wait no longer than this takes.
const BATCH: usize = 500;

/// What to do with a file of products.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportProducts {
    /// Only look through it.
    pub dry_run: bool,
    /// Take the products that are right and leave the others. Without it one bad row keeps all
    /// from being taken.
    pub skip_bad: bool,
}

/// A stage of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImportStep {
    /// Bytes of the file were looked through.
    Checking,
    /// Products were written.
    Writing,
}

/// Receives what an import finds, at once; the import keeps none of it.
pub trait ImportWatch: Send + Sync {
    /// A row is bad.
    fn bad_row(&self, row: &BadRow);
    /// So much of a step is done.
    fn progress(&self, step: ImportStep, done: u64, of: u64);
}

/// Ignores everything.
impl ImportWatch for () {
    fn bad_row(&self, _: &BadRow) {}
    fn progress(&self, _: ImportStep, _: u64, _: u64) {}
}

/// What became of a file of products.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
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

/// What was found in a file that was looked through.
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
    ///
    /// Cancel safe: one transaction, done or not; with `skip_bad` each of several is.
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
        #[cfg(feature = "nfe")]
        taken.check_fiscal(&mut chunk, &cx.config().nfe);
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
        let mut writer = ImportWriter::new(tx, &at)?;
        while let Some(group) = groups.next()? {
            writer.add(tx, &group)?;
            if writer.made.products.is_multiple_of(CHUNK as u64) {
                watch.progress(ImportStep::Writing, writer.made.products, found.products);
            }
        }
        writer.audit(tx, &by)
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
            let mut writer = ImportWriter::new(tx, &at)?;
            batch.iter().try_for_each(|group| writer.add(tx, group))?;
            writer.audit(tx, &by)
        };
        cx.db().write(lane::CATALOG, "product.import", job).await?;
        watch.progress(ImportStep::Writing, done, found.products);
    }
}
