//! Equal questions to third parties are asked once.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use tokio::sync::OnceCell;

use crate::sync::{Mutex, PoisonError};

/// The questions that are under way. A caller with the same question waits for the answer to the
/// one that is asked already. Where the caller that asks goes away, one of those that wait asks on.
#[derive(Debug)]
pub(super) struct InFlight<K, V>(Mutex<HashMap<K, Arc<OnceCell<V>>>>);

impl<K, V> Default for InFlight<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Hash + Eq + Clone, V: Clone> InFlight<K, V> {
    /// The answer to `question`, which is not polled where an equal one is under way.
    pub(super) async fn ask(&self, key: &K, question: impl Future<Output = V>) -> V {
        let cell = {
            let mut cells = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(cells.entry(key.clone()).or_default())
        };
        let asking = Asking { questions: self, key, cell };
        asking.cell.get_or_init(|| question).await.clone()
    }
}

/// A caller's part in a question, until the answer is there or the caller goes away.
struct Asking<'a, K: Hash + Eq, V> {
    questions: &'a InFlight<K, V>,
    key: &'a K,
    cell: Arc<OnceCell<V>>,
}

impl<K: Hash + Eq, V> Drop for Asking<'_, K, V> {
    fn drop(&mut self) {
        let mut cells = self.questions.0.lock().unwrap_or_else(PoisonError::into_inner);
        let own = std::mem::take(&mut self.cell);
        // One count is the map's, one is this caller's.
        let is_last = Arc::strong_count(&own) <= 2;
        let is_current = cells.get(self.key).is_some_and(|cell| Arc::ptr_eq(cell, &own));
        if is_current && (is_last || own.initialized()) {
            cells.remove(self.key);
        }
        // Under the lock: two who go away together would each count the other one.
        drop(own);
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::poll;
    use tokio::sync::Notify;

    use super::*;

    #[tokio::test]
    async fn equal_questions_are_asked_once_and_outlive_whoever_asked_first() {
        let (questions, asked) = (InFlight::<u8, usize>::default(), AtomicUsize::new(0));
        let answer = Notify::new();
        let ask = |key: &'static u8| {
            questions.ask(key, async {
                let n = asked.fetch_add(1, Ordering::Relaxed);
                answer.notified().await;
                n
            })
        };
        let (mut first, mut second) = (Box::pin(ask(&1)), pin!(ask(&1)));
        assert!(poll!(&mut first).is_pending() && poll!(&mut second).is_pending());
        assert_eq!(asked.load(Ordering::Relaxed), 1);
        drop(first);
        assert!(poll!(&mut second).is_pending());
        assert_eq!(asked.load(Ordering::Relaxed), 2, "the one who waited asks on");
        answer.notify_one();
        assert_eq!(second.await, 1);
        answer.notify_one();
        assert_eq!(ask(&1).await, 2, "what was answered is asked anew");
        assert!(questions.0.lock().expect("a lock").is_empty());
    }

    #[test]
    fn callers_who_go_away_together_leave_nothing_behind() {
        let questions = InFlight::<u8, usize>::default();
        for _ in 0..200 {
            let start = std::sync::Barrier::new(2);
            std::thread::scope(|scope| {
                for _ in 0..2 {
                    scope.spawn(|| {
                        let mut asked = pin!(questions.ask(&1, std::future::pending()));
                        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
                        assert!(asked.as_mut().poll(&mut context).is_pending());
                        start.wait();
                    });
                }
            });
            assert!(questions.0.lock().expect("a lock").is_empty());
        }
    }
}
