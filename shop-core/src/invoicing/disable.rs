//! Makes a number invalid that no document has ('inutilização').

use super::store::{self, Document, StoredInvoice};
use super::terms::Terms;
use super::{InvoiceStatus, Invoices, IssuedInvoice, Target, WithdrawInvoice};
use crate::actor::Actor;
use crate::audit;
use crate::detached;
use crate::error::{Conflict, Entity, Error, Refusal, Result};
use crate::id::OrderId;
use crate::lane;
use crate::nfe::UnusedNumbers;
use crate::nfe::event::{check_reason, unused_proc};
use crate::nfe::issuer::{Outcome, Registered};
use crate::order;
use crate::storage::Tx;

/// The reason that the tax office gets where staff give none.
const REASON: &str = "Numero reservado para venda que nao foi faturada";
/// The same, of a return.
const RETURN_REASON: &str = "Numero reservado para devolucao que nao foi faturada";

impl Invoices<'_> {
    /// Makes the number of an order's unfinished invoice invalid, for good: the order was called
    /// off, or its invoice cannot be made. The office is asked first whether it has a document with
    /// that number after all. A repeat answers with the same invoice.
    ///
    /// # Errors
    /// [`Entity::Order`]; [`Entity::Invoice`] when there is none; [`Conflict::InvoiceAuthorized`]
    /// and [`Conflict::InvoiceCancelled`], whose numbers are used; [`Refusal::NfeRejected`] with
    /// the office's words; [`Error::Provider`] when it does not answer.
    ///
    /// Dropping the future does not stop it: the call to the provider and its booking run to their
    /// end.
    pub async fn disable_number(
        &self,
        by: &Actor,
        order: &OrderId,
        why: WithdrawInvoice,
    ) -> Result<IssuedInvoice> {
        self.disable_target(by, Target::SaleOf(order.clone()), why).await
    }

    pub(super) async fn disable_target(
        &self,
        by: &Actor,
        target: Target,
        why: WithdrawInvoice,
    ) -> Result<IssuedInvoice> {
        let (invoicing, by) = (self.owned(), by.clone());
        let work = async move { Invoices::new(&invoicing).disable_now(&by, target, why).await };
        detached::to_its_end(work).await
    }

    async fn disable_now(
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
        let job = move |tx: &mut dyn Tx| unfinished(tx, &terms, &target);
        let (stored, documents) = self.cx.db().read("nfe.to_disable", job).await?;
        if stored.invoice.status == InvoiceStatus::Disabled {
            return Ok(stored.invoice);
        }
        self.check_unused(&stored, documents).await?;
        let setup = self.setup;
        let request = UnusedNumbers {
            company: &setup.company,
            environment: setup.scope.environment(),
            series: stored.invoice.series,
            first: stored.invoice.number,
            last: stored.invoice.number,
            reason: &reason,
            at: self.cx.now(),
        };
        let request = request.sign(&setup.certificate)?;
        let proc_xml = match setup.issuer.disable_numbers(&request).await? {
            Registered::Accepted { answer } => Some(unused_proc(&request, &answer)),
            Registered::Already { .. } => None,
            Registered::Rejected { code, text } => {
                return Err(Error::Refused(Refusal::NfeRejected { code, text }));
            }
        };
        self.write_disabled(by, stored, proc_xml, reason).await
    }

    /// An earlier document may have been authorised without the shop having the answer.
    async fn check_unused(&self, stored: &StoredInvoice, documents: Vec<Document>) -> Result<()> {
        for document in documents {
            let key = document.key.parse().map_err(Error::from_source)?;
            match self.setup.issuer.status_of(&key).await? {
                Outcome::Authorized { .. } => {
                    tracing::warn!(invoice = %stored.invoice.id, "it is authorised after all");
                    return Err(Error::Conflict(Conflict::InvoiceAuthorized));
                }
                Outcome::Cancelled { .. } => {
                    tracing::warn!(invoice = %stored.invoice.id, "it was cancelled elsewhere");
                    return Err(Error::Conflict(Conflict::InvoiceCancelled));
                }
                _ => {}
            }
        }
        Ok(())
    }

    async fn write_disabled(
        &self,
        by: &Actor,
        stored: StoredInvoice,
        proc_xml: Option<String>,
        reason: String,
    ) -> Result<IssuedInvoice> {
        let (at, by) = (self.cx.work(), by.clone());
        let job = move |tx: &mut dyn Tx| {
            let IssuedInvoice { id, order_id, number, .. } = &stored.invoice;
            if !store::disabled(tx, id, proc_xml.as_deref(), at.now())? {
                // Another call was quicker.
                let invoice = store::get(tx, id)?.invoice;
                return check_unfinished(invoice.status).map(|()| invoice);
            }
            let after = serde_json::json!({ "numero": number, "justificativa": reason });
            let (action, order) = ("nfe.disable_number", order_id.as_str());
            audit::record(tx, &at, &by, action, order, &serde_json::Value::Null, &after)?;
            store::get(tx, id).map(|stored| stored.invoice)
        };
        self.cx.db().write(lane::INTEGRATIONS, "nfe.disable", job).await
    }
}

/// The invoice that has no authorised document, with all that it has.
fn unfinished(
    tx: &mut dyn Tx,
    terms: &Terms,
    target: &Target,
) -> Result<(StoredInvoice, Vec<Document>)> {
    let stored = match target {
        Target::SaleOf(order) => {
            let order = order::find(tx, order)?.ok_or(Error::NotFound(Entity::Order))?;
            let latest = store::latest(tx, terms.scope(), &order.id)?;
            latest.ok_or(Error::NotFound(Entity::Invoice))?
        }
        Target::Return(id) => store::get_return(tx, terms.scope(), id)?,
    };
    check_unfinished(stored.invoice.status)?;
    let documents = store::documents(tx, &stored.invoice.id)?;
    Ok((stored, documents))
}

/// Refuses an invoice whose number is used.
fn check_unfinished(status: InvoiceStatus) -> Result<()> {
    match status {
        InvoiceStatus::Authorized => Err(Error::Conflict(Conflict::InvoiceAuthorized)),
        InvoiceStatus::Cancelled => Err(Error::Conflict(Conflict::InvoiceCancelled)),
        InvoiceStatus::Denied | InvoiceStatus::Taken => Err(Error::NotFound(Entity::Invoice)),
        InvoiceStatus::Numbered
        | InvoiceStatus::Signed
        | InvoiceStatus::Rejected
        | InvoiceStatus::Disabled => Ok(()),
    }
}
