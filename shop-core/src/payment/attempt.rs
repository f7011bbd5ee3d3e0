//! Attempts to pay an order, and what went back of them, as they are shown.

use serde::{Deserialize, Serialize};

use super::{PaymentMethod, PaymentStatus};
use crate::clock::Timestamp;
use crate::id::{PaymentId, RefundId};
use crate::money::Money;
use crate::value::wire_enum;

/// One attempt to pay an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
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
#[non_exhaustive]
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
