use std::str::FromStr;

use super::InvalidValue;

/// The origin of a page: scheme, host and port, as browsers send it in `Origin`. A scheme's default
/// port and the case of letters make no difference.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Origin(String);

impl Origin {
    /// As browsers write it: `https://loja.example`, `http://127.0.0.1:3000`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The scheme, `http` or `https`.
    pub fn scheme(&self) -> &str {
        self.0.split(':').next().unwrap_or_default()
    }

    /// The origin of a page at this address.
    pub fn of_url(url: &str) -> Option<Self> {
        let host = url.find("://")? + 3;
        let end = url[host..].find(['/', '?', '#']).map_or(url.len(), |path| host + path);
        url[..end].parse().ok()
    }
}

impl FromStr for Origin {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || InvalidValue::Origin;
        let lower = text.trim().to_ascii_lowercase();
        let (scheme, authority) = lower.split_once("://").ok_or_else(wrong)?;
        let default_port = match scheme {
            "http" => "80",
            "https" => "443",
            _ => return Err(wrong()),
        };
        // The colons of an IPv6 address stand in brackets.
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, port),
            _ => (authority, default_port),
        };
        let is_host = |c: char| c.is_ascii_alphanumeric() || "-._[]:".contains(c);
        if host.is_empty() || !host.chars().all(is_host) || port.parse::<u16>().is_err() {
            return Err(wrong());
        }
        let port = if port == default_port { String::new() } else { format!(":{port}") };
        Ok(Self(format!("{scheme}://{host}{port}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_default_port_and_the_case_make_no_difference() {
        let origin = |text: &str| text.parse::<Origin>().map(|origin| origin.0).ok();
        for same in ["https://loja.example", "https://loja.example:443", "HTTPS://Loja.Example"] {
            assert_eq!(origin(same).as_deref(), Some("https://loja.example"), "{same}");
        }
        assert_eq!(origin("http://[::1]:80").as_deref(), Some("http://[::1]"));
        assert_eq!(origin("http://[::1]").as_deref(), Some("http://[::1]"));
        assert_eq!(origin("https://a.example:80").as_deref(), Some("https://a.example:80"));
        assert_eq!(origin("http://127.0.0.1:3000").as_deref(), Some("http://127.0.0.1:3000"));
    }

    #[test]
    fn what_has_no_scheme_a_path_or_a_wrong_port_is_no_origin() {
        for bad in [
            "",
            "null",
            "*",
            "loja.example",
            "https://",
            "https://a/",
            "https://a:x",
            "https://a:",
            "ftp://a",
            "https://a b",
            "https://u@a",
            "https://a:70000",
        ] {
            assert!(bad.parse::<Origin>().is_err(), "{bad}");
        }
    }

    #[test]
    fn the_origin_of_a_page_is_the_beginning_of_its_address() {
        let of = |url| Origin::of_url(url).map(|origin| origin.0);
        assert_eq!(
            of("https://loja.example:443/velas?x=//").as_deref(),
            Some("https://loja.example")
        );
        assert_eq!(of("https://loja.example").as_deref(), Some("https://loja.example"));
        assert_eq!(of("loja.example"), None);
    }
}
