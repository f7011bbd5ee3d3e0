//! A storage that breaks on purpose: at a chosen statement of a chosen write, at the commit, or
//! after it.
//!
//! Every call first yields once and then blocks until the engine has answered. So nothing depends
//! on how fast the engine's threads are, and each call is one point at which a future can be
//! dropped.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;
use shop_core::storage::{
    AppendLog, Area, Dialect, Generations, Job, Lane, Param, ReadCost, Row, Storage, Tx,
};
use shop_core::{Error, Result};
use tokio::sync::Notify;

use super::house::{Data, Image};

/// What goes wrong with the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum StorageFault {
    /// A statement fails, as on an I/O error; the program goes on.
    StatementFails,
    /// The program ends in the middle of a transaction, or right before its commit.
    DiesInTransaction,
    /// The program ends when the commit is durable and nobody was told.
    DiesAfterCommit,
    /// The power goes while the commit is written: any part of it may be on the disk.
    TearsCommit,
    /// The connection is lost before the transaction begins.
    LosesConnection,
    /// The connection is lost when the commit is durable: the answer is an error.
    LosesAnswer,
    /// A read fails.
    ReadFails,
}

impl StorageFault {
    pub(crate) const ALL: [Self; 7] = [
        Self::StatementFails,
        Self::DiesInTransaction,
        Self::DiesAfterCommit,
        Self::TearsCommit,
        Self::LosesConnection,
        Self::LosesAnswer,
        Self::ReadFails,
    ];

    fn ends_the_program(self) -> bool {
        matches!(self, Self::DiesInTransaction | Self::DiesAfterCommit | Self::TearsCommit)
    }
}

/// A fault, and where: the how-manieth write (or read) from now on, at which of its statements. A
/// write with fewer statements fails right before its commit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Planned {
    pub(crate) fault: StorageFault,
    pub(crate) call: usize,
    pub(crate) statement: usize,
}

/// What is to go wrong with the database in a step.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum Plan {
    #[default]
    Nothing,
    At(Planned),
    /// Whatever statement runs for the first time in this life, if it is one of [`FirstRuns`].
    FirstRun,
}

/// Statements that fail when they first run in a life, so that those fail too that run rarely: other
/// ones in each life, one in 8 to one in 512, since many hide what runs after them in a step.
#[derive(Debug)]
pub(crate) struct FirstRuns {
    seed: u64,
    one_in: u64,
    met: Mutex<BTreeSet<u64>>,
}

impl FirstRuns {
    pub(crate) fn of(seed: u64) -> Self {
        Self { seed, one_in: 8 << (seed / 4 % 4 * 2), met: Mutex::default() }
    }

    fn fails(&self, job: &'static str, sql: &str) -> Option<StorageFault> {
        let mut hasher = DefaultHasher::new();
        (self.seed, job, sql).hash(&mut hasher);
        let hash = hasher.finish();
        let met = || self.met.lock().unwrap_or_else(PoisonError::into_inner).insert(hash);
        let dies = hash.is_multiple_of(2);
        let fault =
            if dies { StorageFault::DiesInTransaction } else { StorageFault::StatementFails };
        ((hash / 2).is_multiple_of(self.one_in) && met()).then_some(fault)
    }
}

