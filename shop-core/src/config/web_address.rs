//! Addresses of the web, as settings name them.

use std::net::IpAddr;

use crate::net_guard;
use crate::value::WebhookUrl;

/// Names that are never the world's: reserved (RFC 2606, RFC 6761, RFC 8375) or by custom private.
/// `.example` is not among them: who copies it from the documents means a name of the world.
const PRIVATE: &[&str] = &["localhost", "local", "internal", "lan", "test", "invalid", "arpa"];

/// Whether a text is an absolute `http` or `https` address without a user name.
pub(super) fn is_web_address(text: &str) -> bool {
    text.trim() == text && text.parse::<WebhookUrl>().is_ok()
}

/// Whether an address is encrypted and leads to a host of the world: neither this machine nor one
/// in a private network.
pub(super) fn is_public(url: &str) -> bool {
    let Ok(url) = url.parse::<WebhookUrl>() else { return false };
    let host = url.host().trim_end_matches('.').to_ascii_lowercase();
    let is_world = match host.parse::<IpAddr>() {
        Ok(address) => net_guard::is_public(address),
        Err(_) => host.rsplit_once('.').is_some_and(|(_, last)| !PRIVATE.contains(&last)),
    };
    url.is_https() && is_world
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_encrypted_addresses_of_the_world_are_public() {
        for url in ["https://loja.com.br", "https://LOJA.example/a", "https://8.8.8.8:8443"] {
            assert!(is_public(url), "{url}");
        }
        for url in [
            "http://loja.com.br",
            "https://localhost",
            "https://loja.localhost:8443",
            "https://shop.internal",
            "https://shop",
            "https://127.0.0.1",
            "https://192.168.0.4:8443",
            "https://[::1]:8443",
            "loja.com.br",
        ] {
            assert!(!is_public(url), "{url}");
        }
    }
}
