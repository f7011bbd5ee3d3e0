//! The file that a copy becomes: what may be replaced by it, and how it gets its name.

use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::{DatabaseError, Result, beside};
use crate::private_file;
use crate::storage::DatabaseUrl;
use crate::storage::sqlite_maintenance::{self, Exclusive};

/// What SQLite keeps beside a database's file.
const SIDE_FILES: [&str; 3] = ["-journal", "-wal", "-shm"];
/// What a copy is called before it has its name, or where it may not have it.
const DRAFTS: [&str; 4] = ["", ".partial", ".suspect", ".incomplete"];

/// Refuses a name that a copy of a database may not have, before anything is copied: one of the
/// database's own files, or something that is no regular file.
pub(super) fn admit(file: &Path, of: &DatabaseUrl, replace: bool) -> Result<()> {
    if let DatabaseUrl::File(source) = of {
        refuse_own(file, source)?;
    }
    if is_there(file)? && !replace {
        return Err(DatabaseError::Exists(file.to_owned()));
    }
    Ok(())
}

fn refuse_own(file: &Path, source: &Path) -> Result<()> {
    if is_same(file, source) {
        return Err(DatabaseError::Exists(file.to_owned()));
    }
    for draft in DRAFTS {
        let draft = beside(file, draft);
        for name in with_side_files(&draft) {
            if is_part(&name, source) {
                let why = format!("it belongs to the database {}", source.display());
                return Err(DatabaseError::Unusable { file: name, why });
            }
        }
    }
    Ok(())
}

/// Whether a name is that of a database's file, or of what stands beside it.
pub(super) fn is_part(file: &Path, database: &Path) -> bool {
    with_side_files(database).any(|own| is_same(file, &own))
}

fn with_side_files(file: &Path) -> impl Iterator<Item = PathBuf> {
    let side_files = SIDE_FILES.iter().map(|suffix| beside(file, suffix));
    std::iter::once(file.to_owned()).chain(side_files)
}

/// Whether two names lead to the same place, also where nothing is there yet.
pub(super) fn is_same(one: &Path, other: &Path) -> bool {
    matches!((place(one), place(other)), (Some(one), Some(other)) if one == other)
}

fn place(file: &Path) -> Option<PathBuf> {
    if let Ok(place) = file.canonicalize() {
        return Some(place);
    }
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    Some(folder.canonicalize().ok()?.join(file.file_name()?))
}

/// Whether a regular file has the name.
///
/// # Errors
/// Something else has it: a link is not followed, so that nothing is replaced that was not named.
fn is_there(file: &Path) -> Result<bool> {
    match fs::symlink_metadata(file) {
        Ok(found) if found.is_file() => Ok(true),
        Ok(_) => {
            let why = "it is no regular file, and nothing else is replaced".to_owned();
            Err(DatabaseError::Unusable { file: file.to_owned(), why })
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(DatabaseError::io(file, &error)),
    }
}

/// Gives a finished file its name, for good.
pub(super) fn put(from: &Path, to: &Path, replace: bool) -> Result<()> {
    let there = is_there(to)?;
    if there && !replace {
        return Err(DatabaseError::Exists(to.to_owned()));
    }
    // Kept until the new file has the name.
    let _held = if there { hold(to)? } else { None };
    // SQLite would replay the log of an earlier file over this one.
    remove_side_files(to)?;
    if replace {
        fs::rename(from, to).map_err(|error| DatabaseError::io(to, &error))?;
    } else {
        name(from, to)?;
    }
    sqlite_maintenance::sync(to).map_err(|error| DatabaseError::at(to, error))
}

/// Keeps others out of a database that is replaced. What is no database has nobody in it.
fn hold(file: &Path) -> Result<Option<Exclusive>> {
    match Exclusive::take(file) {
        Ok(Some(held)) => Ok(Some(held)),
        Ok(None) => Err(DatabaseError::InUse(file.to_owned())),
        Err(_) => Ok(None),
    }
}

/// Unlike a rename this never replaces what another program put there meanwhile.
fn name(from: &Path, to: &Path) -> Result<()> {
    match fs::hard_link(from, to) {
        Ok(()) => fs::remove_file(from).map_err(|error| DatabaseError::io(from, &error)),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            Err(DatabaseError::Exists(to.to_owned()))
        }
        // Not every file system has links, as those of memory sticks.
        Err(_) => name_without_links(from, to),
    }
}

/// Takes the name with an empty file first, which only one program can.
fn name_without_links(from: &Path, to: &Path) -> Result<()> {
    private_file::options().create_new(true).open(to).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => DatabaseError::Exists(to.to_owned()),
        _ => DatabaseError::io(to, &error),
    })?;
    fs::rename(from, to).map_err(|error| {
        drop(fs::remove_file(to));
        DatabaseError::io(to, &error)
    })
}

/// Removes what SQLite keeps beside a file.
pub(super) fn remove_side_files(file: &Path) -> Result<()> {
    SIDE_FILES.iter().try_for_each(|suffix| remove(&beside(file, suffix)))
}

fn remove(file: &Path) -> Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(DatabaseError::io(file, &error)),
        _ => Ok(()),
    }
}

