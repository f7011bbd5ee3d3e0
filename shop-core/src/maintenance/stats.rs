//! How much there is in a database.

use serde::Serialize;

use super::{Database, Result, beside};
use crate::clock::Timestamp;
use crate::storage::maintenance::FileFigures;
use crate::storage::{DatabaseUrl, Tx};

/// Figures of a database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct DatabaseStats {
    /// The engine's name.
    pub engine: &'static str,
    /// Its schema version.
    pub schema_version: i64,
    /// The file, where it is one.
    pub file: Option<FileSize>,
    /// Its tables, the largest first.
    pub tables: Vec<TableSize>,
    /// What waits to leave.
    pub pending: Vec<Pending>,
}

/// A file of data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FileSize {
    /// Its size.
    pub bytes: u64,
    /// What is committed and not in it yet (`-wal`).
    pub wal_bytes: u64,
    /// Bytes of a page.
    pub page_bytes: i64,
    /// Its pages.
    pub pages: i64,
    /// Pages that are free for what comes.
    pub free_pages: i64,
}

/// A table, with its indexes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TableSize {
    /// Its name.
    pub name: String,
    /// How many rows it has.
    pub rows: i64,
    /// How much room it takes.
    pub bytes: i64,
}

/// Rows of an outbox that wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Pending {
    /// What waits.
    pub what: &'static str,
    /// How many.
    pub rows: i64,
    /// Since when the oldest of them does.
    pub oldest: Option<Timestamp>,
}

impl Database {
    /// Its figures. Counts every row, so it takes its time on a large shop.
    ///
    /// # Errors
    /// When it cannot be opened, or is no shop's.
    ///
    /// Cancel safe: reads only.
    pub async fn stats(&self) -> Result<DatabaseStats> {
        self.with(|database| {
            let mut connection = database.open()?;
            let schema_version = database.version(&mut connection)?;
            let file = connection.file_figures()?.and_then(|figures| database.file_size(figures));
            let engine = connection.dialect().name;
            let (tables, pending) =
                connection.read(|tx| Ok((tables(tx)?, waiting(tx, schema_version)?)))?;
            Ok(DatabaseStats { engine, schema_version, file, tables, pending })
        })
        .await
    }

    fn file_size(&self, figures: FileFigures) -> Option<FileSize> {
        let DatabaseUrl::File(path) = &self.url else { return None };
        let size = |path| std::fs::metadata(path).map_or(0, |it| it.len());
        Some(FileSize {
            bytes: size(path.clone()),
            wal_bytes: size(beside(path, "-wal")),
            page_bytes: figures.page_size,
            pages: figures.pages,
            free_pages: figures.free_pages,
        })
    }
}

/// What waits to leave, each with the schema version that it came with.
const OUTBOXES: &[(&str, i64, &str)] = &[
    (
        "mails",
        3,
        "SELECT count(*), min(created_at) FROM mail
         WHERE sent_at IS NULL AND next_try_at IS NOT NULL",
    ),
    (
        "events",
        11,
        "SELECT count(*), min(e.created_at) FROM event e
         WHERE e.id > (SELECT coalesce(max(event_id), 0) FROM webhook_cursor)",
    ),
    (
        "deliveries",
        11,
        "SELECT count(*), min(e.created_at) FROM webhook_queue q
         JOIN event e ON e.id = q.event_id WHERE q.next_try_at IS NOT NULL",
    ),
];

fn waiting(tx: &mut dyn Tx, schema_version: i64) -> crate::Result<Vec<Pending>> {
    let outboxes = OUTBOXES.iter().filter(|(_, since, _)| *since <= schema_version);
    outboxes
        .map(|(what, _, sql)| {
            let read = tx.find(sql, &[])?;
            let (rows, oldest) = read.unwrap_or_default();
            Ok(Pending { what, rows, oldest })
        })
        .collect()
}

fn tables(tx: &mut dyn Tx) -> crate::Result<Vec<TableSize>> {
    let sizes = match tx.dialect().name {
        "sqlite" => {
            "SELECT t.name, coalesce(sum(s.pgsize), 0) FROM pragma_table_list t
             JOIN sqlite_schema i ON i.tbl_name = t.name
             LEFT JOIN dbstat s ON s.name = i.name AND s.aggregate = 1
             WHERE t.schema = 'main' AND t.type IN ('table', 'shadow') AND t.name <> 'sqlite_schema'
             GROUP BY t.name ORDER BY 2 DESC, 1"
        }
        _ => {
            "SELECT CAST(relname AS text), CAST(pg_total_relation_size(oid) AS bigint) FROM pg_class
             WHERE relkind = 'r' AND relnamespace = CAST(current_schema() AS regnamespace)
             ORDER BY 2 DESC, 1"
        }
    };
    let sizes = tx.list::<(String, _)>(sizes, &[])?;
    let count = |(name, bytes): (String, i64)| {
        let rows = tx.value(&format!("SELECT count(*) FROM \"{name}\""), &[])?;
        Ok(TableSize { name, rows, bytes })
    };
    sizes.into_iter().map(count).collect()
}
