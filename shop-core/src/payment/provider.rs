//! The ports to payment providers.
//!
//! Implementations translate; they hold no rule of the shop. Every call that creates something
//! carries an idempotency key and must, given the same key, have its effect once.

use std::time::Duration;

use futures_util::future::BoxFuture;

use super::{CardToken, PaymentMethod, Provider};
use crate::clock::Timestamp;
use crate::config::Secret;
use crate::error::Error;
use crate::id::{PaymentId, RefundId};
use crate::money::Money;
use crate::value::{Cpf, Email, words};

/// What a provider answers.
pub type Answer<T> = Result<T, ProviderError>;

/// A company that moves money, or the sandbox that plays one.
///
/// The shop waits for a call for as long as `payments.timeout_ms` says, and then drops its future:
/// that is [`ProviderError::Unclear`], as if the provider had said it, and the call is made again
/// later.
pub trait PaymentProvider: Send + Sync + 'static {
    /// What the provider knows of a payment; `None` where it knows of none.
    fn fetch<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Answer<Option<ProviderPayment>>>;

    /// Cancels a payment that is not paid yet, and reports its state afterwards.
    fn cancel<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Answer<ProviderPayment>>;

    /// Gives money back. The refund's id is the idempotency key.
    fn refund<'a>(&'a self, request: &'a RefundRequest) -> BoxFuture<'a, Answer<ProviderRefund>>;

    /// What became of a refund that was taken, by the provider's ids of the payment and of it.
    /// `None` where the provider cannot say, as without this method: then the shop compares what
    /// went back of the payment with its own refunds.
    fn fetch_refund<'a>(
        &'a self,
        payment: &'a str,
        refund: &'a str,
    ) -> BoxFuture<'a, Answer<Option<ProviderRefund>>> {
        let _ = (payment, refund);
        Box::pin(std::future::ready(Ok(None)))
    }
}

/// A provider of instant payments and of cards.
pub trait PixAndCards: PaymentProvider {
    /// Asks for a PIX code. The request's payment id is the idempotency key.
    fn create_pix<'a>(&'a self, request: &'a PixRequest) -> BoxFuture<'a, Answer<ProviderPayment>>;

    /// Charges a card. The request's payment id is the idempotency key. A card that its issuer
    /// refuses is an answer ([`ProviderStatus::Failed`]), not an error.
    fn charge_card<'a>(
        &'a self,
        request: &'a CardRequest,
    ) -> BoxFuture<'a, Answer<ProviderPayment>>;

    /// Every payment that was begun for an order: how a call whose answer got lost is cleared up.
    fn find<'a>(&'a self, order_number: &'a str) -> BoxFuture<'a, Answer<Vec<ProviderPayment>>>;
}

/// A provider of payment intents, which the customer's browser completes with it.
pub trait Intents: PaymentProvider {
    /// Opens an intent. The request's payment id is the idempotency key.
    fn create_intent<'a>(
        &'a self,
        request: &'a IntentRequest,
    ) -> BoxFuture<'a, Answer<ProviderPayment>>;
}

/// Why a provider did not do what it was asked. Never holds what was sent.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ProviderError {
    /// It refused the request itself, which has no effect now or later.
    #[error("refused the request: {0}")]
    Refused(String),
    /// The card's token is unknown, used or too old. Nothing was charged.
    #[error("the card token does not hold")]
    InvalidToken,
    /// Whether it had its effect is unknown; the same call may be made again.
    #[error("{0}")]
    Unclear(String),
    /// It wants to be left alone for so long. Whether the call had its effect is unknown; the same
    /// call may be made again.
    #[error("it wants to be left alone for {} s", .0.as_secs())]
    Busy(Duration),
    /// The shop's own database failed.
    #[error(transparent)]
    Shop(#[from] Error),
}

impl ProviderError {
    /// For how long the provider that failed wants to be left alone, where it said so.
    pub(crate) fn pause_after(error: &Error) -> Option<Duration> {
        let Error::Provider { source, .. } = error else { return None };
        match source.downcast_ref() {
            Some(Self::Busy(pause)) => Some(*pause),
            _ => None,
        }
    }

    /// As an error of the shop, said of this provider.
    pub(crate) fn of(self, provider: Provider) -> Error {
        let name = provider.as_str();
        match self {
            Self::Shop(error) => error,
            other => Error::Provider { name, source: std::sync::Arc::new(other) },
        }
    }
}

/// The customer, as far as a provider must know one.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Payer {
    /// The account's name.
    pub name: String,
    /// Its e-mail.
    pub email: Email,
    /// Its taxpayer number, if it is known.
    pub cpf: Option<Cpf>,
}

/// What a provider needs to know to make a PIX code.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PixRequest {
    /// The shop's attempt, and the idempotency key of the call.
    pub payment: PaymentId,
    /// What is to be paid.
    pub amount: Money,
    /// The order's number, as people know it.
    pub order_number: String,
    /// When the code stops being good.
    pub expires_at: Timestamp,
    /// The customer.
    pub payer: Payer,
}

