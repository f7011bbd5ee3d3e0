//! Rules of business that say no to a well-formed request.

use std::time::Duration;

use crate::money::Money;

coded! {
    /// A rule of business that says no to a well-formed request.
    #[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
    #[non_exhaustive]
    pub enum Refusal {
        /// Neither lines in the request nor in the saved cart.
        #[error("the cart is empty")]
        EmptyCart = "empty_cart",
        /// Fewer units are left than asked for.
        #[error("insufficient stock of {name}: {available} left")]
        InsufficientStock {
            /// The product's name, as shoppers know it.
            name: String,
            /// Units that could be had.
            available: i64,
        } = "insufficient_stock",
        /// The product is sold in its variants only, and none was named.
        #[error("product {name} is sold in variants only")]
        VariantRequired {
            /// The product's name, as shoppers know it.
            name: String,
        } = "variant_required",
        /// The product is not on sale, or there is no such product or variant.
        #[error("product {name} is not active")]
        InactiveProduct {
            /// The product's name, or its id where there is no such product.
            name: String,
        } = "product_inactive",
        /// More units than one order may have (`orders.max_units_per_order`).
        #[error("an order has at most {max} units")]
        TooManyUnits {
            /// How many it may have.
            max: u32,
        } = "too_many_units",
        /// Too many orders of the customer await payment (`orders.max_open_unpaid`).
        #[error("{max} orders of the customer await payment")]
        TooManyUnpaidOrders {
            /// How many may.
            max: u32,
        } = "too_many_unpaid_orders",
        /// The customer placed too many orders within an hour (`orders.max_per_hour`).
        #[error("too many orders, try again in {retry_after:?}")]
        TooManyOrders {
            /// How long until the next one is taken.
            retry_after: Duration,
        } = "too_many_orders",
        /// The coupon does not hold now.
        #[error("coupon: {0:?}")]
        Coupon(CouponRefusal) by Refusal::Coupon(refusal) => refusal,
        /// There is positively no such postal code.
        #[error("unknown postal code")]
        UnknownCep = "cep_not_found",
        /// No shipping option of the current quote has this id.
        #[error("unknown shipping option")]
        UnknownShippingOption = "unknown_shipping_option",
        /// The order's total is more, or less, than a payment can carry.
        #[error("the amount {0} is out of range")]
        AmountOutOfRange(Money) = "amount_out_of_range",
        /// The order is paid.
        #[error("the order is already paid")]
        AlreadyPaid = "already_paid",
        /// Only a paid order has an invoice, and not one that was cancelled or refunded.
        #[error("the order is not paid")]
        OrderNotPaid = "order_not_paid",
        /// The tax office does not accept the invoice, the event or the request as it is.
        #[error("the tax office refuses: {code} {text}")]
        NfeRejected {
            /// Its code.
            code: u16,
            /// Its words.
            text: String,
        } = "nfe_rejected",
        /// The tax office denies the use of the invoice for good.
        #[error("the tax office denies: {code} {text}")]
        NfeDenied {
            /// Its code.
            code: u16,
            /// Its words.
            text: String,
        } = "nfe_denied",
        /// The card's token is unknown, used or too old.
        #[error("the card token does not hold")]
        InvalidCardToken = "invalid_card_token",
        /// The card's issuer, or the provider, says no.
        #[error("the card was rejected: {reason:?}")]
        CardRejected {
            /// Why.
            reason: CardRejection,
            /// Whether this repeats the answer to the same request, for which the provider was not
            /// called again.
            repeated: bool,
        } by Refusal::CardRejected { reason, .. } => reason,
        /// No payment of the order has money that could be given back.
        #[error("there is nothing to refund")]
        NothingToRefund = "nothing_to_refund",
        /// More is to be given back than is left.
        #[error("no more than {left} can be refunded")]
        RefundTooLarge {
            /// What is left.
            left: Money,
        } = "refund_too_large",
        /// The provider says no to a refund.
        #[error("the provider declined the refund")]
        RefundDeclined = "refund_declined",
        /// No units came back that are not on an invoice of a return already.
        #[error("there are no units to come back that have no invoice yet")]
        NothingToReturn = "nothing_to_return",
        /// The customer withdrew from all of the order before it was sent.
        #[error("nothing of the order is to be sent")]
        OrderWithdrawn = "order_withdrawn",
        /// The order was cancelled or refunded.
        #[error("the order cannot be paid any more")]
        OrderClosed = "order_closed",
        /// The order is neither paid nor sent, or was cancelled or refunded.
        #[error("nothing of the order can be returned")]
        OrderNotReturnable = "order_not_returnable",
        /// Only a paid order that was not delivered, cancelled or refunded gets labels, and only
        /// for what is left to be sent.
        #[error("nothing of the order can be sent")]
        OrderNotShippable = "order_not_shippable",
        /// The shop buys no labels (`shipping.labels.provider`).
        #[error("the shop has no provider of labels")]
        NoLabelProvider = "no_label_provider",
        /// The file of a label is no PDF that can be put together with others.
        #[error("the file of label {parcel} of order {order_number} cannot be read")]
        LabelUnreadable {
            /// The number of its order.
            order_number: String,
            /// Which parcel of the order it is of, from 1.
            parcel: i64,
        } = "label_unreadable",
        /// The term for a withdrawal (7 days) or for a defect (90 days) is over; both are settings.
        #[error("the term to return goods ended with {last_day}")]
        ReturnTooLate {
            /// Its last day, in `America/Sao_Paulo`.
            last_day: chrono::NaiveDate,
        } = "return_too_late",
        /// The same idempotency key came with another request.
        #[error("the idempotency key was used for another request")]
        IdempotencyKeyReused = "idempotency_key_reused",
        /// The link to reset a password is unknown, used or too old.
        #[error("the link to reset the password does not hold")]
        ResetLink = "invalid_reset_token",
        /// The setting `staff.require_two_factor` is on, and the admin has no two-factor log-ins
        /// yet.
        #[error("the shop demands two-factor log-ins of staff")]
        TwoFactorRequired = "two_factor_required_by_shop",
        /// No application of Melhor Envio is configured (`shipping.melhor_envio.client_id` and
        /// `client_secret`), so that the shop cannot be connected with it.
        #[error("no application of Melhor Envio is configured")]
        NoLabelApp = "melhor_envio_not_configured",
        /// The holder of the account at Melhor Envio did not allow the connection.
        #[error("the connection was not allowed")]
        NotAllowed = "connection_not_allowed",
        /// The shop has not signed the link to leave the newsletter.
        #[error("the link to unsubscribe does not hold")]
        UnsubscribeLink = "invalid_unsubscribe_token",
    }
}

