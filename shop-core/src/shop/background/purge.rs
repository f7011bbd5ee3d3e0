//! Forgetting what is past its time.

use std::time::Duration;

use tokio::time::Instant;

use crate::clock::Timestamp;
use crate::error::Result;
use crate::lane;
use crate::shop::Shop;
use crate::storage::Tx;

/// Forgets some of what is past its time by then, and counts it; 0 when nothing is left.
type Purge = fn(&mut dyn Tx, Timestamp) -> Result<usize>;

/// How long one purge goes on: there is other work, and the next round forgets the rest.
const TIME: Duration = Duration::from_secs(2);

impl Shop {
    /// Runs a purge until nothing is left, each time in a transaction of its own, so that other
    /// writes come between.
    pub(super) async fn forget(&self, step: &'static str, purge: Purge) -> usize {
        let (start, now, db) = (Instant::now(), self.now(), self.inner.cx.db());
        let mut forgotten = 0;
        loop {
            let job = move |tx: &mut dyn Tx| purge(tx, now);
            let forget = db.write(lane::INTEGRATIONS, "background.forget", job);
            let some = self.inner.background_failures.guard(step, forget).await;
            let some = some.unwrap_or_default();
            forgotten += some;
            if some == 0 || start.elapsed() >= TIME {
                return forgotten;
            }
        }
    }
}
