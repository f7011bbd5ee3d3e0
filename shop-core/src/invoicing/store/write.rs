//! The writes of `nfe`, `nfe_document` and `nfe_series`.

use super::{Document, StoredInvoice};
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::id::{InvoiceId, OrderId};
use crate::invoicing::compose::Numbering;
use crate::invoicing::issuer_setup::NumberScope;
use crate::invoicing::units::Units;
use crate::invoicing::{InvoiceKind, InvoiceStatus};
use crate::metric;
use crate::money::Money;
use crate::nfe::SignedInvoice;
use crate::storage::{Tx, params};

const _: () = assert!(InvoiceStatus::ALL.len() <= metric::STATES, "each has its metric");

/// Counts an invoice that came into a status, where one did.
fn count(tx: &mut dyn Tx, moved: bool, status: InvoiceStatus) {
    if moved {
        tx.count(metric::invoice(status as usize));
    }
}

/// Takes the series' next number.
pub(in crate::invoicing) fn take_number(
    tx: &mut dyn Tx,
    scope: NumberScope,
    cnpj: &str,
    series: u16,
    first: u32,
) -> Result<i64> {
    tx.value(
        "INSERT INTO nfe_series (book, cnpj, series, last) VALUES ($1, $2, $3, $4)
         ON CONFLICT (book, cnpj, series) DO UPDATE SET last =
           CASE WHEN nfe_series.last < excluded.last THEN excluded.last
                ELSE nfe_series.last + 1 END
         RETURNING last",
        params![scope, cnpj, series, first],
    )
}

/// A number that was taken.
pub(in crate::invoicing) struct NewInvoice<'a> {
    pub(in crate::invoicing) id: &'a InvoiceId,
    pub(in crate::invoicing) kind: InvoiceKind,
    pub(in crate::invoicing) order: &'a OrderId,
    pub(in crate::invoicing) scope: NumberScope,
    pub(in crate::invoicing) cnpj: &'a str,
    pub(in crate::invoicing) numbering: Numbering,
    pub(in crate::invoicing) total: Money,
}

/// Writes down that a number belongs to an order.
pub(in crate::invoicing) fn insert(
    tx: &mut dyn Tx,
    new: &NewInvoice<'_>,
    now: Timestamp,
) -> Result<()> {
    let Numbering { series, number, code } = new.numbering;
    count(tx, true, InvoiceStatus::Numbered);
    tx.run(
        "INSERT INTO nfe (id, kind, order_id, book, cnpj, series, number, code, status, attempt,
           total, tries, issued_at, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'NUMBERED', 0, $9, 0, $10, $10, $10)",
        params![
            new.id, new.kind, new.order, new.scope, new.cnpj, series, number, code, new.total, now
        ],
    )
}

/// Keeps a document and makes it the invoice's latest, unless another call was quicker.
pub(in crate::invoicing) fn store_document(
    tx: &mut dyn Tx,
    stored: &StoredInvoice,
    signed: &SignedInvoice,
    (issued_at, total, units): (Timestamp, Money, Option<&Units>),
    due_at: Timestamp,
) -> Result<bool> {
    let units = units.map(serde_json::to_string).transpose().map_err(Error::from_source)?;
    let changed = tx.execute(
        "UPDATE nfe SET status = 'SIGNED', attempt = attempt + 1, access_key = $1, digest = $2,
           total = $3, issued_at = $4, updated_at = $4, due_at = $5, tries = 0, answer_code = NULL,
           answer = NULL
         WHERE id = $6 AND attempt = $7 AND status IN ('NUMBERED', 'REJECTED')",
        params![
            signed.key.as_str(),
            &signed.digest,
            total,
            issued_at,
            due_at,
            &stored.invoice.id,
            stored.attempt
        ],
    )?;
    if changed == 0 {
        return Ok(false);
    }
    count(tx, true, InvoiceStatus::Signed);
    // Made anew within the same second, it is the same document.
    tx.execute(
        "INSERT INTO nfe_document (digest, nfe_id, access_key, xml, units, issued_at, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $6) ON CONFLICT (digest) DO NOTHING",
        params![
            &signed.digest,
            &stored.invoice.id,
            signed.key.as_str(),
            &signed.xml,
            units.as_deref(),
            issued_at
        ],
    )?;
    Ok(true)
}

/// An authorisation, or a denial, with the document that it is about.
pub(in crate::invoicing) struct Concluded<'a> {
    pub(in crate::invoicing) status: InvoiceStatus,
    pub(in crate::invoicing) document: &'a Document,
    pub(in crate::invoicing) proc_xml: Option<&'a str>,
    pub(in crate::invoicing) protocol: Option<&'a str>,
    pub(in crate::invoicing) at: Timestamp,
}

