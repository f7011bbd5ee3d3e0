//! A lane of writes: a thread that commits whatever is queued in it as one group.
//!
//! A group is one `SERIALIZABLE` transaction with a savepoint for each job. It holds an advisory lock of
//! the lane's number, so that of all servers one at a time runs jobs of one name: they would only
//! get in each other's way. Jobs of different lanes run at the same time, and PostgreSQL makes one
//! of them run again where they collide.

use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::Receiver;

use super::session::{Session, is_conflict};
use super::{Pool, watch};
use crate::error::{Error, Result};
use crate::storage::Generations;
use crate::storage::generation::Touched;
use crate::storage::workers::{Work, busy};

/// Jobs in one commit. PostgreSQL keeps up to 64 savepoints of a transaction cheaply.
const MAX_GROUP: usize = 50;
/// How often a group is run before its jobs are told to come back later.
const ATTEMPTS: u32 = 12;
/// The first of the advisory locks' two numbers: it says that the lock is a shop's.
const LOCK_CLASS: i32 = 0x5350;

/// Which of so many lanes jobs of this name go to.
pub(super) fn of(name: &str, lanes: usize) -> usize {
    let hash = name
        .bytes()
        .fold(0_usize, |hash, byte| hash.wrapping_mul(31).wrapping_add(usize::from(byte)));
    hash % lanes.max(1)
}

pub(super) struct Lane {
    pool: Pool,
    queue: Receiver<Work>,
    generations: Arc<Generations>,
    /// Who tells the other servers what changed.
    instance: u64,
    lock: String,
    unlock: String,
}

/// How a try to commit a group ended.
enum Tried {
    /// With what each job is answered.
    Done(Vec<Result<()>>),
    /// Nothing is committed, and it may be tried again.
    Again(Error),
}

impl Lane {
    pub(super) fn new(
        number: usize,
        pool: Pool,
        queue: Receiver<Work>,
        generations: Arc<Generations>,
        instance: u64,
    ) -> Self {
        let lock = format!("SELECT pg_advisory_lock({LOCK_CLASS}, {number})");
        let unlock = format!("SELECT pg_advisory_unlock({LOCK_CLASS}, {number})");
        Self { pool, queue, generations, instance, lock, unlock }
    }

    /// Works until every sender of the queue is gone and all that they sent is done.
    pub(super) fn run(self) {
        while let Ok(first) = self.queue.recv() {
            let more = self.queue.try_iter().take(MAX_GROUP - 1);
            let mut group: Vec<Work> = std::iter::once(first).chain(more).collect();
            let outcomes = self.commit(&mut group);
            for (work, outcome) in group.into_iter().zip(outcomes) {
                // Whoever no longer waits has dropped his end.
                drop(work.done.send(outcome));
            }
        }
    }

    /// Runs a group until it is committed, or has been refused too often.
    fn commit(&self, group: &mut [Work]) -> Vec<Result<()>> {
        let mut last = busy();
        for attempt in 0..ATTEMPTS {
            match self.pool.get() {
                Ok(mut session) => match self.try_commit(&mut session, group) {
                    Tried::Done(outcomes) => return outcomes,
                    Tried::Again(error) => last = error,
                },
                Err(_) => return group.iter().map(|_| Err(busy())).collect(),
            }
            std::thread::sleep(pause(attempt));
        }
        let last = if is_conflict(&last) { busy() } else { last };
        group.iter().map(|_| Err(last.clone())).collect()
    }

    fn try_commit(&self, session: &mut Session, group: &mut [Work]) -> Tried {
        if let Err(error) = session.run(&self.lock) {
            return Tried::Again(error);
        }
        match run_all(session, group) {
            Ok((outcomes, touched)) => self.finish(session, outcomes, touched),
            Err(error) => {
                // Where this fails the connection is gone, and transaction and lock with it.
                drop(session.run("ROLLBACK").and_then(|()| session.run(&self.unlock)));
                Tried::Again(error)
            }
        }
    }

    fn finish(&self, session: &mut Session, outcomes: Vec<Result<()>>, touched: Touched) -> Tried {
        let told = watch::notification(self.instance, touched);
        match session.run(&format!("{told}COMMIT; {}", self.unlock)) {
            Ok(()) => {
                touched.raise(&self.generations);
                Tried::Done(outcomes)
            }
            Err(error) if is_conflict(&error) => {
                drop(session.run("ROLLBACK").and_then(|()| session.run(&self.unlock)));
                Tried::Again(error)
            }
            // The connection broke at the commit: nobody can tell whether it is done.
            Err(error) => {
                touched.raise(&self.generations);
                Tried::Done(outcomes.iter().map(|_| Err(error.clone())).collect())
            }
        }
    }
}

/// Runs every job of a group, each within a savepoint; one that fails takes back its own changes
/// only. An error means that the group as a whole must be run again.
fn run_all(session: &mut Session, group: &mut [Work]) -> Result<(Vec<Result<()>>, Touched)> {
    session.run("BEGIN ISOLATION LEVEL SERIALIZABLE")?;
    let (mut outcomes, mut touched) = (Vec::with_capacity(group.len()), Touched::default());
    for work in group {
        session.run("SAVEPOINT job")?;
        let (outcome, met) = session.run_job(work.name, &mut work.job);
        if met.conflict || session.is_lost() {
            return Err(conflict(outcome));
        }
        match outcome {
            Ok(()) => touched.merge(met.touched),
            Err(_) => session.run("ROLLBACK TO SAVEPOINT job")?,
        }
        session.run("RELEASE SAVEPOINT job")?;
        outcomes.push(outcome);
    }
    Ok((outcomes, touched))
}

/// What a job said of a conflict, which it may have taken for something else.
fn conflict(outcome: Result<()>) -> Error {
    match outcome {
        Err(error) => error,
        Ok(()) => busy(),
    }
}

/// Longer from try to try, and up to twice as long by chance, so that two do not collide in step.
fn pause(attempt: u32) -> Duration {
    let chance = getrandom::u32().unwrap_or_default() % 256;
    Duration::from_micros(u64::from(1_u32 << attempt.min(8)) * 2 * u64::from(256 + chance))
}
