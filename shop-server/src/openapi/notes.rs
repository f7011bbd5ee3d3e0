//! What the types of a row's inputs and outputs do not tell: a word more than its summary, what the
//! library may say no with, and what an answer that is no JSON is. The tests over HTTP hold every
//! answer that they get against the document, so that what is missing here is found.

use super::components::Header;
use crate::reply::Code;

/// What a person has to say about an operation.
#[derive(Debug, Default)]
pub(super) struct Note {
    pub(super) about: &'static str,
    pub(super) fails: &'static [Code],
    pub(super) headers: &'static [Header],
    /// What a file is.
    pub(super) media: &'static [&'static str],
    /// The security scheme of those who sign instead of logging in.
    pub(super) signature: Option<&'static str>,
}

impl Note {
    const fn fails(fails: &'static [Code]) -> Self {
        Self { about: "", fails, headers: &[], media: &[], signature: None }
    }

    const fn says(self, about: &'static str) -> Self {
        Self { about, ..self }
    }

    const fn with(self, headers: &'static [Header]) -> Self {
        Self { headers, ..self }
    }

    const fn media(self, media: &'static [&'static str]) -> Self {
        Self { media, ..self }
    }

    const fn signed(self, scheme: &'static str) -> Self {
        Self { signature: Some(scheme), ..self }
    }
}

const NONE: Note = Note::fails(&[]);
const COOKIE: &[Header] = &[Header::SetCookie];
const FILE: &[Header] = &[Header::ContentDisposition];

/// What there is to say about the operation of this name.
pub(super) fn of(operation: &str) -> Note {
    account(operation)
        .or_else(|| catalogue(operation))
        .or_else(|| buying(operation))
        .or_else(|| desk(operation))
        .or_else(|| products(operation))
        .or_else(|| invoices(operation))
        .or_else(|| integration(operation))
        .unwrap_or_default()
}

fn account(operation: &str) -> Option<Note> {
    use Code::{
        AccountSuspended, AdminAccount, EmailTaken, InvalidCredentials, InvalidResetToken,
        OpenOrders, RateLimited, WrongPassword,
    };
    Some(match operation {
        "register" => Note::fails(&[EmailTaken]).with(COOKIE),
        "login" => Note::fails(&[InvalidCredentials, AccountSuspended]).with(COOKIE).says(
            "Browsers keep the cookie; programs take `token` and send it as a bearer token. It \
             holds for seven days, or until the password changes.",
        ),
        "logout" => NONE.with(COOKIE).says(
            "Forgets the cookie. A token that a program kept holds until it expires or the \
             password changes.",
        ),
        "updateProfile" => Note::fails(&[EmailTaken, WrongPassword, RateLimited]),
        "eraseAccount" => {
            Note::fails(&[WrongPassword, RateLimited, AdminAccount, OpenOrders]).with(COOKIE).says(
                "For good, as the LGPD wants it: what the law makes the shop keep (orders, \
                 invoices) stays without the person.",
            )
        }
        "changePassword" | "adminChangePassword" => {
            Note::fails(&[WrongPassword, RateLimited]).with(COOKIE)
        }
        "forgotPassword" => NONE.says("Answers the same whether or not there is such an account."),
        "resetPassword" => Note::fails(&[InvalidResetToken]),
        "exportData" => NONE.with(FILE).says("What the LGPD calls portability of data."),
        "updateAddress" | "deleteAddress" => Note::fails(&[Code::AddressNotFound]),
        "updateNotification" => Note::fails(&[Code::NotificationNotFound]),
        "addWishlistItem" => Note::fails(&[Code::ProductNotFound, Code::AlreadyOnWishlist]),
        "deleteWishlistItem" => Note::fails(&[Code::WishlistItemNotFound]),
        "subscribeNewsletter" => Note::fails(&[Code::AlreadySubscribed]),
        "unsubscribePage" | "unsubscribeByLink" | "followUnsubscribeLink" => {
            Note::fails(&[Code::InvalidUnsubscribeToken]).media(&["text/html; charset=utf-8"])
        }
        _ => return None,
    })
}

