//! What shipments keep about people.

use crate::clock::Timestamp;
use crate::error::Result;
use crate::id::{AccountId, OrderId};
use crate::order;
#[cfg(feature = "nfe")]
use crate::shipment::sandbox;
use crate::shipment::{self, Shipment, ShipmentStatus, ShipmentStep};
use crate::storage::Tx;

/// A parcel in the copy of all that the shop keeps about a person.
#[apply(answer!)]
pub struct ExportedShipment {
    /// The order's number.
    pub order_number: String,
    /// Which parcel of the order, from 1.
    pub parcel: i64,
    /// How far it has come.
    pub status: ShipmentStatus,
    /// The carrier and its service.
    pub service_name: Option<String>,
    /// The code by which the carrier follows the parcel.
    pub tracking_code: Option<String>,
    /// The page that follows it.
    pub tracking_url: Option<String>,
    /// When its label was asked for.
    pub created_at: Timestamp,
    /// What happened to it on its way, oldest first.
    pub steps: Vec<ShipmentStep>,
}

/// Every parcel of a customer, also those whose labels were given up.
pub(crate) fn of_account(tx: &mut dyn Tx, customer: &AccountId) -> Result<Vec<ExportedShipment>> {
    let orders: Vec<OrderId> =
        order::addresses_of(tx, customer)?.into_iter().map(|(order, _)| order).collect();
    let mut of_orders = shipment::of_orders(tx, &orders)?;
    let found = orders.iter().filter_map(|order| of_orders.remove(order)).flatten();
    Ok(found.map(|it| ExportedShipment::from(it.shipment)).collect())
}

impl From<Shipment> for ExportedShipment {
    fn from(it: Shipment) -> Self {
        let Shipment { order_number, parcel, status, service_name, tracking_code, .. } = it;
        let Shipment { tracking_url, created_at, steps, .. } = it;
        Self {
            order_number,
            parcel,
            status,
            service_name,
            tracking_code,
            tracking_url,
            created_at,
            steps,
        }
    }
}

/// Forgets where the parcels of a customer went.
pub(crate) fn forget(tx: &mut dyn Tx, customer: &AccountId) -> Result<()> {
    for (order, _) in order::addresses_of(tx, customer)? {
        let references = shipment::anonymise(tx, &order)?;
        #[cfg(feature = "nfe")]
        for reference in &references {
            sandbox::forget(tx, reference)?;
        }
        #[cfg(not(feature = "nfe"))]
        drop(references);
    }
    Ok(())
}
