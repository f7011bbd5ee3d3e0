//! The jobs that share a transaction, and what it locks before it begins.

use std::collections::BTreeSet;

use crate::storage::workers::Work;
use crate::storage::{Job, LockKey, Prefetch};

/// Locks of a group. PostgreSQL has room for 64 for each of its connections, all of them together.
pub(super) const MAX_LOCKS: usize = 128;
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

    pub(super) fn is_concurrent(&self) -> bool {
        self.concurrent.is_some()
    }

    pub(super) fn locks(&self) -> &[LockKey] {
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
        let is_concurrent = group.iter().any(Write::is_concurrent);
        let numbers = group.iter().flat_map(Write::locks).map(|key| key.number());
        let concurrent = is_concurrent.then(|| numbers.collect());
        let lane = group.first().map_or(0, |write| write.lane);
        Self { lane, savepoints: concurrent.is_none(), concurrent }
    }

    /// The statements that begin the transaction. Its snapshot is taken under its locks. A standby
    /// says of the lock that it takes no writes, and of `SERIALIZABLE` only that it does not know
    /// it.
    pub(super) fn begin(&self) -> String {
        let lane = self.lane;
        let begin = match &self.concurrent {
            None => format!(
                "BEGIN; LOCK TABLE shop_lane_{lane} IN EXCLUSIVE MODE;
                 SET TRANSACTION ISOLATION LEVEL SERIALIZABLE"
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
