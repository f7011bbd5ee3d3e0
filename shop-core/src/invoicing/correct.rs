//! Correction letters (carta de correção, CC-e) for authorised invoices.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::retry::{ROUND_TIME, after_passing, next_try};
use super::store::{self, NewCorrection, Registration, StoredCorrection, StoredInvoice};
use super::terms::Terms;
use super::{GRACE, InvoiceStatus, Invoices};
use crate::actor::Actor;
use crate::audit;
use crate::clock::Timestamp;
use crate::context::Work;
use crate::detached;
use crate::error::{Conflict, Entity, Error, Refusal, Result};
use crate::id::{CorrectionId, OrderId};
use crate::idempotency::{IdempotencyKey, IdempotentRequest};
use crate::lane;
use crate::nfe::correction::{self, check_text};
use crate::nfe::danfe::{self, PrintedCorrection};
use crate::nfe::event::event_proc;
use crate::nfe::issuer::{DUPLICATE_EVENT, KnownCorrection, Registered};
use crate::nfe::protocol::{is_passing, protocol_number, registered_at};
use crate::nfe::{AccessKey, CorrectionLetter};
use crate::order;
use crate::storage::Tx;
use crate::value::{Text, words};

/// How long after its authorisation an invoice is corrected: 720 hours.
const TERM: Duration = Duration::from_secs(720 * 60 * 60);
/// How many correction letters one round of background work asks about.
const ROUND: i64 = 50;

words! {
    /// The state of a correction letter.
    #[derive(Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
    pub enum CorrectionStatus {
        /// It is signed; whether the office has it is not known yet.
        #[serde(rename = "processando")]
        Signed = "SIGNED",
        /// It holds.
        #[serde(rename = "registrada")]
        Registered = "REGISTERED",
        /// It was not accepted; its number is free again, unless another program took it.
        #[serde(rename = "rejeitada")]
        Rejected = "REJECTED",
    }
}

impl CorrectionStatus {
    fn is_settled(self) -> bool {
        self != Self::Signed
    }
}

/// A correction letter for an invoice. The last one that is registered replaces all before.
#[apply(answer!)]
pub struct Correction {
    /// Its number among the invoice's correction letters, 1 to 20.
    #[serde(rename = "numero")]
    pub sequence: u8,
    /// What it says.
    #[serde(rename = "texto")]
    pub text: String,
    /// Its state.
    pub status: CorrectionStatus,
    /// The number of its registration's protocol.
    #[serde(rename = "protocolo")]
    pub protocol: Option<String>,
    /// The code of the tax office's answer.
    #[serde(rename = "codigo")]
    pub answer_code: Option<i64>,
    /// The text of that answer.
    #[serde(rename = "motivo")]
    pub answer: Option<String>,
    /// When it was written.
    #[serde(rename = "criadaEm")]
    pub created_at: Timestamp,
    /// When the office registered it.
    #[serde(rename = "registradaEm")]
    pub registered_at: Option<Timestamp>,
}

/// What is right instead of what an invoice says.
#[apply(input!)]
pub struct CorrectInvoice {
    /// 15 to 1000 characters. A correction letter replaces those before, so it repeats what still
    /// holds of them.
    pub text: Text<15, 1000>,
}

