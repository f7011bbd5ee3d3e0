//! Books what the tax office said about an invoice.

use super::retry::{after_passing, next_try};
use super::store::{self, Concluded, Document, StoredInvoice};
use super::{InvoiceStatus, cancel};
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::nfe::event::nfe_proc;
use crate::nfe::issuer::{IssuerError, NUMBER_TAKEN, Outcome};
use crate::nfe::protocol::{Protocol, is_passing};
use crate::storage::Tx;

/// Books the tax office's answer; tells whether the invoice is authorised by it.
pub(super) fn write_down(
    tx: &mut dyn Tx,
    stored: &StoredInvoice,
    said: &Result<Outcome, IssuerError>,
    now: Timestamp,
) -> Result<bool> {
    match said {
        Ok(Outcome::Authorized { protocol }) => return authorized(tx, stored, protocol, now),
        Ok(Outcome::Cancelled { protocol, event }) => {
            if let Some(protocol) = protocol {
                authorized(tx, stored, protocol, now)?;
            }
            cancel::cancelled(tx, stored, event.as_deref(), now)?;
        }
        Ok(Outcome::Denied { code, text, protocol }) => {
            denied(tx, stored, (*code, text), protocol.as_deref(), now)?;
        }
        Ok(Outcome::Rejected { code, text }) => {
            let (status, due_at) = match *code {
                NUMBER_TAKEN => (InvoiceStatus::Taken, None),
                code if is_passing(code) => {
                    (InvoiceStatus::Signed, Some(after_passing(code, stored.tries, now)))
                }
                _ => (InvoiceStatus::Rejected, None),
            };
            store::answer(tx, stored, status, (i64::from(*code), text), due_at, now)?;
        }
        Ok(Outcome::Processing { .. }) => {
            let said = (105, "Lote em processamento");
            let due_at = Some(next_try(stored.tries, now));
            store::answer(tx, stored, InvoiceStatus::Signed, said, due_at, now)?;
        }
        Ok(Outcome::Duplicate { .. } | Outcome::Unknown) | Err(_) => {
            store::postpone(tx, stored, next_try(stored.tries, now))?;
        }
    }
    Ok(false)
}

/// Books that the tax office will have no invoice for this buyer or shop, with its word for it.
fn denied(
    tx: &mut dyn Tx,
    stored: &StoredInvoice,
    (code, text): (u16, &str),
    protocol: Option<&str>,
    now: Timestamp,
) -> Result<()> {
    let document = store::latest_document(tx, stored)?;
    let proc_xml = protocol.map(|protocol| nfe_proc(&document.xml, protocol));
    let concluded = Concluded {
        status: InvoiceStatus::Denied,
        document: &document,
        proc_xml: proc_xml.as_deref(),
        protocol: None,
        at: now,
    };
    store::conclude(tx, &stored.invoice.id, &concluded, i64::from(code), text, now).map(drop)
}

/// Keeps the authorised document, unless it is kept already. The protocol says by its digest which
/// of an invoice's documents that is.
fn authorized(
    tx: &mut dyn Tx,
    stored: &StoredInvoice,
    protocol: &str,
    now: Timestamp,
) -> Result<bool> {
    let not_ours = || Error::internal("the authorisation is of a document that is not the shop's");
    let said = Protocol::parse(protocol)
        .ok_or_else(|| Error::internal("the protocol of the authorisation is not understood"))?;
    let documents = store::documents(tx, &stored.invoice.id)?;
    let is_it = |document: &&Document| {
        let digest = said.digest.as_ref().or(stored.digest.as_ref());
        document.key == said.key && Some(&document.digest) == digest
    };
    let document = documents.iter().find(is_it).ok_or_else(not_ours)?;
    let proc_xml = nfe_proc(&document.xml, protocol);
    let concluded = Concluded {
        status: InvoiceStatus::Authorized,
        document,
        proc_xml: Some(&proc_xml),
        protocol: Some(&said.number),
        at: said.received_at,
    };
    store::conclude(tx, &stored.invoice.id, &concluded, i64::from(said.code), &said.text, now)
}
