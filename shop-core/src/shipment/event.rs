//! The data of events about shipments.
//!
//! These shapes are a contract of their own, apart from the shop's other answers: fields are added,
//! never changed or taken away, within one version of the events.

use serde::Deserialize;

use super::{Shipment, ShipmentItem, ShipmentStatus};
use crate::clock::Timestamp;
use crate::id::{AccountId, OrderId, ProductId, ShipmentId, VariantId};

/// A shipment as it was when the event happened: the data of `shipment.updated`.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct EventShipment {
    /// The shipment's id.
    pub id: ShipmentId,
    /// The order whose parcel it is.
    pub order_id: OrderId,
    /// The order's number.
    pub order_number: String,
    /// The customer's account.
    pub user_id: AccountId,
    /// Which parcel of the order, from 1.
    pub parcel: i64,
    /// How far it has come.
    pub status: ShipmentStatus,
    /// How far it had come.
    pub previous_status: ShipmentStatus,
    /// Where its label was bought, e.g. `melhor-envio`.
    pub provider: String,
    /// The carrier and its service, as people know them.
    pub service_name: Option<String>,
    /// The code by which the carrier follows the parcel.
    pub tracking_code: Option<String>,
    /// The page that follows it.
    pub tracking_url: Option<String>,
    /// The beginning of the day on which it should arrive at the latest, in São Paulo.
    pub expected_at: Option<Timestamp>,
    /// When the carrier got it.
    pub posted_at: Option<Timestamp>,
    /// When the customer got it.
    pub delivered_at: Option<Timestamp>,
    /// What is in it.
    pub items: Vec<EventShipmentItem>,
    /// When its label was asked for.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// Equal units in a parcel.
#[apply(answer!)]
#[derive(Deserialize)]
pub struct EventShipmentItem {
    /// The product.
    pub product_id: ProductId,
    /// The variant, if one was chosen.
    pub variant_id: Option<VariantId>,
    /// The product's name when it was bought.
    pub product_name: String,
    /// Units in this parcel.
    pub quantity: i64,
}

impl EventShipment {
    pub(crate) fn new(of: &Shipment, customer: &AccountId, previous: ShipmentStatus) -> Self {
        Self {
            id: of.id.clone(),
            order_id: of.order_id.clone(),
            order_number: of.order_number.clone(),
            user_id: customer.clone(),
            parcel: of.parcel,
            status: of.status,
            previous_status: previous,
            provider: of.provider.clone(),
            service_name: of.service_name.clone(),
            tracking_code: of.tracking_code.clone(),
            tracking_url: of.tracking_url.clone(),
            expected_at: of.expected_at,
            posted_at: of.posted_at,
            delivered_at: of.delivered_at,
            items: of.items.iter().map(EventShipmentItem::from).collect(),
            created_at: of.created_at,
            updated_at: of.updated_at,
        }
    }
}

impl From<&ShipmentItem> for EventShipmentItem {
    fn from(item: &ShipmentItem) -> Self {
        Self {
            product_id: item.product_id.clone(),
            variant_id: item.variant_id.clone(),
            product_name: item.name.clone(),
            quantity: item.quantity,
        }
    }
}
