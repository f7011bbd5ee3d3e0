//! Brings a database to the schema of this version.
//!
//! Migrations are numbered files inside the binary. Each runs in one transaction with the note
//! that it ran; a database that carries a note unknown to this version is from a newer one and is
//! refused rather than damaged.

use super::Dialect;
use crate::error::{Error, Result};

struct Migration {
    version: i64,
    name: &'static str,
    /// The part that every engine takes, with the dialect's type names to be filled in.
    sql: &'static str,
    /// What an engine needs besides, in its own words.
    own: &'static [(&'static str, &'static str)],
}

const MIGRATIONS: &[Migration] = &[
    Migration {
        version: 1,
        name: "foundation",
        sql: include_str!("../../migrations/0001_foundation.sql"),
        own: &[
            ("sqlite", include_str!("../../migrations/0001_foundation.sqlite.sql")),
            ("postgres", include_str!("../../migrations/0001_foundation.postgres.sql")),
        ],
    },
    Migration {
        version: 2,
        name: "engagement",
        sql: include_str!("../../migrations/0002_engagement.sql"),
        own: &[],
    },
    Migration {
        version: 3,
        name: "mail",
        sql: include_str!("../../migrations/0003_mail.sql"),
        own: &[],
    },
    Migration {
        version: 4,
        name: "privacy",
        sql: include_str!("../../migrations/0004_privacy.sql"),
        own: &[],
    },
    Migration {
        version: 5,
        name: "audit",
        sql: include_str!("../../migrations/0005_audit.sql"),
        own: &[],
    },
    Migration {
        version: 6,
        name: "payments",
        sql: include_str!("../../migrations/0006_payments.sql"),
        own: &[],
    },
    Migration {
        version: 7,
        name: "back_office_catalog",
        sql: include_str!("../../migrations/0007_back_office_catalog.sql"),
        own: &[
            ("sqlite", include_str!("../../migrations/0007_back_office_catalog.sqlite.sql")),
            ("postgres", include_str!("../../migrations/0007_back_office_catalog.postgres.sql")),
        ],
    },
    Migration {
        version: 8,
        name: "back_office_orders",
        sql: include_str!("../../migrations/0008_back_office_orders.sql"),
        own: &[
            ("sqlite", include_str!("../../migrations/0008_back_office_orders.sqlite.sql")),
            ("postgres", include_str!("../../migrations/0008_back_office_orders.postgres.sql")),
        ],
    },
    Migration {
        version: 9,
        name: "back_office_search",
        sql: include_str!("../../migrations/0009_back_office_search.sql"),
        own: &[
            ("sqlite", include_str!("../../migrations/0009_back_office_search.sqlite.sql")),
            ("postgres", include_str!("../../migrations/0009_back_office_search.postgres.sql")),
        ],
    },
    Migration {
        version: 10,
        name: "integration",
        sql: include_str!("../../migrations/0010_integration.sql"),
        own: &[],
    },
    Migration {
        version: 11,
        name: "webhook",
        sql: include_str!("../../migrations/0011_webhook.sql"),
        own: &[],
    },
    Migration {
        version: 12,
        name: "nfe",
        sql: include_str!("../../migrations/0012_nfe.sql"),
        own: &[],
    },
    Migration {
        version: 13,
        name: "lease",
        sql: include_str!("../../migrations/0013_lease.sql"),
        own: &[],
    },
    Migration {
        version: 16,
        name: "recorded_payments",
        sql: include_str!("../../migrations/0016_recorded_payments.sql"),
        own: &[],
    },
    Migration {
        version: 17,
        name: "disputes",
        sql: include_str!("../../migrations/0017_disputes.sql"),
        own: &[],
    },
    Migration {
        version: 18,
        name: "revenue",
        sql: include_str!("../../migrations/0018_revenue.sql"),
        own: &[],
    },
    Migration {
        version: 20,
        name: "mail_allowance",
        sql: include_str!("../../migrations/0020_mail_allowance.sql"),
        own: &[],
    },
    Migration {
        version: 21,
        name: "refund_notice",
        sql: include_str!("../../migrations/0021_refund_notice.sql"),
        own: &[],
    },
    Migration {
        version: 23,
        name: "sweep",
        sql: include_str!("../../migrations/0023_sweep.sql"),
        own: &[],
    },
    Migration {
        version: 26,
        name: "order_limits",
        sql: include_str!("../../migrations/0026_order_limits.sql"),
        own: &[],
    },
    Migration {
        version: 27,
        name: "name_index",
        sql: include_str!("../../migrations/0027_name_index.sql"),
        own: &[("postgres", include_str!("../../migrations/0027_name_index.postgres.sql"))],
    },
    Migration {
        version: 42,
        name: "staff_session",
        sql: include_str!("../../migrations/0042_staff_session.sql"),
        own: &[],
    },
    Migration {
        version: 43,
        name: "two_factor",
        sql: include_str!("../../migrations/0043_two_factor.sql"),
        own: &[],
    },
    Migration {
        version: 44,
        name: "tasks",
        sql: include_str!("../../migrations/0044_tasks.sql"),
        own: &[],
    },
    Migration {
        version: 45,
        name: "back_office_lists",
        sql: include_str!("../../migrations/0045_back_office_lists.sql"),
        own: &[("sqlite", include_str!("../../migrations/0045_back_office_lists.sqlite.sql"))],
    },
    Migration {
        version: 46,
        name: "product_key",
        sql: "",
        own: &[("sqlite", include_str!("../../migrations/0046_product_key.sqlite.sql"))],
    },
    Migration {
        version: 47,
        name: "external_account",
        sql: include_str!("../../migrations/0047_external_account.sql"),
        own: &[],
    },
    Migration {
        version: 48,
        name: "variant_required",
        sql: include_str!("../../migrations/0048_variant_required.sql"),
        own: &[],
    },
];

