//! Threads that do the same until they are told to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// Threads, and the flag that ends them.
pub(crate) struct Crowd<T> {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<T>>,
}

impl<T: Send + 'static> Crowd<T> {
    /// Each thread gets its number, and a flag that says when to end.
    pub(crate) fn of(
        size: usize,
        work: impl Fn(usize, &AtomicBool) -> T + Clone + Send + 'static,
    ) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let threads = (0..size).map(|number| {
            let (stop, work) = (Arc::clone(&stop), work.clone());
            std::thread::spawn(move || work(number, &stop))
        });
        let threads = threads.collect();
        Self { stop, threads }
    }

    /// Tells all to end, and waits until they have.
    pub(crate) fn end(self) -> Vec<T> {
        self.stop.store(true, Ordering::Relaxed);
        self.threads.into_iter().map(|thread| thread.join().expect("no thread panics")).collect()
    }
}
