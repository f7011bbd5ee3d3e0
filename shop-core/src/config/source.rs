//! Where settings come from: a TOML text, and overrides laid over it. Each value is tried alone, so
//! that everything that is wrong is found at once, and by its key.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use toml::de::DeTable;

use super::finding::{ConfigError, Findings};
use super::keys::{Key, Kind, PREFIX};
use super::tables::Tables;
use super::values::{Merged, Origin, SettingSource, find, set, shown, written};
use crate::storage::DatabaseUrl;

/// What settings are read from. A program reads the file and its environment itself.
#[derive(Clone, Default)]
pub struct Sources {
    /// What the file is called in errors, if there is one.
    pub file: Option<PathBuf>,
    /// What stands in the file.
    pub toml: String,
    /// Names and values that beat the file: variables (`SHOP_ORDERS__UNPAID_TTL_HOURS` sets
    /// `orders.unpaid_ttl_hours`) and a program's arguments (`--listen` sets `listen`); later ones
    /// beat earlier ones. Names that begin with neither `SHOP_` nor `--` are passed over, so a
    /// whole environment may be handed in; so are `SHOP_LOG` and `SHOP_CONFIG`, which belong to the
    /// binaries.
    pub overrides: Vec<(String, String)>,
}

impl Sources {
    /// A program's environment as overrides, which are texts.
    ///
    /// # Errors
    /// Each variable of the shop's that is none. The others, and `SHOP_CONFIG`, which names a file,
    /// are left out.
    pub fn variables(
        environment: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Result<Vec<(String, String)>, ConfigError> {
        let (mut texts, mut wrong) = (Vec::new(), Findings::new(Tables::SHOP));
        for (name, value) in environment {
            let Ok(name) = name.into_string() else { continue };
            match value.into_string() {
                Ok(value) => texts.push((name, value)),
                Err(_) if name.starts_with(PREFIX) && name != "SHOP_CONFIG" => {
                    wrong.error_at(&name, "", "it is not UTF-8".to_owned());
                }
                Err(_) => {}
            }
        }
        if wrong.list.is_empty() { Ok(texts) } else { Err(ConfigError::new(wrong.list)) }
    }
}

/// The shop's values, and the program's.
pub(super) fn split(merged: &Merged, tables: Tables) -> (toml::Table, toml::Table) {
    let (mut shop, mut program) = (toml::Table::new(), toml::Table::new());
    for name in merged.origins.keys() {
        if let Some(value) = find(&merged.table, name) {
            let part = if tables.is_of_program(name) { &mut program } else { &mut shop };
            set(part, name, value.clone());
        }
    }
    (shop, program)
}

/// Lays overrides over the file.
pub(super) fn merge(sources: &Sources, tables: Tables, found: &mut Findings) -> Merged {
    let mut merged = Merged::default();
    let file = sources.file.as_ref().map_or("the file".into(), |it| it.to_string_lossy());
    take_file(&file, &sources.toml, tables, &mut merged, found);
    for (name, value) in &sources.overrides {
        take_override(name, value, tables, &mut merged, found);
    }
    drop_replica(&mut merged);
    merged
}

/// A file that a program's argument names has no replica.
fn drop_replica(merged: &mut Merged) {
    let by_argument =
        merged.origins.get("database").is_some_and(|it| it.kind == SettingSource::Argument);
    let database = merged.table.get("database").and_then(toml::Value::as_str);
    if by_argument
        && database.is_some_and(|it| matches!(DatabaseUrl::parse(it), DatabaseUrl::File(_)))
    {
        merged.table.remove("database_read");
        merged.origins.remove("database_read");
    }
}

fn take_file(file: &str, text: &str, tables: Tables, merged: &mut Merged, found: &mut Findings) {
    let line_at = |at: usize| text.get(..at).unwrap_or_default().matches('\n').count() + 1;
    let places = DeTable::parse(text);
    let table: Result<toml::Table, _> = text.parse();
    let (places, table) = match (places, table) {
        (Ok(places), Ok(table)) => (places, table),
        // The parser's own display quotes the line, which may hold a secret; its message does not.
        (Err(error), _) | (_, Err(error)) => {
            let line = error.span().map_or(1, |span| line_at(span.start));
            let what = format!("it is no TOML: {}", error.message().trim());
            found.error_at(&format!("{file}:{line}"), "", what);
            return;
        }
    };
    let mut lines = BTreeMap::new();
    note_lines(places.get_ref(), "", &mut |path, at| {
        lines.insert(path, line_at(at));
    });
    let mut reader = FileReader { file, lines, tables, merged, found };
    reader.take_table(&table, "");
}

/// Notes where each name of a file stands.
fn note_lines(table: &DeTable<'_>, path: &str, note: &mut dyn FnMut(String, usize)) {
    for (name, value) in table {
        let path = below(path, name.get_ref());
        note(path.clone(), name.span().start);
        if let Some(child) = value.get_ref().as_table() {
            note_lines(child, &path, note);
        }
    }
}

fn below(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

struct FileReader<'a> {
    file: &'a str,
    lines: BTreeMap<String, usize>,
    tables: Tables,
    merged: &'a mut Merged,
    found: &'a mut Findings,
}

impl FileReader<'_> {
    fn take_table(&mut self, table: &toml::Table, path: &str) {
        for (name, value) in table {
            let path = below(path, name);
            let origin = Origin { kind: SettingSource::File, name: self.place(&path) };
            match (self.tables.find(&path), value) {
                (Some(key), _) => {
                    take(key, value.clone(), origin, self.tables, self.merged, self.found);
                }
                // What is in a table that is no section may be meant for one.
                (None, toml::Value::Table(child))
                    if self.tables.is_section(&path) || !child.is_empty() =>
                {
                    self.take_table(child, &path);
                }
                (None, _) if self.tables.is_section(&path) => {
                    let what = format!("it is a section: its settings stand below [{path}]");
                    self.found.error_at(&origin.name, &path, what);
                }
                (None, _) => {
                    let what = unknown(self.tables.nearest(&path).map(|key| key.name));
                    self.found.error_at(&origin.name, &path, what);
                }
            }
        }
    }

