//! How what was looked through gets into the shop: at once, or without what is bad.

use std::collections::HashSet;
use std::io::{Read, Seek};
use std::time::Duration;

use super::group::Group;
use super::import::{CHUNK, ImportProducts, ImportStep, ImportWatch, ProductImport};
use super::make::ImportWriter;
use super::pictures::PictureFiles;
use super::read::Groups;
use crate::actor::Actor;
use crate::catalog::edit;
use crate::context::Context;
use crate::error::Result;
use crate::storage::Tx;

/// Rows of a file that is one transaction: some 40 ms of the processor where they are new.
pub(super) const AT_ONCE: u64 = 300;

/// Rows of one of several transactions, but for the last product's variants: orders wait no longer
/// than these take.
const BATCH: u64 = 100;

/// Bytes of the file in one of several transactions, but for the last product's: their words are
/// indexed.
const BATCH_BYTES: u64 = 128 * 1024;

/// How long other processes have the file to themselves between two transactions: one that waits
/// for it looks every millisecond whether it is free.
pub(super) const PAUSE: Duration = Duration::from_millis(5);

/// A file that is to be imported.
pub(super) struct Import {
    pub(super) cx: Context,
    pub(super) by: Actor,
    pub(super) how: ImportProducts,
    pub(super) files: PictureFiles,
}

impl Import {
    /// All or nothing, in one transaction.
    pub(super) async fn at_once(
        &self,
        mut source: impl Read + Seek + Send,
        found: ProductImport,
        watch: &dyn ImportWatch,
    ) -> Result<ProductImport> {
        let mut groups = Groups::open(&mut source, self.how.from, &self.files)?;
        let mut all = Vec::new();
        while let Some(group) = groups.next()? {
            all.push(group);
        }
        let written = self.write(all).await?;
        watch.progress(ImportStep::Writing, written, found.products);
        Ok(ProductImport { written: true, ..found })
    }

    /// Leaves out what begins on one of the bad lines.
    pub(super) async fn without(
        &self,
        mut source: impl Read + Seek + Send,
        bad: &HashSet<u64>,
        found: ProductImport,
        watch: &dyn ImportWatch,
    ) -> Result<ProductImport> {
        let mut groups = Groups::open(&mut source, self.how.from, &self.files)?;
        let mut done = 0;
        loop {
            let mut batch = batch_of(&mut groups)?;
            if batch.is_empty() {
                return Ok(ProductImport { written: true, ..found });
            }
            batch.retain(|group| !bad.contains(&group.line));
            if batch.is_empty() {
                tokio::task::yield_now().await;
                continue;
            }
            done += self.write(batch).await?;
            watch.progress(ImportStep::Writing, done, found.products);
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Writes some products in one transaction, which the audit log tells of: what is written is
    /// told however the import ends. How many.
    async fn write(&self, groups: Vec<Group>) -> Result<u64> {
        let (by, at, how) = (self.by.clone(), self.cx.work(), self.how);
        let job = move |tx: &mut dyn Tx| {
            let mut writer = ImportWriter::new(&at, &by, how);
            groups.chunks(CHUNK).try_for_each(|chunk| writer.add(tx, chunk))?;
            let made = writer.made();
            if made.taken() > 0 {
                made.audit(tx, &at, &by)?;
            }
            Ok(made.taken())
        };
        edit(&self.cx, "product.import", job).await
    }
}

/// The products of the next of several transactions.
pub(super) fn batch_of(groups: &mut Groups<'_, impl Read + Seek>) -> Result<Vec<Group>> {
    let (mut batch, mut rows, began) = (Vec::new(), 0, groups.bytes_read());
    while rows < BATCH
        && groups.bytes_read() - began < BATCH_BYTES
        && let Some(group) = groups.next()?
    {
        rows += group.rows;
        batch.push(group);
    }
    Ok(batch)
}