impl Invoices<'_> {
    /// Registers a correction letter for an order's authorised invoice, within 720 hours of its
    /// authorisation. A text that is in force already is no new one, and neither is a repeat with
    /// the same key.
    ///
    /// A correction letter cannot change amounts, the buyer or dates; what it may say is for the
    /// shop to know.
    ///
    /// # Errors
    /// [`Entity::Order`]; [`Entity::Invoice`] when none is authorised;
    /// [`Conflict::InvoiceCancelled`]; [`Conflict::CorrectionTooLate`];
    /// [`Conflict::CorrectionsUsedUp`] after 20 correction letters; [`Error::Busy`] while another
    /// correction letter's registration is not known; [`Refusal::IdempotencyKeyReused`];
    /// [`Refusal::NfeRejected`] with the office's words; [`Error::Provider`] when it does not
    /// answer, and then the background work, or a repeat, finds out what became of the correction
    /// letter.
    ///
    /// Dropping the future does not stop it: the call to the provider and its booking run to their
    /// end.
    #[tracing::instrument(name = "invoice.correct", level = "debug", skip_all)]
    pub async fn correct(
        &self,
        by: &Actor,
        order: &OrderId,
        new: CorrectInvoice,
        key: Option<IdempotencyKey>,
    ) -> Result<Correction> {
        let text = check_text(new.text.as_str())?;
        let request = IdempotentRequest::by(key, by, "nfe.correct", &(order, &text))?;
        let (invoicing, by, order) = (self.owned(), by.clone(), order.clone());
        let work =
            async move { Invoices::new(&invoicing).correct_now(&by, &order, text, request).await };
        detached::to_its_end(work).await
    }

    async fn correct_now(
        &self,
        by: &Actor,
        order: &OrderId,
        text: String,
        request: IdempotentRequest,
    ) -> Result<Correction> {
        // A correction letter that is under way is settled first, so that numbers have no gaps.
        let (terms, id) = (Terms::of(*self), order.clone());
        let job = move |tx: &mut dyn Tx| pending(tx, &terms, &id);
        if let Some(under_way) = self.cx.db().read("nfe.pending_correction", job).await? {
            let says_the_same = under_way.correction.text == text;
            match self.send_correction(under_way).await {
                // It is settled: another text may be accepted.
                Err(Error::Refused(Refusal::NfeRejected { code, .. }))
                    if !says_the_same && !is_passing(code) => {}
                ended => drop(ended?),
            }
        }
        let (terms, at, by, order) = (Terms::of(*self), self.cx.work(), by.clone(), order.clone());
        let job = move |tx: &mut dyn Tx| {
            if let Some(first) = request.stored_answer::<CorrectionId>(tx, at.now())? {
                return store::correction(tx, &first);
            }
            let stored = begin(tx, &at, &terms, &by, &order, &text)?;
            request.store_answer(tx, at.now(), &stored.id)?;
            Ok(stored)
        };
        let stored = self.cx.db().write(lane::INTEGRATIONS, "nfe.begin_correction", job).await?;
        self.send_correction(stored).await
    }

    /// Hands a stored correction letter over, once or again: the office takes each number once, and
    /// says which letter has it.
    async fn send_correction(&self, stored: StoredCorrection) -> Result<Correction> {
        if stored.correction.status.is_settled() {
            return settled(stored.correction);
        }
        let issuer = &self.setup.issuer;
        let (key, sequence) = (key_of(&stored)?, stored.correction.sequence);
        let answer = match issuer.correct(&stored.xml, &key).await? {
            Registered::Accepted { answer } => Ended::Registered(Some(answer)),
            // The office is paused, or asked too often: the letter keeps its number and is sent
            // again.
            Registered::Rejected { code, text } if is_passing(code) => {
                let due_at = after_passing(code, stored.tries, self.cx.now());
                let job = move |tx: &mut dyn Tx| store::postpone_correction(tx, &stored, due_at);
                self.cx.db().write(lane::INTEGRATIONS, "nfe.postpone_correction", job).await?;
                return Err(Error::Refused(Refusal::NfeRejected { code, text }));
            }
            Registered::Rejected { code, text } => Ended::Rejected(code, text),
            Registered::Already { text } => {
                match issuer.correction_of(&key, sequence).await? {
                    Some(KnownCorrection { text, answer }) if text == stored.correction.text => {
                        Ended::Registered(Some(answer))
                    }
                    // Another program's correction letter has the number.
                    Some(_) => Ended::Rejected(DUPLICATE_EVENT, text),
                    None => Ended::Registered(None),
                }
            }
        };
        let now = self.cx.now();
        let job = move |tx: &mut dyn Tx| {
            end(tx, &stored, &answer, now)?;
            store::correction(tx, &stored.id)
        };
        let stored = self.cx.db().write(lane::INTEGRATIONS, "nfe.end_correction", job).await?;
        settled(stored.correction)
    }

    /// A registered correction letter on paper, as a PDF.
    ///
    /// # Errors
    /// [`Entity::Invoice`] where there is no such correction letter; [`Error::Internal`] when it
    /// cannot be drawn.
    ///
    /// Cancel safe: reads only.
    pub async fn render_correction(&self, order: &OrderId, sequence: u8) -> Result<Vec<u8>> {
        let (scope, order) = (self.setup.scope, order.clone());
        let job = move |tx: &mut dyn Tx| {
            let invoice = store::latest(tx, scope, &order)?;
            let invoice = invoice.ok_or(Error::NotFound(Entity::Invoice))?.invoice.id;
            let letter = store::registered_correction(tx, &invoice, sequence)?;
            let letter = letter.ok_or(Error::NotFound(Entity::Invoice))?;
            let xml = store::authorized_xml(tx, scope, &order)?;
            Ok((letter.correction, xml.ok_or(Error::NotFound(Entity::Invoice))?))
        };
        let (letter, xml) = self.cx.db().read("nfe.correction", job).await?;
        let draw = move || {
            let registered_at = letter.registered_at.map(Timestamp::local_seconds);
            let printed = PrintedCorrection {
                sequence: letter.sequence,
                text: &letter.text,
                protocol: letter.protocol.as_deref().unwrap_or_default(),
                registered_at: registered_at.as_deref().unwrap_or_default(),
                cancelled: xml.cancelled,
            };
            danfe::render_correction(&xml.nfe_proc, &printed).map_err(Error::from_source)
        };
        tokio::task::spawn_blocking(draw).await.map_err(Error::from_source)?
    }

    /// Finds out what became of letters that were handed over without an answer. Tells how many
    /// were settled.
    pub(super) async fn settle_corrections(&self) -> Result<usize> {
        let (scope, now) = (self.setup.scope, self.cx.now());
        let due = move |tx: &mut dyn Tx| store::due_corrections(tx, scope, now, ROUND);
        let (mut count, start) = (0, Instant::now());
        for id in self.cx.db().read("nfe.due_corrections", due).await? {
            if start.elapsed() >= ROUND_TIME {
                break;
            }
            let take = {
                let id = id.clone();
                move |tx: &mut dyn Tx| {
                    let stored = store::correction(tx, &id)?;
                    let due_at = next_try(stored.tries, now).max(now.plus(GRACE));
                    let ours = store::take_correction(tx, &stored, due_at, now)?;
                    Ok(ours.then_some(stored))
                }
            };
            let taken = self.cx.db().write(lane::INTEGRATIONS, "nfe.take_correction", take).await?;
            let Some(stored) = taken else { continue };
            match self.send_correction(stored).await {
                Ok(_) | Err(Error::Refused(_)) => count += 1,
                Err(error @ Error::StorageUnavailable { .. }) => return Err(error),
                Err(error) => tracing::warn!(correction = %id, %error, "not settled yet"),
            }
        }
        Ok(count)
    }
}

