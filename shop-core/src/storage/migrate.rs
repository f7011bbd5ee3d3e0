//! Brings a database to the schema of this version.
//!
//! Migrations are numbered files inside the binary. Each runs in one transaction with the note
//! that it ran; a database that carries a note unknown to this version is from a newer one and is
//! refused rather than damaged.

use super::Dialect;
use super::tokenizer::fill_in_symbols;
use crate::error::{Error, Result};

struct Migration {
    version: i64,
    name: &'static str,
    /// By engine: what every engine takes (`all`), with the dialect's type names to be filled in,
    /// and what one needs besides, in its own words.
    parts: &'static [(&'static str, &'static str)],
}

/// The migrations in their order: number, file, and the parts that there are of it: for every
/// engine (`all`), and for single ones.
macro_rules! migrations {
    ($($version:literal $name:ident: $($engine:ident)+;)+) => {
        &[$(Migration {
            version: $version,
            name: stringify!($name),
            parts: &[$((
                stringify!($engine),
                migrations!(@file $engine stringify!($version), "_", stringify!($name)),
            )),+],
        }),+]
    };
    (@file all $($file:expr),+) => { include_str!(concat!("../../migrations/", $($file),+, ".sql")) };
    (@file sqlite $($file:expr),+) => {
        include_str!(concat!("../../migrations/", $($file),+, ".sqlite.sql"))
    };
    (@file postgres $($file:expr),+) => {
        include_str!(concat!("../../migrations/", $($file),+, ".postgres.sql"))
    };
}

#[expect(clippy::zero_prefixed_literal, reason = "the numbers as the files have them")]
const MIGRATIONS: &[Migration] = migrations! {
    0001 foundation: all sqlite postgres;
    0002 engagement: all;
    0003 mail: all;
    0004 privacy: all;
    0005 audit: all;
    0006 payments: all;
    0007 back_office_catalog: all sqlite postgres;
    0008 back_office_orders: all sqlite postgres;
    0009 back_office_search: all sqlite postgres;
    0010 integration: all;
    0011 webhook: all;
    0012 nfe: all;
    0013 lease: all;
    0016 recorded_payments: all;
    0017 disputes: all;
    0018 revenue: all;
    0020 mail_allowance: all;
    0021 refund_notice: all;
    0023 sweep: all;
    0026 order_limits: all;
    0027 name_index: all postgres;
    0042 staff_session: all;
    0043 two_factor: all;
    0044 tasks: all;
    0045 back_office_lists: all sqlite;
    0046 product_key: sqlite;
    0047 external_account: all;
    0048 variant_required: all;
    0049 nfe_to_issue: all;
    0050 fiscal_data: all;
    0051 buyer_company: all;
    0052 nfe_correction: all;
    0053 order_return: all;
    0054 return_invoices: all;
    0055 product_listing: all;
    0056 guest_account: all sqlite postgres;
    0057 nfe_of_return: all;
    0058 dimensions: all;
    0059 packing: all;
    0060 shipment: all;
    0061 sandbox_label: all;
    0064 melhor_envio: all;
    0066 late_shipments: all;
    0067 shipment_problem: all;
    0068 product_import: all;
    0069 payment_check: all;
    0070 erased_codes: all;
    0071 search_symbols: sqlite;
    0072 payment_paid_at: all;
    0073 listing_variants: all;
    0074 product_answers: all;
    0075 nfe_registered: all;
    0076 movement_chain: all;
    0077 wake_labels: all;
    0078 email_proof: all;
    0079 note_by_shop: all;
    0080 sold_of_gone: all;
    0081 asking_providers: all;
    0082 invoice_units: all;
    0083 ownerless_cart_lines: all;
    0084 mail_perhaps_taken: all;
    0085 forgetting: all;
};

/// All migrations by number and name, in their order.
#[cfg(any(feature = "postgres", feature = "sqlite"))]
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
#[cfg(any(feature = "postgres", feature = "sqlite"))]
pub(super) const NOTES: &str = "CREATE TABLE IF NOT EXISTS schema_migration (version {int} PRIMARY KEY, name TEXT NOT NULL) {end}";

/// What an engine has to run, in this order, on a database whose latest migration is `applied`; 0
/// on a new one.
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
        let part = |wanted| it.parts.iter().find(|(engine, _)| *engine == wanted);
        let [all, own] =
            ["all", dialect.name].map(|engine| part(engine).map_or("", |(_, sql)| sql));
        let sql = format!("{}\n{}", dialect.fill_in(all), fill_in_symbols(own));
        Step { version: it.version, name: it.name, sql }
    });
    Ok(steps.collect())
}

/// Tells of a step. In a new database all are run, of which nobody needs to hear.
#[cfg(any(feature = "postgres", feature = "sqlite"))]
pub(super) fn log(applied: i64, version: i64, name: &str) {
    if applied == 0 {
        tracing::debug!(version, name, "schema migrated");
    } else {
        tracing::info!(version, name, "schema migrated");
    }
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
