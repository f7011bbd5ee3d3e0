//! Which jobs share a transaction, and what it locks before it begins.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError};

use super::watch::OtherServers;
use crate::storage::workers::{Work, busy};
use crate::storage::{Job, LockKey, Prefetch};

/// Jobs of a lane in one commit. PostgreSQL keeps up to 64 savepoints of a transaction cheaply.
const MAX_GROUP: usize = 50;
/// Concurrent jobs in one commit.
const MAX_CONCURRENT: usize = 32;
/// How long a group gathers jobs at most while another of its server runs. It would wait for the
/// other's row locks anyway, and a job costs less in a larger group.
const GATHERING: Duration = Duration::from_millis(6);
/// The same while other servers write too. They keep the database busy, so that nothing is lost where
/// a server has one group at a time, and their groups are what this one's would wait for.
const GATHERING_AMONG_SERVERS: Duration = Duration::from_millis(60);
/// How long a group waits then, where no other runs, until it has as many jobs as the one before it
/// had: clients that were answered are likely to order again.
const REFILLING: Duration = Duration::from_millis(10);
/// How often a group that gathers looks whether it still should.
const LOOK: Duration = Duration::from_millis(1);
/// Locks of a group. PostgreSQL has room for 64 for each of its connections, all of them together.
const MAX_LOCKS: usize = 128;
/// The first half of the name of an advisory lock that stands for a [`LockKey`].
const LOCK_CLASS: i32 = 21329;

/// A write that waits for its commit.
pub(super) struct Write {
    pub(super) work: Work,
    lane: usize,
    concurrent: Option<Concurrent>,
}

/// A part of a job. One that runs beside no others has the first only.
#[derive(Clone, Copy)]
pub(super) enum Part {
    First,
    Middle,
    Last,
}

/// What a write that runs beside others has more.
struct Concurrent {
    middle: Job,
    last: Job,
    locks: Vec<LockKey>,
    prefetch: Vec<Prefetch>,
}

impl Write {
    /// A job that runs when no other of its lane does.
    pub(super) fn serial(lane: usize, work: Work) -> Self {
        Self { work, lane, concurrent: None }
    }

    /// A job that runs beside others; `work` has its first part.
    pub(super) fn concurrent(
        lane: usize,
        work: Work,
        [middle, last]: [Job; 2],
        mut locks: Vec<LockKey>,
        prefetch: Vec<Prefetch>,
    ) -> Self {
        // A job of very many things goes without some of the locks that only keep transactions from
        // waiting for each other in a circle, which PostgreSQL ends too.
        locks.sort_unstable_by_key(|key| !key.is_alone());
        locks.truncate(MAX_LOCKS);
        Self { work, lane, concurrent: Some(Concurrent { middle, last, locks, prefetch }) }
    }

    fn locks(&self) -> &[LockKey] {
        self.concurrent.as_ref().map_or(&[], |it| &it.locks)
    }

    /// What the first parts of a group will ask, each query once.
    pub(super) fn prefetch(group: &[Self]) -> Vec<Prefetch> {
        let all = group.iter().filter_map(|write| write.concurrent.as_ref());
        let each: BTreeSet<&Prefetch> = all.flat_map(|it| &it.prefetch).collect();
        each.into_iter().cloned().collect()
    }

    pub(super) fn part(&mut self, part: Part) -> Option<&mut Job> {
        match (part, &mut self.concurrent) {
            (Part::First, _) => Some(&mut self.work.job),
            (Part::Middle, Some(concurrent)) => Some(&mut concurrent.middle),
            (Part::Last, Some(concurrent)) => Some(&mut concurrent.last),
            (Part::Middle | Part::Last, None) => None,
        }
    }
}

/// Makes groups of what is queued, for all threads that take from the queue.
pub(super) struct Groups {
    queue: Receiver<Write>,
    /// What did not fit into the last group. The thread that gathers holds it, one at a time.
    left: Mutex<Option<Write>>,
    /// Groups that were handed out and are not done.
    running: AtomicUsize,
    /// How many jobs the last group had.
    latest: AtomicUsize,
    others: Arc<OtherServers>,
}

impl Groups {
    pub(super) fn of(queue: Receiver<Write>, others: &Arc<OtherServers>) -> Self {
        let (running, latest) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Self { queue, left: Mutex::default(), running, latest, others: Arc::clone(others) }
    }