fn catalogue(operation: &str) -> Option<Note> {
    Some(match operation {
        "getProduct" | "listReviews" => Note::fails(&[Code::ProductNotFound]),
        "createReview" => Note::fails(&[Code::ProductNotFound, Code::AlreadyReviewed]),
        "searchProducts" => NONE.says(
            "Every word must occur, by its beginning, in name or description, whatever its case \
             and accents; words that begin none of the catalogue's are taken for the nearest. In \
             `highlight` only `<mark>` is markup.",
        ),
        "getPicture" => Note::fails(&[Code::MediaNotFound]).with(&[Header::CacheControl]).media(&[
            "image/jpeg",
            "image/png",
            "image/webp",
            "image/gif",
            "image/svg+xml",
        ]),
        "calculateShipping" => Note::fails(&[Code::CepNotFound, Code::RateLimited]).says(
            "Carriers are asked where they are configured, else the shop's own tariffs. Free from \
             a subtotal of 150.00.",
        ),
        "validateCoupon" => NONE.says(
            "Answers 200 whether or not it holds; `valid` says which. Nothing is kept: the order \
             counts its use.",
        ),
        "metrics" => NONE.media(&["application/openmetrics-text; version=1.0.0; charset=utf-8"]),
        _ => return None,
    })
}

fn buying(operation: &str) -> Option<Note> {
    use Code::{
        AddressNotFound, AlreadyPaid, AmountOutOfRange, CartItemNotFound, CepNotFound,
        CouponBelowMinimum, CouponExpired, CouponInactive, CouponUnknown, CouponUsedUp, EmptyCart,
        InsufficientStock, InvalidSignature, OrderClosed, OrderNotFound, PaymentInProcess,
        PaymentNotFound, ProductInactive, ProductNotFound, ProviderFailure, UnknownShippingOption,
        VariantNotFound,
    };
    Some(match operation {
        "addCartItem" => {
            Note::fails(&[ProductNotFound, VariantNotFound, ProductInactive, InsufficientStock])
                .with(COOKIE)
        }
        "updateCartItem" => {
            Note::fails(&[CartItemNotFound, ProductInactive, InsufficientStock]).with(COOKIE)
        }
        "deleteCartItem" => Note::fails(&[CartItemNotFound]).with(COOKIE),
        "placeOrder" => Note::fails(&[
            AddressNotFound,
            EmptyCart,
            InsufficientStock,
            ProductInactive,
            ProductNotFound,
            VariantNotFound,
            UnknownShippingOption,
            CepNotFound,
            AmountOutOfRange,
            CouponUnknown,
            CouponInactive,
            CouponExpired,
            CouponUsedUp,
            CouponBelowMinimum,
            Code::TooManyUnits,
            Code::TooManyUnpaidOrders,
            Code::TooManyOrders,
            Code::RateLimited,
        ])
        .says(
            "Prices are the shop's own, the stock is taken in the same transaction, and the saved \
             cart is emptied with it. Send an `Idempotency-Key`, so that a repeat after a lost \
             answer is no second order.",
        ),
        "getOrder" => Note::fails(&[OrderNotFound]),
        "createPix" | "createPaymentIntent" => Note::fails(&[
            OrderNotFound,
            AlreadyPaid,
            OrderClosed,
            AmountOutOfRange,
            PaymentInProcess,
            ProviderFailure,
        ]),
        "payByCard" => Note::fails(&[
            OrderNotFound,
            AlreadyPaid,
            OrderClosed,
            AmountOutOfRange,
            PaymentInProcess,
            ProviderFailure,
            Code::RateLimited,
            Code::InvalidCardToken,
            Code::CardBadNumber,
            Code::CardBadExpiryDate,
            Code::CardBadCvv,
            Code::CardBadData,
            Code::CardCallForAuthorize,
            Code::CardDisabled,
            Code::CardInsufficientAmount,
            Code::CardInvalidInstallments,
            Code::CardDuplicatedPayment,
            Code::CardMaxAttempts,
            Code::CardAuthenticationRequired,
            Code::CardHighRisk,
            Code::CardBlacklisted,
            Code::CardError,
            Code::CardRejected,
        ])
        .says(
            "The card's number never comes here. Once too many cards of an account, or of an \
             address, were refused within an hour, further ones have to wait.",
        ),
        "provider1Webhook" => Note::fails(&[InvalidSignature, ProviderFailure, PaymentNotFound])
            .signed("provider1Signature")
            .says("The payment is read from the provider again: the body counts for nothing."),
        "provider2Webhook" => Note::fails(&[InvalidSignature, ProviderFailure, PaymentNotFound])
            .signed("provider2Signature")
            .says("A signature older than five minutes does not hold."),
        _ => return None,
    })
}

