use std::net::{Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use super::{InvalidValue, text_value};

/// The address of a receiver outside: `https`, or `http` where the shop's settings allow that, a
/// host, and no user name in it. Its host's addresses are looked at on each call, not here.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WebhookUrl(String);

text_value!(WebhookUrl, "webhook-url");

impl WebhookUrl {
    /// Whether what is sent there is encrypted.
    pub fn is_https(&self) -> bool {
        split(&self.0).is_some_and(|(scheme, _)| scheme.eq_ignore_ascii_case("https"))
    }

    /// The host, as people recognise the receiver; paths may hold secrets.
    pub fn host(&self) -> &str {
        split(&self.0).map(|(_, rest)| host_of(authority(rest)).0).unwrap_or_default()
    }
}

impl FromStr for WebhookUrl {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let plain = |byte: u8| byte.is_ascii_graphic() && !b"\"<>\\^`{|}#".contains(&byte);
        let fine = text.len() <= 2000
            && text.bytes().all(plain)
            && split(text).is_some_and(|(scheme, rest)| {
                let known = ["https", "http"].iter().any(|one| scheme.eq_ignore_ascii_case(one));
                known && is_authority(authority(rest))
            });
        if fine { Ok(Self(text.to_owned())) } else { Err(InvalidValue::WebhookUrl) }
    }
}

fn split(url: &str) -> Option<(&str, &str)> {
    url.split_once("://")
}

fn authority(rest: &str) -> &str {
    rest.split(['/', '?']).next().unwrap_or_default()
}

/// Host and port; an IPv6 address without its brackets.
fn host_of(authority: &str) -> (&str, Option<&str>) {
    if let Some((host, port)) = authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return (host, if port.is_empty() { None } else { Some(port) });
    }
    match authority.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    }
}

fn is_authority(authority: &str) -> bool {
    let (host, port) = host_of(authority);
    let is_name = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte))
        && host.bytes().any(|byte| byte.is_ascii_alphanumeric())
        && host.len() <= 253;
    let is_host = match authority.strip_prefix('[') {
        Some(_) => host.parse::<Ipv6Addr>().is_ok(),
        None => host.parse::<Ipv4Addr>().is_ok() || is_name,
    };
    let port = port.map(|port| port.strip_prefix(':').unwrap_or(port));
    let is_port = port.is_none_or(|port| {
        port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok_and(|n| n > 0)
    });
    is_host && is_port
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_receivers_only() {
        for (good, host) in [
            ("https://erp.example.com", "erp.example.com"),
            (" https://erp.example.com:8443/hooks?shop=1 ", "erp.example.com"),
            ("HTTPS://1.1.1.1/", "1.1.1.1"),
            ("http://[2606:4700::1]:80/x", "2606:4700::1"),
            ("https://xn--caf-dma.example/", "xn--caf-dma.example"),
        ] {
            let url: WebhookUrl = good.parse().unwrap_or_else(|_| panic!("{good}"));
            assert_eq!(url.host(), host);
            #[cfg(feature = "http")]
            assert!(url.as_str().parse::<hyper::Uri>().is_ok(), "{good}");
        }
        for bad in [
            "",
            "erp.example.com",
            "ftp://erp.example.com",
            "javascript:alert(1)",
            "https://",
            "https:///x",
            "https://user:hush@erp.example.com/",
            "https://erp.example.com/a b",
            "https://erp.example.com/#part",
            "https://erp.example.com:0/",
            "https://erp.example.com:70000/",
            "https://erp.example.com:+80/",
            "https://[::1/",
            "https://[erp]/",
            "https://café.example/",
            "https://a\\b.example/",
        ] {
            assert!(bad.parse::<WebhookUrl>().is_err(), "{bad}");
        }
        assert!(bad_length().parse::<WebhookUrl>().is_err());
        let https = |url: &str| url.parse::<WebhookUrl>().is_ok_and(|url| url.is_https());
        assert!(https("HtTpS://a.example") && !https("http://a.example"));
    }

    fn bad_length() -> String {
        format!("https://erp.example.com/{}", "x".repeat(2000))
    }
}
