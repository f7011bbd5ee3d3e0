//! Writes to PostgreSQL: threads that commit whatever is queued as groups, one for each lane and
//! one for concurrent jobs.
//!
//! The group of a lane is one `SERIALIZABLE` transaction with a savepoint for each job. It begins
//! with the lock of the lane's table, so that of all servers one at a time runs jobs of the lane:
//! they change the same rows and would only collide. The lock comes before the transaction's
//! snapshot (`LOCK TABLE` takes none), so the next holder sees what the one before it committed; it
//! ends with the transaction, whatever becomes of the server; and PostgreSQL hands it out in the
//! order of asking. Jobs of different lanes run at the same time, and PostgreSQL makes one of them
//! run again where they collide.
//!
//! Concurrent jobs ([`ConcurrentJob`](crate::storage::ConcurrentJob)) run at `READ COMMITTED`,
//! those of several servers at the same time. They hold the table of their lane in a mode that lets
//! others of their kind in and keeps the other jobs of the lane out, and the locks that they name
//! ([`Locks`]).

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::gather::Groups;
use super::group::{Locks, Write};
use super::replica::Replica;
use super::run::{Broken, Outcomes, Ran, run_all};
use super::session::{Session, Transaction};
use super::tx::{is_conflict, outcome_of};
use super::{Pool, watch};
use crate::error::{Error, Result};
use crate::storage::Generations;
use crate::storage::generation::Touched;

/// How often a group is run before its jobs are run one by one.
const TRIES_TOGETHER: u32 = 4;
/// How often a job of its own is run before it is told to come back later.
const TRIES_ALONE: u32 = 12;
/// How long jobs are run again and again, or asked about.
const PATIENCE: Duration = Duration::from_secs(15);

/// Commits what is queued in one lane, or what is concurrent.
pub(super) struct Committer {
    pub(super) pool: Pool,
    pub(super) groups: Groups,
    pub(super) generations: Arc<Generations>,
    /// Who tells the other servers what changed.
    pub(super) instance: u64,
    pub(super) replica: Option<Arc<Replica>>,
}

/// How a try to commit a group ended.
enum Tried {
    Done(Outcomes),
    /// Nothing is committed.
    Not(Broken),
}

/// What became of a commit whose answer got lost.
enum Fate {
    Committed,
    RolledBack,
    Unknown,
}

impl Committer {
    /// Works until every sender of the queue is gone and all that they sent is done.
    pub(super) fn run(mut self) {
        while let Some(mut group) = self.groups.next() {
            let outcomes = self.commit(&mut group);
            for (write, outcome) in group.into_iter().zip(outcomes) {
                // A caller that no longer waits has dropped its end.
                drop(write.work.done.send(outcome_of(outcome)));
            }
        }
    }

    /// Runs a group until it is committed; one that collides too often, job by job.
    fn commit(&self, group: &mut [Write]) -> Outcomes {
        let tries = if group.len() > 1 { TRIES_TOGETHER } else { TRIES_ALONE };
        let error = match self.commit_together(group, tries) {
            Ok(outcomes) => return outcomes,
            Err(Broken::Apart(_)) if group.len() > 1 => return self.commit_each(group),
            Err(Broken::Again(error)) if is_conflict(&error) => {
                if group.len() > 1 {
                    return self.commit_each(group);
                }
                Error::busy()
            }
            Err(Broken::Again(error) | Broken::Apart(error)) => error,
            Err(Broken::Torn) => Error::busy(),
        };
        group.iter().map(|_| Err(error.clone())).collect()
    }

    fn commit_each(&self, group: &mut [Write]) -> Outcomes {
        group.iter_mut().flat_map(|write| self.commit(std::slice::from_mut(write))).collect()
    }

