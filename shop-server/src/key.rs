//! Programs that call with an API key: callers whose scope is part of the row's type.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use shop_core::account::Account;
use shop_core::actor::Actor;
use shop_core::api_key::{ApiKey, Scope};
use shop_core::id::ApiKeyId;

use crate::app::{App, Head};
use crate::caller::{Access, Acting, Caller, Session, bearer_token};
use crate::rate_limit::{Client, Quota, Rate, TooMany};
use crate::reply::Failure;

/// A scope as a type, which a row names and its handler's caller must have.
pub(crate) trait Demand: Send + 'static {
    const SCOPE: Scope;
}

macro_rules! demands {
    ($($(#[$doc:meta])* $name:ident;)+) => {$(
        $(#[$doc])*
        pub(crate) struct $name;

        impl Demand for $name {
            const SCOPE: Scope = Scope::$name;
        }
    )+};
}

demands! {
    /// `products:read`.
    ProductsRead;
    /// `products:write`.
    ProductsWrite;
    /// `stock:write`.
    StockWrite;
    /// `orders:read`.
    OrdersRead;
    /// `orders:write`.
    OrdersWrite;
}

/// A program with a key that has the scope.
pub(crate) struct Key<S> {
    id: ApiKeyId,
    scope: PhantomData<S>,
}

/// Every caller; a key that is sent must be valid and have the scope.
pub(crate) struct PublicOrKey<S> {
    scope: PhantomData<S>,
}

/// A session of any role, or a program with a key that has the scope.
pub(crate) enum SessionOrKey<S> {
    Session(Box<Account>),
    Key(PhantomData<S>),
}

impl<S> Acting for Key<S> {
    fn actor(&self) -> Actor {
        Actor::Key(self.id.clone())
    }
}

impl<S: Demand> Caller for Key<S> {
    const ACCESS: Access = Access::Key(S::SCOPE);

    /// A key that is missing takes the same work as one that is wrong.
    async fn identify(app: &Arc<App>, head: &Head) -> Result<Self, Failure> {
        let raw = bearer_token(&head.parts.headers).unwrap_or_default();
        let key = app.shop.api_keys().verify(raw, S::SCOPE).await?;
        let ApiKey { id, .. } = key;
        count(app, head, &id)?;
        Ok(Self { id, scope: PhantomData })
    }
}

impl<S: Demand + Sync> Caller for PublicOrKey<S> {
    const ACCESS: Access = Access::PublicOrKey(S::SCOPE);

    /// A page may send its session along, which is none of this row's business: it has dots, and no
    /// key has.
    async fn identify(app: &Arc<App>, head: &Head) -> Result<Self, Failure> {
        if bearer_token(&head.parts.headers).is_some_and(|token| !token.contains('.')) {
            Key::<S>::identify(app, head).await?;
        }
        Ok(Self { scope: PhantomData })
    }
}

impl<S: Demand> Caller for SessionOrKey<S> {
    const ACCESS: Access = Access::SessionOrKey(S::SCOPE);

    async fn identify(app: &Arc<App>, head: &Head) -> Result<Self, Failure> {
        let token = bearer_token(&head.parts.headers);
        if token.is_some_and(|token| token.starts_with(ApiKey::PREFIX)) {
            let Key { scope, .. } = Key::identify(app, head).await?;
            return Ok(Self::Key(scope));
        }
        let Session(account) = Session::identify(app, head).await?;
        Ok(Self::Session(Box::new(account)))
    }
}

const LIMIT: HeaderName = HeaderName::from_static("ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("ratelimit-reset");

/// Counts a key's call. What is left of its quota is told with the answer, whatever that is.
fn count(app: &App, head: &Head, key: &ApiKeyId) -> Result<(), Failure> {
    let max = app.shop.config().api.requests_per_minute;
    if max == 0 {
        return Ok(());
    }
    let max = usize::try_from(max).unwrap_or(usize::MAX);
    let rate = Rate { name: "api_key", max, window: Duration::from_secs(60) };
    let admitted = app.limiter.admit(rate, Client::Key(key.as_str().into()), app.shop.now());
    let quota = match admitted {
        Ok(quota) => quota,
        Err(TooMany { max, retry_after }) => Quota { max, remaining: 0, reset: retry_after },
    };
    head.quota.get_or_init(|| quota);
    admitted.map(drop).map_err(Failure::TooMany)
}

impl Quota {
    /// Tells a program how often it may still call.
    pub(crate) fn mark(self, headers: &mut HeaderMap) {
        headers.insert(LIMIT, HeaderValue::from(self.max));
        headers.insert(REMAINING, HeaderValue::from(self.remaining));
        let seconds = self.reset.as_millis().div_ceil(1000);
        headers.insert(RESET, HeaderValue::from(u64::try_from(seconds).unwrap_or(u64::MAX)));
    }
}
