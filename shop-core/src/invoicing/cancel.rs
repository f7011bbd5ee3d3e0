//! Cancels an authorised invoice.

use super::retry::{after_passing, next_try};
use super::store::{self, StoredInvoice};
use super::terms::Terms;
use super::{GRACE, InvoiceKind, InvoiceStatus, Invoices, IssuedInvoice, Target, WithdrawInvoice};
use crate::actor::Actor;
use crate::audit;
use crate::clock::Timestamp;
use crate::context::Work;
use crate::detached;
use crate::error::{Conflict, Entity, Error, Refusal, Result};
use crate::id::OrderId;
use crate::lane;
use crate::nfe::event::{check_reason, event_proc};
use crate::nfe::issuer::{Outcome, Registered};
use crate::nfe::protocol::{is_passing, registered_at};
use crate::nfe::{AccessKey, Cancellation};
use crate::order::{self, OrderStatus};
use crate::storage::Tx;

/// The reason that the tax office gets where staff give none.
const REASON: &str = "Venda desfeita antes do envio da mercadoria";
/// The same, of a return.
const RETURN_REASON: &str = "Devolucao de mercadoria registrada por engano";

impl Invoices<'_> {
    /// Cancels an order's authorised invoice, as long as the goods have not left. A repeat answers
    /// with the same cancelled invoice. The order itself stays as it is.
    ///
    /// # Errors
    /// [`Entity::Order`]; [`Entity::Invoice`] when none is authorised; [`Conflict::GoodsLeft`];
    /// [`Conflict::InvoiceReturned`] when goods of it came back by an invoice of their own;
    /// [`Refusal::NfeRejected`] with the office's words, 501 when it is too late (24 hours);
    /// [`Error::Provider`] when it does not answer, and then a repeat finds out what became of it.
    ///
    /// Dropping the future does not stop it: the call to the provider and its booking run to their
    /// end.
    #[tracing::instrument(name = "invoice.cancel", level = "debug", skip_all)]
    pub async fn cancel(
        &self,
        by: &Actor,
        order: &OrderId,
        why: WithdrawInvoice,
    ) -> Result<IssuedInvoice> {
        self.cancel_target(by, Target::SaleOf(order.clone()), why).await
    }

    pub(super) async fn cancel_target(
        &self,
        by: &Actor,
        target: Target,
        why: WithdrawInvoice,
    ) -> Result<IssuedInvoice> {
        let (invoicing, by) = (self.owned(), by.clone());
        let work = async move { Invoices::new(&invoicing).cancel_now(&by, target, why).await };
        detached::to_its_end(work).await
    }

    async fn cancel_now(
        &self,
        by: &Actor,
        target: Target,
        why: WithdrawInvoice,
    ) -> Result<IssuedInvoice> {
        let usual = match target {
            Target::SaleOf(_) => REASON,
            Target::Return(_) => RETURN_REASON,
        };
        let reason = check_reason(why.reason.as_ref().map_or(usual, |reason| reason.as_str()))?;
        let terms = Terms::of(*self);
        let job = move |tx: &mut dyn Tx| to_be_cancelled(tx, &terms, &target);
        let stored = self.cx.db().read("nfe.to_cancel", job).await?;
        if stored.invoice.status == InvoiceStatus::Cancelled {
            return Ok(stored.invoice);
        }
        if stored.cancel_xml.is_some() {
            return self.resume_cancellation(stored).await;
        }
        let event = self.sign_cancellation(&stored, &reason)?;
        let (at, by) = (self.cx.work(), by.clone());
        let job = move |tx: &mut dyn Tx| begin(tx, &at, &by, &stored, &event, &reason);
        let (stored, ours) =
            self.cx.db().write(lane::INTEGRATIONS, "nfe.begin_cancel", job).await?;
        if ours {
            self.send_cancellation(stored).await
        } else {
            self.resume_cancellation(stored).await
        }
    }

    fn sign_cancellation(self, stored: &StoredInvoice, reason: &str) -> Result<String> {
        let setup = self.setup;
        let key = key_of(stored)?;
        let protocol = stored.invoice.protocol.as_deref().unwrap_or_default();
        let environment = setup.scope.environment();
        let at = self.cx.now();
        Cancellation { key: &key, environment, protocol, reason, at }.sign(&setup.certificate)
    }

    async fn send_cancellation(&self, stored: StoredInvoice) -> Result<IssuedInvoice> {
        let issuer = &self.setup.issuer;
        let key = key_of(&stored)?;
        let event = stored.cancel_xml.as_deref().unwrap_or_default();
        let answer = match issuer.cancel(event, &key).await {
            // Registered by a call whose answer was lost: the look-up has the event itself.
            Ok(Registered::Already { .. }) => match issuer.status_of(&key).await {
                Ok(Outcome::Cancelled { event, .. }) => Ok(Ended::Cancelled(event)),
                Ok(_) => Ok(Ended::Cancelled(None)),
                Err(error) => Err(error),
            },
            Ok(Registered::Accepted { answer }) => Ok(Ended::Cancelled(Some(answer))),
            Ok(Registered::Rejected { code, text }) if is_passing(code) => {
                return self.postpone_cancellation(stored, code, text).await;
            }
            Ok(Registered::Rejected { code, text }) => Ok(Ended::Refused(code, text)),
            Err(error) => Err(error),
        };
        match answer {
            Ok(ended) => self.end_cancellation(stored, ended).await,
            Err(error) => {
                let due_at = next_try(stored.tries, self.cx.now());
                self.postpone(stored, due_at).await?;
                Err(error.into())
            }
        }
    }

    /// Asks about a cancellation that may have been handed over, and hands it over only when the
    /// office does not know it, and the goods have not left since.
    pub(super) async fn resume_cancellation(&self, stored: StoredInvoice) -> Result<IssuedInvoice> {
        match self.setup.issuer.status_of(&key_of(&stored)?).await {
            Ok(Outcome::Cancelled { event, .. }) => {
                self.end_cancellation(stored, Ended::Cancelled(event)).await
            }
            Ok(Outcome::Rejected { code, text }) if is_passing(code) => {
                self.postpone_cancellation(stored, code, text).await
            }
            Ok(_) => {
                let now = self.cx.now();
                let job = move |tx: &mut dyn Tx| wanted_still(tx, stored.clone(), now);
                let wanted =
                    self.cx.db().write(lane::INTEGRATIONS, "nfe.resume_cancel", job).await?;
                self.send_cancellation(wanted.ok_or(Error::Conflict(Conflict::GoodsLeft))?).await
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The office is paused, or asked too often. An earlier attempt may be registered all the same,
    /// so the cancellation is kept and asked about later.
    async fn postpone_cancellation(
        &self,
        stored: StoredInvoice,
        code: u16,
        text: String,
    ) -> Result<IssuedInvoice> {
        let due_at = after_passing(code, stored.tries, self.cx.now());
        self.postpone(stored, due_at).await?;
        Err(Error::Refused(Refusal::NfeRejected { code, text }))
    }

    async fn postpone(&self, stored: StoredInvoice, due_at: Timestamp) -> Result<()> {
        let job = move |tx: &mut dyn Tx| store::postpone(tx, &stored, due_at);
        self.cx.db().write(lane::INTEGRATIONS, "nfe.postpone", job).await
    }

    async fn end_cancellation(&self, stored: StoredInvoice, ended: Ended) -> Result<IssuedInvoice> {
        let now = self.cx.now();
        let job = move |tx: &mut dyn Tx| {
            match &ended {
                Ended::Cancelled(event) => cancelled(tx, &stored, event.as_deref(), now)?,
                Ended::Refused(code, text) => {
                    let said = (i64::from(*code), text.as_str());
                    store::drop_cancellation(tx, &stored.invoice.id, said, now)?;
                }
            }
            Ok((store::get(tx, &stored.invoice.id)?.invoice, ended.clone()))
        };
        let (invoice, ended) =
            self.cx.db().write(lane::INTEGRATIONS, "nfe.end_cancel", job).await?;
        match ended {
            _ if invoice.status == InvoiceStatus::Cancelled => Ok(invoice),
            Ended::Refused(code, text) => Err(Error::Refused(Refusal::NfeRejected { code, text })),
            Ended::Cancelled(_) => Err(Error::busy()),
        }
    }
}

/// How a cancellation ended.
#[derive(Debug, Clone)]
enum Ended {
    /// It is registered; with the office's `retEvento`, where it is known.
    Cancelled(Option<String>),
    Refused(u16, String),
}

fn key_of(stored: &StoredInvoice) -> Result<AccessKey> {
    stored.invoice.key.as_deref().unwrap_or_default().parse().map_err(Error::from_source)
}

fn to_be_cancelled(tx: &mut dyn Tx, terms: &Terms, target: &Target) -> Result<StoredInvoice> {
    let (stored, left) = match target {
        Target::SaleOf(order) => {
            let left = have_left(tx, order)?;
            let stored = store::latest(tx, terms.scope(), order)?;
            (stored.ok_or(Error::NotFound(Entity::Invoice))?, left)
        }
        Target::Return(id) => (store::get_return(tx, terms.scope(), id)?, false),
    };
    match stored.invoice.status {
        InvoiceStatus::Authorized if left => Err(Error::Conflict(Conflict::GoodsLeft)),
        InvoiceStatus::Authorized | InvoiceStatus::Cancelled => Ok(stored),
        _ => Err(Error::NotFound(Entity::Invoice)),
    }
}

/// Whether the goods of an order are on their way, or were when it was closed.
fn have_left(tx: &mut dyn Tx, order: &OrderId) -> Result<bool> {
    let order = order::find(tx, order)?.ok_or(Error::NotFound(Entity::Order))?;
    let status = match order.status {
        OrderStatus::Cancelled | OrderStatus::Refunded => order::closed_from(tx, &order.id)?,
        open => Some(open),
    };
    Ok(matches!(status, Some(OrderStatus::Shipped | OrderStatus::Delivered)))
}

/// A cancellation that is waiting, as it is by now; none where the goods left meanwhile: then it is
/// dropped.
fn wanted_still(
    tx: &mut dyn Tx,
    stored: StoredInvoice,
    now: Timestamp,
) -> Result<Option<StoredInvoice>> {
    let is_sale = stored.invoice.kind == InvoiceKind::Sale;
    if !is_sale || !have_left(tx, &stored.invoice.order_id)? {
        return Ok(Some(stored));
    }
    let said = stored.invoice.answer_code.zip(stored.invoice.answer.clone());
    let (code, text) = said.unwrap_or_default();
    store::drop_cancellation(tx, &stored.invoice.id, (code, &text), now)?;
    Ok(None)
}

/// Stores the signed event before it is handed over; false when another call stored its own first.
fn begin(
    tx: &mut dyn Tx,
    at: &Work,
    by: &Actor,
    stored: &StoredInvoice,
    event: &str,
    reason: &str,
) -> Result<(StoredInvoice, bool)> {
    let (id, due_at) = (&stored.invoice.id, at.now().plus(GRACE));
    if stored.invoice.kind == InvoiceKind::Sale {
        // Looked at before, but the goods may have left while the event was signed.
        Conflict::GoodsLeft.unless(!have_left(tx, &stored.invoice.order_id)?)?;
        Conflict::InvoiceReturned.unless(!store::has_returns(tx, id)?)?;
    }
    let ours = store::store_cancellation(tx, id, event, due_at, at.now())?;
    if ours {
        let order = stored.invoice.order_id.as_str();
        let after = serde_json::json!({ "numero": stored.invoice.number, "justificativa": reason });
        audit::record(tx, at, by, "nfe.cancel", order, &serde_json::Value::Null, &after)?;
    }
    Ok((store::get(tx, id)?, ours))
}

/// Writes down that an invoice is cancelled, with the event and the office's registration of it
/// where both are known.
pub(super) fn cancelled(
    tx: &mut dyn Tx,
    stored: &StoredInvoice,
    answer: Option<&str>,
    now: Timestamp,
) -> Result<()> {
    let both = stored.cancel_xml.as_ref().zip(answer);
    let proc_xml = both.map(|(event, answer)| event_proc(event, answer));
    let at = answer.and_then(registered_at).unwrap_or(now);
    store::cancelled(tx, &stored.invoice.id, proc_xml.as_deref(), at, now)
}
