//! Threads that do an engine's work, and the bounded queues in front of them.

use std::sync::{Arc, LazyLock};
use std::thread::JoinHandle;

#[cfg(feature = "postgres")]
use crossbeam_channel::Receiver;
use crossbeam_channel::{Sender, TrySendError};
use futures_util::future::BoxFuture;
use scheduled_thread_pool::ScheduledThreadPool;
use tokio::sync::oneshot;

use super::Job;
use crate::error::{Error, Result};

/// Jobs that may wait in a queue; one more is [`Error::Busy`].
pub(super) const QUEUE_LENGTH: usize = 4096;

/// The threads that open the connections of pools, for all shops of the program together: a pool
/// would bring three of its own.
pub(super) static POOL_THREADS: LazyLock<Arc<ScheduledThreadPool>> = LazyLock::new(|| {
    let threads = ScheduledThreadPool::builder().num_threads(3);
    Arc::new(threads.thread_name_pattern("shop-connect-{}").build())
});

/// A job and who waits for it.
pub(super) struct Work {
    pub(super) name: &'static str,
    pub(super) job: Job,
    pub(super) done: oneshot::Sender<Result<()>>,
}

/// Puts a job into a queue; the future is its answer.
pub(super) fn enqueue(
    queue: Option<&Sender<Work>>,
    name: &'static str,
    job: Job,
) -> BoxFuture<'static, Result<()>> {
    enqueue_as(queue, name, job, |work| work)
}

/// As [`enqueue`], into a queue that has more to a job.
pub(super) fn enqueue_as<Q>(
    queue: Option<&Sender<Q>>,
    name: &'static str,
    job: Job,
    queued: impl FnOnce(Work) -> Q,
) -> BoxFuture<'static, Result<()>> {
    let (done, answer) = oneshot::channel();
    let sent = match queue.map(|queue| queue.try_send(queued(Work { name, job, done }))) {
        Some(Ok(())) => Ok(()),
        Some(Err(TrySendError::Full(_))) => Err(Error::busy()),
        Some(Err(TrySendError::Disconnected(_))) | None => Err(stopped()),
    };
    Box::pin(async move {
        sent?;
        answer.await.unwrap_or_else(|_| Err(stopped()))
    })
}

/// Answers whatever is queued that it should come back later.
#[cfg(feature = "postgres")]
pub(super) fn refuse_queued(queue: &Receiver<Work>) {
    for work in queue.try_iter() {
        drop(work.done.send(Err(Error::busy())));
    }
}

fn stopped() -> Error {
    Error::internal("the storage threads have stopped")
}

pub(super) fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    std::thread::Builder::new().name(name.to_owned()).spawn(run).map_err(Error::from_source)
}
