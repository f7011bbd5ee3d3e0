//! How the server behaves.

use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;
use shop_core::value::Origin;

use crate::config::{CookiesConfig, ServerConfig, Storefront};

/// How the server behaves. The defaults are what a shop on the internet wants.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// Whether answers of the public catalogue are kept. Off only to measure what that gains.
    pub cache: bool,
    /// How many connections may be open. Further ones are answered 503 and closed; `/healthz` is
    /// answered.
    pub max_connections: usize,
    /// How many of them one IPv4 address or one IPv6 /64 may have, unless it is a trusted proxy.
    pub max_connections_per_address: usize,
    /// How long a connection may take to send a request's head, and may idle between requests.
    pub header_timeout: Duration,
    /// How long a request's body may take.
    pub body_timeout: Duration,
    /// How long a client may take none of the bytes that are sent to it. One that takes fewer than
    /// 1 KiB a second on average is cut off soon after this time, too.
    pub stall_timeout: Duration,
    /// How long requests in flight may take to end once the server is told to stop. Heads that are
    /// not complete get 1 s of it, bodies and answers that wait for the client 5 s, and idle
    /// connections nothing.
    pub drain_timeout: Duration,
    /// How many bytes of request bodies may be in memory; requests beyond are answered 503.
    pub body_memory: usize,
    /// Peers whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpNet>,
    /// Origins whose pages count as the shop's own, besides that of the shop's `base_url`.
    pub allowed_origins: Vec<Origin>,
    /// The cookies that the server sets.
    pub cookies: CookiesConfig,
    /// A folder of static pages to serve, if any.
    pub pages_dir: Option<PathBuf>,
    /// Which of the program's storefronts is served, where `pages_dir` has none of its own.
    pub storefront: Option<Storefront>,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self::from(&ServerConfig::default())
    }
}

impl From<&ServerConfig> for ServeOptions {
    fn from(config: &ServerConfig) -> Self {
        let ServerConfig { trusted_proxies, allowed_origins, cookies, limits, .. } = config;
        let seconds = |seconds: u32| Duration::from_secs(seconds.into());
        Self {
            cache: true,
            max_connections: usize::try_from(limits.max_connections).unwrap_or(usize::MAX),
            max_connections_per_address: usize::try_from(limits.max_connections_per_address)
                .unwrap_or(usize::MAX),
            header_timeout: seconds(limits.header_timeout_seconds),
            body_timeout: seconds(limits.body_timeout_seconds),
            stall_timeout: seconds(limits.stall_timeout_seconds),
            drain_timeout: seconds(limits.drain_timeout_seconds),
            body_memory: usize::try_from(limits.body_memory_mb)
                .unwrap_or(usize::MAX)
                .saturating_mul(1024 * 1024),
            trusted_proxies: trusted_proxies.clone(),
            allowed_origins: allowed_origins.clone(),
            cookies: cookies.clone(),
            pages_dir: config.pages_dir.clone(),
            storefront: config.storefront,
        }
    }
}
