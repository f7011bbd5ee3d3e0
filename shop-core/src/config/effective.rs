//! Every setting as it is in effect, and who said so; for people who look for what a shop runs with.

use serde::Serialize;

use super::source::{Merged, keys, merge};
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
    /// Who said so.
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

/// What holds for keys that nobody sets; those that are not here are not set then.
const DEFAULTS: &[(&str, &str)] = &[
    ("environment", "development"),
    ("database", "shop.db"),
    ("listen", "127.0.0.1:8080"),
    ("order_prefix", "PED"),
    ("trusted_proxies", ""),
    ("uploads_dir", "uploads"),
    ("server.max_connections", "2048"),
    ("server.max_connections_per_address", "256"),
    ("server.header_timeout_seconds", "30"),
    ("server.body_timeout_seconds", "30"),
    ("server.stall_timeout_seconds", "30"),
    ("server.drain_timeout_seconds", "30"),
    ("server.body_memory_mb", "64"),
    ("server.reuse_port", "false"),
    ("orders.unpaid_ttl_hours", "72"),
    ("stock.low_threshold", "5"),
    ("api.requests_per_minute", "600"),
    ("payments.timeout_ms", "15000"),
    ("payments.provider1.url", "https://api.mercadopago.com"),
    ("payments.provider1.webhook_tolerance_seconds", "86400"),
    ("payments.provider2.url", "https://api.stripe.com"),
    ("payments.provider2.signature_header", "stripe-signature"),
    ("payments.pix.key", "pix@velas.example"),
    ("payments.pix.merchant_name", "Loja de Velas"),
    ("payments.pix.merchant_city", "São Paulo"),
    ("shipping.fallback_price", "0.00"),
    ("shipping.timeout_ms", "8000"),
    ("shipping.cep.url", "https://viacep.com.br"),
    ("shipping.melhor_envio.url", "https://melhorenvio.com.br"),
    ("shipping.correios.url", "https://api.correios.com.br"),
    ("shipping.correios.services", "03220, 03298"),
    ("shipping.frenet.url", "https://api.frenet.com.br"),
    ("mail.outbox_dir", "outbox"),
    ("mail.from", "Loja de Velas <loja@velas.example>"),
    ("export.decimal", "comma"),
    ("webhooks.allow_insecure", "false"),
    ("nfe.issuer", "sandbox"),
    ("nfe.environment", "homologacao"),
    ("nfe.series", "1"),
    ("nfe.first_number", "1"),
    ("nfe.timeout_ms", "30000"),
    ("nfe.defaults.ncm", "34060000"),
    ("nfe.defaults.origin", "0"),
    ("nfe.defaults.csosn", "102"),
    ("nfe.defaults.unit", "UN"),
    ("nfe.defaults.production", "own"),
    ("nfe.cfop.own", "5101"),
    ("nfe.cfop.own_interstate", "6107"),
    ("nfe.cfop.resale", "5102"),
    ("nfe.cfop.resale_interstate", "6108"),
    ("nfe.ibs_cbs.ibs_state", "0.10"),
    ("nfe.ibs_cbs.ibs_city", "0.00"),
    ("nfe.ibs_cbs.cbs", "0.90"),
];

/// Keys whose value is nobody's business.
const SECRETS: &[&str] = &[
    "jwt_secret",
    "payments.provider1.access_token",
    "payments.provider1.webhook_secret",
    "payments.provider2.secret_key",
    "payments.provider2.webhook_secret",
    "shipping.melhor_envio.token",
    "shipping.correios.token",
    "shipping.correios.access_code",
    "shipping.frenet.token",
    "mail.smtp_url",
    "nfe.certificate_password",
];

pub(super) fn is_secret(key: &str) -> bool {
    SECRETS.contains(&key)
}

impl Config {
    /// Every setting as it would be in effect, read as [`Config::parse`] reads it.
    ///
    /// # Errors
    /// As [`Config::parse`].
    pub fn settings(
        toml_text: &str,
        overrides: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Vec<Setting>, ConfigError> {
        let overrides: Vec<_> = overrides.into_iter().collect();
        Self::parse(toml_text, overrides.clone())?;
        let Merged { table, overridden, .. } = merge(toml_text, overrides)?;
        let setting = |key: &'static str| match find(&table, key) {
            Some(value) => {
                let by_override = overridden.contains(&key);
                let source =
                    if by_override { SettingSource::Environment } else { SettingSource::File };
                Setting { key, value: Some(shown(key, &text(value))), source }
            }
            None => Setting { key, value: default(key), source: SettingSource::Default },
        };
        Ok(keys().map(|(key, _)| setting(key)).collect())
    }
}