/// What the office said of a correction letter.
enum Ended {
    /// It is registered; with the `retEvento`, where it is known.
    Registered(Option<String>),
    Rejected(u16, String),
}

fn settled(correction: Correction) -> Result<Correction> {
    if correction.status != CorrectionStatus::Rejected {
        return Ok(correction);
    }
    let code = correction.answer_code.and_then(|code| u16::try_from(code).ok());
    let (code, text) = (code.unwrap_or_default(), correction.answer.unwrap_or_default());
    Err(Error::Refused(Refusal::NfeRejected { code, text }))
}

/// The key of the invoice that a correction letter is about, as its event says it.
fn key_of(stored: &StoredCorrection) -> Result<AccessKey> {
    let key = crate::nfe::first_text(&stored.xml, "chNFe");
    key.unwrap_or_default().parse().map_err(Error::from_source)
}

fn corrected(tx: &mut dyn Tx, terms: &Terms, order: &OrderId) -> Result<StoredInvoice> {
    let order = order::find(tx, order)?.ok_or(Error::NotFound(Entity::Order))?;
    let stored = store::latest(tx, terms.scope(), &order.id)?;
    let stored = stored.ok_or(Error::NotFound(Entity::Invoice))?;
    match stored.invoice.status {
        InvoiceStatus::Authorized if stored.cancel_xml.is_none() => Ok(stored),
        InvoiceStatus::Authorized | InvoiceStatus::Cancelled => {
            Err(Error::Conflict(Conflict::InvoiceCancelled))
        }
        _ => Err(Error::NotFound(Entity::Invoice)),
    }
}

