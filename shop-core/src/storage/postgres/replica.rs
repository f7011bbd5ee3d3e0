//! Reads that anybody may make, on a replica that has replayed all that this server knows of.
//!
//! A replica lags, and what is read is kept under a generation until that is raised. A read from
//! before a change, kept under the generation that the change raised, would be kept for ever. So:
//!
//! 1. The engine remembers the latest place of the primary's log that it *needs*. Before it raises
//!    a generation it asks the primary where its log ends and remembers that: after each commit of
//!    its own, after news of another server's commit, and once it listens to such news (at the
//!    start, and again after its connection broke). The primary logs a commit before it notifies of
//!    it, so the place is behind it.
//! 2. A reader takes the needed place, then has the replica say that it has replayed up to there,
//!    then lets it take the snapshot, each step after the one before. Replay only goes forward and
//!    a commit is replayed before its place is, so the snapshot has every commit up to the place.
//! 3. A cache takes the generation before it asks. Where it is the one that a change
//!    raised, the place was needed already (1), and the snapshot has the change (2). Where it is an
//!    older one, the answer is forgotten with it.
//!
//! Hence too: a client whose write succeeded at this server reads it. Where the primary could not
//! be asked, no replica is read until it could. A place counts on the primary's timeline alone: a
//! replica that goes on with the primary of before a failover is behind, whatever it has replayed.
//! One that has been promoted, or is one of another database, is no replica.
//!
//! Whatever the replica cannot answer, the primary does.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::manager::Manager;
use super::read::hand_on;
use super::session::{Session, first_row};
use crate::error::{Error, Result};
use crate::storage::workers::Work;
use crossbeam_channel::{Receiver, Sender};

/// How long a replica that did not answer is left alone.
const PAUSE: Duration = Duration::from_secs(5);

/// Which database of which PostgreSQL this is; the same on its replicas.
const IDENTITY: &str =
    "SELECT concat((SELECT system_identifier FROM pg_control_system()), ' ', oid)
    FROM pg_database WHERE datname = current_database()";
/// The timeline of a primary, and where its log ends.
const END: &str = "SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8), \
                   pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')";

/// A place in a primary's log. After a failover the timeline is a later one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Place {
    timeline: u32,
    position: u64,
}

/// What a replica must have replayed.
#[derive(Debug, Default)]
struct Needed {
    place: Place,
    /// How often something was committed of which the place is not known.
    unknown: u64,
    /// How many of them are before the place that is needed now.
    settled: u64,
}

/// A replica of the database.
pub(super) struct Replica {
    manager: Manager,
    identity: String,
    needed: Mutex<Needed>,
    /// When it may be tried again, where it did not answer.
    away_until: Mutex<Option<Instant>>,
}

/// What became of a read on the replica.
enum Tried {
    Answered(Result<()>),
    /// It has not replayed enough.
    Behind,
    Failed(Error),
}

impl Replica {
    /// A replica of the database of this connection. It is not read before the primary was asked
    /// where its log ends ([`Replica::learn`]).
    pub(super) fn new(url: &str, primary: &mut Session) -> Result<Self> {
        let manager = Manager::of_replica(url)?;
        let identity = one_row(primary, IDENTITY)?.swap_remove(0);
        let needed = Mutex::new(Needed { unknown: 1, ..Needed::default() });
        Ok(Self { manager, identity, needed, away_until: Mutex::new(None) })
    }

    /// Asks the primary where its log ends: whatever was committed before is needed from now on.
    pub(super) fn learn(&self, primary: &mut Session) -> Result<()> {
        let unknown = lock(&self.needed).unknown;
        let place = end(primary)?;
        let mut needed = lock(&self.needed);
        needed.place = needed.place.max(place);
        needed.settled = needed.settled.max(unknown);
        Ok(())
    }

    /// As [`Replica::learn`], after a commit: where the primary does not say, no replica is read
    /// before it does.
    pub(super) fn follow(&self, primary: &mut Session) {
        if let Err(error) = self.learn(primary) {
            tracing::warn!(%error, "the replica is not read until the primary says where it is");
            self.doubt();
        }
    }

    /// Something may have been committed, and it is not known where.
    pub(super) fn doubt(&self) {
        lock(&self.needed).unknown += 1;
    }

    /// Whether the primary must be asked before the replica is read again.
    pub(super) fn is_in_doubt(&self) -> bool {
        let needed = lock(&self.needed);
        needed.settled < needed.unknown
    }

    /// Whether there is no use in asking it now.
    pub(super) fn is_away(&self) -> bool {
        lock(&self.away_until).is_some_and(|until| Instant::now() < until)
    }