fn desk(operation: &str) -> Option<Note> {
    use Code::{
        AccountNotFound, CouponCodeTaken, CouponNotFound, NothingToRefund, OrderNotFound,
        OwnAccount, PaymentInProcess, ProviderFailure, RefundDeclined, RefundTooLarge,
        ReviewNotFound, TariffNotFound,
    };
    Some(match operation {
        "adminCreateCoupon" => Note::fails(&[CouponCodeTaken]),
        "adminGetCoupon" | "adminDeleteCoupon" => Note::fails(&[CouponNotFound]),
        "adminUpdateCoupon" => Note::fails(&[CouponNotFound, CouponCodeTaken]),
        "adminGetCustomer" => Note::fails(&[AccountNotFound]),
        "adminSetCustomerStatus" => Note::fails(&[AccountNotFound, OwnAccount]),
        "adminExportCustomers" | "exportOrders" => {
            NONE.media(&["text/csv; charset=utf-8"]).says("Comes while it is made, however long.")
        }
        "getOrderForAdmin" | "addOrderNote" | "listRefunds" => Note::fails(&[OrderNotFound]),
        "updateOrder" | "v1UpdateOrder" => Note::fails(&[OrderNotFound, Code::InsufficientStock])
            .says(
                "From any status to any other. An order that is cancelled or refunded gives its \
                 stock back; one that comes back from there takes it again, if it can.",
            ),
        "recordPayment" => Note::fails(&[OrderNotFound, Code::AlreadyPaid, Code::OrderClosed])
            .says(
                "The order is paid by it, as by a provider's confirmation. An amount that is not \
                 the order's total is kept for review. A refund of it is booked at once: staff \
                 give that money back.",
            ),
        "refundOrder" => Note::fails(&[
            OrderNotFound,
            NothingToRefund,
            RefundTooLarge,
            RefundDeclined,
            Code::PaymentNotFound,
            PaymentInProcess,
            ProviderFailure,
        ]),
        "adminGetReview" | "adminDeleteReview" => Note::fails(&[ReviewNotFound]),
        "adminModerateReview" => Note::fails(&[ReviewNotFound, Code::AlreadyReviewed]),
        "adminGetTariff" | "adminUpdateTariff" | "adminDeleteTariff" => {
            Note::fails(&[TariffNotFound])
        }
        "revokeApiKey" => Note::fails(&[Code::ApiKeyNotFound]),
        "getWebhook" | "updateWebhook" | "deleteWebhook" | "listDeliveries" => {
            Note::fails(&[Code::WebhookNotFound])
        }
        "testWebhook" | "recoverWebhook" => {
            Note::fails(&[Code::WebhookNotFound, Code::WebhookInactive])
        }
        "redeliver" => Note::fails(&[
            Code::WebhookNotFound,
            Code::WebhookDeliveryNotFound,
            Code::WebhookInactive,
            Code::EventNotFound,
        ]),
        _ => return None,
    })
}

