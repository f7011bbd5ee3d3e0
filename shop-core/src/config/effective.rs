//! Every setting as it is in effect, and where it is set; for people who look for what a shop runs
//! with.

use serde::Serialize;

use super::keys::Key;
use super::tables::Tables;
use super::values::{Merged, SettingSource, find, shown, written};

/// A setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Setting {
    /// Its key, `orders.unpaid_ttl_hours`.
    pub key: &'static str,
    /// Its value; nothing where it is not set. Secrets are not shown, nor are passwords in URLs.
    pub value: Option<String>,
    /// Where it is set.
    pub source: SettingSource,
}

/// Every setting of the tables, with the value that is in effect.
pub(super) fn settings(tables: Tables, merged: &Merged) -> Vec<Setting> {
    let Merged { table, origins } = merged;
    let setting = |key: &Key| {
        let set = find(table, key.name).map(written);
        let value = set.or_else(|| key.default.map(str::to_owned));
        let source = origins.get(key.name).map_or(SettingSource::Default, |it| it.kind);
        Setting { key: key.name, value: value.map(|value| shown(key, &value)), source }
    };
    tables.keys().map(setting).collect()
}

#[cfg(test)]
mod tests {
    use super::super::table_test::hold;
    use super::super::tables::shop_keys;
    use super::super::values::{HIDDEN, without_password};
    use super::super::{Config, NoProgram, ProgramConfig, Sources};
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
            ("SHOP_DATABASE", "postgres://shop:hush@db/shop?sslmode=require"),
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
        assert_eq!(found("database").0, Some("postgres://shop:********@db/shop?sslmode=require"));
        assert_eq!(found("database_read").0, Some("postgres://shop:********@replica/shop"));
        assert!(!format!("{settings:?}").contains("hush"));
    }

    #[test]
    fn a_password_is_hidden_whatever_is_in_it() {
        for url in [
            "postgres://shop:hu/sh@db/shop",
            "postgres://shop:hu?sh@db/shop?sslmode=require",
            "postgres://shop:hu#sh@db/shop",
            "postgres://shop:hu@sh@db/shop",
            "postgres://shop:hu:sh@db/shop",
            "postgres://shop@db:5432/shop?sslmode=require&password=hu@sh",
        ] {
            let config = Config { database: url.to_owned(), ..Config::default() };
            for shown in [without_password(url), config.database_name()] {
                assert!(!shown.contains("hu") && !shown.contains("sh@"), "{shown}");
                assert!(shown.starts_with("postgres://shop") && shown.contains("@db"), "{shown}");
            }
        }
        assert_eq!(without_password("https://loja.example/a"), "https://loja.example/a");
    }
}
