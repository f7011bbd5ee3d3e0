//! Asking providers where parcels are: notices get lost, and labels that were bought otherwise send
//! none.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::service::in_time;
use super::{CLAIM, Fulfilment, Shipments, book, track};
use crate::clock::Timestamp;
use crate::detached;
use crate::error::{Entity, Error, Refusal, Result};
use crate::id::ShipmentId;
use crate::lane;
use crate::shipment::{
    self, LabelProvider, Shipment, ShipmentProblem, ShipmentProblemKind as Problem,
    ShipmentStatus as Status, Stored,
};
use crate::storage::Tx;

/// How many shipments one round asks about, and for how long it begins with further ones.
const ROUND: i64 = 100;
const ROUND_TIME: Duration = Duration::from_secs(30);
/// How often a parcel is asked about: providers remember their own answers for an hour.
const PAUSE: Duration = Duration::from_secs(60 * 60);
/// Parcels of which the carrier says nothing final for this long are asked about less often, and in
/// the end by hand alone.
const OLD: Duration = Duration::from_secs(30 * 24 * 60 * 60);
const OLD_PAUSE: Duration = Duration::from_secs(12 * 60 * 60);
const FORGOTTEN: Duration = Duration::from_secs(120 * 24 * 60 * 60);
/// The most pauses between questions that are not answered.
const MOST_PAUSES: i64 = 12;

/// What one round of questions did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Tracked {
    /// Parcels that the provider was asked about.
    pub asked: usize,
    /// Of these, parcels that got further.
    pub moved: usize,
    /// Questions that were not answered.
    pub failed: usize,
}

impl Shipments<'_> {
    /// Asks the provider where a parcel is, and books the answer: the shipment, the order's status,
    /// the event and what the customer is told. One that is not under way is answered as it is;
    /// where the provider does not answer, that is the shipment's problem.
    ///
    /// # Errors
    /// [`Entity::Shipment`]; [`Refusal::NoLabelProvider`] also where its label is another
    /// provider's.
    ///
    /// Dropping the future does not stop it: the call of the provider and its booking run to their
    /// end.
    pub async fn track(&self, id: &ShipmentId) -> Result<Shipment> {
        let (fulfilment, of) = (self.fulfilment.clone(), id.clone());
        let find = move |tx: &mut dyn Tx| shipment::by_id(tx, &of);
        let found = fulfilment.cx.db().lookup("shipment.get", find).await?;
        let found = found.ok_or(Error::NotFound(Entity::Shipment))?;
        if !found.shipment.status.is_under_way() {
            return Ok(found.shipment);
        }
        let provider = fulfilment.provider()?;
        if provider.name() != found.shipment.provider {
            return Err(Error::Refused(Refusal::NoLabelProvider));
        }
        let asked = async move { ask(&fulfilment, &provider, found).await };
        detached::to_its_end(asked).await.map(|now| now.shipment)
    }

    /// Asks about parcels that are under way, each once an hour, and less often after a month. Part
    /// of the background's work. Servers beside each other share it.
    ///
    /// # Errors
    /// When the database fails; what the provider does not answer is left for a later round.
    ///
    /// Cancel safe: each call of the provider and its booking run to their end, and a later round
    /// asks about the rest.
    pub async fn track_due(&self) -> Result<Tracked> {
        let fulfilment = self.fulfilment;
        let mut done = Tracked::default();
        let Some(provider) = fulfilment.provider.clone() else { return Ok(done) };
        let (start, now, db) = (Instant::now(), fulfilment.cx.now(), fulfilment.cx.db());
        let due = move |tx: &mut dyn Tx| shipment::due(tx, Status::is_under_way, now, ROUND);
        for id in db.lookup("shipment.to_track", due).await? {
            if start.elapsed() >= ROUND_TIME {
                break;
            }
            let (provider, work) = (Arc::clone(&provider), fulfilment.clone());
            let asked =
                detached::to_its_end(async move { claim_and_ask(work, provider, id).await });
            match asked.await? {
                None => {}
                Some((before, after)) => {
                    done.asked += 1;
                    done.moved += usize::from(after.shipment.status != before);
                    done.failed += usize::from(after.attempts > 0);
                }
            }
        }
        Ok(done)
    }
}

