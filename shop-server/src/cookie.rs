//! Cookies: those of sessions and of guests' carts, as they are set, and as they come back.

use std::net::Ipv4Addr;

use hyper::Uri;
use hyper::header::{COOKIE, HeaderMap};
use serde::Deserialize;
use shop_core::Shop;
use shop_core::account::Sessions;
use shop_core::cart::Carts;
use shop_core::config::Environment;

/// How many cookies of one name are looked at.
const MOST_COOKIES: usize = 8;

/// The cookies that the server sets (`[cookies]`). Another program of the same site must use other
/// names, or none of the paths.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct CookiesConfig {
    /// The name of a session's cookie.
    pub session: String,
    /// The name of the cookie that names a guest's cart.
    pub cart: String,
    /// Below which path browsers send them.
    pub path: String,
    /// The domain whose hosts get them; where it is not set, the shop's host alone.
    pub domain: Option<String>,
}

impl Default for CookiesConfig {
    fn default() -> Self {
        let (session, cart, path) = ("token".to_owned(), "cart".to_owned(), "/".to_owned());
        Self { session, cart, path, domain: None }
    }
}

impl CookiesConfig {
    /// What browsers would refuse, or would not tell apart: keys, and what would be right.
    ///
    /// The shop's own address is `base_url`; where nobody knows it, it cannot be held against the
    /// domain.
    pub(crate) fn mistakes(
        &self,
        environment: Environment,
        base_url: Option<&str>,
    ) -> Vec<(&'static str, &'static str)> {
        let mut found = Vec::new();
        for (key, name) in [("cookies.session", &self.session), ("cookies.cart", &self.cart)] {
            if !is_token(name) {
                found.push((key, "expected a name of letters, digits and !#$%&'*+-.^_`|~"));
            }
            let is_host = has_prefix(name, "__Host-");
            if is_host && (self.path != "/" || self.domain.is_some()) {
                found.push((key, "with __Host- it needs cookies.path = \"/\" and no domain"));
            }
            if (is_host || has_prefix(name, "__Secure-")) && environment != Environment::Production
            {
                found.push((key, "with this prefix it needs environment = \"production\""));
            }
        }
        if self.session == self.cart {
            found.push(("cookies.cart", "expected another name than that of cookies.session"));
        }
        if !self.path.starts_with('/')
            || !self.path.bytes().all(|b| b.is_ascii_graphic() && b != b';')
        {
            found.push(("cookies.path", "expected a path that begins with /"));
        }
        if let Some(domain) = self.domain.as_deref() {
            if !is_domain(domain) {
                found.push(("cookies.domain", "expected a domain, for example loja.com.br"));
            } else if base_url.is_some_and(|url| !is_within(url, domain)) {
                let what = "browsers drop cookies of a domain that is not the shop's, and nobody could \
                            log in: expected the host of base_url, or what its name ends in";
                found.push(("cookies.domain", what));
            }
        }
        found
    }

    /// Keeps a session.
    pub(crate) fn keep_session(&self, shop: &Shop, token: &str) -> String {
        self.set(shop, &self.session, token, Sessions::LIFETIME_SECONDS)
    }

    pub(crate) fn forget_session(&self, shop: &Shop) -> String {
        self.set(shop, &self.session, "", 0)
    }

    /// Keeps a guest's cart.
    pub(crate) fn keep_cart(&self, shop: &Shop, token: &str) -> String {
        let age = Carts::GUEST_LIFETIME_SECONDS.try_into().unwrap_or(i64::MAX);
        self.set(shop, &self.cart, token, age)
    }

    pub(crate) fn forget_cart(&self, shop: &Shop) -> String {
        self.set(shop, &self.cart, "", 0)
    }

    fn set(&self, shop: &Shop, name: &str, value: &str, age: i64) -> String {
        // Keeps it from connections that others can read.
        let secure = match shop.config().environment {
            Environment::Production => "; Secure",
            Environment::Development => "",
        };
        let domain = self.domain.as_ref().map(|it| format!("; Domain={it}")).unwrap_or_default();
        let path = &self.path;
        format!(
            "{name}={value}; HttpOnly{secure}; SameSite=Lax; Path={path}{domain}; Max-Age={age}"
        )
    }

    /// Whether a request has a cookie of the shop's: browsers send it by themselves.
    pub(crate) fn has_any(&self, headers: &HeaderMap) -> bool {
        [&self.session, &self.cart].iter().any(|name| values(headers, name).next().is_some())
    }
}

/// The values of the cookies of a name. Another page of the same host may have set one for another
/// path.
pub(crate) fn values<'h>(headers: &'h HeaderMap, wanted: &'h str) -> impl Iterator<Item = &'h str> {
    let cookies = headers.get_all(COOKIE).into_iter().filter_map(|cookies| cookies.to_str().ok());
    cookies
        .flat_map(|cookies| cookies.split(';'))
        .filter_map(|cookie| cookie.trim().split_once('='))
        .filter_map(move |(name, value)| (name == wanted).then_some(value))
        .take(MOST_COOKIES)
}

