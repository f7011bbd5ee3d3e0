//! Copies of a shop that go on selling meanwhile.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::target::{Unfinished, admit, put};
use super::{CheckReport, Database, DatabaseError, Progress, Result, beside};
use crate::clock::Timestamp;
use crate::storage::{DatabaseUrl, maintenance, sqlite_maintenance};

/// What a database server is copied with.
const ON_A_SERVER: &str = "a database on a PostgreSQL server is backed up with its own program: \
                           pg_dump --format=custom --file=FILE URL";

/// How a backup is made.
#[derive(Debug, Clone)]
pub struct BackupOptions {
    /// Where to.
    pub file: PathBuf,
    /// Whether a regular file of this name is replaced, once the new one is known to be good. What
    /// SQLite left beside it (`-wal`, `-shm`, `-journal`) goes with it.
    pub replace: bool,
}

/// A backup that was made and looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Backup {
    /// Where it is.
    pub file: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// The schema version of what it holds.
    pub schema_version: i64,
    /// How many checks it passed.
    pub checks: usize,
}

impl Database {
    /// Copies the database as it is at one instant, while servers go on writing. The copy is one
    /// file; it is only given its name once every page and every book in it was looked at.
    ///
    /// What the shop keeps in other places is not in it: pictures (`uploads_dir`), the
    /// configuration, certificates.
    ///
    /// # Errors
    /// [`DatabaseError::Exists`]; [`DatabaseError::InUse`] for a file that is to be replaced;
    /// [`DatabaseError::BeingMade`]; [`DatabaseError::Unusable`] for a name that a copy cannot
    /// have, or a file that cannot be read or written; [`DatabaseError::NotAFile`] for a database
    /// server; [`DatabaseError::Wrong`] where what is in the database is wrong: the copy is kept
    /// then, as `FILE.suspect`, and replaces nothing.
    ///
    /// Dropping the future does not stop it: it runs to its end on a thread of its own.
    pub async fn backup(
        &self,
        options: BackupOptions,
        now: Timestamp,
        mut progress: Progress,
    ) -> Result<Backup> {
        self.with(move |database| database.copy_out(&options, now, &mut *progress)).await
    }

    fn copy_out(
        &self,
        BackupOptions { file, replace }: &BackupOptions,
        now: Timestamp,
        progress: maintenance::Progress<'_>,
    ) -> Result<Backup> {
        let source = self.file(ON_A_SERVER)?;
        if !source.exists() {
            return Err(DatabaseError::Missing(source.to_owned()));
        }
        admit(file, &self.url, *replace)?;
        let partial = Unfinished::make(beside(file, ".partial"))?;
        let copied = sqlite_maintenance::copy_file(source, &partial.path, progress);
        copied.map_err(|error| DatabaseError::copying(error, source, &partial.path))?;
        let report = verified(&partial.path, now).map_err(|error| error.of(source))?;
        if !report.is_ok() {
            let suspect = beside(file, ".suspect");
            put(&partial.path, &suspect, true)?;
            return Err(DatabaseError::Wrong { file: suspect, report: Box::new(report) });
        }
        put(&partial.path, file, *replace)?;
        let bytes = std::fs::metadata(file).map_err(|error| DatabaseError::io(file, &error))?.len();
        let CheckReport { schema_version, checks } = report;
        Ok(Backup { file: file.clone(), bytes, schema_version, checks: checks.len() })
    }
}

/// Looks at every page and every book of a copy.
pub(super) fn verified(copy: &Path, now: Timestamp) -> Result<CheckReport> {
    let unusable = |why: String| DatabaseError::Unusable { file: copy.to_owned(), why };
    let of_copy = Database { url: DatabaseUrl::File(copy.to_owned()) };
    let report = of_copy.look(now).map_err(|error| match error {
        DatabaseError::Failed(error) if sqlite_maintenance::is_corrupt(&error) => {
            unusable(format!("it is damaged, see db check: {}", cause(&error)))
        }
        DatabaseError::Failed(error) => unusable(format!("it is no database: {}", cause(&error))),
        other => other,
    })?;
    if report.is_unreadable() {
        let found = report.wrong().flat_map(|check| &check.found).next();
        let what = found.map_or("", |wrong| wrong.what.as_str());
        return Err(unusable(format!("it is damaged, see db check: {what}")));
    }
    Ok(report)
}

fn cause(error: &crate::Error) -> String {
    match error {
        crate::Error::Internal(source) => source.to_string(),
        other => other.to_string(),
    }
}
