//! Finds the engine that a configuration names.

use std::path::PathBuf;
use std::sync::Arc;

use super::Storage;
use crate::error::{Error, Result};

/// The address of a shop's data, as the setting `database` says it. It has no `Debug`, since a URL
/// may have a password in it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum DatabaseUrl {
    /// In a file of SQLite.
    File(PathBuf),
    /// On a database server, by its URL.
    Server(String),
}

impl DatabaseUrl {
    /// A text with `://` is a URL, any other a path.
    pub(crate) fn parse(database: &str) -> Self {
        if database.contains("://") {
            Self::Server(database.to_owned())
        } else {
            Self::File(PathBuf::from(database))
        }
    }
}

/// Opens a database: the URL of a server, which may have a replica to read from, else a file, with
/// so many connections for reads.
pub(crate) async fn open(
    database: String,
    replica: Option<String>,
    file_readers: u32,
) -> Result<Arc<dyn Storage>> {
    let open = move || match DatabaseUrl::parse(&database) {
        DatabaseUrl::File(_) => open_file(&database, file_readers),
        DatabaseUrl::Server(url) => open_server(&url, replica.as_deref()),
    };
    // Opening blocks: it migrates.
    tokio::task::spawn_blocking(open).await.map_err(Error::from_source)?
}

#[cfg(feature = "postgres")]
fn open_server(url: &str, replica: Option<&str>) -> Result<Arc<dyn Storage>> {
    Ok(Arc::new(match replica {
        Some(replica) => super::Postgres::open_with_replica(url, replica)?,
        None => super::Postgres::open(url)?,
    }))
}

#[cfg(not(feature = "postgres"))]
fn open_server(_: &str, _: Option<&str>) -> Result<Arc<dyn Storage>> {
    Err(Error::internal("this build knows no PostgreSQL (cargo feature postgres)").into_unusable())
}

/// Why nothing can be reached by a server's URL, whatever answers there.
#[cfg(feature = "postgres")]
pub(crate) fn refuse_url(url: &str) -> Result<()> {
    super::postgres::refuse_url(url)
}

#[cfg(not(feature = "postgres"))]
#[expect(clippy::unnecessary_wraps, reason = "as with the feature")]
pub(crate) fn refuse_url(_: &str) -> Result<()> {
    Ok(())
}

#[cfg(feature = "sqlite")]
fn open_file(path: &str, readers: u32) -> Result<Arc<dyn Storage>> {
    Ok(Arc::new(super::Sqlite::open_with(path, readers)?))
}

#[cfg(not(feature = "sqlite"))]
fn open_file(_: &str, _: u32) -> Result<Arc<dyn Storage>> {
    Err(Error::internal("this build knows no SQLite files (cargo feature sqlite)").into_unusable())
}
