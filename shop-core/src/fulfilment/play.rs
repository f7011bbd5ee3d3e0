//! The carrier of the sandbox's labels, where one plays it.

use super::Shipments;
use crate::error::{Conflict, Result};
use crate::id::ShipmentId;
use crate::lane;
use crate::shipment::{self, ProviderLabelStatus, Shipment, sandbox};
use crate::storage::Tx;

impl Shipments<'_> {
    /// Plays the carrier of a label of the sandbox: the parcel was posted, was given up
    /// ([`ProviderLabelStatus::Undelivered`]) or was delivered. The shop hears of it when it asks
    /// next, as of any carrier.
    ///
    /// # Errors
    /// [`Entity::Shipment`](crate::error::Entity::Shipment); [`Conflict::ShipmentState`] for a
    /// label of another provider, and for one that is not in a state for it.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn play_carrier(
        &self,
        id: &ShipmentId,
        status: ProviderLabelStatus,
    ) -> Result<Shipment> {
        let Shipment { provider, label_id, .. } = self.get(id).await?;
        let now = self.fulfilment.cx.now();
        let job = move |tx: &mut dyn Tx| {
            let label = label_id.as_deref().filter(|_| provider == sandbox::NAME);
            let Some(label) = label else { return Ok(false) };
            shipment::check_now(tx, sandbox::NAME, label, now)?;
            sandbox::play(tx, label, status, now)
        };
        let db = self.fulfilment.cx.db();
        let played = db.write(lane::INTEGRATIONS, "sandbox.play_carrier", job).await?;
        Conflict::ShipmentState.unless(played)?;
        self.get(id).await
    }
}
