//! What can go wrong, by what a caller can do about it.
//!
//! One enum for the whole library. It knows nothing of HTTP: the server maps it to a status and a
//! Portuguese text in one place, and a program that embeds the library matches on it, or goes by
//! [`Error::code`]. A version may
//! bring new variants; a test of the server holds that it has a reply for each.

mod card_rejection;
mod code;

use std::sync::Arc;
use std::time::Duration;

pub use self::card_rejection::CardRejection;
pub use crate::field_errors::FieldErrors;
use crate::money::{Money, ParseMoneyError};
use crate::value::{InvalidValue, UnknownWord};

/// The result of everything in this library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The source of an [`Error::Internal`] or [`Error::Provider`]; shared, because one failed commit
/// answers every job of its group.
pub type Source = Arc<dyn std::error::Error + Send + Sync>;

/// Why an operation of the shop did not happen. Nothing was changed unless a method says otherwise.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input breaks a rule; every wrong field is named at once.
    #[error("invalid input: {0}")]
    Invalid(FieldErrors),
    /// There is no such thing, or it is not the caller's.
    #[error("{0:?} not found")]
    NotFound(Entity),
    /// Something else already has this unique value.
    #[error("conflict: {0:?}")]
    Conflict(Conflict),
    /// The input is well-formed, but a rule of business says no.
    #[error("refused: {0}")]
    Refused(Refusal),
    /// The caller did not prove an identity.
    #[error("unauthenticated: {0:?}")]
    Unauthenticated(Credential),
    /// The caller is known, and may not do this.
    #[error("forbidden")]
    Forbidden,
    /// The account exists and its password is right, but staff suspended it.
    #[error("the account is suspended")]
    Suspended,
    /// The same was tried too often of late, e.g. a password that is wrong; nothing was done.
    #[error("too many attempts, try again in {retry_after:?}")]
    TooManyAttempts {
        /// How many there may be.
        max: usize,
        /// How long to wait before the next one.
        retry_after: Duration,
    },
    /// Too much is queued already; the same call may succeed a little later.
    #[error("busy, try again in {retry_after:?}")]
    Busy {
        /// How long to wait before the next try.
        retry_after: Duration,
    },
    /// A third party failed; the shop's own state is as it was.
    #[error("provider {name} failed")]
    Provider {
        /// Which one, e.g. `provider1`.
        name: &'static str,
        /// What it said. Never holds a secret.
        #[source]
        source: Source,
    },
    /// The shop cannot be opened as it is set up. Only opening one fails so.
    #[error("{what}")]
    Unusable {
        /// What is wrong, and what to do about it. Never holds a secret.
        what: String,
        /// What it was found by.
        #[source]
        source: Source,
    },
    /// A defect or a broken machine. The source is for the log, never for the client.
    #[error("internal error")]
    Internal(#[source] Source),
}

impl Error {
    /// An [`Error::Internal`] that only has a text.
    pub fn internal(message: impl Into<String>) -> Self {
        #[derive(Debug, thiserror::Error)]
        #[error("{0}")]
        struct Message(String);
        Self::Internal(Arc::new(Message(message.into())))
    }

    /// Wraps a foreign error as [`Error::Internal`].
    pub fn from_source(source: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::Internal(Arc::new(source))
    }

    /// An [`Error::Invalid`] that names one field.
    pub fn field(field: impl Into<String>, wrong: impl Into<InvalidValue>) -> Self {
        let mut fields = FieldErrors::default();
        fields.add(field, wrong);
        Self::Invalid(fields)
    }

    /// The same, about fields that are called otherwise in a larger input; other errors stay as they
    /// are.
    pub(crate) fn rename_fields(self, rename: impl Fn(&str) -> String) -> Self {
        let Self::Invalid(FieldErrors { field_errors, form_errors }) = self else { return self };
        let renamed = field_errors.into_iter().map(|(field, wrong)| (rename(&field), wrong));
        Self::Invalid(FieldErrors { field_errors: renamed.collect(), form_errors })
    }
}

impl FieldErrors {
    /// `Ok` when nothing is wrong, else all of it as one [`Error::Invalid`].
    pub fn into_result(self) -> Result<()> {
        if self.is_empty() { Ok(()) } else { Err(Error::Invalid(self)) }
    }
}

/// A value that is wrong on its own, in an [`Error::Invalid`] that names no field: `?` on what is
/// parsed, in a function that answers with [`Result`].
impl From<InvalidValue> for Error {
    fn from(wrong: InvalidValue) -> Self {
        let mut fields = FieldErrors::default();
        fields.add_form(wrong);
        Self::Invalid(fields)
    }
}

