//! The SQL of invoices. One file writes each table: `write.rs` those of invoices, `returns.rs` what
//! those of returns say besides, `correction.rs` the correction letters of invoices, `to_issue.rs`
//! the orders that wait for theirs.

mod archive;
mod correction;
mod month_archive;
mod returns;
mod to_issue;
mod write;

use std::collections::HashMap;

use super::IssuedInvoice;
use super::compose::Numbering;
use super::units::Units;
use crate::clock::Timestamp;
use crate::error::{Entity, Error, Result};
use crate::fiscal::InvoiceStatus;
use crate::id::{InvoiceId, OrderId};
use crate::invoicing::issuer_setup::NumberScope;
use crate::order;
use crate::storage::{Param, Row, Tx, params, read_columns};
use crate::value::Words;

pub(crate) use self::archive::of_account;
pub(super) use self::archive::{authorized_xml, list, return_xml, xml_of};
pub(super) use self::correction::{
    NewCorrection, Registration, StoredCorrection, correction, due_corrections, insert_correction,
    last_sequence, latest_correction, postpone_correction, register_correction,
    registered_correction, reject_correction, take_correction,
};
pub(super) use self::month_archive::{Position, issued_in, registered_later};
pub(super) use self::returns::{
    ReturnedUnits, StoredReturn, Taken, has_returns, insert_return, live_of_return, return_of,
    returns_of_order, taken,
};
pub(crate) use self::to_issue::owes_invoice;
pub(super) use self::to_issue::{
    ToIssue, forget_all, issued, look_again, note_problem, take_to_issue, to_issue, try_later, want,
};
pub(super) use self::write::{
    Concluded, NewInvoice, answer, cancelled, conclude, disabled, drop_cancellation, insert,
    postpone, store_cancellation, store_document, take, take_number,
};

