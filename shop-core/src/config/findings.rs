//! What is wrong with a configuration, all of it at once; for whoever sets a shop up.

use std::collections::HashSet;
use std::path::Path;

use serde::Serialize;

use super::effective::{is_secret, shown};
use super::source::{Kind, PREFIX, is_a_binarys, key_of, keys, lay_over};
use super::{Config, ConfigError, Environment, Secret};
use crate::storage::Place;

/// Something about a setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// The key, or the name of the override.
    pub key: String,
    /// What is wrong. Never holds a secret.
    pub what: String,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The shop does not start with it, or must not.
    Error,
    /// It may be meant so.
    Warning,
}

impl Severity {
    /// As people read it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// What is in secrets that people make up.
const GUESSED: &[&str] =
    &["change", "secret", "segredo", "senha", "password", "example", "qwerty", "12345678"];
/// A secret of fewer bytes than this can be tried out.
const SHORT: usize = 16;

impl Config {
    /// Everything that is wrong with a TOML text and overrides: keys that are no setting, values
    /// that are none, settings that contradict each other, weak secrets, folders that cannot be
    /// written, and what a real shop is missing. Looks at the file system, changes nothing in it.
    pub fn findings(
        toml_text: &str,
        overrides: impl IntoIterator<Item = (String, String)>,
    ) -> Vec<Finding> {
        let mut found = Findings::default();
        let written: toml::Table = match toml_text.parse() {
            Ok(table) => table,
            Err(error) => {
                found.error("file", syntax(toml_text, &error));
                return found.0;
            }
        };
        let mut table = toml::Table::new();
        take_leaves(&written, "", &mut table, &mut found);
        take_overrides(overrides, &mut table, &mut found);
        match table.try_into::<Self>() {
            Ok(config) => config.look(&mut found),
            // Each key alone was good.
            Err(error) => found.error("file", error.message().to_owned()),
        }
        found.0
    }

    fn look(&self, found: &mut Findings) {
        self.look_at_contradictions(found);
        self.look_at_secrets(found);
        self.look_at_folders(found);
        if self.environment == Environment::Production {
            self.look_at_production(found);
        }
    }

    fn look_at_contradictions(&self, found: &mut Findings) {
        if let Err(ConfigError::Unusable(why)) = self.check_own() {
            let key = why.split(' ').find(|word| word.contains('_')).unwrap_or("environment");
            found.error(key, why.to_owned());
        }
        #[cfg(feature = "nfe")]
        if let Err(ConfigError::Unusable(why)) = self.nfe.check() {
            found.error("nfe", why.to_owned());
        }
        if let Err(ConfigError::Unusable(why)) = self.server.check() {
            found.error("server", why.to_owned());
        }
        if let Err(ConfigError::Unusable(why)) = self.mail.check() {
            found.error("mail.smtp_url", why.to_owned());
        }
        if let Err(ConfigError::Unusable(why)) = self.check_replica() {
            found.error("database_read", why.to_owned());
        }
        let payments = &self.payments;
        let providers = [
            ("provider1", &payments.provider1.access_token, &payments.provider1.webhook_secret),
            ("provider2", &payments.provider2.secret_key, &payments.provider2.webhook_secret),
        ];
        for (name, key, secret) in providers {
            if key.is_some() && secret.is_none() {
                let what = "without it no notice of the provider is believed";
                found.error(&format!("payments.{name}.webhook_secret"), what.to_owned());
            }
        }
    }

    fn look_at_secrets(&self, found: &mut Findings) {
        let payments = &self.payments;
        let own = [
            ("jwt_secret", &self.jwt_secret),
            ("payments.provider1.webhook_secret", &payments.provider1.webhook_secret),
            ("payments.provider2.webhook_secret", &payments.provider2.webhook_secret),
        ];
        for (key, secret) in own {
            let Some(weakness) = secret.as_ref().and_then(weakness) else { continue };
            if self.environment == Environment::Production {
                found.error(key, weakness.to_owned());
            } else {
                found.warning(key, weakness.to_owned());
            }
        }
    }

