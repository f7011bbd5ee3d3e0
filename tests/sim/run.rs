//! One life of a shop, from a seed.

use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use shop_core::clock::Clock;
use shop_core::maintenance;
use shop_core::money::Money;

use super::action::Action;
use super::bank::BankMood;
use super::books::Books;
use super::carrier::CarrierMood;
use super::choose::{Draw, Happens};
use super::faults::{Plan, Planned, StorageFault};
use super::house::{House, Moods, Running};
use super::judge::{Outcome, Step, Verdict, ensure};
use super::log::{Log, letters, views};
use super::mailbox::MailMood;
use super::model::{Asked, Model};
use super::office::OfficeMood;
use super::perform::perform;
use super::report::Report;
use super::rng::Rng;
use super::scenario::Scenario;
use super::setup;

/// How many things happen in a life.
const STEPS: usize = 70;
/// More than any call has points at which it waits.
const SETTLED: usize = 60;

/// How a life ended that did not go well.
#[derive(Debug, Clone)]
pub struct Failure {
    /// By which it comes again.
    pub scenario: Scenario,
    /// What was wrong.
    pub why: String,
    /// Everything that happened until then.
    pub story: String,
}

/// Lives the life of a shop.
///
/// # Errors
/// [`Failure`] when the shop's books are not the model's.
pub fn live(scenario: &Scenario) -> Result<Report, Box<Failure>> {
    let mut life = Life::begin(scenario);
    let lived = catch_unwind(AssertUnwindSafe(|| life.run())).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
        Err(format!("panicked: {}", text.unwrap_or_default()))
    });
    life.close();
    match lived {
        Ok(()) => Ok(life.report),
        Err(why) => {
            let scenario = scenario.clone();
            Err(Box::new(Failure { scenario, why, story: life.story }))
        }
    }
}

/// The story of a life, whether it goes well or not.
pub fn story(scenario: &Scenario) -> String {
    let mut life = Life::begin(scenario);
    let lived = life.run();
    life.close();
    if let Err(why) = lived {
        let _ = writeln!(life.story, "!! {why}");
    }
    life.story
}

pub(super) struct Life {
    rng: Rng,
    pub(super) house: House,
    running: Option<Running>,
    pub(super) model: Model,
    pub(super) books: Books,
    log: Log,
    story: String,
    report: Report,
}

/// How a call of the shop ended.
enum Ended {
    Answered(shop_core::Result<Option<String>>),
    Dropped,
    Died,
}

impl Life {
    fn begin(scenario: &Scenario) -> Self {
        let mut house = House::new(scenario.clone());
        let running = Some(house.start());
        let (report, rng) = (Report::default(), Rng::new(scenario.seed));
        let (model, books, log) = (Model::default(), Books::default(), Log::default());
        let story = format!("{scenario}\n");
        Self { rng, house, running, model, books, log, story, report }
    }

    fn close(&mut self) {
        self.report.lives += 1;
        self.report.cover(self.house.control.take_coverage());
        if let Some(running) = self.running.take() {
            self.house.ended(running);
        }
    }

    pub(super) fn tell(&mut self, what: &str) {
        let at = self.house.clock.now();
        let _ = writeln!(self.story, "{at} {what}");
    }

    fn now(&self) -> i64 {
        self.house.clock.now().millis()
    }

    fn run(&mut self) -> Verdict {
        let running = self.running.as_ref().ok_or("not open")?;
        let made = running.runtime.block_on(setup::furnish(&running.shop, &mut self.rng));
        self.model = made.map_err(|error| format!("cannot be furnished: {error}"))?;
        // Nothing goes wrong before the first step.
        self.house.control.take_coverage();
        self.look()?;
        for step in 0..STEPS {
            self.step(step)?;
        }
        self.settle()
    }

