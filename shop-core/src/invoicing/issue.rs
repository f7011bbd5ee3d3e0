//! Issues invoices without being asked for (`nfe.issue`): of orders that are paid, or sent.
//!
//! The log of events tells which orders may want one. How far it was read, and the orders that were
//! found, stand in one transaction, so that no order is left out however a server dies. An order
//! stays until its invoice is authorised; issuing itself never makes two of one order
//! ([`Invoices::emit`]).
//!
//! What has no answer is tried again. What is refused, or cannot be made, waits for staff: it is
//! looked at again every few minutes, and tried only when the invoice would say something else than
//! before, which it does when the order, its goods or the settings changed.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use tokio::time::Instant;

use super::compose::{self, Numbering};
use super::retry::{ROUND_TIME, next_try};
use super::store::{self, ToIssue};
use super::terms::Terms;
use super::units;
use super::{EmitInvoice, InvoiceStatus, Invoices};
use crate::actor::Actor;
use crate::clock::Timestamp;
use crate::config::IssueWhen;
use crate::error::{Error, Refusal, Result};
use crate::event::{self, EventName};
use crate::id::OrderId;
use crate::lane;
use crate::nfe::Invoice;
use crate::nfe::issuer::NUMBER_TAKEN;
use crate::nfe::protocol::is_passing;
use crate::order::{self, Order, OrderStatus};
use crate::setting;
use crate::storage::Tx;

/// How many events one transaction reads.
const FILL: i64 = 500;
/// How many orders one round tries.
const ROUND: i64 = 20;
/// How long a server has an order for itself: longer than issuing may take.
const TAKEN: Duration = Duration::from_secs(5 * 60);
/// How often to look whether something else would be said of an order that was refused.
const LOOK_AGAIN: Duration = Duration::from_secs(10 * 60);
/// Where the number of the last event that was read is kept; empty while nothing is issued.
const CURSOR: &str = "nfe_issue_after";

/// What an event tells of its order.
#[derive(Deserialize)]
struct Subject {
    id: OrderId,
    status: OrderStatus,
}

/// What is to be done about an order.
enum Next {
    /// Nothing: another server has it, it needs no invoice, or nothing changed since it was
    /// refused.
    Nothing,
    /// Its invoice is issued; with the digest of what it would say.
    Issue(ToIssue, String),
}

/// How trying an order ended.
enum Tried {
    Issued,
    NotIssued,
    /// The office does not answer: the others need not be tried now.
    NoAnswer,
}