/// How often the statement of a job ran, and how often it was made to fail.
pub(crate) type Coverage = BTreeMap<(&'static str, String), (u64, u64)>;

#[derive(Debug, Default)]
struct State {
    plan: Plan,
    struck: Option<(StorageFault, &'static str)>,
    dead: bool,
    image: Option<Image>,
    coverage: Coverage,
}

/// By which the simulation plans faults and hears of them.
pub(crate) struct Control {
    state: Mutex<State>,
    died: Notify,
    data: Arc<Data>,
    first_runs: Arc<FirstRuns>,
}

impl Control {
    pub(crate) fn new(data: Arc<Data>, first_runs: Arc<FirstRuns>) -> Self {
        Self { state: Mutex::default(), died: Notify::new(), data, first_runs }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn plan(&self, plan: Plan) {
        let mut state = self.state();
        (state.plan, state.struck) = (plan, None);
    }

    /// The fault that happened since the last [`Control::plan`], and in which job.
    pub(crate) fn struck(&self) -> Option<(StorageFault, &'static str)> {
        self.state().struck
    }

    /// Ends when the program is to be regarded as ended.
    pub(crate) async fn died(&self) {
        self.died.notified().await;
    }

    /// Ends the program now, whatever it is doing.
    pub(crate) fn die(&self) {
        let image = self.data.image();
        let mut state = self.state();
        state.image.get_or_insert(image);
        state.dead = true;
        self.died.notify_one();
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.state().dead
    }

    /// What is on the disk after the program's end.
    pub(crate) fn take_image(&self) -> Option<Image> {
        self.state().image.take()
    }

    pub(crate) fn take_coverage(&self) -> Coverage {
        std::mem::take(&mut self.state().coverage)
    }

    /// The fault of this call, if it is its turn.
    fn turn(&self, is_read: bool, job: &'static str) -> Option<Planned> {
        let mut state = self.state();
        let Plan::At(planned) = &mut state.plan else { return None };
        if is_read != (planned.fault == StorageFault::ReadFails) {
            return None;
        }
        if planned.call > 0 {
            planned.call -= 1;
            return None;
        }
        let planned = *planned;
        (state.plan, state.struck) = (Plan::Nothing, Some((planned.fault, job)));
        Some(planned)
    }

    /// The fault of a statement whose first run it is, if it is one that fails then.
    fn first_run(&self, job: &'static str, sql: &str) -> Option<StorageFault> {
        let mut state = self.state();
        if !matches!(state.plan, Plan::FirstRun) {
            return None;
        }
        let fault = self.first_runs.fails(job, sql)?;
        (state.plan, state.struck) = (Plan::Nothing, Some((fault, job)));
        Some(fault)
    }

    fn ran(&self, job: &'static str, sql: &str, failed: bool) {
        let sql = sql.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut state = self.state();
        let counts = state.coverage.entry((job, sql)).or_default();
        counts.0 += 1;
        counts.1 += u64::from(failed);
    }
}

/// A storage in front of an engine.
pub(crate) struct FaultyStorage {
    pub(crate) engine: Arc<dyn Storage>,
    pub(crate) control: Arc<Control>,
}

impl FaultyStorage {
    async fn run_write(&self, lane: Lane, name: &'static str, job: Job) -> Result<()> {
        let planned = self.control.turn(false, name);
        let fault = planned.map(|it| it.fault);
        if fault == Some(StorageFault::LosesConnection) {
            return Err(broken("the connection was lost"));
        }
        let before = (fault == Some(StorageFault::TearsCommit)).then(|| self.control.data.image());
        let watched = self.watched(name, planned, job);
        let done = block_on(self.engine.write(lane, name, watched));
        match fault {
            Some(StorageFault::LosesAnswer) => done.and(Err(broken("the answer was lost"))),
            Some(StorageFault::TearsCommit) => {
                let after = self.control.data.image();
                let torn = before.map(|before| Image::torn(before, after, planned));
                self.control.state().image = torn;
                self.end().await
            }
            Some(fault) if fault.ends_the_program() => self.end().await,
            // A statement ended it.
            _ if self.control.is_dead() => self.end().await,
            _ => done,
        }
    }

    /// The program's end: nothing is answered any more.
    async fn end(&self) -> Result<()> {
        self.control.die();
        std::future::pending().await
    }

    /// The job, with a statement that fails.
    fn watched(&self, name: &'static str, planned: Option<Planned>, mut job: Job) -> Job {
        use StorageFault::{DiesInTransaction, StatementFails};
        let control = Arc::clone(&self.control);
        let fails = planned.filter(|it| matches!(it.fault, StatementFails | DiesInTransaction));
        Box::new(move |tx| {
            let left = fails.map(|it| it.statement);
            let mut watched = Watched { tx, name, left, dies: false, control: &control };
            watched.dies = fails.is_some_and(|it| it.fault == DiesInTransaction);
            job(&mut watched)?;
            match watched.left {
                Some(_) => Err(watched.strike()),
                None => Ok(()),
            }
        })
    }
}

impl Storage for FaultyStorage {
    fn read(&self, name: &'static str, cost: ReadCost, job: Job) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            if self.control.is_dead() {
                return std::future::pending().await;
            }
            match self.control.turn(true, name) {
                Some(_) => Err(broken("the read failed")),
                None => block_on(self.engine.read(name, cost, job)),
            }
        })
    }

    fn write(&self, lane: Lane, name: &'static str, job: Job) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            if self.control.is_dead() {
                return std::future::pending().await;
            }
            self.run_write(lane, name, job).await
        })
    }

    fn generations(&self) -> &Generations {
        self.engine.generations()
    }
}

/// Waits for the engine's threads, which need no runtime.
fn block_on<T>(answer: impl Future<Output = T>) -> T {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Arc::new(Unpark(std::thread::current())).into();
    let mut context = std::task::Context::from_waker(&waker);
    let mut answer = std::pin::pin!(answer);
    loop {
        match answer.as_mut().poll(&mut context) {
            std::task::Poll::Ready(done) => return done,
            std::task::Poll::Pending => std::thread::park(),
        }
    }
}

fn broken(what: &str) -> Error {
    Error::internal(format!("simulated: {what}"))
}

/// A transaction that counts its statements down to the one that fails.
struct Watched<'t> {
    tx: &'t mut dyn Tx,
    name: &'static str,
    left: Option<usize>,
    dies: bool,
    control: &'t Control,
}

impl Watched<'_> {
    fn strike(&mut self) -> Error {
        self.left = None;
        if self.dies {
            // As the disk is in the middle of the transaction.
            self.control.die();
        }
        broken("a statement failed")
    }

    fn step(&mut self, sql: &str) -> Result<()> {
        let first = self.control.first_run(self.name, sql);
        self.dies |= first == Some(StorageFault::DiesInTransaction);
        let fails = first.is_some() || self.left == Some(0);
        self.left = self.left.map(|left| left.saturating_sub(1));
        self.control.ran(self.name, sql, fails);
        if fails { Err(self.strike()) } else { Ok(()) }
    }
}

impl Tx for Watched<'_> {
    fn execute(&mut self, sql: &str, params: &[Param<'_>]) -> Result<usize> {
        self.step(sql)?;
        self.tx.execute(sql, params)
    }

    fn query(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
        each: &mut dyn FnMut(&dyn Row) -> Result<()>,
    ) -> Result<()> {
        self.step(sql)?;
        self.tx.query(sql, params, each)
    }

    fn append(&mut self, log: &'static AppendLog, params: &[Param<'_>]) -> Result<()> {
        self.step(log.insert)?;
        self.tx.append(log, params)
    }

    fn touch(&mut self, area: Area) {
        self.tx.touch(area);
    }

    fn touch_row(&mut self, area: Area, row: i64) {
        self.tx.touch_row(area, row);
    }

    fn dialect(&self) -> &'static Dialect {
        self.tx.dialect()
    }
}
