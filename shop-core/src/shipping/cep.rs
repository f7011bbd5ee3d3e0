//! Where a postal code is: by a look-up service, whose answers are kept, else its state by a table.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;

use super::breaker::Breaker;
use super::carrier::CarrierError;
use super::cep_table;
use super::in_flight::InFlight;
use super::pause::Pause;
use super::place::{Place, PostalCodes};
use crate::clock::{Clock, Timestamp};
use crate::value::Cep;

/// How long a service may take before the built-in table does.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long an answer is remembered. Codes are added more often than they move.
const REMEMBERED: Duration = Duration::from_secs(30 * 24 * 60 * 60);
const UNKNOWN_REMEMBERED: Duration = Duration::from_secs(60 * 60);
const MAX_REMEMBERED: usize = 20_000;
/// How many codes are asked about at once.
const MAX_QUESTIONS: usize = 16;

/// The look-up of postal codes, with what is remembered of it.
pub(crate) struct PostalCodeLookup {
    service: Option<Arc<dyn PostalCodes>>,
    clock: Arc<dyn Clock>,
    patience: Duration,
    breaker: Breaker,
    pause: Pause,
    places: Semaphore,
    in_flight: InFlight<Cep, Option<Place>>,
    known: Mutex<HashMap<Cep, Known>>,
}

/// What a service said.
#[derive(Clone)]
struct Known {
    place: Option<Place>,
    until: Timestamp,
}

impl PostalCodeLookup {
    /// A lookup that asks a service, or none, and waits no longer for it than `budget`.
    pub(crate) fn new(
        service: Option<Arc<dyn PostalCodes>>,
        clock: Arc<dyn Clock>,
        budget: Duration,
    ) -> Self {
        Self {
            service,
            clock,
            patience: PATIENCE.min(budget),
            breaker: Breaker::default(),
            pause: Pause::default(),
            places: Semaphore::new(MAX_QUESTIONS),
            in_flight: InFlight::default(),
            known: Mutex::default(),
        }
    }

    /// Whether the service would be asked where this postal code is.
    pub(super) fn would_ask(&self, cep: &Cep) -> bool {
        self.service.is_some() && self.recall(cep, self.clock.now()).is_none()
    }

    /// Where a postal code is. `None` when the service says that there is none such or, where it
    /// cannot be asked, when no state has it.
    pub(crate) async fn find(&self, cep: &Cep) -> Option<Place> {
        let Some(service) = &self.service else { return cep_table::find(cep) };
        if let Some(known) = self.recall(cep, self.clock.now()) {
            return known.place;
        }
        self.in_flight.ask(cep, self.look_up(&**service, cep)).await
    }

    async fn look_up(&self, service: &dyn PostalCodes, cep: &Cep) -> Option<Place> {
        let now = self.clock.now();
        // The question before this one may have been answered just now.
        if let Some(known) = self.recall(cep, now) {
            return known.place;
        }
        if self.pause.check(now).is_err() || !self.breaker.allows(now) {
            return cep_table::find(cep);
        }
        match self.ask(service, cep).await {
            Ok(place) => {
                self.breaker.succeeded();
                self.remember(cep, place.clone(), now);
                place
            }
            Err(error) => {
                tracing::warn!(%error, "cannot look up a postal code; the built-in table answers");
                self.pause.note(&error, self.clock.now());
                self.breaker.failed(self.clock.now());
                cep_table::find(cep)
            }
        }
    }

    async fn ask(
        &self,
        service: &dyn PostalCodes,
        cep: &Cep,
    ) -> Result<Option<Place>, CarrierError> {
        let answer = async {
            let _place = self.places.acquire().await;
            service.find(cep).await
        };
        tokio::time::timeout(self.patience, answer).await.unwrap_or(Err(CarrierError::TooSlow))
    }

    fn recall(&self, cep: &Cep, now: Timestamp) -> Option<Known> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(cep).filter(|known| now < known.until).cloned()
    }

    fn remember(&self, cep: &Cep, place: Option<Place>, now: Timestamp) {
        let until = now.plus(if place.is_some() { REMEMBERED } else { UNKNOWN_REMEMBERED });
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_REMEMBERED {
            known.retain(|_, known| now < known.until);
        }
        if known.len() >= MAX_REMEMBERED {
            // What would be forgotten first anyway.
            let first = known.iter().min_by_key(|(_, known)| known.until);
            if let Some(cep) = first.map(|(cep, _)| cep.clone()) {
                known.remove(&cep);
            }
        }
        known.insert(cep.clone(), Known { place, until });
    }
}
