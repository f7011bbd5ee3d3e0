//! The files that `--output` names.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use futures_util::{Stream, TryStreamExt, pin_mut};
use shop_core::maintenance::Database;
use shop_core::{Error, Shop};

use crate::failure::Failure;
use crate::output::written;

/// What a SQLite database begins with.
const SQLITE: &[u8; 16] = b"SQLite format 3\0";

/// Writes a file at once; `-` is stdout.
pub(crate) fn write_file(shop: &Shop, file: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let mut out = Destination::open(shop, file)?;
    let done = out.write(bytes).and_then(|()| out.finish());
    written(done).map_err(|failure| about(failure, file))
}

/// Writes a file that comes a piece at a time.
pub(crate) async fn write_pieces(
    shop: &Shop,
    file: &Path,
    pieces: impl Stream<Item = Result<Vec<u8>, Error>>,
) -> Result<(), Failure> {
    pin_mut!(pieces);
    let mut out = Destination::open(shop, file)?;
    while let Some(piece) = pieces.try_next().await? {
        match out.write(&piece) {
            // The reader has closed the pipe, as `| head` does.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
            outcome => written(outcome).map_err(|failure| about(failure, file))?,
        }
    }
    written(out.finish()).map_err(|failure| about(failure, file))
}

fn about(failure: Failure, file: &Path) -> Failure {
    if is_stdout(file) { failure } else { failure.about(file) }
}

fn is_stdout(file: &Path) -> bool {
    file.as_os_str() == "-"
}

/// Where a file goes. A regular one is written beside its name and gets it at the end, so that it
/// is there in full, or as it was before.
enum Destination {
    /// A pipe, a device, or what a link leads to: there is nothing to rename.
    Direct(Box<dyn Write>),
    Draft {
        out: BufWriter<File>,
        draft: Draft,
        file: PathBuf,
    },
}

impl Destination {
    fn open(shop: &Shop, file: &Path) -> Result<Self, Failure> {
        if is_stdout(file) {
            return Ok(Self::Direct(Box::new(io::stdout())));
        }
        if Database::at(&shop.config().database).owns(file) {
            return Err(Failure::new("it belongs to the shop's database").about(file));
        }
        if is_database(file) {
            return Err(Failure::new("it is a SQLite database, and is not replaced").about(file));
        }
        Self::create(file).map_err(|error| Failure::file(file, &error))
    }

    fn create(file: &Path) -> io::Result<Self> {
        let before = match fs::symlink_metadata(file) {
            Ok(found) if !found.is_file() => {
                return Ok(Self::Direct(Box::new(BufWriter::new(File::create(file)?))));
            }
            Ok(found) => Some(found),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let draft = file.with_file_name(format!(".{name}.{}", std::process::id()));
        let out = make_draft(&draft)?;
        let draft = Draft(draft);
        if let Some(before) = before {
            keep_rights(&out, &before)?;
        }
        Ok(Self::Draft { out: BufWriter::new(out), draft, file: file.to_owned() })
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Direct(out) => out.write_all(bytes),
            Self::Draft { out, .. } => out.write_all(bytes),
        }
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Self::Direct(mut out) => out.flush(),
            Self::Draft { out, draft, file } => {
                out.into_inner()?.sync_all()?;
                fs::rename(&draft.0, file)
            }
        }
    }
}

/// A file that goes again unless it was given a name.
struct Draft(PathBuf);

impl Drop for Draft {
    fn drop(&mut self) {
        // It is not there any more where it has its name.
        drop(fs::remove_file(&self.0));
    }
}

/// Whether a file, or what a link leads to, is a database: of another shop, it may be in use.
fn is_database(file: &Path) -> bool {
    let mut first = [0; SQLITE.len()];
    // A pipe would wait for somebody who writes to it.
    fs::metadata(file).is_ok_and(|found| found.is_file())
        && File::open(file).and_then(|mut file| file.read_exact(&mut first)).is_ok()
        && first == *SQLITE
}

/// Makes a draft. One of its name was left by a process that was killed: ids of processes are used
/// again, in containers with each start.
fn make_draft(draft: &Path) -> io::Result<File> {
    match private().open(draft) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            fs::remove_file(draft)?;
            private().open(draft)
        }
        made => made,
    }
}

/// A new file, for the user alone: it may name customers.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Gives a file the mode of the one that it replaces and, as far as allowed, its owner.
fn keep_rights(file: &File, before: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        // Only root may give a file away.
        drop(std::os::unix::fs::fchown(file, Some(before.uid()), Some(before.gid())));
    }
    file.set_permissions(before.permissions())
}
