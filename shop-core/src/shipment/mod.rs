//! Parcels on their way to customers: their labels, and where carriers say that they are.
//!
//! A shipment is one parcel of an order with the label that was bought for it. Providers know no
//! idempotency key, so each step of a purchase is stored before the next one begins; a payment
//! whose answer was lost is asked about and never repeated blindly (docs/decisions.md,
//! "Shipments"). What is done with shipments stands in [`crate::fulfilment`].

#[cfg(feature = "http")]
pub(crate) mod client;
#[cfg(feature = "http")]
pub(crate) mod connection;
mod content;
mod event;
mod provider;
#[cfg(feature = "nfe")]
pub(crate) mod sandbox;
mod sent;
mod store;

#[cfg(feature = "http")]
pub use self::connection::{
    ConnectAddress, ConnectAnswer, LabelNotice, MelhorEnvioConnection, MelhorEnvioState,
};
pub use self::event::{EventShipment, EventShipmentItem};
#[cfg(feature = "nfe")]
pub(crate) use self::provider::MAX_DOCUMENT;
pub use self::provider::{
    LabelAnswer, LabelError, LabelItem, LabelProvider, LabelRequest, Party, ProviderLabel,
    ProviderLabelStatus,
};
pub use self::sent::SentParcel;
pub(crate) use self::sent::{labelled, sent};
#[cfg(any(feature = "http", feature = "nfe"))]
pub(crate) use self::store::check_now;
pub(crate) use self::store::{
    Stored, add_step, anonymise, by_id, by_ids, claim, due, insert, of_order, of_orders, page,
    save, says_address, wake_unpaid, without_label,
};
use crate::clock::Timestamp;
use crate::id::{OrderId, ProductId, ShipmentId, VariantId};
use crate::money::Money;
use crate::value::{Length, Weight, wire_enum};

wire_enum! {
    /// How far a shipment has come.
    #[derive(Hash)]
    #[cfg_attr(feature = "schema", schemars(inline))]
    #[non_exhaustive]
    pub enum ShipmentStatus {
        /// Its label is to be ordered; the provider may know of it already.
        Draft = "DRAFT",
        /// Its label is in the provider's cart, and costs nothing yet.
        InCart = "IN_CART",
        /// Its label is being paid. Whether it was, only the provider tells.
        Paying = "PAYING",
        /// Its label is paid, and being made by the carrier.
        Paid = "PAID",
        /// Its label can be printed.
        Generated = "GENERATED",
        /// The carrier has the parcel.
        Posted = "POSTED",
        /// The parcel comes back, or the carrier gave it up.
        Returning = "RETURNING",
        /// The customer has the parcel.
        Delivered = "DELIVERED",
        /// Its label is being given back.
        Cancelling = "CANCELLING",
        /// Its label was given back, or was never paid.
        Cancelled = "CANCELLED",
        /// Its label was not used in time.
        Expired = "EXPIRED",
        /// The provider made no label. Nothing was paid.
        Failed = "FAILED",
    }
}

impl ShipmentStatus {
    /// Whether the goods of the parcel travel, or will, with this label. Of the others the parcel
    /// can have another label.
    pub fn is_live(self) -> bool {
        !matches!(self, Self::Cancelled | Self::Expired | Self::Failed)
    }

    /// Whether the shop goes on by itself: a step of the purchase or of its cancellation is next.
    pub fn is_moving(self) -> bool {
        matches!(self, Self::Draft | Self::InCart | Self::Paying | Self::Paid | Self::Cancelling)
    }

    /// Whether the carrier may have more to say of the parcel.
    pub fn is_under_way(self) -> bool {
        matches!(self, Self::Generated | Self::Posted | Self::Returning)
    }

    /// Whether the carrier has the parcel, or had it.
    pub(crate) fn was_posted(self) -> bool {
        matches!(self, Self::Posted | Self::Returning | Self::Delivered)
    }

    /// Whether its label is not paid, and no payment was begun.
    pub(crate) fn is_unpaid(self) -> bool {
        matches!(self, Self::Draft | Self::InCart)
    }

    /// Whether news of the provider are a reason to ask about the label at once. A label in the
    /// cart is left alone: it may wait for staff, and news of it is no reason to pay it.
    #[cfg(any(feature = "http", feature = "nfe"))]
    pub(crate) fn hears_news(self) -> bool {
        self.is_under_way() || self.is_moving() && self != Self::InCart
    }
}

wire_enum! {
    /// What keeps a shipment from going on.
    #[cfg_attr(feature = "schema", schemars(inline))]
    #[non_exhaustive]
    pub enum ShipmentProblemKind {
        /// The provider gave no answer that says what it did; it is asked again.
        NoAnswer = "NO_ANSWER",
        /// The labels cost more (`price`) than what the customer was quoted and `max_over_quote`
        /// allow (`limit`). Staff decide.
        PriceAboveQuote = "PRICE_ABOVE_QUOTE",
        /// The provider's balance (`limit`) is smaller than the label's price (`price`); it is
        /// tried again.
        InsufficientBalance = "INSUFFICIENT_BALANCE",
        /// The shop must be connected with the provider anew; it is tried again.
        NotConnected = "NOT_CONNECTED",
        /// The provider refuses.
        Refused = "REFUSED",
        /// Something is missing of sender or recipient since the label was asked for (`text` names
        /// the fields). Staff mend it and try again.
        MissingData = "MISSING_DATA",
        /// The carrier has the parcel, so that its label cannot be given back any more.
        TooLate = "TOO_LATE",
        /// The provider does not know the label any more.
        Gone = "GONE",
        /// The order was cancelled, refunded or delivered before its label was paid.
        OrderClosed = "ORDER_CLOSED",
        /// The label is of a provider that the shop is not set up with.
        OtherProvider = "OTHER_PROVIDER",
    }
}

