//! Attempts to pay an order, and what went back of them, as they are shown.

use serde::Deserialize;

use super::{PaymentMethod, PaymentStatus};
use crate::clock::Timestamp;
use crate::id::{PaymentId, RefundId};
use crate::money::Money;
use crate::value::wire_enum;

/// One attempt to pay an order.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct PaymentAttempt {
    /// The id of the attempt; the idempotency key of the call to the provider.
    pub id: PaymentId,
    /// The means of payment.
    pub method: PaymentMethod,
    /// The state of the attempt.
    pub status: PaymentStatus,
    /// What was to be paid.
    pub amount: Money,
    /// What arrived.
    pub captured: Money,
    /// What of it went back.
    pub refunded: Money,
    /// What of it the payer's bank took back, in disputes that the shop has not won.
    pub charged_back: Money,
    /// The provider's id of it.
    pub provider_payment_id: Option<String>,
    /// The number of card installments.
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

/// Money that goes back to the payer.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct Refund {
    /// The id of the refund; the idempotency key of the call to the provider.
    pub id: RefundId,
    /// The payment that is given back.
    pub payment_id: PaymentId,
    /// The amount that goes back.
    pub amount: Money,
    /// The state of the refund.
    pub status: RefundStatus,
    /// Whether the shop or the provider began it.
    pub origin: RefundOrigin,
    /// The reason that staff gave.
    pub reason: Option<String>,
    /// The provider's id of it.
    pub provider_refund_id: Option<String>,
    /// Why it failed, in the provider's code.
    pub failure_code: Option<String>,
    /// When it was begun.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

wire_enum! {
    /// The state of a refund.
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
    /// The origin of a refund.
    #[cfg_attr(feature = "schema", schemars(inline))]
    pub enum RefundOrigin {
        /// The shop.
        Shop = "SHOP",
        /// Made at the provider, outside the shop.
        Provider = "PROVIDER",
    }
}
