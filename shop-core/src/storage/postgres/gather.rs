//! Which jobs share a transaction, and how long a group waits for more of them.

use std::collections::BTreeSet;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crossbeam_channel::Receiver;

use super::group::{MAX_LOCKS, Write};
use super::watch::OtherServers;
use crate::error::Error;
use crate::storage::LockKey;

/// Jobs of a lane in one commit. PostgreSQL keeps up to 64 savepoints of a transaction cheaply.
const MAX_GROUP: usize = 50;
/// Concurrent jobs in one commit.
const MAX_CONCURRENT: usize = 32;
/// How long a group waits, where other servers write too, until it has as many jobs as the one
/// before it had: clients that were answered are likely to order again, a job costs less in a
/// larger group, and the others keep the database so that nothing is lost.
const REFILLING: Duration = Duration::from_millis(10);

/// Makes groups of what is queued.
pub(super) struct Groups {
    queue: Receiver<Write>,
    /// What did not fit into the last group.
    left: Option<Write>,
    /// How many jobs the last group had.
    latest: usize,
    others: Arc<OtherServers>,
    wanted: Arc<Wanted>,
}

/// How many queued jobs the thread that gathers waits for. It is woken by the last of them only: to
/// be woken by each of them would take about as long as what it does for the job.
pub(super) struct Wanted {
    jobs: Mutex<usize>,
    enough: Condvar,
}

impl Default for Wanted {
    fn default() -> Self {
        Self { jobs: Mutex::new(usize::MAX), enough: Condvar::new() }
    }
}

impl Wanted {
    /// Says that a job was queued, the last of so many.
    pub(super) fn queued(&self, jobs: usize) {
        if jobs >= *self.lock() {
            self.enough.notify_one();
        }
    }

    /// Waits until so many jobs are queued, or the time is over.
    fn wait(&self, queue: &Receiver<Write>, jobs: usize, at_most: Duration) {
        let mut wanted = self.lock();
        *wanted = jobs;
        let woken = self.enough.wait_timeout_while(wanted, at_most, |_| queue.len() < jobs);
        *woken.unwrap_or_else(PoisonError::into_inner).0 = usize::MAX;
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Groups {
    pub(super) fn of(
        queue: Receiver<Write>,
        others: &Arc<OtherServers>,
        wanted: &Arc<Wanted>,
    ) -> Self {
        let (others, wanted) = (Arc::clone(others), Arc::clone(wanted));
        Self { queue, left: None, latest: 0, others, wanted }
    }

    /// The next group, once there is one; `None` when all is done and every sender is gone.
    pub(super) fn next(&mut self) -> Option<Vec<Write>> {
        let first = match self.left.take() {
            Some(first) => first,
            None => self.queue.recv().ok()?,
        };
        let is_concurrent = first.is_concurrent();
        if is_concurrent && self.others.are_writing() {
            self.wanted.wait(&self.queue, self.latest.saturating_sub(1), REFILLING);
        }
        let most = if is_concurrent { MAX_CONCURRENT } else { MAX_GROUP };
        let mut keys: BTreeSet<LockKey> = first.locks().iter().copied().collect();
        let mut group = vec![first];
        for write in self.queue.try_iter().take(most - 1) {
            let meets = |key: &LockKey| key.is_alone() && keys.contains(key);
            if write.locks().iter().any(meets) || keys.len() + write.locks().len() > MAX_LOCKS {
                self.left = Some(write);
                break;
            }
            keys.extend(write.locks());
            group.push(write);
        }
        self.latest = group.len();
        Some(group)
    }

    /// Answers whatever is queued that it should come back later.
    pub(super) fn refuse_queued(&self) {
        for write in self.queue.try_iter() {
            drop(write.work.done.send(Err(Error::busy())));
        }
    }
}
