//! Makes an order's invoice, and finds out what became of one that was begun.

use std::time::Duration;

use tokio::time::Instant;

use super::answer::write_down;
use super::compose;
use super::conclusive::{conclusive, parse_key};
use super::customer_copy;
use super::draft::Draft;
use super::number;
use super::retry::{ROUND_TIME, next_try};
use super::return_note;
use super::store::{self, Document, StoredInvoice};
use super::terms::Terms;
use super::units;
use super::{EmitInvoice, GRACE, InvoiceKind, InvoiceStatus, Invoices, IssuedInvoice};
use crate::actor::Actor;
use crate::clock::Timestamp;
use crate::context::Work;
use crate::detached;
use crate::error::{Entity, Error, Refusal, Result};
use crate::fiscal::Buyer;
use crate::id::{InvoiceId, OrderId};
use crate::lane;
use crate::nfe::SignedInvoice;
use crate::nfe::issuer::{IssuerError, NfeIssuer, Outcome};
use crate::nfe::protocol::readable;
use crate::order;
use crate::storage::Tx;

/// How many invoices one round of background work asks about.
const ROUND: i64 = 50;

/// What the first job found or stored.
pub(super) enum EmissionStart {
    /// It is authorised.
    Done(Box<IssuedInvoice>),
    /// A document was stored before, and may have been handed over.
    Stored(Box<StoredInvoice>, Document),
    /// A number without a document that could still be accepted.
    Numbered(Box<StoredInvoice>, Draft),
}

