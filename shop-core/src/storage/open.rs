//! Finds the engine that a configuration names.

use std::sync::Arc;

use super::Storage;
use crate::error::{Error, Result};

/// Opens a database: the URL of a server, else a file.
pub(crate) async fn open(database: String) -> Result<Arc<dyn Storage>> {
    let open = move || {
        if database.contains("://") { open_server(&database) } else { open_file(&database) }
    };
    // Opening blocks: it migrates.
    tokio::task::spawn_blocking(open).await.map_err(Error::from_source)?
}

#[cfg(feature = "postgres")]
fn open_server(url: &str) -> Result<Arc<dyn Storage>> {
    Ok(Arc::new(super::Postgres::open(url)?))
}

#[cfg(not(feature = "postgres"))]
fn open_server(_: &str) -> Result<Arc<dyn Storage>> {
    Err(Error::internal("this build knows no PostgreSQL (cargo feature postgres)"))
}

#[cfg(feature = "sqlite")]
fn open_file(path: &str) -> Result<Arc<dyn Storage>> {
    Ok(Arc::new(super::Sqlite::open(path)?))
}

#[cfg(not(feature = "sqlite"))]
fn open_file(_: &str) -> Result<Arc<dyn Storage>> {
    Err(Error::internal("this build knows no SQLite files (cargo feature sqlite)"))
}