    /// Answers reads on a connection of its own; hands on to the primary's readers what the
    /// replica cannot answer.
    pub(super) fn run(&self, queue: &Receiver<Work>, primary: &Sender<Work>) {
        let mut session = None;
        for mut read in queue {
            match self.answer(&mut session, &mut read) {
                Some(outcome) => drop(read.done.send(outcome)),
                None => hand_on(primary, read),
            }
        }
    }

    /// `None` where the primary must be asked.
    fn answer(&self, held: &mut Option<Session>, read: &mut Work) -> Option<Result<()>> {
        let needed = self.needed()?;
        let mut session = held.take().or_else(|| self.connect())?;
        let tried = try_read(&mut session, needed, read);
        match tried {
            Tried::Failed(error) if session.is_lost() => {
                self.left_alone(&error);
                None
            }
            Tried::Failed(error) => {
                tracing::debug!(%error, read.name, "the replica cannot answer");
                *held = Some(session);
                None
            }
            Tried::Behind => {
                *held = Some(session);
                None
            }
            Tried::Answered(outcome) => {
                *held = Some(session);
                Some(outcome)
            }
        }
    }

    fn needed(&self) -> Option<Place> {
        let needed = lock(&self.needed);
        (needed.settled >= needed.unknown).then_some(needed.place)
    }

    /// Where it did not answer, one reader tries; the others go to the primary meanwhile.
    fn connect(&self) -> Option<Session> {
        if let Some(until) = &mut *lock(&self.away_until) {
            let now = Instant::now();
            if now < *until {
                return None;
            }
            *until = now + PAUSE;
        }
        match self.open() {
            Ok(session) => {
                *lock(&self.away_until) = None;
                Some(session)
            }
            Err(error) => {
                tracing::warn!(%error, "the replica cannot be read; the primary is");
                *lock(&self.away_until) = Some(Instant::now() + PAUSE);
                None
            }
        }
    }

    fn open(&self) -> Result<Session> {
        let mut session = self.manager.open()?;
        if one_row(&mut session, IDENTITY)?.first() == Some(&self.identity) {
            Ok(session)
        } else {
            Err(Error::internal("database_read is no replica of database"))
        }
    }

    /// After a connection that had been good broke.
    fn left_alone(&self, error: &Error) {
        if !self.is_away() {
            tracing::warn!(%error, "the replica is gone; the primary is read");
            *lock(&self.away_until) = Some(Instant::now() + PAUSE);
        }
    }
}

/// The replica's word and the snapshot are of two transactions, for one that asks takes its
/// snapshot first.
fn try_read(session: &mut Session, needed: Place, read: &mut Work) -> Tried {
    match begin_after(session, needed) {
        Ok(true) => {}
        Ok(false) => {
            return session.run("ROLLBACK").map_or_else(Tried::Failed, |()| Tried::Behind);
        }
        Err(error) => return Tried::Failed(error),
    }
    let (outcome, met) = session.run_job(read.name, &mut read.job, None);
    let ended = session.run(if outcome.is_ok() { "COMMIT" } else { "ROLLBACK" });
    match (outcome, ended) {
        // A statement that the replica refuses, for it had to make room for what it replays.
        (Err(error), _) if met.failed => Tried::Failed(error),
        (_, Err(error)) => Tried::Failed(error),
        (outcome, Ok(())) => Tried::Answered(outcome),
    }
}

fn begin_after(session: &mut Session, needed: Place) -> Result<bool> {
    let Place { timeline, position } = needed;
    let row = one_row(
        session,
        &format!(
            "BEGIN; \
             SELECT pg_is_in_recovery(), coalesce(\
                 pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0') >= {position} \
                 AND (SELECT timeline_id FROM pg_control_checkpoint()) = {timeline}, false); \
             COMMIT; BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        ),
    )?;
    if row.first().is_none_or(|in_recovery| in_recovery != "t") {
        session.give_up();
        return Err(Error::internal("database_read is no replica any more"));
    }
    Ok(row.get(1).is_some_and(|replayed| replayed == "t"))
}

fn end(primary: &mut Session) -> Result<Place> {
    let row = one_row(primary, END)?;
    let place = || {
        let timeline = u32::from_str_radix(row.first()?, 16).ok()?;
        Some(Place { timeline, position: row.get(1)?.parse().ok()? })
    };
    place().ok_or_else(|| Error::internal("the primary does not say where its log ends"))
}

/// The columns of the only row that statements give.
fn one_row(session: &mut Session, sql: &str) -> Result<Vec<String>> {
    let messages = session.simple_query(sql)?;
    let row = first_row(&messages).ok_or_else(|| Error::internal("PostgreSQL gave no row"))?;
    Ok((0..row.len()).map(|column| row.get(column).unwrap_or_default().to_owned()).collect())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