    /// The next group, once there is one; `None` when all is done and every sender is gone.
    /// [`Groups::done`] follows it.
    pub(super) fn next(&self) -> Option<Vec<Write>> {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let first = match left.take() {
            Some(first) => first,
            None => self.queue.recv().ok()?,
        };
        let (since, is_concurrent) = (Instant::now(), first.concurrent.is_some());
        let most = if is_concurrent { MAX_CONCURRENT } else { MAX_GROUP };
        let mut keys: BTreeSet<LockKey> = first.locks().iter().copied().collect();
        let mut group = vec![first];
        while group.len() < most
            && let Some(write) = self.one_more(|| is_concurrent && self.gathers(group.len(), since))
        {
            let meets = |key: &LockKey| key.is_alone() && keys.contains(key);
            if write.locks().iter().any(meets) || keys.len() + write.locks().len() > MAX_LOCKS {
                *left = Some(write);
                break;
            }
            keys.extend(write.locks());
            group.push(write);
        }
        self.latest.store(group.len(), Ordering::Relaxed);
        self.running.fetch_add(1, Ordering::Relaxed);
        Some(group)
    }

    /// Whether a group of so many concurrent jobs, the first of which came `since`, takes more.
    fn gathers(&self, jobs: usize, since: Instant) -> bool {
        let (another_runs, waited) = (self.running.load(Ordering::Relaxed) > 0, since.elapsed());
        match (self.others.are_writing(), another_runs) {
            (false, false) => false,
            (false, true) => waited < GATHERING,
            (true, false) => jobs < self.latest.load(Ordering::Relaxed) && waited < REFILLING,
            (true, true) => waited < GATHERING_AMONG_SERVERS,
        }
    }

    /// The next job for a group: one that is queued, or that comes as long as it gathers.
    fn one_more(&self, gathers: impl Fn() -> bool) -> Option<Write> {
        loop {
            if let Ok(write) = self.queue.try_recv() {
                return Some(write);
            }
            if !gathers() {
                return None;
            }
            match self.queue.recv_timeout(LOOK) {
                Ok(write) => return Some(write),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }

    /// The group that was handed out is committed, or given up.
    pub(super) fn done(&self) {
        self.running.fetch_sub(1, Ordering::Relaxed);
    }

    /// Answers whatever is queued that it should come back later.
    pub(super) fn refuse_queued(&self) {
        for write in self.queue.try_iter() {
            drop(write.work.done.send(Err(busy())));
        }
    }
}

/// What the transaction of a group locks before it begins, and how it runs.
pub(super) struct Locks {
    lane: usize,
    /// The locks of concurrent jobs, in the order in which every transaction takes them.
    concurrent: Option<BTreeSet<i32>>,
    /// Whether each job has a savepoint to go back to.
    pub(super) savepoints: bool,
}

impl Locks {
    /// Groups of concurrent jobs go without savepoints until a job fails that changed something.
    pub(super) fn of(group: &[Write]) -> Self {
        let is_concurrent = group.iter().any(|write| write.concurrent.is_some());
        let numbers = group.iter().flat_map(Write::locks).map(|key| key.number());
        let concurrent = is_concurrent.then(|| numbers.collect());
        let lane = group.first().map_or(0, |write| write.lane);
        Self { lane, savepoints: concurrent.is_none(), concurrent }
    }

    /// The statements that begin the transaction. Its snapshot is taken under its locks.
    pub(super) fn begin(&self) -> String {
        let lane = self.lane;
        let begin = match &self.concurrent {
            None => format!(
                "BEGIN ISOLATION LEVEL SERIALIZABLE; LOCK TABLE shop_lane_{lane} IN EXCLUSIVE MODE"
            ),
            Some(numbers) => {
                let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
                format!(
                    "BEGIN ISOLATION LEVEL READ COMMITTED;
                     LOCK TABLE shop_lane_{lane} IN ROW EXCLUSIVE MODE;
                     SELECT pg_advisory_xact_lock({LOCK_CLASS}, number)
                     FROM unnest(CAST('{{{}}}' AS int4[])) number",
                    numbers.join(",")
                )
            }
        };
        let savepoint = if self.savepoints { "; SAVEPOINT job" } else { "" };
        format!("{begin}{savepoint}")
    }
}
