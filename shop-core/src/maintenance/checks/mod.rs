//! What must hold of a shop's data, as a table: each check has one SQL text that answers with the
//! rows for which it does not, as an id and what is wrong with it.
//!
//! Whatever counts, sums up or indexes what stands elsewhere has a check here. Nothing that staff
//! may do by hand is wrong: an order may have any status, whatever was paid for it.

/// A topic's part of the table: the name of each check, the schema version that it needs, what must
/// hold, and the SQL text that every engine takes, or each one's own.
macro_rules! checks {
    ($($name:tt ($since:literal) $about:literal: $sql:tt;)*) => {
        &[$(Check { name: $name, about: $about, since: $since, sql: checks!(@ $sql) }),*]
    };
    (@ {$($engine:ident: $sql:literal)*}) => {
        super::Sql::Own(&[$((stringify!($engine), $sql)),*])
    };
    (@ $sql:literal) => { super::Sql::Every($sql) };
}

mod catalogue;
mod file;
mod money;
mod orders;
mod outbox;
mod people;
mod returns;
mod search;
mod shipments;
mod stock;

use std::time::Duration;

use serde::Serialize;

use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::fiscal::InvoiceStatus;
use crate::order::OrderStatus;
use crate::shipment::ShipmentStatus;
#[cfg(feature = "sqlite")]
use crate::storage::maintenance::Maintenance;
use crate::storage::{Row, Tx};
use crate::value::Words;

/// How many rows of a check are told one by one.
const EXAMPLES: usize = 20;
/// What nothing in an outbox ever waits for: twice the longest pause of a receiver.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

/// What stands between the prefix of an order's number, of capitals and digits, and its sequence.
const DAY: &str = "substr(ltrim(number, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'), 2, 8)";

/// Something that must hold.
struct Check {
    name: &'static str,
    about: &'static str,
    /// The schema version that it needs.
    since: i64,
    sql: Sql,
}

/// How the rows are found for which a check does not hold.
enum Sql {
    /// By a text that every engine takes. `{far}` is an instant that nothing waits for, `{day}` the
    /// local day of an order, as its number has it, `{moving}` the statuses of labels that are
    /// being bought or given back, `{revenue}` those of orders that count as revenue, `{invoiced}`
    /// those of invoices that are good or may become so.
    Every(&'static str),
    /// By each engine in its own words; for others there is nothing to check.
    Own(&'static [(&'static str, &'static str)]),
}

/// Each topic's part of the table.
const TOPICS: [&[Check]; 10] = [
    file::CHECKS,
    stock::CHECKS,
    orders::CHECKS,
    money::CHECKS,
    returns::CHECKS,
    shipments::CHECKS,
    outbox::CHECKS,
    catalogue::CHECKS,
    people::CHECKS,
    search::CHECKS,
];

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Checked {
    /// The check.
    pub name: &'static str,
    /// What must hold.
    pub about: &'static str,
    /// How many things are wrong.
    pub wrong: usize,
    /// The first of them.
    pub found: Vec<Wrong>,
}

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Wrong {
    /// Of what: the id of an item, an order, a payment, ..
    pub id: String,
    /// What is wrong with it.
    pub what: String,
}

/// What all checks found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CheckReport {
    /// The database's schema version.
    pub schema_version: i64,
    /// Every check that this schema and this engine can have.
    pub checks: Vec<Checked>,
}

impl CheckReport {
    /// Whether nothing is wrong.
    pub fn is_ok(&self) -> bool {
        self.checks.iter().all(|check| check.wrong == 0)
    }

    /// The checks that found something.
    pub fn wrong(&self) -> impl Iterator<Item = &Checked> {
        self.checks.iter().filter(|check| check.wrong > 0)
    }

    /// Whether the engine itself cannot read everything, so that it is no copy to rely on.
    #[cfg(feature = "sqlite")]
    pub(super) fn is_unreadable(&self) -> bool {
        self.wrong().any(|check| check.name == file::INTEGRITY)
    }
}

/// The words of the catalogue's full-text index, which SQLite lists by a table of its own.
#[cfg(feature = "sqlite")]
const WORDS_OF_INDEX: &str =
    "CREATE VIRTUAL TABLE temp.product_search_word USING fts5vocab(main, product_search, row)";

/// Makes what checks read beside the tables. Comes before [`run`].
#[cfg(feature = "sqlite")]
pub(super) fn prepare(connection: &Maintenance) -> Result<()> {
    connection.prepare_temp(WORDS_OF_INDEX)
}

/// Runs every check that a schema of this version can have.
pub(super) fn run(tx: &mut dyn Tx, schema_version: i64, now: Timestamp) -> CheckReport {
    run_topics(&TOPICS, tx, schema_version, now)
}

/// Runs those of the full-text indexes alone.
pub(super) fn run_search(tx: &mut dyn Tx, schema_version: i64, now: Timestamp) -> CheckReport {
    run_topics(&[search::CHECKS], tx, schema_version, now)
}

fn run_topics(
    topics: &[&[Check]],
    tx: &mut dyn Tx,
    schema_version: i64,
    now: Timestamp,
) -> CheckReport {
    let table = topics.iter().flat_map(|topic| topic.iter());
    let mut checks = Vec::new();
    for check in table.filter(|check| check.since <= schema_version) {
        let sql = match &check.sql {
            Sql::Every(sql) => sql,
            Sql::Own(own) => match own.iter().find(|(engine, _)| *engine == tx.dialect().name) {
                Some((_, sql)) => sql,
                None => continue,
            },
        };
        checks.push(run_one(tx, check, sql, now));
    }
    CheckReport { schema_version, checks }
}

/// A check that cannot be run to its end has found something: a file that is damaged.
fn run_one(tx: &mut dyn Tx, check: &Check, sql: &str, now: Timestamp) -> Checked {
    let far = now.plus(LONGEST_WAIT).millis().to_string();
    let filled = [
        ("{far}", far),
        ("{day}", DAY.to_owned()),
        ("{moving}", ShipmentStatus::listed(ShipmentStatus::is_moving)),
        ("{revenue}", OrderStatus::listed(OrderStatus::is_revenue)),
        ("{invoiced}", InvoiceStatus::listed(InvoiceStatus::is_live)),
    ];
    let fill = |sql: String, (name, text): &(&str, String)| sql.replace(name, text);
    let sql = filled.iter().fold(sql.to_owned(), fill);
    let mut checked = Checked { name: check.name, about: check.about, wrong: 0, found: Vec::new() };
    let outcome = tx.query(&sql, &[], &mut |row| {
        checked.wrong += 1;
        if checked.found.len() < EXAMPLES {
            checked.found.push(read(row)?);
        }
        Ok(())
    });
    if let Err(error) = outcome {
        checked.wrong += 1;
        checked.found.push(Wrong { id: "-".to_owned(), what: cannot_look(&error) });
    }
    checked
}

fn read(row: &dyn Row) -> Result<Wrong> {
    let id: Option<String> = row.get(0)?;
    Ok(Wrong { id: id.unwrap_or_else(|| "-".to_owned()), what: row.get(1)? })
}

fn cannot_look(error: &Error) -> String {
    match error {
        Error::Internal(source) => format!("it cannot be read: {source}"),
        other => format!("it cannot be read: {other}"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_check_has_a_name_of_its_own() {
        let table: Vec<&Check> = TOPICS.iter().flat_map(|topic| topic.iter()).collect();
        let names: HashSet<&str> = table.iter().map(|check| check.name).collect();
        assert_eq!(names.len(), table.len());
        for name in names {
            assert!(name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{name}");
        }
    }
}
