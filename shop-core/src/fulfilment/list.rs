//! Shipments as staff look at them.

use super::Shipments;
use crate::error::{Entity, Error, Result};
use crate::id::{OrderId, ShipmentId};
use crate::order;
use crate::page::{Page, PageLimit, PageNumber, PageRequest, Pagination};
use crate::shipment::{self, Shipment, ShipmentStatus, Stored};
use crate::storage::Tx;

/// Which shipments to list, the latest first (`GET /api/admin/shipments`).
#[apply(filter!)]
pub struct ShipmentFilter {
    /// Which page, from 1.
    pub page: Option<PageNumber>,
    /// Shipments a page.
    pub limit: Option<PageLimit>,
    /// Only those in this status.
    pub status: Option<ShipmentStatus>,
}

impl Shipments<'_> {
    /// A page of all shipments, or of those in one status, latest first.
    ///
    /// Cancel safe: reads only.
    pub async fn list(&self, filter: ShipmentFilter) -> Result<Page<Shipment>> {
        let request = PageRequest::of(filter.page, filter.limit);
        let status: Vec<ShipmentStatus> = filter.status.into_iter().collect();
        let job = move |tx: &mut dyn Tx| shipment::page(tx, &status, request);
        let (found, total) = self.fulfilment.cx.db().read("shipment.list", job).await?;
        let data = found.into_iter().map(|it| it.shipment).collect();
        Ok(Page { data, pagination: Pagination::new(request, total) })
    }

    /// The shipments of an order by their parcels, also those that were given up.
    ///
    /// # Errors
    /// [`Entity::Order`].
    ///
    /// Cancel safe: reads only.
    pub async fn list_for_order(&self, order: &OrderId) -> Result<Vec<Shipment>> {
        let order = order.clone();
        let job = move |tx: &mut dyn Tx| {
            order::must_exist(tx, &order)?;
            shipment::of_order(tx, &order)
        };
        let found: Vec<Stored> = self.fulfilment.cx.db().lookup("shipment.of_order", job).await?;
        Ok(found.into_iter().map(|it| it.shipment).collect())
    }

    /// A shipment.
    ///
    /// # Errors
    /// [`Entity::Shipment`].
    ///
    /// Cancel safe: reads only.
    pub async fn get(&self, id: &ShipmentId) -> Result<Shipment> {
        let id = id.clone();
        let job = move |tx: &mut dyn Tx| shipment::by_id(tx, &id);
        let found = self.fulfilment.cx.db().lookup("shipment.get", job).await?;
        found.map(|it| it.shipment).ok_or(Error::NotFound(Entity::Shipment))
    }
}
