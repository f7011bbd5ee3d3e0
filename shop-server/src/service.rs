//! The shop inside another program's server.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use hyper::body::Body;
use hyper::{Request, Response};
use shop_core::{Result, Shop};

use crate::app::{self, App};
use crate::body::RequestBody;
use crate::payload::Payload;
use crate::serve::ServeOptions;

/// Answers requests for a shop that another server has accepted. Cheap to clone; all clones share
/// their cache and their limits of rate.
///
/// The background work is not part of it: see [`Shop::run_background`].
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// use std::net::{IpAddr, Ipv4Addr};
///
/// use http_body_util::Empty;
/// use hyper::Request;
/// use shop_server::{ServeOptions, ShopService};
///
/// let service = ShopService::new((**shop).clone(), ServeOptions::default())?;
/// let request = Request::get("/api/products").body(Empty::<bytes::Bytes>::new())?;
/// let answer = service.answer(IpAddr::V4(Ipv4Addr::LOCALHOST), request).await;
/// assert_eq!(answer.status(), 200);
/// # Ok(())
/// # });
/// ```
#[derive(Clone)]
pub struct ShopService {
    pub(crate) app: Arc<App>,
}

impl fmt::Debug for ShopService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShopService").finish_non_exhaustive()
    }
}

impl ShopService {
    /// Sets everything up that requests share. The options about connections do not count:
    /// those are the other server's.
    ///
    /// # Errors
    /// When the table of endpoints is wrong.
    pub fn new(shop: Shop, options: ServeOptions) -> Result<Self> {
        Ok(Self { app: Arc::new(App::new(shop, options)?) })
    }

    /// Answers one request. `peer` is the other end of the connection; what a trusted
    /// proxy says about its own clients is looked at here.
    pub async fn answer<B>(&self, peer: IpAddr, request: Request<B>) -> Response<Payload>
    where
        B: Body<Data = Bytes, Error: Into<Box<dyn std::error::Error + Send + Sync>>>
            + Send
            + 'static,
    {
        let request = request.map(|body| RequestBody::foreign(body, &self.app.body_budget));
        let Ok(answer) = app::handle(&self.app, peer, request).await;
        answer
    }
}