    /// Fails with why nothing is committed.
    fn commit_together(&self, group: &mut [Write], tries: u32) -> Result<Outcomes, Broken> {
        let (start, mut collided) = (Instant::now(), 0);
        let mut locks = Locks::of(group);
        loop {
            let Ok(mut session) = self.pool.get() else {
                // There is no database. A queued job would wait as long for the same answer.
                self.groups.refuse_queued();
                return Err(Broken::Again(Error::busy()));
            };
            let error = match self.try_commit(&mut session, group, &locks) {
                Tried::Done(outcomes) => return Ok(outcomes),
                Tried::Not(Broken::Torn) => {
                    locks.savepoints = true;
                    continue;
                }
                Tried::Not(Broken::Apart(error)) => return Err(Broken::Apart(error)),
                Tried::Not(Broken::Again(error)) => error,
            };
            self.generations.counters().retried();
            // A connection that was idle while PostgreSQL restarted counts for nothing.
            collided += u32::from(!session.is_lost());
            // The same answer would come from the same database.
            if session.is_of_no_use() || collided >= tries || start.elapsed() >= PATIENCE {
                return Err(Broken::Again(error));
            }
            drop(session);
            std::thread::sleep(pause(collided));
        }
    }

    fn try_commit(&self, session: &mut Session, group: &mut [Write], locks: &Locks) -> Tried {
        match run_all(session, group, locks) {
            Ok(ran) => self.finish(session, ran),
            Err(broken) => {
                // Where this fails the connection is gone, and transaction and lock with it.
                drop(session.run("ROLLBACK"));
                Tried::Not(broken)
            }
        }
    }

    fn finish(&self, session: &mut Session, ran: Ran) -> Tried {
        let Ran { transaction, outcomes, touched, mut outbox } = ran;
        let told = watch::notification(self.instance, &touched);
        let begun = Instant::now();
        let committed = {
            let _span = tracing::debug_span!("commit", jobs = outcomes.len()).entered();
            session.commit(&mut outbox, &format!("{told}COMMIT"))
        };
        let Err(error) = committed else {
            self.generations.counters().committed(outcomes.len(), begun.elapsed());
            return self.done(session, outcomes, &touched);
        };
        if !session.is_lost() {
            drop(session.run("ROLLBACK"));
            return Tried::Not(error.into());
        }
        self.find_out(session, &transaction, (outcomes, touched), error)
    }

    /// The connection broke at the commit of a transaction that did this.
    fn find_out(
        &self,
        session: &mut Session,
        transaction: &Transaction,
        (outcomes, touched): (Outcomes, Touched),
        error: Error,
    ) -> Tried {
        match self.fate(transaction) {
            Fate::Committed => self.done(session, outcomes, &touched),
            Fate::RolledBack => Tried::Not(Broken::Again(error)),
            Fate::Unknown => {
                tracing::error!(
                    "the connection broke at a commit, and what became of it is not known"
                );
                if let Some(replica) = &self.replica {
                    replica.doubt();
                }
                touched.raise(&self.generations);
                let unknown = || Error::internal("it is not known whether this was committed");
                Tried::Done(
                    outcomes.into_iter().map(|it| it.and_then(|()| Err(unknown()))).collect(),
                )
            }
        }
    }

    fn done(&self, session: &mut Session, outcomes: Outcomes, touched: &Touched) -> Tried {
        if let Some(replica) = &self.replica {
            replica.follow(session);
        }
        touched.raise(&self.generations);
        Tried::Done(outcomes)
    }

    /// Asks PostgreSQL, once it is back, what became of a transaction.
    fn fate(&self, transaction: &Transaction) -> Fate {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            let Ok(mut session) = self.pool.get() else { continue };
            match session.status_of(transaction) {
                Ok(Some(status)) if status == "committed" => return Fate::Committed,
                Ok(Some(status)) if status == "aborted" => return Fate::RolledBack,
                // Its process has not noticed yet that the client is gone.
                Ok(Some(_)) => {}
                Err(error) if session.is_lost() => tracing::debug!(%error, "not back yet"),
                Ok(None) | Err(_) => return Fate::Unknown,
            }
            drop(session);
            std::thread::sleep(Duration::from_millis(100));
        }
        Fate::Unknown
    }
}

/// Longer from try to try, and up to twice as long by chance, so that two do not collide in step.
fn pause(collided: u32) -> Duration {
    let chance = getrandom::u32().unwrap_or_default() % 256;
    Duration::from_micros(u64::from(1_u32 << collided.min(8)) * 2 * u64::from(256 + chance))
}
