//! Connections that have no place: each is told so in one answer, and only `/healthz` is answered,
//! so that a server under a flood is not taken for one that is dead.

use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::header::{CONNECTION, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use ipnet::IpNet;
use socket2::SockRef;
use tokio::net::TcpStream;

use super::places::{Place, Places};
use crate::output::JSON;
use crate::payload::Payload;
use crate::reply::{self, Failure};
use crate::request_id::RequestId;

/// How many connections are told at a time; those beyond are closed without a word.
const PLACES: usize = 64;
/// Of which one address may have so many.
const PLACES_BY_NETWORK: usize = 16;
/// How long one may take in all.
const DEADLINE: Duration = Duration::from_secs(1);
/// The smallest buffer that hyper takes.
const BUFFER: usize = 8 * 1024;
/// When to try again.
const RETRY: Duration = Duration::from_secs(5);

/// Answers connections that have no place.
#[derive(Debug)]
pub(super) struct Overflow(Arc<Places>);

impl Overflow {
    pub(super) fn new(proxies: Vec<IpNet>) -> Self {
        Self(Places::new(PLACES, PLACES_BY_NETWORK, proxies))
    }

    pub(super) fn take(
        &self,
        stream: TcpStream,
        peer: IpAddr,
        id: impl Fn() -> RequestId + Send + Sync + 'static,
    ) {
        match self.0.take(peer) {
            Some(place) => drop(tokio::spawn(turn_away(stream, place, id))),
            // Nothing of it stays, also not in the machine's tables.
            None => drop(SockRef::from(&stream).set_linger(Some(Duration::ZERO))),
        }
    }
}

async fn turn_away(stream: TcpStream, place: Place, id: impl Fn() -> RequestId) {
    let service = service_fn(|request: Request<Incoming>| {
        let answer = answer(request.uri().path(), id());
        async move { Ok::<_, Infallible>(answer) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(DEADLINE)
        .max_buf_size(BUFFER)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service);
    if tokio::time::timeout(DEADLINE, connection).await.is_err() {
        tracing::debug!("a connection without a place took too long");
    }
    drop(place);
}

fn answer(path: &str, id: RequestId) -> Response<Payload> {
    let mut response = if path == "/healthz" {
        let mut healthy = Response::new(Payload::Whole(r#"{"status":"ok"}"#.into()));
        healthy.headers_mut().insert(CONTENT_TYPE, JSON);
        healthy
    } else {
        reply::render(Failure::Shop(shop_core::Error::Busy { retry_after: RETRY }), id)
    };
    debug_assert!(
        response.status() == StatusCode::OK || response.headers().contains_key(RETRY_AFTER)
    );
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}
