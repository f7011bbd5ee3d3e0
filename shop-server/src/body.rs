//! Reading a request's body, within limits.

use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use http_body_util::combinators::UnsyncBoxBody;
use hyper::body::{Body, Frame, Incoming, SizeHint};

use crate::reply::Failure;

/// How much of a body too large is taken in and thrown away, and for how long, so that a client
/// that reads only after it has sent everything gets to see the refusal.
const DRAIN: usize = 1024 * 1024;
const DRAIN_TIME: Duration = Duration::from_millis(500);

/// Why a body broke off.
pub(crate) type BodyError = Box<dyn Error + Send + Sync>;

/// A request's body, by whichever server it came.
pub(crate) enum RequestBody {
    /// By this crate's own.
    Own(Incoming),
    /// By the server of a program that the shop is mounted in.
    Foreign(UnsyncBoxBody<Bytes, BodyError>),
}

impl RequestBody {
    /// Whether it came by this crate's own server.
    pub(crate) fn is_own(&self) -> bool {
        matches!(self, Self::Own(_))
    }

    pub(crate) fn foreign<B>(body: B) -> Self
    where
        B: Body<Data = Bytes, Error: Into<BodyError>> + Send + 'static,
    {
        Self::Foreign(body.map_err(Into::into).boxed_unsync())
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        match &mut *self {
            Self::Own(body) => {
                Pin::new(body).poll_frame(context).map(|it| it.map(|it| it.map_err(Into::into)))
            }
            Self::Foreign(body) => Pin::new(body).poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Own(body) => body.is_end_stream(),
            Self::Foreign(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Own(body) => body.size_hint(),
            Self::Foreign(body) => body.size_hint(),
        }
    }
}

/// The whole body.
///
/// # Errors
/// [`Failure::TooLarge`] above `limit`, whatever its `Content-Length` said; [`Failure::TooSlow`]
/// when it is not there in time; [`Failure::BrokenBody`] when the connection fails or the framing
/// is wrong.
pub(crate) async fn read(
    mut body: RequestBody,
    limit: usize,
    timeout: Duration,
) -> Result<Bytes, Failure> {
    let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if announced <= limit {
        match tokio::time::timeout(timeout, collect(&mut body, limit)).await {
            Ok(Ok(Some(read))) => return Ok(read),
            Ok(Ok(None)) => {}
            Ok(Err(_)) => return Err(Failure::BrokenBody),
            Err(_) => return Err(Failure::TooSlow),
        }
    }
    throw_away(&mut body, limit).await;
    Err(Failure::TooLarge)
}

/// Takes in what is left of a body that is refused, if it is not much.
pub(crate) async fn throw_away(body: &mut RequestBody, limit: usize) {
    let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if announced <= limit + DRAIN {
        // Whether it ends, breaks or is cut off here makes no difference to the answer.
        drop(tokio::time::timeout(DRAIN_TIME, drain(body)).await);
    }
}

/// The body, unless it is larger than the limit.
async fn collect(body: &mut RequestBody, limit: usize) -> Result<Option<Bytes>, BodyError> {
    let mut read = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame?.into_data() else { continue };
        if read.len() + data.len() > limit {
            return Ok(None);
        }
        if read.is_empty() && body.is_end_stream() {
            // The usual case, one frame, needs no copy.
            return Ok(Some(data));
        }
        read.extend_from_slice(&data);
    }
    Ok(Some(read.freeze()))
}

async fn drain(body: &mut RequestBody) {
    let mut dropped = 0;
    while dropped < DRAIN
        && let Some(Ok(frame)) = body.frame().await
    {
        dropped += frame.data_ref().map_or(0, Bytes::len);
    }
}