/// `None` where another server asks; else the status before, and the shipment since.
async fn claim_and_ask(
    fulfilment: Fulfilment,
    provider: Arc<dyn LabelProvider>,
    id: ShipmentId,
) -> Result<Option<(Status, Stored)>> {
    let (at, name) = (fulfilment.cx.work(), provider.name());
    let claim = move |tx: &mut dyn Tx| {
        let now = at.now();
        let Some(of) = shipment::claim(tx, &id, now, now.plus(CLAIM))? else { return Ok(None) };
        if of.shipment.provider == name {
            return Ok(Some(of));
        }
        book::leave_to_other(tx, &at, &of, OLD_PAUSE)?;
        Ok(None)
    };
    let claimed = fulfilment.cx.db().write(lane::INTEGRATIONS, "shipment.claim", claim).await?;
    let Some(before) = claimed else { return Ok(None) };
    let status = before.shipment.status;
    Ok(Some((status, ask(&fulfilment, &provider, before).await?)))
}

/// Asks about one label and books the answer.
async fn ask(
    fulfilment: &Fulfilment,
    provider: &Arc<dyn LabelProvider>,
    of: Stored,
) -> Result<Stored> {
    let Some(label) = of.shipment.label_id.clone() else { return Ok(of) };
    let claimed = of.check_at;
    let answer = in_time(provider.fetch(&label)).await;
    if let Err(error) = &answer {
        tracing::warn!(shipment = %of.shipment.id, %error, "a provider did not say where a parcel is");
    }
    let (cx, at, id) = (fulfilment.cx.clone(), fulfilment.cx.work(), of.shipment.id);
    let job = move |tx: &mut dyn Tx| {
        let before = shipment::by_id(tx, &id)?.ok_or(Error::NotFound(Entity::Shipment))?;
        if !before.shipment.status.is_under_way() {
            return Ok(before);
        }
        let urls = &cx.config().shipping.tracking_urls;
        let mut now = match &answer {
            Ok(Some(label)) => track::learn(&before, label, urls, at.now()),
            Ok(None) => unanswered(&before, ShipmentProblem::of(Problem::Gone)),
            Err(error) => unanswered(&before, book::problem(error)),
        };
        now.check_at = next_look(&now, at.now());
        if now.check_at.is_some() && before.check_at != claimed {
            // The carrier told of news meanwhile, which the answer may not have.
            now.check_at = before.check_at;
        }
        book::keep(tx, &at, &before, now.clone())?;
        track::follow(tx, &at, &before.shipment, &now.shipment)?;
        // With its steps.
        Ok(shipment::by_id(tx, &id)?.unwrap_or(now))
    };
    let after = fulfilment.cx.write_events(lane::ORDERS, "shipment.track", job).await?;
    fulfilment.cx.mail_written();
    Ok(after)
}

/// It is asked again, after longer pauses.
fn unanswered(before: &Stored, problem: ShipmentProblem) -> Stored {
    let mut of = before.clone();
    of.attempts += 1;
    of.shipment.problem = Some(problem);
    of
}

/// When to ask again; what is over is not asked about.
fn next_look(of: &Stored, now: Timestamp) -> Option<Timestamp> {
    let age = |span: Duration| of.shipment.created_at.plus(span) <= now;
    if !of.shipment.status.is_under_way() || age(FORGOTTEN) {
        return None;
    }
    let pause = if age(OLD) { OLD_PAUSE } else { PAUSE };
    let pauses = u32::try_from(of.attempts.clamp(1, MOST_PAUSES)).unwrap_or(1);
    Some(now.plus(OLD_PAUSE.min(pause * pauses)))
}
