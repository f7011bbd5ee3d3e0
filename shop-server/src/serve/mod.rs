//! Connections: taking them in, and letting them end.

mod activity;
mod options;
mod overflow;
mod paced;
mod places;

use std::convert::Infallible;
use std::io;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hyper::body::Incoming;
use hyper::header::{CONNECTION, EXPECT, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use shop_core::Shop;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

pub(crate) use self::activity::Activity;
use self::activity::Answering;
pub use self::options::ServeOptions;
use self::overflow::Overflow;
use self::paced::Paced;
pub(crate) use self::places::{Place, Places};
use crate::app::{self, App};
use crate::body::{self, RequestBody};
use crate::payload::Payload;

/// How long to wait when the machine has no more file descriptors: until some connection ends.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// How many connections may wait in the machine's queue at most.
const QUEUE: usize = 4096;
/// How often a connection is looked at once the server is told to stop.
const LOOK: Duration = Duration::from_millis(50);
/// The most that a head may have, and that a connection holds of an answer that is not written yet.
pub(crate) const BUFFER: usize = 32 * 1024;

/// Answers requests, and does the shop's background work, until `shutdown` is ready. Then no
/// connection is taken any more, and those that are open end with the request they are at.
///
/// # Errors
/// When the server cannot be set up; nothing is served then.
pub async fn serve(
    shop: Shop,
    listener: TcpListener,
    options: ServeOptions,
    shutdown: impl Future<Output = ()> + Send,
) -> io::Result<()> {
    let (running, stopped) = watch::channel(());
    let background = tokio::spawn({
        let shop = shop.clone();
        async move { shop.run_background(until_dropped(stopped)).await }
    });
    let drain_timeout = options.drain_timeout;
    let app = Arc::new(App::new(shop, options).map_err(io::Error::other)?);
    let connections = Connections::new(&app);
    let ended = connections.stop.clone();
    connections.accept_until(listener, shutdown).await;
    drop(running);
    let drained = async {
        app.streams.end();
        ended.send_replace(true);
        ended.closed().await;
        // It ends between two of its jobs; a panic in it was logged when it happened.
        drop(background.await);
    };
    if timeout(drain_timeout, drained).await.is_err() {
        tracing::warn!("stopped with requests still under way");
    }
    Ok(())
}

async fn until_dropped(mut stopped: watch::Receiver<()>) {
    while stopped.changed().await.is_ok() {}
}

/// Takes connections in.
struct Connections {
    app: Arc<App>,
    places: Arc<Places>,
    overflow: Overflow,
    /// Tells connections to end. Each has a receiver for as long as it lives.
    stop: watch::Sender<bool>,
}

impl Connections {
    fn new(app: &Arc<App>) -> Self {
        let proxies = app.options.trusted_proxies.clone();
        let ServeOptions { max_connections, max_connections_per_address, .. } = app.options;
        let max_connections = places::affordable(max_connections);
        Self {
            app: Arc::clone(app),
            places: Places::new(max_connections, max_connections_per_address, proxies.clone()),
            overflow: Overflow::new(proxies),
            stop: watch::channel(false).0,
        }
    }

    async fn accept_until(self, listener: TcpListener, shutdown: impl Future<Output = ()> + Send) {
        let mut shutdown = pin!(shutdown);
        loop {
            tokio::select! {
                biased;
                () = &mut shutdown => break,
                accepted = listener.accept() => match accepted {
                    Ok((stream, peer)) => self.take(stream, peer.ip()),
                    Err(error) => {
                        tracing::warn!(%error, "cannot accept a connection");
                        tokio::time::sleep(ACCEPT_PAUSE).await;
                    }
                }
            }
        }
        if let Err(error) = self.empty_queue(listener) {
            tracing::warn!(%error, "connections that waited to be accepted may have been reset");
        }
    }

    /// Takes those in that wait in the machine's queue, which would be reset with the listener. At
    /// once and without awaiting, so that hardly any comes between the last one and the end: where
    /// another server listens on the same port, it gets those that come now.
    fn empty_queue(&self, listener: TcpListener) -> io::Result<()> {
        let listener = listener.into_std()?;
        for _ in 0..QUEUE {
            match listener.accept() {
                Ok((stream, peer)) => {
                    stream.set_nonblocking(true)?;
                    self.take(TcpStream::from_std(stream)?, peer.ip());
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn take(&self, stream: TcpStream, peer: IpAddr) {
        if let Some(place) = self.places.take(peer) {
            self.connect(place, stream, peer);
        } else {
            self.app.metrics.refused_connections.inc();
            let app = Arc::clone(&self.app);
            self.overflow.take(stream, peer, move || app.ids.next());
        }
    }

    /// Serves one connection on a task of its own.
    fn connect(&self, place: Place, stream: TcpStream, peer: IpAddr) {
        let activity = Arc::new(Activity::default());
        let stall = self.app.options.stall_timeout;
        let stream = match Paced::new(stream, stall, Arc::clone(&activity)) {
            Ok(stream) => stream,
            Err(error) => return tracing::debug!(%error, "a connection ended before it began"),
        };
        let (app, stop) = (Arc::clone(&self.app), self.stop.subscribe());
        app.metrics.connections.inc();
        tokio::spawn(async move {
            if let Err(error) = serve_connection(&app, stream, peer, activity, stop).await {
                tracing::debug!(%error, "a connection broke");
            }
            app.metrics.connections.dec();
            drop(place);
        });
    }
}

/// Answers one request, and says whether its connection can take another.
async fn respond(
    app: &Arc<App>,
    peer: IpAddr,
    activity: &Arc<Activity>,
    request: Request<Incoming>,
) -> Result<Response<Answering>, Infallible> {
    let visit = activity.begin();
    if head_size(&request) > BUFFER {
        return Ok(head_too_large().map(|payload| Answering::new(payload, visit)));
    }
    // Who waits to be told to send the body may not send it at all.
    let waits = request.headers().contains_key(EXPECT);
    let request = request.map(|it| RequestBody::own(it, &app.body_budget, Arc::clone(activity)));
    let mut answer = app::handle(app, peer, request).await?;
    if let Some(unread) = activity.take_unread()
        && (waits || !body::passed_over(unread).await)
    {
        answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    Ok(answer.map(|payload| Answering::new(payload, visit)))
}

/// The bytes of a head as a client writes it. hyper refuses one only when its buffer is full, and
/// that grows to several times the size it is given, by how the bytes arrive.
fn head_size(request: &Request<Incoming>) -> usize {
    let path = request.uri().path_and_query().map_or(0, |path| path.as_str().len());
    let line = request.method().as_str().len() + path + "  HTTP/1.1\r\n\r\n".len();
    let headers = request.headers().iter();
    let of = |(name, value): (&HeaderName, &HeaderValue)| name.as_str().len() + value.len() + 4;
    line + headers.map(of).sum::<usize>()
}

/// What hyper answers to an even larger one.
fn head_too_large() -> Response<Payload> {
    let mut answer = Response::new(Payload::from(Bytes::new()));
    *answer.status_mut() = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
    answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    answer
}

async fn serve_connection(
    app: &Arc<App>,
    stream: Paced,
    peer: IpAddr,
    activity: Arc<Activity>,
    mut stop: watch::Receiver<bool>,
) -> hyper::Result<()> {
    let service = service_fn(|request| respond(app, peer, &activity, request));
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(app.options.header_timeout)
            .max_buf_size(BUFFER)
            .serve_connection(TokioIo::new(stream), service)
    );
    tokio::select! {
        ended = connection.as_mut() => return ended,
        // An error says that the server is gone, which ends it too.
        _ = stop.wait_for(|stop| *stop) => {}
    }
    let stopped = Instant::now();
    let mut told = false;
    while stopped.elapsed() < activity.grace(app.options.drain_timeout) {
        // Closes at once between two requests. A connection that was just made has its first one
        // under way, and no client sends that again.
        if !told && activity.had_requests() {
            connection.as_mut().graceful_shutdown();
            told = true;
        }
        if let Ok(ended) = timeout(LOOK, connection.as_mut()).await {
            return ended;
        }
    }
    Ok(())
}
