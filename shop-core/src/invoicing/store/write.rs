//! The writes of `nfe`, `nfe_document` and `nfe_series`.

use super::{Document, StoredInvoice};
use crate::clock::Timestamp;
use crate::context::Work;
use crate::error::Result;
use crate::id::InvoiceId;
use crate::invoicing::InvoiceStatus;
use crate::invoicing::compose::Numbering;
use crate::invoicing::issuer_setup::NumberScope;
use crate::money::Money;
use crate::nfe::SignedInvoice;
use crate::order::Order;
use crate::storage::Tx;

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
        &[scope.as_str().into(), cnpj.into(), i64::from(series).into(), first.into()],
    )
}

/// Writes down that a number belongs to an order.
pub(in crate::invoicing) fn insert(
    tx: &mut dyn Tx,
    at: &Work,
    id: &InvoiceId,
    order: &Order,
    scope: NumberScope,
    cnpj: &str,
    numbering: Numbering,
) -> Result<()> {
    tx.execute(
        "INSERT INTO nfe (id, order_id, book, cnpj, series, number, code, status, attempt, total,
           tries, issued_at, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, 'NUMBERED', 0, $8, 0, $9, $9, $9)",
        &[
            id.into(),
            (&order.id).into(),
            scope.as_str().into(),
            cnpj.into(),
            i64::from(numbering.series).into(),
            numbering.number.into(),
            numbering.code.into(),
            order.total.into(),
            at.now().into(),
        ],
    )?;
    Ok(())
}