    fn step(&mut self, step: usize) -> Verdict {
        let (bank, time) = (self.house.bank.clone(), self.now());
        let mut draw = Draw {
            rng: &mut self.rng,
            model: &self.model,
            books: &self.books,
            bank: &bank,
            step,
            time,
        };
        self.report.steps += 1;
        match draw.next() {
            Happens::Asked(action) => self.asked(&action),
            Happens::PayerPays(id) => {
                let paid = bank.pay(&id);
                self.tell(&format!("the payer pays {id}: {paid}"));
                Ok(())
            }
            Happens::RefundByHand(id, cents) => {
                let done = bank.refund_by_hand(&id, Money::from_cents(cents));
                self.tell(&format!("the provider gives {cents} of {id} back by itself: {done}"));
                Ok(())
            }
            Happens::ChargeBack(id) => {
                let done = bank.charge_back(&id);
                self.tell(&format!("the payer's bank takes {id} back: {done}"));
                Ok(())
            }
            Happens::TimePasses(minutes) => {
                self.house.clock.advance(Duration::from_secs(minutes * 60));
                self.tell(&format!("{minutes} minutes went by"));
                Ok(())
            }
            Happens::Restart => {
                self.tell("the program is started again");
                self.restart()
            }
        }
    }

    /// Asks something of the shop, with or without something that goes wrong, and judges it.
    fn asked(&mut self, action: &Action) -> Verdict {
        let (fault, drop_at) = self.plan();
        let outcome = self.call(action, fault, drop_at);
        let orders = self.model.orders.len();
        self.judge(action, &outcome)?;
        let placed = self.model.orders.get(orders).map(|it| it.id.clone());
        self.note(action, &outcome, placed);
        if self.rng.chance(30) { self.check_views() } else { Ok(()) }
    }

    /// What goes wrong in this step.
    fn plan(&mut self) -> (Plan, Option<usize>) {
        let rng = &mut self.rng;
        let moods = Moods {
            bank: sometimes(rng, 20, &BankMood::FAULTS),
            mail: sometimes(rng, 20, &MailMood::FAULTS),
            office: sometimes(rng, 30, &OfficeMood::FAULTS),
            carrier: sometimes(rng, 20, &CarrierMood::FAULTS),
        };
        let (fault, drop_at) = match rng.below(10) {
            0..=2 => (rng.pick(&StorageFault::ALL).copied(), None),
            3 => (None, Some(rng.below(8))),
            _ => (None, None),
        };
        let call = if rng.chance(60) { 0 } else { rng.below(12) };
        let statement = if rng.chance(50) { rng.below(8) } else { rng.below(48) };
        self.house.set(moods);
        self.report.moods(moods);
        let planned = fault.map(|fault| Plan::At(Planned { fault, call, statement }));
        (planned.unwrap_or(Plan::Failing), drop_at)
    }

    pub(super) fn call(&mut self, action: &Action, fault: Plan, drop_at: Option<usize>) -> Outcome {
        let Some(running) = &self.running else {
            return Outcome { answer: None, certain: false };
        };
        let (house, model) = (&self.house, &self.model);
        house.control.plan(fault);
        let ended = running.runtime.block_on(async {
            let call = perform(&running.shop, model, &house.bank, action);
            drive(call, house, drop_at).await
        });
        let struck = house.control.struck();
        house.control.plan(Plan::Nothing);
        let certain = struck.is_none() && matches!(ended, Ended::Answered(_));
        let died = matches!(ended, Ended::Died);
        let (answer, how) = match ended {
            Ended::Answered(Ok(id)) => (Some(Ok(id)), "ok".to_owned()),
            Ended::Answered(Err(error)) => (Some(Err(format!("{error:?}"))), error.to_string()),
            Ended::Dropped => (None, format!("nobody waits after {drop_at:?} points")),
            Ended::Died => (None, "the program died".to_owned()),
        };
        self.report.acted(action, struck.map(|(fault, _)| fault), answer.as_ref());
        let struck = struck.map(|(fault, job)| format!(" [{fault:?} in {job}]"));
        self.tell(&format!("{action:?}{}: {how}", struck.unwrap_or_default()));
        if died || self.house.control.is_dead() {
            self.house.mailbox.step_broke_off();
            self.reopen();
        } else if !certain {
            self.house.mailbox.step_broke_off();
        }
        Outcome { answer, certain }
    }

    pub(super) fn judge(&mut self, action: &Action, outcome: &Outcome) -> Verdict {
        let before = std::mem::take(&mut self.books);
        self.look()?;
        let step = Step {
            action,
            outcome,
            before: &before,
            now: &self.books,
            house: &self.house,
            time: self.house.clock.now().millis(),
        };
        step.judge(&mut self.model)?;
        self.report.transitions(&before, &self.books);
        self.told()
    }

