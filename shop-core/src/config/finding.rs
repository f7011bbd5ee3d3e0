//! What is wrong with a configuration, in words for the operator of a shop.

use std::fmt;

use serde::Serialize;

use super::tables::Tables;
use super::values::{Merged, find, shown, written};
use crate::value::wire_enum;

/// Something about a setting. Its display is one line:
/// `shop.toml:3: orders.unpaid_ttl_hours = "two": expected a whole number of hours, ..`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// The key; empty for a text that is no TOML and for a variable that is no setting's.
    pub key: String,
    /// Its value where it is set. Secrets are not shown.
    pub value: Option<String>,
    /// Where it is set: a file and its line, or the name of a variable or of an argument.
    pub source: Option<String>,
    /// What is wrong, and what would be right. Never holds a secret.
    pub what: String,
}

wire_enum! {
    /// How bad a finding is.
    pub enum Severity {
        /// The shop does not start with it.
        Error = "error",
        /// It may be meant so.
        Warning = "warning",
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, value, source, what, .. } = self;
        if let Some(source) = source {
            write!(f, "{source}: ")?;
        }
        match value {
            Some(value) => write!(f, "{key} = {value:?}: ")?,
            None if key.is_empty() => {}
            None => write!(f, "{key}: ")?,
        }
        f.write_str(what)
    }
}

/// Why a configuration cannot be used: everything that is wrong with it, by key, value and source.
/// Never holds a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError(Vec<Finding>);

impl ConfigError {
    pub(super) fn new(errors: Vec<Finding>) -> Self {
        Self(errors)
    }

    #[cfg(feature = "nfe")]
    pub(super) fn of(key: &str, what: impl Into<String>) -> Self {
        let mut found = Findings::new(Tables::SHOP);
        found.error(key, what.into());
        Self(found.list)
    }

    /// Each thing that is wrong.
    pub fn findings(&self) -> &[Finding] {
        &self.0
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, finding) in self.0.iter().enumerate() {
            let between = if at == 0 { "" } else { "; " };
            write!(f, "{between}{finding}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigError {}

/// Findings as they are collected.
#[derive(Debug)]
pub struct Findings {
    tables: Tables,
    pub(super) list: Vec<Finding>,
}

impl Findings {
    pub(super) fn new(tables: Tables) -> Self {
        Self { tables, list: Vec::new() }
    }

    /// Adds what is wrong with a key, wherever it is set.
    pub fn error(&mut self, key: &str, what: String) {
        self.push(Severity::Error, None, key, None, what);
    }

    /// Adds that a value is not what its key expects.
    pub fn unexpected(&mut self, key: &str) {
        let expects = self.tables.find(key).map_or("", |key| key.expects);
        self.error(key, format!("expected {expects}"));
    }

    /// Adds what may be wrong with a key, wherever it is set.
    pub fn warning(&mut self, key: &str, what: &str) {
        self.push(Severity::Warning, None, key, None, what.to_owned());
    }

    pub(super) fn error_at(&mut self, source: &str, key: &str, what: String) {
        self.push(Severity::Error, Some(source), key, None, what);
    }

    pub(super) fn error_with(
        &mut self,
        source: &str,
        key: &str,
        value: Option<String>,
        what: String,
    ) {
        self.push(Severity::Error, Some(source), key, value, what);
    }

    pub(super) fn warning_at(&mut self, source: &str, key: &str, what: String) {
        self.push(Severity::Warning, Some(source), key, None, what);
    }

    fn push(
        &mut self,
        severity: Severity,
        source: Option<&str>,
        key: &str,
        value: Option<String>,
        what: String,
    ) {
        let (source, key) = (source.map(str::to_owned), key.to_owned());
        self.list.push(Finding { severity, key, value, source, what });
    }

    /// Takes findings over, with the value of their key and where it was set.
    pub(super) fn take_placed(&mut self, others: Self, merged: &Merged) {
        for mut finding in others.list {
            if let Some(key) = self.tables.find(&finding.key) {
                let value = find(&merged.table, key.name);
                finding.value = value.map(|value| shown(key, &written(value)));
                finding.source = merged.origins.get(key.name).map(|it| it.name.clone());
            }
            self.list.push(finding);
        }
    }

    /// The errors, and the warnings.
    pub(super) fn apart(self) -> (Vec<Finding>, Vec<Finding>) {
        self.list.into_iter().partition(|finding| finding.severity == Severity::Error)
    }
}
