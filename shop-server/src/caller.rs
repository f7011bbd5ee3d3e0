//! Callers: a row's access rule as a type, and how a request proves it.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use hyper::header::{AUTHORIZATION, HeaderMap};
use ipnet::IpNet;
use shop_core::account::{Account, Identity, Role};
use shop_core::actor::Actor;
use shop_core::api_key::Scope;
use shop_core::cart::{CartOwner, GuestToken};
use shop_core::error::{Credential, Error};

use crate::app::{App, Head};
use crate::cookie::{self, CookiesConfig};
use crate::rate_limit::{Client, Rate};
use crate::reply::Failure;

/// How often one client may change carts without being logged in. Each call may make a cart.
pub(crate) const GUESTS: Rate =
    Rate { name: "guest_cart", max: 120, window: Duration::from_secs(60) };

/// Which callers a row admits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Every caller.
    Public,
    /// Every caller; a guest's cart may come along.
    Guest,
    /// By a session, or where the setting `carts.guests` allows it by the cookie of a guest's cart.
    Shopper,
    /// Sessions of any role.
    Session,
    /// Sessions of any role, for what concerns their own account.
    Own,
    /// Sessions of any role, and the links to one order that mails carry.
    Order,
    /// Accounts with the role CUSTOMER.
    Customer,
    /// Accounts with the role ADMIN.
    Admin,
    /// Accounts with the role ADMIN, for what concerns their own account: also where the shop
    /// demands two-factor log-ins that they do not have yet.
    Staff,
    /// Programs by a key with the scope.
    Key(Scope),
    /// Every caller; a key that is sent must have the scope.
    PublicOrKey(Scope),
    /// Sessions of any role, and programs by a key with the scope.
    SessionOrKey(Scope),
}

impl Access {
    /// Whether a cookie can identify the caller.
    pub(crate) fn knows_cookies(self) -> bool {
        !matches!(self, Self::Public | Self::Key(_) | Self::PublicOrKey(_))
    }

    /// The scope that a key must have here, where keys count.
    pub(crate) fn scope(self) -> Option<Scope> {
        match self {
            Self::Key(scope) | Self::PublicOrKey(scope) | Self::SessionOrKey(scope) => Some(scope),
            Self::Public
            | Self::Guest
            | Self::Shopper
            | Self::Session
            | Self::Own
            | Self::Order
            | Self::Customer
            | Self::Admin
            | Self::Staff => None,
        }
    }
}

/// A caller that a handler can ask for. Identified before the body is read.
pub(crate) trait Caller: Sized + Send + 'static {
    const ACCESS: Access;

    /// # Errors
    /// 401 without a valid session or key, 403 with a session of another role.
    fn identify(app: &Arc<App>, head: &Head) -> impl Future<Output = Result<Self, Failure>> + Send;
}

/// Every caller.
pub(crate) struct Public;

/// Every caller, with the guest's cart and the session that came along.
pub(crate) struct Newcomer {
    pub(crate) cart: Option<GuestToken>,
    pub(crate) account: Option<Account>,
}

/// The owner of a cart; a guest without a cart gets one by the first change.
pub(crate) struct Shopper(pub(crate) CartOwner);

/// A session of any role.
pub(crate) struct Session(pub(crate) Account);

/// A session of a customer.
pub(crate) struct Customer(pub(crate) Account);

/// A session of an admin.
pub(crate) struct Admin(pub(crate) Account);

/// A caller whose changes the audit log keeps.
pub(crate) trait Acting {
    /// The actor that the audit log names.
    fn actor(&self) -> Actor;
}

impl Acting for Admin {
    fn actor(&self) -> Actor {
        Actor::Admin(self.0.id.clone())
    }
}

impl Caller for Public {
    const ACCESS: Access = Access::Public;

    async fn identify(_: &Arc<App>, _: &Head) -> Result<Self, Failure> {
        Ok(Self)
    }
}

impl Caller for Newcomer {
    const ACCESS: Access = Access::Guest;

