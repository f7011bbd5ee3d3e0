//! Products in, from a file: looked through first, then written.

use std::collections::HashSet;
use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;

use serde::Serialize;

use super::bad_row::BadRow;
use super::changes::{ImportedRow, changes};
use super::check::Seen;
#[cfg(feature = "nfe")]
use super::check::check_fiscal;
use super::foreign::FileFormat;
use super::group::Group;
use super::matching::{Known, Named};
use super::pictures::PictureFiles;
use super::read::Groups;
use super::staged;
use super::write::{AT_ONCE, Import};
use crate::actor::Actor;
use crate::catalog::Products;
use crate::context::Context;
use crate::detached;
use crate::error::{Error, Result};
use crate::spreadsheet::Spreadsheet;
use crate::storage::Tx;
use crate::value::wire_enum;

/// Products that are looked up at once.
pub(super) const CHUNK: usize = 50;

/// What to do with a file of products.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportProducts {
    /// Only look through it.
    pub dry_run: bool,
    /// Take the products that are right and leave the others. Without it one bad row keeps all
    /// from being taken.
    pub skip_bad: bool,
    /// Which products to take.
    pub only: Option<OnlyProducts>,
    /// Leave the units of products and variants that the shop has as they are.
    pub keep_stock: bool,
    /// Whose columns the file has.
    pub from: FileFormat,
}

wire_enum! {
    /// Which products of a file an import takes.
    pub enum OnlyProducts {
        /// Those that the shop does not have.
        New = "new",
        /// Those that the shop has.
        Existing = "existing",
    }
}

impl ImportProducts {
    /// Whether a product is left out, which the shop has or not.
    pub(super) fn leaves_out(self, existing: bool) -> bool {
        match self.only {
            None => false,
            Some(OnlyProducts::New) => existing,
            Some(OnlyProducts::Existing) => !existing,
        }
    }
}

/// A stage of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImportStep {
    /// Bytes of the file were looked through.
    Checking,
    /// Bytes of a long file were looked through again, and kept to be written in one go with all
    /// others.
    Staging,
    /// Products were written.
    Writing,
}

/// Receives what an import finds, at once; the import keeps none of it.
pub trait ImportWatch: Send + Sync {
    /// A row is bad.
    fn bad_row(&self, row: &BadRow);
    /// A row that is right makes something or changes something, or would.
    fn row(&self, row: &ImportedRow) {
        let _ = row;
    }
    /// So much of a step is done.
    fn progress(&self, step: ImportStep, done: u64, of: u64);
    /// It is decided, and waits until the database can be written again; told when the waiting
    /// begins.
    fn waits(&self, why: &Error) {
        let _ = why;
    }
}

/// Ignores everything.
impl ImportWatch for () {
    fn bad_row(&self, _: &BadRow) {}
    fn progress(&self, _: ImportStep, _: u64, _: u64) {}
}

/// What became of a file of products.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ProductImport {
    /// Rows below the names of the columns.
    pub rows: u64,
    /// What is wrong with them, each cell counted.
    pub bad: u64,
    /// Products that cannot be taken.
    pub skipped: u64,
    /// Products that are right and asked for.
    pub products: u64,
    /// Those of them that the shop did not have.
    pub created: u64,
    /// Those of them that the shop had otherwise; the others are in the shop as the file says.
    pub updated: u64,
    /// Products that were not asked for ([`ImportProducts::only`]).
    pub left_out: u64,
    /// The variants of those that were taken.
    pub variants: u64,
    /// Whether these are in the shop now.
    pub written: bool,
}

/// What was found in a file that was looked through.
#[derive(Default)]
pub(super) struct Looked {
    pub(super) found: ProductImport,
    /// Where the products begin that cannot be taken.
    pub(super) bad: HashSet<u64>,
}

