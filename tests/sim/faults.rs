//! A storage that breaks on purpose: at a chosen statement of a chosen write, at the commit, or
//! after it.
//!
//! Every call first yields once and then blocks until the engine has answered. So nothing depends
//! on how fast the engine's threads are, and each call is one point at which a future can be
//! dropped.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;
use shop_core::storage::{
    AppendLog, Area, Dialect, Generations, Job, Lane, Param, ReadCost, Row, Storage, Tx,
};
use shop_core::{Error, Result};
use tokio::sync::Notify;

use super::house::{Data, Image};
use super::scenario::{Scenario, Statement};

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
    /// The statement of the scenario, when it runs for the first time.
    Failing,
}

/// What is to happen in a life, and whether its failing statement has failed.
#[derive(Debug)]
pub(crate) struct Fate {
    scenario: Scenario,
    struck: AtomicBool,
}

impl Fate {
    pub(crate) fn new(scenario: Scenario) -> Self {
        Self { scenario, struck: AtomicBool::new(false) }
    }

    fn strikes(&self, statement: &Statement) -> bool {
        self.scenario.failing.as_ref() == Some(statement)
            && !self.struck.swap(true, Ordering::Relaxed)
    }
}

/// How often a statement ran, and how often it was made to fail.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Runs {
    pub(crate) ran: u64,
    pub(crate) failed: u64,
    /// A life in which it ran where it would have failed had it been the scenario's.
    pub(crate) seed: Option<u64>,
}

impl Runs {
    pub(crate) fn add(&mut self, more: Self) {
        self.ran += more.ran;
        self.failed += more.failed;
        self.seed = self.seed.or(more.seed);
    }
}

pub(crate) type Coverage = BTreeMap<Statement, Runs>;

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
    fate: Arc<Fate>,
}

impl Control {
    pub(crate) fn new(data: Arc<Data>, fate: Arc<Fate>) -> Self {
        Self { state: Mutex::default(), died: Notify::new(), data, fate }
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

    /// Counts a statement; true if it is the scenario's, and is to fail now.
    fn runs(&self, job: &'static str, sql: &str, fails: bool) -> bool {
        let statement = Statement::new(job, sql);
        let mut state = self.state();
        let may_fail = matches!(state.plan, Plan::Failing);
        let fails_too = may_fail && !fails && self.fate.strikes(&statement);
        if fails_too {
            (state.plan, state.struck) = (Plan::Nothing, Some((StorageFault::StatementFails, job)));
        }
        let failed = u64::from(fails || fails_too);
        let seed = may_fail.then_some(self.fate.scenario.seed);
        state.coverage.entry(statement).or_default().add(Runs { ran: 1, failed, seed });
        fails_too
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
        let fails = self.left == Some(0);
        self.left = self.left.map(|left| left.saturating_sub(1));
        if self.control.runs(self.name, sql, fails) || fails { Err(self.strike()) } else { Ok(()) }
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