fn default(key: &str) -> Option<String> {
    let known = DEFAULTS.iter().find(|(name, _)| *name == key);
    known.map(|(_, value)| (*value).to_owned())
}

/// The value of a key, if it is set.
pub(super) fn find<'t>(table: &'t toml::Table, key: &str) -> Option<&'t toml::Value> {
    match key.split_once('.') {
        None => table.get(key),
        Some((head, rest)) => find(table.get(head)?.as_table()?, rest),
    }
}

/// A value as it would be written for an override.
fn text(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Array(entries) => entries.iter().map(text).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// A value as it may be shown.
pub(super) fn shown(key: &str, value: &str) -> String {
    if is_secret(key) { HIDDEN.to_owned() } else { without_password(value) }
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
    use super::super::source::{Kind, PREFIX, lay_over};
    use super::*;

    /// A configuration of which one key is set, whatever it makes of the others.
    fn with(pairs: &[(&'static str, &str)]) -> Result<String, String> {
        let mut table = toml::Table::new();
        for (key, value) in pairs {
            let (_, kind) = keys().find(|(known, _)| known == key).ok_or("no key")?;
            lay_over(&mut table, key, key, *kind, (*value).to_owned())
                .map_err(|error| error.to_string())?;
        }
        let config: Config =
            table.try_into().map_err(|error: toml::de::Error| error.to_string())?;
        Ok(format!("{config:?}"))
    }

    #[test]
    fn the_defaults_are_those_that_hold() {
        let known: Vec<_> =
            DEFAULTS.iter().filter(|(key, _)| keys().any(|(known, _)| known == key)).collect();
        let pairs: Vec<_> = known.iter().map(|(key, value)| (*key, *value)).collect();
        assert_eq!(with(&pairs), Ok(format!("{:?}", Config::default())));
        for (key, _) in keys().filter(|(key, _)| default(key).is_none()) {
            let field = key.rsplit('.').next().expect("a name");
            let unset = format!("{:?}", Config::default()).contains(&format!("{field}: None"));
            assert!(unset, "{key} has a default that is not written down");
        }
    }

    #[test]
    fn every_secret_is_known_as_one() {
        let probe = "ProbeOf32BytesThatStandsNowhereElse!";
        for (key, _) in keys().filter(|(_, kind)| matches!(kind, Kind::Text)) {
            let Ok(debug) = with(&[(key, probe)]) else {
                assert!(!is_secret(key), "{key} is no secret: it takes no text");
                continue;
            };
            assert_eq!(is_secret(key), !debug.contains(probe), "{key}");
        }
    }

    #[test]
    fn whoever_set_a_value_is_named_and_no_secret_is_shown() {
        let toml =
            "order_prefix = 'VELA'\nlisten = '127.0.0.1:1'\n[mail]\nsmtp_url = 'smtps://a:hush@b'";
        let overrides = [
            (format!("{PREFIX}LISTEN"), "127.0.0.1:2".to_owned()),
            (format!("{PREFIX}DATABASE"), "postgres://shop:hush@db/shop?x=1".to_owned()),
            (format!("{PREFIX}DATABASE_READ"), "postgres://shop:hush@replica/shop".to_owned()),
            (format!("{PREFIX}TRUSTED_PROXIES"), "10.0.0.0/8,::1/128".to_owned()),
        ];
        let settings = Config::settings(toml, overrides).expect("usable");
        let found = |key: &str| {
            let setting = settings.iter().find(|it| it.key == key).expect("there");
            (setting.value.as_deref(), setting.source)
        };
        assert_eq!(found("order_prefix"), (Some("VELA"), SettingSource::File));
        assert_eq!(found("listen"), (Some("127.0.0.1:2"), SettingSource::Environment));
        assert_eq!(found("mail.smtp_url"), (Some(HIDDEN), SettingSource::File));
        assert_eq!(found("base_url"), (None, SettingSource::Default));
        assert_eq!(found("trusted_proxies").0, Some("10.0.0.0/8, ::1/128"));
        assert_eq!(found("database").0, Some("postgres://shop:********@db/shop?x=1"));
        assert_eq!(found("database_read").0, Some("postgres://shop:********@replica/shop"));
        assert!(!format!("{settings:?}").contains("hush"));
    }
}
