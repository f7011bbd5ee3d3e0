//! What a connection is at, so that a server that is told to stop knows whom to wait for.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use shop_core::{Error, Result};

use crate::payload::Payload;

/// How long a head that is under way may still take once the server is told to stop: as long as a
/// request needs that was sent before its sender could know.
const HEAD_GRACE: Duration = Duration::from_secs(1);
/// The same for a body, and for an answer that the peer does not take.
const PEER_GRACE: Duration = Duration::from_secs(5);

/// What a connection is at, shared by its stream, its requests' bodies and its answers.
#[derive(Debug, Default)]
pub(crate) struct Activity {
    /// Requests with a complete head and an answer that is not sent in full.
    requests: AtomicUsize,
    /// Whether there was any.
    began: AtomicBool,
    /// The request's body has not come in full, and is waited for.
    receiving: AtomicBool,
    /// The peer does not take what is sent.
    blocked: AtomicBool,
    /// What its request left unread of the request's body.
    unread: Mutex<Option<Incoming>>,
}

impl Activity {
    pub(crate) fn set_receiving(&self, receiving: bool) {
        self.receiving.store(receiving, Ordering::Relaxed);
    }

    /// Keeps what is left of a body that was answered without reading it.
    pub(crate) fn leave(&self, unread: Incoming) {
        *self.unread.lock().unwrap_or_else(PoisonError::into_inner) = Some(unread);
    }

    pub(super) fn take_unread(&self) -> Option<Incoming> {
        self.unread.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    pub(super) fn set_blocked(&self, blocked: bool) {
        self.blocked.store(blocked, Ordering::Relaxed);
    }

    /// A request came; it lasts as long as what is returned.
    pub(super) fn begin(self: &Arc<Self>) -> Visit {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.began.store(true, Ordering::Relaxed);
        Visit(Arc::clone(self))
    }

    /// Whether a request came on this connection since it was made.
    pub(super) fn had_requests(&self) -> bool {
        self.began.load(Ordering::Relaxed)
    }

    /// How long after the server is told to stop the connection may stay as it is now. Requests
    /// that are being handled have the whole time to drain.
    pub(super) fn grace(&self, drain: Duration) -> Duration {
        if self.blocked.load(Ordering::Relaxed) {
            PEER_GRACE.min(drain)
        } else if self.requests.load(Ordering::Relaxed) == 0 {
            HEAD_GRACE.min(drain)
        } else if self.receiving.load(Ordering::Relaxed) {
            PEER_GRACE.min(drain)
        } else {
            drain
        }
    }
}

/// A request under way.
#[derive(Debug)]
pub(super) struct Visit(Arc<Activity>);

impl Drop for Visit {
    fn drop(&mut self) {
        self.0.set_receiving(false);
        self.0.requests.fetch_sub(1, Ordering::Relaxed);
    }
}

/// An answer's body. The request ends when it is dropped.
pub(super) struct Answering {
    payload: Payload,
    #[expect(dead_code, reason = "held, not read")]
    visit: Visit,
}

impl Answering {
    pub(super) fn new(payload: Payload, visit: Visit) -> Self {
        Self { payload, visit }
    }
}

impl Body for Answering {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>>>> {
        Pin::new(&mut self.payload).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.payload.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.payload.size_hint()
    }
}
