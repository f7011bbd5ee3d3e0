//! The invoices of goods that came back with a return, which `invoicing` writes.

use std::collections::HashMap;

use serde::Deserialize;

use super::OrderReturn;
use crate::error::{Error, Result};
use crate::fiscal::{InvoiceStatus, TaxEnvironment};
use crate::id::{InvoiceId, OrderItemId, ReturnId};
use crate::money::Money;
use crate::storage::{PLACES, Row, Tx, list_placed, params, query_placed};
use crate::value::Words;

/// An invoice of goods that came back with a return.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct InvoiceOfReturn {
    /// The invoice.
    pub id: InvoiceId,
    /// The invoice's state.
    pub status: InvoiceStatus,
    /// Its access key, from when on it has a document.
    #[serde(rename = "chave")]
    pub key: Option<String>,
    /// Its number.
    #[serde(rename = "numero")]
    pub number: u32,
    /// Its series.
    #[serde(rename = "serie")]
    pub series: u16,
    /// Whether it has legal effect.
    #[serde(rename = "ambiente")]
    pub environment: TaxEnvironment,
    /// What it comes to.
    #[serde(rename = "valor")]
    pub total: Money,
}

/// Adds which invoices returns have, and how many of their units are on those that stand.
pub(super) fn complete(tx: &mut dyn Tx, returns: &mut [OrderReturn]) -> Result<()> {
    let ids: Vec<ReturnId> = returns.iter().map(|it| it.id.clone()).collect();
    let mut invoices = invoices(tx, &ids)?;
    for it in &mut *returns {
        it.invoices = invoices.remove(&it.id).unwrap_or_default();
    }
    let is_invoiced = |it: &&OrderReturn| it.is_invoiced();
    let ids: Vec<ReturnId> = returns.iter().filter(is_invoiced).map(|it| it.id.clone()).collect();
    let units = invoiced(tx, &ids)?;
    for it in returns {
        for item in &mut it.items {
            let found = units.get(&(it.id.clone(), item.order_item_id.clone()));
            item.invoiced = found.copied().unwrap_or_default();
        }
    }
    Ok(())
}

/// What the invoices of a return that stand say of the freight.
pub(crate) fn invoiced_freight(tx: &mut dyn Tx, id: &ReturnId) -> Result<Money> {
    let live = InvoiceStatus::listed(InvoiceStatus::is_live);
    let sql = format!(
        "SELECT CAST(coalesce(sum(r.shipping), 0) AS BIGINT)
         FROM nfe_return r JOIN nfe n ON n.id = r.nfe_id
         WHERE r.return_id = $1 AND n.status IN ({live})"
    );
    tx.value(&sql, params![id])
}

fn invoices(
    tx: &mut dyn Tx,
    returns: &[ReturnId],
) -> Result<HashMap<ReturnId, Vec<InvoiceOfReturn>>> {
    let sql = format!(
        "SELECT n.id, n.status, n.access_key, n.number, n.series, n.book, n.total, r.return_id
         FROM nfe_return r JOIN nfe n ON n.id = r.nfe_id
         WHERE r.return_id IN ({}) ORDER BY n.created_at, n.id",
        *PLACES
    );
    let mut invoices: HashMap<ReturnId, Vec<InvoiceOfReturn>> = HashMap::new();
    query_placed(tx, &sql, returns, &mut |row| {
        invoices.entry(row.get(7)?).or_default().push(read(row)?);
        Ok(())
    })?;
    Ok(invoices)
}

fn read(row: &dyn Row) -> Result<InvoiceOfReturn> {
    let (number, series): (i64, i64) = (row.get(3)?, row.get(4)?);
    Ok(InvoiceOfReturn {
        id: row.get(0)?,
        status: row.get(1)?,
        key: row.get(2)?,
        number: u32::try_from(number).map_err(Error::from_source)?,
        series: u16::try_from(series).map_err(Error::from_source)?,
        environment: row.get(5)?,
        total: row.get(6)?,
    })
}

/// Units of the lines of returns that are on invoices which stand.
fn invoiced(
    tx: &mut dyn Tx,
    returns: &[ReturnId],
) -> Result<HashMap<(ReturnId, OrderItemId), i64>> {
    let sql = format!(
        "SELECT r.return_id, i.order_item_id, CAST(sum(i.quantity) AS BIGINT)
         FROM nfe_return r JOIN nfe n ON n.id = r.nfe_id
           JOIN nfe_return_item i ON i.nfe_id = r.nfe_id
         WHERE r.return_id IN ({}) AND n.status IN ({})
         GROUP BY r.return_id, i.order_item_id",
        *PLACES,
        InvoiceStatus::listed(InvoiceStatus::is_live)
    );
    let found: Vec<(ReturnId, OrderItemId, i64)> = list_placed(tx, &sql, returns)?;
    Ok(found.into_iter().map(|(id, item, units)| ((id, item), units)).collect())
}
