//! What an answer carries: bytes that are there, or bytes that come while they are sent.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::stream::BoxStream;
use hyper::body::{Body, Frame, SizeHint};
use shop_core::{Error, Result};

/// An answer's body.
pub enum Payload {
    /// All of it.
    Whole(Bytes),
    /// Piece by piece, as fast as the client takes them.
    Stream(BoxStream<'static, Result<Bytes>>),
}

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Payload").finish_non_exhaustive()
    }
}

impl Payload {
    /// The bytes, unless they are still to come.
    pub(crate) fn whole(&self) -> Option<&Bytes> {
        match self {
            Self::Whole(bytes) => Some(bytes),
            Self::Stream(_) => None,
        }
    }
}

impl From<Bytes> for Payload {
    fn from(bytes: Bytes) -> Self {
        Self::Whole(bytes)
    }
}

impl Body for Payload {
    type Data = Bytes;
    type Error = Error;

    /// A piece that cannot be had breaks the connection off: an answer that ended as if it were
    /// whole would be taken for all there is.
    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>>>> {
        match &mut *self {
            Self::Whole(bytes) if bytes.is_empty() => Poll::Ready(None),
            Self::Whole(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            Self::Stream(pieces) => {
                let piece = std::task::ready!(pieces.as_mut().poll_next(context));
                if let Some(Err(error)) = &piece {
                    tracing::error!(?error, "an answer was broken off");
                }
                Poll::Ready(piece.map(|piece| piece.map(Frame::data)))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.whole().is_some_and(Bytes::is_empty)
    }

    fn size_hint(&self) -> SizeHint {
        let length =
            |bytes: &Bytes| SizeHint::with_exact(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        self.whole().map_or_else(SizeHint::default, length)
    }
}
