//! The steps of background work, each on its own: what one of them fails at is logged and counted,
//! and the others go on.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Mutex, PoisonError};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tracing::Instrument;

use crate::error::{Error, Result};

/// How often each step failed since the program started.
#[derive(Debug, Default)]
pub(crate) struct Failures(Mutex<BTreeMap<&'static str, u64>>);

impl Failures {
    /// Does a step; `None` where it failed or panicked, which is logged and counted. Boxed, because
    /// a round is made of many steps whose futures are large.
    pub(super) fn guard<'a, T: 'a>(
        &'a self,
        step: &'static str,
        work: impl Future<Output = Result<T>> + Send + 'a,
    ) -> BoxFuture<'a, Option<T>> {
        let span = tracing::debug_span!("background", step);
        let work = AssertUnwindSafe(work.instrument(span)).catch_unwind().boxed();
        Box::pin(async move {
            let error = match work.await {
                Ok(Ok(done)) => return Some(done),
                Ok(Err(error)) => error,
                Err(panic) => Error::internal(format!("panicked: {}", message(&*panic))),
            };
            tracing::error!(step, ?error, "background work failed");
            *self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(step).or_default() += 1;
            None
        })
    }

    pub(crate) fn by_step(&self) -> Vec<(&'static str, u64)> {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counts.iter().map(|(step, count)| (*step, *count)).collect()
    }

    pub(super) fn sum(&self) -> u64 {
        self.by_step().iter().map(|(_, count)| count).sum()
    }
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_step_that_fails_or_panics_is_counted_and_ends_nothing() {
        let failures = Failures::default();
        assert_eq!(failures.guard("good", async { Ok(1) }).await, Some(1));
        let bad = async { Err::<(), _>(Error::internal("no")) };
        assert_eq!(failures.guard("bad", bad).await, None);
        let panics = async { if failures.sum() > 0 { panic!("at {}", 1) } else { Ok(()) } };
        assert_eq!(failures.guard("bad", panics).await, None);
        assert_eq!((failures.by_step(), failures.sum()), (vec![("bad", 2)], 2));
    }
}
