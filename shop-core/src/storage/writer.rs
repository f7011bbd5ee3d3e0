//! SQLite's one writer: a thread that commits whatever is queued as one group.
//!
//! A commit with `synchronous=FULL` costs one flush of the disk. Grouping lets all who wait share
//! it, which gives full durability at several times the rate of one commit a job. There is no
//! timer: a lone job is committed at once, and load itself fills the groups.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError};
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::Generations;
use super::generation::Touched;
use super::sqlite::{SqliteTx, engine_error, outcome_of};
use super::workers::Work;
use crate::error::{Error, Result};

/// Jobs in one commit; more would only make the first ones wait.
const MAX_GROUP: usize = 256;
/// How often to look whether another process changed the file.
const WATCH_INTERVAL: Duration = Duration::from_secs(1);

pub(super) struct Writer {
    conn: Connection,
    queue: Receiver<Work>,
    generations: Arc<Generations>,
    data_version: i64,
    watched_at: Instant,
}

impl Writer {
    pub(super) fn new(
        conn: Connection,
        queue: Receiver<Work>,
        generations: Arc<Generations>,
    ) -> Result<Self> {
        let data_version = data_version(&conn)?;
        Ok(Self { conn, queue, generations, data_version, watched_at: Instant::now() })
    }

    /// Works until every sender of the queue is gone and all that they sent is done.
    pub(super) fn run(mut self) {
        loop {
            match self.queue.recv_timeout(WATCH_INTERVAL) {
                Ok(first) => self.take_group(first),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if self.watched_at.elapsed() >= WATCH_INTERVAL {
                self.watch();
            }
        }
    }

    fn take_group(&mut self, first: Work) {
        if let Err(error) = self.conn.execute_batch("BEGIN IMMEDIATE") {
            refuse_all(first, &self.queue, &Err(engine_error(error)));
            return;
        }
        let mut group = Group { waiting: Vec::new(), touched: Touched::default() };
        // What comes in while the group runs joins it. Jobs that fail count too: a flood of them must
        // not keep those that went well from their commit.
        for write in std::iter::once(first).chain(self.queue.try_iter()).take(MAX_GROUP) {
            self.run_job(write, &mut group);
            if self.conn.is_autocommit() {
                // The engine itself rolled the transaction back (disk full, I/O error). Whoever went
                // before in the group learns why, too.
                let why = group.waiting.last().and_then(|(_, outcome)| outcome.clone().err());
                let why = why.unwrap_or_else(|| Error::internal("the transaction was rolled back"));
                group.answer(&Err(why));
                return;
            }
        }
        self.commit(group);
    }

    /// Runs one job inside the group; a failure takes back this job's changes only.
    fn run_job(&self, mut write: Work, group: &mut Group) {
        let mut tx = SqliteTx::new(&self.conn);
        let outcome = self.run_statement("SAVEPOINT job").and_then(|()| {
            catch_unwind(AssertUnwindSafe(|| (write.job)(&mut tx)))
                .unwrap_or_else(|_| Err(Error::internal(format!("{} panicked", write.name))))
        });
        let ended = match &outcome {
            Ok(()) => self.run_statement("RELEASE job"),
            Err(_) if self.conn.is_autocommit() => Ok(()),
            Err(_) => self
                .run_statement("ROLLBACK TO job")
                .and_then(|()| self.run_statement("RELEASE job")),
        };
        match outcome.and(ended) {
            Ok(()) => {
                group.touched.merge(tx.into_touched());
                group.waiting.push((write.done, Ok(())));
            }
            // It may rest on what others of the group did, which is not committed yet.
            Err(error) => group.waiting.push((write.done, Err(error))),
        }
    }

    fn commit(&self, group: Group) {
        let begun = Instant::now();
        let committed = {
            let _span = tracing::debug_span!("commit", jobs = group.waiting.len()).entered();
            self.run_statement("COMMIT")
        };
        if committed.is_err() && !self.conn.is_autocommit() {
            // Nothing of the group may stay half-open for the next one.
            drop(self.conn.execute_batch("ROLLBACK"));
        }
        if committed.is_ok() {
            self.generations.counters().committed(group.waiting.len(), begun.elapsed());
            group.touched.raise(&self.generations);
        }
        group.answer(&committed);
    }

    fn run_statement(&self, sql: &str) -> Result<()> {
        let mut statement = self.conn.prepare_cached(sql).map_err(engine_error)?;
        statement.execute([]).map(drop).map_err(engine_error)
    }

    /// Other processes (the CLI, a second server) may write to the same file. `data_version`
    /// changes on this connection only by commits of others.
    fn watch(&mut self) {
        self.watched_at = Instant::now();
        match data_version(&self.conn) {
            Ok(version) if version == self.data_version => {}
            Ok(version) => {
                self.data_version = version;
                self.generations.raise_all();
            }
            Err(error) => tracing::warn!(%error, "cannot see whether the database file changed"),
        }
    }
}

/// The jobs of one commit, each with what it is answered once that is done.
struct Group {
    waiting: Vec<(oneshot::Sender<Result<()>>, Result<()>)>,
    touched: Touched,
}

impl Group {
    /// Answers every job; where nothing is committed, with that.
    fn answer(self, committed: &Result<()>) {
        for (done, outcome) in self.waiting {
            // A caller that no longer waits has dropped its end.
            drop(done.send(outcome_of(committed.clone().and(outcome))));
        }
    }
}

fn refuse_all(first: Work, queue: &Receiver<Work>, refused: &Result<()>) {
    for write in std::iter::once(first).chain(queue.try_iter().take(MAX_GROUP)) {
        drop(write.done.send(outcome_of(refused.clone())));
    }
}

fn data_version(conn: &Connection) -> Result<i64> {
    conn.prepare_cached("PRAGMA data_version")
        .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
        .map_err(engine_error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::{Job, Tx};

    fn send(queue: &crossbeam_channel::Sender<Work>, job: Job) -> oneshot::Receiver<Result<()>> {
        let (done, answer) = oneshot::channel();
        queue.send(Work { name: "test", job, done }).expect("queued");
        answer
    }

    #[test]
    fn a_refusal_that_rests_on_a_commit_that_fails_is_answered_with_that() {
        let conn = Connection::open_in_memory().expect("a database");
        let tables = "PRAGMA foreign_keys = ON; CREATE TABLE a (id INTEGER PRIMARY KEY);
             CREATE TABLE b (a INTEGER REFERENCES a (id) DEFERRABLE INITIALLY DEFERRED)";
        conn.execute_batch(tables).expect("tables");
        let (queue, jobs) = crossbeam_channel::unbounded();
        let writer = Writer::new(conn, jobs, Arc::default()).expect("a writer");
        // Refused by the commit only.
        let takes = |tx: &mut dyn Tx| tx.execute("INSERT INTO b (a) VALUES (1)", &[]).map(drop);
        let sold_out = |tx: &mut dyn Tx| match tx.value::<i64>("SELECT count(*) FROM b", &[])? {
            0 => Ok(()),
            _ => Err(Error::Forbidden),
        };
        let taken = send(&queue, Box::new(takes));
        let refused = send(&queue, Box::new(sold_out));
        let mut writer = writer;
        let first = writer.queue.recv().expect("a job");
        writer.take_group(first);
        let failed = |answer: oneshot::Receiver<Result<()>>| {
            matches!(answer.blocking_recv(), Ok(Err(Error::Internal(_))))
        };
        assert!(failed(taken) && failed(refused));
        // By itself, the same job goes well, and a refusal of a commit that holds stays one.
        let good = send(&queue, Box::new(sold_out));
        let refusal = send(&queue, Box::new(|_: &mut dyn Tx| Err(Error::Forbidden)));
        let first = writer.queue.recv().expect("a job");
        writer.take_group(first);
        assert!(matches!(good.blocking_recv(), Ok(Ok(()))));
        assert!(matches!(refusal.blocking_recv(), Ok(Err(Error::Forbidden))));
    }
}
