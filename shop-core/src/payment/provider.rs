//! The port to a payment provider.

use futures_util::future::BoxFuture;

use crate::clock::Timestamp;
use crate::error::Result;
use crate::id::PaymentId;
use crate::money::Money;

/// A company that moves money, or the sandbox that plays one.
///
/// Implementations translate; they hold no rule of the shop. Every call that creates something
/// carries an idempotency key and must, given the same key, have its effect once.
pub trait PaymentProvider: Send + Sync + 'static {
    /// Asks for a PIX code. The request's payment id is the idempotency key.
    fn create_pix(&self, request: PixRequest) -> BoxFuture<'_, Result<ProviderPayment>>;

    /// What the provider knows of a payment; `None` where it knows of none.
    fn fetch<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<ProviderPayment>>>;
}

/// What a provider needs to know to make a PIX code.
#[derive(Debug, Clone)]
pub struct PixRequest {
    /// Our attempt, and the idempotency key of the call.
    pub payment: PaymentId,
    /// What is to be paid.
    pub amount: Money,
    /// The order's number, as people know it.
    pub order_number: String,
    /// When the code stops being good.
    pub expires_at: Timestamp,
}

/// A payment as its provider describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderPayment {
    /// The provider's id of it.
    pub id: String,
    /// Our attempt that it belongs to, where the provider says so.
    pub attempt: Option<PaymentId>,
    /// How far it is.
    pub status: ProviderStatus,
    /// What is paid, or to be paid.
    pub amount: Money,
    /// In which currency, e.g. `BRL`.
    pub currency: String,
    /// The copy-and-paste text of a PIX code.
    pub pix_code: Option<String>,
    /// When the PIX code stops being good.
    pub expires_at: Option<Timestamp>,
}

/// A provider's word about a payment, in terms of what the shop does with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderStatus {
    /// Nothing is decided.
    Pending,
    /// The money is there.
    Paid,
    /// Refused.
    Failed,
    /// Nobody paid in time.
    Expired,
    /// Called off.
    Cancelled,
}