/// Keeps a document and makes it the invoice's latest, unless another call was quicker.
pub(in crate::invoicing) fn store_document(
    tx: &mut dyn Tx,
    stored: &StoredInvoice,
    signed: &SignedInvoice,
    issued_at: Timestamp,
    total: Money,
    due_at: Timestamp,
) -> Result<bool> {
    let changed = tx.execute(
        "UPDATE nfe SET status = 'SIGNED', attempt = attempt + 1, access_key = $1, digest = $2,
           total = $3, issued_at = $4, updated_at = $4, due_at = $5, tries = 0, answer_code = NULL,
           answer = NULL
         WHERE id = $6 AND attempt = $7 AND status IN ('NUMBERED', 'REJECTED')",
        &[
            signed.key.as_str().into(),
            (&signed.digest).into(),
            total.into(),
            issued_at.into(),
            due_at.into(),
            (&stored.invoice.id).into(),
            stored.attempt.into(),
        ],
    )?;
    if changed == 0 {
        return Ok(false);
    }
    // Made anew within the same second, it is the same document.
    tx.execute(
        "INSERT INTO nfe_document (digest, nfe_id, access_key, xml, issued_at, created_at)
         VALUES ($1, $2, $3, $4, $5, $5) ON CONFLICT (digest) DO NOTHING",
        &[
            (&signed.digest).into(),
            (&stored.invoice.id).into(),
            signed.key.as_str().into(),
            (&signed.xml).into(),
            issued_at.into(),
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

/// Books an answer that is final; an authorisation replaces whatever was booked before.
pub(in crate::invoicing) fn conclude(
    tx: &mut dyn Tx,
    id: &InvoiceId,
    concluded: &Concluded<'_>,
    code: i64,
    text: &str,
    now: Timestamp,
) -> Result<()> {
    let authorized = concluded.status == InvoiceStatus::Authorized;
    let at = authorized.then_some(concluded.at);
    tx.execute(
        "UPDATE nfe SET status = $1, access_key = $2, digest = $3, proc_xml = $4, protocol = $5,
           authorized_at = $6, issued_at = $7, answer_code = $8, answer = $9, due_at = NULL,
           updated_at = $10
         WHERE id = $11 AND status IN ('NUMBERED', 'SIGNED', 'REJECTED')",
        &[
            concluded.status.as_str().into(),
            (&concluded.document.key).into(),
            (&concluded.document.digest).into(),
            concluded.proc_xml.into(),
            concluded.protocol.into(),
            at.into(),
            concluded.document.issued_at.into(),
            code.into(),
            text.into(),
            now.into(),
            id.into(),
        ],
    )?;
    Ok(())
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
    tx.execute(
        "UPDATE nfe SET status = $1, answer_code = $2, answer = $3, due_at = $4, tries = $5,
           updated_at = $6
         WHERE id = $7 AND status = 'SIGNED' AND digest = $8",
        &[
            status.as_str().into(),
            said.0.into(),
            said.1.into(),
            due_at.into(),
            tries.into(),
            now.into(),
            (&stored.invoice.id).into(),
            stored.digest.as_ref().into(),
        ],
    )?;
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
    let taken = tx.execute(
        "UPDATE nfe SET tries = $1, due_at = $2 WHERE id = $3 AND due_at <= $4",
        &[(stored.tries + 1).into(), due_at.into(), (&stored.invoice.id).into(), now.into()],
    )?;
    Ok(taken == 1)
}

/// The office gave no answer: when to ask again, if that is not put off further already.
pub(in crate::invoicing) fn postpone(
    tx: &mut dyn Tx,
    stored: &StoredInvoice,
    due_at: Timestamp,
) -> Result<()> {
    tx.execute(
        "UPDATE nfe SET tries = $1, due_at = $2 WHERE id = $3 AND due_at < $2",
        &[(stored.tries + 1).into(), due_at.into(), (&stored.invoice.id).into()],
    )?;
    Ok(())
}

/// Keeps a signed cancellation, unless there is one already.
pub(in crate::invoicing) fn store_cancellation(
    tx: &mut dyn Tx,
    id: &InvoiceId,
    event: &str,
    due_at: Timestamp,
    now: Timestamp,
) -> Result<bool> {
    let changed = tx.execute(
        "UPDATE nfe SET cancel_xml = $1, due_at = $2, tries = 0, updated_at = $3
         WHERE id = $4 AND status = 'AUTHORIZED' AND cancel_xml IS NULL",
        &[event.into(), due_at.into(), now.into(), id.into()],
    )?;
    Ok(changed == 1)
}

pub(in crate::invoicing) fn cancelled(
    tx: &mut dyn Tx,
    id: &InvoiceId,
    proc_xml: Option<&str>,
    at: Timestamp,
    now: Timestamp,
) -> Result<()> {
    tx.execute(
        "UPDATE nfe SET status = 'CANCELLED', cancel_proc_xml = $1, cancelled_at = $2,
           cancel_xml = NULL, due_at = NULL, updated_at = $3
         WHERE id = $4 AND status = 'AUTHORIZED'",
        &[proc_xml.into(), at.into(), now.into(), id.into()],
    )?;
    Ok(())
}

/// The office refused a cancellation: the invoice is as it was.
pub(in crate::invoicing) fn drop_cancellation(
    tx: &mut dyn Tx,
    id: &InvoiceId,
    said: (i64, &str),
    now: Timestamp,
) -> Result<()> {
    tx.execute(
        "UPDATE nfe SET cancel_xml = NULL, due_at = NULL, answer_code = $1, answer = $2,
           updated_at = $3
         WHERE id = $4 AND status = 'AUTHORIZED'",
        &[said.0.into(), said.1.into(), now.into(), id.into()],
    )?;
    Ok(())
}

/// The number will have no document.
pub(in crate::invoicing) fn disabled(
    tx: &mut dyn Tx,
    id: &InvoiceId,
    proc_xml: Option<&str>,
    now: Timestamp,
) -> Result<()> {
    tx.execute(
        "UPDATE nfe SET status = 'DISABLED', disable_proc_xml = $1, due_at = NULL, updated_at = $2
         WHERE id = $3 AND status IN ('NUMBERED', 'SIGNED', 'REJECTED')",
        &[proc_xml.into(), now.into(), id.into()],
    )?;
    Ok(())
}
