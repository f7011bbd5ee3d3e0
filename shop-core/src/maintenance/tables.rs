//! Every table that holds a shop's data.

/// A table.
pub(super) struct Table {
    pub(super) name: &'static str,
    /// Its primary key.
    pub(super) key: &'static [&'static str],
    /// Whether a migration makes rows in it.
    pub(super) seeded: bool,
}

const fn table(name: &'static str, key: &'static [&'static str]) -> Table {
    Table { name, key, seeded: false }
}

const fn seeded(name: &'static str, key: &'static [&'static str]) -> Table {
    Table { name, key, seeded: true }
}

/// In an order in which what a row belongs to comes before it.
pub(super) const TABLES: &[Table] = &[
    table("setting", &["key"]),
    table("melhor_envio_connection", &["id"]),
    table("melhor_envio_attempt", &["state_hash"]),
    table("account", &["id"]),
    table("staff_session", &["id"]),
    table("staff_two_factor", &["account_id"]),
    table("staff_recovery_code", &["account_id", "code_hash"]),
    table("external_account", &["external_id"]),
    table("joined_guest", &["guest_id"]),
    table("address", &["id"]),
    table("category", &["id"]),
    table("product", &["pk"]),
    table("variant_type", &["id"]),
    table("variant_option", &["id"]),
    table("variant", &["id"]),
    table("variant_value", &["variant_id", "variant_option_id"]),
    table("sku", &["code"]),
    table("stock", &["item_id"]),
    table("stock_movement", &["id"]),
    table("review", &["id"]),
    table("cart_item", &["id"]),
    table("orders", &["id"]),
    table("order_item", &["order_id", "position"]),
    table("order_day", &["day"]),
    table("order_history", &["id"]),
    table("order_note", &["id"]),
    table("order_return", &["id"]),
    table("order_return_item", &["return_id", "position"]),
    table("order_return_history", &["id"]),
    table("shipment", &["id"]),
    table("shipment_step", &["id"]),
    table("payment", &["id"]),
    table("sandbox_payment", &["id"]),
    table("sandbox_label", &["id"]),
    table("idempotency", &["scope", "key"]),
    table("notification", &["id"]),
    table("event", &["id"]),
    table("shipping_tariff", &["id"]),
    table("shipping_box", &["id"]),
    table("order_packing", &["order_id"]),
    table("search_word", &["word"]),
    table("search_trigram", &["trigram", "word"]),
    table("coupon", &["id"]),
    table("coupon_use", &["order_id"]),
    table("wishlist_item", &["id"]),
    table("product_rating", &["product_id"]),
    table("mail", &["id"]),
    table("mail_allowance", &["recipient", "class"]),
    table("password_reset", &["id"]),
    table("newsletter_reader", &["email_key"]),
    table("guest_cart", &["owner"]),
    table("audit", &["id"]),
    table("refund", &["id"]),
    table("dispute", &["provider", "id"]),
    table("payment_event", &["provider", "event_id"]),
    table("sandbox_refund", &["id"]),
    table("product_day", &["day", "product_id"]),
    table("customer_entry", &["pk"]),
    seeded("customer_tally", &["active"]),
    table("site_setting", &["key"]),
    table("api_key", &["id"]),
    table("webhook", &["id"]),
    seeded("webhook_cursor", &["id"]),
    table("webhook_queue", &["webhook_id", "event_id"]),
    table("webhook_delivery", &["id"]),
    table("event_erasure", &["account_id"]),
    table("nfe_series", &["book", "cnpj", "series"]),
    table("nfe", &["id"]),
    table("nfe_document", &["digest"]),
    table("nfe_to_issue", &["order_id"]),
    table("nfe_correction", &["id"]),
    table("nfe_return", &["nfe_id"]),
    table("nfe_return_item", &["nfe_id", "order_item_id"]),
    table("product_fiscal", &["product_id"]),
    table("category_fiscal", &["category_id"]),
    table("sandbox_nfe", &["id"]),
    table("sandbox_nfe_correction", &["access_key", "sequence"]),
];