    async fn identify(app: &Arc<App>, head: &Head) -> Result<Self, Failure> {
        let guests = app.shop.config().carts.guests;
        let cart = guest_token(&head.parts.headers, &app.options.cookies).filter(|_| guests);
        match account(app, head).await {
            Ok(account) => Ok(Self { cart, account: Some(account) }),
            Err(Error::Unauthenticated(_) | Error::Refused(_)) => Ok(Self { cart, account: None }),
            Err(other) => Err(other.into()),
        }
    }
}

impl Caller for Shopper {
    const ACCESS: Access = Access::Shopper;

    /// A browser with a session that has ended goes on as a guest; a program with a token that is
    /// not valid is told so. Without guests' carts a session is needed.
    async fn identify(app: &Arc<App>, head: &Head) -> Result<Self, Failure> {
        if !app.shop.config().carts.guests {
            return Ok(Self(CartOwner::Account(account(app, head).await?.id)));
        }
        let (headers, cookies) = (&head.parts.headers, &app.options.cookies);
        if session_tokens(headers, &cookies.session).next().is_some() {
            match account(app, head).await {
                Ok(account) => return Ok(Self(CartOwner::Account(account.id))),
                Err(Error::Unauthenticated(_)) if bearer_token(headers).is_none() => {}
                Err(other) => return Err(other.into()),
            }
        }
        if !head.parts.method.is_safe() {
            let client = Client::Network(head.client);
            let admitted = app.limiter.admit(GUESTS, client, app.shop.now());
            admitted.map_err(Failure::TooMany)?;
        }
        let token = guest_token(headers, cookies).map_or_else(GuestToken::generate, Ok)?;
        Ok(Self(CartOwner::Guest(token)))
    }
}

impl Caller for Session {
    const ACCESS: Access = Access::Session;

    async fn identify(app: &Arc<App>, head: &Head) -> Result<Self, Failure> {
        Ok(Self(account(app, head).await?))
    }
}

impl Caller for Customer {
    const ACCESS: Access = Access::Customer;

    async fn identify(app: &Arc<App>, head: &Head) -> Result<Self, Failure> {
        Ok(Self(with_role(account(app, head).await?, Role::Customer)?))
    }
}

impl Caller for Admin {
    const ACCESS: Access = Access::Admin;

    async fn identify(app: &Arc<App>, head: &Head) -> Result<Self, Failure> {
        Ok(Self(with_role(account(app, head).await?, Role::Admin)?))
    }
}

/// The account of the session that a request came with.
pub(crate) async fn account(app: &Arc<App>, head: &Head) -> Result<Account, Error> {
    identity(app, head).await?.admitted()
}

/// The holder of the session that a request came with, who may have to enrol a second factor first.
pub(crate) async fn identity(app: &Arc<App>, head: &Head) -> Result<Identity, Error> {
    identify(app, &head.parts.headers).await
}

/// As [`identity`], of a request's headers.
pub(crate) async fn identify(app: &App, headers: &HeaderMap) -> Result<Identity, Error> {
    for token in session_tokens(headers, &app.options.cookies.session) {
        match app.shop.sessions().identify(token).await {
            Err(Error::Unauthenticated(_)) => {}
            identified => return identified,
        }
    }
    Err(Error::Unauthenticated(Credential::Session))
}

/// What may be tokens of sessions: the bearer token, else the cookies of the name.
pub(crate) fn session_tokens<'h>(
    headers: &'h HeaderMap,
    cookie: &'h str,
) -> impl Iterator<Item = &'h str> {
    let bearer = bearer_token(headers);
    let of_browser = bearer.is_none().then(|| cookie::values(headers, cookie));
    bearer.into_iter().chain(of_browser.into_iter().flatten())
}

pub(crate) fn with_role(account: Account, role: Role) -> Result<Account, Error> {
    if account.role == role { Ok(account) } else { Err(Error::Forbidden) }
}

/// A program's key, or a token that it took from the answer to its log-in.
pub(crate) fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// The guest's cart, unless what the cookie says can be none.
fn guest_token(headers: &HeaderMap, cookies: &CookiesConfig) -> Option<GuestToken> {
    cookie::values(headers, &cookies.cart).find_map(|value| value.parse().ok())
}

/// Whether a cookie identifies the caller: browsers send it by themselves.
pub(crate) fn calls_by_cookie(headers: &HeaderMap, cookies: &CookiesConfig) -> bool {
    bearer_token(headers).is_none() && cookies.has_any(headers)
}

