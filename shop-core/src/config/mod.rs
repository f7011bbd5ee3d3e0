//! The settings of a shop, as data.
//!
//! A program fills in a [`Config`] by hand, or lets [`Config::parse`] read a TOML text with
//! overrides on top. The library itself reads no file and no environment variable for it: the
//! binaries hand both in.

use std::path::PathBuf;

use serde::Deserialize;

/// Defines sections of the configuration, with what holds for each setting where it is not set:
/// what stands behind it, or else the default of its type.
macro_rules! settings {
    ($(
        $(#[$meta:meta])*
        pub struct $name:ident {
            $($(#[$of_field:meta])* pub $field:ident: $type:ty $(= $default:expr)?,)+
        }
    )+) => {$(
        #[derive(Debug, Clone, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        $(#[$meta])*
        pub struct $name {
            $($(#[$of_field])* pub $field: $type,)+
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: settings!(@default $($default)?),)+ }
            }
        }
    )+};
    (@default) => { Default::default() };
    (@default $value:expr) => { $value };
}

#[cfg(feature = "nfe")]
pub(crate) mod certificate;
mod checks;
mod effective;
mod finding;
pub mod keys;
mod labels;
mod mail;
#[cfg(feature = "nfe")]
mod nfe;
#[cfg(feature = "nfe")]
mod nfe_issue;
#[cfg(feature = "nfe")]
mod nfe_reform;
#[cfg(feature = "nfe")]
mod nfe_responsible;
mod numbers;
mod payments;
mod program;
mod returns;
mod seller;
mod shipping;
mod shown;
mod site;
mod source;
mod strength;
#[cfg(any(test, feature = "test-util"))]
pub(crate) mod table_test;
mod tables;
mod texts;
mod tracking_urls;
mod values;
mod web_address;

pub use self::effective::Setting;
pub use self::finding::{ConfigError, Finding, Findings, Severity};
pub use self::labels::{LabelProviderKind, LabelsConfig};
#[cfg(feature = "smtp")]
pub(crate) use self::mail::mail_server;
pub use self::mail::{MailConfig, MailLinks};
#[cfg(feature = "nfe")]
pub use self::nfe::{CfopConfig, CompanyConfig, FiscalDefaults, IssuerKind, NfeConfig};
#[cfg(feature = "nfe")]
pub use self::nfe_issue::IssueWhen;
#[cfg(feature = "nfe")]
pub use self::nfe_reform::{IbsCbsConfig, ReformRates};
#[cfg(feature = "nfe")]
pub use self::nfe_responsible::ResponsibleConfig;
pub use self::payments::{PaymentsConfig, PixConfig, Provider1Config, Provider2Config};
pub use self::program::{Loaded, NoProgram, ProgramConfig};
pub use self::returns::{RefundFreight, ReturnsConfig};
pub use self::seller::{Seller, SellerAddress};
pub use self::shipping::{
    CepConfig, CorreiosConfig, FrenetConfig, MelhorEnvioConfig, SenderConfig, ShippingConfig,
};
pub use self::site::SiteConfig;
pub use self::source::Sources;
pub(crate) use self::tracking_urls::CODE as TRACKING_CODE;
use self::values::HIDDEN;
pub use self::values::{SettingSource, without_password};
#[cfg(feature = "nfe")]
pub use crate::fiscal::Production;
pub use crate::spreadsheet::{Decimal, ExportConfig};
use crate::storage::DatabaseUrl;

/// What the shop is called in mails and PIX codes until it has a name.
const SAMPLE_NAME: &str = "Loja de Velas";

/// Everything that can be set, with the defaults of a shop on a developer's machine.
///
/// A program fills in what it wants, or reads a text with overrides on top:
///
/// ```
/// use shop_core::Config;
///
/// let config = Config { order_prefix: "VELA".to_owned(), ..Config::default() };
/// assert_eq!(config.base_url(), "http://127.0.0.1:8080");
///
/// let text = "order_prefix = 'VELA'\n[orders]\nunpaid_ttl_hours = 24";
/// let overrides = [("SHOP_ORDERS__UNPAID_TTL_HOURS".to_owned(), "48".to_owned())];
/// let config = Config::parse(text, overrides)?;
/// assert_eq!(config.orders.unpaid_ttl_hours, 48);
/// # Ok::<(), shop_core::config::ConfigError>(())
/// ```
#[derive(Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Whether this is the real shop. Production demands a `jwt_secret` and marks cookies `Secure`.
    pub environment: Environment,
    /// The SQLite file, or the URL of a PostgreSQL database.
    pub database: String,
    /// The URL of a streaming replica of a PostgreSQL database, for what anybody may read.
    pub database_read: Option<String>,
    /// How many connections read a SQLite file at once, 1 to 64. A program with many shops open
    /// takes 1 for each.
    pub database_file_readers: u32,
    /// The address under which the world reaches the shop, for links in mails; see
    /// [`Config::base_url`].
    pub base_url: Option<String>,
    /// What signs session tokens, 32 bytes or more. Where it is not set, one is made and kept in
    /// the database (development only).
    pub jwt_secret: Option<Secret>,
    /// What order numbers begin with.
    pub order_prefix: String,
    /// Where uploaded pictures are kept; see [`Config::uploads_dir`].
    pub uploads_dir: Option<PathBuf>,
    /// Rules about orders.
    pub orders: OrdersConfig,
    /// Rules about returns.
    pub returns: ReturnsConfig,
    /// Rules about stock.
    pub stock: StockConfig,
    /// Rules about carts.
    pub carts: CartsConfig,
    /// Rules about the accounts that run the shop.
    pub staff: StaffConfig,
    /// The integration API.
    pub api: ApiConfig,
    /// Payment providers.
    pub payments: PaymentsConfig,
    /// Shipping.
    pub shipping: ShippingConfig,
    /// Mails.
    pub mail: MailConfig,
    /// Where the shop's pages are.
    pub site: SiteConfig,
    /// Files for spreadsheet programs.
    pub export: ExportConfig,
    /// Webhooks to receivers outside.
    pub webhooks: WebhooksConfig,
    /// Electronic invoices.
    #[cfg(feature = "nfe")]
    pub nfe: NfeConfig,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            environment: Environment::Development,
            database: "shop.db".to_owned(),
            database_read: None,
            database_file_readers: 8,
            base_url: None,
            jwt_secret: None,
            order_prefix: "PED".to_owned(),
            uploads_dir: None,
            orders: OrdersConfig::default(),
            returns: ReturnsConfig::default(),
            stock: StockConfig::default(),
            carts: CartsConfig::default(),
            staff: StaffConfig::default(),
            api: ApiConfig::default(),
            payments: PaymentsConfig::default(),
            shipping: ShippingConfig::default(),
            mail: MailConfig::default(),
            site: SiteConfig::default(),
            export: ExportConfig::default(),
            webhooks: WebhooksConfig::default(),
            #[cfg(feature = "nfe")]
            nfe: NfeConfig::default(),
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

settings! {
    /// Rules about orders.
    pub struct OrdersConfig {
        /// Hours after which an unpaid order is cancelled; 0 never cancels.
        pub unpaid_ttl_hours: u32 = 72,
        /// Hours after which one that was only to be paid by PIX is cancelled, if that is sooner; 0
        /// makes no difference between them.
        pub unpaid_pix_ttl_hours: u32 = 24,
        /// How many units one order may have, all its lines together; 0 does not limit them.
        pub max_units_per_order: u32 = 500,
        /// How many orders of one customer may await payment at a time; 0 does not limit them.
        pub max_open_unpaid: u32 = 20,
        /// How many orders one customer may place in an hour; 0 does not limit them.
        pub max_per_hour: u32 = 30,
        /// How often orders may be placed from one address in an hour, counted by each instance of
        /// the server; 0 does not limit it.
        pub max_per_hour_per_ip: u32 = 120,
    }

    /// Rules about stock.
    pub struct StockConfig {
        /// At this many units or fewer `stock.low` is emitted.
        pub low_threshold: i64 = 5,
    }

    /// Rules about carts.
    pub struct CartsConfig {
        /// Whether shoppers have a cart before they log in. Without it the cart needs a session.
        pub guests: bool,
    }

    /// Rules about the accounts that run the shop.
    pub struct StaffConfig {
        /// Whether staff needs two-factor log-ins: without them an account may do nothing but
        /// enrol, change its own profile and log out.
        pub require_two_factor: bool,
    }

    /// The integration API.
    pub struct ApiConfig {
        /// How often one key may call in a minute, counted by each instance; 0 does not limit it.
        pub requests_per_minute: u32 = 600,
    }

    /// Webhooks to receivers outside.
    pub struct WebhooksConfig {
        /// Admits `http://` addresses, and receivers in private networks and on this machine.
        pub allow_insecure: bool,
    }
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

opaque! { Secret; }

impl Config {
    /// What the database is called where people read it: the URL of a server without its password.
    pub fn database_name(&self) -> String {
        if !self.database.contains("://") {
            return self.database.clone();
        }
        let shown = without_password(&self.database).replace(&format!(":{HIDDEN}"), "");
        shown.split_once('?').map_or_else(|| shown.clone(), |(place, _)| place.to_owned())
    }

    /// Where uploaded pictures are kept: where it is not set, in `uploads` beside the SQLite file,
    /// or in the working directory where the data is on a server.
    pub fn uploads_dir(&self) -> PathBuf {
        let beside = || self.beside_database("uploads");
        self.uploads_dir.clone().or_else(beside).unwrap_or_else(|| PathBuf::from("uploads"))
    }

    /// Where mails are written while there is no mail server: where it is not set, in `outbox`
    /// beside the SQLite file. `None` where the data is on a server: then mails wait.
    pub fn outbox_dir(&self) -> Option<PathBuf> {
        self.mail.outbox_dir.clone().or_else(|| self.beside_database("outbox"))
    }

    /// What becomes of mails where there is no mail server.
    pub(crate) fn without_mail_server(&self) -> &'static str {
        match self.outbox_dir() {
            Some(_) => "mails are written to a folder and reach nobody",
            None => "mails wait and reach nobody",
        }
    }

    /// A link of a mail ([`MailLinks`]) as a whole address.
    pub(crate) fn mail_link(&self, link: &str) -> String {
        if link.starts_with('/') { format!("{}{link}", self.base_url()) } else { link.to_owned() }
    }

    fn beside_database(&self, name: &str) -> Option<PathBuf> {
        match DatabaseUrl::parse(&self.database) {
            DatabaseUrl::File(file) => Some(file.with_file_name(name)),
            DatabaseUrl::Server(_) => None,
        }
    }

    /// The address under which the world reaches the shop, without a slash at its end;
    /// `http://127.0.0.1:8080` where it is not set.
    pub fn base_url(&self) -> String {
        match &self.base_url {
            Some(url) => url.trim_end_matches('/').to_owned(),
            None => "http://127.0.0.1:8080".to_owned(),
        }
    }
}
