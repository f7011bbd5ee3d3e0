//! SQLite's one writer: a thread that commits whatever is queued as one group.
//!
//! A commit with `synchronous=FULL` costs one flush of the disk. Grouping lets all who wait share
//! it, which gives full durability at several times the rate of one commit a job. There is no
//! timer: a lone job is committed at once, and load itself fills the groups.
//!
//! A job that fails must take back its own changes only. A savepoint for each would cost a tenth of
//! an order, and time with the square of what a long job changes (SQLite goes through the
//! savepoint's journal after each statement). So a job that failed when it had changed something
//! takes the group back, and the others are run again without it. Then savepoints are used for a
//! while, so that a flood of such jobs costs little more.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError};
use rusqlite::Connection;

use super::Generations;
use super::checkpoint::Checkpoints;
use super::generation::Touched;
use super::sqlite::{SqliteTx, engine_error, outcome_of};
use super::workers::Work;
use crate::error::{Error, Result};

/// Jobs in one commit; more would only make the first ones wait.
const MAX_GROUP: usize = 256;
/// Groups that run with savepoints after one that was run again.
const CAREFUL_GROUPS: u32 = 100;
/// How often to look whether another process changed the file.
const WATCH_INTERVAL: Duration = Duration::from_secs(1);

pub(super) struct Writer {
    conn: Connection,
    queue: Receiver<Work>,
    generations: Arc<Generations>,
    checkpoints: Checkpoints,
    /// Groups that are still to run with savepoints.
    careful: u32,
    data_version: i64,
    watched_at: Instant,
}

impl Writer {
    pub(super) fn new(
        file: PathBuf,
        conn: Connection,
        queue: Receiver<Work>,
        generations: Arc<Generations>,
    ) -> Result<Self> {
        let data_version = data_version(&conn)?;
        let watched_at = Instant::now();
        let checkpoints = Checkpoints::new(file, &conn);
        Ok(Self { conn, queue, generations, checkpoints, careful: 0, data_version, watched_at })
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
        if let Err(error) = self.run_statement("BEGIN IMMEDIATE") {
            refuse_all(first, &self.queue, &Err(error));
            return;
        }
        let is_careful = self.careful > 0;
        self.careful = self.careful.saturating_sub(1);
        let mut group = Group::default();
        // What comes in while the group runs joins it. Jobs that fail count too: a flood of them
        // must not keep those that went well from their commit.
        for mut work in std::iter::once(first).chain(self.queue.try_iter()).take(MAX_GROUP) {
            // The first has nothing before it to take back.
            let savepoint = is_careful && group.went_well();
            let Ran { outcome, is_torn } = self.run_job(&mut work, savepoint);
            let mut open = self.still_open(&outcome);
            if is_torn && group.went_well() {
                self.careful = CAREFUL_GROUPS;
            }
            group.jobs.push((work, outcome));
            if is_torn {
                open = self.run_again(&mut group);
            }
            if let Err(why) = open {
                self.roll_back();
                group.answer(&Err(why));
                return;
            }
            if is_torn {
                break;
            }
        }
        self.commit(group);
    }

    /// Runs one job inside the group. With a savepoint a failure takes back this job's changes.
    fn run_job(&self, work: &mut Work, savepoint: bool) -> Ran {
        let (mut tx, before) = (SqliteTx::new(&self.conn), self.conn.total_changes());
        let begun = if savepoint { self.run_statement("SAVEPOINT job") } else { Ok(()) };
        let outcome = begun.and_then(|()| {
            catch_unwind(AssertUnwindSafe(|| (work.job)(&mut tx)))
                .unwrap_or_else(|_| Err(Error::internal(format!("{} panicked", work.name))))
        });
        let ended = match &outcome {
            _ if !savepoint || self.conn.is_autocommit() => Ok(()),
            Ok(()) => self.run_statement("RELEASE job"),
            Err(_) => self
                .run_statement("ROLLBACK TO job")
                .and_then(|()| self.run_statement("RELEASE job")),
        };
        let changed = self.conn.total_changes() != before;
        let is_torn = outcome.is_err() && changed && !savepoint && !self.conn.is_autocommit();
        Ran { outcome: outcome.and(ended).map(|()| tx.into_touched()), is_torn }
    }

