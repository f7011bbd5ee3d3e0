//! Where carriers are asked: all of them side by side, the preferred one listened to first.

use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::ShippingOption;
use super::breaker::Breaker;
use super::carrier::{CarrierError, CarrierOption, CarrierQuotes, Parcel};
use super::in_flight::InFlight;
use super::quote_cache::QuoteCache;
use crate::clock::{Clock, Timestamp};
use crate::id::ShippingOptionId;

/// How many parcels are asked about at once, each of all carriers. A caller that
/// wants quotes to a thousand places at once must not make the shop open thousands of connections.
const MAX_QUESTIONS: usize = 16;
/// Options of an answer at most; a shopper reads no more.
const MAX_OPTIONS: usize = 20;

/// The carriers in the order of preference, with what is remembered of them.
pub(crate) struct QuoteService {
    carriers: Vec<Asked>,
    cache: QuoteCache,
    in_flight: InFlight<Parcel, Vec<ShippingOption>>,
    places: Semaphore,
    clock: Arc<dyn Clock>,
    budget: Duration,
}

struct Asked {
    carrier: Arc<dyn CarrierQuotes>,
    breaker: Breaker,
}

opaque! { QuoteService; }

impl QuoteService {
    pub(crate) fn new(
        carriers: Vec<Arc<dyn CarrierQuotes>>,
        clock: Arc<dyn Clock>,
        budget: Duration,
    ) -> Self {
        let asked = |carrier| Asked { carrier, breaker: Breaker::default() };
        let carriers = carriers.into_iter().map(asked).collect();
        let places = Semaphore::new(MAX_QUESTIONS);
        let (cache, in_flight) = (QuoteCache::default(), InFlight::default());
        Self { carriers, cache, in_flight, places, clock, budget }
    }

    /// Whether a carrier is set up.
    pub(crate) fn has_carriers(&self) -> bool {
        !self.carriers.is_empty()
    }

    /// Whether a quote for this parcel would be asked of a carrier.
    pub(super) fn would_ask(&self, parcel: &Parcel) -> bool {
        self.has_carriers() && self.cache.fresh(parcel, self.clock.now()).is_none()
    }

    /// The options of the first carrier, in the order of preference, that has any; cheapest first.
    /// None when no carrier answers usefully within the budget.
    pub(crate) async fn quote(&self, parcel: &Parcel) -> Vec<ShippingOption> {
        if let Some(options) = self.cache.fresh(parcel, self.clock.now()) {
            return options;
        }
        self.in_flight.ask(parcel, self.quote_anew(parcel)).await
    }

    async fn quote_anew(&self, parcel: &Parcel) -> Vec<ShippingOption> {
        let now = self.clock.now();
        // The question before this one may have been answered just now.
        if let Some(options) = self.cache.fresh(parcel, now) {
            return options;
        }
        let options = in_order(self.ask(parcel, now).await);
        if !options.is_empty() {
            self.cache.store(parcel.clone(), options.clone(), now);
        }
        options
    }

    /// The option that a customer names: as it was offered for this parcel, else as it is offered
    /// now.
    pub(crate) async fn named(
        &self,
        parcel: &Parcel,
        id: &ShippingOptionId,
    ) -> Option<ShippingOption> {
        if let Some(offered) = self.cache.offer(parcel, id, self.clock.now()) {
            return Some(offered);
        }
        self.quote(parcel).await.into_iter().find(|option| option.id == *id)
    }

    /// Waits at most half of the budget for its turn, so that carriers have the other half at
    /// least.
    async fn ask(&self, parcel: &Parcel, now: Timestamp) -> Vec<CarrierOption> {
        if self.carriers.is_empty() {
            return Vec::new();
        }
        let deadline = Instant::now() + self.budget;
        let turn = tokio::time::timeout(self.budget / 2, self.places.acquire());
        let Ok(Ok(_place)) = turn.await else {
            tracing::warn!("too many questions to carriers are under way");
            return Vec::new();
        };
        let mut answers: Vec<Option<Vec<CarrierOption>>> = vec![None; self.carriers.len()];
        let questions = self.carriers.iter().enumerate();
        let mut questions: FuturesUnordered<_> = questions
            .map(|(place, asked)| async move {
                (place, asked.ask(parcel, now, &*self.clock, deadline).await)
            })
            .collect();
        while let Some((place, options)) = questions.next().await {
            answers[place] = Some(options);
            if let Some(winner) = decided(&mut answers) {
                return winner;
            }
        }
        Vec::new()
    }
}

/// The first answer with options, once every carrier that is preferred to it has answered.
fn decided(answers: &mut [Option<Vec<CarrierOption>>]) -> Option<Vec<CarrierOption>> {
    for answer in answers {
        match answer {
            None => return None,
            Some(options) if options.is_empty() => {}
            Some(options) => return Some(std::mem::take(options)),
        }
    }
    None
}

impl Asked {
    /// Its options; none also when it fails, is too slow, or failed too often of late.
    async fn ask(
        &self,
        parcel: &Parcel,
        now: Timestamp,
        clock: &dyn Clock,
        deadline: Instant,
    ) -> Vec<CarrierOption> {
        let name = self.carrier.name();
        if !self.breaker.allows(now) {
            tracing::debug!(carrier = name, "left alone, it failed too often");
            return Vec::new();
        }
        let answer = tokio::time::timeout_at(deadline, self.carrier.quote(parcel, now)).await;
        match answer.unwrap_or(Err(CarrierError::TooSlow)) {
            Ok(options) => {
                self.breaker.succeeded();
                options
            }
            // It is left alone for as long as it asked for (`pause.rs`).
            Err(error @ CarrierError::TooManyRequests { .. }) => {
                tracing::debug!(carrier = name, %error, "no quote");
                Vec::new()
            }
            Err(error) => {
                tracing::warn!(carrier = name, %error, "no quote");
                if self.breaker.failed(clock.now()) {
                    tracing::warn!(
                        carrier = name,
                        "failed too often and is left alone for a while"
                    );
                }
                Vec::new()
            }
        }
    }
}

fn in_order(options: Vec<CarrierOption>) -> Vec<ShippingOption> {
    let mut options: Vec<ShippingOption> = options.into_iter().map(ShippingOption::from).collect();
    options.sort_by(|a, b| (a.price, &a.id).cmp(&(b.price, &b.id)));
    options.dedup_by(|a, b| a.id == b.id);
    options.truncate(MAX_OPTIONS);
    options
}

impl From<CarrierOption> for ShippingOption {
    fn from(option: CarrierOption) -> Self {
        let CarrierOption { id, name, price, estimated_days } = option;
        Self { id: id.into(), name: name.chars().take(80).collect(), price, estimated_days }
    }
}
