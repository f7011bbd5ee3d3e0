//! Files and folders that the shop's own user may read and nobody else, whatever the umask: they
//! hold names, addresses, secrets and letters of customers.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// How a private file is opened to be written.
pub(crate) fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Makes a file that is not there yet; one that is there keeps its rights.
///
/// # Errors
/// When it can neither be made nor opened to be written.
#[cfg(feature = "sqlite")]
pub(crate) fn ensure(path: &Path) -> io::Result<()> {
    options().create(true).truncate(false).open(path).map(drop)
}

/// Takes other users' rights off a file, if it is there. Those that only another user may take off
/// stay.
///
/// It does not open the file: that would end the locks that SQLite has on it (POSIX ends all locks
/// of a process on a file with the first descriptor of it that is closed).
#[cfg(feature = "sqlite")]
pub(crate) fn close_to_others(path: &Path) {
    match try_close(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            tracing::warn!(file = %path.display(), %error, "others may be able to read it");
        }
        _ => {}
    }
}

#[cfg(all(feature = "sqlite", unix))]
fn try_close(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mut rights = std::fs::metadata(path)?.permissions();
    let of_others = rights.mode() & 0o077;
    if of_others == 0 {
        return Ok(());
    }
    rights.set_mode(rights.mode() & 0o700);
    std::fs::set_permissions(path, rights)
}

#[cfg(all(feature = "sqlite", not(unix)))]
fn try_close(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Makes a file, or empties one that is there.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    options().create(true).truncate(true).open(path)
}

/// Makes a folder, and those above it that are not there.
pub(crate) fn create_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Writes beside the file and renames, so that it is there in full or not at all. The folder is
/// made where it is missing.
pub(crate) fn write(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    write_and(folder, name, bytes, File::sync_all)
}

/// [`write`] without waiting for the disk: after a power failure the file may be empty.
pub(crate) fn write_soon(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    write_and(folder, name, bytes, |_| Ok(()))
}

fn write_and(
    folder: &Path,
    name: &str,
    bytes: &[u8],
    finish: fn(&File) -> io::Result<()>,
) -> io::Result<()> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let n = NEXT.fetch_add(1, Ordering::Relaxed);
    // The dot in front keeps it from ever being handed out.
    let draft = folder.join(format!(".{name}.{}.{n}", std::process::id()));
    let written = create(&draft)
        .or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => create_folder(folder).and_then(|()| create(&draft)),
            _ => Err(error),
        })
        .and_then(|mut file| file.write_all(bytes).and_then(|()| finish(&file)))
        .and_then(|()| std::fs::rename(&draft, folder.join(name)));
    if written.is_err() {
        drop(std::fs::remove_file(&draft));
    }
    written
}
