//! Attempts to pay an order, and what went back of them, as they are shown.

use serde::{Deserialize, Serialize};

use super::{PaymentMethod, PaymentStatus};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::id::{OrderId, PaymentId, RefundId};
use crate::money::Money;
use crate::storage::{Row, Tx};
use crate::value::wire_enum;

/// One attempt to pay an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PaymentAttempt {
    /// Its id.
    pub id: PaymentId,
    /// By what.
    pub method: PaymentMethod,
    /// How far it is.
    pub status: PaymentStatus,
    /// What was to be paid.
    pub amount: Money,
    /// What arrived.
    pub captured: Money,
    /// What of it went back.
    pub refunded: Money,
    /// What of it the payer's bank took back, in disputes that the shop has not won.
    pub charged_back: Money,
    /// The provider's own name for it.
    pub provider_payment_id: Option<String>,
    /// In how many parts a card pays.
    pub installments: Option<i64>,
    /// The end of the card's number.
    pub last_four_digits: Option<String>,
    /// Why it failed, in the provider's code.
    pub failure_code: Option<String>,
    /// When it was begun.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// Money that goes back to who paid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Refund {
    /// Its id.
    pub id: RefundId,
    /// Of which payment.
    pub payment_id: PaymentId,
    /// How much.
    pub amount: Money,
    /// How far it is.
    pub status: RefundStatus,
    /// Who began it.
    pub origin: RefundOrigin,
    /// Why, in the shop's words.
    pub reason: Option<String>,
    /// The provider's own name for it.
    pub provider_refund_id: Option<String>,
    /// Why it failed, in the provider's code.
    pub failure_code: Option<String>,
    /// When it was begun.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

wire_enum! {
    /// How far a refund is.
    #[cfg_attr(feature = "schema", schemars(inline))]
    pub enum RefundStatus {
        /// Asked for; the provider has not said yes or no.
        Pending = "PENDING",
        /// The money went back.
        Done = "DONE",
        /// The provider refused it.
        Failed = "FAILED",
    }
}

wire_enum! {
    /// Who began a refund.
    #[cfg_attr(feature = "schema", schemars(inline))]
    pub enum RefundOrigin {
        /// The shop.
        Shop = "SHOP",
        /// Somebody at the provider's own desk.
        Provider = "PROVIDER",
    }
}

/// Every attempt to pay an order, oldest first.
pub(crate) fn attempts(tx: &mut dyn Tx, order: &OrderId) -> Result<Vec<PaymentAttempt>> {
    tx.all(
        "SELECT id, method, status, amount, captured, refunded, provider_payment_id, installments,
                last_four, failure_code, created_at, updated_at, charged_back
         FROM payment WHERE order_id = $1 ORDER BY created_at, id",
        &[order.into()],
        |row| {
            Ok(PaymentAttempt {
                id: row.get(0)?,
                method: row.get(1)?,
                status: row.get(2)?,
                amount: row.get(3)?,
                captured: row.get(4)?,
                refunded: row.get(5)?,
                provider_payment_id: row.get(6)?,
                installments: row.get(7)?,
                last_four_digits: row.get(8)?,
                failure_code: row.get(9)?,
                created_at: row.get(10)?,
                updated_at: row.get(11)?,
                charged_back: row.get(12)?,
            })
        },
    )
}

/// The columns of a refund, for [`read_refund`].
macro_rules! select_refund {
    ($tail:literal) => {
        concat!(
            "SELECT id, payment_id, amount, status, origin, reason, provider_refund_id,
                    failure_code, created_at, updated_at
             FROM refund ",
            $tail
        )
    };
}

fn read_refund(row: &dyn Row) -> Result<Refund> {
    Ok(Refund {
        id: row.get(0)?,
        payment_id: row.get(1)?,
        amount: row.get(2)?,
        status: row.get(3)?,
        origin: row.get(4)?,
        reason: row.get(5)?,
        provider_refund_id: row.get(6)?,
        failure_code: row.get(7)?,
        created_at: row.get(8)?,
        updated_at: row.get(9)?,
    })
}

/// Every refund of an order's payments, oldest first.
pub(crate) fn refunds(tx: &mut dyn Tx, order: &OrderId) -> Result<Vec<Refund>> {
    tx.all(
        select_refund!("WHERE order_id = $1 ORDER BY created_at, id"),
        &[order.into()],
        read_refund,
    )
}

/// A refund by its id.
pub(crate) fn refund(tx: &mut dyn Tx, id: &RefundId) -> Result<Option<Refund>> {
    tx.one(select_refund!("WHERE id = $1"), &[id.into()], read_refund)
}

/// Forgets what staff wrote about an order's refunds.
pub(crate) fn forget_reasons(tx: &mut dyn Tx, order: &OrderId) -> Result<()> {
    tx.execute("UPDATE refund SET reason = NULL WHERE order_id = $1", &[order.into()])?;
    Ok(())
}
