//! Brings a database to the schema of this version.
//!
//! Migrations are numbered files inside the binary. Each runs in one transaction with the note
//! that it ran; a database that carries a note unknown to this version is from a newer one and is
//! refused rather than damaged.

use rusqlite::{Connection, TransactionBehavior};

use super::Dialect;
use super::sqlite::engine_error;
use crate::error::{Error, Result};

struct Migration {
    version: i64,
    name: &'static str,
    /// The part that every engine takes, with the dialect's type names to be filled in.
    sql: &'static str,
    /// The part in SQLite's own words.
    sqlite: &'static str,
}

const MIGRATIONS: &[Migration] = &[
    Migration {
        version: 1,
        name: "foundation",
        sql: include_str!("../../migrations/0001_foundation.sql"),
        sqlite: include_str!("../../migrations/0001_foundation.sqlite.sql"),
    },
    Migration {
        version: 2,
        name: "engagement",
        sql: include_str!("../../migrations/0002_engagement.sql"),
        sqlite: "",
    },
    Migration {
        version: 3,
        name: "mail",
        sql: include_str!("../../migrations/0003_mail.sql"),
        sqlite: "",
    },
    Migration {
        version: 4,
        name: "privacy",
        sql: include_str!("../../migrations/0004_privacy.sql"),
        sqlite: "",
    },
    Migration {
        version: 5,
        name: "audit",
        sql: include_str!("../../migrations/0005_audit.sql"),
        sqlite: "",
    },
    Migration {
        version: 6,
        name: "payments",
        sql: include_str!("../../migrations/0006_payments.sql"),
        sqlite: "",
    },
    Migration {
        version: 7,
        name: "back_office_catalog",
        sql: include_str!("../../migrations/0007_back_office_catalog.sql"),
        sqlite: include_str!("../../migrations/0007_back_office_catalog.sqlite.sql"),
    },
    Migration {
        version: 8,
        name: "back_office_orders",
        sql: include_str!("../../migrations/0008_back_office_orders.sql"),
        sqlite: include_str!("../../migrations/0008_back_office_orders.sqlite.sql"),
    },
    Migration {
        version: 9,
        name: "desk",
        sql: include_str!("../../migrations/0009_desk.sql"),
        sqlite: include_str!("../../migrations/0009_desk.sqlite.sql"),
    },
    Migration {
        version: 10,
        name: "integration",
        sql: include_str!("../../migrations/0010_integration.sql"),
        sqlite: "",
    },
    Migration {
        version: 11,
        name: "webhook",
        sql: include_str!("../../migrations/0011_webhook.sql"),
        sqlite: "",
    },
    Migration {
        version: 12,
        name: "nfe",
        sql: include_str!("../../migrations/0012_nfe.sql"),
        sqlite: "",
    },
    Migration {
        version: 13,
        name: "lease",
        sql: include_str!("../../migrations/0013_lease.sql"),
        sqlite: "",
    },
];

pub(super) fn run(conn: &mut Connection, dialect: &Dialect) -> Result<()> {
    // Taken at once: two processes that open a new file at the same time must not both migrate.
    let tx =
        conn.transaction_with_behavior(TransactionBehavior::Immediate).map_err(engine_error)?;
    tx.execute_batch(
        "CREATE TABLE IF NOT EXISTS schema_migration (
           version INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT",
    )
    .map_err(engine_error)?;
    let applied: i64 = tx
        .query_row("SELECT coalesce(max(version), 0) FROM schema_migration", [], |row| row.get(0))
        .map_err(engine_error)?;
    let known = MIGRATIONS.last().map_or(0, |migration| migration.version);
    if applied > known {
        return Err(Error::internal(format!(
            "the database has schema version {applied}, this program knows {known}: \
             it was written by a newer version"
        )));
    }
    for migration in MIGRATIONS.iter().filter(|migration| migration.version > applied) {
        let shared = fill_in(migration.sql, dialect);
        tx.execute_batch(&shared).map_err(engine_error)?;
        tx.execute_batch(migration.sqlite).map_err(engine_error)?;
        tx.execute(
            "INSERT INTO schema_migration (version, name) VALUES (?1, ?2)",
            (migration.version, migration.name),
        )
        .map_err(engine_error)?;
        tracing::info!(version = migration.version, name = migration.name, "schema migrated");
    }
    tx.commit().map_err(engine_error)
}

fn fill_in(sql: &str, dialect: &Dialect) -> String {
    let text = sql.to_owned();
    dialect.types.iter().fold(text, |text, (placeholder, name)| text.replace(placeholder, name))
}
