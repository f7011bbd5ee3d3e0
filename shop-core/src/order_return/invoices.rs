//! The invoices of goods that came back with a return, which `invoicing` writes.

use serde::Deserialize;

use super::OrderReturn;
use crate::error::{Error, Result};
use crate::fiscal::{InvoiceStatus, TaxEnvironment};
use crate::id::{InvoiceId, ReturnId};
use crate::money::Money;
use crate::storage::{Row, Tx, params};

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

/// Reads which invoices a return has, and how many of its units are on those that stand.
pub(super) fn complete(tx: &mut dyn Tx, of: &mut OrderReturn) -> Result<()> {
    of.invoices = tx.all(
        "SELECT n.id, n.status, n.access_key, n.number, n.series, n.book, n.total
         FROM nfe_return r JOIN nfe n ON n.id = r.nfe_id
         WHERE r.return_id = $1 ORDER BY n.created_at, n.id",
        params![&of.id],
        read,
    )?;
    if !of.is_invoiced() {
        return Ok(());
    }
    let units: Vec<(String, i64)> = invoiced(tx, &of.id)?;
    for item in &mut of.items {
        let found = units.iter().find(|(id, _)| id == item.order_item_id.as_str());
        item.invoiced = found.map_or(0, |(_, units)| *units);
    }
    Ok(())
}

/// What the invoices of a return that stand say of the freight.
pub(crate) fn invoiced_freight(tx: &mut dyn Tx, id: &ReturnId) -> Result<Money> {
    tx.value(
        "SELECT CAST(coalesce(sum(r.shipping), 0) AS BIGINT)
         FROM nfe_return r JOIN nfe n ON n.id = r.nfe_id
         WHERE r.return_id = $1 AND n.status IN ('NUMBERED', 'SIGNED', 'AUTHORIZED', 'REJECTED')",
        params![id],
    )
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

fn invoiced(tx: &mut dyn Tx, id: &ReturnId) -> Result<Vec<(String, i64)>> {
    tx.all(
        "SELECT i.order_item_id, CAST(sum(i.quantity) AS BIGINT)
         FROM nfe_return r JOIN nfe n ON n.id = r.nfe_id
           JOIN nfe_return_item i ON i.nfe_id = r.nfe_id
         WHERE r.return_id = $1 AND n.status IN ('NUMBERED', 'SIGNED', 'AUTHORIZED', 'REJECTED')
         GROUP BY i.order_item_id",
        params![id],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}
