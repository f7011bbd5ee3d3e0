//! Typed ids.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::error::Result;
use crate::storage::{FromColumn, Param, Row};
use crate::value::InvalidValue;

/// Makes one id type: an opaque string, so that an order's id cannot stand where a product's must.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[cfg_attr(feature = "schema", schemars(inline, extend("minLength" = 1)))]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        /// No id is the empty text: a form means none by it.
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                match String::deserialize(deserializer)? {
                    text if text.is_empty() => Err(D::Error::custom(InvalidValue::Required)),
                    text => Ok(Self(text)),
                }
            }
        }

        impl<'a> From<&'a $name> for Param<'a> {
            fn from(id: &'a $name) -> Self {
                Self::Text(&id.0)
            }
        }

        impl<'a> From<&'a Option<$name>> for Param<'a> {
            fn from(id: &'a Option<$name>) -> Self {
                id.as_ref().into()
            }
        }

        impl FromColumn for $name {
            fn from_column(row: &dyn Row, column: usize) -> Result<Self> {
                row.get(column).map(Self)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    )+};
}

ids! {
    /// Of a user account.
    AccountId;
    /// Of a session of an account that runs the shop.
    StaffSessionId;
    /// Of an address in an account's address book.
    AddressId;
    /// Of a category.
    CategoryId;
    /// Of a product.
    ProductId;
    /// Of a product's picture.
    ImageId;
    /// Of a variant of a product.
    VariantId;
    /// Of a kind of variation, e.g. "Tamanho".
    VariantTypeId;
    /// Of a value of a variant type, e.g. "200 g".
    VariantOptionId;
    /// Of a review.
    ReviewId;
    /// Of a line of a cart.
    CartItemId;
    /// Of an API key.
    ApiKeyId;
    /// Of an order.
    OrderId;
    /// Of a line item of an order.
    OrderItemId;
    /// Of a payment: one attempt to pay an order.
    PaymentId;
    /// Of a refund of a payment.
    RefundId;
    /// Of a return: goods of an order that come back.
    ReturnId;
    /// Of a coupon.
    CouponId;
    /// Of a wish on a customer's wishlist.
    WishlistItemId;
    /// Of an in-app notification.
    NotificationId;
    /// Of a mail.
    MailId;
    /// Of a receiver of webhooks.
    WebhookId;
    /// Of an attempt to deliver a webhook.
    WebhookDeliveryId;
    /// Of an electronic invoice.
    InvoiceId;
    /// Of a correction letter for an electronic invoice.
    CorrectionId;
    /// Of a static shipping tariff.
    TariffId;
    /// Of a box that orders are packed in.
    BoxId;
    /// Of a shipment: one parcel of an order on its way to the customer.
    ShipmentId;
    /// Of an option of a shipping quote, e.g. `static-<tariff>`.
    ShippingOptionId;
}
