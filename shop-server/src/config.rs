//! The server's settings. They stand in the shop's file beside the shop's own.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use ipnet::IpNet;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use shop_core::Config;
use shop_core::config::keys::{Key, flag, list, number, text};
use shop_core::config::{Environment, Findings, ProgramConfig};
use shop_core::value::Origin;

pub use crate::cookie::CookiesConfig;

/// The server's settings, with the defaults of a developer's machine.
///
/// ```
/// use shop_core::config::{ProgramConfig, Sources};
/// use shop_server::config::ServerConfig;
///
/// let toml = "order_prefix = 'VELA'\nlisten = '127.0.0.1:9000'".to_owned();
/// let mut loaded = ServerConfig::load(&Sources { toml, ..Sources::default() })?;
/// loaded.program.complete(&mut loaded.config);
/// assert_eq!(loaded.config.base_url(), "http://127.0.0.1:9000");
/// # Ok::<(), shop_core::config::ConfigError>(())
/// ```
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct ServerConfig {
    /// Where the server listens.
    pub listen: SocketAddr,
    /// Peers whose `X-Forwarded-For` is believed. An address is read as the network that has it
    /// alone.
    #[serde(deserialize_with = "networks")]
    pub trusted_proxies: Vec<IpNet>,
    /// Origins whose pages count as the shop's own, besides that of `base_url`: they may change
    /// things with a session's cookie.
    #[serde(deserialize_with = "origins")]
    pub allowed_origins: Vec<Origin>,
    /// The cookies that the server sets (`[cookies]`).
    pub cookies: CookiesConfig,
    /// A folder of static pages to serve, if any.
    pub pages_dir: Option<PathBuf>,
    /// Which of the program's storefronts is served, where `pages_dir` has none of its own.
    pub storefront: Option<Storefront>,
    /// Limits of connections and requests (`[server]`).
    #[serde(rename = "server")]
    pub limits: LimitsConfig,
}

/// A storefront that is part of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Storefront {
    /// `examples/storefront`.
    Example,
}

/// Limits of connections and requests (`[server]`).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct LimitsConfig {
    /// How many connections may be open; further ones are answered 503.
    pub max_connections: u32,
    /// How many of them one IPv4 address or one IPv6 /64 may have, unless it is a trusted proxy.
    pub max_connections_per_address: u32,
    /// How long a connection may take to send a request's head, and may idle between requests.
    pub header_timeout_seconds: u32,
    /// How long a request's body may take.
    pub body_timeout_seconds: u32,
    /// How long a client may take none of the bytes that are sent to it.
    pub stall_timeout_seconds: u32,
    /// How long requests in flight may take to end once the server is told to stop.
    pub drain_timeout_seconds: u32,
    /// How many MiB of request bodies may be in memory at a time.
    pub body_memory_mb: u32,
    /// Whether another process may listen on the same port, so that a new server can take over
    /// from an old one (`SO_REUSEPORT`).
    pub reuse_port: bool,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            trusted_proxies: Vec::new(),
            allowed_origins: Vec::new(),
            cookies: CookiesConfig::default(),
            pages_dir: None,
            storefront: None,
            limits: LimitsConfig::default(),
        }
    }
}

impl Default for LimitsConfig {
    fn default() -> Self {
        Self {
            max_connections: 2048,
            max_connections_per_address: 256,
            header_timeout_seconds: 30,
            body_timeout_seconds: 30,
            stall_timeout_seconds: 30,
            drain_timeout_seconds: 30,
            body_memory_mb: 64,
            reuse_port: false,
        }
    }
}

impl ServerConfig {
    /// Gives the shop the address that the server listens on, where `base_url` is not set: links in
    /// mails lead there.
    pub fn complete(&self, config: &mut Config) {
        config.base_url.get_or_insert_with(|| self.own_address());
    }

    /// What the shop's address is where nobody says another one.
    fn own_address(&self) -> String {
        format!("http://{}", self.listen)
    }
}

impl ProgramConfig for ServerConfig {
    const KEYS: &'static [Key] = KEYS;

