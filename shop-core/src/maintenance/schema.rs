//! The schema of a database: what it has, and what this version still has to do to it.

use serde::Serialize;

use super::{Database, Result, estimate};
use crate::storage::{DatabaseUrl, maintenance, pending_migrations};

/// A step from one schema version to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Migration {
    /// The schema version that it leads to.
    pub version: i64,
    /// What it is about.
    pub name: &'static str,
}

/// Where a database stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SchemaState {
    /// Its schema version; 0 for one that is empty or not there yet.
    pub version: i64,
    /// The version that this program works with.
    pub known: i64,
    /// What is still to be done to it.
    pub pending: Vec<Migration>,
    /// How long that takes, about: whole seconds by the sizes of the tables that it goes through, 0
    /// for less than one. A slow disk takes several times as long.
    pub estimated_seconds: u64,
}

impl Database {
    /// What is still to be done to it; changes nothing.
    ///
    /// # Errors
    /// When it cannot be opened, or was written by a newer version.
    ///
    /// Cancel safe: reads only.
    pub async fn schema(&self) -> Result<SchemaState> {
        self.with(Self::state).await
    }

    /// Brings it to the schema of this version, all or nothing, and tells what was done. Makes it
    /// where it is missing. Opening a shop does the same.
    ///
    /// # Errors
    /// When it cannot be opened, or was written by a newer version.
    ///
    /// Dropping the future does not stop it: it runs to its end on a thread of its own.
    pub async fn migrate(&self) -> Result<SchemaState> {
        self.with(|database| {
            let before = database.state()?;
            maintenance::migrate(&database.url).map_err(|error| database.failed(error))?;
            Ok(before)
        })
        .await
    }

    fn state(&self) -> Result<SchemaState> {
        let (mut version, mut estimated_seconds) = (0, 0);
        if !matches!(&self.url, DatabaseUrl::File(path) if !path.exists()) {
            let mut connection = self.open()?;
            version = connection.schema_version().map_err(|error| self.failed(error))?;
            let steps = pending_migrations(version, connection.dialect());
            let steps = steps.map_err(|error| self.failed(error))?;
            estimated_seconds = connection.read(|tx| estimate::seconds(tx, &steps))?;
        }
        let pending = maintenance::migrations_after(version);
        let known = maintenance::latest_version();
        let pending = pending.into_iter().map(|(version, name)| Migration { version, name });
        Ok(SchemaState { version, known, pending: pending.collect(), estimated_seconds })
    }
}
