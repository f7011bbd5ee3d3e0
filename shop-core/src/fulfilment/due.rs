//! Going on with what a crash, a lost answer or an empty balance left standing.

use std::time::Duration;

use tokio::time::Instant;

use super::{CLAIM, Shipments, advance};
use crate::error::Result;
use crate::lane;
use crate::shipment::{self, ShipmentStatus as Status};
use crate::storage::Tx;

/// How many shipments one round claims, and how many it goes on with together.
const ROUND: i64 = 40;
const BATCH: usize = 5;
/// How long one round begins with further ones: a provider that does not answer must not keep the
/// rest of the background work waiting.
const ROUND_TIME: Duration = Duration::from_secs(30);

impl Shipments<'_> {
    /// Goes on with labels that are being bought or given back, each at growing gaps; answers how
    /// many. Part of the background's work. Servers beside each other share it.
    ///
    /// # Errors
    /// When the database fails; what the provider does not answer is left for a later round.
    ///
    /// Cancel safe: each call of the provider and its booking run to their end, and a later round
    /// goes on with the rest.
    pub async fn advance_due(&self) -> Result<usize> {
        let fulfilment = self.fulfilment;
        if fulfilment.provider.is_none() {
            return Ok(0);
        }
        let (start, now, db) = (Instant::now(), fulfilment.cx.now(), fulfilment.cx.db());
        let due = move |tx: &mut dyn Tx| shipment::due(tx, Status::is_moving, now, ROUND);
        let due = db.lookup("shipment.due", due).await?;
        let mut gone_on = 0;
        for batch in due.chunks(BATCH) {
            if start.elapsed() >= ROUND_TIME {
                break;
            }
            let (batch, now) = (batch.to_vec(), fulfilment.cx.now());
            let claim = move |tx: &mut dyn Tx| {
                let mut claimed = Vec::with_capacity(batch.len());
                for id in &batch {
                    let of = shipment::claim(tx, id, now, now.plus(CLAIM))?;
                    claimed.extend(of.map(|of| of.shipment.id));
                }
                Ok(claimed)
            };
            let claimed = db.write(lane::INTEGRATIONS, "shipment.claim", claim).await?;
            gone_on += claimed.len();
            let left = ROUND_TIME.saturating_sub(start.elapsed());
            advance::all(fulfilment.clone(), claimed, left).await?;
        }
        Ok(gone_on)
    }
}