/// One parcel of an order with its label.
#[apply(answer!)]
pub struct Shipment {
    /// A UUID of version 7.
    pub id: ShipmentId,
    /// The order.
    pub order_id: OrderId,
    /// The order's number.
    pub order_number: String,
    /// Which parcel of the order, from 1.
    pub parcel: i64,
    /// How far it has come.
    pub status: ShipmentStatus,
    /// Where its label is bought, e.g. `melhor-envio`.
    pub provider: String,
    /// The provider's id of the label.
    pub label_id: Option<String>,
    /// By which the provider knows the request.
    pub reference: String,
    /// The service, by the provider's number.
    pub service: String,
    /// The carrier and its service, as people know them.
    pub service_name: Option<String>,
    /// What the provider takes for the label; `null` before it said so.
    pub price: Option<Money>,
    /// The parcel's share of what the customer was quoted; `null` where nothing was quoted.
    pub quoted_price: Option<Money>,
    /// The value of the goods, for which the carrier answers.
    pub declared_value: Money,
    /// The outer length in centimetres.
    pub length: Length,
    /// The outer width in centimetres.
    pub width: Length,
    /// The outer height in centimetres.
    pub height: Length,
    /// In kilograms, with packing.
    pub weight: Weight,
    /// What is in it.
    pub items: Vec<ShipmentItem>,
    /// The code by which the carrier follows the parcel.
    pub tracking_code: Option<String>,
    /// The page that follows it.
    pub tracking_url: Option<String>,
    /// In how many working days the carrier delivers after it was posted.
    pub delivery_days: Option<i64>,
    /// When it should be with the customer.
    pub expected_at: Option<Timestamp>,
    /// What keeps it from going on.
    pub problem: Option<ShipmentProblem>,
    /// When its label was paid, as far as the shop knows.
    pub paid_at: Option<Timestamp>,
    /// When its label was made.
    pub generated_at: Option<Timestamp>,
    /// When the carrier got it.
    pub posted_at: Option<Timestamp>,
    /// When the customer got it.
    pub delivered_at: Option<Timestamp>,
    /// When its label was given back or given up.
    pub cancelled_at: Option<Timestamp>,
    /// When the label was asked for.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// What happened to it on its way, oldest first.
    pub steps: Vec<ShipmentStep>,
}

/// Equal units in a parcel.
#[apply(answer!)]
pub struct ShipmentItem {
    /// The product.
    pub product_id: ProductId,
    /// The variant, if it is one.
    pub variant_id: Option<VariantId>,
    /// As it was called when the order was placed.
    pub name: String,
    /// How many units.
    pub quantity: i64,
    /// What a unit cost the customer, before discounts of the order.
    pub price: Money,
    /// What a unit weighs, in kilograms.
    pub weight: Weight,
}

/// What keeps a shipment from going on.
#[apply(answer!)]
pub struct ShipmentProblem {
    /// Of which kind.
    pub kind: ShipmentProblemKind,
    /// What the provider said, for staff; the fields that are missing.
    pub text: Option<String>,
    /// What is to be paid, where that is too much.
    pub price: Option<Money>,
    /// What may be paid, or what the balance holds; `null` where it is not known.
    pub limit: Option<Money>,
}

/// Something that happened to a parcel on its way.
#[apply(answer!)]
pub struct ShipmentStep {
    /// When.
    pub at: Timestamp,
    /// What, e.g. `POSTED`.
    pub kind: String,
    /// In the carrier's words.
    pub description: Option<String>,
    /// Where.
    pub place: Option<String>,
}

impl Shipment {
    /// A shipment of which nothing is known yet.
    pub(crate) fn draft(
        id: ShipmentId,
        order_id: OrderId,
        order_number: &str,
        now: Timestamp,
    ) -> Self {
        let nothing = Length::from_millimetres(0);
        Self {
            id,
            order_id,
            order_number: order_number.to_owned(),
            parcel: 1,
            status: ShipmentStatus::Draft,
            provider: String::new(),
            label_id: None,
            reference: String::new(),
            service: String::new(),
            service_name: None,
            price: None,
            quoted_price: None,
            declared_value: Money::ZERO,
            length: nothing,
            width: nothing,
            height: nothing,
            weight: Weight::from_grams(0),
            items: Vec::new(),
            tracking_code: None,
            tracking_url: None,
            delivery_days: None,
            expected_at: None,
            problem: None,
            paid_at: None,
            generated_at: None,
            posted_at: None,
            delivered_at: None,
            cancelled_at: None,
            created_at: now,
            updated_at: now,
            steps: Vec::new(),
        }
    }
}

/// How much of what a provider says is kept.
const LONGEST_TEXT: usize = 500;

impl ShipmentProblem {
    /// A problem without further words.
    pub(crate) fn of(kind: ShipmentProblemKind) -> Self {
        Self { kind, text: None, price: None, limit: None }
    }

    /// What is to be paid is more than what may be.
    pub(crate) fn too_much(kind: ShipmentProblemKind, price: Money, limit: Option<Money>) -> Self {
        Self { price: Some(price), limit, ..Self::of(kind) }
    }

    /// A problem in a provider's words.
    pub(crate) fn said(kind: ShipmentProblemKind, text: &str) -> Self {
        Self { text: Some(text.chars().take(LONGEST_TEXT).collect()), ..Self::of(kind) }
    }
}
