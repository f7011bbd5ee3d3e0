//! The settings of a shop, as data.
//!
//! A program fills in a [`Config`] by hand, or lets [`Config::parse`] read a TOML text with
//! overrides on top. The library itself reads no file and no environment variable for it: the
//! binaries hand both in.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

use ipnet::IpNet;
use serde::Deserialize;

#[cfg(feature = "nfe")]
mod nfe;
mod payments;
mod shipping;

#[cfg(feature = "nfe")]
pub use self::nfe::{
    CfopConfig, CompanyConfig, FiscalDefaults, IbsCbsConfig, IssuerKind, NfeConfig, Production,
};
pub use self::payments::{PaymentsConfig, PixConfig, Provider1Config, Provider2Config};
pub use self::shipping::{
    CepConfig, CorreiosConfig, FrenetConfig, MelhorEnvioConfig, ShippingConfig,
};
pub use crate::mail::MailConfig;
pub use crate::spreadsheet::{Decimal, ExportConfig};

/// Everything that can be set, with the defaults of a shop on a developer's machine.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Whether this is the real shop. Production demands a `jwt_secret` and marks cookies `Secure`.
    pub environment: Environment,
    /// The SQLite file, or the URL of a PostgreSQL database.
    pub database: String,
    /// Where the server listens.
    pub listen: SocketAddr,
    /// The address under which the world reaches the shop; from `listen` where it is not set.
    pub base_url: Option<String>,
    /// What signs session tokens, 32 bytes or more. Where it is not set, one is made and kept in
    /// the database (development only).
    pub jwt_secret: Option<Secret>,
    /// What order numbers begin with.
    pub order_prefix: String,
    /// Peers whose `X-Forwarded-For` is believed (decision 18).
    pub trusted_proxies: Vec<IpNet>,
    /// Where uploaded pictures are kept.
    pub uploads_dir: PathBuf,
    /// A folder of static pages to hand out, if any.
    pub pages_dir: Option<PathBuf>,
    /// Rules about orders.
    pub orders: OrdersConfig,
    /// Rules about stock.
    pub stock: StockConfig,
    /// The integration API.
    pub api: ApiConfig,
    /// Payment providers.
    pub payments: PaymentsConfig,
    /// Shipping.
    pub shipping: ShippingConfig,
    /// Mails.
    pub mail: MailConfig,
    /// Files for spreadsheet programs.
    pub export: ExportConfig,
    /// Webhooks to receivers outside.
    pub webhooks: WebhooksConfig,
    /// Electronic invoices.
    #[cfg(feature = "nfe")]
    pub nfe: NfeConfig,
    /// Overrides that name no setting. They change nothing; a program should warn about them, for
    /// each may be a misspelt one.
    #[serde(skip)]
    pub unknown_overrides: Vec<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            environment: Environment::Development,
            database: "shop.db".to_owned(),
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            base_url: None,
            jwt_secret: None,
            order_prefix: "PED".to_owned(),
            trusted_proxies: Vec::new(),
            uploads_dir: PathBuf::from("uploads"),
            pages_dir: None,
            orders: OrdersConfig::default(),
            stock: StockConfig::default(),
            api: ApiConfig::default(),
            payments: PaymentsConfig::default(),
            shipping: ShippingConfig::default(),
            mail: MailConfig::default(),
            export: ExportConfig::default(),
            webhooks: WebhooksConfig::default(),
            #[cfg(feature = "nfe")]
            nfe: NfeConfig::default(),
            unknown_overrides: Vec::new(),
        }
    }
}

/// Which kind of installation this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Environment {
    /// A developer's machine or a test.
    Development,
    /// The real shop.
    Production,
}

/// Rules about orders.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OrdersConfig {
    /// Hours after which an unpaid order is cancelled; 0 never cancels (decision 32).
    pub unpaid_ttl_hours: u32,
}

impl Default for OrdersConfig {
    fn default() -> Self {
        Self { unpaid_ttl_hours: 72 }
    }
}

/// Rules about stock.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StockConfig {
    /// At this many units or fewer `stock.low` is emitted.
    pub low_threshold: i64,
}

