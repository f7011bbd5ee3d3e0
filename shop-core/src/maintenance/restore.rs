//! Back to a copy.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::backup::verified;
use super::target::{Unfinished, discard, is_same, remove_side_files};
use super::{Database, DatabaseError, Progress, Result, beside};
use crate::clock::Timestamp;
use crate::private_file;
use crate::storage::maintenance;
use crate::storage::sqlite_maintenance::{self, CopyError, Exclusive, is_damage};

/// What a database server is restored with.
const ON_A_SERVER: &str = "a database on a PostgreSQL server is restored with its own program: \
                           pg_restore --clean --if-exists --dbname=URL FILE";

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Restored {
    /// The shop's file.
    pub file: PathBuf,
    /// Where what it held before is kept, if it was there.
    pub replaced: Option<PathBuf>,
    /// The schema version of what it holds now.
    pub schema_version: i64,
    /// What is wrong with the data in the backup, by the names of the checks.
    pub wrong: Vec<&'static str>,
}

impl Database {
    /// Makes the database hold what a backup holds. The backup is looked at first, and what is
    /// replaced is kept beside it (`shop.db.replaced-<time>`). No process may have the database
    /// open; SQLite's own locks show it, and keep every other process out until it is done.
    /// Whatever happens meanwhile, the file holds the one shop or the other.
    ///
    /// # Errors
    /// [`DatabaseError::InUse`]; [`DatabaseError::Unusable`] for a backup that is damaged, no
    /// shop's, or of a newer version; [`DatabaseError::NotAFile`] for a database server.
    ///
    /// Dropping the future does not stop it: it runs to its end on a thread of its own.
    pub async fn restore(
        &self,
        backup: PathBuf,
        now: Timestamp,
        mut progress: Progress,
    ) -> Result<Restored> {
        self.with(move |database| database.copy_in(&backup, now, &mut *progress)).await
    }

    /// Whether a file is there that a restore would replace.
    pub fn is_there(&self) -> bool {
        self.file(ON_A_SERVER).is_ok_and(Path::exists)
    }

    fn copy_in(
        &self,
        backup: &Path,
        now: Timestamp,
        progress: maintenance::Progress<'_>,
    ) -> Result<Restored> {
        let file = self.file(ON_A_SERVER)?;
        std::fs::File::open(regular(backup)?).map_err(|error| DatabaseError::io(backup, &error))?;
        if file.exists() {
            regular(file)?;
        }
        let incoming = beside(file, ".incoming");
        if is_same(backup, &incoming) {
            let why = "a restore uses this name itself: give the backup another one".to_owned();
            return Err(DatabaseError::Unusable { file: incoming, why });
        }
        // A copy is looked at and put in place, so that it cannot change in between.
        let incoming = Unfinished::make(incoming)?;
        copy_to_look_at(backup, &incoming.path)?;
        let report = verified(&incoming.path, now).map_err(|error| error.of(backup))?;
        let known = maintenance::latest_version();
        if report.schema_version > known {
            let why = format!(
                "it has schema version {}, this program knows {known}: it was written by a newer \
                 version",
                report.schema_version
            );
            return Err(DatabaseError::Unusable { file: backup.to_owned(), why });
        }
        let replaced = put_in_place(&incoming.path, file, now, progress)?;
        Ok(Restored {
            file: file.to_owned(),
            replaced,
            schema_version: report.schema_version,
            wrong: report.wrong().map(|check| check.name).collect(),
        })
    }
}

/// A file that is there, or what a link to one leads to.
fn regular(file: &Path) -> Result<&Path> {
    match std::fs::metadata(file) {
        Ok(found) if found.is_file() => Ok(file),
        Ok(_) => {
            let why = "it is no regular file".to_owned();
            Err(DatabaseError::Unusable { file: file.to_owned(), why })
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(DatabaseError::Missing(file.to_owned()))
        }
        Err(error) => Err(DatabaseError::io(file, &error)),
    }
}

fn copy_to_look_at(backup: &Path, incoming: &Path) -> Result<()> {
    let copied = sqlite_maintenance::copy_file(backup, incoming, &mut |_, _| {});
    copied.map_err(|error| match error {
        CopyError::From(crate::Error::Internal(source)) => DatabaseError::Unusable {
            file: backup.to_owned(),
            why: format!("it is no database: {source}"),
        },
        error => DatabaseError::copying(error, backup, incoming),
    })
}

fn put_in_place(
    incoming: &Path,
    file: &Path,
    now: Timestamp,
    progress: maintenance::Progress<'_>,
) -> Result<Option<PathBuf>> {
    if !file.exists() {
        put_where_nothing_is(incoming, file, progress)?;
        return Ok(None);
    }
    let mut taken = take(file)?;
    let digits: String = now.to_string().chars().filter(char::is_ascii_digit).collect();
    let aside = beside(file, &format!(".replaced-{digits}"));
    if aside.exists() {
        return Err(DatabaseError::Exists(aside));
    }
    taken.keep(&aside).map_err(|error| {
        drop(discard(&aside));
        DatabaseError::copying(error, file, &aside)
    })?;
    let copied = taken.become_copy_of(incoming, progress);
    copied.map_err(|error| DatabaseError::copying(error, incoming, file))?;
    Ok(Some(aside))
}

fn put_where_nothing_is(
    incoming: &Path,
    file: &Path,
    progress: maintenance::Progress<'_>,
) -> Result<()> {
    // What lies there belongs to no file.
    remove_side_files(file)?;
    // Made empty first: from here on it is taken, also against a server that starts now.
    let made = private_file::options().create_new(true).open(file);
    made.map_err(|error| DatabaseError::io(file, &error))?;
    let mut taken = take(file)?;
    taken.become_copy_of(incoming, progress).map_err(|error| {
        drop(discard(file));
        DatabaseError::copying(error, incoming, file)
    })
}

fn take(file: &Path) -> Result<Exclusive> {
    match Exclusive::take(file) {
        Ok(Some(taken)) => Ok(taken),
        Ok(None) => Err(DatabaseError::InUse(file.to_owned())),
        Err(error) if is_damage(&error) => Err(DatabaseError::Unusable {
            file: file.to_owned(),
            why: "it is no database: move it away and restore again".to_owned(),
        }),
        Err(error) => Err(DatabaseError::at(file, error)),
    }
}