impl Invoices<'_> {
    /// Issues the invoices that are due, and tells how many were authorised.
    pub(crate) async fn issue_due(&self) -> Result<usize> {
        let when = self.cx.config().nfe.issue;
        if when == IssueWhen::Manual {
            self.stop_following().await?;
            return Ok(0);
        }
        while self.follow(when).await? {}
        let (now, start) = (self.cx.now(), Instant::now());
        let due = move |tx: &mut dyn Tx| store::to_issue(tx, now, ROUND);
        let mut issued = 0;
        for order in self.cx.db().read("nfe.to_issue", due).await? {
            if start.elapsed() >= ROUND_TIME {
                break;
            }
            match self.try_to_issue(order).await? {
                Tried::Issued => issued += 1,
                Tried::NotIssued => {}
                Tried::NoAnswer => break,
            }
        }
        Ok(issued)
    }

    /// Reads the log on, from where it stood when the setting was first seen; tells whether there
    /// is more.
    async fn follow(&self, when: IssueWhen) -> Result<bool> {
        let now = self.cx.now();
        let is_behind = |tx: &mut dyn Tx| match cursor(tx)? {
            Some(from) => event::has_after(tx, from),
            None => Ok(true),
        };
        if !self.cx.db().lookup("nfe.issue_behind", is_behind).await? {
            return Ok(false);
        }
        let job = move |tx: &mut dyn Tx| follow(tx, when, now);
        self.cx.db().write(lane::INTEGRATIONS, "nfe.issue_follow", job).await
    }

    /// Staff asks for invoices: nothing is waited for, and setting it anew begins with the orders
    /// of then.
    async fn stop_following(&self) -> Result<()> {
        let now = self.cx.now();
        let following = |tx: &mut dyn Tx| Ok(cursor(tx)?.is_some());
        if self.cx.db().lookup("nfe.issue_following", following).await? {
            let stop = move |tx: &mut dyn Tx| {
                store::forget_all(tx)?;
                setting::set(tx, CURSOR, "", now)
            };
            self.cx.db().write(lane::INTEGRATIONS, "nfe.issue_stop", stop).await?;
        }
        Ok(())
    }

    async fn try_to_issue(&self, order: OrderId) -> Result<Tried> {
        let (terms, now, id) = (Terms::of(*self), self.cx.now(), order.clone());
        let job = move |tx: &mut dyn Tx| next(tx, &terms, &id, now);
        let next = self.cx.db().write(lane::INTEGRATIONS, "nfe.issue_take", job).await?;
        let Next::Issue(waiting, content) = next else { return Ok(Tried::NotIssued) };
        let emitted = self.emit(&Actor::System, &order, EmitInvoice::default()).await;
        let tried = match &emitted {
            Ok(_) => Tried::Issued,
            Err(Error::Provider { .. }) => Tried::NoAnswer,
            Err(_) => Tried::NotIssued,
        };
        let now = self.cx.now();
        let outcome = emitted.map(drop);
        let job = move |tx: &mut dyn Tx| book(tx, &waiting, &content, &outcome, now);
        self.cx.db().write(lane::INTEGRATIONS, "nfe.issue_book", job).await?;
        Ok(tried)
    }
}

fn cursor(tx: &mut dyn Tx) -> Result<Option<i64>> {
    Ok(setting::get(tx, CURSOR)?.and_then(|text| text.parse().ok()))
}

fn follow(tx: &mut dyn Tx, when: IssueWhen, now: Timestamp) -> Result<bool> {
    let (to, has_more) = match cursor(tx)? {
        None => (event::last(tx)?, false),
        Some(from) => {
            let Some(to) = event::last_of_next(tx, from, FILL)? else { return Ok(false) };
            for (name, payload) in event::payloads(tx, from, to, EVENTS)? {
                let order = subject(&name, &payload).filter(|it| may_want(when, it.status));
                if let Some(order) = order {
                    store::want(tx, &order.id, now)?;
                }
            }
            (to, true)
        }
    };
    setting::set(tx, CURSOR, &to.to_string(), now)?;
    Ok(has_more)
}

/// The events after which an order may want its invoice.
const EVENTS: [EventName; 3] =
    [EventName::OrderCreated, EventName::OrderPaid, EventName::OrderStatusChanged];

/// The order that an event is about; none where it cannot be read, as that of an erased customer.
fn subject(name: &str, payload: &str) -> Option<Subject> {
    #[derive(Deserialize)]
    struct StatusChange {
        order: Subject,
    }
    if name == EventName::OrderStatusChanged.as_str() {
        return serde_json::from_str::<StatusChange>(payload).ok().map(|change| change.order);
    }
    serde_json::from_str(payload).ok()
}

/// Whether an order of this status may want its invoice. Whether it is paid is looked at then.
fn may_want(when: IssueWhen, status: OrderStatus) -> bool {
    match when {
        IssueWhen::Manual => false,
        IssueWhen::WhenPaid => status.is_revenue(),
        IssueWhen::WhenSent => matches!(status, OrderStatus::Shipped | OrderStatus::Delivered),
    }
}

