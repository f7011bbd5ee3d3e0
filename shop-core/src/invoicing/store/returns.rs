//! What the invoices of returns say beside their numbers: the writes of `nfe_return` and
//! `nfe_return_item`.

use std::collections::HashMap;

use super::{StoredInvoice, completed, first, read, select_nfe};
use crate::error::{Error, Result};
use crate::fiscal::InvoiceStatus;
use crate::id::{InvoiceId, OrderId, OrderItemId, ReturnId};
use crate::invoicing::issuer_setup::NumberScope;
use crate::money::{Money, UnitsShare};
use crate::nfe::ReturnGround;
use crate::storage::{Filter, Tx, params};
use crate::value::Words;

/// An order has no more invoices of returns shown than these, the latest.
const SHOWN: i64 = 200;

/// What an invoice of a return says.
#[derive(Debug, Clone)]
pub(in crate::invoicing) struct StoredReturn {
    /// The invoice of the sale.
    pub(in crate::invoicing) sale: InvoiceId,
    /// The customer's return, where one is kept.
    pub(in crate::invoicing) return_id: Option<ReturnId>,
    pub(in crate::invoicing) ground: ReturnGround,
    pub(in crate::invoicing) reason: Option<String>,
    pub(in crate::invoicing) shipping: Money,
    pub(in crate::invoicing) items: Vec<(OrderItemId, ReturnedUnits)>,
}

/// Units of an order's item that came back, and what of its discount belongs to them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::invoicing) struct ReturnedUnits {
    pub(in crate::invoicing) quantity: i64,
    pub(in crate::invoicing) discount: Money,
}

impl From<ReturnedUnits> for UnitsShare {
    fn from(units: ReturnedUnits) -> Self {
        Self { units: units.quantity, amount: units.discount }
    }
}

pub(in crate::invoicing) fn insert_return(
    tx: &mut dyn Tx,
    id: &InvoiceId,
    it: &StoredReturn,
) -> Result<()> {
    tx.run(
        "INSERT INTO nfe_return (nfe_id, sale_id, return_id, ground, reason, shipping)
         VALUES ($1, $2, $3, $4, $5, $6)",
        params![id, &it.sale, it.return_id.as_ref(), it.ground, it.reason.as_ref(), it.shipping],
    )?;
    for (item, units) in &it.items {
        tx.run(
            "INSERT INTO nfe_return_item (nfe_id, order_item_id, quantity, discount)
             VALUES ($1, $2, $3, $4)",
            params![id, item, units.quantity, units.discount],
        )?;
    }
    Ok(())
}

/// What an invoice of a return says.
pub(in crate::invoicing) fn return_of(tx: &mut dyn Tx, id: &InvoiceId) -> Result<StoredReturn> {
    let items = tx.all(
        "SELECT order_item_id, quantity, discount FROM nfe_return_item WHERE nfe_id = $1
         ORDER BY order_item_id",
        params![id],
        |row| Ok((row.get(0)?, ReturnedUnits { quantity: row.get(1)?, discount: row.get(2)? })),
    )?;
    let found = tx.one(
        "SELECT sale_id, return_id, ground, reason, shipping FROM nfe_return WHERE nfe_id = $1",
        params![id],
        |row| {
            Ok(StoredReturn {
                sale: row.get(0)?,
                return_id: row.get(1)?,
                ground: row.get(2)?,
                reason: row.get(3)?,
                shipping: row.get(4)?,
                items: items.clone(),
            })
        },
    )?;
    found.ok_or_else(|| Error::internal("an invoice of a return does not say what came back"))
}

/// What invoices of returns that are good or may become so say of a sale.
#[derive(Debug, Default)]
pub(in crate::invoicing) struct Taken {
    pub(in crate::invoicing) units: HashMap<OrderItemId, ReturnedUnits>,
    /// What of the sale's freight.
    pub(in crate::invoicing) shipping: Money,
}

/// What such invoices say of a sale: those of one return, or all.
pub(in crate::invoicing) fn taken(
    tx: &mut dyn Tx,
    sale: &InvoiceId,
    of: Option<&ReturnId>,
) -> Result<Taken> {
    let mut filter = Filter::default();
    filter.compare("r.sale_id =", Some(sale.as_str()));
    filter.compare("r.return_id =", of.map(ReturnId::as_str));
    filter.and(&format!("n.status IN ({})", InvoiceStatus::listed(InvoiceStatus::is_live)));
    let live = filter.sql();
    let units = format!(
        "SELECT i.order_item_id, CAST(sum(i.quantity) AS BIGINT), CAST(sum(i.discount) AS BIGINT)
         FROM nfe_return r JOIN nfe n ON n.id = r.nfe_id
           JOIN nfe_return_item i ON i.nfe_id = r.nfe_id{live}
         GROUP BY i.order_item_id"
    );
    let units = tx.all(&units, filter.params(), |row| {
        Ok((row.get(0)?, ReturnedUnits { quantity: row.get(1)?, discount: row.get(2)? }))
    })?;
    let shipping = format!(
        "SELECT CAST(coalesce(sum(r.shipping), 0) AS BIGINT)
         FROM nfe_return r JOIN nfe n ON n.id = r.nfe_id{live}"
    );
    let shipping = tx.value(&shipping, filter.params())?;
    Ok(Taken { units: units.into_iter().collect(), shipping })
}

/// Whether goods of a sale came back by an invoice that is good or may become so.
pub(in crate::invoicing) fn has_returns(tx: &mut dyn Tx, sale: &InvoiceId) -> Result<bool> {
    let live = InvoiceStatus::listed(InvoiceStatus::is_live);
    let sql = format!(
        "SELECT 1 FROM nfe_return r JOIN nfe n ON n.id = r.nfe_id
         WHERE r.sale_id = $1 AND n.status IN ({live}) LIMIT 1"
    );
    tx.exists(&sql, params![sale])
}

/// The latest invoice of a customer's return that is good or may become so.
pub(in crate::invoicing) fn live_of_return(
    tx: &mut dyn Tx,
    scope: NumberScope,
    id: &ReturnId,
) -> Result<Option<StoredInvoice>> {
    let (select, live) = (select_nfe!(""), InvoiceStatus::listed(InvoiceStatus::is_live));
    let sql = format!(
        "{select}WHERE id IN (SELECT nfe_id FROM nfe_return WHERE return_id = $1) AND book = $2
         AND status IN ({live}) ORDER BY created_at DESC, id DESC LIMIT 1"
    );
    first(tx, &sql, params![id, scope])
}

/// The invoices of an order's returns, the latest first.
pub(in crate::invoicing) fn returns_of_order(
    tx: &mut dyn Tx,
    scope: NumberScope,
    order: &OrderId,
) -> Result<Vec<StoredInvoice>> {
    let found = tx.all(
        select_nfe!(
            "WHERE order_id = $1 AND book = $2 AND kind = 'RETURN'
             ORDER BY created_at DESC, id DESC LIMIT $3"
        ),
        params![order, scope, SHOWN],
        read,
    )?;
    completed(tx, found)
}