/// An invoice with what only its course needs.
#[derive(Debug, Clone)]
pub(super) struct StoredInvoice {
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

impl StoredInvoice {
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

read_columns!(Document: digest, key, xml, issued_at);

/// The columns of an invoice, for [`read`].
macro_rules! select_nfe {
    ($tail:literal) => {
        concat!(
            "SELECT id, order_id, status, access_key, number, series, book, total, protocol,
                    answer_code, answer, issued_at, authorized_at, cancelled_at, code, attempt,
                    digest, cancel_xml, tries, kind
             FROM nfe ",
            $tail
        )
    };
}
use select_nfe;

/// Reads an invoice without its order's number and its corrections, which [`completed`] adds.
fn read(row: &dyn Row) -> Result<StoredInvoice> {
    let invoice = IssuedInvoice {
        id: row.get(0)?,
        order_id: row.get(1)?,
        order_number: String::new(),
        kind: row.get(19)?,
        status: row.get(2)?,
        key: row.get(3)?,
        number: small(row, 4)?,
        series: small(row, 5)?,
        environment: row.get(6)?,
        total: row.get(7)?,
        protocol: row.get(8)?,
        answer_code: row.get(9)?,
        answer: row.get(10)?,
        issued_at: row.get(11)?,
        authorized_at: row.get(12)?,
        cancelled_at: row.get(13)?,
        corrections: Vec::new(),
    };
    Ok(StoredInvoice {
        invoice,
        code: small(row, 14)?,
        attempt: row.get(15)?,
        digest: row.get(16)?,
        cancel_xml: row.get(17)?,
        tries: row.get(18)?,
    })
}

fn completed(tx: &mut dyn Tx, mut found: Vec<StoredInvoice>) -> Result<Vec<StoredInvoice>> {
    let ids: Vec<OrderId> = found.iter().map(|one| one.invoice.order_id.clone()).collect();
    let numbers: HashMap<OrderId, String> = order::numbers_of(tx, &ids)?.into_iter().collect();
    let ids: Vec<InvoiceId> = found.iter().map(|one| one.invoice.id.clone()).collect();
    for (id, correction) in correction::corrections_of(tx, &ids)? {
        let of = found.iter_mut().find(|one| one.invoice.id == id);
        if let Some(StoredInvoice { invoice, .. }) = of {
            invoice.corrections.push(correction);
        }
    }
    for StoredInvoice { invoice, .. } in &mut found {
        invoice.order_number = numbers.get(&invoice.order_id).cloned().unwrap_or_default();
    }
    Ok(found)
}

/// The first invoice that a statement finds.
fn first(tx: &mut dyn Tx, sql: &str, params: &[Param<'_>]) -> Result<Option<StoredInvoice>> {
    let found = tx.one(sql, params, read)?;
    Ok(completed(tx, found.into_iter().collect())?.pop())
}

fn small<T: TryFrom<i64>>(row: &dyn Row, column: usize) -> Result<T> {
    let number: i64 = row.get(column)?;
    T::try_from(number).map_err(|_| Error::internal(format!("{number} is out of range")))
}

pub(super) fn get(tx: &mut dyn Tx, id: &InvoiceId) -> Result<StoredInvoice> {
    first(tx, select_nfe!("WHERE id = $1"), params![id])?.ok_or(Error::NotFound(Entity::Invoice))
}

/// The invoice of a return.
pub(super) fn get_return(
    tx: &mut dyn Tx,
    scope: NumberScope,
    id: &InvoiceId,
) -> Result<StoredInvoice> {
    let sql = select_nfe!("WHERE id = $1 AND book = $2 AND kind = 'RETURN'");
    first(tx, sql, params![id, scope])?.ok_or(Error::NotFound(Entity::Invoice))
}

/// The invoice of an order's sale that is good or may become so.
pub(super) fn live(
    tx: &mut dyn Tx,
    scope: NumberScope,
    order: &OrderId,
) -> Result<Option<StoredInvoice>> {
    let (select, live) = (select_nfe!(""), InvoiceStatus::listed(InvoiceStatus::is_live));
    let sql = format!(
        "{select}WHERE book = $1 AND order_id = $2 AND kind = 'SALE' AND status IN ({live})"
    );
    first(tx, &sql, params![scope, order])
}

/// The invoice that was begun last for an order's sale; the live one, where there is one.
pub(super) fn latest(
    tx: &mut dyn Tx,
    scope: NumberScope,
    order: &OrderId,
) -> Result<Option<StoredInvoice>> {
    first(
        tx,
        select_nfe!(
            "WHERE order_id = $1 AND book = $2 AND kind = 'SALE'
             ORDER BY created_at DESC, id DESC LIMIT 1"
        ),
        params![order, scope],
    )
}

/// Whether a document that is authorised, or may become so, says where an order goes.
pub(crate) fn says_address(tx: &mut dyn Tx, order: &OrderId) -> Result<bool> {
    tx.exists(
        "SELECT 1 FROM nfe WHERE order_id = $1 AND status IN ('SIGNED', 'AUTHORIZED')",
        params![order],
    )
}

/// The access key of the authorised invoice of an order's sale; of several, that with legal effect.
pub(crate) fn authorized_key(tx: &mut dyn Tx, order: &OrderId) -> Result<Option<String>> {
    tx.find(
        "SELECT access_key FROM nfe
         WHERE order_id = $1 AND kind = 'SALE' AND status = 'AUTHORIZED' AND access_key IS NOT NULL
         ORDER BY CASE book WHEN 'PRODUCTION' THEN 0 ELSE 1 END, created_at DESC LIMIT 1",
        params![order],
    )
}

/// All documents of an invoice, the latest first.
pub(super) fn documents(tx: &mut dyn Tx, id: &InvoiceId) -> Result<Vec<Document>> {
    tx.all(
        "SELECT digest, access_key, xml, issued_at FROM nfe_document WHERE nfe_id = $1
         ORDER BY created_at DESC, digest",
        params![id],
        |row| row.get(0),
    )
}

/// The document that an invoice has now.
pub(super) fn latest_document(tx: &mut dyn Tx, stored: &StoredInvoice) -> Result<Document> {
    let is_latest = |it: &Document| Some(&it.digest) == stored.digest.as_ref();
    let latest = documents(tx, &stored.invoice.id)?.into_iter().find(is_latest);
    latest.ok_or_else(|| Error::internal("an invoice has no document"))
}

/// The units of each line of its order that a sale's document has; None of one that an earlier
/// version of this program made, which has all.
pub(super) fn units_of(tx: &mut dyn Tx, sale: &StoredInvoice) -> Result<Option<Units>> {
    let sql = "SELECT units FROM nfe_document WHERE digest = $1 AND nfe_id = $2";
    let found: Option<Option<String>> = tx.find(sql, params![&sale.digest, &sale.invoice.id])?;
    let units = found.flatten().map(|text| serde_json::from_str(&text)).transpose();
    units.map_err(Error::from_source)
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
        params![now, scope, limit],
        |row| row.get(0),
    )
}