    fn place(&self, path: &str) -> String {
        match self.lines.get(path) {
            Some(line) => format!("{}:{line}", self.file),
            None => self.file.to_owned(),
        }
    }
}

fn unknown(nearest: Option<impl std::fmt::Display>) -> String {
    match nearest {
        Some(nearest) => format!("there is no such setting; did you mean {nearest}?"),
        None => "there is no such setting".to_owned(),
    }
}

fn take_override(
    name: &str,
    text: &str,
    tables: Tables,
    merged: &mut Merged,
    found: &mut Findings,
) {
    let (kind, path) = if let Some(rest) = name.strip_prefix(PREFIX) {
        (SettingSource::Environment, rest.to_ascii_lowercase().replace("__", "."))
    } else if let Some(rest) = name.strip_prefix("--") {
        (SettingSource::Argument, rest.replace('-', "_"))
    } else {
        return;
    };
    match tables.find(&path) {
        Some(key) => {
            let origin = Origin { kind, name: name.to_owned() };
            take(key, value_of(key, text), origin, tables, merged, found);
        }
        None if kind == SettingSource::Argument || matches!(path.as_str(), "log" | "config") => {}
        None => {
            let what = unknown(tables.nearest(&path).map(Key::variable));
            found.warning_at(name, "", what);
        }
    }
}

/// What an override's text stands for; what it cannot stand for stays a text.
fn value_of(key: &Key, text: &str) -> toml::Value {
    let as_text = || toml::Value::String(text.to_owned());
    match key.kind {
        Kind::Text | Kind::Secret => as_text(),
        Kind::Integer(..) => text.trim().parse().map_or_else(|_| as_text(), toml::Value::Integer),
        Kind::Boolean => text.trim().parse().map_or_else(|_| as_text(), toml::Value::Boolean),
        Kind::List => {
            let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
            toml::Value::Array(entries.map(|it| toml::Value::String(it.to_owned())).collect())
        }
    }
}

