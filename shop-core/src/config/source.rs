//! Where settings come from: a TOML text, and overrides laid over it.

#[cfg(feature = "nfe")]
use super::nfe;
use super::{Config, ConfigError};

/// What the value of an override is read as. Text stays text, whatever it looks like: a postal
/// code keeps its leading zero, a secret of digits stays a secret.
#[derive(Clone, Copy)]
pub(super) enum Kind {
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
    ("database_read", Kind::Text),
    ("listen", Kind::Text),
    ("base_url", Kind::Text),
    ("jwt_secret", Kind::Text),
    ("order_prefix", Kind::Text),
    ("trusted_proxies", Kind::List),
    ("uploads_dir", Kind::Text),
    ("pages_dir", Kind::Text),
    ("server.max_connections", Kind::Integer),
    ("server.max_connections_per_address", Kind::Integer),
    ("server.header_timeout_seconds", Kind::Integer),
    ("server.body_timeout_seconds", Kind::Integer),
    ("server.stall_timeout_seconds", Kind::Integer),
    ("server.drain_timeout_seconds", Kind::Integer),
    ("server.body_memory_mb", Kind::Integer),
    ("server.reuse_port", Kind::Boolean),
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
pub(super) fn keys() -> impl Iterator<Item = &'static (&'static str, Kind)> {
    KEYS.iter().chain(NFE_KEYS)
}

pub(super) const PREFIX: &str = "SHOP_";

impl Config {
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
        let Merged { table, unknown, .. } = merge(toml_text, overrides)?;
        let config: Self = table.try_into().map_err(|error| toml_error(&error))?;
        config.check()?;
        Ok(Self { unknown_overrides: unknown, ..config })
    }
}

/// A TOML text with overrides laid over it.
pub(super) struct Merged {
    pub(super) table: toml::Table,
    /// The keys that an override set.
    pub(super) overridden: Vec<&'static str>,
    /// Overrides that name no setting.
    pub(super) unknown: Vec<String>,
}

pub(super) fn merge(
    toml_text: &str,
    overrides: impl IntoIterator<Item = (String, String)>,
) -> Result<Merged, ConfigError> {
    let table = toml_text.parse().map_err(|error: toml::de::Error| toml_error(&error))?;
    let mut merged = Merged { table, overridden: Vec::new(), unknown: Vec::new() };
    for (name, value) in overrides {
        let Some(rest) = name.strip_prefix(PREFIX) else { continue };
        match key_of(rest) {
            Some((key, kind)) => {
                lay_over(&mut merged.table, &name, key, *kind, value)?;
                merged.overridden.push(key);
            }
            None if is_a_binarys(rest) => {}
            None => merged.unknown.push(name),
        }
    }
    Ok(merged)
}

/// The key that an override sets, by what follows the prefix of its name.
pub(super) fn key_of(rest: &str) -> Option<&'static (&'static str, Kind)> {
    let path = rest.to_ascii_lowercase().replace("__", ".");
    keys().find(|(key, _)| *key == path)
}

/// What the binaries read themselves.
pub(super) fn is_a_binarys(rest: &str) -> bool {
    matches!(rest, "LOG" | "CONFIG")
}

pub(super) fn lay_over(
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

pub(super) fn set(table: &mut toml::Table, path: &str, value: toml::Value) -> Option<()> {
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
pub(super) fn toml_error(error: &toml::de::Error) -> ConfigError {
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
