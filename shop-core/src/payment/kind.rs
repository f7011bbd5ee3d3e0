//! By what an order is paid, how far a payment is, and with whom it is.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::storage::{FromColumn, Row};

/// By what an order is paid: what providers take, and what staff record.
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
    /// Cash, recorded by staff.
    Cash,
    /// A bank transfer, recorded by staff.
    Transfer,
    /// Any other means, recorded by staff.
    Other,
}

impl PaymentMethod {
    /// Every method there is.
    pub const ALL: [Self; 6] =
        [Self::Pix, Self::CreditCard, Self::PaymentIntent, Self::Cash, Self::Transfer, Self::Other];

    /// The method as it is written on the wire and in storage.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pix => "PIX",
            Self::CreditCard => "CREDIT_CARD",
            Self::PaymentIntent => "PAYMENT_INTENT",
            Self::Cash => "CASH",
            Self::Transfer => "TRANSFER",
            Self::Other => "OTHER",
        }
    }
}

/// How far a payment is. It only moves forward, with one exception: a chargeback that the shop wins
/// gives the payment back the status that it had.
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
    /// The payer's bank took back all that was left.
    ChargedBack,
    /// Money arrived that does not fit the order; a person must look.
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

/// With whom a payment is: who is asked about it and who gives its money back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Provider {
    /// The provider of PIX codes and cards.
    Provider1,
    /// The provider of payment intents.
    Provider2,
    /// None: staff recorded the payment.
    Staff,
}

impl Provider {
    const ALL: [Self; 3] = [Self::Provider1, Self::Provider2, Self::Staff];

    /// The provider as it is written in storage and in errors.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Provider1 => "provider1",
            Self::Provider2 => "provider2",
            Self::Staff => "staff",
        }
    }
}

impl FromStr for Provider {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let known = Self::ALL.into_iter().find(|provider| provider.as_str() == text);
        known.ok_or_else(|| Error::internal(format!("unknown payment provider {text:?}")))
    }
}

impl FromColumn for PaymentMethod {
    fn from_column(row: &dyn Row, column: usize) -> Result<Self> {
        let text = row.text(column)?.unwrap_or_default();
        let known = Self::ALL.into_iter().find(|method| method.as_str() == text);
        known.ok_or_else(|| Error::internal(format!("unknown payment method {text:?}")))
    }
}

impl FromColumn for PaymentStatus {
    fn from_column(row: &dyn Row, column: usize) -> Result<Self> {
        let text = row.text(column)?.unwrap_or_default();
        let known = Self::ALL.into_iter().find(|status| status.as_str() == text);
        known.ok_or_else(|| Error::internal(format!("unknown payment status {text:?}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_is_read_back_and_an_unknown_name_is_an_error() {
        for provider in Provider::ALL {
            assert_eq!(provider.as_str().parse::<Provider>().expect("known"), provider);
        }
        for unknown in ["", "provider3", "Provider1"] {
            assert!(unknown.parse::<Provider>().is_err(), "{unknown:?}");
        }
    }
}
