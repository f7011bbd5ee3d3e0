//! Work that runs to its end whatever becomes of the future that waits for it.
//!
//! A call of a third party and the booking of its answer belong together. A server drops the future
//! of a request whose client went away; between the two that would leave, say, a charged card
//! unbooked until the background work asks about it.

use std::any::Any;

use futures_util::future::BoxFuture;
use tracing::Instrument;

use crate::error::{Error, Result};

/// Runs the work as a task of its own and waits for it. Dropping the returned future, once it was
/// polled, ends the waiting and not the work. Needs a Tokio runtime; its end ends the work too.
///
/// # Errors
/// Those of the work; [`Error::Internal`] when it panics.
pub(crate) async fn to_its_end<T: Send + 'static>(
    work: impl Future<Output = Result<T>> + Send + 'static,
) -> Result<T> {
    let work = async { work.await.map(|done| Box::new(done) as Box<dyn Any + Send>) };
    let done = spawn(Box::pin(work)).await?;
    done.downcast().map(|done| *done).map_err(|_| Error::internal("work of another type"))
}

/// Not generic: a task is some hundred functions, which would be compiled for each kind of work.
async fn spawn(
    work: BoxFuture<'static, Result<Box<dyn Any + Send>>>,
) -> Result<Box<dyn Any + Send>> {
    match tokio::spawn(work.in_current_span()).await {
        Ok(done) => done,
        Err(ended) => {
            tracing::error!(panicked = ended.is_panic(), "detached work broke off");
            Err(Error::internal("the work broke off"))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::pin;
    use std::task::Poll;

    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn dropping_the_future_does_not_end_the_work() {
        let (go, gone) = oneshot::channel::<()>();
        let (done, finished) = oneshot::channel();
        {
            let mut waiting = pin!(to_its_end(async move {
                gone.await.expect("told to go on");
                done.send(7).expect("heard");
                Ok(())
            }));
            // Polled once, then dropped.
            poll_fn(|cx| Poll::Ready(waiting.as_mut().poll(cx).is_pending())).await;
        }
        go.send(()).expect("the work waits");
        assert_eq!(finished.await, Ok(7));
    }

    #[tokio::test]
    async fn a_panic_is_an_error() {
        let broken = to_its_end::<()>(async { panic!("on purpose") }).await;
        assert!(matches!(broken, Err(Error::Internal(_))), "{broken:?}");
    }
}