/// A file that goes again unless it was given a name.
pub(super) struct Unfinished {
    pub(super) path: PathBuf,
    /// Let go of after the file is gone.
    _alone: Alone,
}

impl Unfinished {
    /// Makes it, empty; what an earlier attempt left goes.
    ///
    /// # Errors
    /// [`DatabaseError::BeingMade`] while another attempt is at it.
    pub(super) fn make(path: PathBuf) -> Result<Self> {
        let unfinished = Self { _alone: Alone::with(&path)?, path };
        discard(&unfinished.path)?;
        let made = private_file::options().create_new(true).open(&unfinished.path);
        made.map_err(|error| DatabaseError::io(&unfinished.path, &error))?;
        Ok(unfinished)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // What stays is removed by the next attempt.
        drop(discard(&self.path));
    }
}

/// Removes a file with what SQLite keeps beside it.
pub(super) fn discard(file: &Path) -> Result<()> {
    remove(file)?;
    remove_side_files(file)
}

/// A lock on a name, which ends with its process. It is on a file beside, since some systems would
/// take a lock on the file itself for one of SQLite's.
struct Alone {
    path: PathBuf,
    file: File,
}

impl Alone {
    fn with(name: &Path) -> Result<Self> {
        let path = beside(name, ".lock");
        loop {
            let opened = private_file::options().create(true).truncate(false).open(&path);
            let file = opened.map_err(|error| DatabaseError::io(&path, &error))?;
            match file.try_lock() {
                Ok(()) if is_named(&file, &path) => {
                    // It goes afterwards: it must be no file of anybody else's.
                    let bytes = file.metadata().map(|found| found.len());
                    return match bytes.map_err(|error| DatabaseError::io(&path, &error))? {
                        0 => Ok(Self { path, file }),
                        _ => Err(DatabaseError::Exists(path)),
                    };
                }
                // Another attempt ended in between, and removed it.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(DatabaseError::BeingMade(name.to_owned()));
                }
                Err(TryLockError::Error(error)) => return Err(DatabaseError::io(&path, &error)),
            }
        }
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        // Before the lock ends with the file's handle: afterwards it may be another attempt's.
        drop(remove(&self.path));
        drop(self.file.unlock());
    }
}

/// Whether an open file still has a name.
#[cfg(unix)]
fn is_named(file: &File, name: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let inode = |found: fs::Metadata| (found.dev(), found.ino());
    let (opened, there) = (file.metadata().map(inode), fs::metadata(name).map(inode));
    matches!((opened, there), (Ok(opened), Ok(there)) if opened == there)
}

#[cfg(not(unix))]
fn is_named(_: &File, name: &Path) -> bool {
    name.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_attempt_at_a_time_has_a_draft_and_what_a_dead_one_left_goes() {
        let dir = tempfile::tempdir().expect("a folder");
        let draft = dir.path().join("a.partial");
        fs::write(&draft, "left by one that was killed").expect("written");
        fs::write(dir.path().join("a.partial-wal"), "its log").expect("written");
        let first = Unfinished::make(draft.clone()).expect("made");
        assert_eq!(fs::read(&draft).expect("there"), b"");
        let second = Unfinished::make(draft.clone());
        assert!(matches!(second.err(), Some(DatabaseError::BeingMade(file)) if file == draft));
        assert!(draft.exists(), "the first one's file is gone");
        // Renamed, it stands in no later attempt's way.
        put(&draft, &dir.path().join("a"), false).expect("named");
        drop(first);
        let third = Unfinished::make(draft.clone()).expect("made");
        drop(third);
        // A file of that name that is no lock stays as it is.
        let (other, taken) = (dir.path().join("b.partial"), dir.path().join("b.partial.lock"));
        fs::write(&taken, "precious").expect("written");
        let refused = Unfinished::make(other).err();
        assert!(matches!(refused, Some(DatabaseError::Exists(file)) if file == taken));
        assert_eq!(fs::read(&taken).expect("there"), b"precious");
        fs::remove_file(&taken).expect("removed");
        let left: Vec<_> = fs::read_dir(dir.path()).expect("a folder").flatten().collect();
        assert_eq!(left.len(), 1, "{left:?}");
    }

    #[test]
    fn a_name_is_given_once_also_without_links() {
        let dir = tempfile::tempdir().expect("a folder");
        let (from, to) = (dir.path().join("from"), dir.path().join("to"));
        fs::write(&from, "new").expect("written");
        name_without_links(&from, &to).expect("named");
        assert_eq!((fs::read(&to).expect("there"), from.exists()), (b"new".to_vec(), false));
        fs::write(&from, "newer").expect("written");
        let taken = name_without_links(&from, &to);
        assert!(matches!(taken, Err(DatabaseError::Exists(_))), "{taken:?}");
        assert_eq!((fs::read(&to).expect("there"), from.exists()), (b"new".to_vec(), true));
        // Nothing is left under a name for which nothing came.
        let missing = name_without_links(&dir.path().join("missing"), &dir.path().join("other"));
        assert!(missing.is_err() && !dir.path().join("other").exists());
    }
}
