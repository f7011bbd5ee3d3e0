//! An import of a long file, all or nothing, that keeps nobody waiting.
//!
//! SQLite has one writer, and PostgreSQL's lanes wait for each other, so no transaction may be
//! long. The file is looked through again while nothing else changes the catalogue, and its rows
//! are kept in the database. One short transaction decides: before it nothing of the file is in the
//! shop, after it all of it will be. Then they are written some products a transaction, each of
//! which takes its rows away; so a process that goes on, after a crash too, goes on where the last
//! one was, and two at once write nothing twice.

use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;
use std::time::Duration;

use super::bad_row::BadRow;
use super::check::Seen;
use super::group::Group;
use super::import::{CHUNK, ImportStep, ImportWatch, Looked, ProductImport, look_at};
use super::kept;
use super::make::{ImportWriter, Made, changed};
use super::read::Groups;
use super::store::{self, StagedImport};
use super::write::{Import, PAUSE, batch_of};
use crate::clock::Timestamp;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::lane;
use crate::storage::Tx;
use crate::value::InvalidValue;

/// How long an import counts as alive after it was last heard of; it is heard of with every piece.
const TERM: Duration = Duration::from_secs(15);

/// Pieces that are deleted at once.
const FORGOTTEN: i64 = 10;

/// Imports all of a file or nothing.
///
/// # Errors
/// [`Error::Invalid`] where the shop changed so since the file was looked through that a product
/// cannot be taken; [`Error::Conflict`] while another import is under way.
pub(super) async fn import(
    import: Import,
    source: impl Read + Seek + Send,
    watch: Arc<dyn ImportWatch>,
) -> Result<ProductImport> {
    let (cx, at) = (&import.cx, import.cx.work());
    let staged = StagedImport { id: at.id(), by: import.by.clone(), how: import.how };
    let (began, row) = (at.now(), staged.clone());
    let begin = move |tx: &mut dyn Tx| store::begin(tx, &row, began, began.plus(TERM));
    cx.db().write(lane::CATALOG, "product.import_begin", begin).await?;
    let found = match import.decide(&staged.id, source, &*watch).await {
        Ok(found) if found.products > 0 => found,
        undecided => {
            give_up(cx, &staged.id).await;
            return undecided;
        }
    };
    let left_out = apply(cx, &staged, Some((&*watch, found.products))).await?.len() as u64;
    let (skipped, bad) = (found.skipped + left_out, found.bad + left_out);
    let products = found.products - left_out.min(found.products);
    Ok(ProductImport { products, skipped, bad, written: true, ..found })
}

impl Import {
    /// Keeps the rows, and decides where there is something to write.
    async fn decide(
        &self,
        id: &str,
        mut source: impl Read + Seek + Send,
        watch: &dyn ImportWatch,
    ) -> Result<ProductImport> {
        let (cx, bytes) = (&self.cx, source.seek(SeekFrom::End(0)).map_err(Error::from_source)?);
        let mut groups = Groups::open(source, self.how.from, &self.files)?;
        let (mut looked, mut seen) = (Looked::default(), Seen::default());
        loop {
            let mut batch = batch_of(&mut groups)?;
            let Some(first) = batch.first() else { break };
            let line = place(first.line);
            look_at(cx, (&mut looked, &mut seen), &mut batch, (self.how, &())).await?;
            if let Some(bad) = batch.iter().find(|group| looked.bad.contains(&group.line)) {
                return Err(changed(bad.line));
            }
            let (id, products, until) = (id.to_owned(), kept::write(&batch)?, alive(cx));
            let stage = move |tx: &mut dyn Tx| store::stage(tx, &id, (line, &products), until);
            cx.db().write(lane::CATALOG, "product.import_stage", stage).await?;
            watch.progress(ImportStep::Staging, groups.bytes_read().min(bytes), bytes);
            tokio::time::sleep(PAUSE).await;
        }
        if looked.found.products > 0 {
            let (id, until) = (id.to_owned(), alive(cx));
            let decide = move |tx: &mut dyn Tx| store::decide(tx, &id, until);
            cx.db().write(lane::CATALOG, "product.import_decide", decide).await?;
        }
        Ok(looked.found)
    }
}

/// Until when an import that does something now counts as alive.
fn alive(cx: &Context) -> Timestamp {
    cx.now().plus(TERM)
}

fn place(line: u64) -> i64 {
    i64::try_from(line).unwrap_or(i64::MAX)
}

/// Finishes a decided import whose process died, and deletes what is left of those that were never
/// decided; how many were finished.
///
/// # Errors
/// When the database fails.
pub(crate) async fn finish_import(cx: &Context) -> Result<usize> {
    let now = cx.now();
    let look = move |tx: &mut dyn Tx| Ok((store::due(tx, now)?, store::has_forgotten_pieces(tx)?));
    let (due, has_forgotten) = cx.db().lookup("product.import_due", look).await?;
    if let Some(import) = &due {
        tracing::info!(import = import.id, "goes on with an import that was broken off");
        apply(cx, import, None).await?;
    }
    if has_forgotten {
        forget_pieces(cx).await?;
    }
    Ok(due.iter().count())
}

/// Ends an import that is not decided. What this cannot do now, the time does.
async fn give_up(cx: &Context, id: &str) {
    let id = id.to_owned();
    let given_up = move |tx: &mut dyn Tx| store::give_up(tx, &id);
    let given_up = cx.db().write(lane::CATALOG, "product.import_give_up", given_up).await;
    let forgotten = match given_up {
        Ok(()) => forget_pieces(cx).await,
        failed => failed,
    };
    if let Err(error) = forgotten {
        tracing::warn!(%error, "an import that came to nothing is forgotten later");
    }
}

