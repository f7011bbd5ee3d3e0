//! Invoices as they are read: shown, listed, copied for their customer.

use std::collections::HashMap;

use super::correction::correction_documents;
use super::{completed, read, select_nfe, small};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::id::{AccountId, InvoiceId, OrderId};
use crate::invoicing::issuer_setup::NumberScope;
use crate::invoicing::{
    AuthorizedXml, ExportedInvoice, InvoiceFilter, InvoiceKind, InvoiceStatus, IssuedInvoice,
};
use crate::order;
use crate::page::{Page, PageRequest, Pagination};
use crate::storage::{Filter, PLACES, Row, Tx, params, query_placed};
use crate::value::{Since, Until};

/// More invoices than these are not counted.
const COUNTED: i64 = 10_000;

pub(in crate::invoicing) fn authorized_xml(
    tx: &mut dyn Tx,
    scope: NumberScope,
    order: &OrderId,
) -> Result<Option<AuthorizedXml>> {
    tx.one(
        "SELECT access_key, proc_xml, status FROM nfe
         WHERE order_id = $1 AND book = $2 AND kind = 'SALE'
           AND status IN ('AUTHORIZED', 'CANCELLED')
         ORDER BY created_at DESC, id DESC LIMIT 1",
        params![order, scope],
        read_xml,
    )
}

/// The authorised document of a return's invoice.
pub(in crate::invoicing) fn return_xml(
    tx: &mut dyn Tx,
    scope: NumberScope,
    id: &InvoiceId,
) -> Result<Option<AuthorizedXml>> {
    tx.one(
        "SELECT access_key, proc_xml, status FROM nfe
         WHERE id = $1 AND book = $2 AND kind = 'RETURN' AND status IN ('AUTHORIZED', 'CANCELLED')",
        params![id, scope],
        read_xml,
    )
}

/// The authorised document of an invoice of any kind.
pub(in crate::invoicing) fn xml_of(
    tx: &mut dyn Tx,
    id: &InvoiceId,
) -> Result<Option<AuthorizedXml>> {
    tx.one(
        "SELECT access_key, proc_xml, status FROM nfe
         WHERE id = $1 AND status IN ('AUTHORIZED', 'CANCELLED')",
        params![id],
        read_xml,
    )
}

fn read_xml(row: &dyn Row) -> Result<AuthorizedXml> {
    let cancelled = row.get::<InvoiceStatus>(2)? == InvoiceStatus::Cancelled;
    Ok(AuthorizedXml { key: row.get(0)?, nfe_proc: row.get(1)?, cancelled })
}

pub(in crate::invoicing) fn list(
    tx: &mut dyn Tx,
    scope: NumberScope,
    wanted: &InvoiceFilter,
) -> Result<Page<IssuedInvoice>> {
    let request = PageRequest::of(wanted.page, wanted.limit);
    let mut filter = Filter::default();
    filter.compare("book =", Some(scope.as_str()));
    filter.compare("kind =", wanted.kind.map(InvoiceKind::as_str));
    filter.compare("status =", wanted.status.map(InvoiceStatus::as_str));
    filter.compare("issued_at >=", wanted.from.map(Since::get));
    filter.compare("issued_at <", wanted.to.map(Until::get));
    let total = filter.count(tx, "nfe", COUNTED)?;
    let limit = filter.bind(request.limit);
    let offset = filter.bind(request.offset());
    let page = format!(
        "{}{} ORDER BY issued_at DESC, id DESC LIMIT {limit} OFFSET {offset}",
        select_nfe!(""),
        filter.sql()
    );
    let found = tx.all(&page, filter.params(), read)?;
    let data = completed(tx, found)?.into_iter().map(|one| one.invoice).collect();
    Ok(Page { data, pagination: Pagination::new(request, total) })
}

/// Every invoice of a customer's orders, oldest first.
pub(crate) fn of_account(tx: &mut dyn Tx, account: &AccountId) -> Result<Vec<ExportedInvoice>> {
    let numbers: HashMap<OrderId, String> =
        order::numbers_of_account(tx, account)?.into_iter().collect();
    let orders: Vec<OrderId> = numbers.keys().cloned().collect();
    let sql = format!(
        "SELECT status, access_key, number, series, total, issued_at, proc_xml, cancel_proc_xml,
                created_at, id, kind, order_id
         FROM nfe WHERE order_id IN ({})",
        *PLACES
    );
    let mut found: Vec<(Timestamp, InvoiceId, ExportedInvoice)> = Vec::new();
    query_placed(tx, &sql, &orders, &mut |row| {
        let number = numbers.get(&row.get::<OrderId>(11)?).cloned().unwrap_or_default();
        found.push((row.get(8)?, row.get(9)?, read_exported(row, number)?));
        Ok(())
    })?;
    found.sort_by(|(at, id, _), (other_at, other, _)| (at, id).cmp(&(other_at, other)));
    let ids: Vec<InvoiceId> = found.iter().map(|(_, id, _)| id.clone()).collect();
    let mut letters = correction_documents(tx, &ids)?;
    let with_letters = |(_, id, mut invoice): (Timestamp, InvoiceId, ExportedInvoice)| {
        let letters = letters.remove(&id).unwrap_or_default();
        invoice.correction_xml = letters.into_iter().map(|(_, xml)| xml).collect();
        invoice
    };
    Ok(found.into_iter().map(with_letters).collect())
}

fn read_exported(row: &dyn Row, order_number: String) -> Result<ExportedInvoice> {
    Ok(ExportedInvoice {
        order_number,
        kind: row.get(10)?,
        status: row.get(0)?,
        key: row.get(1)?,
        number: small(row, 2)?,
        series: small(row, 3)?,
        total: row.get(4)?,
        issued_at: row.get(5)?,
        xml: row.get(6)?,
        cancellation_xml: row.get(7)?,
        correction_xml: Vec::new(),
    })
}
