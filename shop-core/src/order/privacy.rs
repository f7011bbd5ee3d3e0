//! Personal data in orders: its copy for the customer, and its erasure.

use std::collections::HashMap;

use super::{AccountId, Order, OrderAddress, OrderId, note, store};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::id::PaymentId;
use crate::money::Money;
use crate::payment::store::Payment;
use crate::payment::{self, PaymentMethod, PaymentStatus};
use crate::storage::Tx;

/// An order with every attempt to pay it.
#[apply(answer!)]
pub struct ExportedOrder {
    /// The order.
    #[serde(flatten)]
    pub order: Order,
    /// The attempts to pay it, oldest first.
    pub payments: Vec<ExportedPayment>,
}

/// An attempt to pay an order.
#[apply(answer!)]
pub struct ExportedPayment {
    /// The id of the attempt.
    pub id: PaymentId,
    /// The means of payment.
    pub method: PaymentMethod,
    /// The state of the attempt.
    pub status: PaymentStatus,
    /// The amount to be paid.
    pub amount: Money,
    /// The provider: `provider1`, `provider2`, or `staff` for money that staff recorded.
    pub provider: String,
    /// The provider's id of the payment.
    pub provider_payment_id: Option<String>,
    /// When it was begun.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// Every order of a customer, newest first.
pub(crate) fn export(tx: &mut dyn Tx, customer: &AccountId) -> Result<Vec<ExportedOrder>> {
    let orders = store::of_account(tx, customer)?;
    let ids: Vec<OrderId> = orders.iter().map(|order| order.id.clone()).collect();
    let mut by_order: HashMap<OrderId, Vec<ExportedPayment>> = HashMap::new();
    for payment in payment::store::of_orders(tx, &ids)? {
        by_order.entry(payment.order_id.clone()).or_default().push(payment.into());
    }
    let complete = orders.into_iter().map(|order| {
        let payments = by_order.remove(&order.id).unwrap_or_default();
        ExportedOrder { order, payments }
    });
    Ok(complete.collect())
}

/// Leaves of a customer's orders what the books need: items, amounts, numbers, city, state and the
/// beginning of the postal code. All texts that people wrote are deleted.
pub(crate) fn anonymise(tx: &mut dyn Tx, customer: &AccountId) -> Result<()> {
    for (id, address) in store::addresses_of(tx, customer)? {
        store::anonymise(tx, &id, &redact(address))?;
        note::delete_of_staff(tx, &id)?;
        payment::store::refund::forget_reasons(tx, &id)?;
    }
    Ok(())
}

/// City, state and the first five digits of the postal code.
pub(crate) fn redact(address: OrderAddress) -> OrderAddress {
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

impl From<Payment> for ExportedPayment {
    fn from(payment: Payment) -> Self {
        Self {
            id: payment.id,
            method: payment.method,
            status: payment.status,
            amount: payment.amount,
            provider: payment.provider_name,
            provider_payment_id: payment.provider_payment_id,
            created_at: payment.created_at,
            updated_at: payment.updated_at,
        }
    }
}