coded! {
    /// Why a coupon does not hold.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum CouponRefusal {
        /// Staff switched the coupon off.
        Inactive = "coupon_inactive",
        /// The coupon is past its date.
        Expired = "coupon_expired",
        /// The coupon was used as often as it may be.
        UsedUp = "coupon_used_up",
        /// The order comes to less than the coupon demands.
        BelowMinimum = "coupon_below_minimum",
    }
}

coded! {
    /// Why a card is rejected.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum CardRejection {
        /// The card's number is wrong.
        Number = "card_bad_number",
        /// The card's expiry date is wrong.
        ExpiryDate = "card_bad_expiry_date",
        /// The card's security code is wrong.
        SecurityCode = "card_bad_security_code",
        /// Something else about the card is wrong.
        CardData = "card_bad_data",
        /// The card's owner must allow the payment with the bank first.
        CallForAuthorize = "card_call_for_authorize",
        /// The card must be activated with the bank first.
        Disabled = "card_disabled",
        /// There is not enough money or credit.
        InsufficientAmount = "card_insufficient_amount",
        /// The card cannot pay in so many parts.
        Installments = "card_invalid_installments",
        /// The same amount was paid just now.
        Duplicated = "card_duplicated_payment",
        /// The card was tried too often.
        MaxAttempts = "card_max_attempts",
        /// The provider's fraud check says no.
        HighRisk = "card_high_risk",
        /// The card is on a list of cards that are not taken.
        Blacklisted = "card_blacklisted",
        /// The bank wants an authentication that was not made.
        AuthenticationRequired = "card_authentication_required",
        /// The card cannot be charged.
        CardError = "card_error",
        /// The card was rejected for any other reason.
        Other = "card_rejected",
    }
}
