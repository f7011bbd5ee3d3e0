//! What orders tell about a person: a copy of it, and what is left for the books without it.

use std::collections::HashMap;

use serde::Serialize;

use super::{AccountId, NoteAuthor, Order, OrderAddress, OrderId, store};
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::id::PaymentId;
use crate::money::Money;
use crate::payment::{self, PaymentMethod, PaymentStatus};
use crate::storage::{Row, Tx};

/// An order with every attempt to pay it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExportedOrder {
    /// The order.
    #[serde(flatten)]
    pub order: Order,
    /// The attempts to pay it, oldest first.
    pub payments: Vec<ExportedPayment>,
}

/// An attempt to pay an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ExportedPayment {
    /// Its id.
    pub id: PaymentId,
    /// By what.
    pub method: PaymentMethod,
    /// How far it is.
    pub status: PaymentStatus,
    /// How much.
    pub amount: Money,
    /// Who moved the money.
    pub provider: String,
    /// The provider's own name for it.
    pub provider_payment_id: Option<String>,
    /// When it was begun.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// Every order of a customer, newest first.
pub(crate) fn export(tx: &mut dyn Tx, customer: &AccountId) -> Result<Vec<ExportedOrder>> {
    let mut by_order: HashMap<OrderId, Vec<ExportedPayment>> = HashMap::new();
    for (order, payment) in payments(tx, customer)? {
        by_order.entry(order).or_default().push(payment);
    }
    let orders = store::of_account(tx, customer)?.into_iter();
    let complete = orders.map(|order| {
        let payments = by_order.remove(&order.id).unwrap_or_default();
        ExportedOrder { order, payments }
    });
    Ok(complete.collect())
}

/// Whether an order of the customer is unpaid or under way.
pub(crate) fn has_open(tx: &mut dyn Tx, customer: &AccountId) -> Result<bool> {
    let open = tx.one(
        "SELECT 1 FROM orders
         WHERE account_id = $1 AND status IN ('PENDING', 'PROCESSING', 'SHIPPED') LIMIT 1",
        &[customer.into()],
        |_| Ok(()),
    )?;
    Ok(open.is_some())
}

/// Leaves of a customer's orders what the books need: items, amounts, numbers, and roughly where
/// they went. What people wrote with them goes.
///
/// Money that comes late for an order of nobody must not revive it, since there is nowhere to send
/// it to; so the sweeper's cancellations count as the shop's own from here on (decision 2).
pub(crate) fn anonymise(tx: &mut dyn Tx, customer: &AccountId) -> Result<()> {
    let orders = tx.all(
        "SELECT id, address FROM orders WHERE account_id = $1",
        &[customer.into()],
        |row| Ok((row.get::<OrderId>(0)?, row.get::<String>(1)?)),
    )?;
    for (id, address) in orders {
        let address = serde_json::from_str(&address).map_err(Error::from_source)?;
        let rough = serde_json::to_string(&roughly(address)).map_err(Error::from_source)?;
        clear(tx, &id, &rough)?;
    }
    Ok(())
}

/// City, state and the first five digits of the postal code.
pub(crate) fn roughly(address: OrderAddress) -> OrderAddress {
    let OrderAddress { city, state, zip_code, .. } = address;
    OrderAddress {
        street: String::new(),
        number: String::new(),
        complement: None,
        district: String::new(),
        city,
        state,
        zip_code: zip_code.area(),
    }
}

fn clear(tx: &mut dyn Tx, order: &OrderId, address: &str) -> Result<()> {
    tx.execute(
        "UPDATE orders SET address = $1, notes = NULL,
           cancelled_by = CASE WHEN cancelled_by = 'SWEEPER' THEN 'STAFF' ELSE cancelled_by END
         WHERE id = $2",
        &[address.into(), order.into()],
    )?;
    payment::forget_reasons(tx, order)?;
    tx.execute("UPDATE order_history SET note = NULL WHERE order_id = $1", &[order.into()])?;
    tx.execute(
        "DELETE FROM order_note WHERE order_id = $1 AND author <> $2",
        &[order.into(), NoteAuthor::System.as_str().into()],
    )?;
    Ok(())
}

fn payments(tx: &mut dyn Tx, customer: &AccountId) -> Result<Vec<(OrderId, ExportedPayment)>> {
    tx.all(
        "SELECT p.id, p.method, p.status, p.amount, p.provider, p.provider_payment_id,
                p.created_at, p.updated_at, p.order_id
         FROM orders o JOIN payment p ON p.order_id = o.id
         WHERE o.account_id = $1 ORDER BY p.created_at, p.id",
        &[customer.into()],
        |row| Ok((row.get(8)?, read_payment(row)?)),
    )
}

fn read_payment(row: &dyn Row) -> Result<ExportedPayment> {
    Ok(ExportedPayment {
        id: row.get(0)?,
        method: row.get(1)?,
        status: row.get(2)?,
        amount: row.get(3)?,
        provider: row.get(4)?,
        provider_payment_id: row.get(5)?,
        created_at: row.get(6)?,
        updated_at: row.get(7)?,
    })
}
