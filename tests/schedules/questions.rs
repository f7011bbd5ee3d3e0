//! Equal questions to third parties, whose askers go away.

use std::sync::Arc;

use shuttle::future::{spawn, yield_now};
use shuttle::sync::atomic::{AtomicUsize, Ordering};

use crate::in_flight::InFlight;

/// Three ask the same, and one of them goes away at some point: never are two asking at once, and
/// whoever stays gets an answer.
pub fn equal_questions_are_asked_once() {
    let questions: Arc<InFlight<u8, usize>> = Arc::default();
    let asking = Arc::new(AtomicUsize::new(0));
    let ask = |waits: usize| {
        let (questions, asking) = (Arc::clone(&questions), Arc::clone(&asking));
        async move {
            let question = async {
                let _one = One::begin(&asking);
                for _ in 0..waits {
                    yield_now().await;
                }
                waits
            };
            questions.ask(&1, question).await
        }
    };
    let gone = spawn(ask(3));
    let staying = [spawn(ask(1)), spawn(ask(2))];
    let leaving = spawn(async move {
        yield_now().await;
        gone.abort();
    });
    for stays in staying {
        let answer = shuttle::future::block_on(stays).expect("an answer");
        assert!((1..=3).contains(&answer));
    }
    shuttle::future::block_on(leaving).expect("it left");
}

/// A question that is under way.
struct One<'a>(&'a AtomicUsize);

impl<'a> One<'a> {
    fn begin(asking: &'a AtomicUsize) -> Self {
        assert_eq!(asking.fetch_add(1, Ordering::SeqCst), 0, "two ask the same");
        Self(asking)
    }
}

impl Drop for One<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}
