//! What programs call each error: stable names, the same as shop-server answers with.

use super::{CardRejection, Conflict, CouponRefusal, Credential, Entity, Error, Refusal};

/// Makes the codes of each enum from one table.
macro_rules! codes {
    ($($type:ident {
        $($variant:ident = $code:literal,)+
    } $(or { $($inner:pat => $of:ident),+ })?;)+) => {
        $(impl $type {
            /// What programs call it. It stays the same in all versions, and is the `code` that
            /// shop-server answers with (docs/errors.md).
            pub fn code(&self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => $code,)+
                    $($($inner => $of.code(),)+)?
                }
            }
        })+

        impl Error {
            /// Every code there is; some errors share one.
            ///
            /// ```
            /// use shop_core::Error;
            /// use shop_core::error::{Entity, Refusal};
            ///
            /// assert_eq!(Error::NotFound(Entity::Order).code(), "order_not_found");
            /// assert_eq!(Error::Refused(Refusal::EmptyCart).code(), Refusal::EmptyCart.code());
            /// assert!(Error::CODES.contains(&"order_not_found"));
            /// ```
            pub const CODES: &'static [&'static str] = &[$($($code),+),+];
        }
    };
}

codes! {
    Error {
        Invalid = "invalid_input",
        Forbidden = "forbidden",
        Suspended = "account_suspended",
        TooManyAttempts = "rate_limited",
        Busy = "busy",
        Provider = "provider_failure",
        Unusable = "internal_error",
        Internal = "internal_error",
    } or {
        Error::NotFound(what) => what,
        Error::Conflict(what) => what,
        Error::Refused(refusal) => refusal,
        Error::Unauthenticated(credential) => credential
    };
    Entity {
        Account = "account_not_found",
        Session = "session_not_found",
        Address = "address_not_found",
        Category = "category_not_found",
        Product = "product_not_found",
        Variant = "variant_not_found",
        VariantType = "variant_type_not_found",
        VariantOption = "variant_option_not_found",
        Review = "review_not_found",
        CartItem = "cart_item_not_found",
        WishlistItem = "wishlist_item_not_found",
        Order = "order_not_found",
        Payment = "payment_not_found",
        Notification = "notification_not_found",
        Media = "media_not_found",
        ApiKey = "api_key_not_found",
        Webhook = "webhook_not_found",
        WebhookDelivery = "webhook_delivery_not_found",
        Event = "event_not_found",
        Coupon = "coupon_not_found",
        Tariff = "tariff_not_found",
        Invoice = "invoice_not_found",
    };
    Conflict {
        Email = "email_taken",
        ExternalId = "external_id_taken",
        Slug = "slug_taken",
        Sku = "sku_taken",
        VariantOptions = "variant_exists",
        VariantOption = "option_exists",
        InUse = "in_use",
        Subscription = "already_subscribed",
        AdminAccount = "admin_account",
        OpenOrders = "open_orders",
        CouponCode = "coupon_code_taken",
        WishlistItem = "already_on_wishlist",
        Review = "already_reviewed",
        PaymentInProcess = "payment_in_process",
        InactiveWebhook = "webhook_inactive",
        OwnAccount = "own_account",
        LastAdmin = "last_admin",
        TwoFactorEnabled = "two_factor_enabled",
        TwoFactorNotEnabled = "two_factor_not_enabled",
        TwoFactorNotBegun = "two_factor_not_begun",
        GoodsLeft = "goods_left",
        InvoiceAuthorized = "invoice_authorized",
        InvoiceCancelled = "invoice_cancelled",
        AddressFixed = "address_fixed",
        CorrectionTooLate = "correction_too_late",
        CorrectionsUsedUp = "corrections_used_up",
        Changed = "changed_meanwhile",
    };
    Credential {
        Session = "unauthenticated",
        Login = "invalid_credentials",
        TwoFactor = "two_factor_required",
        TwoFactorCode = "invalid_two_factor_code",
        CurrentPassword = "wrong_password",
        ApiKey = "invalid_api_key",
        Signature = "invalid_signature",
    };
    Refusal {
        EmptyCart = "empty_cart",
        InsufficientStock = "insufficient_stock",
        VariantRequired = "variant_required",
        InactiveProduct = "product_inactive",
        TooManyUnits = "too_many_units",
        TooManyUnpaidOrders = "too_many_unpaid_orders",
        TooManyOrders = "too_many_orders",
        UnknownCep = "cep_not_found",
        UnknownShippingOption = "unknown_shipping_option",
        AmountOutOfRange = "amount_out_of_range",
        AlreadyPaid = "already_paid",
        OrderNotPaid = "order_not_paid",
        NfeRejected = "nfe_rejected",
        NfeDenied = "nfe_denied",
        InvalidCardToken = "invalid_card_token",
        NothingToRefund = "nothing_to_refund",
        RefundTooLarge = "refund_too_large",
        RefundDeclined = "refund_declined",
        OrderClosed = "order_closed",
        IdempotencyKeyReused = "idempotency_key_reused",
        ResetLink = "invalid_reset_token",
        TwoFactorRequired = "two_factor_required_by_shop",
        UnsubscribeLink = "invalid_unsubscribe_token",
    } or {
        Refusal::Coupon(refusal) => refusal,
        Refusal::CardRejected { reason, .. } => reason
    };
    CouponRefusal {
        Inactive = "coupon_inactive",
        Expired = "coupon_expired",
        UsedUp = "coupon_used_up",
        BelowMinimum = "coupon_below_minimum",
    };
    CardRejection {
        Number = "card_bad_number",
        ExpiryDate = "card_bad_expiry_date",
        SecurityCode = "card_bad_security_code",
        CardData = "card_bad_data",
        CallForAuthorize = "card_call_for_authorize",
        Disabled = "card_disabled",
        InsufficientAmount = "card_insufficient_amount",
        Installments = "card_invalid_installments",
        Duplicated = "card_duplicated_payment",
        MaxAttempts = "card_max_attempts",
        HighRisk = "card_high_risk",
        Blacklisted = "card_blacklisted",
        AuthenticationRequired = "card_authentication_required",
        CardError = "card_error",
        Other = "card_rejected",
    };
}
