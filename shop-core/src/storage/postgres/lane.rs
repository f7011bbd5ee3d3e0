//! A lane of writes: a thread that commits whatever is queued in it as one group.
//!
//! A group is one `SERIALIZABLE` transaction with a savepoint for each job. It begins with the lock of
//! the lane's table, so that of all servers one at a time runs jobs of the lane: they change the
//! same rows and would only collide. The lock comes before the transaction's snapshot (`LOCK TABLE`
//! takes none), so the next holder sees what the one before it committed; it ends with the
//! transaction, whatever becomes of the server; and PostgreSQL hands it out in the order of asking. Jobs of
//! different lanes run at the same time, and PostgreSQL makes one of them run again where they
//! collide.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;

use super::outbox::Outbox;
use super::replica::Replica;
use super::session::{Session, Transaction, breaks_constraint, is_conflict};
use super::{Pool, watch};
use crate::error::{Error, Result};
use crate::storage::Generations;
use crate::storage::generation::Touched;
use crate::storage::workers::{Work, busy, refuse_queued};

/// Jobs in one commit. PostgreSQL keeps up to 64 savepoints of a transaction cheaply.
const MAX_GROUP: usize = 50;
/// How often a group is run before its jobs are run one by one.
const TRIES_TOGETHER: u32 = 4;
/// How often a job of its own is run before it is told to come back later.
const TRIES_ALONE: u32 = 12;
/// How long jobs are run again and again, or asked about.
const PATIENCE: Duration = Duration::from_secs(15);

/// Commits what is queued in one lane.
pub(super) struct Committer {
    pool: Pool,
    queue: Receiver<Work>,
    generations: Arc<Generations>,
    /// Who tells the other servers what changed.
    instance: u64,
    replica: Option<Arc<Replica>>,
    lock: String,
}

/// What each job of a group is answered.
type Outcomes = Vec<Result<()>>;

/// How a try to commit a group ended.
enum Tried {
    Done(Outcomes),
    /// Nothing is committed, and it may be tried again.
    Again(Error),
}

/// What became of a commit whose answer got lost.
enum Fate {
    Committed,
    RolledBack,
    Unknown,
}

impl Committer {
    pub(super) fn new(
        number: usize,
        pool: Pool,
        queue: Receiver<Work>,
        generations: Arc<Generations>,
        instance: u64,
        replica: Option<Arc<Replica>>,
    ) -> Self {
        let lock = format!("LOCK TABLE shop_lane_{number} IN EXCLUSIVE MODE");
        Self { pool, queue, generations, instance, replica, lock }
    }

    /// Works until every sender of the queue is gone and all that they sent is done.
    pub(super) fn run(self) {
        while let Ok(first) = self.queue.recv() {
            let more = self.queue.try_iter().take(MAX_GROUP - 1);
            let mut group: Vec<Work> = std::iter::once(first).chain(more).collect();
            let outcomes = self.commit(&mut group);
            for (work, outcome) in group.into_iter().zip(outcomes) {
                // A caller that no longer waits has dropped its end.
                drop(work.done.send(outcome));
            }
        }
    }

    /// Runs a group until it is committed; one that collides too often, job by job.
    fn commit(&self, group: &mut [Work]) -> Outcomes {
        let tries = if group.len() > 1 { TRIES_TOGETHER } else { TRIES_ALONE };
        match self.commit_together(group, tries) {
            Ok(outcomes) => outcomes,
            // A row that was kept back breaks a constraint for the whole group.
            Err(error) if group.len() > 1 && (is_conflict(&error) || breaks_constraint(&error)) => {
                group.iter_mut().flat_map(|work| self.commit(std::slice::from_mut(work))).collect()
            }
            Err(error) => {
                let error = if is_conflict(&error) { busy() } else { error };
                group.iter().map(|_| Err(error.clone())).collect()
            }
        }
    }

    /// Fails with why nothing is committed.
    fn commit_together(&self, group: &mut [Work], tries: u32) -> Result<Outcomes> {
        let (start, mut collided) = (Instant::now(), 0);
        loop {
            let Ok(mut session) = self.pool.get() else {
                // There is no database. A queued job would wait as long for the same answer.
                refuse_queued(&self.queue);
                return Err(busy());
            };
            let error = match self.try_commit(&mut session, group) {
                Tried::Done(outcomes) => return Ok(outcomes),
                Tried::Again(error) => error,
            };
            // A connection that was idle while PostgreSQL restarted counts for nothing.
            collided += u32::from(!session.is_lost());
            drop(session);
            if breaks_constraint(&error) || collided >= tries || start.elapsed() >= PATIENCE {
                return Err(error);
            }
            std::thread::sleep(pause(collided));
        }
    }

    fn try_commit(&self, session: &mut Session, group: &mut [Work]) -> Tried {
        match self.run_all(session, group) {
            Ok((transaction, outcomes, touched)) => {
                self.finish(session, &transaction, outcomes, &touched)
            }
            Err(error) => {
                // Where this fails the connection is gone, and transaction and lock with it.
                drop(session.run("ROLLBACK"));
                Tried::Again(error)
            }
        }
    }

    /// Runs every job of a group; one that fails takes back its own changes only. An error means that
    /// the group as a whole must be run again.
    fn run_all(
        &self,
        session: &mut Session,
        group: &mut [Work],
    ) -> Result<(Transaction, Outcomes, Touched)> {
        let transaction = session.begin_serializable(&self.lock)?;
        let (mut outcomes, mut touched) = (Vec::with_capacity(group.len()), Touched::default());
        let (mut outbox, last) = (Outbox::default(), group.len() - 1);
        for (place, work) in group.iter_mut().enumerate() {
            let mark = outbox.mark();
            let (outcome, met) = session.run_job(work.name, &mut work.job, Some(&mut outbox));
            if met.conflict || session.is_lost() {
                return Err(outcome.err().unwrap_or_else(busy));
            }
            if outcome.is_ok() {
                touched.merge(met.touched);
            } else {
                outbox.back_to(mark);
                session.run("ROLLBACK TO SAVEPOINT job")?;
            }
            if place < last {
                session.run("RELEASE SAVEPOINT job; SAVEPOINT job")?;
            }
            outcomes.push(outcome);
        }
        session.write_kept(&mut outbox)?;
        Ok((transaction, outcomes, touched))
    }

    fn finish(
        &self,
        session: &mut Session,
        transaction: &Transaction,
        outcomes: Outcomes,
        touched: &Touched,
    ) -> Tried {
        let told = watch::notification(self.instance, touched);
        let error = match session.run(&format!("{told}COMMIT")) {
            Ok(()) => return self.done(session, outcomes, touched),
            Err(error) => error,
        };
        if !session.is_lost() {
            drop(session.run("ROLLBACK"));
            return Tried::Again(error);
        }
        match self.fate(transaction) {
            Fate::Committed => self.done(session, outcomes, touched),
            Fate::RolledBack => Tried::Again(error),
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