impl Default for StockConfig {
    fn default() -> Self {
        Self { low_threshold: 5 }
    }
}

/// The integration API.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ApiConfig {
    /// How often one key may call in a minute, counted by each instance; 0 does not limit it.
    pub requests_per_minute: u32,
}

impl Default for ApiConfig {
    fn default() -> Self {
        Self { requests_per_minute: 600 }
    }
}

/// Webhooks to receivers outside.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WebhooksConfig {
    /// Admits `http://` addresses, and receivers in private networks and on this machine.
    pub allow_insecure: bool,
}

/// A text that is never shown: not in logs, not in errors, not by `Debug`.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Wraps a secret.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The secret itself, for the one place that needs it.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Each of several secrets with commas between.
    pub(crate) fn each(&self) -> Vec<Self> {
        let each = self.0.split(',').map(str::trim).filter(|secret| !secret.is_empty());
        each.map(Self::new).collect()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// Why a configuration cannot be used. Names the key, never a secret's value.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The text is not TOML, has a wrong type or an unknown key.
    #[error("configuration: {0}")]
    Toml(String),
    /// An override's value cannot be what its key needs.
    #[error("{name}: expected {expected}")]
    BadOverride {
        /// The override's name.
        name: String,
        /// What its value must be.
        expected: &'static str,
    },
    /// The settings contradict each other or the environment.
    #[error("configuration: {0}")]
    Unusable(&'static str),
}

/// What the value of an override is read as. Text stays text, whatever it looks like: a postal
/// code keeps its leading zero, a secret of digits stays a secret.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    Integer,
    Boolean,
    List,
}

/// Every key that an override can set. `SHOP_ORDERS__UNPAID_TTL_HOURS` sets
/// `orders.unpaid_ttl_hours`.
const KEYS: &[(&str, Kind)] = &[
    ("environment", Kind::Text),
    ("database", Kind::Text),
    ("listen", Kind::Text),
    ("base_url", Kind::Text),
    ("jwt_secret", Kind::Text),
    ("order_prefix", Kind::Text),
    ("trusted_proxies", Kind::List),
    ("uploads_dir", Kind::Text),
    ("pages_dir", Kind::Text),
    ("orders.unpaid_ttl_hours", Kind::Integer),
    ("stock.low_threshold", Kind::Integer),
    ("payments.timeout_ms", Kind::Integer),
    ("payments.provider1.url", Kind::Text),
    ("payments.provider1.access_token", Kind::Text),
    ("api.requests_per_minute", Kind::Integer),
    ("payments.provider1.webhook_secret", Kind::Text),
    ("payments.provider1.webhook_tolerance_seconds", Kind::Integer),
    ("payments.provider2.url", Kind::Text),
    ("payments.provider2.secret_key", Kind::Text),
    ("payments.provider2.webhook_secret", Kind::Text),
    ("payments.provider2.signature_header", Kind::Text),
    ("payments.pix.key", Kind::Text),
    ("payments.pix.merchant_name", Kind::Text),
    ("payments.pix.merchant_city", Kind::Text),
    ("shipping.origin_cep", Kind::Text),
    ("shipping.fallback_price", Kind::Text),
    ("shipping.timeout_ms", Kind::Integer),
    ("shipping.contact_email", Kind::Text),
    ("shipping.cep.url", Kind::Text),
    ("shipping.melhor_envio.url", Kind::Text),
    ("shipping.melhor_envio.token", Kind::Text),
    ("shipping.correios.url", Kind::Text),
    ("shipping.correios.contract", Kind::Text),
    ("shipping.correios.token", Kind::Text),
    ("shipping.correios.user", Kind::Text),
    ("shipping.correios.access_code", Kind::Text),
    ("shipping.correios.card", Kind::Text),
    ("shipping.correios.services", Kind::List),
    ("shipping.frenet.url", Kind::Text),
    ("shipping.frenet.token", Kind::Text),
    ("mail.outbox_dir", Kind::Text),
    ("mail.smtp_url", Kind::Text),
    ("mail.from", Kind::Text),
    ("mail.contact_to", Kind::Text),
    ("export.decimal", Kind::Text),
    ("webhooks.allow_insecure", Kind::Boolean),
];

