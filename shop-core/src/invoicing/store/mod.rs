//! The SQL of invoices: their course here, lists and archives in `books`, what was sold in `sold`.

use super::compose::Numbering;
use super::{InvoiceStatus, IssuedInvoice};
use crate::clock::Timestamp;
use crate::context::Work;
use crate::error::{Entity, Error, Result};
use crate::id::{InvoiceId, OrderId};
use crate::invoicing::issuer_setup::NumberScope;
use crate::money::Money;
use crate::nfe::{SignedInvoice, TaxEnvironment};
use crate::order::Order;
use crate::storage::{Row, Tx};

/// An invoice with what only its course needs.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub(super) invoice: IssuedInvoice,
    pub(super) code: u32,
    /// How many documents were signed under its number.
    pub(super) attempt: i64,
    /// Which document is the latest.
    pub(super) digest: Option<String>,
    /// A signed cancellation that is under way.
    pub(super) cancel_xml: Option<String>,
    /// Rounds of background work since something was last handed over.
    pub(super) tries: i64,
}

impl Known {
    pub(super) fn numbering(&self) -> Numbering {
        let IssuedInvoice { series, number, .. } = self.invoice;
        Numbering { series, number, code: self.code }
    }
}

/// A document that was signed.
#[derive(Debug, Clone)]
pub(super) struct Document {
    pub(super) digest: String,
    pub(super) key: String,
    pub(super) xml: String,
    pub(super) issued_at: Timestamp,
}

/// The columns of an invoice, for [`read`].
macro_rules! select_nfe {
    ($tail:literal) => {
        concat!(
            "SELECT n.id, n.order_id, o.number, n.status, n.access_key, n.number, n.series, n.book,
                    n.total, n.protocol, n.answer_code, n.answer, n.issued_at, n.authorized_at,
                    n.cancelled_at, n.code, n.attempt, n.digest, n.cancel_xml, n.tries
             FROM nfe n JOIN orders o ON o.id = n.order_id ",
            $tail
        )
    };
}

mod archive;
mod sold;

pub(crate) use self::archive::of_account;
pub(super) use self::archive::{authorized_xml, kept, list};
pub(super) use self::sold::{
    Buyer, SoldItem, buyer, product_fiscal, set_product_fiscal, sold_items,
};

fn read(row: &dyn Row) -> Result<Known> {
    let environment = match row.text(7)? {
        Some("PRODUCTION") => TaxEnvironment::Production,
        _ => TaxEnvironment::Homologation,
    };
    let invoice = IssuedInvoice {
        id: row.get(0)?,
        order_id: row.get(1)?,
        order_number: row.get(2)?,
        status: row.get(3)?,
        key: row.get(4)?,
        number: small(row, 5)?,
        series: small(row, 6)?,
        environment,
        total: row.get(8)?,
        protocol: row.get(9)?,
        answer_code: row.get(10)?,
        answer: row.get(11)?,
        issued_at: row.get(12)?,
        authorized_at: row.get(13)?,
        cancelled_at: row.get(14)?,
    };
    Ok(Known {
        invoice,
        code: small(row, 15)?,
        attempt: row.get(16)?,
        digest: row.get(17)?,
        cancel_xml: row.get(18)?,
        tries: row.get(19)?,
    })
}

fn small<T: TryFrom<i64>>(row: &dyn Row, column: usize) -> Result<T> {
    let number: i64 = row.get(column)?;
    T::try_from(number).map_err(|_| Error::internal(format!("{number} is out of range")))
}

pub(super) fn get(tx: &mut dyn Tx, id: &InvoiceId) -> Result<Known> {
    tx.one(select_nfe!("WHERE n.id = $1"), &[id.into()], read)?
        .ok_or(Error::NotFound(Entity::Invoice))
}

/// The invoice of an order that is good or may become so.
pub(super) fn live(tx: &mut dyn Tx, scope: NumberScope, order: &OrderId) -> Result<Option<Known>> {
    tx.one(
        select_nfe!(
            "WHERE n.book = $1 AND n.order_id = $2
             AND n.status IN ('NUMBERED', 'SIGNED', 'AUTHORIZED', 'REJECTED')"
        ),
        &[scope.as_str().into(), order.into()],
        read,
    )
}