/// Takes an order and finds out what is to be done about it.
fn next(tx: &mut dyn Tx, terms: &Terms, id: &OrderId, now: Timestamp) -> Result<Next> {
    let taken = store::take_to_issue(tx, id, now.plus(TAKEN), now)?;
    let Some(waiting) = taken else { return Ok(Next::Nothing) };
    let order = order::find(tx, id)?.filter(|order| may_want(terms.config.issue, order.status));
    let order = order.filter(|order| compose::paid_by(order).is_ok());
    let Some(order) = order else {
        store::issued(tx, id)?;
        return Ok(Next::Nothing);
    };
    // An invoice that staff cancelled, or whose number was given up, is not made anew by itself.
    let status = store::latest(tx, terms.scope(), id)?.map(|stored| stored.invoice.status);
    let is_open = status.is_none_or(|status| {
        use InvoiceStatus::{Numbered, Rejected, Signed, Taken};
        matches!(status, Numbered | Signed | Rejected | Taken)
    });
    if !is_open {
        store::issued(tx, id)?;
        return Ok(Next::Nothing);
    }
    let content = content(tx, terms, &order, now);
    if let Err(Error::Refused(Refusal::OrderWithdrawn)) = content {
        // Its refund is what comes next, unless staff say no to the withdrawal.
        store::look_again(tx, id, now.plus(LOOK_AGAIN))?;
        return Ok(Next::Nothing);
    }
    let (content, problem) = match content {
        Ok(content) => (content, None),
        Err(error) => {
            let problem = words(&error);
            if waiting.content.as_ref() != Some(&problem) {
                tracing::warn!(order = %id, %error, "the invoice cannot be made");
            }
            (problem.clone(), Some(problem))
        }
    };
    if waiting.content.as_ref() == Some(&content) {
        store::look_again(tx, id, now.plus(LOOK_AGAIN))?;
        return Ok(Next::Nothing);
    }
    match problem {
        Some(problem) => {
            store::note_problem(tx, id, &problem, &content, now.plus(LOOK_AGAIN))?;
            Ok(Next::Nothing)
        }
        None => Ok(Next::Issue(waiting, content)),
    }
}

/// The digest of what an order's invoice would say, but for its number and its time, and of the
/// certificate that would sign it.
fn content(tx: &mut dyn Tx, terms: &Terms, order: &Order, now: Timestamp) -> Result<String> {
    let numbering = Numbering::sample(terms.config.series);
    let order = &units::invoiced(tx, order)?;
    let invoice = compose::invoice(tx, terms, order, None, numbering, now)?;
    let invoice = Invoice { issued_at: order.created_at, ..invoice };
    let mut digest = Sha256::new();
    digest.update(invoice.unsigned()?);
    digest.update(terms.setup.certificate.der());
    Ok(STANDARD.encode(digest.finalize()))
}

/// What stands in the way, in words for staff.
fn words(error: &Error) -> String {
    match error {
        Error::Refused(Refusal::NfeRejected { code, text } | Refusal::NfeDenied { code, text }) => {
            format!("SEFAZ {code}: {text}")
        }
        Error::Invalid(wrong) => {
            let fields: Vec<&str> = wrong.field_errors.keys().map(String::as_str).collect();
            format!("Faltam dados ou não servem: {}", fields.join(", "))
        }
        _ => "A nota não pôde ser montada; o registro do servidor diz por quê".to_owned(),
    }
}

/// Writes down how trying an order ended.
fn book(
    tx: &mut dyn Tx,
    waiting: &ToIssue,
    content: &str,
    outcome: &Result<()>,
    now: Timestamp,
) -> Result<()> {
    let order = &waiting.order_id;
    let later = |tx: &mut dyn Tx| store::try_later(tx, order, next_try(waiting.tries, now));
    match outcome {
        Ok(()) | Err(Error::Refused(Refusal::OrderNotPaid) | Error::NotFound(_)) => {
            store::issued(tx, order)
        }
        Err(Error::Provider { .. } | Error::Busy { .. } | Error::StorageUnavailable { .. }) => {
            later(tx)
        }
        // The office works no more for now, or another program had the number.
        Err(Error::Refused(Refusal::NfeRejected { code, .. }))
            if is_passing(*code) || *code == NUMBER_TAKEN =>
        {
            later(tx)
        }
        Err(error) => {
            tracing::warn!(order = %order, %error, "the invoice was not issued");
            store::note_problem(tx, order, &words(error), content, now.plus(LOOK_AGAIN))
        }
    }
}
