//! Reads, each on one snapshot.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use crossbeam_channel::{Receiver, Sender, TrySendError};

use super::session::Session;
use super::tx::{Met, outcome_of};
use super::{CONNECTIONS, Pool};
use crate::error::{Error, Result};
use crate::storage::ReadCost;
use crate::storage::workers::{Work, refuse_queued};

/// How much jobs ask, as far as running them has shown. All queries of a job shall see one
/// snapshot, which takes a transaction; one query has a snapshot of its own.
#[derive(Debug, Default)]
pub(super) struct Snapshots(RwLock<HashMap<&'static str, Asks>>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asks {
    OneQuery,
    More,
}

impl Snapshots {
    /// Whether a job asks one query, and may be run again where it turns out to ask more.
    pub(super) fn asks_one(&self, job: &'static str, cost: ReadCost) -> bool {
        cost == ReadCost::Bounded && self.of(job) == Some(Asks::OneQuery)
    }

    /// Notes that a job takes a transaction, unless it is one that may be run again: then running
    /// it shows.
    pub(super) fn expect(&self, job: &'static str, cost: ReadCost) {
        if cost == ReadCost::Unbounded {
            self.note_more(job);
        }
    }

    /// Notes that a job asks more than one query, for good.
    pub(super) fn note_more(&self, job: &'static str) {
        self.note(job, Asks::More);
    }

    fn of(&self, job: &'static str) -> Option<Asks> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(job).copied()
    }

    fn note(&self, job: &'static str, asks: Asks) {
        if self.of(job).is_none_or(|known| known == Asks::OneQuery && asks == Asks::More) {
            self.0.write().unwrap_or_else(PoisonError::into_inner).insert(job, asks);
        }
    }
}

/// Reads until every sender of the queue is gone and all that they sent is done.
pub(super) fn run(pool: &Pool, queue: &Receiver<Work>, snapshots: &Snapshots) {
    for mut read in queue {
        let outcome = read_whole(pool, queue, snapshots, &mut read);
        drop(read.done.send(outcome_of(outcome)));
    }
}

/// Runs a job on one snapshot; again where a connection that had been idle turns out to be gone,
/// which may be true of each.
fn read_whole(
    pool: &Pool,
    queue: &Receiver<Work>,
    snapshots: &Snapshots,
    read: &mut Work,
) -> Result<()> {
    let mut left = CONNECTIONS;
    loop {
        let Ok(mut session) = pool.get() else {
            // There is no database. A queued job would wait as long for the same answer.
            refuse_queued(queue);
            return Err(Error::busy());
        };
        let (outcome, met) = read_once(&mut session, snapshots, read);
        if left == 0 || !session.is_lost() {
            return if met.conflict { Err(Error::busy()) } else { outcome };
        }
        left -= 1;
    }
}

fn read_once(
    session: &mut Session,
    snapshots: &Snapshots,
    Work { name, job, .. }: &mut Work,
) -> (Result<()>, Met) {
    if snapshots.of(name) != Some(Asks::More) {
        if let Some(done) = session.run_one_query(name, job) {
            snapshots.note(name, Asks::OneQuery);
            return done;
        }
        snapshots.note_more(name);
    }
    session.run_read("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", name, job)
}

/// Lets these readers read.
pub(super) fn hand_on(readers: &Sender<Work>, read: Work) {
    if let Err(TrySendError::Full(read) | TrySendError::Disconnected(read)) = readers.try_send(read)
    {
        drop(read.done.send(Err(Error::busy())));
    }
}