/// Browsers look at prefixes of names without regard to case.
fn has_prefix(name: &str, prefix: &str) -> bool {
    name.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

/// A name as RFC 6265 has it.
fn is_token(name: &str) -> bool {
    let fits = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    !name.is_empty() && name.bytes().all(fits)
}

fn is_domain(domain: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    domain.split('.').all(is_label)
}

/// Whether browsers that see this address take cookies of the domain (RFC 6265, 5.1.3).
fn is_within(url: &str, domain: &str) -> bool {
    let Ok(url) = url.parse::<Uri>() else { return true };
    let host = url.host().unwrap_or_default().to_ascii_lowercase();
    let above = host.strip_suffix(&domain.to_ascii_lowercase());
    above.is_some_and(|rest| rest.is_empty() || rest.ends_with('.') && !is_address(&host))
}

/// An address of a machine has no domain but itself.
fn is_address(host: &str) -> bool {
    host.parse::<Ipv4Addr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_session_is_found_among_other_cookies() {
        let mut headers = HeaderMap::new();
        let ours = CookiesConfig::default();
        assert!(!ours.has_any(&headers));
        headers.append(COOKIE, "a=1; xtoken=no".parse().expect("a value"));
        headers.append(COOKIE, "token=yes; b=2".parse().expect("a value"));
        assert_eq!(values(&headers, "token").collect::<Vec<_>>(), ["yes"]);
        headers.append(COOKIE, "token=more; ".repeat(100).parse().expect("a value"));
        assert_eq!(values(&headers, "token").count(), MOST_COOKIES);
        assert!(ours.has_any(&headers));
        headers.insert(COOKIE, "cart=1".parse().expect("a value"));
        assert!(ours.has_any(&headers));
        assert!(!CookiesConfig { cart: "basket".to_owned(), ..ours }.has_any(&headers));
    }

    #[test]
    fn what_browsers_would_refuse_is_refused_first() {
        let with = |adapt: fn(&mut CookiesConfig), environment| {
            let mut cookies = CookiesConfig::default();
            adapt(&mut cookies);
            cookies.mistakes(environment, None).into_iter().map(|(key, _)| key).collect::<Vec<_>>()
        };
        let host = |it: &mut CookiesConfig| it.session = "__host-shop".to_owned();
        assert!(with(|_| (), Environment::Development).is_empty());
        assert!(with(host, Environment::Production).is_empty());
        assert_eq!(with(host, Environment::Development), ["cookies.session"]);
        let below = |it: &mut CookiesConfig| {
            it.session = "__Host-shop".to_owned();
            it.path = "/loja".to_owned();
        };
        assert_eq!(with(below, Environment::Production), ["cookies.session"]);
        let secure = |it: &mut CookiesConfig| it.cart = "__Secure-cart".to_owned();
        assert!(with(secure, Environment::Production).is_empty());
        assert_eq!(with(secure, Environment::Development), ["cookies.cart"]);
        let wrong = |it: &mut CookiesConfig| {
            it.session = "a b".to_owned();
            it.cart = "a b".to_owned();
            it.path = "loja; Secure".to_owned();
            it.domain = Some("loja..br".to_owned());
        };
        let keys =
            ["cookies.session", "cookies.cart", "cookies.cart", "cookies.path", "cookies.domain"];
        assert_eq!(with(wrong, Environment::Production), keys);
    }

    #[test]
    fn the_domain_is_the_shops_own() {
        let mistakes = |domain: &str, base_url: Option<&str>| {
            let cookies = CookiesConfig { domain: Some(domain.to_owned()), ..Default::default() };
            cookies.mistakes(Environment::Development, base_url).len()
        };
        for (domain, base_url) in [
            ("loja.com.br", "https://loja.com.br"),
            ("loja.com.br", "https://WWW.loja.com.br:8443/x"),
            ("Loja.com.br", "https://www.loja.com.br"),
            ("127.0.0.1", "http://127.0.0.1:8080"),
        ] {
            assert_eq!(mistakes(domain, Some(base_url)), 0, "{domain} {base_url}");
        }
        for (domain, base_url) in [
            ("loja.com.br", "https://minhaloja.com.br"),
            ("www.loja.com.br", "https://loja.com.br"),
            ("outra.com.br", "https://loja.com.br"),
            ("0.1", "http://127.0.0.1:8080"),
            ("loja.com.br", "http://[::1]:8080"),
        ] {
            assert_eq!(mistakes(domain, Some(base_url)), 1, "{domain} {base_url}");
        }
        assert_eq!(mistakes("loja.com.br", None), 0);
    }
}
