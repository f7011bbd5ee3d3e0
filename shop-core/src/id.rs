//! Typed ids and the source that makes them.

use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use uuid::{ContextV7, Uuid};

use crate::clock::{Clock, Timestamp};
use crate::error::Result;
use crate::storage::{FromColumn, Param, Row};

/// Makes one id type: an opaque string, so that an order's id cannot stand where a product's must.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
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

        impl<'a> From<&'a $name> for Param<'a> {
            fn from(id: &'a $name) -> Self {
                Self::Text(&id.0)
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
    /// Of a coupon.
    CouponId;
    /// Of a wish on a customer's wishlist.
    WishlistItemId;
    /// Of an in-app notification.
    NotificationId;
    /// Of a receiver of webhooks.
    WebhookId;
    /// Of an attempt to deliver a webhook.
    WebhookDeliveryId;
    /// Of an electronic invoice.
    InvoiceId;
    /// Of a static shipping tariff.
    TariffId;
    /// Of an option of a shipping quote, e.g. `static-<tariff>`.
    ShippingOptionId;
}

/// Makes ids that sort by the time they were made (UUID version 7), which keeps the pages that an
/// insert touches few.
#[derive(Debug, Clone, Default)]
pub(crate) struct IdSource(Arc<Mutex<ContextV7>>);

impl IdSource {
    fn next(&self, at: Timestamp) -> String {
        let context = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let millis = u64::try_from(at.millis()).unwrap_or_default();
        let nanos = u32::try_from(millis % 1000).unwrap_or_default() * 1_000_000;
        let at = uuid::Timestamp::from_unix(&*context, millis / 1000, nanos);
        Uuid::new_v7(at).hyphenated().to_string()
    }
}

/// The instant of a unit of work and the ids that it hands out. Made once at its start, so that
/// everything it writes bears the same time.
#[derive(Debug, Clone)]
pub(crate) struct Moment {
    now: Timestamp,
    ids: IdSource,
}

impl Moment {
    pub(crate) fn new(clock: &dyn Clock, ids: &IdSource) -> Self {
        Self { now: clock.now(), ids: ids.clone() }
    }

    /// The unit of work of another instant, e.g. one long ago. Its source must not be the shop's own,
    /// whose ids never go back in time.
    pub(crate) fn at(now: Timestamp, ids: &IdSource) -> Self {
        Self { now, ids: ids.clone() }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.now
    }

    pub(crate) fn id<T: From<String>>(&self) -> T {
        self.ids.next(self.now).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_any_instant_are_distinct() {
        let source = IdSource::default();
        let instants = [-1, i64::MIN, 0, -62_135_596_800_000, 1_795_266_068_123, i64::MAX];
        let ids: std::collections::HashSet<String> =
            instants.iter().map(|at| source.next(Timestamp::from_millis(*at))).collect();
        assert_eq!(ids.len(), instants.len());
    }

    #[test]
    fn ids_of_one_instant_are_distinct_and_ascend() {
        let clock = crate::clock::ManualClock::at(Timestamp::from_millis(1_795_266_068_123));
        let moment = Moment::new(&clock, &IdSource::default());
        let ids: Vec<OrderId> = (0..1000).map(|_| moment.id()).collect();
        assert!(ids.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
