//! What an answer carries: bytes that are there, or bytes that come while they are sent.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::stream::BoxStream;
use hyper::body::{Body, Frame, SizeHint};
use shop_core::{Error, Result};

use crate::file_body::FileBody;

/// An answer's body.
pub enum Payload {
    /// All of it.
    Whole(Bytes),
    /// Piece by piece, as fast as the client takes them.
    Stream(BoxStream<'static, Result<Bytes>>),
    /// A file, of a known length, as fast as the client takes it.
    File(FileBody),
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
            Self::Stream(_) | Self::File(_) => None,
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
            Self::Stream(pieces) => framed(std::task::ready!(pieces.as_mut().poll_next(context))),
            Self::File(file) => framed(std::task::ready!(file.poll_next(context))),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(bytes) => bytes.is_empty(),
            Self::File(file) => file.remaining() == 0,
            Self::Stream(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Self::File(file) => SizeHint::with_exact(file.remaining()),
            Self::Stream(_) => SizeHint::default(),
        }
    }
}

fn framed(piece: Option<Result<Bytes>>) -> Poll<Option<Result<Frame<Bytes>>>> {
    if let Some(Err(error)) = &piece {
        tracing::error!(?error, "an answer was broken off");
    }
    Poll::Ready(piece.map(|piece| piece.map(Frame::data)))
}