    fn check(&self, config: &Config, found: &mut Findings) {
        let is_everybody = self.trusted_proxies.iter().any(|network| network.prefix_len() == 0);
        if is_everybody {
            let what = "every client could say which address it has: name the proxies' own";
            match config.environment {
                Environment::Production => found.error("trusted_proxies", what.to_owned()),
                Environment::Development => found.warning("trusted_proxies", what),
            }
        }
        if self.storefront.is_some() && cfg!(not(feature = "pages")) {
            let what = "this program was built without its pages (feature `pages`)";
            found.error("storefront", what.to_owned());
        }
        let base_url = config.base_url.clone().unwrap_or_else(|| self.own_address());
        for (key, what) in self.cookies.mistakes(config.environment, Some(&base_url)) {
            found.error(key, what.to_owned());
        }
    }

    fn check_folders(&self, found: &mut Findings) {
        if self.pages_dir.as_ref().is_some_and(|pages| !pages.is_dir()) {
            found.error("pages_dir", "there is no such folder".to_owned());
        }
    }
}

const COUNT: (i64, i64) = (1, 1_000_000);
const SECONDS: (i64, i64) = (1, 86_400);
const NAME: &str = "a name of letters, digits, - and _";
const WAIT: &str = "a whole number of seconds, 1 to 86400";

const KEYS: &[Key] = &[
    text("listen", Some("127.0.0.1:8080"), "an address and a port, for example 127.0.0.1:8080"),
    list(
        "trusted_proxies",
        Some(""),
        "addresses and networks, for example 127.0.0.1, ::1 or 10.0.0.0/8 (in a file a list of \
         texts, in a variable with commas between)",
    ),
    list(
        "allowed_origins",
        Some(""),
        "origins, for example https://app.loja.example (in a file a list of texts, in a variable \
         with commas between)",
    ),
    text("cookies.session", Some("token"), NAME),
    text("cookies.cart", Some("cart"), NAME),
    text("cookies.path", Some("/"), "a path that begins with /"),
    text("cookies.domain", None, "a domain, for example loja.com.br"),
    text("pages_dir", None, "the path of a folder"),
    text("storefront", None, "example"),
    number("server.max_connections", COUNT, "2048", "a whole number, 1 or more"),
    number("server.max_connections_per_address", COUNT, "256", "a whole number, 1 or more"),
    number("server.header_timeout_seconds", SECONDS, "30", WAIT),
    number("server.body_timeout_seconds", SECONDS, "30", WAIT),
    number("server.stall_timeout_seconds", SECONDS, "30", WAIT),
    number(
        "server.drain_timeout_seconds",
        (0, 86_400),
        "30",
        "a whole number of seconds, 0 to 86400",
    ),
    number(
        "server.body_memory_mb",
        (8, 1_000_000),
        "64",
        "a whole number of MiB, 8 (for a picture of 5 MiB) or more",
    ),
    flag("server.reuse_port", "false"),
];

fn networks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<IpNet>, D::Error> {
    let network = |text: String| {
        let text = text.trim();
        let alone = || text.parse::<IpAddr>().map(IpNet::from);
        text.parse::<IpNet>().or_else(|_| alone()).map_err(D::Error::custom)
    };
    Vec::<String>::deserialize(deserializer)?.into_iter().map(network).collect()
}

fn origins<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Origin>, D::Error> {
    let texts = Vec::<String>::deserialize(deserializer)?;
    let origin = |text: &String| {
        let wrong = || D::Error::custom(format!("{text:?} is no origin"));
        text.parse().map_err(|_| wrong())
    };
    texts.iter().map(origin).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_tells_what_the_struct_does() {
        shop_core::testing::hold_settings::<ServerConfig>();
    }

    #[test]
    fn an_address_of_a_proxy_is_a_network() {
        let toml = "trusted_proxies = ['127.0.0.1', '10.0.0.0/8', '::1']".to_owned();
        let sources = shop_core::config::Sources { toml, ..Default::default() };
        let config = ServerConfig::load(&sources).expect("usable").program;
        let networks: Vec<String> =
            config.trusted_proxies.iter().map(ToString::to_string).collect();
        assert_eq!(networks, ["127.0.0.1/32", "10.0.0.0/8", "::1/128"]);
    }
}