impl From<UnknownWord> for Error {
    fn from(wrong: UnknownWord) -> Self {
        InvalidValue::Unreadable { why: wrong.to_string() }.into()
    }
}

/// A text that is no instant.
impl From<chrono::ParseError> for Error {
    fn from(_: chrono::ParseError) -> Self {
        InvalidValue::Date.into()
    }
}

impl From<ParseMoneyError> for Error {
    fn from(wrong: ParseMoneyError) -> Self {
        InvalidValue::from(wrong).into()
    }
}

/// What was looked for and is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Entity {
    /// A user account.
    Account,
    /// A session of an account that runs the shop.
    Session,
    /// An address of the caller's address book.
    Address,
    /// A category.
    Category,
    /// A product, or an inactive one where only active ones count.
    Product,
    /// A variant of a product.
    Variant,
    /// A kind of variation.
    VariantType,
    /// An option of a kind of variation.
    VariantOption,
    /// A review of a product.
    Review,
    /// A line of the cart.
    CartItem,
    /// A product on the caller's wishlist.
    WishlistItem,
    /// An order.
    Order,
    /// A payment.
    Payment,
    /// An in-app notification.
    Notification,
    /// A stored picture or file.
    Media,
    /// An API key.
    ApiKey,
    /// A receiver of webhooks.
    Webhook,
    /// An attempt to deliver a webhook.
    WebhookDelivery,
    /// An event, or one that is not kept any more.
    Event,
    /// A coupon.
    Coupon,
    /// A static shipping tariff.
    Tariff,
    /// An electronic invoice, or one that is in the state that is asked for.
    Invoice,
}

/// What stands in the way: a unique value that is taken, or a state that does not allow it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Conflict {
    /// Another account has this e-mail.
    Email,
    /// The account has another key of the program around the shop, or the key is another account's.
    ExternalId,
    /// Another product, category or variant type has this slug.
    Slug,
    /// Another product or variant has this SKU.
    Sku,
    /// Another variant of the product has the same options.
    VariantOptions,
    /// The kind of variation has this option already.
    VariantOption,
    /// Other things need it, so it cannot be deleted.
    InUse {
        /// The first ten of them, as people call them.
        names: Vec<String>,
    },
    /// This address has the newsletter already.
    Subscription,
    /// An account that runs the shop is not erased by itself.
    AdminAccount,
    /// An account is not erased while an order of its is unpaid or under way.
    OpenOrders,
    /// Another coupon has this code, in whatever case.
    CouponCode,
    /// The wishlist has this product already.
    WishlistItem,
    /// The customer has a review of this product that waits or is shown.
    Review,
    /// It is not known yet what became of another payment of the order.
    PaymentInProcess,
    /// Nothing is sent to a receiver of webhooks that is switched off.
    InactiveWebhook,
    /// An admin cannot suspend the own account.
    OwnAccount,
    /// The last active admin stays.
    LastAdmin,
    /// The account has two-factor log-ins already.
    TwoFactorEnabled,
    /// The account has no two-factor log-ins.
    TwoFactorNotEnabled,
    /// No enrolment of a second factor was begun that could be confirmed.
    TwoFactorNotBegun,
    /// An invoice is not cancelled once the goods have left.
    GoodsLeft,
    /// The number of an authorised invoice is not made invalid.
    InvoiceAuthorized,
    /// The number of a cancelled invoice is used for good and is not made invalid.
    InvoiceCancelled,
    /// The address of an order stays once an invoice says it or the order was delivered.
    AddressFixed,
    /// An invoice is not corrected more than 720 hours after its authorisation.
    CorrectionTooLate,
    /// An invoice has as many letters of correction as it may have, 20.
    CorrectionsUsedUp,
    /// The thing was changed since the caller saw it ([`crate::revision`]).
    Changed,
}

impl Conflict {
    /// Refuses what does not fit.
    ///
    /// # Errors
    /// [`Error::Conflict`].
    pub(crate) fn unless(self, fits: bool) -> Result<()> {
        if fits { Ok(()) } else { Err(Error::Conflict(self)) }
    }
}

