//! How the carriers are doing: each is asked for a price now and then, as an order would.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::sync::Mutex;

use super::carrier::{CarrierError, CarrierQuotes};
use crate::clock::{Clock, Timestamp};
use crate::value::wire_enum;

/// What was found so long ago is still good.
pub(super) const FRESH: Duration = Duration::from_secs(5 * 60);

/// The names of the carriers that this library can ask, in the order of preference.
pub(crate) const SUPPORTED: [&str; 3] = ["Melhor Envio", "Correios", "Frenet"];

/// How a carrier is doing.
#[apply(answer!)]
pub struct CarrierState {
    /// As it calls itself, e.g. "Melhor Envio".
    pub name: &'static str,
    /// Whether it answers.
    pub status: CarrierStatus,
    /// When it was last asked; never, where it is not set up.
    pub last_check: Option<Timestamp>,
}

wire_enum! {
    /// Whether a carrier answers.
    #[cfg_attr(feature = "schema", schemars(inline))]
    pub enum CarrierStatus {
        /// It named a price for a parcel when it was last asked.
        Connected = "connected",
        /// It did not, or it is not set up.
        Disconnected = "disconnected",
    }
}

/// Asks the carriers how they are, all of them side by side.
pub(crate) struct CarrierHealth {
    watched: Vec<Watched>,
    /// What was found last. Held while carriers are asked: a caller that comes meanwhile waits for
    /// that.
    last: Mutex<Option<Round>>,
    clock: Arc<dyn Clock>,
    budget: Duration,
}

struct Watched {
    name: &'static str,
    /// None where it is not set up.
    carrier: Option<Arc<dyn CarrierQuotes>>,
}

struct Round {
    at: Timestamp,
    states: Vec<CarrierState>,
}

impl CarrierHealth {
    /// Watches these carriers, and shows those of `expected` that are not among them as not set up.
    pub(crate) fn new(
        carriers: &[Arc<dyn CarrierQuotes>],
        expected: &[&'static str],
        clock: Arc<dyn Clock>,
        budget: Duration,
    ) -> Self {
        let missing = expected.iter().filter(|name| carriers.iter().all(|it| it.name() != **name));
        let mut watched: Vec<Watched> = carriers
            .iter()
            .map(|carrier| Watched { name: carrier.name(), carrier: Some(Arc::clone(carrier)) })
            .chain(missing.map(|name| Watched { name, carrier: None }))
            .collect();
        watched.sort_by_key(|it| expected.iter().position(|name| *name == it.name));
        Self { watched, last: Mutex::default(), clock, budget }
    }

    /// Whether a carrier is set up.
    pub(crate) fn has_carriers(&self) -> bool {
        self.watched.iter().any(|it| it.carrier.is_some())
    }

    /// What was found, by asking where the last time is longer ago than `max_age`. Takes no longer
    /// than the budget.
    pub(crate) async fn look(&self, max_age: Duration) -> Vec<CarrierState> {
        let mut last = self.last.lock().await;
        let now = self.clock.now();
        if let Some(round) = &*last
            && now < round.at.plus(max_age)
        {
            return round.states.clone();
        }
        let states = join_all(self.watched.iter().map(|it| it.ask(now, self.budget))).await;
        *last = Some(Round { at: now, states: states.clone() });
        states
    }
}

impl Watched {
    async fn ask(&self, now: Timestamp, budget: Duration) -> CarrierState {
        let Some(carrier) = &self.carrier else {
            let status = CarrierStatus::Disconnected;
            return CarrierState { name: self.name, status, last_check: None };
        };
        let answer = tokio::time::timeout(budget, carrier.probe(now)).await;
        let status = match answer.unwrap_or(Err(CarrierError::TooSlow)) {
            Ok(()) => CarrierStatus::Connected,
            Err(error) => {
                tracing::warn!(carrier = self.name, %error, "does not answer");
                CarrierStatus::Disconnected
            }
        };
        CarrierState { name: self.name, status, last_check: Some(now) }
    }
}
