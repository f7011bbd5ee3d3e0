//! What a disk holds and what it only promised: writes that were not synced are kept apart, and are
//! there, lost or torn once the power goes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use crate::rng::Rng;

/// What a disk writes whole.
const SECTOR: usize = 512;

/// What of SQLite a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// The database file.
    Database,
    /// The write-ahead log.
    Log,
    /// Anything else, such as a rollback journal.
    Other,
}

/// What SQLite asks of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Operation {
    Open,
    Read,
    Write,
    Sync,
    Truncate,
    Delete,
    /// A piece of the index of the log, which readers and the writer share.
    Map,
}

/// What is asked for is refused with a code of SQLite, until it is mended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Defect {
    pub(crate) kind: Kind,
    pub(crate) operation: Operation,
    pub(crate) code: i32,
}

/// A change that is not synced yet.
#[derive(Debug, Clone)]
enum Change {
    Write { at: usize, bytes: Vec<u8> },
    Truncate(usize),
    Delete,
}

/// A file as it is on the disk for certain, and what was asked for since.
#[derive(Debug, Clone, Default)]
struct Held {
    durable: Option<Vec<u8>>,
    changes: Vec<Change>,
    /// It was made since it was last synced: its first sync is also that of its folder, as SQLite
    /// has it for journals and logs.
    is_new: bool,
}

impl Held {
    /// What was deleted before is gone for certain.
    fn settle_deletion(&mut self) {
        let last = self.changes.iter().rposition(|change| matches!(change, Change::Delete));
        if let Some(last) = last {
            self.changes.drain(..=last);
            self.durable = None;
        }
    }

    fn sync(&mut self) {
        let mut bytes = self.durable.take().unwrap_or_default();
        self.changes.drain(..).for_each(|change| apply(&mut bytes, change));
        self.durable = Some(bytes);
    }

    /// What is found when the power is back.
    fn after_loss(self, rng: &mut Rng) -> Option<Vec<u8>> {
        // Sometimes a disk had written everything, sometimes nothing, mostly something.
        let kept = *rng.pick(&[0, 100, 50, 50, 90, 10]).unwrap_or(&50);
        let mut bytes = self.durable;
        for change in self.changes {
            match change {
                Change::Delete if rng.chance(kept) => bytes = None,
                // What came after it was another file of the same name, which is not found.
                Change::Delete => return bytes,
                Change::Write { at, bytes: new } => {
                    tear(bytes.get_or_insert_default(), at, &new, kept, rng);
                }
                Change::Truncate(_) => {
                    if rng.chance(kept) {
                        apply(bytes.get_or_insert_default(), change);
                    }
                }
            }
        }
        bytes
    }
}

fn apply(file: &mut Vec<u8>, change: Change) {
    match change {
        Change::Write { at, bytes } => put(file, at, &bytes),
        Change::Truncate(length) => file.resize(length, 0),
        Change::Delete => file.clear(),
    }
}

fn put(file: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    let end = at + bytes.len();
    file.resize(file.len().max(end), 0);
    file[at..end].copy_from_slice(bytes);
}

/// Writes of a write what the disk had come to: of each sector that it touches all, nothing, or,
/// where the power went within it, anything.
fn tear(file: &mut Vec<u8>, at: usize, bytes: &[u8], kept: usize, rng: &mut Rng) {
    let mut done = 0;
    while done < bytes.len() {
        let from = at + done;
        let length = (SECTOR - from % SECTOR).min(bytes.len() - done);
        let piece = &bytes[done..done + length];
        if rng.chance(kept) {
            put(file, from, piece);
        } else if rng.chance(10) {
            let torn: Vec<u8> =
                piece.iter().map(|byte| byte ^ rng.next().to_le_bytes()[0]).collect();
            put(file, from, &torn);
        }
        done += length;
    }
}

/// What is in the folder after the power went, by the names of the files.
pub(crate) type Left = BTreeMap<PathBuf, Vec<u8>>;

#[derive(Debug, Default)]
struct State {
    files: BTreeMap<PathBuf, Held>,
    /// Changes and syncs so far.
    done: u64,
    /// Before which of them the power goes, and by which chance.
    ends_at: Option<(u64, u64)>,
    left: Option<Left>,
    defect: Option<Defect>,
    refused: u64,
}

/// A disk: all files of one folder.
#[derive(Debug, Default)]
pub(crate) struct Disk(Mutex<State>);

