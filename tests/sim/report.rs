//! What was tried: steps, faults by kind, moves, and which statements failed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::action::Action;
use super::bank::BankMood;
use super::books::Books;
use super::carrier::CarrierMood;
use super::faults::{Coverage, Runs, StorageFault};
use super::house::Moods;
use super::mailbox::MailMood;
use super::office::OfficeMood;
use super::scenario::{Scenario, Statement};

/// Every status of an order: staff may set each after each.
const ORDER: [&str; 6] = ["PENDING", "PROCESSING", "SHIPPED", "DELIVERED", "CANCELLED", "REFUNDED"];
/// Where a payment or a refund may move in one step.
const MOVES: [(&str, &str, &[&str]); 12] = [
    ("payment", "PENDING", &["PAID", "FAILED", "EXPIRED", "CANCELLED", "REVIEW"]),
    ("payment", "FAILED", &["PAID", "REVIEW", "CANCELLED"]),
    ("payment", "EXPIRED", &["PAID", "REVIEW"]),
    ("payment", "CANCELLED", &["PAID", "REVIEW"]),
    ("payment", "PAID", &["REFUNDED", "CHARGED_BACK"]),
    ("payment", "REVIEW", &["REFUNDED", "CHARGED_BACK"]),
    ("invoice", "new", &["NUMBERED", "SIGNED", "AUTHORIZED", "REJECTED"]),
    ("invoice", "SIGNED", &["AUTHORIZED", "REJECTED", "DISABLED"]),
    ("invoice", "REJECTED", &["SIGNED", "AUTHORIZED", "DISABLED"]),
    ("invoice", "AUTHORIZED", &["CANCELLED"]),
    ("refund", "new", &["PENDING", "DONE"]),
    ("refund", "PENDING", &["DONE", "FAILED"]),
];

/// What one or many lives tried.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// How many lives.
    pub lives: u64,
    /// How many things happened.
    pub steps: u64,
    /// How often the program was started again.
    pub restarts: u64,
    /// How often each thing was asked, and how often the shop did it.
    actions: BTreeMap<String, (u64, u64)>,
    faults: BTreeMap<String, u64>,
    moves: BTreeMap<String, u64>,
    coverage: Coverage,
}

impl Report {
    pub(crate) fn acted<T>(
        &mut self,
        action: &Action,
        struck: Option<StorageFault>,
        answer: Option<&Result<T, String>>,
    ) {
        let counts = self.actions.entry(action.name()).or_default();
        counts.0 += 1;
        counts.1 += u64::from(matches!(answer, Some(Ok(_))));
        let fault = struck.map(|fault| format!("storage {fault:?}"));
        let dropped = answer.is_none().then(|| "nobody waits for the answer".to_owned());
        if let Some(fault) = fault.or(dropped) {
            *self.faults.entry(fault).or_default() += 1;
        }
    }

    pub(crate) fn moods(&mut self, moods: Moods) {
        let Moods { bank, mail, office, carrier } = moods;
        let all = [
            (bank != BankMood::Answers, format!("provider {bank:?}")),
            (mail != MailMood::Works, format!("mail {mail:?}")),
            (office != OfficeMood::Answers, format!("tax office {office:?}")),
            (carrier != CarrierMood::Answers, format!("carrier {carrier:?}")),
        ];
        for (_, fault) in all.into_iter().filter(|(is_fault, _)| *is_fault) {
            *self.faults.entry(fault).or_default() += 1;
        }
    }

    /// Counts what moved between two looks at the books.
    pub(crate) fn transitions(&mut self, before: &Books, now: &Books) {
        let mut moved = |kind: &str, from: &str, to: &str| {
            if from != to {
                *self.moves.entry(format!("{kind} {from} -> {to}")).or_default() += 1;
            }
        };
        for (id, row) in &now.orders {
            let known = before.orders.get(id).map_or(0, |it| it.history.len());
            let mut from = before.orders.get(id).map_or("PENDING", |it| it.status.as_str());
            for (to, _) in row.history.iter().skip(known) {
                moved("order", from, to);
                from = to;
            }
        }
        for (id, row) in &now.payments {
            let from = before.payments.get(id).map_or("new", |it| it.status.as_str());
            moved("payment", from, &row.status);
        }
        for (id, row) in &now.refunds {
            let from = before.refunds.get(id).map_or("new", |it| it.status.as_str());
            moved("refund", from, &row.status);
        }
        for (id, row) in &now.invoices {
            let from = before.invoices.get(id).map_or("new", |it| it.status.as_str());
            moved("invoice", from, &row.status);
        }
        for (id, row) in &now.returns {
            let from = before.returns.get(id).map_or("new", |it| it.status.as_str());
            moved("return", from, &row.status);
        }
    }

    pub(crate) fn cover(&mut self, more: Coverage) {
        for (statement, runs) in more {
            self.coverage.entry(statement).or_default().add(runs);
        }
    }

    /// Adds what other lives tried.
    pub fn add(&mut self, other: Self) {
        self.lives += other.lives;
        self.steps += other.steps;
        self.restarts += other.restarts;
        for (action, (asked, done)) in other.actions {
            let counts = self.actions.entry(action).or_default();
            counts.0 += asked;
            counts.1 += done;
        }
        for (fault, n) in other.faults {
            *self.faults.entry(fault).or_default() += n;
        }
        for (to, n) in other.moves {
            *self.moves.entry(to).or_default() += n;
        }
        self.cover(other.coverage);
    }

    /// Moves that may be made and were not.
    pub fn never_taken(&self) -> Vec<String> {
        let of_orders = ORDER.iter().map(|from| ("order", *from, ORDER.as_slice()));
        let all = of_orders.chain(MOVES.map(|(kind, from, to)| (kind, from, to)));
        let all = all.flat_map(|(kind, from, to)| {
            to.iter().filter(move |to| **to != from).map(move |to| format!("{kind} {from} -> {to}"))
        });
        all.filter(|name| !self.moves.contains_key(name)).collect()
    }

    /// Statements of writes that never failed.
    pub fn never_failed(&self) -> Vec<&Statement> {
        self.unfailed().map(|(statement, _)| statement).collect()
    }

    /// A life for each statement of a write that never failed, in which it will.
    pub fn still_to_fail(&self) -> Vec<Scenario> {
        let scenario = |(statement, runs): (&Statement, &Runs)| {
            Some(Scenario { seed: runs.seed?, failing: Some(statement.clone()) })
        };
        self.unfailed().filter_map(scenario).collect()
    }

    fn unfailed(&self) -> impl Iterator<Item = (&Statement, &Runs)> {
        self.coverage.iter().filter(|(_, runs)| runs.failed == 0)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} lives, {} steps, {} restarts", self.lives, self.steps, self.restarts)?;
        writeln!(f, "\nasked, and done:")?;
        for (action, (asked, done)) in &self.actions {
            writeln!(f, "  {action:<16} {asked:>8} {done:>8}")?;
        }
        writeln!(f, "\nwhat went wrong:")?;
        for (fault, n) in &self.faults {
            writeln!(f, "  {fault:<32} {n:>8}")?;
        }
        writeln!(f, "\nmoves:")?;
        for (to, n) in &self.moves {
            writeln!(f, "  {to:<40} {n:>8}")?;
        }
        let failed = self.coverage.len() - self.unfailed().count();
        let jobs: BTreeSet<&str> = self.coverage.keys().map(|it| it.job.as_str()).collect();
        writeln!(
            f,
            "\n{} jobs that write, {} statements in them, of which {failed} have failed at least once",
            jobs.len(),
            self.coverage.len(),
        )
    }
}
