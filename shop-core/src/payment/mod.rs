//! Payments and refunds as rows, and the providers that move money.
//!
//! A payment row is one attempt to pay an order. What happens when money moves is in
//! `settlement`, which stands above orders and payments.

mod attempt;
mod br_code;
mod card_token;
#[cfg(feature = "http")]
pub(crate) mod client;
mod in_time;
mod kind;
pub(crate) mod mercado_pago_codes;
mod paid;
pub(crate) mod provider;
mod providers;
mod sandbox;
pub(crate) mod store;
pub(crate) mod stripe_object;

pub use self::attempt::{PaymentAttempt, Refund, RefundOrigin, RefundStatus};
pub use self::br_code::{BrCode, crc16};
pub use self::card_token::{CardToken, IssuerId};
pub(crate) use self::in_time::InTime;
pub(crate) use self::kind::Provider;
pub use self::kind::{PaymentMethod, PaymentStatus};
pub(crate) use self::paid::PAID;
pub use self::provider::{
    Answer, CardRequest, IntentRequest, Intents, Payer, PaymentProvider, PixAndCards, PixRequest,
    ProviderDispute, ProviderDisputeStatus, ProviderError, ProviderPayment, ProviderRefund,
    ProviderRefundStatus, ProviderStatus, RefundRequest,
};
pub(crate) use self::providers::Providers;
pub(crate) use self::sandbox::{SandboxProvider, store as sandbox_store};
