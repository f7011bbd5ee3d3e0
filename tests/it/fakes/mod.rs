//! Fakes of third parties: small servers that speak their real wire formats and misbehave on
//! demand.

pub(crate) mod authenticator;
pub(crate) mod browser;
pub(crate) mod line;
pub(crate) mod melhor_envio;
pub(crate) mod mercado_pago;
pub(crate) mod person;
pub(crate) mod provider;
pub(crate) mod receiver;
pub(crate) mod sefaz;
mod shipping;
pub(crate) mod signature;
pub(crate) mod smtp;
pub(crate) mod stripe;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{HeaderMap, LOCATION, RETRY_AFTER};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpListener;

pub(crate) use self::shipping::{ACCESS_CODE, Carriers, TOKEN};

/// How a fake behaves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Behavior {
    /// As its documentation says.
    Speaks,
    /// It has nothing to offer.
    Empty,
    /// As its documentation says, after a while.
    Slow(Duration),
    /// With this status, and no JSON.
    Fails(u16),
    /// It was asked too often, and wants to be left alone for so many seconds.
    Busy(u64),
    /// With 200, and no JSON.
    Garbage,
    /// With JSON of some other shape.
    OtherJson,
    /// As its documentation says, and then 10 MB of blanks.
    Huge,
    /// It accepts the connection and says nothing.
    Silent,
    /// It sends one elsewhere.
    Redirects,
}

/// What a fake was sent.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    /// Method, path and query.
    pub(crate) line: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("text"))
    }
}

/// What a fake says to a request, when it speaks and when it has nothing to offer.
type Script = fn(&Received, offers: bool) -> (u16, Value);

#[derive(Clone)]
pub(crate) struct Fake {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

struct State {
    behavior: Behavior,
    received: Vec<Received>,
}

impl Fake {
    async fn start(script: Script) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let state =
            Arc::new(Mutex::new(State { behavior: Behavior::Speaks, received: Vec::new() }));
        let fake = Self { address, state };
        let serving = fake.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let fake = serving.clone();
                let service = service_fn(move |request| answer(fake.clone(), script, request));
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
            }
        });
        fake
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn behaves(&self, behavior: Behavior) {
        self.state.lock().expect("a lock").behavior = behavior;
    }

    /// Everything it was sent since it was last asked this.
    pub(crate) fn received(&self) -> Vec<Received> {
        std::mem::take(&mut self.state.lock().expect("a lock").received)
    }
}

async fn answer(
    fake: Fake,
    script: Script,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.expect("a body").to_bytes();
    let received = Received {
        line: format!("{} {}", parts.method, parts.uri),
        headers: parts.headers,
        body: serde_json::from_slice(&body).unwrap_or_default(),
    };
    let behavior = {
        let mut state = fake.state.lock().expect("a lock");
        state.received.push(received.clone());
        state.behavior
    };
    if received.line.ends_with("/elsewhere") {
        return Ok(Response::new(Full::default()));
    }
    let (mut status, value) = script(&received, behavior != Behavior::Empty);
    let mut text = value.to_string();
    match behavior {
        Behavior::Speaks | Behavior::Empty => {}
        Behavior::Slow(wait) => tokio::time::sleep(wait).await,
        Behavior::Fails(with) => (status, text) = (with, "<html>Erro</html>".to_owned()),
        Behavior::Garbage => "<html>Manutenção</html>".clone_into(&mut text),
        Behavior::OtherJson => "{\"message\":\"ok\"}".clone_into(&mut text),
        Behavior::Huge => text.push_str(&" ".repeat(10_000_000)),
        Behavior::Silent => std::future::pending().await,
        Behavior::Redirects => status = 307,
        Behavior::Busy(_) => status = 429,
    }
    let mut response = Response::new(Full::new(Bytes::from(text)));
    *response.status_mut() = StatusCode::from_u16(status).expect("a status");
    let elsewhere = format!("{}/elsewhere", fake.url()).parse().expect("a value");
    response.headers_mut().insert(LOCATION, elsewhere);
    if let Behavior::Busy(seconds) = behavior {
        response.headers_mut().insert(RETRY_AFTER, seconds.into());
    }
    Ok(response)
}
