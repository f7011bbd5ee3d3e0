//! A shop's data as a whole: copies of it, what must hold of it, its schema and its size.
//!
//! Nothing here opens a shop, so a database can be looked at, and a copy of it made, without
//! migrating it first.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! # let dir = tempfile::tempdir()?;
//! # let path = dir.path().join("shop.db").display().to_string();
//! use shop_core::clock::{Clock, SystemClock};
//! use shop_core::maintenance::Database;
//!
//! let database = Database::at(&path);
//! database.migrate().await?;
//! assert!(database.check(SystemClock.now()).await?.is_ok());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```

#[cfg(feature = "sqlite")]
mod backup;
mod checks;
mod copy;
mod derive;
mod estimate;
#[cfg(feature = "sqlite")]
mod restore;
mod schema;
mod stats;
mod tables;
#[cfg(feature = "sqlite")]
mod target;

use std::path::{Path, PathBuf};

#[cfg(feature = "sqlite")]
pub use self::backup::{Backup, BackupOptions};
pub use self::checks::{CheckReport, Checked, Wrong};
pub use self::copy::{Copied, CopiedTable};
#[cfg(feature = "sqlite")]
pub use self::restore::Restored;
pub use self::schema::{Migration, SchemaState};
pub use self::stats::{DatabaseStats, FileSize, Pending, TableSize};
use crate::clock::Timestamp;
use crate::config::without_password;
use crate::error::{Error, with_causes};
use crate::storage::DatabaseUrl;
use crate::storage::maintenance::Maintenance;
#[cfg(feature = "sqlite")]
use crate::storage::{
    sqlite_file,
    sqlite_maintenance::{CopyError, is_damage},
};

/// The result of what is done to a database as a whole.
pub type Result<T, E = DatabaseError> = std::result::Result<T, E>;

/// Tells how far something is: done, of how many.
pub type Progress = Box<dyn FnMut(u64, u64) + Send>;

