//! Means of payment, states of a payment, and its provider.

use crate::error::Result;
use crate::value::{wire_enum, words};

wire_enum! {
    /// A means of payment: those that providers take, and those that staff record.
    #[cfg_attr(feature = "schema", schemars(inline))]
    pub enum PaymentMethod {
        /// An instant payment by QR code.
        Pix = "PIX",
        /// A card, through provider1.
        CreditCard = "CREDIT_CARD",
        /// A payment intent of provider2.
        PaymentIntent = "PAYMENT_INTENT",
        /// Cash, recorded by staff.
        Cash = "CASH",
        /// A bank transfer, recorded by staff.
        Transfer = "TRANSFER",
        /// Any other means, recorded by staff.
        Other = "OTHER",
    }
}

wire_enum! {
    /// The state of a payment. It only moves forward, with one exception: a chargeback that the shop wins
    /// gives the payment back the status that it had.
    #[cfg_attr(feature = "schema", schemars(inline))]
    pub enum PaymentStatus {
        /// Waits for the payer or the provider.
        Pending = "PENDING",
        /// The money is the shop's.
        Paid = "PAID",
        /// Refused.
        Failed = "FAILED",
        /// It was not paid in time.
        Expired = "EXPIRED",
        /// Called off.
        Cancelled = "CANCELLED",
        /// The money went back.
        Refunded = "REFUNDED",
        /// The payer's bank took back all that was left.
        ChargedBack = "CHARGED_BACK",
        /// Money arrived that does not fit the order; a person must look.
        Review = "REVIEW",
    }
}

/// The provider of a payment: it is asked about the payment and gives its money back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Provider {
    /// The provider of PIX codes and cards.
    Provider1,
    /// The provider of payment intents.
    Provider2,
    /// None: staff recorded the payment.
    Staff,
}

words! {
    pub(crate) Provider {
        Provider1 = "provider1",
        Provider2 = "provider2",
        Staff = "staff",
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