#[cfg(feature = "nfe")]
const NFE_KEYS: &[(&str, Kind)] = nfe::KEYS;
#[cfg(not(feature = "nfe"))]
const NFE_KEYS: &[(&str, Kind)] = &[];

/// The keys of all topics.
fn keys() -> impl Iterator<Item = &'static (&'static str, Kind)> {
    KEYS.iter().chain(NFE_KEYS)
}

const PREFIX: &str = "SHOP_";

impl Config {
    /// What the database is called where people read it: the URL of a server without its password.
    pub fn database_name(&self) -> String {
        let Some((scheme, rest)) = self.database.split_once("://") else {
            return self.database.clone();
        };
        let (rest, _) = rest.split_once('?').unwrap_or((rest, ""));
        let (user, place) = rest.rsplit_once('@').unwrap_or(("", rest));
        let user = user.split_once(':').map_or(user, |(name, _)| name);
        let at = if user.is_empty() { "" } else { "@" };
        format!("{scheme}://{user}{at}{place}")
    }

    /// Reads a TOML text and lays overrides (`SHOP_LISTEN`, `SHOP_SHIPPING__ORIGIN_CEP`, ..) over
    /// it. Names that do not begin with `SHOP_` are passed over, so a whole environment may be
    /// handed in; `SHOP_LOG` and `SHOP_CONFIG` belong to the binaries and are passed over too.
    /// Other names that are no setting end up in [`Config::unknown_overrides`].
    ///
    /// # Errors
    /// [`ConfigError`], which names the key at fault.
    pub fn parse(
        toml_text: &str,
        overrides: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, ConfigError> {
        let mut table: toml::Table =
            toml_text.parse().map_err(|error: toml::de::Error| toml_error(&error))?;
        let mut unknown = Vec::new();
        for (name, value) in overrides {
            let Some(rest) = name.strip_prefix(PREFIX) else { continue };
            let path = rest.to_ascii_lowercase().replace("__", ".");
            match keys().find(|(key, _)| *key == path) {
                Some((_, kind)) => lay_over(&mut table, &name, &path, *kind, value)?,
                None if matches!(rest, "LOG" | "CONFIG") => {}
                None => unknown.push(name),
            }
        }
        let config: Self = table.try_into().map_err(|error| toml_error(&error))?;
        config.check()?;
        Ok(Self { unknown_overrides: unknown, ..config })
    }

    /// The address under which the world reaches the shop, without a slash at its end.
    pub fn base_url(&self) -> String {
        match &self.base_url {
            Some(url) => url.trim_end_matches('/').to_owned(),
            None => format!("http://{}", self.listen),
        }
    }

    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        let production = self.environment == Environment::Production;
        match &self.jwt_secret {
            None if production => Err(ConfigError::Unusable("production needs a jwt_secret")),
            Some(secret) if secret.reveal().len() < 32 => {
                Err(ConfigError::Unusable("jwt_secret must have 32 bytes or more"))
            }
            _ if !is_prefix(&self.order_prefix) => {
                Err(ConfigError::Unusable("order_prefix must be 1 to 10 capital letters or digits"))
            }
            _ => {
                #[cfg(feature = "nfe")]
                self.nfe.check()?;
                self.mail.check()
            }
        }
    }
}

fn is_prefix(text: &str) -> bool {
    (1..=10).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
}

fn lay_over(
    table: &mut toml::Table,
    name: &str,
    path: &str,
    kind: Kind,
    value: String,
) -> Result<(), ConfigError> {
    let value = match kind {
        Kind::Text => toml::Value::String(value),
        Kind::Integer => toml::Value::Integer(value.trim().parse().map_err(|_| {
            ConfigError::BadOverride { name: name.to_owned(), expected: "a whole number" }
        })?),
        Kind::Boolean => toml::Value::Boolean(value.trim().parse().map_err(|_| {
            ConfigError::BadOverride { name: name.to_owned(), expected: "true or false" }
        })?),
        Kind::List => {
            let entries = value.split(',').map(str::trim).filter(|entry| !entry.is_empty());
            toml::Value::Array(entries.map(|e| toml::Value::String(e.to_owned())).collect())
        }
    };
    set(table, path, value).ok_or_else(|| ConfigError::BadOverride {
        name: name.to_owned(),
        expected: "its parent in the file to be a table",
    })
}

