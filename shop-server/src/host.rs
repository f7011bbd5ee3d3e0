//! What a program with users of its own needs of the service beside it: whose session a request
//! comes with, and the cookies that keep and end one.

use hyper::header::{HeaderMap, HeaderValue};
use shop_core::account::{Identity, Session};
use shop_core::{Error, Result};

use crate::caller;
use crate::service::ShopService;

impl ShopService {
    /// Whose session a request comes with: by its bearer token, else by the cookie. Reads only; a
    /// program that changes something for a cookie's sake looks at `Origin` first.
    ///
    /// ```
    /// # shop_core::testing::run(async |shop| {
    /// use hyper::HeaderMap;
    /// use hyper::header::COOKIE;
    /// use shop_server::{ServeOptions, ShopService};
    ///
    /// let service = ShopService::new((**shop).clone(), ServeOptions::default())?;
    /// // The program knows who it is; the shop's pages and endpoints take the cookie from then on.
    /// let ana = shop.buyer("Ana").await?;
    /// let session = shop.sessions().issue(&ana.id).await?;
    /// let set_cookie = service.session_cookie(&session)?;
    ///
    /// let (cookie, _) = set_cookie.to_str()?.split_once(';').unwrap();
    /// let headers = HeaderMap::from_iter([(COOKIE, cookie.parse()?)]);
    /// assert_eq!(service.identify(&headers).await?.account.id, ana.id);
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`Credential::Session`](shop_core::error::Credential::Session) where it comes with none, or
    /// with one that has ended. [`Identity::admitted`] refuses staff who must enrol a second
    /// factor.
    pub async fn identify(&self, headers: &HeaderMap) -> Result<Identity> {
        caller::identify(&self.app, headers).await
    }

    /// The value of a `Set-Cookie` that keeps a session, as the answer to a log-in has it.
    ///
    /// # Errors
    /// [`Error::Internal`] when it cannot stand in a header.
    pub fn session_cookie(&self, session: &Session) -> Result<HeaderValue> {
        let cookies = &self.app.options.cookies;
        header(&cookies.keep_session(&self.app.shop, &session.token))
    }

    /// The value of a `Set-Cookie` that makes a browser forget its session.
    ///
    /// # Errors
    /// As [`ShopService::session_cookie`].
    pub fn end_session_cookie(&self) -> Result<HeaderValue> {
        header(&self.app.options.cookies.forget_session(&self.app.shop))
    }
}

fn header(cookie: &str) -> Result<HeaderValue> {
    HeaderValue::from_str(cookie).map_err(Error::from_source)
}
