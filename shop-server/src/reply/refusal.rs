//! What the library says no with, as entries of the catalogue.
//!
//! The enums of the library may grow; a test holds that every variant is named here.

use std::borrow::Cow;

use shop_core::Error;
use shop_core::error::{CardRejection, Conflict, CouponRefusal, Credential, Entity, Refusal};

use super::catalogue::Code;
use super::{Reply, rate_limited, retry_after, wait_text};
use crate::portuguese::FieldTexts;
use crate::rate_limit::TooMany;

pub(super) fn shop(error: Error) -> Reply {
    match error {
        Error::Invalid(fields) => Reply::of(Code::InvalidInput).details((&fields).into()),
        Error::NotFound(what) => Reply::of(not_found(what)),
        Error::Conflict(what) => {
            let reply = Reply::of(conflict(&what));
            Reply { details: users(what), ..reply }
        }
        Error::Refused(refusal) => refused(refusal),
        Error::Unauthenticated(credential) => Reply::of(unauthenticated(credential)),
        Error::Forbidden => Reply::of(Code::Forbidden),
        Error::Suspended => Reply::of(Code::AccountSuspended),
        Error::TooManyAttempts { max, retry_after } => rate_limited(TooMany { max, retry_after }),
        Error::Busy { retry_after: wait } => retry_after(Reply::of(Code::Busy), wait),
        // The specification wants 500 for a provider's failure, not 502.
        Error::Provider { .. } => Reply::of(Code::ProviderFailure),
        // `Error::Internal`, and what this server does not know yet.
        _ => Reply::of(Code::InternalError),
    }
}

fn not_found(what: Entity) -> Code {
    match what {
        Entity::Account => Code::AccountNotFound,
        Entity::Session => Code::SessionNotFound,
        Entity::Address => Code::AddressNotFound,
        Entity::Category => Code::CategoryNotFound,
        Entity::Product => Code::ProductNotFound,
        Entity::Variant => Code::VariantNotFound,
        Entity::VariantType => Code::VariantTypeNotFound,
        Entity::VariantOption => Code::VariantOptionNotFound,
        Entity::Review => Code::ReviewNotFound,
        Entity::CartItem => Code::CartItemNotFound,
        Entity::WishlistItem => Code::WishlistItemNotFound,
        Entity::Order => Code::OrderNotFound,
        Entity::Payment => Code::PaymentNotFound,
        Entity::Notification => Code::NotificationNotFound,
        Entity::Invoice => Code::InvoiceNotFound,
        Entity::Media => Code::MediaNotFound,
        Entity::ApiKey => Code::ApiKeyNotFound,
        Entity::Webhook => Code::WebhookNotFound,
        Entity::WebhookDelivery => Code::WebhookDeliveryNotFound,
        Entity::Event => Code::EventNotFound,
        Entity::Coupon => Code::CouponNotFound,
        Entity::Tariff => Code::TariffNotFound,
        _ => Code::InternalError,
    }
}

/// The names of the things that need what cannot be deleted.
fn users(what: Conflict) -> Option<FieldTexts> {
    let Conflict::InUse { names } = what else { return None };
    let form_errors = names.into_iter().map(Cow::from).collect();
    Some(FieldTexts { form_errors, ..FieldTexts::default() })
}

fn conflict(what: &Conflict) -> Code {
    match what {
        Conflict::Changed => Code::ChangedMeanwhile,
        Conflict::Email => Code::EmailTaken,
        Conflict::Slug => Code::SlugTaken,
        Conflict::Sku => Code::SkuTaken,
        Conflict::VariantOptions => Code::VariantExists,
        Conflict::VariantOption => Code::OptionExists,
        Conflict::InUse { names: _ } => Code::InUse,
        Conflict::Subscription => Code::AlreadySubscribed,
        Conflict::AdminAccount => Code::AdminAccount,
        Conflict::OpenOrders => Code::OpenOrders,
        Conflict::CouponCode => Code::CouponCodeTaken,
        Conflict::WishlistItem => Code::AlreadyOnWishlist,
        Conflict::GoodsLeft => Code::GoodsLeft,
        Conflict::InvoiceAuthorized => Code::InvoiceAuthorized,
        Conflict::InvoiceCancelled => Code::InvoiceCancelled,
        Conflict::PaymentInProcess => Code::PaymentInProcess,
        Conflict::Review => Code::AlreadyReviewed,
        Conflict::InactiveWebhook => Code::WebhookInactive,
        Conflict::OwnAccount => Code::OwnAccount,
        Conflict::LastAdmin => Code::LastAdmin,
        Conflict::TwoFactorEnabled => Code::TwoFactorEnabled,
        Conflict::TwoFactorNotEnabled => Code::TwoFactorNotEnabled,
        Conflict::TwoFactorNotBegun => Code::TwoFactorNotBegun,
        _ => Code::InternalError,
    }
}

