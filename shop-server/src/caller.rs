//! Who calls: a row's access rule as a type, and how a request shows who it comes from.

use std::net::IpAddr;
use std::sync::Arc;

use hyper::header::{AUTHORIZATION, COOKIE, HeaderMap};
use ipnet::IpNet;
use shop_core::Result;
use shop_core::account::{Account, Role};
use shop_core::error::{Credential, Error};

use crate::app::{App, Head};

/// The name of the session's cookie.
pub(crate) const COOKIE_NAME: &str = "token";

/// Who may call a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Anybody.
    Public,
    /// Everybody who is logged in.
    Session,
    /// Accounts with the role CUSTOMER.
    Customer,
    /// Accounts with the role ADMIN.
    Admin,
}

/// A caller that a handler can ask for. Identified before the body is read.
pub(crate) trait Caller: Sized + Send + 'static {
    const ACCESS: Access;

    /// # Errors
    /// 401 without a valid session, 403 with one of another role (decision 13).
    fn identify(app: &Arc<App>, head: &Head) -> impl Future<Output = Result<Self>> + Send;
}

/// Anybody.
pub(crate) struct Public;

/// Somebody who is logged in.
pub(crate) struct Session(pub(crate) Account);

/// Somebody who buys.
pub(crate) struct Customer(pub(crate) Account);

/// Somebody who runs the shop.
pub(crate) struct Admin(#[expect(dead_code, reason = "for the back office")] pub(crate) Account);

impl Caller for Public {
    const ACCESS: Access = Access::Public;

    async fn identify(_: &Arc<App>, _: &Head) -> Result<Self> {
        Ok(Self)
    }
}

impl Caller for Session {
    const ACCESS: Access = Access::Session;

    async fn identify(app: &Arc<App>, head: &Head) -> Result<Self> {
        account(app, head).await.map(Self)
    }
}

impl Caller for Customer {
    const ACCESS: Access = Access::Customer;

    async fn identify(app: &Arc<App>, head: &Head) -> Result<Self> {
        with_role(account(app, head).await?, Role::Customer).map(Self)
    }
}

impl Caller for Admin {
    const ACCESS: Access = Access::Admin;

    async fn identify(app: &Arc<App>, head: &Head) -> Result<Self> {
        with_role(account(app, head).await?, Role::Admin).map(Self)
    }
}

async fn account(app: &Arc<App>, head: &Head) -> Result<Account> {
    let headers = &head.parts.headers;
    let token = bearer_token(headers).or_else(|| cookie_token(headers));
    let token = token.ok_or(Error::Unauthenticated(Credential::Session))?;
    app.shop.sessions().verify(token).await
}

fn with_role(account: Account, role: Role) -> Result<Account> {
    if account.role == role { Ok(account) } else { Err(Error::Forbidden) }
}

/// The token of a program that took it from the answer to its log-in.
fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn cookie_token(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(COOKIE).into_iter().filter_map(|cookies| cookies.to_str().ok());
    cookies
        .flat_map(|cookies| cookies.split(';'))
        .filter_map(|cookie| cookie.trim().split_once('='))
        .find_map(|(name, value)| (name == COOKIE_NAME).then_some(value))
}

/// Whether it is a cookie, which browsers send by themselves, that says who calls.
pub(crate) fn calls_by_cookie(headers: &HeaderMap) -> bool {
    bearer_token(headers).is_none() && cookie_token(headers).is_some()
}

/// The client's address. `X-Forwarded-For` is believed only from a trusted proxy, and then from its
/// right end up to the first address that no trusted proxy has (decision 18).
pub(crate) fn client_ip(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let is_trusted = |ip: &IpAddr| trusted.iter().any(|net| net.contains(ip));
    let mut client = peer.to_canonical();
    let lines = headers.get_all("x-forwarded-for").into_iter().rev();
    for hop in lines.flat_map(|line| line.to_str().unwrap_or_default().rsplit(',')) {
        if !is_trusted(&client) {
            break;
        }
        let Ok(ip) = hop.trim().parse::<IpAddr>() else { break };
        client = ip.to_canonical();
    }
    client
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(peer: &str, forwarded: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for line in forwarded {
            headers.append("x-forwarded-for", line.parse().expect("a value"));
        }
        let trusted = ["10.0.0.0/8".parse().expect("a network")];
        client_ip(peer.parse().expect("an address"), &headers, &trusted).to_string()
    }

    #[test]
    fn only_trusted_proxies_say_who_is_behind_them() {
        assert_eq!(client("203.0.113.9", &["198.51.100.1"]), "203.0.113.9");
        assert_eq!(client("10.0.0.1", &[]), "10.0.0.1");
        assert_eq!(client("10.0.0.1", &["198.51.100.1"]), "198.51.100.1");
        assert_eq!(client("::ffff:10.0.0.1", &["198.51.100.1"]), "198.51.100.1");
    }

    #[test]
    fn what_a_client_puts_in_front_is_not_believed() {
        assert_eq!(client("10.0.0.1", &["1.1.1.1, 198.51.100.1"]), "198.51.100.1");
        assert_eq!(client("10.0.0.1", &["1.1.1.1, 198.51.100.1, 10.0.0.2"]), "198.51.100.1");
        assert_eq!(client("10.0.0.1", &["1.1.1.1", "198.51.100.1"]), "198.51.100.1");
        assert_eq!(client("10.0.0.1", &["198.51.100.1, nonsense"]), "10.0.0.1");
    }

    #[test]
    fn the_session_is_found_among_other_cookies() {
        let mut headers = HeaderMap::new();
        headers.append(COOKIE, "a=1; xtoken=no".parse().expect("a value"));
        headers.append(COOKIE, "token=yes; b=2".parse().expect("a value"));
        assert_eq!(cookie_token(&headers), Some("yes"));
        assert!(calls_by_cookie(&headers));
        headers.insert(AUTHORIZATION, "bearer mine".parse().expect("a value"));
        assert_eq!(bearer_token(&headers), Some("mine"));
        assert!(!calls_by_cookie(&headers));
    }
}