/// Why something was not done to a database. Then it is as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DatabaseError {
    /// There is no such file.
    #[error("{} is not there", .0.display())]
    Missing(PathBuf),
    /// Something else has the name.
    #[error("{} is there already", .0.display())]
    Exists(PathBuf),
    /// A database server has ways of its own.
    #[error("{0}")]
    NotAFile(&'static str),
    /// Another process works with the file.
    #[error("{} is open: stop the server and whatever else works with it first", .0.display())]
    InUse(PathBuf),
    /// Another backup or copy to the same name is under way.
    #[error("{} is being written: another backup or copy to it is running", .0.display())]
    BeingMade(PathBuf),
    /// The file cannot be relied on, read or written.
    #[error("{}: {why}", file.display())]
    Unusable {
        /// Which file.
        file: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The file is a whole copy of a shop whose data are wrong.
    #[error("{}: the copy is whole, but {} found something wrong", file.display(), names(report))]
    Wrong {
        /// Where the copy is kept.
        file: PathBuf,
        /// What is wrong.
        report: Box<CheckReport>,
    },
    /// The machine or the engine failed.
    #[error(transparent)]
    Failed(#[from] Error),
}

#[cfg(feature = "sqlite")]
impl DatabaseError {
    /// A file that cannot be opened, made, renamed or removed.
    fn io(file: &Path, error: &std::io::Error) -> Self {
        Self::Unusable { file: file.to_owned(), why: error.to_string() }
    }

    /// What the engine could not do with a file.
    fn at(file: &Path, error: Error) -> Self {
        match error {
            Error::Internal(source) | Error::Unusable { source, .. } => {
                Self::Unusable { file: file.to_owned(), why: source.to_string() }
            }
            other => Self::Failed(other),
        }
    }

    /// Why the engine cannot read a file. It opens it, and the log beside it, when it reads it
    /// first.
    fn reading(file: &Path, error: Error) -> Self {
        if let Error::Internal(source) = &error
            && is_damage(&error)
        {
            return Self::Unusable { file: file.to_owned(), why: sqlite_file::damage(source) };
        }
        if !sqlite_file::lacks_log(&error) {
            return Self::at(file, error);
        }
        let why = "SQLite can neither open nor make the log beside it, which it needs to read it: \
                   copy it, with its -wal if there is one, to a folder that can be written";
        Self::Unusable { file: file.to_owned(), why: why.to_owned() }
    }

    fn copying(error: CopyError, from: &Path, to: &Path) -> Self {
        match error {
            CopyError::From(error) => Self::reading(from, error),
            CopyError::To(error) => Self::at(to, error),
        }
    }

    /// What is wrong with a copy is wrong with what it is a copy of.
    fn of(self, original: &Path) -> Self {
        match self {
            Self::Unusable { why, .. } => Self::Unusable { file: original.to_owned(), why },
            other => other,
        }
    }
}

fn names(report: &CheckReport) -> String {
    report.wrong().map(|check| check.name).collect::<Vec<_>>().join(", ")
}

/// A database, by where it is. Nothing is opened until something is asked of it.
#[derive(Clone)]
pub struct Database {
    url: DatabaseUrl,
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Database").field(&self.shown()).finish()
    }
}

impl Database {
    /// The database that the setting `database` names: a file, or a URL.
    pub fn at(database: &str) -> Self {
        Self { url: DatabaseUrl::parse(database) }
    }

    /// Runs every check that its schema can have.
    ///
    /// # Errors
    /// [`DatabaseError::Missing`], [`DatabaseError::Unusable`] where it is no shop's, or when it
    /// cannot be opened. That something is wrong is no error.
    ///
    /// Cancel safe: reads only.
    pub async fn check(&self, now: Timestamp) -> Result<CheckReport> {
        self.with(move |database| database.look(now)).await
    }

    fn look(&self, now: Timestamp) -> Result<CheckReport> {
        let mut connection = self.open()?;
        let version = self.version(&mut connection)?;
        #[cfg(feature = "sqlite")]
        checks::prepare(&connection)?;
        Ok(connection.read(|tx| Ok(checks::run(tx, version, now)))?)
    }

    /// Whether a name is that of its file, or of what SQLite keeps beside it; of a database server
    /// nothing is.
    #[cfg(feature = "sqlite")]
    pub fn owns(&self, file: &Path) -> bool {
        match &self.url {
            DatabaseUrl::File(own) => target::is_part(file, own),
            DatabaseUrl::Server(_) => false,
        }
    }

    /// The schema version of a shop.
    fn version(&self, connection: &mut Maintenance) -> Result<i64> {
        match connection.schema_version().map_err(|error| self.failed(error))? {
            0 => Err(self.unusable("it is no shop's database".to_owned())),
            version => Ok(version),
        }
    }

    fn open(&self) -> Result<Maintenance> {
        if let DatabaseUrl::File(path) = &self.url
            && !path.exists()
        {
            return Err(DatabaseError::Missing(path.clone()));
        }
        #[cfg(feature = "sqlite")]
        if let DatabaseUrl::File(path) = &self.url {
            sqlite_file::inspect(path).map_err(|why| self.unusable(why))?;
        }
        Maintenance::open(&self.url).map_err(|error| self.failed(error))
    }

    /// Why it cannot be opened, or its schema read or brought up to date.
    fn failed(&self, error: Error) -> DatabaseError {
        match (&self.url, error) {
            #[cfg(feature = "sqlite")]
            (DatabaseUrl::File(file), error) => DatabaseError::reading(file, error),
            (_, Error::Internal(source)) => self.unusable(with_causes(&*source)),
            (_, error) => DatabaseError::Failed(error),
        }
    }

    /// The file, or an error that says what to do with a server.
    #[cfg(feature = "sqlite")]
    fn file(&self, otherwise: &'static str) -> Result<&Path> {
        match &self.url {
            DatabaseUrl::File(path) => Ok(path),
            DatabaseUrl::Server(_) => Err(DatabaseError::NotAFile(otherwise)),
        }
    }

    fn unusable(&self, why: String) -> DatabaseError {
        DatabaseError::Unusable { file: self.shown(), why }
    }

    /// The file, or the URL as it may be shown.
    fn shown(&self) -> PathBuf {
        match &self.url {
            DatabaseUrl::File(path) => path.clone(),
            DatabaseUrl::Server(url) => PathBuf::from(without_password(url)),
        }
    }

    /// Does something that blocks off the async threads.
    async fn with<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Self) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let database = self.clone();
        tokio::task::spawn_blocking(move || job(&database)).await.map_err(Error::from_source)?
    }
}

/// A name beside a file's own.
fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