/// What did not prove who the caller is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Credential {
    /// No session, or one that has ended.
    Session,
    /// E-mail and password do not belong together.
    Login,
    /// E-mail and password are right, and the account's log-ins need a code besides.
    TwoFactor,
    /// The code of the second factor is wrong, or was used already.
    TwoFactorCode,
    /// The current password that confirms a change is wrong.
    CurrentPassword,
    /// No API key, a revoked one, or one without the scope.
    ApiKey,
    /// A provider's signature that does not hold.
    Signature,
}

/// A rule of business that says no to a well-formed request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// Neither lines in the request nor in the saved cart.
    #[error("the cart is empty")]
    EmptyCart,
    /// Fewer units are left than asked for.
    #[error("insufficient stock of {name}: {available} left")]
    InsufficientStock {
        /// The product's name, as shoppers know it.
        name: String,
        /// Units that could be had.
        available: i64,
    },
    /// The product is sold in variants only, and none was chosen.
    #[error("product {name} is sold in variants only")]
    VariantRequired {
        /// The product's name, as shoppers know it.
        name: String,
    },
    /// The product is not on sale.
    #[error("product {name} is not active")]
    InactiveProduct {
        /// The product's name, or its id where there is no such product.
        name: String,
    },
    /// More units than one order may have (`orders.max_units_per_order`).
    #[error("an order has at most {max} units")]
    TooManyUnits {
        /// How many it may have.
        max: u32,
    },
    /// The customer has too many orders that await payment (`orders.max_open_unpaid`).
    #[error("{max} orders of the customer await payment")]
    TooManyUnpaidOrders {
        /// How many may.
        max: u32,
    },
    /// The customer placed too many orders within an hour (`orders.max_per_hour`).
    #[error("too many orders, try again in {retry_after:?}")]
    TooManyOrders {
        /// How long until the next one is taken.
        retry_after: Duration,
    },
    /// The coupon does not hold now.
    #[error("coupon: {0:?}")]
    Coupon(CouponRefusal),
    /// There is positively no such postal code.
    #[error("unknown postal code")]
    UnknownCep,
    /// No shipping option of the current quote has this id.
    #[error("unknown shipping option")]
    UnknownShippingOption,
    /// The order's total is more than a payment can carry.
    #[error("the amount {0} is out of range")]
    AmountOutOfRange(Money),
    /// The order is paid already.
    #[error("the order is already paid")]
    AlreadyPaid,
    /// Only a paid order has an invoice, and not one that was cancelled or refunded.
    #[error("the order is not paid")]
    OrderNotPaid,
    /// The tax office does not accept an invoice, an event or a request as it is.
    #[error("the tax office refuses: {code} {text}")]
    NfeRejected {
        /// Its code.
        code: u16,
        /// Its words.
        text: String,
    },
    /// The tax office denies the use of an invoice for good.
    #[error("the tax office denies: {code} {text}")]
    NfeDenied {
        /// Its code.
        code: u16,
        /// Its words.
        text: String,
    },
    /// The card's token is unknown, used or too old.
    #[error("the card token does not hold")]
    InvalidCardToken,
    /// The card's issuer, or the provider, says no.
    #[error("the card was rejected: {reason:?}")]
    CardRejected {
        /// Why.
        reason: CardRejection,
        /// Whether this repeats the answer to the same request, for which the provider was not
        /// called again.
        repeated: bool,
    },
    /// No payment of the order has money that could be given back.
    #[error("there is nothing to refund")]
    NothingToRefund,
    /// More is to be given back than is left.
    #[error("no more than {left} can be refunded")]
    RefundTooLarge {
        /// What is left.
        left: Money,
    },
    /// The provider says no to a refund.
    #[error("the provider declined the refund")]
    RefundDeclined,
    /// The order was cancelled or refunded, so nothing can be paid any more.
    #[error("the order cannot be paid any more")]
    OrderClosed,
    /// The same idempotency key came with another request.
    #[error("the idempotency key was used for another request")]
    IdempotencyKeyReused,
    /// A link to reset a password that is unknown, used or too old.
    #[error("the link to reset the password does not hold")]
    ResetLink,
    /// The shop demands two-factor log-ins of staff, and the account has none yet
    /// (`staff.require_two_factor`).
    #[error("the shop demands two-factor log-ins of staff")]
    TwoFactorRequired,
    /// A link to leave the newsletter that the shop has not signed.
    #[error("the link to unsubscribe does not hold")]
    UnsubscribeLink,
}

/// Why a coupon does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CouponRefusal {
    /// Deactivated by staff.
    Inactive,
    /// Past its date.
    Expired,
    /// Used as often as it may be.
    UsedUp,
    /// The subtotal is below its minimum.
    BelowMinimum,
}