/// The disks that there are, by their folders.
static DISKS: RwLock<BTreeMap<PathBuf, Arc<Disk>>> = RwLock::new(BTreeMap::new());

impl Disk {
    /// Makes a folder a disk, with what is in it.
    pub(crate) fn of(folder: &Path) -> Arc<Self> {
        let disk = Arc::new(Self::default());
        let mut disks = DISKS.write().unwrap_or_else(PoisonError::into_inner);
        disks.insert(folder.to_owned(), Arc::clone(&disk));
        disk
    }

    /// The disk on which a file is.
    pub(crate) fn under(file: &Path) -> Option<Arc<Self>> {
        let disks = DISKS.read().unwrap_or_else(PoisonError::into_inner);
        disks.get(file.parent()?).cloned()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The power goes before the n-th change or sync from now on; the seed says what is left.
    pub(crate) fn lose_power_at(&self, n: u64, seed: u64) {
        let mut state = self.state();
        state.ends_at = Some((state.done + n, seed));
    }

    /// The power goes now, if it did not go before: what is left.
    pub(crate) fn lose_power(&self, seed: u64) -> Left {
        let mut state = self.state();
        state.lose(seed);
        state.left.clone().unwrap_or_default()
    }

    /// Whether the power went already.
    pub(crate) fn is_off(&self) -> bool {
        self.state().left.is_some()
    }

    /// From now on the disk refuses something; or, without a defect, nothing.
    pub(crate) fn set(&self, defect: Option<Defect>) {
        let mut state = self.state();
        (state.defect, state.refused) = (defect, 0);
    }

    /// How often it refused since the defect was set.
    pub(crate) fn refused(&self) -> u64 {
        self.state().refused
    }

    /// Whether SQLite may do it, or the code by which it fails.
    pub(crate) fn admits(&self, kind: Kind, operation: Operation) -> Result<(), i32> {
        let mut state = self.state();
        if state.left.is_some() {
            return Err(rusqlite::ffi::SQLITE_IOERR);
        }
        match state.defect {
            Some(it) if it.kind == kind && it.operation == operation => {
                state.refused += 1;
                Err(it.code)
            }
            _ => Ok(()),
        }
    }

    /// A file is opened: what is in it is on the disk.
    pub(crate) fn opened(&self, path: &Path) {
        let mut state = self.state();
        let is_new = !path.exists();
        let held = state
            .files
            .entry(path.to_owned())
            .or_insert_with(|| Held { durable: std::fs::read(path).ok(), ..Held::default() });
        held.is_new |= is_new;
    }

    pub(crate) fn wrote(&self, path: &Path, at: usize, bytes: &[u8]) -> Result<(), i32> {
        self.change(path, Change::Write { at, bytes: bytes.to_vec() })
    }

    pub(crate) fn truncated(&self, path: &Path, length: usize) -> Result<(), i32> {
        self.change(path, Change::Truncate(length))
    }

    pub(crate) fn deleted(&self, path: &Path, is_synced: bool) -> Result<(), i32> {
        self.change(path, Change::Delete)?;
        if is_synced {
            self.state().files.insert(path.to_owned(), Held::default());
        }
        Ok(())
    }

    pub(crate) fn synced(&self, path: &Path) -> Result<(), i32> {
        let mut state = self.state();
        state.count()?;
        let held = state.files.entry(path.to_owned()).or_default();
        held.sync();
        if std::mem::take(&mut held.is_new) {
            state.files.values_mut().for_each(Held::settle_deletion);
        }
        Ok(())
    }

    fn change(&self, path: &Path, change: Change) -> Result<(), i32> {
        let mut state = self.state();
        // The disk may have begun with it when the power goes.
        state.files.entry(path.to_owned()).or_default().changes.push(change);
        state.count()
    }
}

impl State {
    fn count(&mut self) -> Result<(), i32> {
        self.done += 1;
        if let Some((at, seed)) = self.ends_at
            && self.done >= at
        {
            self.lose(seed);
        }
        if self.left.is_some() { Err(rusqlite::ffi::SQLITE_IOERR) } else { Ok(()) }
    }

    fn lose(&mut self, seed: u64) {
        if self.left.is_some() {
            return;
        }
        let mut rng = Rng::new(seed);
        let files = std::mem::take(&mut self.files).into_iter();
        let left = files.filter_map(|(path, held)| {
            let name = path.file_name().map(PathBuf::from)?;
            Some((name, held.after_loss(&mut rng)?))
        });
        self.left = Some(left.collect());
    }
}
