//! Giving labels back, and going on with those that wait for staff.

use serde::Serialize;

use super::buy::{bring_forward, read};
use super::parcels::live;
use super::{CLAIM, Fulfilment, Shipments, book, price};
use crate::actor::Actor;
use crate::audit;
use crate::context::Work;
use crate::error::{Conflict, Entity, Error, Result};
use crate::id::ShipmentId;
use crate::lane;
use crate::money::Money;
use crate::shipment::{self, Shipment, ShipmentStatus as Status, Stored};
use crate::storage::Tx;
use crate::value::Weight;

/// Another try at a label.
#[apply(input!)]
#[derive(Default, Serialize)]
#[serde(default)]
pub struct RetryShipment {
    /// What the labels of the order that wait in the cart may cost together; as before where it is
    /// left out.
    #[cfg_attr(feature = "schema", schemars(extend("x-emptyText" = "refused")))]
    pub max_price: Option<Money>,
}

/// What the audit log keeps of an act.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Acted {
    status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_price: Option<Money>,
}

impl Shipments<'_> {
    /// Gives the label of a shipment back. One that is paid and not posted goes back to the
    /// provider, which returns its price to the balance; one that is not paid leaves the cart.
    /// `CANCELLED` in the answer says that it was done; `CANCELLING`, that the provider's answer is
    /// still to come; any other status, that it refuses. The parcel can have another label after
    /// that.
    ///
    /// # Errors
    /// [`Refusal::NoLabelProvider`](crate::error::Refusal::NoLabelProvider); [`Entity::Shipment`];
    /// [`Conflict::ShipmentState`] for a parcel that the carrier has, for a label that was given
    /// up, and while it is not known whether it was paid.
    ///
    /// Dropping the future does not stop it: each call of the provider and its booking run to their
    /// end.
    #[tracing::instrument(name = "shipment.cancel", level = "debug", skip_all)]
    pub async fn cancel(&self, by: &Actor, id: &ShipmentId) -> Result<Shipment> {
        let fulfilment = self.fulfilment;
        fulfilment.provider()?;
        if self.get(id).await?.status == Status::Paying {
            bring_forward(fulfilment, vec![id.clone()]).await?;
        }
        let (by, of) = (by.clone(), id.clone());
        act(fulfilment, move |tx, at| begin(tx, at, &by, &of)).await?;
        bring_forward(fulfilment, vec![id.clone()]).await?;
        self.get(id).await
    }

    /// Goes on at once with a label that waits: for money, for access, for an answer, or for a
    /// higher price to be accepted.
    ///
    /// # Errors
    /// [`Refusal::NoLabelProvider`](crate::error::Refusal::NoLabelProvider); [`Entity::Shipment`];
    /// [`Conflict::ShipmentState`] for one that needs nothing; [`Error::Invalid`] for a negative
    /// price.
    ///
    /// Dropping the future does not stop it: each call of the provider and its booking run to their
    /// end.
    pub async fn retry(
        &self,
        by: &Actor,
        id: &ShipmentId,
        input: RetryShipment,
    ) -> Result<Shipment> {
        let fulfilment = self.fulfilment;
        fulfilment.provider()?;
        price::check(input.max_price)?;
        let (by, of) = (by.clone(), id.clone());
        let ids = act(fulfilment, move |tx, at| resume(tx, at, &by, &of, &input)).await?;
        bring_forward(fulfilment, ids).await?;
        let found = read(fulfilment, vec![id.clone()]).await?;
        found.into_iter().next().ok_or(Error::NotFound(Entity::Shipment))
    }
}

async fn act<T: Send + 'static>(
    fulfilment: &Fulfilment,
    mut act: impl FnMut(&mut dyn Tx, &Work) -> Result<T> + Send + 'static,
) -> Result<T> {
    let at = fulfilment.cx.work();
    let job = move |tx: &mut dyn Tx| act(tx, &at);
    fulfilment.cx.write_events(lane::INTEGRATIONS, "shipment.act", job).await
}

fn must_get(tx: &mut dyn Tx, id: &ShipmentId) -> Result<Stored> {
    shipment::by_id(tx, id)?.ok_or(Error::NotFound(Entity::Shipment))
}

fn begin(tx: &mut dyn Tx, at: &Work, by: &Actor, id: &ShipmentId) -> Result<()> {
    let was = must_get(tx, id)?;
    let mut of = was.clone();
    match of.shipment.status {
        Status::Draft | Status::InCart | Status::Paid | Status::Generated => {
            of.shipment.status = Status::Cancelling;
            of.shipment.problem = None;
            of.attempts = 0;
            let acted = Acted { status: was.shipment.status, max_price: None };
            audit::record(tx, at, by, "shipment.cancel", id.as_str(), &(), &acted)?;
        }
        Status::Cancelling => {}
        _ => return Err(Error::Conflict(Conflict::ShipmentState)),
    }
    of.check_at = Some(at.now().plus(CLAIM));
    book::keep(tx, at, &was, of)
}

/// Claims a shipment, and those of its order whose prices are compared with its own.
fn resume(
    tx: &mut dyn Tx,
    at: &Work,
    by: &Actor,
    id: &ShipmentId,
    input: &RetryShipment,
) -> Result<Vec<ShipmentId>> {
    let of = must_get(tx, id)?;
    Conflict::ShipmentState.unless(of.shipment.status.is_moving())?;
    let mut waiting = vec![of.clone()];
    if of.shipment.status.is_unpaid() {
        // Their prices are compared together.
        waiting = live(tx, &of.shipment.order_id)?;
        waiting.retain(|it| it.shipment.status.is_unpaid());
    }
    let weights: Vec<Weight> = waiting.iter().map(|it| it.shipment.weight).collect();
    let allowed = price::shares(input.max_price, &weights);
    let mut ids = Vec::with_capacity(waiting.len());
    for (was, allowed) in waiting.into_iter().zip(allowed) {
        let mut of = was.clone();
        of.allowed_price = allowed.or(of.allowed_price);
        of.shipment.problem = None;
        of.check_at = Some(at.now().plus(CLAIM));
        ids.push(of.shipment.id.clone());
        book::keep(tx, at, &was, of)?;
    }
    let acted = Acted { status: of.shipment.status, max_price: input.max_price };
    audit::record(tx, at, by, "shipment.retry", id.as_str(), &(), &acted)?;
    Ok(ids)
}
