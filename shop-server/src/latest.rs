//! What is found out once for all who ask within a moment.

use std::time::{Duration, Instant};

use tokio::sync::Mutex;

/// How long an answer is handed out again.
const FRESH: Duration = Duration::from_secs(1);

/// The latest answer.
#[derive(Debug)]
pub(crate) struct Latest<T>(Mutex<Option<(Instant, T)>>);

impl<T> Default for Latest<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T: Clone> Latest<T> {
    /// The answer of now, or of less than a second ago. Those who ask at the same time share one.
    pub(crate) async fn get(&self, find_out: impl Future<Output = T>) -> T {
        let mut latest = self.0.lock().await;
        match &*latest {
            Some((at, answer)) if at.elapsed() < FRESH => answer.clone(),
            _ => {
                let answer = find_out.await;
                *latest = Some((Instant::now(), answer.clone()));
                answer
            }
        }
    }
}
