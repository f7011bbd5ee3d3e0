//! Where a postal code is: by a look-up service, whose answers are kept, else its state by a table.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};

use super::breaker::Breaker;
use super::carrier::{CarrierError, unless_panics};
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
        // The question before this one may have been answered just now.
        if let Some(known) = self.recall(cep, self.clock.now()) {
            return known.place;
        }
        let deadline = Instant::now() + self.patience;
        if let Ok(_place) = self.places.try_acquire() {
            return self.ask(service, cep, deadline, false).await;
        }
        match timeout_at(deadline, self.places.acquire()).await {
            Ok(Ok(_place)) => self.ask(service, cep, deadline, true).await,
            _ => cep_table::find(cep),
        }
    }

    /// Asks the service until the deadline, unless it is left alone; the built-in table answers
    /// where it does not.
    async fn ask(
        &self,
        service: &dyn PostalCodes,
        cep: &Cep,
        deadline: Instant,
        waited: bool,
    ) -> Option<Place> {
        let now = self.clock.now();
        if self.pause.check(now).is_err() || !self.breaker.allows(now) {
            return cep_table::find(cep);
        }
        let find = unless_panics(async { service.find(cep).await });
        let answer = timeout_at(deadline, find).await;
        match answer.unwrap_or(Err(CarrierError::TooSlow)) {
            Ok(place) => {
                self.breaker.succeeded();
                self.remember(cep, place.clone(), now);
                place
            }
            Err(error) => {
                tracing::warn!(%error, "cannot look up a postal code; the built-in table answers");
                self.note(&error, waited);
                cep_table::find(cep)
            }
        }
    }

    /// What an error says of the service. One that asks to be left alone is, and has not failed;
    /// nor has one that had less than its time, since the question waited for its place.
    fn note(&self, error: &CarrierError, waited: bool) {
        let now = self.clock.now();
        match error {
            CarrierError::TooManyRequests { .. } => self.pause.note(error, now),
            CarrierError::TooSlow if waited => {}
            _ => drop(self.breaker.failed(now)),
        }
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

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::future::{BoxFuture, join_all, pending};
    use futures_util::poll;

    use super::*;
    use crate::clock::SystemClock;

    /// A service that never answers, and counts how often it is asked.
    #[derive(Default)]
    struct Silent(AtomicUsize);

    impl PostalCodes for Silent {
        fn find<'a>(&'a self, _: &'a Cep) -> BoxFuture<'a, Result<Option<Place>, CarrierError>> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Box::pin(pending())
        }
    }

    #[tokio::test]
    async fn a_question_that_waited_for_its_place_opens_no_breaker() {
        let silent = Arc::new(Silent::default());
        let service: Option<Arc<dyn PostalCodes>> = Some(silent.clone());
        let patience = Duration::from_millis(200);
        let lookup = PostalCodeLookup::new(service, Arc::new(SystemClock), patience);
        let ceps: Vec<Cep> =
            (0..5).map(|n| format!("0100100{n}").parse().expect("a code")).collect();
        let full = lookup.places.acquire_many(16).await.expect("all places");
        let mut waiting = pin!(join_all(ceps[..4].iter().map(|cep| lookup.find(cep))));
        assert!(poll!(&mut waiting).is_pending());
        drop(full);
        assert!(waiting.await.iter().all(Option::is_some), "the built-in table answers");
        let before = silent.0.load(Ordering::Relaxed);
        lookup.find(&ceps[4]).await;
        assert_eq!(silent.0.load(Ordering::Relaxed), before + 1, "it is still asked");
    }
}