    fn look_at_folders(&self, found: &mut Findings) {
        let mut folders = vec![("uploads_dir", self.uploads_dir.as_path())];
        if self.mail.smtp_url.is_none() {
            folders.push(("mail.outbox_dir", &self.mail.outbox_dir));
        }
        let place = Place::parse(&self.database);
        if let Place::File(file) = &place {
            folders.push(("database", folder_of(file)));
        }
        for (key, folder) in folders {
            if let Err(why) = can_write(folder) {
                found.error(key, format!("{}: {why}", folder.display()));
            }
        }
        if let Some(pages) = self.pages_dir.as_ref().filter(|pages| !pages.is_dir()) {
            found.error("pages_dir", format!("{} is no folder", pages.display()));
        }
        #[cfg(feature = "nfe")]
        for (key, file) in [
            ("nfe.certificate_path", &self.nfe.certificate_path),
            ("nfe.ca_file", &self.nfe.ca_file),
            ("nfe.logo", &self.nfe.logo),
        ] {
            if let Some(Err(error)) = file.as_ref().map(std::fs::File::open) {
                found.error(key, format!("it cannot be read: {error}"));
            }
        }
    }

    /// What a shop may do without on a developer's machine, and not where people buy.
    fn look_at_production(&self, found: &mut Findings) {
        let payments = &self.payments;
        if payments.provider1.access_token.is_none() {
            let what = "the sandbox plays the provider of PIX and cards: no money comes";
            found.warning("payments.provider1.access_token", what.to_owned());
        }
        if payments.provider2.secret_key.is_none() {
            let what = "the sandbox plays the provider of payment intents: no money comes";
            found.warning("payments.provider2.secret_key", what.to_owned());
        }
        match &self.base_url {
            None => found.error("base_url", "links in mails lead to this machine".to_owned()),
            Some(url) if !url.starts_with("https://") => {
                found.error("base_url", "it is not encrypted (https)".to_owned());
            }
            Some(_) => {}
        }
        if self.mail.smtp_url.is_none() {
            let what = "mails are written to a folder and reach nobody";
            found.warning("mail.smtp_url", what.to_owned());
        }
        if self.mail.from.email.as_str().ends_with(".example") {
            found.warning("mail.from", "it is an example's address".to_owned());
        }
        if self.shipping.origin_cep.is_none() {
            found.warning("shipping.origin_cep", "no carrier is asked".to_owned());
        }
        if self.webhooks.allow_insecure {
            let what = "webhooks may go to private networks and unencrypted";
            found.warning("webhooks.allow_insecure", what.to_owned());
        }
        if self.trusted_proxies.iter().any(|network| network.prefix_len() == 0) {
            let what = "anybody can say which address he comes from";
            found.error("trusted_proxies", what.to_owned());
        }
        #[cfg(feature = "nfe")]
        if self.nfe.issuer == super::IssuerKind::Sandbox {
            found.warning("nfe.issuer", "the sandbox's invoices do not count".to_owned());
        }
    }
}

#[derive(Debug, Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn error(&mut self, key: &str, what: String) {
        self.0.push(Finding { severity: Severity::Error, key: key.to_owned(), what });
    }

    fn warning(&mut self, key: &str, what: String) {
        self.0.push(Finding { severity: Severity::Warning, key: key.to_owned(), what });
    }
}

/// Takes over what is good of a table, each key tried alone.
fn take_leaves(from: &toml::Table, path: &str, to: &mut toml::Table, found: &mut Findings) {
    for (name, value) in from {
        let key = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        if let toml::Value::Table(child) = value {
            take_leaves(child, &key, to, found);
        } else if keys().all(|(known, _)| *known != key) {
            found.error(&key, "there is no such setting".to_owned());
        } else {
            take(&key, &key, value.clone(), to, found);
        }
    }
}

fn take_overrides(
    overrides: impl IntoIterator<Item = (String, String)>,
    to: &mut toml::Table,
    found: &mut Findings,
) {
    for (name, value) in overrides {
        let Some(rest) = name.strip_prefix(PREFIX) else { continue };
        match key_of(rest) {
            Some((key, kind)) => match laid(key, *kind, value) {
                Ok(value) => take(&name, key, value, to, found),
                Err(why) => found.error(&name, why),
            },
            None if is_a_binarys(rest) => {}
            None => found.warning(&name, "there is no such setting".to_owned()),
        }
    }
}

/// What an override's text is read as.
fn laid(key: &'static str, kind: Kind, value: String) -> Result<toml::Value, String> {
    let mut alone = toml::Table::new();
    match lay_over(&mut alone, key, "value", kind, value) {
        Ok(()) => alone.remove("value").ok_or_else(|| "it has no value".to_owned()),
        Err(ConfigError::BadOverride { expected, .. }) => Err(format!("expected {expected}")),
        Err(other) => Err(other.to_string()),
    }
}