fn unauthenticated(credential: Credential) -> Code {
    match credential {
        Credential::Session => Code::Unauthenticated,
        Credential::Login => Code::InvalidCredentials,
        Credential::TwoFactor => Code::TwoFactorRequired,
        Credential::TwoFactorCode => Code::InvalidTwoFactor,
        Credential::CurrentPassword => Code::WrongPassword,
        Credential::ApiKey => Code::InvalidApiKey,
        Credential::Signature => Code::InvalidSignature,
        _ => Code::InternalError,
    }
}

fn refused(refusal: Refusal) -> Reply {
    Reply::of(match refusal {
        Refusal::InsufficientStock { name, available } => {
            let fill = [("{name}", name), ("{available}", available.to_string())];
            return Reply::filled(Code::InsufficientStock, fill);
        }
        Refusal::InactiveProduct { name } => {
            return Reply::filled(Code::ProductInactive, [("{name}", name)]);
        }
        Refusal::TooManyUnits { max } => {
            return Reply::filled(Code::TooManyUnits, [("{max}", max.to_string())]);
        }
        Refusal::TooManyUnpaidOrders { max } => {
            return Reply::filled(Code::TooManyUnpaidOrders, [("{max}", max.to_string())]);
        }
        Refusal::TooManyOrders { retry_after: wait } => {
            return retry_after(Reply::filled(Code::TooManyOrders, [wait_text(wait)]), wait);
        }
        Refusal::NfeRejected { code, text } => return tax_office(Code::NfeRejected, code, text),
        Refusal::NfeDenied { code, text } => return tax_office(Code::NfeDenied, code, text),
        Refusal::RefundTooLarge { left } => {
            return Reply::filled(Code::RefundTooLarge, [("{left}", left.in_reais())]);
        }
        Refusal::EmptyCart => Code::EmptyCart,
        Refusal::Coupon(refusal) => coupon(refusal),
        Refusal::UnknownShippingOption => Code::UnknownShippingOption,
        Refusal::AmountOutOfRange(_) => Code::AmountOutOfRange,
        Refusal::AlreadyPaid => Code::AlreadyPaid,
        Refusal::OrderNotPaid => Code::OrderNotPaid,
        Refusal::InvalidCardToken => Code::InvalidCardToken,
        Refusal::CardRejected { reason, repeated: _ } => card_rejected(reason),
        Refusal::NothingToRefund => Code::NothingToRefund,
        Refusal::RefundDeclined => Code::RefundDeclined,
        Refusal::OrderClosed => Code::OrderClosed,
        Refusal::UnknownCep => Code::CepNotFound,
        Refusal::TwoFactorRequired => Code::TwoFactorRequiredByShop,
        Refusal::ResetLink => Code::InvalidResetToken,
        Refusal::UnsubscribeLink => Code::InvalidUnsubscribeToken,
        Refusal::IdempotencyKeyReused => Code::IdempotencyKeyReused,
        _ => Code::InternalError,
    })
}

fn tax_office(reply: Code, code: u16, text: String) -> Reply {
    Reply::filled(reply, [("{code}", code.to_string()), ("{text}", text)])
}

/// The code of each reason why a coupon does not hold.
pub(crate) fn coupon(refusal: CouponRefusal) -> Code {
    match refusal {
        CouponRefusal::NotFound => Code::CouponUnknown,
        CouponRefusal::Inactive => Code::CouponInactive,
        CouponRefusal::Expired => Code::CouponExpired,
        CouponRefusal::UsedUp => Code::CouponUsedUp,
        CouponRefusal::BelowMinimum => Code::CouponBelowMinimum,
        _ => Code::InternalError,
    }
}

/// What the customer can do about a card that was rejected.
fn card_rejected(reason: CardRejection) -> Code {
    match reason {
        CardRejection::Number => Code::CardBadNumber,
        CardRejection::ExpiryDate => Code::CardBadExpiryDate,
        CardRejection::SecurityCode => Code::CardBadCvv,
        CardRejection::CardData => Code::CardBadData,
        CardRejection::CallForAuthorize => Code::CardCallForAuthorize,
        CardRejection::Disabled => Code::CardDisabled,
        CardRejection::InsufficientAmount => Code::CardInsufficientAmount,
        CardRejection::Installments => Code::CardInvalidInstallments,
        CardRejection::Duplicated => Code::CardDuplicatedPayment,
        CardRejection::MaxAttempts => Code::CardMaxAttempts,
        CardRejection::AuthenticationRequired => Code::CardAuthenticationRequired,
        CardRejection::HighRisk => Code::CardHighRisk,
        CardRejection::Blacklisted => Code::CardBlacklisted,
        CardRejection::CardError => Code::CardError,
        // `CardRejection::Other`, and reasons that this server does not know yet.
        _ => Code::CardRejected,
    }
}
