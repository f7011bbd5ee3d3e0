//! The writer's queue, as `crossbeam_channel` has it, on the scheduler's locks.

use std::collections::VecDeque;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use shuttle::sync::{Condvar, Mutex, MutexGuard};

#[derive(Debug)]
struct State<T> {
    waiting: VecDeque<T>,
    senders: usize,
}

#[derive(Debug)]
struct Shared<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

impl<T> Shared<T> {
    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The end that sends.
#[derive(Debug)]
pub struct Sender<T>(Arc<Shared<T>>);

/// The end that receives.
#[derive(Debug)]
pub struct Receiver<T>(Arc<Shared<T>>);

/// Why nothing was received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecvTimeoutError {
    /// Nothing came in time. Here time stands still, so this never comes.
    Timeout,
    /// Nothing will come any more.
    Disconnected,
}

/// A queue.
pub fn unbounded<T>() -> (Sender<T>, Receiver<T>) {
    let state = Mutex::new(State { waiting: VecDeque::new(), senders: 1 });
    let shared = Arc::new(Shared { state, changed: Condvar::new() });
    (Sender(Arc::clone(&shared)), Receiver(shared))
}

impl<T> Sender<T> {
    /// Puts something into the queue.
    pub fn send(&self, value: T) {
        self.0.state().waiting.push_back(value);
        self.0.changed.notify_all();
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        self.0.state().senders += 1;
        Self(Arc::clone(&self.0))
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        self.0.state().senders -= 1;
        self.0.changed.notify_all();
    }
}

impl<T> Receiver<T> {
    /// Waits for the next.
    ///
    /// # Errors
    /// When no sender is left and nothing waits.
    pub fn recv_timeout(&self, _: Duration) -> Result<T, RecvTimeoutError> {
        let mut state = self.0.state();
        loop {
            if let Some(next) = state.waiting.pop_front() {
                return Ok(next);
            }
            if state.senders == 0 {
                return Err(RecvTimeoutError::Disconnected);
            }
            state = self.0.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// What waits now, without waiting for more.
    pub fn try_iter(&self) -> impl Iterator<Item = T> + '_ {
        std::iter::from_fn(|| self.0.state().waiting.pop_front())
    }
}
