//! Which jobs share a transaction, and how long a group waits for more of them.

use std::collections::BTreeSet;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, TryRecvError};

use super::group::{MAX_LOCKS, Write};
use super::watch::OtherServers;
use crate::error::Error;
use crate::storage::LockKey;

/// Jobs of a lane in one commit. PostgreSQL keeps up to 64 savepoints of a transaction cheaply.
const MAX_GROUP: usize = 50;
/// Concurrent jobs in one commit.
const MAX_CONCURRENT: usize = 32;
/// How long a group gathers jobs at most while another of its server runs. It would wait for the
/// other's row locks anyway, and a job costs less in a larger group.
const GATHERING: Duration = Duration::from_millis(6);
/// The same while other servers write too. They keep the database so that nothing is lost where
/// a server has one group at a time, and their groups are what this one's would wait for.
const GATHERING_AMONG_SERVERS: Duration = Duration::from_millis(60);
/// How long a group waits then, where no other runs, until it has as many jobs as the one before it
/// had: clients that were answered are likely to order again.
const REFILLING: Duration = Duration::from_millis(10);

/// Makes groups of what is queued, for all threads that take from the queue.
pub(super) struct Groups {
    queue: Receiver<Write>,
    /// What did not fit into the last group. The thread that gathers holds it, one at a time.
    left: Mutex<Option<Write>>,
    others: Arc<OtherServers>,
    progress: Mutex<Progress>,
    /// The wanted jobs are queued, or a group is done.
    enough: Condvar,
}

struct Progress {
    /// Groups that were handed out and are not done.
    running: usize,
    /// How many jobs the last group had.
    latest: usize,
    /// How many queued jobs the thread that gathers waits for. It is woken by the last of them
    /// only: to be woken by each of them would take about as long as what it does for the job.
    wanted: usize,
}

/// What a group waits for: so many more jobs, so long, while so many groups run.
struct Wait {
    jobs: usize,
    at_most: Duration,
    running: usize,
}

impl Groups {
    pub(super) fn of(queue: Receiver<Write>, others: &Arc<OtherServers>) -> Self {
        Self {
            queue,
            left: Mutex::default(),
            others: Arc::clone(others),
            progress: Mutex::new(Progress { running: 0, latest: 0, wanted: usize::MAX }),
            enough: Condvar::new(),
        }
    }

    /// Says that a job was queued.
    pub(super) fn queued(&self) {
        if self.queue.len() >= lock(&self.progress).wanted {
            self.enough.notify_one();
        }
    }

    /// The next group, once there is one; `None` when all is done and every sender is gone.
    /// [`Groups::done`] follows it.
    pub(super) fn next(&self) -> Option<Vec<Write>> {
        let mut left = lock(&self.left);
        let first = match left.take() {
            Some(first) => first,
            None => self.queue.recv().ok()?,
        };
        let (since, is_concurrent) = (Instant::now(), first.is_concurrent());
        let most = if is_concurrent { MAX_CONCURRENT } else { MAX_GROUP };
        let mut keys: BTreeSet<LockKey> = first.locks().iter().copied().collect();
        let mut group = vec![first];
        while group.len() < most
            && let Some(write) = self.one_more(|| {
                is_concurrent.then(|| self.wait(group.len(), since.elapsed())).flatten()
            })
        {
            let meets = |key: &LockKey| key.is_alone() && keys.contains(key);
            if write.locks().iter().any(meets) || keys.len() + write.locks().len() > MAX_LOCKS {
                *left = Some(write);
                break;
            }
            keys.extend(write.locks());
            group.push(write);
        }
        let mut progress = lock(&self.progress);
        progress.latest = group.len();
        progress.running += 1;
        Some(group)
    }

    /// What a group of so many concurrent jobs waits for, the first of which came so long ago.
    fn wait(&self, jobs: usize, waited: Duration) -> Option<Wait> {
        let Progress { running, latest, .. } = *lock(&self.progress);
        let (enough, patience) = match (self.others.are_writing(), running > 0) {
            (false, false) => return None,
            (false, true) => (MAX_CONCURRENT, GATHERING),
            (true, false) => (latest, REFILLING),
            (true, true) => (MAX_CONCURRENT, GATHERING_AMONG_SERVERS),
        };
        let at_most = patience.checked_sub(waited).filter(|left| !left.is_zero())?;
        let jobs = enough.checked_sub(jobs).filter(|more| *more > 0)?;
        Some(Wait { jobs, at_most, running })
    }

    /// The next job for a group: one that is queued, or that comes as long as it waits.
    fn one_more(&self, wait: impl Fn() -> Option<Wait>) -> Option<Write> {
        loop {
            match self.queue.try_recv() {
                Ok(write) => return Some(write),
                Err(TryRecvError::Disconnected) => return None,
                Err(TryRecvError::Empty) => self.sleep(&wait()?),
            }
        }
    }

    /// Until the jobs are queued, another group is done, or the time is over.
    fn sleep(&self, Wait { jobs, at_most, running }: &Wait) {
        let mut progress = lock(&self.progress);
        progress.wanted = *jobs;
        let woken = self.enough.wait_timeout_while(progress, *at_most, |progress| {
            self.queue.len() < *jobs && progress.running >= *running
        });
        woken.unwrap_or_else(PoisonError::into_inner).0.wanted = usize::MAX;
    }

    /// The group that was handed out is committed, or given up.
    pub(super) fn done(&self) {
        lock(&self.progress).running -= 1;
        self.enough.notify_one();
    }

    /// Answers whatever is queued that it should come back later.
    pub(super) fn refuse_queued(&self) {
        for write in self.queue.try_iter() {
            drop(write.work.done.send(Err(Error::busy())));
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