fn set(table: &mut toml::Table, path: &str, value: toml::Value) -> Option<()> {
    match path.split_once('.') {
        None => {
            table.insert(path.to_owned(), value);
            Some(())
        }
        Some((head, rest)) => {
            let child = table.entry(head).or_insert_with(|| toml::Table::new().into());
            set(child.as_table_mut()?, rest, value)
        }
    }
}

/// Only the message: the full display of the parser quotes the line, which may hold a secret.
fn toml_error(error: &toml::de::Error) -> ConfigError {
    ConfigError::Toml(error.message().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(toml: &str, overrides: &[(&str, &str)]) -> Result<Config, ConfigError> {
        let overrides = overrides.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
        Config::parse(toml, overrides)
    }

    #[test]
    fn an_override_beats_the_file_and_keeps_its_text() {
        let config = parse(
            "order_prefix = 'VELA'\n[shipping]\norigin_cep = '20000000'",
            &[("SHOP_SHIPPING__ORIGIN_CEP", "01001000"), ("SHOP_ORDER_PREFIX", "123"), ("X", "y")],
        )
        .expect("usable");
        assert_eq!(config.shipping.origin_cep.expect("set").as_str(), "01001000");
        assert_eq!(config.order_prefix, "123");
    }

    #[test]
    fn every_key_can_be_overridden() {
        for (key, kind) in keys() {
            let name = format!("{PREFIX}{}", key.to_ascii_uppercase().replace('.', "__"));
            let value = match (*key, kind) {
                ("environment", _) => "development",
                ("listen", _) => "127.0.0.1:1",
                ("jwt_secret", _) => "12345678901234567890123456789012",
                ("order_prefix", _) => "ABC",
                ("shipping.origin_cep" | "nfe.company.zip_code", _) => "01001-000",
                ("shipping.fallback_price", _) => "12.50",
                ("export.decimal", _) => "point",
                ("mail.smtp_url", _) => "smtps://mail.example.com",
                ("nfe.certificate_path" | "nfe.certificate_password", _) => continue,
                ("nfe.issuer", _) => "sandbox",
                ("nfe.environment", _) => "homologacao",
                ("nfe.company.cnpj", _) => "11.222.333/0001-81",
                ("nfe.company.regime", _) => "mei",
                ("nfe.company.state", _) => "SP",
                ("nfe.defaults.ncm", _) => "33074900",
                ("nfe.defaults.csosn", _) => "102",
                ("nfe.defaults.unit", _) => "CX",
                ("nfe.defaults.production", _) => "resale",
                (key, _) if key.starts_with("nfe.cfop.") => "5102",
                ("nfe.ibs_cbs.from", _) => "2027-01-04",
                (key, _) if key.starts_with("nfe.ibs_cbs.") => "0.05",
                ("mail.from" | "mail.contact_to", _) => "Loja <loja@example.com>",
                (_, Kind::Integer) => "7",
                (_, Kind::Boolean) => "true",
                (_, Kind::List) => "10.0.0.0/8, ::1/128",
                _ => "text",
            };
            assert!(parse("", &[(&name, value)]).is_ok(), "{name}");
        }
    }

    #[test]
    fn mistakes_name_the_key_and_no_secret() {
        let unknown = parse("", &[("SHOP_LISTN", "x")]).expect("usable").unknown_overrides;
        assert_eq!(unknown, ["SHOP_LISTN"]);
        let number = parse("", &[("SHOP_ORDERS__UNPAID_TTL_HOURS", "x")]).expect_err("no number");
        assert!(number.to_string().contains("SHOP_ORDERS__UNPAID_TTL_HOURS"));
        let short = parse("jwt_secret = 'hush'", &[]).expect_err("short").to_string();
        assert!(!short.contains("hush"), "{short}");
        assert!(parse("environment = 'production'", &[]).is_err());
        assert!(parse("unknown = 1", &[]).is_err());
    }
}
