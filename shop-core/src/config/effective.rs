//! Every setting as it is in effect, and where it is set; for people who look for what a shop runs
//! with.

use serde::Serialize;

use super::ConfigError;
use super::finding::Findings;
use super::keys::{Key, Kind};
use super::program::ProgramConfig;
use super::source::{Merged, Sources, read, tables};

/// Stands for a secret that is set.
const HIDDEN: &str = "********";

/// A setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Setting {
    /// Its key, `orders.unpaid_ttl_hours`.
    pub key: &'static str,
    /// Its value; nothing where it is not set. Secrets are not shown, nor are passwords in URLs.
    pub value: Option<String>,
    /// Where it is set.
    pub source: SettingSource,
}

/// Where a setting's value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SettingSource {
    /// Nobody set it.
    Default,
    /// The TOML text.
    File,
    /// An override (`SHOP_..`).
    Environment,
    /// The command that was called.
    Argument,
}

impl SettingSource {
    /// As people read it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::File => "file",
            Self::Environment => "environment",
            Self::Argument => "argument",
        }
    }
}

/// Every setting as it would be in effect.
pub(super) fn settings<P: ProgramConfig>(sources: &Sources) -> Result<Vec<Setting>, ConfigError> {
    let mut found = Findings::new(tables::<P>());
    let (_, Merged { table, origins }) = read::<P>(sources, &mut found);
    let (errors, _) = found.apart();
    if !errors.is_empty() {
        return Err(ConfigError::new(errors));
    }
    let setting = |key: &Key| {
        let set = find(&table, key.name).map(written);
        let value = set.or_else(|| key.default.map(str::to_owned));
        let source = origins.get(key.name).map_or(SettingSource::Default, |it| it.kind);
        Setting { key: key.name, value: value.map(|value| shown(key, &value)), source }
    };
    Ok(tables::<P>().keys().map(setting).collect())
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

/// A URL without its password, which stands between the user's name and the `@`.
pub fn without_password(url: &str) -> String {
    // PostgreSQL takes a password among the parameters too.
    let url = url.split_once('?').filter(|(_, it)| it.contains("password")).map_or(url, |it| it.0);
    let hidden = || {
        let (scheme, rest) = url.split_once("://")?;
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let (user, host) = authority.rsplit_once('@')?;
        let (name, _) = user.split_once(':')?;
        Some(format!("{scheme}://{name}:{HIDDEN}@{host}{path}"))
    };
    hidden().unwrap_or_else(|| url.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::keys::shop_keys;
    use super::super::table_test::hold;
    use super::super::{Config, NoProgram};
    use super::*;

    #[test]
    fn the_table_tells_what_the_struct_does() {
        hold::<Config>(shop_keys());
    }

    #[test]
    fn every_value_is_shown_with_its_source_and_no_secret_is() {
        let toml =
            "order_prefix = 'VELA'\nuploads_dir = 'one'\n[mail]\nsmtp_url = 'smtps://a:hush@b'";
        let overrides = [
            ("SHOP_UPLOADS_DIR", "two"),
            ("SHOP_DATABASE", "postgres://shop:hush@db/shop?x=1"),
            ("SHOP_DATABASE_READ", "postgres://shop:hush@replica/shop"),
            ("SHOP_SHIPPING__CORREIOS__SERVICES", "03220,03298"),
            ("--uploads-dir", "three"),
        ];
        let overrides = overrides.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let sources = Sources { file: None, toml: toml.to_owned(), overrides };
        let settings = NoProgram::settings(&sources).expect("usable");
        let found = |key: &str| {
            let setting = settings.iter().find(|it| it.key == key).expect("there");
            (setting.value.as_deref(), setting.source)
        };
        assert_eq!(found("order_prefix"), (Some("VELA"), SettingSource::File));
        assert_eq!(found("uploads_dir"), (Some("three"), SettingSource::Argument));
        assert_eq!(found("mail.smtp_url"), (Some(HIDDEN), SettingSource::File));
        assert_eq!(found("base_url"), (None, SettingSource::Default));
        assert_eq!(found("shipping.correios.services").0, Some("03220, 03298"));
        assert_eq!(found("database").0, Some("postgres://shop:********@db/shop?x=1"));
        assert_eq!(found("database_read").0, Some("postgres://shop:********@replica/shop"));
        assert!(!format!("{settings:?}").contains("hush"));
    }
}