impl Products<'_> {
    /// Takes the products of a file that [`Products::export_csv`] wrote, that has columns of these
    /// names, or that another program exported. A product that the shop has, by its article number,
    /// else by its slug, is changed: a column that is not there says nothing, an empty cell clears
    /// what can be empty. Others are made, with categories and kinds of variation that the shop
    /// does not have. What the file does not name stays. The file is read twice, product by
    /// product, so it takes the same memory however long it is, but for a few bytes a product.
    /// Everything is looked through first. Then all of it is taken or nothing, or with `skip_bad`
    /// what is right.
    ///
    /// Orders go on meanwhile. A file of at most 300 rows is one transaction. Of a longer one the
    /// rows are kept in the database, one short transaction decides that all are taken, and they
    /// are written some at a time: readers see the first products before the last. What is decided
    /// is finished whatever happens, if need be by the background work
    /// ([`Shop::run_background`](crate::Shop::run_background)) of another process after a crash.
    /// From before it is kept until it is written, other changes of the catalogue are refused
    /// ([`Conflict::ImportUnderWay`](crate::error::Conflict::ImportUnderWay)).
    ///
    /// # Errors
    /// [`Error::Invalid`] for a file without the right columns, and where the shop changed so
    /// meanwhile that a product cannot be taken any more; [`Error::Conflict`] while another long
    /// import is under way. An error of the database after the decision does not take it back.
    ///
    /// Cancel safe: while the file is looked through nothing is done. Dropping the future later
    /// ends the waiting only: all of the file is taken or nothing; with `skip_bad` each of several
    /// transactions is done or not.
    pub async fn import_csv(
        &self,
        by: &Actor,
        source: impl Read + Seek + Send + 'static,
        how: ImportProducts,
        watch: Arc<dyn ImportWatch>,
    ) -> Result<ProductImport> {
        self.import_csv_with_pictures(by, source, how, PictureFiles::new(), watch).await
    }

    /// The same, where cells name pictures by these files too.
    ///
    /// # Errors
    /// Those of [`Products::import_csv`].
    ///
    /// Cancel safe: as [`Products::import_csv`] is.
    pub async fn import_csv_with_pictures(
        &self,
        by: &Actor,
        mut source: impl Read + Seek + Send + 'static,
        how: ImportProducts,
        files: PictureFiles,
        watch: Arc<dyn ImportWatch>,
    ) -> Result<ProductImport> {
        if !how.dry_run {
            staged::finish_import(self.cx).await?;
        }
        let looked = look_through(self.cx, &mut source, how, &files, &*watch).await?;
        let Looked { found, bad } = looked;
        if how.dry_run || found.products == 0 || (!how.skip_bad && found.skipped > 0) {
            return Ok(found);
        }
        let import = Import { cx: self.cx.clone(), by: by.clone(), how, files };
        if how.skip_bad {
            import.without(source, &bad, found, &*watch).await
        } else if found.rows <= AT_ONCE {
            import.at_once(source, found, &*watch).await
        } else {
            detached::to_its_end(staged::import(import, source, watch)).await
        }
    }
}

async fn look_through(
    cx: &Context,
    source: &mut (impl Read + Seek + Send),
    how: ImportProducts,
    files: &PictureFiles,
    watch: &dyn ImportWatch,
) -> Result<Looked> {
    let bytes = source.seek(SeekFrom::End(0)).map_err(Error::from_source)?;
    let mut groups = Groups::open(source, how.from, files)?;
    let mut looked = Looked::default();
    let mut seen = Seen::default();
    loop {
        let mut chunk = chunk_of(&mut groups)?;
        if chunk.is_empty() {
            return Ok(looked);
        }
        look_at(cx, (&mut looked, &mut seen), &mut chunk, (how, watch)).await?;
        watch.progress(ImportStep::Checking, groups.bytes_read().min(bytes), bytes);
    }
}

/// Looks at some products, after those above.
pub(super) async fn look_at(
    cx: &Context,
    (looked, seen): (&mut Looked, &mut Seen),
    chunk: &mut [Group],
    (how, watch): (ImportProducts, &dyn ImportWatch),
) -> Result<()> {
    let named = Named::of(chunk);
    let job = move |tx: &mut dyn Tx| named.look_up(tx);
    let known = cx.db().read("product.import_check", job).await?;
    chunk.iter_mut().try_for_each(|group| looked.count(cx, seen, &known, group, (how, watch)))
}

impl Looked {
    fn count(
        &mut self,
        cx: &Context,
        seen: &mut Seen,
        known: &Known,
        group: &mut Group,
        (how, watch): (ImportProducts, &dyn ImportWatch),
    ) -> Result<()> {
        self.found.rows += group.rows;
        let entry = known.entry_of(&group.product);
        if how.leaves_out(entry.is_some()) {
            self.found.left_out += 1;
            return Ok(());
        }
        if how.keep_stock
            && let Some(entry) = entry
        {
            group.product.forget_stock(|variant| known.variant_of(entry, variant).is_some());
        }
        group.bad.extend(known.check(group, entry));
        group.bad.extend(seen.check(group, entry, known));
        #[cfg(feature = "nfe")]
        group.bad.extend(check_fiscal(group, entry, known, &cx.config().nfe));
        group.bad.iter().for_each(|row| watch.bad_row(row));
        self.found.bad += group.bad.len() as u64;
        if !group.bad.is_empty() {
            self.found.skipped += 1;
            self.bad.insert(group.line);
            return Ok(());
        }
        self.found.products += 1;
        self.found.variants += group.product.variants.len() as u64;
        let sheet = Spreadsheet::new(cx.config().export);
        let rows = changes(&cx.work(), sheet, known, group, entry)?;
        self.found.created += u64::from(entry.is_none());
        self.found.updated += u64::from(entry.is_some() && !rows.is_empty());
        for row in &rows {
            watch.row(row);
        }
        Ok(())
    }
}

fn chunk_of(groups: &mut Groups<'_, impl Read + Seek>) -> Result<Vec<Group>> {
    let mut chunk = Vec::with_capacity(CHUNK);
    while chunk.len() < CHUNK
        && let Some(group) = groups.next()?
    {
        chunk.push(group);
    }
    Ok(chunk)
}