/// All migrations by number and name, in their order.
pub(super) fn names() -> impl Iterator<Item = (i64, &'static str)> {
    MIGRATIONS.iter().map(|migration| (migration.version, migration.name))
}

/// A migration that is still to be run, in an engine's own words.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Step {
    /// Its number; an engine notes it in the transaction in which it runs.
    pub version: i64,
    /// What it is about.
    pub name: &'static str,
    /// What to run.
    pub sql: String,
}

/// Where each engine keeps a note of every migration that ran.
pub(super) const NOTES: &str = "CREATE TABLE IF NOT EXISTS schema_migration (version {int} PRIMARY KEY, name TEXT NOT NULL) {end}";

/// What an engine has to run, in this order, on a database whose latest migration is `applied`; 0 on
/// a new one.
///
/// # Errors
/// [`Error::Internal`] when the database is from a newer version.
pub fn pending(applied: i64, dialect: &Dialect) -> Result<Vec<Step>> {
    let known = MIGRATIONS.last().map_or(0, |migration| migration.version);
    if applied > known {
        return Err(Error::internal(format!(
            "the database has schema version {applied}, this program knows {known}: \
             it was written by a newer version; run that one, or put a backup of before in its \
             place"
        )));
    }
    let steps = MIGRATIONS.iter().filter(|migration| migration.version > applied).map(|it| {
        let own = it.own.iter().find(|(engine, _)| *engine == dialect.name);
        let own = own.map_or("", |(_, sql)| sql);
        let sql = format!("{}\n{own}", dialect.fill_in(it.sql));
        Step { version: it.version, name: it.name, sql }
    });
    Ok(steps.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_folder_is_run() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/migrations");
        let files = std::fs::read_dir(folder).expect("the folder").map(|file| {
            let name = file.expect("a file").file_name().to_string_lossy().into_owned();
            name.split('_').next().and_then(|number| number.parse::<i64>().ok()).expect("a number")
        });
        let files: std::collections::BTreeSet<i64> = files.collect();
        let known: Vec<i64> = MIGRATIONS.iter().map(|migration| migration.version).collect();
        assert_eq!(known, Vec::from_iter(files));
    }
}
