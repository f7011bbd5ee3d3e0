//! Unique values that are taken, and states that do not allow an act.

coded! {
    /// What stands in the way: a unique value that is taken, or a state that does not allow it.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum Conflict {
        /// Another account has this e-mail.
        Email = "email_taken",
        /// A guest's order is to join an account with another e-mail than the one that its link
        /// went to.
        OtherEmail = "other_email",
        /// Staff moved an unpaid order on, so its customer cannot cancel it.
        NotCancellable = "order_not_cancellable",
        /// The program around the shop gives an account a second key, or two accounts one key.
        ExternalId = "external_id_taken",
        /// Another product, category or kind of variation has this slug.
        Slug = "slug_taken",
        /// Another product or variant has this SKU.
        Sku = "sku_taken",
        /// Another variant of the product has the same options.
        VariantOptions = "variant_exists",
        /// The kind of variation has an option of this name or slug.
        VariantOption = "option_exists",
        /// Other things need it, so it cannot be deleted.
        InUse {
            /// The first ten of them, as people call them.
            names: Vec<String>,
        } = "in_use",
        /// This address receives the newsletter already.
        Subscription = "already_subscribed",
        /// An account that runs the shop cannot erase itself.
        AdminAccount = "admin_account",
        /// An order of the account is unpaid or under way.
        OpenOrders = "open_orders",
        /// Another coupon has this code, in whatever case.
        CouponCode = "coupon_code_taken",
        /// The wishlist has the product already.
        WishlistItem = "already_on_wishlist",
        /// The customer has a review of this product that waits or is shown.
        Review = "already_reviewed",
        /// It is not known yet what became of another payment of the order, or staff have to decide
        /// on one.
        PaymentInProcess = "payment_in_process",
        /// The order would cost something else than the shopper saw.
        TotalChanged = "total_changed",
        /// The units are part of another return, or all of the order's are.
        UnitsReturned = "units_returned",
        /// The state of the return does not allow the act: it was decided, received, refunded or
        /// cancelled before.
        ReturnState = "return_state",
        /// Staff reject a withdrawal that came in its term.
        WithdrawalStands = "withdrawal_stands",
        /// An invoice says that goods of the return came back: it is not rejected or cancelled, and
        /// no fewer units arrive.
        ReturnInvoiced = "return_invoiced",
        /// The parcels have labels that were not given up.
        ShipmentExists = "shipment_exists",
        /// The state of the shipment does not allow the act, or is not known until the provider
        /// answers.
        ShipmentState = "shipment_state",
        /// The label is not made yet, or was given up.
        LabelNotReady = "label_not_ready",
        /// The receiver is switched off.
        InactiveWebhook = "webhook_inactive",
        /// An admin cannot suspend the own account.
        OwnAccount = "own_account",
        /// The shop must keep one active admin.
        LastAdmin = "last_admin",
        /// The account has two-factor log-ins already.
        TwoFactorEnabled = "two_factor_enabled",
        /// The account has no two-factor log-ins.
        TwoFactorNotEnabled = "two_factor_not_enabled",
        /// No enrolment was begun that the code could confirm.
        TwoFactorNotBegun = "two_factor_not_begun",
        /// The order was sent or delivered.
        GoodsLeft = "goods_left",
        /// The number belongs to an authorised invoice.
        InvoiceAuthorized = "invoice_authorized",
        /// The number belongs to an invoice that was authorised and then cancelled.
        InvoiceCancelled = "invoice_cancelled",
        /// An invoice says that goods of the sale came back.
        InvoiceReturned = "invoice_returned",
        /// The order has an invoice or a label that says the address, or was delivered.
        AddressFixed = "address_fixed",
        /// The invoice was authorised more than 720 hours ago.
        CorrectionTooLate = "correction_too_late",
        /// The invoice has twenty correction letters.
        CorrectionsUsedUp = "corrections_used_up",
        /// An import of products is being written, and nothing else changes the catalogue
        /// meanwhile.
        ImportUnderWay = "import_under_way",
        /// The thing was changed since the caller saw it ([`crate::revision`]).
        Changed = "changed_meanwhile",
    }
}