/// What a provider needs to know to charge a card.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CardRequest {
    /// The shop's attempt, and the idempotency key of the call.
    pub payment: PaymentId,
    /// What is to be paid.
    pub amount: Money,
    /// The order's number, as people know it.
    pub order_number: String,
    /// What the customer's browser got for the card. It is nowhere else.
    pub token: CardToken,
    /// The card's brand, e.g. `visa`.
    pub payment_method_id: String,
    /// The number of installments.
    pub installments: i64,
    /// The card's bank, by the provider's number.
    pub issuer_id: Option<i64>,
    /// The customer.
    pub payer: Payer,
}

/// What a provider needs to know to open a payment intent.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct IntentRequest {
    /// The shop's attempt, and the idempotency key of the call.
    pub payment: PaymentId,
    /// What is to be paid.
    pub amount: Money,
    /// The order's id.
    pub order_id: String,
    /// The order's number, as people know it.
    pub order_number: String,
}

/// What a provider needs to know to give money back.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RefundRequest {
    /// The shop's refund, and the idempotency key of the call.
    pub refund: RefundId,
    /// The provider's id of the payment.
    pub payment: String,
    /// The amount that goes back.
    pub amount: Money,
}

/// A payment as its provider describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProviderPayment {
    /// The provider's id of it.
    pub id: String,
    /// The shop's attempt that it belongs to. May be left out: the shop knows which attempt it made
    /// a call for. In answers to [`PaymentProvider::fetch`] it lets the shop find an attempt whose
    /// answer got lost.
    pub attempt: Option<PaymentId>,
    /// The number of the order that it is for. May be left out, also of what
    /// [`PixAndCards::find`] finds for an order.
    pub reference: Option<String>,
    /// The means of payment.
    pub method: PaymentMethod,
    /// The state that the provider reports.
    pub status: ProviderStatus,
    /// What is paid, or to be paid.
    pub amount: Money,
    /// In which currency, e.g. `BRL`.
    pub currency: String,
    /// What of it went back, all refunds together.
    pub refunded: Money,
    /// What the payer's bank took of it, as far as the provider says so. Empty together with
    /// [`ProviderStatus::ChargedBack`] means all that is left.
    pub disputes: Vec<ProviderDispute>,
    /// Why it failed, in the provider's code.
    pub failure_code: Option<String>,
    /// The copy-and-paste text of a PIX code.
    pub pix_code: Option<String>,
    /// The provider's picture of it: a PNG in Base64.
    pub pix_picture: Option<String>,
    /// When the PIX code stops being good.
    pub expires_at: Option<Timestamp>,
    /// The number of card installments.
    pub installments: Option<i64>,
    /// The end of the card's number.
    pub last_four: Option<String>,
    /// With what the customer's browser completes a payment intent.
    pub client_secret: Option<Secret>,
}

impl ProviderPayment {
    /// A payment of which nothing else is known.
    pub fn new(
        id: impl Into<String>,
        method: PaymentMethod,
        status: ProviderStatus,
        amount: Money,
        currency: impl Into<String>,
    ) -> Self {
        Self {
            id: id.into(),
            attempt: None,
            reference: None,
            method,
            status,
            amount,
            currency: currency.into(),
            refunded: Money::ZERO,
            disputes: Vec::new(),
            failure_code: None,
            pix_code: None,
            pix_picture: None,
            expires_at: None,
            installments: None,
            last_four: None,
            client_secret: None,
        }
    }
}

words! {
    /// A provider's report about a payment, in terms of what the shop does with it.
    #[non_exhaustive]
    pub enum ProviderStatus {
        /// Nothing is decided.
        Pending = "PENDING",
        /// The payer did all that there is to do, and nothing is decided: nobody can call it off.
        InProcess = "IN_PROCESS",
        /// The money is there.
        Paid = "PAID",
        /// Refused.
        Failed = "FAILED",
        /// It was not paid in time.
        Expired = "EXPIRED",
        /// Called off.
        Cancelled = "CANCELLED",
        /// The money was there and went back, all of it.
        Refunded = "REFUNDED",
        /// The money was there and the payer's bank took it back, all of it or the part that
        /// [`ProviderPayment::disputes`] says.
        ChargedBack = "CHARGED_BACK",
    }
}

/// A payer who wants the money back through the bank, as the provider describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderDispute {
    /// The provider's id of it; that of the payment where disputes have none of their own.
    pub id: String,
    /// How much it is about.
    pub amount: Money,
    /// How it stands.
    pub status: ProviderDisputeStatus,
}

words! {
    /// How a dispute stands.
    #[non_exhaustive]
    pub enum ProviderDisputeStatus {
        /// The bank took the money and nothing is decided.
        Open = "OPEN",
        /// The money is the shop's again.
        Won = "WON",
        /// The money is the payer's for good.
        Lost = "LOST",
    }
}

/// A refund as its provider describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderRefund {
    /// The provider's id of it.
    pub id: String,
    /// The state that the provider reports.
    pub status: ProviderRefundStatus,
}

words! {
    /// A provider's report about a refund.
    #[non_exhaustive]
    pub enum ProviderRefundStatus {
        /// It will be done, or not.
        Pending = "PENDING",
        /// The money went back.
        Done = "DONE",
        /// It will not be done.
        Failed = "FAILED",
    }
}
