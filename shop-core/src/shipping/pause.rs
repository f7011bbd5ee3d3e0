//! A third party that says "not now" is not asked until then.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::carrier::{CarrierError, CarrierOption, CarrierQuotes, Parcel, unless_panics};
use crate::clock::{Clock, Timestamp};

/// How long to wait where nothing was said about it.
const UNSAID: Duration = Duration::from_secs(60);
/// The longest wait that is taken at its word.
const LONGEST: Duration = Duration::from_secs(60 * 60);

/// Until when a third party wants to be left alone.
#[derive(Debug, Default)]
pub(super) struct Pause(Mutex<Option<Timestamp>>);

impl Pause {
    /// # Errors
    /// [`CarrierError::TooManyRequests`] while the third party wants to be left alone.
    pub(super) fn check(&self, now: Timestamp) -> Result<(), CarrierError> {
        let until = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match until {
            Some(until) if now < until => Err(CarrierError::TooManyRequests { retry_after: None }),
            _ => Ok(()),
        }
    }

    /// Takes note of an answer that asks to be left alone.
    pub(super) fn note(&self, error: &CarrierError, now: Timestamp) {
        if let CarrierError::TooManyRequests { retry_after } = error {
            let until = now.plus(retry_after.unwrap_or(UNSAID).min(LONGEST));
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(until);
        }
    }
}

/// A carrier that is left alone for as long as it asks for, by quotes and by probes.
pub(crate) struct Paced {
    carrier: Arc<dyn CarrierQuotes>,
    pause: Pause,
    clock: Arc<dyn Clock>,
}

impl Paced {
    pub(crate) fn all(
        carriers: Vec<Arc<dyn CarrierQuotes>>,
        clock: &Arc<dyn Clock>,
    ) -> Vec<Arc<dyn CarrierQuotes>> {
        let paced = |carrier| -> Arc<dyn CarrierQuotes> {
            Arc::new(Self { carrier, pause: Pause::default(), clock: Arc::clone(clock) })
        };
        carriers.into_iter().map(paced).collect()
    }

    async fn unless_paused<T>(
        &self,
        question: impl Future<Output = Result<T, CarrierError>>,
    ) -> Result<T, CarrierError> {
        self.pause.check(self.clock.now())?;
        let answer = unless_panics(question).await;
        if let Err(error) = &answer {
            self.pause.note(error, self.clock.now());
        }
        answer
    }
}

impl CarrierQuotes for Paced {
    fn name(&self) -> &'static str {
        self.carrier.name()
    }

    fn quote<'a>(
        &'a self,
        parcel: &'a Parcel,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Vec<CarrierOption>, CarrierError>> {
        Box::pin(self.unless_paused(async move { self.carrier.quote(parcel, now).await }))
    }

    fn probe(&self, now: Timestamp) -> BoxFuture<'_, Result<(), CarrierError>> {
        Box::pin(self.unless_paused(async move { self.carrier.probe(now).await }))
    }
}