/// The invoice that was begun last for an order; the live one, where there is one.
pub(super) fn latest(
    tx: &mut dyn Tx,
    scope: NumberScope,
    order: &OrderId,
) -> Result<Option<Known>> {
    tx.one(
        select_nfe!(
            "WHERE n.order_id = $1 AND n.book = $2 ORDER BY n.created_at DESC, n.id DESC LIMIT 1"
        ),
        &[order.into(), scope.as_str().into()],
        read,
    )
}

/// Takes the series' next number.
pub(super) fn take_number(
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
pub(super) fn insert(
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

/// Keeps a document and makes it the invoice's latest, unless somebody else was quicker.
pub(super) fn store_document(
    tx: &mut dyn Tx,
    known: &Known,
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
            (&known.invoice.id).into(),
            known.attempt.into(),
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
            (&known.invoice.id).into(),
            signed.key.as_str().into(),
            (&signed.xml).into(),
            issued_at.into(),
        ],
    )?;
    Ok(true)
}

/// All documents of an invoice, the latest first.
pub(super) fn documents(tx: &mut dyn Tx, id: &InvoiceId) -> Result<Vec<Document>> {
    tx.all(
        "SELECT digest, access_key, xml, issued_at FROM nfe_document WHERE nfe_id = $1
         ORDER BY created_at DESC, digest",
        &[id.into()],
        |row| {
            Ok(Document {
                digest: row.get(0)?,
                key: row.get(1)?,
                xml: row.get(2)?,
                issued_at: row.get(3)?,
            })
        },
    )
}

/// An authorisation, or a denial, with the document that it is about.
pub(super) struct Concluded<'a> {
    pub(super) status: InvoiceStatus,
    pub(super) document: &'a Document,
    pub(super) proc_xml: Option<&'a str>,
    pub(super) protocol: Option<&'a str>,
    pub(super) at: Timestamp,
}

/// The office's word for good; an authorisation is believed whatever was believed before.
pub(super) fn conclude(
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
pub(super) fn answer(
    tx: &mut dyn Tx,
    known: &Known,
    status: InvoiceStatus,
    said: (i64, &str),
    due_at: Option<Timestamp>,
    now: Timestamp,
) -> Result<()> {
    let tries = if due_at.is_some() { known.tries + 1 } else { 0 };
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
            (&known.invoice.id).into(),
            known.digest.as_ref().into(),
        ],
    )?;
    Ok(())
}

/// Puts the next question about an invoice off, before this one is asked: of several servers one
/// asks it, and the office blocks whoever asks too often. False where another one does.
pub(super) fn take(
    tx: &mut dyn Tx,
    known: &Known,
    due_at: Timestamp,
    now: Timestamp,
) -> Result<bool> {
    let taken = tx.execute(
        "UPDATE nfe SET tries = $1, due_at = $2 WHERE id = $3 AND due_at <= $4",
        &[(known.tries + 1).into(), due_at.into(), (&known.invoice.id).into(), now.into()],
    )?;
    Ok(taken == 1)
}

/// The office gave no answer: when to ask again, if that is not put off further already.
pub(super) fn postpone(tx: &mut dyn Tx, known: &Known, due_at: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE nfe SET tries = $1, due_at = $2 WHERE id = $3 AND due_at < $2",
        &[(known.tries + 1).into(), due_at.into(), (&known.invoice.id).into()],
    )?;
    Ok(())
}

/// Keeps a signed cancellation, unless there is one already.
pub(super) fn store_cancellation(
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

pub(super) fn cancelled(
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
pub(super) fn drop_cancellation(
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
pub(super) fn disabled(
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

/// Invoices that the office must be asked about, the longest waiting first.
pub(super) fn due(
    tx: &mut dyn Tx,
    scope: NumberScope,
    now: Timestamp,
    limit: i64,
) -> Result<Vec<InvoiceId>> {
    tx.all(
        "SELECT id FROM nfe WHERE due_at <= $1 AND book = $2 ORDER BY due_at LIMIT $3",
        &[now.into(), scope.as_str().into(), limit.into()],
        |row| row.get(0),
    )
}