    /// Reads the books.
    fn look(&mut self) -> Verdict {
        let running = self.running.as_ref().ok_or("not open")?;
        let read = running.runtime.block_on(Books::read(&running.engine));
        self.books = read.map_err(|error| format!("the books cannot be read: {error:?}"))?;
        Ok(())
    }

    fn told(&mut self) -> Verdict {
        let running = self.running.as_ref().ok_or("not open")?;
        running.runtime.block_on(self.log.read(&running.shop))?;
        self.log.agrees(&self.model, &self.books)?;
        self.log.mails(&self.model, &self.books, self.house.clock.now().millis())?;
        letters(&self.house.mailbox, &self.books)
    }

    fn check_views(&mut self) -> Verdict {
        let chance = self.rng.below(100);
        let running = self.running.as_ref().ok_or("not open")?;
        running.runtime.block_on(views(&running.shop, &self.model, chance))
    }

    /// Keeps what may be asked again with its key.
    fn note(&mut self, action: &Action, outcome: &Outcome, placed: Option<String>) {
        let now = self.now();
        match action {
            Action::Place(placement) if placement.key.is_some() => {
                self.model.keyed.push((placement.clone(), placed, now));
            }
            Action::PlaceAgain(nth) => {
                let first = &mut self.model.keyed[*nth].1;
                *first = first.take().or(placed);
            }
            Action::Refund { order, amount, key } => {
                let made = outcome.certain && matches!(outcome.answer, Some(Ok(_)));
                let (order, amount, key) = (*order, *amount, key.clone());
                self.model.refunds.push(Asked { order, amount, key, made, at: now });
            }
            Action::RefundAgain(nth) => {
                let asked = &mut self.model.refunds[*nth];
                asked.made |= matches!(outcome.answer, Some(Ok(_)));
            }
            _ => {}
        }
    }

    fn reopen(&mut self) {
        self.report.cover(self.house.control.take_coverage());
        if let Some(running) = self.running.take() {
            self.house.ended(running);
        }
        self.running = Some(self.house.start());
        // Nothing goes wrong while the program starts, so that counts as little as furnishing does.
        self.house.control.take_coverage();
        self.report.restarts += 1;
    }

    /// Ends the program in good order, has its database looked over, and starts it again.
    pub(super) fn restart(&mut self) -> Verdict {
        self.reopen();
        let running = self.running.as_ref().ok_or("not open")?;
        let database = maintenance::Database::at(&self.house.database());
        let checked = running.runtime.block_on(database.check(self.house.clock.now()));
        let report = checked.map_err(|error| format!("cannot be checked: {error:?}"))?;
        let wrong: Vec<_> = report.wrong().collect();
        ensure(wrong.is_empty(), || format!("db check: {wrong:?}"))?;
        self.check_views()
    }
}

/// One of the faults so often in a hundred times.
fn sometimes<T: Copy + Default>(rng: &mut Rng, percent: usize, faults: &[T]) -> T {
    rng.chance(percent).then(|| rng.pick(faults).copied()).flatten().unwrap_or_default()
}

/// Polls a call to its end, or drops it where it has waited so often, or ends with the program.
async fn drive(
    call: impl Future<Output = shop_core::Result<Option<String>>>,
    house: &House,
    drop_at: Option<usize>,
) -> Ended {
    let ended = {
        let (mut call, mut died, mut waits) = (pin!(call), pin!(house.control.died()), 0);
        std::future::poll_fn(|cx| {
            if died.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Ended::Died);
            }
            if let Poll::Ready(answer) = call.as_mut().poll(cx) {
                return Poll::Ready(Ended::Answered(answer));
            }
            waits += 1;
            if drop_at.is_some_and(|at| waits > at) {
                return Poll::Ready(Ended::Dropped);
            }
            if house.control.is_dead() { Poll::Ready(Ended::Died) } else { Poll::Pending }
        })
        .await
    };
    if matches!(ended, Ended::Dropped) {
        // What runs on in a task of its own comes to its end.
        for _ in 0..SETTLED {
            tokio::task::yield_now().await;
        }
    }
    ended
}