    /// Takes the group back and runs again what had gone well. One that fails this time is left out
    /// as well. Fails where no transaction is open in the end.
    fn run_again(&self, group: &mut Group) -> Result<()> {
        loop {
            self.run_statement("ROLLBACK")?;
            self.run_statement("BEGIN IMMEDIATE")?;
            let mut is_torn = false;
            for (work, outcome) in group.jobs.iter_mut().filter(|(_, outcome)| outcome.is_ok()) {
                let ran = self.run_job(work, false);
                self.still_open(&ran.outcome)?;
                (*outcome, is_torn) = (ran.outcome, ran.is_torn);
                if is_torn {
                    break;
                }
            }
            if !is_torn {
                return Ok(());
            }
        }
    }

    /// Fails where the engine itself rolled the transaction back (disk full, I/O error) at a job
    /// with this outcome. The jobs before it are answered with the same error.
    fn still_open(&self, outcome: &Result<Touched>) -> Result<()> {
        match outcome {
            _ if !self.conn.is_autocommit() => Ok(()),
            Err(why) => Err(why.clone()),
            Ok(_) => Err(Error::internal("the transaction was rolled back")),
        }
    }

    /// Nothing of a group may stay half-open for the next one.
    fn roll_back(&self) {
        if !self.conn.is_autocommit() {
            drop(self.conn.execute_batch("ROLLBACK"));
        }
    }

    fn commit(&mut self, mut group: Group) {
        let begun = Instant::now();
        let committed = {
            let _span = tracing::debug_span!("commit", jobs = group.jobs.len()).entered();
            self.run_statement("COMMIT")
        };
        if committed.is_err() {
            self.roll_back();
        } else {
            self.generations.counters().committed(group.jobs.len(), begun.elapsed());
            group.touched().raise(&self.generations);
        }
        group.answer(&committed);
        self.checkpoints.after_commit(&self.conn);
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

/// How a job ended, and whether it failed with changes that only the whole group can take back.
struct Ran {
    outcome: Result<Touched>,
    is_torn: bool,
}

/// The jobs of one commit, each with what it is answered once that is done.
#[derive(Default)]
struct Group {
    jobs: Vec<(Work, Result<Touched>)>,
}

impl Group {
    /// Whether any job went well.
    fn went_well(&self) -> bool {
        self.jobs.iter().any(|(_, outcome)| outcome.is_ok())
    }

    /// What those that went well changed.
    fn touched(&mut self) -> Touched {
        let mut all = Touched::default();
        for (_, outcome) in &mut self.jobs {
            if let Ok(touched) = outcome {
                all.merge(std::mem::take(touched));
            }
        }
        all
    }

    /// Answers every job; where nothing is committed, with that.
    fn answer(self, committed: &Result<()>) {
        for (work, outcome) in self.jobs {
            // It may rest on what others of the group did.
            let outcome = committed.clone().and(outcome.map(drop));
            // A caller that no longer waits has dropped its end.
            drop(work.done.send(outcome_of(outcome)));
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
    use tokio::sync::oneshot;

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
        let writer = Writer::new(PathBuf::new(), conn, jobs, Arc::default()).expect("a writer");
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

    #[test]
    fn a_job_that_fails_takes_back_its_own_changes_only() {
        let conn = Connection::open_in_memory().expect("a database");
        conn.execute_batch("CREATE TABLE a (id INTEGER PRIMARY KEY)").expect("a table");
        let (queue, jobs) = crossbeam_channel::unbounded();
        let mut writer = Writer::new(PathBuf::new(), conn, jobs, Arc::default()).expect("a writer");
        let runs = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let inserts = |fails: bool| -> Job {
            let runs = Arc::clone(&runs);
            Box::new(move |tx: &mut dyn Tx| {
                runs.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                tx.execute("INSERT INTO a DEFAULT VALUES", &[])?;
                if fails { Err(Error::Forbidden) } else { Ok(()) }
            })
        };
        // First by running the group again, then, once that happened, by a savepoint.
        for (expected_runs, rows) in [(4, 2), (3, 4)] {
            let answers = [false, true, false].map(|fails| (fails, send(&queue, inserts(fails))));
            while let Ok(first) = writer.queue.try_recv() {
                writer.take_group(first);
            }
            for (fails, answer) in answers {
                let outcome = answer.blocking_recv().expect("answered");
                assert_eq!(matches!(outcome, Err(Error::Forbidden)), fails);
            }
            assert_eq!(runs.swap(0, std::sync::atomic::Ordering::Relaxed), expected_runs);
            let count = "SELECT count(*) FROM a";
            let found: i64 = writer.conn.query_row(count, [], |row| row.get(0)).expect("counted");
            assert_eq!(found, rows);
        }
    }
}
