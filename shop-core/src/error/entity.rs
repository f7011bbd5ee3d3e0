//! What was looked for and is not there.

coded! {
    /// What was looked for and is not there.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum Entity {
        /// There is no such customer.
        Account = "account_not_found",
        /// The account has no such session, or it has ended.
        Session = "session_not_found",
        /// The address book has no such address.
        Address = "address_not_found",
        /// There is no such category.
        Category = "category_not_found",
        /// There is no such product, or it is not on sale where only those count.
        Product = "product_not_found",
        /// The product has no such variant.
        Variant = "variant_not_found",
        /// There is no such kind of variation.
        VariantType = "variant_type_not_found",
        /// The kind of variation has no such option.
        VariantOption = "variant_option_not_found",
        /// There is no such review.
        Review = "review_not_found",
        /// The cart has no such line.
        CartItem = "cart_item_not_found",
        /// The wishlist does not have the product.
        WishlistItem = "wishlist_item_not_found",
        /// There is no such order, or it is another customer's.
        Order = "order_not_found",
        /// There is no such return, or it is another customer's.
        Return = "return_not_found",
        /// There is no such shipment.
        Shipment = "shipment_not_found",
        /// There is no such payment.
        Payment = "payment_not_found",
        /// There is no such notification, or it is another customer's.
        Notification = "notification_not_found",
        /// The shop keeps no such picture.
        Media = "media_not_found",
        /// There is no such API key.
        ApiKey = "api_key_not_found",
        /// There is no such receiver of webhooks.
        Webhook = "webhook_not_found",
        /// The receiver has no such delivery.
        WebhookDelivery = "webhook_delivery_not_found",
        /// The event of the delivery is not kept any more (30 days).
        Event = "event_not_found",
        /// A coupon.
        Coupon = "coupon_not_found",
        /// There is no such tariff.
        Tariff = "tariff_not_found",
        /// A box that orders are packed in.
        Box = "box_not_found",
        /// The order has no invoice, or none in the state that is asked for.
        Invoice = "invoice_not_found",
    }
}