async fn forget_pieces(cx: &Context) -> Result<()> {
    let forget = |tx: &mut dyn Tx| store::forget_pieces(tx, FORGOTTEN);
    while cx.db().write(lane::CATALOG, "product.import_forget", forget).await? > 0 {
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

/// Writes what is left of a decided import; the lines of products that it had to leave out.
async fn apply(
    cx: &Context,
    import: &StagedImport,
    watch: Option<(&dyn ImportWatch, u64)>,
) -> Result<Vec<u64>> {
    let (mut left_out, mut waits) = (Vec::new(), false);
    loop {
        match apply_next(cx, import).await {
            Ok(Applied::All) => return Ok(left_out),
            Ok(Applied::Piece(made)) => {
                if let Some((watch, of)) = watch {
                    let bad = made.left_out.iter().filter(|line| !left_out.contains(*line));
                    bad.for_each(|line| watch.bad_row(&left_out_row(*line)));
                    watch.progress(ImportStep::Writing, made.taken().min(of), of);
                }
                left_out = made.left_out;
            }
            Ok(Applied::Nothing) => {}
            // It is decided: what only has to wait waits.
            Err(Error::Busy { retry_after }) => tokio::time::sleep(retry_after).await,
            Err(ref error @ Error::StorageUnavailable { retry_after, .. }) => {
                if !std::mem::replace(&mut waits, true) {
                    tracing::warn!(%error, "an import of products waits for the database");
                    if let Some((watch, _)) = watch {
                        watch.waits(error);
                    }
                }
                tokio::time::sleep(retry_after).await;
                continue;
            }
            Err(error) => return Err(error),
        }
        waits = false;
        tokio::time::sleep(PAUSE).await;
    }
}

/// What a step of an import did.
enum Applied {
    /// It wrote some products; what was written so far.
    Piece(Made),
    /// Somebody else was faster, or the piece was taken apart.
    Nothing,
    /// There was nothing left to write.
    All,
}

async fn apply_next(cx: &Context, import: &StagedImport) -> Result<Applied> {
    let id = import.id.clone();
    let next = move |tx: &mut dyn Tx| store::next_piece(tx, &id);
    let Some((line, products)) = cx.db().read("product.import_next", next).await? else {
        return Ok(Applied::All);
    };
    let groups = kept::read(&products)?;
    let alone = groups.len() == 1;
    let write = |made| if let Some(made) = made { Applied::Piece(made) } else { Applied::Nothing };
    match write_piece(cx, import, line, groups).await {
        Err(refused) if is_refusal(&refused) && alone => {
            tracing::error!(line, error = %refused, "an import leaves a product out");
            leave_out(cx, import, line).await.map(write)
        }
        Err(refused) if is_refusal(&refused) => split(cx, import, line, &products).await,
        written => written.map(write),
    }
}

/// Whether the shop has something against a product. Nothing changes the catalogue beside an
/// import, so this is for programs that write SQL of their own, and for a newer version's rules.
fn is_refusal(error: &Error) -> bool {
    matches!(error, Error::Invalid(_) | Error::Conflict(_) | Error::NotFound(_) | Error::Refused(_))
}

/// Writes a piece, where it is still there; what was written so far.
async fn write_piece(
    cx: &Context,
    import: &StagedImport,
    line: i64,
    groups: Vec<Group>,
) -> Result<Option<Made>> {
    let (at, until, import) = (cx.work(), alive(cx), import.clone());
    let job = move |tx: &mut dyn Tx| {
        if !store::take_piece(tx, &import.id, line)? {
            return Ok(None);
        }
        let mut writer = ImportWriter::new(&at, &import.by, import.how);
        groups.chunks(CHUNK).try_for_each(|chunk| writer.add(tx, chunk))?;
        let made = store::advance(tx, &import.id, writer.made(), until)?;
        if store::end(tx, &import.id)? {
            made.audit(tx, &at, &import.by)?;
        }
        Ok(Some(made))
    };
    cx.write_events(lane::CATALOG, "product.import_apply", job).await
}

/// Takes a piece apart, so that what the shop has against one product keeps no other out.
async fn split(cx: &Context, import: &StagedImport, line: i64, products: &str) -> Result<Applied> {
    let (id, groups) = (import.id.clone(), kept::read(products)?);
    let pieces = groups.chunks(1).map(|one| Ok((place(one[0].line), kept::write(one)?)));
    let pieces: Vec<(i64, String)> = pieces.collect::<Result<_>>()?;
    let job = move |tx: &mut dyn Tx| store::split(tx, &id, line, &pieces);
    cx.db().write(lane::CATALOG, "product.import_split", job).await?;
    Ok(Applied::Nothing)
}

/// Leaves out the product of a piece, and keeps its line for the audit log.
async fn leave_out(cx: &Context, import: &StagedImport, line: i64) -> Result<Option<Made>> {
    let (at, until, import) = (cx.work(), alive(cx), import.clone());
    let job = move |tx: &mut dyn Tx| {
        if !store::take_piece(tx, &import.id, line)? {
            return Ok(None);
        }
        let mut made = store::advance(tx, &import.id, &Made::default(), until)?;
        made.left_out.push(line.unsigned_abs());
        store::note_left_out(tx, &import.id, &made.left_out)?;
        if store::end(tx, &import.id)? {
            made.audit(tx, &at, &import.by)?;
        }
        Ok(Some(made))
    };
    cx.db().write(lane::CATALOG, "product.import_leave_out", job).await
}

fn left_out_row(line: u64) -> BadRow {
    BadRow { line, column: String::new(), reason: InvalidValue::ChangedDuringImport }
}
