//! Payments: how an order's money arrives.
//!
//! A payment row is one attempt to pay an order. It is written, with its idempotency key, before
//! the provider is called and completed after it; a crash in between repeats the call with the same
//! key. Whatever a provider tells us goes through one function (`confirm.rs`).

mod attempt;
mod br_code;
mod confirm;
mod notice;
mod pix;
mod provider;
mod qr_code;
mod sandbox;
mod store;

use serde::{Deserialize, Serialize};

pub use self::attempt::{PaymentAttempt, Refund, RefundOrigin, RefundStatus};
pub(crate) use self::attempt::{attempts, refunds};
pub use self::br_code::{BrCode, crc16};
pub use self::notice::ProviderNotice;
pub use self::pix::PixCharge;
pub use self::provider::{PaymentProvider, PixRequest, ProviderPayment, ProviderStatus};
pub use self::sandbox::Sandbox;
pub(crate) use self::sandbox::SandboxProvider;
use crate::error::Result;
use crate::id::{AccountId, OrderId};
use crate::idempotency::IdempotencyKey;
use crate::shop::Shop;

/// By what an order is paid (decision 25).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum PaymentMethod {
    /// An instant payment by QR code.
    Pix,
    /// A card, through provider1.
    CreditCard,
    /// A payment intent of provider2.
    PaymentIntent,
}

impl PaymentMethod {
    /// Every method there is.
    pub const ALL: [Self; 3] = [Self::Pix, Self::CreditCard, Self::PaymentIntent];

    /// The method as it is written on the wire and in storage.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pix => "PIX",
            Self::CreditCard => "CREDIT_CARD",
            Self::PaymentIntent => "PAYMENT_INTENT",
        }
    }
}

/// How far a payment is (decision 25). It only ever moves forward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum PaymentStatus {
    /// Waits for the payer or the provider.
    Pending,
    /// The money is the shop's.
    Paid,
    /// Refused.
    Failed,
    /// Nobody paid in time.
    Expired,
    /// Called off.
    Cancelled,
    /// The money went back.
    Refunded,
    /// The payer's bank took the money back.
    ChargedBack,
    /// Money arrived that does not fit the order; a person must look (decision 2).
    Review,
}

impl PaymentStatus {
    /// Every status there is.
    pub const ALL: [Self; 8] = [
        Self::Pending,
        Self::Paid,
        Self::Failed,
        Self::Expired,
        Self::Cancelled,
        Self::Refunded,
        Self::ChargedBack,
        Self::Review,
    ];

    /// The status as it is written on the wire and in storage.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "PENDING",
            Self::Paid => "PAID",
            Self::Failed => "FAILED",
            Self::Expired => "EXPIRED",
            Self::Cancelled => "CANCELLED",
            Self::Refunded => "REFUNDED",
            Self::ChargedBack => "CHARGED_BACK",
            Self::Review => "REVIEW",
        }
    }
}

/// Payments.
#[derive(Debug, Clone, Copy)]
pub struct Payments<'a> {
    shop: &'a Shop,
}

impl<'a> Payments<'a> {
    pub(crate) fn new(shop: &'a Shop) -> Self {
        Self { shop }
    }

    /// A PIX code for one of the customer's orders: the one that still waits to be paid, else a
    /// new one that lives for 30 minutes. Two calls at once get the same code.
    ///
    /// # Errors
    /// [`crate::Error::NotFound`] for an order that is not the customer's; [`crate::Error::Refused`]
    /// when it is paid already or closed; [`crate::Error::Provider`], after which the same call may
    /// be made again.
    pub async fn create_pix(
        &self,
        customer: &AccountId,
        order: &OrderId,
        key: Option<IdempotencyKey>,
    ) -> Result<PixCharge> {
        pix::create(self.shop, customer, order, key).await
    }

    /// Every attempt to pay an order, oldest first.
    pub async fn attempts(&self, order: &OrderId) -> Result<Vec<PaymentAttempt>> {
        let order = order.clone();
        self.shop.db().lookup("payment.attempts", move |tx| attempts(tx, &order)).await
    }

    /// Every refund of an order's payments, oldest first.
    pub async fn refunds(&self, order: &OrderId) -> Result<Vec<Refund>> {
        let order = order.clone();
        self.shop.db().lookup("payment.refunds", move |tx| refunds(tx, &order)).await
    }

    /// Takes a notice of provider1: verifies its signature before anything else is looked at, asks
    /// the provider for the payment it names, and applies what the provider says. Notices may
    /// come in any order and any number of times.
    ///
    /// # Errors
    /// [`crate::Error::Unauthenticated`] when the signature does not hold (decision 14);
    /// [`crate::Error::Provider`] when the payment cannot be read now, so that the provider sends the
    /// notice again.
    pub async fn receive_notice(&self, notice: ProviderNotice) -> Result<()> {
        notice::receive(self.shop, &notice).await
    }

    /// Asks the provider about every attempt of an order that still waits, and applies the
    /// answers. For notices that got lost.
    ///
    /// # Errors
    /// [`crate::Error::Provider`] when the provider cannot be asked.
    pub async fn reconcile(&self, order: &OrderId) -> Result<()> {
        confirm::reconcile(self.shop, order).await
    }
}
