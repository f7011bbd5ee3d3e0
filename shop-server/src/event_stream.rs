//! Server-sent events: answers that go on, one line of text after the other.
//!
//! Each takes a place, of which there are few, by address and in all; a page that gets none asks
//! again and again instead. A stream ends with the server.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, BoxStream, Stream, StreamExt};
use hyper::Response;
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use serde::Serialize;
use shop_core::{Error, Result};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::openapi::{Operation, Schemas};
use crate::output::Output;
use crate::payload::Payload;
use crate::serve::{Place, Places};

/// How many streams there may be.
const MAX_STREAMS: usize = 1000;
/// How many of them one IPv4 address or one IPv6 /64 may have.
const MAX_BY_ADDRESS: usize = 10;
/// How often a stream says that it is still there, for proxies that close what is silent.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// How long to wait before asking for a place again.
const RETRY: Duration = Duration::from_secs(10);

/// The type of a stream.
pub(crate) const EVENT_STREAM: &str = "text/event-stream";
/// Keeps nginx from holding a stream back until it ends.
const NO_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// The places of streams, and what ends them.
pub(crate) struct EventStreams {
    places: Arc<Places>,
    stop: watch::Sender<bool>,
}

impl Default for EventStreams {
    fn default() -> Self {
        let places = Places::new(MAX_STREAMS, MAX_BY_ADDRESS, Vec::new());
        Self { places, stop: watch::Sender::new(false) }
    }
}

impl EventStreams {
    /// A place for a stream.
    ///
    /// # Errors
    /// [`Error::Busy`] where the address, or the server, has no more.
    pub(crate) fn take(&self, client: IpAddr) -> Result<StreamPlace> {
        let place = self.places.take(client).ok_or(Error::Busy { retry_after: RETRY })?;
        Ok(StreamPlace { place, stop: self.stop.subscribe() })
    }

    /// Ends every stream.
    pub(crate) fn end(&self) {
        self.stop.send_replace(true);
    }
}

/// A place that one stream has.
pub(crate) struct StreamPlace {
    place: Place,
    stop: watch::Receiver<bool>,
}

/// 200 with events that come while it is sent.
pub(crate) struct EventStream(BoxStream<'static, Result<Bytes>>);

impl EventStream {
    /// Sends each value as an event of this name, and a comment where none comes for a while.
    pub(crate) fn new<T: Serialize + Send + 'static>(
        name: &'static str,
        values: impl Stream<Item = T> + Send + 'static,
        StreamPlace { place, mut stop }: StreamPlace,
    ) -> Self {
        let stopped = async move {
            // An error says that the server is gone.
            drop(stop.wait_for(|stop| *stop).await);
        };
        let pieces = stream::unfold((values.boxed(), place), async move |(mut values, place)| {
            let piece = match timeout(HEARTBEAT, values.next()).await {
                Err(_) => Ok(Bytes::from_static(b":\n\n")),
                Ok(Some(value)) => event(name, &value),
                Ok(None) => return None,
            };
            Some((piece, (values, place)))
        });
        Self(pieces.take_until(Box::pin(stopped)).boxed())
    }
}

/// JSON has no line break, so it is one line of data.
fn event(name: &str, value: &impl Serialize) -> Result<Bytes> {
    let data = serde_json::to_string(value).map_err(Error::from_source)?;
    Ok(Bytes::from(format!("event: {name}\ndata: {data}\n\n")))
}

impl Output for EventStream {
    fn render(self) -> Result<Response<Payload>> {
        let mut response = Response::new(Payload::Stream(self.0));
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(EVENT_STREAM));
        headers.insert(NO_BUFFERING, HeaderValue::from_static("no"));
        Ok(response)
    }

    fn describe(operation: &mut Operation, _: &mut Schemas) {
        operation.answers_file();
    }
}
