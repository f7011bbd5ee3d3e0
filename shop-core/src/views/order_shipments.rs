//! The parcels of an order, as its customer sees them.

use crate::clock::Timestamp;
use crate::error::Result;
use crate::id::{OrderId, ShipmentId};
use crate::shipment::{self, Shipment, ShipmentItem, ShipmentStatus, ShipmentStep};
use crate::shipping::packing::PackedItem;
use crate::storage::Tx;
use crate::value::wire_enum;

wire_enum! {
    /// Where a parcel is, for its customer.
    #[cfg_attr(feature = "schema", schemars(inline))]
    #[non_exhaustive]
    pub enum OrderShipmentStatus {
        /// With the shop, which has a label for it.
        Preparing = "PREPARING",
        /// With the carrier.
        Posted = "POSTED",
        /// On its way back, or given up by the carrier.
        Returning = "RETURNING",
        /// With the customer.
        Delivered = "DELIVERED",
    }
}

/// A parcel of an order, as its customer sees it. Labels that are not paid, or were given up, are
/// the shop's own affair.
#[apply(answer!)]
pub struct OrderShipment {
    /// The shipment's id.
    pub id: ShipmentId,
    /// Which parcel of the order, from 1.
    pub parcel: i64,
    /// Where it is.
    pub status: OrderShipmentStatus,
    /// The carrier and its service, as people know them.
    pub carrier: Option<String>,
    /// The code by which the carrier follows it.
    pub tracking_code: Option<String>,
    /// The page that follows it.
    pub tracking_url: Option<String>,
    /// The beginning of the day on which it should arrive at the latest, in São Paulo; `null`
    /// before it was posted, and where the carrier names no term.
    pub expected_at: Option<Timestamp>,
    /// When the carrier got it.
    pub posted_at: Option<Timestamp>,
    /// When the customer got it.
    pub delivered_at: Option<Timestamp>,
    /// What is in it.
    pub items: Vec<PackedItem>,
    /// What happened to it on its way, oldest first.
    pub steps: Vec<OrderShipmentStep>,
}

/// Something that happened to a parcel, in words.
#[apply(answer!)]
pub struct OrderShipmentStep {
    /// When.
    pub at: Timestamp,
    /// What, e.g. `POSTED`.
    pub kind: String,
    /// In the carrier's words, else in the shop's.
    pub description: String,
    /// Where.
    pub place: Option<String>,
}

/// The parcels of an order that have a label.
pub(super) fn of_order(tx: &mut dyn Tx, order: &OrderId) -> Result<Vec<OrderShipment>> {
    let all = shipment::of_order(tx, order)?;
    Ok(all.into_iter().filter_map(|it| OrderShipment::of(it.shipment)).collect())
}

impl OrderShipment {
    fn of(it: Shipment) -> Option<Self> {
        let status = match it.status {
            ShipmentStatus::Paid | ShipmentStatus::Generated => OrderShipmentStatus::Preparing,
            ShipmentStatus::Posted => OrderShipmentStatus::Posted,
            ShipmentStatus::Returning => OrderShipmentStatus::Returning,
            ShipmentStatus::Delivered => OrderShipmentStatus::Delivered,
            _ => return None,
        };
        Some(Self {
            id: it.id,
            parcel: it.parcel,
            status,
            carrier: it.service_name,
            tracking_code: it.tracking_code,
            tracking_url: it.tracking_url,
            expected_at: it.expected_at,
            posted_at: it.posted_at,
            delivered_at: it.delivered_at,
            items: it.items.into_iter().map(packed).collect(),
            steps: it.steps.into_iter().filter_map(in_words).collect(),
        })
    }
}

fn packed(item: ShipmentItem) -> PackedItem {
    let ShipmentItem { product_id, variant_id, name, quantity, .. } = item;
    PackedItem { product_id, variant_id, name, quantity }
}

/// A step that says nothing to a customer is left out.
fn in_words(step: ShipmentStep) -> Option<OrderShipmentStep> {
    let ShipmentStep { at, kind, description, place } = step;
    let own = match kind.parse() {
        Ok(ShipmentStatus::Generated) => Some("Etiqueta emitida, pacote em preparação"),
        Ok(ShipmentStatus::Posted) => Some("Pacote postado"),
        Ok(ShipmentStatus::Returning) => Some("Entrega não realizada, pacote voltando para a loja"),
        Ok(ShipmentStatus::Delivered) => Some("Pacote entregue"),
        _ => None,
    };
    let description = description.or_else(|| own.map(str::to_owned))?;
    Some(OrderShipmentStep { at, kind, description, place })
}
