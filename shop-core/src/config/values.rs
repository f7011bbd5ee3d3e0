//! The values of settings as they are read: each with its key, and where it is set.

use std::collections::BTreeMap;

use super::keys::{Key, Kind};
use super::texts::is_libpq;
use crate::value::wire_enum;

/// Stands for a secret that is set.
pub(super) const HIDDEN: &str = "********";

/// The values that can be read, and where each comes from.
#[derive(Debug, Default)]
pub(super) struct Merged {
    pub(super) table: toml::Table,
    pub(super) origins: BTreeMap<&'static str, Origin>,
}

/// Where a value comes from.
#[derive(Debug, Clone)]
pub(super) struct Origin {
    pub(super) kind: SettingSource,
    /// As errors say it: `shop.toml:12`, `SHOP_LISTEN`, `--listen`.
    pub(super) name: String,
}

wire_enum! {
    /// Where a setting's value comes from.
    #[non_exhaustive]
    pub enum SettingSource {
        /// It is not set.
        Default = "default",
        /// The TOML text.
        File = "file",
        /// An override (`SHOP_..`).
        Environment = "environment",
        /// The command that was called.
        Argument = "argument",
    }
}

/// The value of a key, if it is set.
pub(super) fn find<'t>(table: &'t toml::Table, key: &str) -> Option<&'t toml::Value> {
    match key.split_once('.') {
        None => table.get(key),
        Some((head, rest)) => find(table.get(head)?.as_table()?, rest),
    }
}

/// A value as it would be written for an override.
pub(super) fn written(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Array(entries) => entries.iter().map(written).collect::<Vec<_>>().join(", "),
        toml::Value::Table(entries) => {
            let pairs = entries.iter().map(|(key, value)| format!("{key}={}", written(value)));
            pairs.collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

/// A value as it may be shown.
pub(super) fn shown(key: &Key, value: &str) -> String {
    if key.kind == Kind::Secret { HIDDEN.to_owned() } else { without_password(value) }
}

/// A URL without its password, which stands between the user's name and the last `@`: one that was
/// not encoded may hold any sign, `/`, `?` and `#` too.
pub fn without_password(url: &str) -> String {
    if is_libpq(url) {
        return HIDDEN.to_owned();
    }
    // PostgreSQL takes a password among the parameters too.
    let has_password = |query: &str| query.split('&').any(|pair| pair.starts_with("password="));
    let url = url.split_once('?').filter(|(_, it)| has_password(it)).map_or(url, |it| it.0);
    let hidden = || {
        let (scheme, rest) = url.split_once("://")?;
        let (user, place) = rest.rsplit_once('@')?;
        let (name, _) = user.split_once(':')?;
        Some(format!("{scheme}://{name}:{HIDDEN}@{place}"))
    };
    hidden().unwrap_or_else(|| url.to_owned())
}

/// Sets a key of the table, whose sections are tables: nothing else was ever put into it.
pub(super) fn set(table: &mut toml::Table, path: &str, value: toml::Value) {
    match path.split_once('.') {
        None => drop(table.insert(path.to_owned(), value)),
        Some((head, rest)) => {
            let section = table.entry(head).or_insert_with(|| toml::Table::new().into());
            if let Some(section) = section.as_table_mut() {
                set(section, rest, value);
            }
        }
    }
}