/// The client's address. `X-Forwarded-For` is believed only from a trusted proxy, and then from its
/// right end up to the first address that no trusted proxy has (docs/decisions.md, "Access").
pub(crate) fn client_ip(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let is_trusted = |ip: &IpAddr| trusted.iter().any(|net| net.contains(ip));
    let mut client = peer.to_canonical();
    let lines = headers.get_all("x-forwarded-for").into_iter().rev();
    for hop in lines.flat_map(|line| line.to_str().unwrap_or_default().rsplit(',')) {
        if !is_trusted(&client) {
            break;
        }
        let Some(ip) = address(hop.trim()) else { break };
        client = ip.to_canonical();
    }
    client
}

/// An address as proxies write it: alone, in brackets, or with the port that the client had.
fn address(hop: &str) -> Option<IpAddr> {
    let bracketed = || hop.strip_prefix('[')?.strip_suffix(']')?.parse::<Ipv6Addr>().ok();
    let with_port = || hop.parse::<SocketAddr>().ok().map(|it| it.ip());
    hop.parse().ok().or_else(with_port).or_else(|| bracketed().map(IpAddr::V6))
}

#[cfg(test)]
mod tests {
    use hyper::header::COOKIE;

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
    fn only_trusted_proxies_name_the_client_behind_them() {
        assert_eq!(client("203.0.113.9", &["198.51.100.1"]), "203.0.113.9");
        assert_eq!(client("10.0.0.1", &[]), "10.0.0.1");
        assert_eq!(client("10.0.0.1", &["198.51.100.1"]), "198.51.100.1");
        assert_eq!(client("::ffff:10.0.0.1", &["198.51.100.1"]), "198.51.100.1");
    }

    #[test]
    fn an_address_may_have_its_port() {
        for (hop, address) in [
            ("198.51.100.1:5678", "198.51.100.1"),
            ("[2001:db8::1]:443", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("2001:db8::1", "2001:db8::1"),
            ("[::ffff:198.51.100.1]:9", "198.51.100.1"),
            ("1.1.1.1, 198.51.100.1:5678 , 10.0.0.2:80", "198.51.100.1"),
        ] {
            assert_eq!(client("10.0.0.1", &[hop]), address, "{hop}");
        }
        for nonsense in ["198.51.100.1:", "198.51.100.1:99999", "[198.51.100.1]", "[2001:db8::1"] {
            assert_eq!(client("10.0.0.1", &[nonsense]), "10.0.0.1", "{nonsense}");
        }
    }

    #[test]
    fn what_a_client_puts_in_front_is_not_believed() {
        assert_eq!(client("10.0.0.1", &["1.1.1.1, 198.51.100.1"]), "198.51.100.1");
        assert_eq!(client("10.0.0.1", &["1.1.1.1, 198.51.100.1, 10.0.0.2"]), "198.51.100.1");
        assert_eq!(client("10.0.0.1", &["1.1.1.1", "198.51.100.1"]), "198.51.100.1");
        assert_eq!(client("10.0.0.1", &["198.51.100.1, nonsense"]), "10.0.0.1");
    }

    #[test]
    fn a_bearer_token_goes_before_a_cookie() {
        let cookies = CookiesConfig::default();
        let mut headers = HeaderMap::new();
        headers.append(COOKIE, "token=browsers".parse().expect("a value"));
        assert!(calls_by_cookie(&headers, &cookies));
        headers.insert(AUTHORIZATION, "bearer mine".parse().expect("a value"));
        assert_eq!(session_tokens(&headers, "token").collect::<Vec<_>>(), ["mine"]);
        assert!(!calls_by_cookie(&headers, &cookies));
    }

    #[test]
    fn a_guests_cart_is_a_cookie_too() {
        let cookies = CookiesConfig::default();
        let token = GuestToken::generate().expect("a token");
        let mut headers = HeaderMap::new();
        let text = format!("a=1; cart={}", token.reveal());
        headers.insert(COOKIE, text.parse().expect("a value"));
        assert_eq!(guest_token(&headers, &cookies), Some(token));
        headers.insert(COOKIE, "cart=nonsense".parse().expect("a value"));
        assert_eq!(guest_token(&headers, &cookies), None);
    }
}
