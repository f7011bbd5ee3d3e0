//! The shop inside another program's server.

#[cfg(feature = "tower")]
use std::convert::Infallible;
use std::fmt;
use std::net::IpAddr;
#[cfg(feature = "axum")]
use std::net::SocketAddr;
use std::sync::Arc;
#[cfg(feature = "tower")]
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::Body;
use hyper::{Request, Response};
use shop_core::{Result, Shop};

use crate::app::{self, App};
use crate::body::RequestBody;
use crate::payload::Payload;
use crate::serve::ServeOptions;

/// The other end of a request's connection, in the request's extensions: for servers that call
/// [`ShopService`] as a `tower::Service` and say nothing of it themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer(pub IpAddr);

/// Answers requests for a shop that another server has accepted. Cheap to clone; all clones share
/// their cache and their limits of rate.
///
/// The background work is not part of it: see [`Shop::run_background`].
///
/// With the feature `tower` it is a `tower::Service`, for `Router::fallback_service` and
/// `Router::nest_service` of axum, say. It must know the peer's address, by which it limits rates:
/// from axum's `ConnectInfo` (feature `axum`, and
/// `into_make_service_with_connect_info::<SocketAddr>()` where the router is served), or else from
/// a [`Peer`] in the request's extensions. A request without either is answered 500, and the log
/// says why.
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

#[cfg(feature = "tower")]
impl<B> tower_service::Service<Request<B>> for ShopService
where
    B: Body<Data = Bytes, Error: Into<Box<dyn std::error::Error + Send + Sync>>> + Send + 'static,
{
    type Response = Response<Payload>;
    type Error = Infallible;
    type Future = shop_core::BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move {
            match peer(&request) {
                Some(peer) => Ok(service.answer(peer, request).await),
                None => Ok(without_peer()),
            }
        })
    }
}

#[cfg(feature = "tower")]
fn peer<B>(request: &Request<B>) -> Option<IpAddr> {
    if let Some(Peer(peer)) = request.extensions().get() {
        return Some(*peer);
    }
    #[cfg(feature = "axum")]
    if let Some(axum::extract::ConnectInfo(peer)) =
        request.extensions().get::<axum::extract::ConnectInfo<SocketAddr>>()
    {
        return Some(peer.ip());
    }
    None
}

/// Rates are limited by the peer's address, so nothing is answered without it.
#[cfg(feature = "tower")]
fn without_peer() -> Response<Payload> {
    const MISSING: &str = "the shop's service does not know the peer's address: serve the router \
                           with `into_make_service_with_connect_info::<SocketAddr>()` (axum's \
                           `ConnectInfo`, feature `axum` of shop-server), or put a \
                           `shop_server::Peer` into the request's extensions";
    tracing::error!("{MISSING}");
    let mut response = Response::new(Payload::from(Bytes::from_static(MISSING.as_bytes())));
    *response.status_mut() = hyper::StatusCode::INTERNAL_SERVER_ERROR;
    response
}