/// Sets a key where its value, alone, makes a configuration.
fn take(
    key: &'static Key,
    value: toml::Value,
    origin: Origin,
    tables: Tables,
    merged: &mut Merged,
    found: &mut Findings,
) {
    let mut alone = toml::Table::new();
    set(&mut alone, key.name, value.clone());
    if has_form(key.kind, &value) && tables.is_readable(key, alone) {
        set(&mut merged.table, key.name, value);
        merged.origins.insert(key.name, origin);
    } else {
        let value = Some(shown(key, &written(&value)));
        found.error_with(&origin.name, key.name, value, format!("expected {}", key.expects));
    }
}

fn has_form(kind: Kind, value: &toml::Value) -> bool {
    match (kind, value) {
        (Kind::Text | Kind::Secret, toml::Value::String(text)) => !text.trim().is_empty(),
        (Kind::Integer(from, to), toml::Value::Integer(number)) => (from..=to).contains(number),
        (Kind::Boolean, toml::Value::Boolean(_)) | (Kind::List, toml::Value::Array(_)) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tables::shop_keys;
    use super::super::{Config, Finding};
    use super::*;

    fn sources(toml: &str, overrides: &[(&str, &str)]) -> Sources {
        let overrides = overrides.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        Sources { file: Some("shop.toml".into()), toml: toml.to_owned(), overrides }
    }

    fn errors(toml: &str, overrides: &[(&str, &str)]) -> Vec<String> {
        let error = Config::load(&sources(toml, overrides)).expect_err("unusable");
        assert!(!error.to_string().contains("hush"), "{error}");
        error.findings().iter().map(Finding::to_string).collect()
    }

    /// A value that no setting of the kind takes, as a file and as a variable have it. Texts that
    /// take any text but none have none.
    fn wrong(key: &Key) -> (&'static str, &'static str) {
        match key.kind {
            Kind::Text => ("7", "  "),
            Kind::Secret => ("[1]", ""),
            Kind::Integer(..) => ("'many'", "many"),
            Kind::Boolean => ("1", "maybe"),
            Kind::List => ("'a text'", "x"),
        }
    }

    #[test]
    fn a_wrong_value_of_any_key_is_told_with_key_source_value_and_what_would_be_right() {
        for key in shop_keys() {
            let (in_file, in_variable) = wrong(key);
            let toml = format!("# settings\n{} = {in_file}", key.name);
            let told = errors(&toml, &[]);
            let [line] = &told[..] else { panic!("{}: {told:?}", key.name) };
            assert!(line.starts_with(&format!("shop.toml:2: {} = ", key.name)), "{line}");
            assert!(line.ends_with(&format!("expected {}", key.expects)), "{line}");
            if key.name == "shipping.correios.services" {
                continue; // Every text is a list of services.
            }
            let variable = key.variable();
            let told = errors("", &[(&variable, in_variable)]);
            let [line] = &told[..] else { panic!("{variable}: {told:?}") };
            assert!(line.starts_with(&format!("{variable}: {} = ", key.name)), "{line}");
            assert!(line.ends_with(&format!("expected {}", key.expects)), "{line}");
            let is_told = key.kind == Kind::Secret || line.contains(&format!("{in_variable:?}"));
            assert!(is_told, "{line}");
        }
    }

    #[test]
    fn numbers_have_bounds() {
        for key in shop_keys() {
            let Kind::Integer(from, to) = key.kind else { continue };
            for (number, is_good) in [(from, true), (to, true), (from - 1, false), (to + 1, false)]
            {
                let toml = format!("{} = {number}", key.name);
                assert_eq!(Config::load(&sources(&toml, &[])).is_ok(), is_good, "{toml}");
            }
        }
    }
}
