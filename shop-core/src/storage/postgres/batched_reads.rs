//! Batches of reads of one query each.
//!
//! A query of its own costs a call of the kernel and the waking of a process on either side, which
//! takes longer than finding a row by an index. So what comes while a batch is asked waits for the
//! next one, which is one round trip, and reads of one statement are one query.
//!
//! What a job asks is found out by running it: it is stopped at its query, and run again with the
//! answer. One that asks more than that goes to the other readers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender};

use super::DIALECT;
use super::manager::Manager;
use super::prefetched::{Prefetched, takes_lists};
use super::read::{Snapshots, hand_on};
use super::session::{Session, run};
use super::value::PostgresRow;
use crate::error::{Error, Result};
use crate::storage::workers::Work;
use crate::storage::{AppendLog, Area, Dialect, Param, Prefetch, Row, Tx};

/// Reads in a batch.
const MAX_BATCH: usize = 64;
/// After this time the reads go to the other readers, so that a slow one does not hold up the rest
/// for long.
const LIMIT: &str = "SET statement_timeout = '1s'";
/// How long a database that cannot be reached is left to the other readers.
const PAUSE: Duration = Duration::from_secs(1);

/// A thread that reads in batches.
pub(super) struct BatchReader {
    pub(super) manager: Manager,
    pub(super) queue: Receiver<Work>,
    /// The queue of the readers that read whatever cannot be read here.
    pub(super) readers: Sender<Work>,
    pub(super) snapshots: Arc<Snapshots>,
}

impl BatchReader {
    /// Reads until every sender of the queue is gone and all that they sent is done.
    pub(super) fn run(self) {
        let (mut session, mut connect_from) = (None, Instant::now());
        while let Ok(first) = self.queue.recv() {
            let others = self.queue.try_iter().take(MAX_BATCH - 1);
            let batch = std::iter::once(first).chain(others).collect();
            let left = match &mut session {
                Some(session) => self.answer(session, batch),
                None => batch,
            };
            for read in left {
                hand_on(&self.readers, read);
            }
            session = session.filter(|it| !it.is_lost() && !it.is_of_no_use());
            // Not while reads wait for it: it takes seconds where nobody answers.
            if session.is_none() && connect_from <= Instant::now() {
                session = self.connect();
                connect_from = Instant::now() + PAUSE;
            }
        }
    }

    fn connect(&self) -> Option<Session> {
        let mut session = self.manager.open().ok()?;
        session.run(LIMIT).ok()?;
        Some(session)
    }

    /// Answers the reads of a batch; gives those back that are not answered.
    fn answer(&self, session: &mut Session, mut batch: Vec<Work>) -> Vec<Work> {
        let mut queries: Vec<Prefetch> = batch.iter_mut().filter_map(query_of).collect();
        queries.sort_unstable();
        queries.dedup();
        let Ok(answers) = session.ask_queries(&queries) else { return batch };
        batch.into_iter().filter_map(|read| self.finish(read, &answers)).collect()
    }

    /// Runs a job with the answer to its query; gives it back where that is not all it asks.
    fn finish(&self, mut read: Work, answers: &Prefetched) -> Option<Work> {
        let mut tx = OneQuery { answers: Some(answers), ..OneQuery::default() };
        let outcome = run(&mut tx, read.name, &mut read.job);
        if tx.asks_more {
            self.snapshots.note_more(read.name);
            return Some(read);
        }
        drop(read.done.send(outcome));
        None
    }
}

/// What a job asks first, if it can be asked for several at once.
fn query_of(read: &mut Work) -> Option<Prefetch> {
    let mut tx = OneQuery::default();
    drop(run(&mut tx, read.name, &mut read.job));
    tx.query.filter(|query| takes_lists(query.sql()))
}

/// Where a job runs that asks one query: it is stopped there, or given the answer.
#[derive(Default)]
struct OneQuery<'a> {
    answers: Option<&'a Prefetched>,
    query: Option<Prefetch>,
    /// It asked what has no answer here.
    asks_more: bool,
}

impl OneQuery<'_> {
    fn stop<T>(&mut self) -> Result<T> {
        self.asks_more = true;
        Err(Error::internal("the read asks more than one query"))
    }
}

impl Tx for OneQuery<'_> {
    fn execute(&mut self, _: &str, _: &[Param<'_>]) -> Result<usize> {
        self.stop()
    }

    fn query(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
        each: &mut dyn FnMut(&dyn Row) -> Result<()>,
    ) -> Result<()> {
        if self.query.is_some() {
            return self.stop();
        }
        self.query = Some(Prefetch::new(sql.to_owned(), params));
        match self.answers.and_then(|answers| answers.answer(sql, params)) {
            Some(rows) => rows.iter().try_for_each(|row| each(&PostgresRow(row))),
            None => self.stop(),
        }
    }

    fn append(&mut self, _: &'static AppendLog, _: &[Param<'_>]) -> Result<()> {
        self.stop()
    }

    fn touch(&mut self, _: Area) {}

    fn touch_row(&mut self, _: Area, _: i64) {}

    fn dialect(&self) -> &'static Dialect {
        &DIALECT
    }
}
