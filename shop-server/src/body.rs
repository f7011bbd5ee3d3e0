//! Reading a request's body, within limits.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};

use crate::reply::Failure;

/// How much more than its limit is taken in and thrown away, so that a client that reads only after
/// it has sent everything gets to see the refusal.
const DRAIN: usize = 1024 * 1024;

/// The whole body.
///
/// # Errors
/// [`Failure::TooLarge`] above `limit`, whatever its `Content-Length` said; [`Failure::TooSlow`]
/// when it is not there in time; [`Failure::BrokenBody`] when the connection fails or the framing
/// is wrong.
pub(crate) async fn read(
    body: Incoming,
    limit: usize,
    timeout: Duration,
) -> Result<Bytes, Failure> {
    match tokio::time::timeout(timeout, collect(body, limit)).await {
        Ok(read) => read,
        Err(_) => Err(Failure::TooSlow),
    }
}

async fn collect(mut body: Incoming, limit: usize) -> Result<Bytes, Failure> {
    let mut read = BytesMut::new();
    let mut dropped = 0;
    let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    let mut too_large = announced > limit;
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| Failure::BrokenBody)?.into_data() else { continue };
        if !too_large && read.is_empty() && body.is_end_stream() {
            // The usual case, one frame, needs no copy.
            return if data.len() > limit { Err(Failure::TooLarge) } else { Ok(data) };
        }
        too_large |= read.len() + data.len() > limit;
        if too_large {
            dropped += data.len();
            if dropped > DRAIN {
                break;
            }
        } else {
            read.extend_from_slice(&data);
        }
    }
    if too_large { Err(Failure::TooLarge) } else { Ok(read.freeze()) }
}
