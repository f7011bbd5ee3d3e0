//! Reading a request's body, within limits.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};

use crate::reply::Failure;

/// How much of a body too large is taken in and thrown away, and for how long, so that a client
/// that reads only after it has sent everything gets to see the refusal.
const DRAIN: usize = 1024 * 1024;
const DRAIN_TIME: Duration = Duration::from_millis(500);

/// The whole body.
///
/// # Errors
/// [`Failure::TooLarge`] above `limit`, whatever its `Content-Length` said; [`Failure::TooSlow`]
/// when it is not there in time; [`Failure::BrokenBody`] when the connection fails or the framing
/// is wrong.
pub(crate) async fn read(
    mut body: Incoming,
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
pub(crate) async fn throw_away(body: &mut Incoming, limit: usize) {
    let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if announced <= limit + DRAIN {
        // Whether it ends, breaks or is cut off here makes no difference to the answer.
        drop(tokio::time::timeout(DRAIN_TIME, drain(body)).await);
    }
}

/// The body, unless it is larger than the limit.
async fn collect(body: &mut Incoming, limit: usize) -> hyper::Result<Option<Bytes>> {
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

async fn drain(body: &mut Incoming) {
    let mut dropped = 0;
    while dropped < DRAIN
        && let Some(Ok(frame)) = body.frame().await
    {
        dropped += frame.data_ref().map_or(0, Bytes::len);
    }
}
