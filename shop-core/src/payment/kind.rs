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
    /// The state of a payment. It only moves forward, with one exception: a chargeback that the
    /// shop wins gives the payment back the status that it had.
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

words! {
    /// The provider of a payment: it is asked about the payment and gives its money back.
    pub(crate) enum Provider {
        /// The provider of PIX codes and cards.
        Provider1 = "provider1",
        /// The provider of payment intents.
        Provider2 = "provider2",
        /// None: staff recorded the payment.
        Staff = "staff",
    }
}
