//! How the server in front of the shop behaves.

use serde::Deserialize;

/// How the server in front of the shop behaves (`[server]`). The library itself uses none of it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerConfig {
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
