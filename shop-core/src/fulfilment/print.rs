//! Labels on paper, as one PDF.

use std::collections::HashSet;

use futures_util::{StreamExt, TryStreamExt, stream};

use super::Shipments;
use super::service::in_time;
use crate::error::{Conflict, Entity, Error, Refusal, Result, check_count};
use crate::id::{OrderId, ShipmentId};
use crate::pdf::merge::{Unreadable, merge};
use crate::shipment::{
    self, LabelError, LabelProvider, MAX_DOCUMENT, ShipmentStatus as Status, Stored,
};
use crate::storage::Tx;

/// How many labels are printed at once.
const MAX_LABELS: usize = 100;
/// How many the provider is asked for at a time.
const TOGETHER: usize = 4;
/// How much the files of all labels may come to: they are held together while they become one.
const MAX_TOGETHER: usize = 64 * 1024 * 1024;

impl Shipments<'_> {
    /// The labels of shipments, in the order in which they are named and each once, as one PDF. A
    /// single one is the provider's file as it came.
    ///
    /// # Errors
    /// [`Error::Invalid`] for none and for more than 100; [`Entity::Shipment`];
    /// [`Conflict::LabelNotReady`] where one is not made yet or was given up; [`Error::Provider`]
    /// where the provider does not hand one out; [`Refusal::LabelUnreadable`] for one of several
    /// whose file cannot be put together with others.
    ///
    /// Cancel safe: reads only.
    pub async fn print(&self, shipments: &[ShipmentId]) -> Result<Vec<u8>> {
        let ids = shipments.to_vec();
        check_count("ids", ids.len(), MAX_LABELS)?;
        let provider = self.fulfilment.provider()?;
        let name = provider.name();
        let labels = move |tx: &mut dyn Tx| {
            let found = shipment::by_ids(tx, &ids)?;
            let known: HashSet<&ShipmentId> = found.iter().map(|it| &it.shipment.id).collect();
            if !ids.iter().all(|id| known.contains(id)) {
                return Err(Error::NotFound(Entity::Shipment));
            }
            let label = |of: Stored| {
                let of = of.shipment;
                let is_ready = is_printable(of.status) && of.provider == name;
                let label = of.label_id.filter(|_| is_ready);
                let label = label.ok_or(Error::Conflict(Conflict::LabelNotReady))?;
                Ok((label, (of.order_number, of.parcel)))
            };
            found.into_iter().map(label).collect::<Result<(Vec<String>, Vec<_>)>>()
        };
        let (labels, parcels) = self.fulfilment.cx.db().lookup("shipment.labels", labels).await?;
        let mut files = files(&*provider, labels).await?;
        if files.len() == 1 {
            return Ok(files.remove(0));
        }
        // Some pages take a while.
        let merged = tokio::task::spawn_blocking(move || merge(&files));
        merged.await.map_err(Error::from_source)??.map_err(|Unreadable(place)| {
            let (order_number, parcel) = parcels[place].clone();
            Error::Refused(Refusal::LabelUnreadable { order_number, parcel })
        })
    }

    /// The labels of all shipments of these orders that can be printed, as [`Shipments::print`].
    ///
    /// # Errors
    /// As [`Shipments::print`]; [`Conflict::LabelNotReady`] also where an order has no label that
    /// can be printed.
    ///
    /// Cancel safe: reads only.
    pub async fn print_orders(&self, orders: &[OrderId]) -> Result<Vec<u8>> {
        let orders = orders.to_vec();
        check_count("orderIds", orders.len(), MAX_LABELS)?;
        let job = move |tx: &mut dyn Tx| {
            let (mut ids, mut of_orders) = (Vec::new(), shipment::of_orders(tx, &orders)?);
            let mut named = HashSet::new();
            for order in orders.iter().filter(|order| named.insert(*order)) {
                let of_order = of_orders.remove(order).unwrap_or_default();
                let ready = of_order.into_iter().map(|it| it.shipment);
                let before = ids.len();
                ids.extend(ready.filter(|it| is_printable(it.status)).map(|it| it.id));
                Conflict::LabelNotReady.unless(ids.len() > before)?;
            }
            Ok(ids)
        };
        let ids = self.fulfilment.cx.db().lookup("shipment.of_orders", job).await?;
        self.print(&ids).await
    }
}

fn is_printable(status: Status) -> bool {
    matches!(status, Status::Generated | Status::Posted)
}

/// The files of these labels, in their order.
async fn files(provider: &dyn LabelProvider, labels: Vec<String>) -> Result<Vec<Vec<u8>>> {
    let files = stream::iter(labels).map(|label| file(provider, label)).buffered(TOGETHER);
    let held = (Vec::new(), 0);
    let hold = async |(mut files, mut bytes): (Vec<Vec<u8>>, usize), file: Vec<u8>| {
        bytes += file.len();
        if bytes > MAX_TOGETHER {
            let why = "the files of so many labels are too large to become one";
            return Err(failed(provider, LabelError::Unclear(why.into())));
        }
        files.push(file);
        Ok((files, bytes))
    };
    files.try_fold(held, hold).await.map(|(files, _)| files)
}

async fn file(provider: &dyn LabelProvider, label: String) -> Result<Vec<u8>> {
    match in_time(provider.document(&label)).await {
        Ok(Some(file)) if file.len() <= MAX_DOCUMENT => Ok(file),
        Ok(Some(_)) => Err(failed(provider, LabelError::Unclear("the file is too large".into()))),
        Ok(None) => Err(Error::Conflict(Conflict::LabelNotReady)),
        Err(LabelError::Shop(error)) => Err(error),
        Err(error) => Err(failed(provider, error)),
    }
}

fn failed(provider: &dyn LabelProvider, error: LabelError) -> Error {
    Error::Provider { name: provider.name(), source: std::sync::Arc::new(error) }
}