/// Books an answer that is final; an authorisation replaces whatever was booked before. False where
/// another call booked one.
pub(in crate::invoicing) fn conclude(
    tx: &mut dyn Tx,
    id: &InvoiceId,
    concluded: &Concluded<'_>,
    code: i64,
    text: &str,
    now: Timestamp,
) -> Result<bool> {
    let authorized = concluded.status == InvoiceStatus::Authorized;
    let at = authorized.then_some(concluded.at);
    let moved = tx.changes(
        "UPDATE nfe SET status = $1, access_key = $2, digest = $3, proc_xml = $4, protocol = $5,
           authorized_at = $6, issued_at = $7, answer_code = $8, answer = $9, due_at = NULL,
           updated_at = $10
         WHERE id = $11 AND status IN ('NUMBERED', 'SIGNED', 'REJECTED')",
        params![
            concluded.status,
            &concluded.document.key,
            &concluded.document.digest,
            concluded.proc_xml,
            concluded.protocol,
            at,
            concluded.document.issued_at,
            code,
            text,
            now,
            id
        ],
    )?;
    count(tx, moved, concluded.status);
    Ok(moved)
}

/// Sets the status that follows from the office's answer about one document, unless another
/// document, or another answer, came in between.
pub(in crate::invoicing) fn answer(
    tx: &mut dyn Tx,
    stored: &StoredInvoice,
    status: InvoiceStatus,
    said: (i64, &str),
    due_at: Option<Timestamp>,
    now: Timestamp,
) -> Result<()> {
    let tries = if due_at.is_some() { stored.tries + 1 } else { 0 };
    let moved = tx.changes(
        "UPDATE nfe SET status = $1, answer_code = $2, answer = $3, due_at = $4, tries = $5,
           updated_at = $6
         WHERE id = $7 AND status = 'SIGNED' AND digest = $8",
        params![status, said.0, said.1, due_at, tries, now, &stored.invoice.id, &stored.digest],
    )?;
    count(tx, moved && status != InvoiceStatus::Signed, status);
    Ok(())
}

/// Puts the next question about an invoice off, before this one is asked: of several servers one
/// asks it, and the office blocks clients that ask too often. False where another one does.
pub(in crate::invoicing) fn take(
    tx: &mut dyn Tx,
    stored: &StoredInvoice,
    due_at: Timestamp,
    now: Timestamp,
) -> Result<bool> {
    tx.changes(
        "UPDATE nfe SET tries = $1, due_at = $2 WHERE id = $3 AND due_at <= $4",
        params![stored.tries + 1, due_at, &stored.invoice.id, now],
    )
}

/// The office gave no answer: when to ask again, if that is not put off further already.
pub(in crate::invoicing) fn postpone(
    tx: &mut dyn Tx,
    stored: &StoredInvoice,
    due_at: Timestamp,
) -> Result<()> {
    tx.run(
        "UPDATE nfe SET tries = $1, due_at = $2 WHERE id = $3 AND due_at < $2",
        params![stored.tries + 1, due_at, &stored.invoice.id],
    )
}

/// Keeps a signed cancellation, unless there is one already.
pub(in crate::invoicing) fn store_cancellation(
    tx: &mut dyn Tx,
    id: &InvoiceId,
    event: &str,
    due_at: Timestamp,
    now: Timestamp,
) -> Result<bool> {
    tx.changes(
        "UPDATE nfe SET cancel_xml = $1, due_at = $2, tries = 0, updated_at = $3
         WHERE id = $4 AND status = 'AUTHORIZED' AND cancel_xml IS NULL",
        params![event, due_at, now, id],
    )
}

pub(in crate::invoicing) fn cancelled(
    tx: &mut dyn Tx,
    id: &InvoiceId,
    proc_xml: Option<&str>,
    at: Timestamp,
    now: Timestamp,
) -> Result<()> {
    let moved = tx.changes(
        "UPDATE nfe SET status = 'CANCELLED', cancel_proc_xml = $1, cancelled_at = $2,
           cancel_xml = NULL, due_at = NULL, updated_at = $3
         WHERE id = $4 AND status = 'AUTHORIZED'",
        params![proc_xml, at, now, id],
    )?;
    count(tx, moved, InvoiceStatus::Cancelled);
    Ok(())
}

/// The office refused a cancellation: the invoice is as it was.
pub(in crate::invoicing) fn drop_cancellation(
    tx: &mut dyn Tx,
    id: &InvoiceId,
    said: (i64, &str),
    now: Timestamp,
) -> Result<()> {
    tx.run(
        "UPDATE nfe SET cancel_xml = NULL, due_at = NULL, answer_code = $1, answer = $2,
           updated_at = $3
         WHERE id = $4 AND status = 'AUTHORIZED'",
        params![said.0, said.1, now, id],
    )
}

/// The number will have no document; false where the invoice is not unfinished any more.
pub(in crate::invoicing) fn disabled(
    tx: &mut dyn Tx,
    id: &InvoiceId,
    proc_xml: Option<&str>,
    now: Timestamp,
) -> Result<bool> {
    let moved = tx.changes(
        "UPDATE nfe SET status = 'DISABLED', disable_proc_xml = $1, due_at = NULL, updated_at = $2
         WHERE id = $3 AND status IN ('NUMBERED', 'SIGNED', 'REJECTED')",
        params![proc_xml, now, id],
    )?;
    count(tx, moved, InvoiceStatus::Disabled);
    Ok(moved)
}
