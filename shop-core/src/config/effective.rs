//! Every setting as it is in effect, and where it is set; for people who look for what a shop runs
//! with.

use serde::Serialize;

use super::finding::Findings;
use super::keys::{Key, Kind, keys};
use super::source::{Merged, Sources, read};
use super::{Config, ConfigError};

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

impl Config {
    /// Every setting as it would be in effect.
    ///
    /// # Errors
    /// As [`Config::load`].
    pub fn settings(sources: &Sources) -> Result<Vec<Setting>, ConfigError> {
        let mut found = Findings::default();
        let (_, Merged { table, origins }) = read(sources, &mut found);
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
        Ok(keys().map(setting).collect())
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
    use super::super::source::set;
    use super::*;

    /// A configuration of which these keys alone are set, whatever it makes of the others.
    fn with(pairs: &[(&Key, &str)]) -> Result<String, String> {
        let mut table = toml::Table::new();
        for (key, value) in pairs {
            let text = || toml::Value::String((*value).to_owned());
            let value = match key.kind {
                Kind::Text | Kind::Secret => text(),
                Kind::Integer(..) => value.parse().map_or_else(|_| text(), toml::Value::Integer),
                Kind::Boolean => value.parse().map_or_else(|_| text(), toml::Value::Boolean),
                Kind::List => {
                    value.split(", ").filter(|it| !it.is_empty()).collect::<Vec<_>>().into()
                }
            };
            set(&mut table, key.name, value);
        }
        let config: Config =
            table.try_into().map_err(|error: toml::de::Error| error.to_string())?;
        Ok(format!("{config:?}"))
    }

    #[test]
    fn the_defaults_are_those_that_hold() {
        let pairs: Vec<_> = keys().filter_map(|key| Some((key, key.default?))).collect();
        assert_eq!(with(&pairs), Ok(format!("{:?}", Config::default())));
        for key in keys().filter(|key| key.default.is_none()) {
            let field = key.name.rsplit('.').next().expect("a name");
            let unset = format!("{:?}", Config::default()).contains(&format!("{field}: None"));
            assert!(unset, "{} has a default that is not written down", key.name);
        }
    }

    #[test]
    fn every_secret_is_known_as_one() {
        let probe = "ProbeOf32BytesThatStandsNowhereElse!";
        for key in keys().filter(|key| matches!(key.kind, Kind::Text | Kind::Secret)) {
            let is_secret = key.kind == Kind::Secret;
            let Ok(debug) = with(&[(key, probe)]) else {
                assert!(!is_secret, "{} is no secret: it takes no text", key.name);
                continue;
            };
            assert_eq!(is_secret, !debug.contains(probe), "{}", key.name);
        }
    }

    /// The parser names the fields that it knows.
    fn fields(path: &str) -> Vec<String> {
        let mut table = toml::Table::new();
        set(&mut table, &format!("{path}no_such_field"), 1.into());
        let error = table.try_into::<Config>().expect_err("no such field").to_string();
        let known =
            error.split_once("unknown field").and_then(|(_, it)| it.split_once(", expected"));
        let Some((_, known)) = known else { return vec![path.trim_end_matches('.').to_owned()] };
        // Behind the first line it says in which section.
        let names = known.lines().next().unwrap_or_default().split('`').skip(1).step_by(2);
        names.flat_map(|name| fields(&format!("{path}{name}."))).collect()
    }

    #[test]
    fn the_table_has_every_field_and_no_other() {
        let mut fields = fields("");
        let mut names: Vec<&str> = keys().map(|key| key.name).collect();
        fields.sort();
        names.sort_unstable();
        assert_eq!(names, fields);
    }

    #[test]
    fn every_value_is_shown_with_its_source_and_no_secret_is() {
        let toml =
            "order_prefix = 'VELA'\nlisten = '127.0.0.1:1'\n[mail]\nsmtp_url = 'smtps://a:hush@b'";
        let overrides = [
            ("SHOP_LISTEN", "127.0.0.1:2"),
            ("SHOP_DATABASE", "postgres://shop:hush@db/shop?x=1"),
            ("SHOP_DATABASE_READ", "postgres://shop:hush@replica/shop"),
            ("SHOP_TRUSTED_PROXIES", "10.0.0.0/8,::1"),
            ("--listen", "127.0.0.1:3"),
        ];
        let overrides = overrides.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let sources = Sources { file: None, toml: toml.to_owned(), overrides };
        let settings = Config::settings(&sources).expect("usable");
        let found = |key: &str| {
            let setting = settings.iter().find(|it| it.key == key).expect("there");
            (setting.value.as_deref(), setting.source)
        };
        assert_eq!(found("order_prefix"), (Some("VELA"), SettingSource::File));
        assert_eq!(found("listen"), (Some("127.0.0.1:3"), SettingSource::Argument));
        assert_eq!(found("mail.smtp_url"), (Some(HIDDEN), SettingSource::File));
        assert_eq!(found("base_url"), (None, SettingSource::Default));
        assert_eq!(found("trusted_proxies").0, Some("10.0.0.0/8, ::1"));
        assert_eq!(found("database").0, Some("postgres://shop:********@db/shop?x=1"));
        assert_eq!(found("database_read").0, Some("postgres://shop:********@replica/shop"));
        assert!(!format!("{settings:?}").contains("hush"));
    }
}
