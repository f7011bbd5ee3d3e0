//! Reading a request's body, within limits.

use std::error::Error;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Limited};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::sync::Semaphore;

use crate::reply::Failure;
use crate::serve::Activity;

/// How much more than its limit of a body too large is taken in and thrown away, and for how long,
/// so that a client that reads only after it has sent everything gets to see the refusal.
const DRAIN: usize = 1024 * 1024;
const DRAIN_TIME: Duration = Duration::from_millis(500);

/// Why a body broke off.
pub(crate) type BodyError = Box<dyn Error + Send + Sync>;

/// A request's body, whose bytes count against the server's budget until its [`Lease`] ends.
pub(crate) struct RequestBody {
    source: Source,
    lease: Arc<Lease>,
    /// What the connection is at, where it is one of this crate's own.
    activity: Option<Arc<Activity>>,
}

/// By whichever server it came.
enum Source {
    /// By this crate's own; `None` once all of it was read.
    Own(Option<Incoming>),
    /// By the server of a program that the shop is mounted in.
    Foreign(UnsyncBoxBody<Bytes, BodyError>),
}

/// The memory that a request's body takes of what all bodies together may take.
#[derive(Debug)]
pub(crate) struct Lease {
    budget: Arc<Semaphore>,
    bytes: AtomicUsize,
}

/// All bodies together take as much memory as they may.
#[derive(Debug, thiserror::Error)]
#[error("the budget of request bodies is used up")]
pub(crate) struct BudgetUsedUp;

/// How soon a request that found the budget used up may come again.
const RETRY: Duration = Duration::from_secs(1);

impl Lease {
    fn new(budget: &Arc<Semaphore>) -> Arc<Self> {
        Arc::new(Self { budget: Arc::clone(budget), bytes: AtomicUsize::new(0) })
    }

    fn take(&self, bytes: usize) -> Result<(), BudgetUsedUp> {
        let permits = u32::try_from(bytes).map_err(|_| BudgetUsedUp)?;
        self.budget.try_acquire_many(permits).map_err(|_| BudgetUsedUp)?.forget();
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.budget.add_permits(*self.bytes.get_mut());
    }
}

impl RequestBody {
    pub(crate) fn own(body: Incoming, budget: &Arc<Semaphore>, activity: Arc<Activity>) -> Self {
        Self {
            source: Source::Own(Some(body)),
            lease: Lease::new(budget),
            activity: Some(activity),
        }
    }

    /// Whether it came by this crate's own server.
    pub(crate) fn is_own(&self) -> bool {
        matches!(self.source, Source::Own(_))
    }

    pub(crate) fn foreign<B>(body: B, budget: &Arc<Semaphore>) -> Self
    where
        B: Body<Data = Bytes, Error: Into<BodyError>> + Send + 'static,
    {
        let source = Source::Foreign(body.map_err(Into::into).boxed_unsync());
        Self { source, lease: Lease::new(budget), activity: None }
    }

    /// Keeps the body's memory counted for as long as something that was made of it is there.
    pub(crate) fn lease(&self) -> Arc<Lease> {
        Arc::clone(&self.lease)
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let frame = match &mut self.source {
            Source::Own(None) => return Poll::Ready(None),
            Source::Own(Some(body)) => {
                Pin::new(body).poll_frame(context).map(|it| it.map(|it| it.map_err(Into::into)))
            }
            Source::Foreign(body) => Pin::new(body).poll_frame(context),
        };
        if let Some(activity) = &self.activity {
            activity.set_receiving(frame.is_pending());
        }
        let frame = std::task::ready!(frame);
        if let (None | Some(Err(_)), Source::Own(body)) = (&frame, &mut self.source) {
            *body = None;
        }
        if let Some(Ok(frame)) = &frame
            && let Err(used_up) = self.lease.take(frame.data_ref().map_or(0, Bytes::len))
        {
            return Poll::Ready(Some(Err(used_up.into())));
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        match &self.source {
            Source::Own(body) => body.as_ref().is_none_or(Body::is_end_stream),
            Source::Foreign(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.source {
            Source::Own(body) => body.as_ref().map_or(SizeHint::with_exact(0), Body::size_hint),
            Source::Foreign(body) => body.size_hint(),
        }
    }
}

impl Drop for RequestBody {
    /// What was not read stays on the connection: see [`passed_over`].
    fn drop(&mut self) {
        if let (Source::Own(body), Some(activity)) = (&mut self.source, &self.activity)
            && let Some(unread) = body.take()
            && !unread.is_end_stream()
        {
            activity.leave(unread);
        }
    }
}

/// Takes in the rest of a body that nobody read, if it is not much; false where more may be under
/// way, so that the next request would not be found on the connection.
pub(crate) async fn passed_over(unread: Incoming) -> bool {
    let announced = usize::try_from(unread.size_hint().lower()).unwrap_or(usize::MAX);
    let rest = async {
        let limited = Limited::new(unread, DRAIN);
        let mut frames = pin!(limited);
        while let Some(frame) = frames.frame().await {
            if frame.is_err() {
                return false;
            }
        }
        true
    };
    announced <= DRAIN && tokio::time::timeout(DRAIN_TIME, rest).await.unwrap_or(false)
}

/// What the caller is told of a body that broke off.
pub(crate) fn failure(error: &(dyn Error + Send + Sync + 'static)) -> Failure {
    if error.is::<BudgetUsedUp>() {
        Failure::Shop(shop_core::Error::Busy { retry_after: RETRY })
    } else {
        Failure::BrokenBody
    }
}

/// The whole body.
///
/// # Errors
/// [`Failure::TooLarge`] above `limit`, whatever its `Content-Length` said; [`Failure::TooSlow`]
/// when it is not there in time; [`Failure::BrokenBody`] when the connection fails or the framing
/// is wrong; busy when all bodies together take as much memory as they may.
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
            Ok(Err(error)) => return Err(failure(&*error)),
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
        drop(tokio::time::timeout(DRAIN_TIME, drain(body, limit + DRAIN)).await);
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

async fn drain(body: &mut RequestBody, limit: usize) {
    let mut dropped = 0;
    while dropped < limit
        && let Some(Ok(frame)) = body.frame().await
    {
        dropped += frame.data_ref().map_or(0, Bytes::len);
    }
}