/// Sets a key where its value, alone, makes a configuration.
fn take(name: &str, key: &str, value: toml::Value, to: &mut toml::Table, found: &mut Findings) {
    let mut alone = toml::Table::new();
    let set = super::source::set(&mut alone, key, value.clone());
    match alone.try_into::<Config>() {
        Ok(_) if set.is_some() => drop(super::source::set(to, key, value)),
        Ok(_) => found.error(name, "it cannot be set".to_owned()),
        Err(_) if is_secret(key) => found.error(name, "expected a text".to_owned()),
        Err(error) => found.error(name, shown(key, error.message())),
    }
}

/// Where a text is no TOML. The parser's own display quotes the line, which may hold a secret.
fn syntax(text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    format!("line {}: it is no TOML", before.matches('\n').count() + 1)
}

/// Why a secret is none.
fn weakness(secret: &Secret) -> Option<&'static str> {
    let text = secret.reveal().to_ascii_lowercase();
    if text.len() < SHORT {
        return Some("it is short: make it of 32 random bytes");
    }
    if text.bytes().collect::<HashSet<_>>().len() < SHORT / 2 {
        return Some("it repeats itself: make it of 32 random bytes");
    }
    let guessed = GUESSED.iter().any(|word| text.contains(word));
    guessed.then_some("it can be guessed: make it of 32 random bytes")
}

fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Whether files can be made in a folder, or the folder itself where it is not there yet.
fn can_write(folder: &Path) -> Result<(), String> {
    let there = folder.ancestors().find(|it| it.exists());
    let there = there.filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !there.is_dir() {
        return Err(format!("{} is no folder", there.display()));
    }
    let probe = there.join(format!(".shop-probe-{}", std::process::id()));
    let made = std::fs::File::create_new(&probe).map_err(|error| error.to_string());
    made.and_then(|_| std::fs::remove_file(&probe).map_err(|error| error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(toml: &str, overrides: &[(&str, &str)]) -> Vec<(Severity, String)> {
        let overrides = overrides.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
        let found = Config::findings(toml, overrides);
        assert!(!format!("{found:?}").contains("hush"), "{found:?}");
        found.into_iter().map(|it| (it.severity, it.key)).collect()
    }

    #[test]
    fn everything_is_told_at_once_and_by_its_key() {
        let toml = "listn = 1\norder_prefix = 'vela'\n[orders]\nunpaid_ttl_hours = 'x'\n\
                    [mail]\nsmtp_url = 'smtp://a:hush@b'\n[shipping]\nfrenet = { token = 5 }";
        let environment = [("SHOP_STOCK__LOW_THRESHOLD", "few"), ("SHOP_LISTEN", "hush, here")];
        let environment = [&environment[..], &[("SHOP_UNKNOWN", "hush"), ("PATH", "/")]].concat();
        let found = findings(toml, &environment[..1]);
        let keys: Vec<&str> = found.iter().map(|(_, key)| key.as_str()).collect();
        let expected = [
            "listn",
            "orders.unpaid_ttl_hours",
            "shipping.frenet.token",
            "SHOP_STOCK__LOW_THRESHOLD",
            "order_prefix",
            "mail.smtp_url",
        ];
        let mut sorted = keys.clone();
        sorted.sort_unstable();
        let mut wanted = expected.to_vec();
        wanted.sort_unstable();
        assert_eq!(sorted, wanted);
        let unknown = findings("", &environment[2..]);
        assert_eq!(unknown, [(Severity::Warning, "SHOP_UNKNOWN".to_owned())]);
    }

    #[test]
    fn a_secret_that_people_make_up_is_weak() {
        let weak = |text: &str| weakness(&Secret::new(text)).is_some();
        assert!(weak("short") && weak(&"ab".repeat(20)) && weak("please-change-me-0123abcdefgh"));
        assert!(!weak("9f1c27d05b8e4a6397d1f0c2b5a8e3714c6d9f02e1b7a5d8"));
    }

    #[test]
    fn a_text_that_is_no_toml_is_told_by_its_line_only() {
        let found = Config::findings("a = 1\njwt_secret = 'hush", []);
        assert_eq!((found.len(), found[0].what.as_str()), (1, "line 2: it is no TOML"));
    }
}
