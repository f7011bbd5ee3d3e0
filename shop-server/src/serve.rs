//! Connections: taking them in, and letting them end.

use std::io;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use shop_core::Shop;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::app::{self, App};
use crate::body::RequestBody;

/// How long to wait when the machine has no more file descriptors: until some connection ends.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// How the server behaves. The defaults are what a shop on the internet wants.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// Whether answers of the public catalogue are kept. Off only to measure what that gains.
    pub cache: bool,
    /// How many connections may be open; further ones wait in the machine's queue.
    pub max_connections: usize,
    /// How long a connection may take to send a request's head, and may idle between requests.
    pub header_timeout: Duration,
    /// How long a request's body may take.
    pub body_timeout: Duration,
    /// How long requests in flight may take to end once the server is told to stop.
    pub drain_timeout: Duration,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self {
            cache: true,
            max_connections: 4096,
            header_timeout: Duration::from_secs(30),
            body_timeout: Duration::from_secs(30),
            drain_timeout: Duration::from_secs(30),
        }
    }
}

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
    let connections = accept_until(&app, listener, shutdown).await;
    drop(running);
    let drained = async {
        connections.shutdown().await;
        // It ends between two of its jobs; a panic in it was logged when it happened.
        drop(background.await);
    };
    if tokio::time::timeout(drain_timeout, drained).await.is_err() {
        tracing::warn!("stopped with requests still under way");
    }
    Ok(())
}

async fn until_dropped(mut stopped: watch::Receiver<()>) {
    while stopped.changed().await.is_ok() {}
}

async fn accept_until(
    app: &Arc<App>,
    listener: TcpListener,
    shutdown: impl Future<Output = ()> + Send,
) -> GracefulShutdown {
    let connections = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(app.options.max_connections));
    let mut shutdown = pin!(shutdown);
    loop {
        let (place, stream, peer) = tokio::select! {
            biased;
            () = &mut shutdown => return connections,
            accepted = accept(&listener, &places) => accepted,
        };
        // Answers are written whole, so there is nothing to wait for before sending.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection ended before it began");
            continue;
        }
        connect(app, &connections, place, stream, peer);
    }
}

async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> (Option<OwnedSemaphorePermit>, TcpStream, IpAddr) {
    // The semaphore is never closed, so there always is a place in the end.
    let place = Arc::clone(places).acquire_owned().await.ok();
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => return (place, stream, peer.ip()),
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Serves one connection on a task of its own.
fn connect(
    app: &Arc<App>,
    connections: &GracefulShutdown,
    place: Option<OwnedSemaphorePermit>,
    stream: TcpStream,
    peer: IpAddr,
) {
    let service = {
        let app = Arc::clone(app);
        service_fn(move |request: Request<Incoming>| {
            app::handle(&app, peer, request.map(RequestBody::Own))
        })
    };
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(app.options.header_timeout)
        .serve_connection(TokioIo::new(stream), service);
    let connection = connections.watch(connection);
    let open = app.metrics.connections.clone();
    open.inc();
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection broke");
        }
        open.dec();
        drop(place);
    });
}
