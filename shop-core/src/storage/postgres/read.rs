//! Reads, each on one snapshot.

use std::collections::HashSet;
use std::sync::{PoisonError, RwLock};

use crossbeam_channel::Receiver;

use super::session::Session;
use super::tx::{Met, outcome_of};
use super::{LANES, Pool, READERS, WRITERS};
use crate::error::{Error, Result};
use crate::storage::ReadCost;
use crate::storage::workers::{Work, refuse_queued};

/// The jobs that may ask more than one query: all of them shall see one snapshot, which takes a
/// transaction. One query has a snapshot of its own.
#[derive(Debug, Default)]
pub(super) struct Snapshots(RwLock<HashSet<&'static str>>);

impl Snapshots {
    fn takes_transaction(&self, job: &'static str) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).contains(job)
    }

    /// Notes that a job takes a transaction, unless it is one that may be run again: then running
    /// it shows.
    pub(super) fn expect(&self, job: &'static str, cost: ReadCost) {
        if cost == ReadCost::Unbounded {
            self.note(job);
        }
    }

    fn note(&self, job: &'static str) {
        if !self.takes_transaction(job) {
            self.0.write().unwrap_or_else(PoisonError::into_inner).insert(job);
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
    let mut left = LANES + WRITERS + READERS;
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
    if !snapshots.takes_transaction(name) {
        if let Some(done) = session.run_one_query(name, job) {
            return done;
        }
        snapshots.note(name);
    }
    session.run_read("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", name, job)
}