impl Invoices<'_> {
    /// Issues the invoice of a paid order, for the buyer that is given, else the order's, else the
    /// account's of now. A repeat answers with the same invoice; after one that
    /// was rejected, it is made anew from what the shop knows now, with the same number.
    ///
    /// # Errors
    /// [`Entity::Order`]; [`Refusal::OrderNotPaid`]; [`Error::Invalid`] when something that an
    /// invoice needs is missing; [`Refusal::NfeRejected`] and [`Refusal::NfeDenied`] with the
    /// office's words; [`Error::Busy`] while the office decides; [`Error::Provider`] when it does
    /// not answer, and then a repeat finds out what became of the invoice.
    ///
    /// Dropping the future does not stop it: the call to the provider and its booking run to their
    /// end.
    #[tracing::instrument(name = "invoice.emit", level = "debug", skip_all)]
    pub async fn emit(
        &self,
        by: &Actor,
        order: &OrderId,
        buyer: impl Into<EmitInvoice>,
    ) -> Result<IssuedInvoice> {
        let buyer = buyer.into().buyer()?;
        let (invoicing, by, order) = (self.owned(), by.clone(), order.clone());
        let work = async move { Invoices::new(&invoicing).emit_now(&by, &order, buyer).await };
        detached::to_its_end(work).await
    }

    async fn emit_now(
        &self,
        by: &Actor,
        order: &OrderId,
        buyer: Option<Buyer>,
    ) -> Result<IssuedInvoice> {
        let (terms, at) = (Terms::of(*self), self.cx.work());
        let (by, order) = (by.clone(), order.clone());
        let job = move |tx: &mut dyn Tx| begin(tx, &at, &terms, &by, &order, buyer.as_ref());
        let begun = self.cx.db().write(lane::INTEGRATIONS, "nfe.begin", job).await?;
        self.go_on(begun).await
    }

    /// Brings an invoice that was begun to its end.
    pub(super) async fn go_on(&self, begun: EmissionStart) -> Result<IssuedInvoice> {
        match begun {
            EmissionStart::Done(invoice) => Ok(*invoice),
            EmissionStart::Stored(stored, document) => self.resume(*stored, document).await,
            EmissionStart::Numbered(stored, draft) => self.sign_and_send(*stored, draft).await,
        }
    }

    /// Stores the signed document, and only then hands it over.
    async fn sign_and_send(&self, stored: StoredInvoice, draft: Draft) -> Result<IssuedInvoice> {
        let setup = self.setup;
        let signed = draft.sign(&setup.certificate)?;
        let due_at = self.cx.now().plus(GRACE);
        let job = move |tx: &mut dyn Tx| {
            check_still_wanted(tx, &stored.invoice)?;
            draft.check_still_so(tx)?;
            store_signed(tx, &stored, &draft, &signed, due_at)
        };
        let (stored, document, ours) =
            self.cx.db().write(lane::INTEGRATIONS, "nfe.store", job).await?;
        match stored.invoice.status {
            InvoiceStatus::Signed if ours => {
                let key = parse_key(&document.key)?;
                let outcome = setup.issuer.authorize(&document.xml, &key).await;
                self.take(stored, outcome).await
            }
            // Another call was quicker.
            InvoiceStatus::Signed => self.resume(stored, document).await,
            InvoiceStatus::Authorized => Ok(stored.invoice),
            _ => Err(Error::busy()),
        }
    }

    /// Asks about a document that may have been handed over, and hands it over only when the office
    /// does not know it.
    async fn resume(&self, stored: StoredInvoice, document: Document) -> Result<IssuedInvoice> {
        let issuer = &self.setup.issuer;
        let key = parse_key(&document.key)?;
        let outcome = match issuer.status_of(&key).await {
            Ok(Outcome::Unknown) => {
                let invoice = stored.invoice.clone();
                let check = move |tx: &mut dyn Tx| check_still_wanted(tx, &invoice);
                self.cx.db().read("nfe.still_wanted", check).await?;
                issuer.authorize(&document.xml, &key).await
            }
            stored => stored,
        };
        self.take(stored, outcome).await
    }

    /// Books the tax office's answer and returns the invoice as it is then.
    async fn take(
        &self,
        stored: StoredInvoice,
        outcome: Result<Outcome, IssuerError>,
    ) -> Result<IssuedInvoice> {
        let setup = self.setup;
        let outcome = match outcome {
            Ok(outcome) => conclusive(self, &*setup.issuer, &stored, outcome).await?,
            Err(error) => Err(error),
        };
        let outcome = outcome.and_then(readable);
        let at = self.cx.work();
        let (id, said) = (stored.invoice.id.clone(), outcome.clone());
        let is_mailed = customer_copy::is_mailed(self.cx.config(), setup.scope);
        let job = move |tx: &mut dyn Tx| {
            if write_down(tx, &stored, &said, at.now())? && is_mailed {
                customer_copy::enqueue(tx, &at, &stored)?;
            }
            store::get(tx, &id)
        };
        let stored = self.cx.db().write(lane::INTEGRATIONS, "nfe.answer", job).await?;
        self.cx.mail_written();
        match (stored.invoice.status, outcome) {
            (InvoiceStatus::Authorized | InvoiceStatus::Cancelled, _) => Ok(stored.invoice),
            (_, Ok(Outcome::Denied { code, text, .. })) => {
                Err(Error::Refused(Refusal::NfeDenied { code, text }))
            }
            (_, Ok(Outcome::Rejected { code, text })) => {
                Err(Error::Refused(Refusal::NfeRejected { code, text }))
            }
            (_, Err(error)) => Err(error.into()),
            (_, Ok(_)) => Err(Error::Busy { retry_after: Duration::from_secs(5) }),
        }
    }

    /// Finds out what became of invoices that something was handed over for and nothing is known
    /// of: after a crash, a time-out or an office that could not decide at once. What the office
    /// does not know is handed over again. Tells how many were settled.
    pub(crate) async fn settle_due(&self) -> Result<usize> {
        let (scope, now) = (self.setup.scope, self.cx.now());
        let due = move |tx: &mut dyn Tx| store::due(tx, scope, now, ROUND);
        let (mut settled, start) = (0, Instant::now());
        for id in self.cx.db().read("nfe.due", due).await? {
            if start.elapsed() >= ROUND_TIME {
                break;
            }
            match self.settle(id.clone()).await {
                Ok(ours) => settled += usize::from(ours),
                Err(error @ Error::StorageUnavailable { .. }) => return Err(error),
                // One that cannot be settled keeps no other from it.
                Err(error) => tracing::warn!(invoice = %id, %error, "not settled yet"),
            }
        }
        settled += self.settle_corrections().await?;
        Ok(settled)
    }

    /// Settles an invoice, unless another server is at it.
    async fn settle(&self, id: InvoiceId) -> Result<bool> {
        let now = self.cx.now();
        let job = move |tx: &mut dyn Tx| {
            let stored = store::get(tx, &id)?;
            // Longer than the questions may take. What fails is asked again then, also where there
            // is nothing to hand over, because the order is not paid any more.
            let due_at = next_try(stored.tries, now).max(now.plus(GRACE));
            if !store::take(tx, &stored, due_at, now)? {
                return Ok(None);
            }
            // What is wrong with an invoice does not undo that its turn is over.
            let document = store::latest_document(tx, &stored);
            Ok(Some((stored, document)))
        };
        let taken = self.cx.db().write(lane::INTEGRATIONS, "nfe.take", job).await?;
        let Some((stored, document)) = taken else { return Ok(false) };
        let document = document?;
        match stored.invoice.status {
            InvoiceStatus::Signed => self.resume(stored, document).await,
            _ => self.resume_cancellation(stored).await,
        }
        .map(|_| true)
    }
}