fn products(operation: &str) -> Option<Note> {
    use Code::{
        CategoryNotFound, InUse, OptionExists, ProductNotFound, SkuTaken, SlugTaken, VariantExists,
        VariantNotFound, VariantOptionNotFound, VariantTypeNotFound,
    };
    Some(match operation {
        "createProduct" | "createProductByKey" | "v1CreateProduct" => {
            Note::fails(&[SlugTaken, SkuTaken])
        }
        "updateProduct" | "v1UpdateProduct" => Note::fails(&[ProductNotFound, SlugTaken, SkuTaken]),
        "getProductForAdmin" | "deleteProduct" | "cloneProduct" | "listVariants"
        | "v1GetProduct" | "v1DeleteProduct" | "v1SetStock" => Note::fails(&[ProductNotFound]),
        "adminGetStock" | "adminSetStock" | "updateStock" => {
            Note::fails(&[ProductNotFound, VariantNotFound, Code::InsufficientStock])
        }
        "createVariant" => Note::fails(&[ProductNotFound, VariantExists, SkuTaken]),
        "updateVariant" => {
            Note::fails(&[ProductNotFound, VariantNotFound, VariantExists, SkuTaken])
        }
        "deleteVariant" => Note::fails(&[ProductNotFound, VariantNotFound]),
        "createCategory" | "createVariantType" => Note::fails(&[SlugTaken]),
        "updateCategory" => Note::fails(&[CategoryNotFound, SlugTaken]),
        "deleteCategory" => Note::fails(&[CategoryNotFound, InUse]),
        "updateVariantType" => Note::fails(&[VariantTypeNotFound, SlugTaken]),
        "deleteVariantType" => Note::fails(&[VariantTypeNotFound, InUse]),
        "listVariantOptions" => Note::fails(&[VariantTypeNotFound]),
        "createVariantOption" => Note::fails(&[VariantTypeNotFound, OptionExists]),
        "updateVariantOption" => {
            Note::fails(&[VariantTypeNotFound, VariantOptionNotFound, OptionExists])
        }
        "deleteVariantOption" => Note::fails(&[VariantTypeNotFound, VariantOptionNotFound, InUse]),
        _ => return None,
    })
}

fn invoices(operation: &str) -> Option<Note> {
    use Code::{
        GoodsLeft, InvoiceAuthorized, InvoiceCancelled, InvoiceNotFound, NfeDenied, NfeRejected,
        OrderNotFound, OrderNotPaid, ProductNotFound, ProviderFailure,
    };
    Some(match operation {
        "emitInvoice" => {
            Note::fails(&[OrderNotFound, OrderNotPaid, NfeRejected, NfeDenied, ProviderFailure])
        }
        "getInvoice" => Note::fails(&[OrderNotFound, InvoiceNotFound]),
        "getDanfe" => {
            Note::fails(&[OrderNotFound, InvoiceNotFound]).with(FILE).media(&["application/pdf"])
        }
        "getInvoiceXml" => Note::fails(&[OrderNotFound, InvoiceNotFound])
            .with(FILE)
            .media(&["application/xml; charset=utf-8"]),
        "exportInvoices" => NONE.with(FILE).media(&["application/zip"]),
        "cancelInvoice" => {
            Note::fails(&[OrderNotFound, InvoiceNotFound, GoodsLeft, NfeRejected, ProviderFailure])
        }
        "disableInvoiceNumber" => Note::fails(&[
            OrderNotFound,
            InvoiceNotFound,
            InvoiceAuthorized,
            InvoiceCancelled,
            NfeRejected,
            ProviderFailure,
        ]),
        "getProductFiscal" | "patchProductFiscal" => Note::fails(&[ProductNotFound]),
        _ => return None,
    })
}

fn integration(operation: &str) -> Option<Note> {
    Some(match operation {
        "v1GetOrder" => Note::fails(&[Code::OrderNotFound]),
        "v1ListEvents" => NONE.says(
            "Keep `next` and ask with it again. `gap` says that events right after yours are not \
             kept any more.",
        ),
        "docs" => NONE.media(&["text/html; charset=utf-8"]),
        "docsPart" => Note::fails(&[Code::MediaNotFound]).media(&[
            "text/css; charset=utf-8",
            "text/javascript; charset=utf-8",
            "image/svg+xml",
        ]),
        "openapi" => NONE.says("`/docs` shows it to people.").with(&[Header::CacheControl]),
        _ => return None,
    })
}