/// The correction letter of an order's invoice whose registration is not known yet.
fn pending(tx: &mut dyn Tx, terms: &Terms, order: &OrderId) -> Result<Option<StoredCorrection>> {
    let invoice = corrected(tx, terms, order)?.invoice.id;
    let latest = store::latest_correction(tx, &invoice)?;
    Ok(latest.filter(|letter| !letter.correction.status.is_settled()))
}

/// Stores a signed letter before it is handed over, or answers with the one in force that says the
/// same.
fn begin(
    tx: &mut dyn Tx,
    at: &Work,
    terms: &Terms,
    by: &Actor,
    order: &OrderId,
    text: &str,
) -> Result<StoredCorrection> {
    let invoice = corrected(tx, terms, order)?.invoice;
    let latest = store::latest_correction(tx, &invoice.id)?;
    match &latest {
        Some(letter) if letter.correction.text == text => return Ok(letter.clone()),
        // Another call was quicker.
        Some(letter) if !letter.correction.status.is_settled() => {
            return Err(Error::busy());
        }
        _ => {}
    }
    let authorized_at = invoice.authorized_at.unwrap_or(invoice.issued_at);
    Conflict::CorrectionTooLate.unless(at.now() <= authorized_at.plus(TERM))?;
    let sequence = store::last_sequence(tx, &invoice.id)? + 1;
    Conflict::CorrectionsUsedUp.unless(sequence <= correction::MOST)?;
    let key: AccessKey =
        invoice.key.as_deref().unwrap_or_default().parse().map_err(Error::from_source)?;
    let environment = terms.scope().environment();
    let letter = CorrectionLetter { key: &key, environment, sequence, text, at: at.now() };
    let xml = letter.sign(&terms.setup.certificate)?;
    let (id, due_at): (CorrectionId, _) = (at.id(), at.now().plus(GRACE));
    let new = NewCorrection { id: &id, invoice: &invoice.id, sequence, text, xml: &xml, due_at };
    if !store::insert_correction(tx, &new, at.now())? {
        return Err(Error::busy());
    }
    // What it says is not repeated in the log: it may be about the customer.
    let after = serde_json::json!({ "numero": invoice.number, "carta": sequence });
    audit::record(tx, at, by, "nfe.correct", order.as_str(), &serde_json::Value::Null, &after)?;
    store::correction(tx, &id)
}

fn end(tx: &mut dyn Tx, stored: &StoredCorrection, ended: &Ended, now: Timestamp) -> Result<()> {
    match ended {
        Ended::Rejected(code, text) => {
            store::reject_correction(tx, &stored.id, (i64::from(*code), text))
        }
        Ended::Registered(answer) => {
            let answer = answer.as_deref();
            let proc_xml = answer.map(|answer| event_proc(&stored.xml, answer));
            let protocol = answer.and_then(protocol_number);
            let registration = Registration {
                proc_xml: proc_xml.as_deref(),
                protocol: protocol.as_deref(),
                at: answer.and_then(registered_at).unwrap_or(now),
            };
            let said = (135, "Evento registrado e vinculado a NF-e");
            store::register_correction(tx, &stored.id, &registration, said)
        }
    }
}
