//! What can go wrong, by what a caller can do about it.
//!
//! One enum for the whole library. It knows nothing of HTTP: the server maps it to a status and a
//! Portuguese text in one place, and a program that embeds the library matches on it, or goes by
//! [`Error::code`]. A version may bring new variants; a test of the server holds that it has a reply
//! for each.

#[macro_use]
mod coded;
mod convert;

use std::sync::Arc;
use std::time::Duration;

pub use crate::field_errors::FieldErrors;
use crate::money::Money;

/// The result of everything in this library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The source of an [`Error::Internal`] or [`Error::Provider`]; shared, because one failed commit
/// answers every job of its group.
pub type Source = Arc<dyn std::error::Error + Send + Sync>;

coded! {
    /// Why an operation of the shop did not happen. Nothing was changed unless a method says so.
    #[derive(Debug, Clone, thiserror::Error)]
    #[non_exhaustive]
    pub enum Error {
        /// The input breaks a rule; every wrong field is named at once.
        #[error("invalid input: {0}")]
        Invalid(FieldErrors) = "invalid_input",
        /// There is no such thing, or it is not the caller's.
        #[error("{0:?} not found")]
        NotFound(Entity) by Error::NotFound(what) => what,
        /// Something else already has this unique value.
        #[error("conflict: {0:?}")]
        Conflict(Conflict) by Error::Conflict(what) => what,
        /// The input is well-formed, but a rule of business says no.
        #[error("refused: {0}")]
        Refused(Refusal) by Error::Refused(refusal) => refusal,
        /// The caller did not prove an identity.
        #[error("unauthenticated: {0:?}")]
        Unauthenticated(Credential) by Error::Unauthenticated(credential) => credential,
        /// The caller is known, and may not do this.
        #[error("forbidden")]
        Forbidden = "forbidden",
        /// The account exists and its password is right, but staff suspended it.
        #[error("the account is suspended")]
        Suspended = "account_suspended",
        /// The same was tried too often of late, e.g. a password that is wrong; nothing was done.
        #[error("too many attempts, try again in {retry_after:?}")]
        TooManyAttempts {
            /// How many there may be.
            max: usize,
            /// How long to wait before the next one.
            retry_after: Duration,
        } = "rate_limited",
        /// Too much is queued already; the same call may succeed a little later.
        #[error("busy, try again in {retry_after:?}")]
        Busy {
            /// How long to wait before the next try.
            retry_after: Duration,
        } = "busy",
        /// A third party failed; the shop's own state is as it was.
        #[error("provider {name} failed")]
        Provider {
            /// Which one, e.g. `provider1`.
            name: &'static str,
            /// What it said. Never holds a secret.
            #[source]
            source: Source,
        } = "provider_failure",
        /// The shop cannot be opened as it is set up. Only opening one fails so.
        #[error("{what}")]
        Unusable {
            /// What is wrong, and what to do about it. Never holds a secret.
            what: String,
            /// What it was found by.
            #[source]
            source: Source,
        } = "internal_error",
        /// A defect or a broken machine. The source is for the log, never for the client.
        #[error("internal error")]
        Internal(#[source] Source) = "internal_error",
    }

    /// What was looked for and is not there.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum Entity {
        /// A user account.
        Account = "account_not_found",
        /// A session of an account that runs the shop.
        Session = "session_not_found",
        /// An address of the caller's address book.
        Address = "address_not_found",
        /// A category.
        Category = "category_not_found",
        /// A product, or an inactive one where only active ones count.
        Product = "product_not_found",
        /// A variant of a product.
        Variant = "variant_not_found",
        /// A kind of variation.
        VariantType = "variant_type_not_found",
        /// An option of a kind of variation.
        VariantOption = "variant_option_not_found",
        /// A review of a product.
        Review = "review_not_found",
        /// A line of the cart.
        CartItem = "cart_item_not_found",
        /// A product on the caller's wishlist.
        WishlistItem = "wishlist_item_not_found",
        /// An order.
        Order = "order_not_found",
        /// A return, or one of another customer.
        Return = "return_not_found",
        /// A payment.
        Payment = "payment_not_found",
        /// An in-app notification.
        Notification = "notification_not_found",
        /// A stored picture or file.
        Media = "media_not_found",
        /// An API key.
        ApiKey = "api_key_not_found",
        /// A receiver of webhooks.
        Webhook = "webhook_not_found",
        /// An attempt to deliver a webhook.
        WebhookDelivery = "webhook_delivery_not_found",
        /// An event, or one that is not kept any more.
        Event = "event_not_found",
        /// A coupon.
        Coupon = "coupon_not_found",
        /// A static shipping tariff.
        Tariff = "tariff_not_found",
        /// An electronic invoice, or one that is in the state that is asked for.
        Invoice = "invoice_not_found",
    }

    /// What stands in the way: a unique value that is taken, or a state that does not allow it.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum Conflict {
        /// Another account has this e-mail.
        Email = "email_taken",
        /// The account has another key of the program around the shop, or another account has the key.
        ExternalId = "external_id_taken",
        /// Another product, category or variant type has this slug.
        Slug = "slug_taken",
        /// Another product or variant has this SKU.
        Sku = "sku_taken",
        /// Another variant of the product has the same options.
        VariantOptions = "variant_exists",
        /// The kind of variation has this option already.
        VariantOption = "option_exists",
        /// Other things need it, so it cannot be deleted.
        InUse {
            /// The first ten of them, as people call them.
            names: Vec<String>,
        } = "in_use",
        /// This address has the newsletter already.
        Subscription = "already_subscribed",
        /// An account that runs the shop is not erased by itself.
        AdminAccount = "admin_account",
        /// An account is not erased while an order of its is unpaid or under way.
        OpenOrders = "open_orders",
        /// Another coupon has this code, in whatever case.
        CouponCode = "coupon_code_taken",
        /// The wishlist has this product already.
        WishlistItem = "already_on_wishlist",
        /// The customer has a review of this product that waits or is shown.
        Review = "already_reviewed",
        /// It is not known yet what became of another payment of the order.
        PaymentInProcess = "payment_in_process",
        /// The units are part of another return, or the order has none left.
        UnitsReturned = "units_returned",
        /// The state of a return does not allow the act.
        ReturnState = "return_state",
        /// A withdrawal in its term is a right that staff cannot refuse.
        WithdrawalStands = "withdrawal_stands",
        /// Nothing is sent to a receiver of webhooks that is switched off.
        InactiveWebhook = "webhook_inactive",
        /// An admin cannot suspend the own account.
        OwnAccount = "own_account",
        /// The last active admin stays.
        LastAdmin = "last_admin",
        /// The account has two-factor log-ins already.
        TwoFactorEnabled = "two_factor_enabled",
        /// The account has no two-factor log-ins.
        TwoFactorNotEnabled = "two_factor_not_enabled",
        /// No enrolment of a second factor was begun that could be confirmed.
        TwoFactorNotBegun = "two_factor_not_begun",
        /// An invoice is not cancelled once the goods have left.
        GoodsLeft = "goods_left",
        /// The number of an authorised invoice is not made invalid.
        InvoiceAuthorized = "invoice_authorized",
        /// The number of a cancelled invoice is used for good and is not made invalid.
        InvoiceCancelled = "invoice_cancelled",
        /// The invoice of a sale is not cancelled while an invoice says that goods of it came back.
        InvoiceReturned = "invoice_returned",
        /// The address of an order stays once an invoice says it or the order was delivered.
        AddressFixed = "address_fixed",
        /// An invoice is not corrected more than 720 hours after its authorisation.
        CorrectionTooLate = "correction_too_late",
        /// An invoice has as many correction letters as it may have, 20.
        CorrectionsUsedUp = "corrections_used_up",
        /// The thing was changed since the caller saw it ([`crate::revision`]).
        Changed = "changed_meanwhile",
    }

    /// What did not prove who the caller is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum Credential {
        /// No session, or one that has ended.
        Session = "unauthenticated",
        /// E-mail and password do not belong together.
        Login = "invalid_credentials",
        /// E-mail and password are right, and the account's log-ins need a code besides.
        TwoFactor = "two_factor_required",
        /// The code of the second factor is wrong, or was used already.
        TwoFactorCode = "invalid_two_factor_code",
        /// The current password that confirms a change is wrong.
        CurrentPassword = "wrong_password",
        /// No API key, a revoked one, or one without the scope.
        ApiKey = "invalid_api_key",
        /// A provider's signature that does not hold.
        Signature = "invalid_signature",
    }

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
        /// The product is sold in variants only, and none was chosen.
        #[error("product {name} is sold in variants only")]
        VariantRequired {
            /// The product's name, as shoppers know it.
            name: String,
        } = "variant_required",
        /// The product is not on sale.
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
        /// The customer has too many orders that await payment (`orders.max_open_unpaid`).
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
        /// The order's total is more than a payment can carry.
        #[error("the amount {0} is out of range")]
        AmountOutOfRange(Money) = "amount_out_of_range",
        /// The order is paid already.
        #[error("the order is already paid")]
        AlreadyPaid = "already_paid",
        /// Only a paid order has an invoice, and not one that was cancelled or refunded.
        #[error("the order is not paid")]
        OrderNotPaid = "order_not_paid",
        /// The tax office does not accept an invoice, an event or a request as it is.
        #[error("the tax office refuses: {code} {text}")]
        NfeRejected {
            /// Its code.
            code: u16,
            /// Its words.
            text: String,
        } = "nfe_rejected",
        /// The tax office denies the use of an invoice for good.
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
        /// All units of the order are on invoices of returns already.
        #[error("all units came back already")]
        NothingToReturn = "nothing_to_return",
        /// The order was cancelled or refunded, so nothing can be paid any more.
        #[error("the order cannot be paid any more")]
        OrderClosed = "order_closed",
        /// Goods of an order are returned that is paid or was sent, and was neither cancelled nor
        /// refunded.
        #[error("nothing of the order can be returned")]
        OrderNotReturnable = "order_not_returnable",
        /// The term in which goods could be returned is over.
        #[error("the term to return goods ended with {last_day}")]
        ReturnTooLate {
            /// Its last day, in `America/Sao_Paulo`.
            last_day: chrono::NaiveDate,
        } = "return_too_late",
        /// The same idempotency key came with another request.
        #[error("the idempotency key was used for another request")]
        IdempotencyKeyReused = "idempotency_key_reused",
        /// A link to reset a password that is unknown, used or too old.
        #[error("the link to reset the password does not hold")]
        ResetLink = "invalid_reset_token",
        /// The shop demands two-factor log-ins of staff, and the account has none yet
        /// (`staff.require_two_factor`).
        #[error("the shop demands two-factor log-ins of staff")]
        TwoFactorRequired = "two_factor_required_by_shop",
        /// A link to leave the newsletter that the shop has not signed.
        #[error("the link to unsubscribe does not hold")]
        UnsubscribeLink = "invalid_unsubscribe_token",
    }

    /// Why a coupon does not hold.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum CouponRefusal {
        /// Deactivated by staff.
        Inactive = "coupon_inactive",
        /// Past its date.
        Expired = "coupon_expired",
        /// Used as often as it may be.
        UsedUp = "coupon_used_up",
        /// The subtotal is below its minimum.
        BelowMinimum = "coupon_below_minimum",
    }

    /// Why a card is rejected.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum CardRejection {
        /// The number is wrong.
        Number = "card_bad_number",
        /// The expiry date is wrong.
        ExpiryDate = "card_bad_expiry_date",
        /// The security code is wrong.
        SecurityCode = "card_bad_security_code",
        /// Something else about the card is wrong.
        CardData = "card_bad_data",
        /// Its owner must allow the payment with the bank first.
        CallForAuthorize = "card_call_for_authorize",
        /// It must be activated with the bank first.
        Disabled = "card_disabled",
        /// There is not enough money or credit.
        InsufficientAmount = "card_insufficient_amount",
        /// It cannot pay in so many parts.
        Installments = "card_invalid_installments",
        /// The same amount was paid just now.
        Duplicated = "card_duplicated_payment",
        /// It was tried too often.
        MaxAttempts = "card_max_attempts",
        /// The provider's fraud check says no.
        HighRisk = "card_high_risk",
        /// It is on a list of cards that are not taken.
        Blacklisted = "card_blacklisted",
        /// The bank wants an authentication that was not made.
        AuthenticationRequired = "card_authentication_required",
        /// The card cannot be charged.
        CardError = "card_error",
        /// Any other reason.
        Other = "card_rejected",
    }
}