/// Whether the order is still paid, or the sale whose goods came back still stands.
fn check_still_wanted(tx: &mut dyn Tx, invoice: &IssuedInvoice) -> Result<()> {
    match invoice.kind {
        InvoiceKind::Sale => {
            let order = order::find(tx, &invoice.order_id)?;
            compose::paid_by(&order.ok_or(Error::NotFound(Entity::Order))?).map(drop)
        }
        InvoiceKind::Return => return_note::check_sale(tx, &invoice.id),
    }
}

fn begin(
    tx: &mut dyn Tx,
    at: &Work,
    terms: &Terms,
    by: &Actor,
    order: &OrderId,
    buyer: Option<&Buyer>,
) -> Result<EmissionStart> {
    let order = order::find(tx, order)?.ok_or(Error::NotFound(Entity::Order))?;
    let live = store::live(tx, terms.scope(), &order.id)?;
    // One that was issued before needs no units that are left.
    let order = units::invoiced(tx, &order);
    let stored = if let Some(stored) = live {
        stored
    } else {
        let id = number::take(tx, at, terms, by, order.as_ref().map_err(Clone::clone)?)?;
        store::get(tx, &id)?
    };
    start_emission(tx, stored, |tx, stored| {
        let order = order?;
        let invoice = compose::invoice(tx, terms, &order, buyer, stored.numbering(), at.now())?;
        Ok(Draft::Sale(Box::new(invoice), Box::new(order)))
    })
}

/// Where an invoice stands that is good or may become so. What cannot be made fails here, and gives
/// a number just taken back with it.
pub(super) fn start_emission(
    tx: &mut dyn Tx,
    stored: StoredInvoice,
    draft: impl FnOnce(&mut dyn Tx, &StoredInvoice) -> Result<Draft>,
) -> Result<EmissionStart> {
    Ok(match stored.invoice.status {
        InvoiceStatus::Authorized => EmissionStart::Done(Box::new(stored.invoice)),
        InvoiceStatus::Signed => {
            let document = store::latest_document(tx, &stored)?;
            EmissionStart::Stored(Box::new(stored), document)
        }
        _ => {
            let draft = draft(tx, &stored)?;
            EmissionStart::Numbered(Box::new(stored), draft)
        }
    })
}

/// The invoice with its latest document, and whether that is the one just made.
fn store_signed(
    tx: &mut dyn Tx,
    stored: &StoredInvoice,
    draft: &Draft,
    signed: &SignedInvoice,
    due_at: Timestamp,
) -> Result<(StoredInvoice, Document, bool)> {
    let (issued_at, total, units) = (draft.issued_at(), draft.total(), draft.units());
    let ours =
        store::store_document(tx, stored, signed, (issued_at, total, units.as_ref()), due_at)?;
    let stored = store::get(tx, &stored.invoice.id)?;
    let document = store::latest_document(tx, &stored)?;
    Ok((stored, document, ours))
}
