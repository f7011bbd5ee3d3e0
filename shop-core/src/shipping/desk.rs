//! Where carriers are asked: all of them side by side, the preferred one listened to first.

use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::sync::Semaphore;

use super::ShippingOption;
use super::breaker::Breaker;
use super::carrier::{CarrierError, CarrierOption, CarrierQuotes, Parcel};
use super::kept::KeptQuotes;
use crate::clock::{Clock, Timestamp};
use crate::id::ShippingOptionId;
use crate::money::Money;
use crate::value::{Cep, Weight};

/// Steps of weight in grams. Parcels of one step cost the same with Correios, so quoting for the
/// step's end makes no parcel dearer, and one quote does for many carts.
const LIGHT_STEPS: [i64; 3] = [300, 500, 1000];
/// Beyond a kilogram, every kilogram is a step.
const KILOGRAM: i64 = 1000;
/// A step of declared value: R$ 50,00.
const VALUE_STEP: i64 = 5000;
/// How many questions may be under way at once. Beyond it the tariffs answer: who asks for quotes
/// to a thousand places at once shall not make this machine open thousands of connections.
const MAX_QUESTIONS: usize = 128;
/// More options than anybody reads.
const MAX_OPTIONS: usize = 20;

/// The carriers in the order of preference, with what is remembered of them.
pub(crate) struct QuoteDesk {
    carriers: Vec<Asked>,
    kept: KeptQuotes,
    places: Semaphore,
    clock: Arc<dyn Clock>,
    budget: Duration,
}

struct Asked {
    carrier: Arc<dyn CarrierQuotes>,
    breaker: Breaker,
}

impl QuoteDesk {
    pub(crate) fn new(
        carriers: Vec<Arc<dyn CarrierQuotes>>,
        clock: Arc<dyn Clock>,
        budget: Duration,
    ) -> Self {
        let asked = |carrier| Asked { carrier, breaker: Breaker::default() };
        let carriers = carriers.into_iter().map(asked).collect();
        let places = Semaphore::new(MAX_QUESTIONS);
        Self { carriers, kept: KeptQuotes::default(), places, clock, budget }
    }

    /// Whether there is anybody to ask.
    pub(crate) fn has_carriers(&self) -> bool {
        !self.carriers.is_empty()
    }

    /// The options of the first carrier, in the order of preference, that has any; cheapest first.
    /// None when no carrier answers usefully within the budget.
    pub(crate) async fn quote(&self, parcel: &Parcel) -> Vec<ShippingOption> {
        let now = self.clock.now();
        if let Some(options) = self.kept.fresh(parcel, now) {
            return options;
        }
        let options = in_order(self.ask(parcel, now).await);
        if !options.is_empty() {
            self.kept.keep(parcel.clone(), options.clone(), now);
        }
        options
    }

    /// The option that a customer names: as it was offered to him, else as it is offered now.
    pub(crate) async fn named(
        &self,
        parcel: &Parcel,
        id: &ShippingOptionId,
    ) -> Option<ShippingOption> {
        if let Some(offered) = self.kept.offer(parcel, id, self.clock.now()) {
            return Some(offered);
        }
        let now_offered = self.quote(parcel).await.into_iter().find(|option| option.id == *id);
        now_offered.or_else(|| self.kept.offer_for_heavier(parcel, id, self.clock.now()))
    }

    async fn ask(&self, parcel: &Parcel, now: Timestamp) -> Vec<CarrierOption> {
        if self.carriers.is_empty() {
            return Vec::new();
        }
        let Ok(_place) = self.places.try_acquire() else {
            tracing::warn!("too many questions to carriers are under way");
            return Vec::new();
        };
        let mut answers: Vec<Option<Vec<CarrierOption>>> = vec![None; self.carriers.len()];
        let questions = self.carriers.iter().enumerate();
        let mut questions: FuturesUnordered<_> = questions
            .map(|(place, asked)| async move {
                (place, asked.ask(parcel, now, &*self.clock, self.budget).await)
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

/// The first answer with options, once everybody who is preferred to it has answered.
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
        budget: Duration,
    ) -> Vec<CarrierOption> {
        let name = self.carrier.name();
        if !self.breaker.allows(now) {
            tracing::debug!(carrier = name, "left alone, it failed too often");
            return Vec::new();
        }
        let answer = tokio::time::timeout(budget, self.carrier.quote(parcel, now)).await;
        match answer.unwrap_or(Err(CarrierError::TooSlow)) {
            Ok(options) => {
                self.breaker.succeeded();
                options
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

impl Parcel {
    /// The parcel that stands for all of its steps of weight and value.
    pub(crate) fn stepped(to: Cep, weight: Weight, value: Money) -> Self {
        let grams = weight.grams();
        let light = LIGHT_STEPS.into_iter().find(|step| grams <= *step);
        let grams = light.unwrap_or_else(|| step_up(grams, KILOGRAM));
        let value = Money::from_cents(step_up(value.cents(), VALUE_STEP));
        Self { to, weight: Weight::from_grams(grams), value }
    }
}

fn step_up(amount: i64, step: i64) -> i64 {
    (amount.max(1) - 1) / step * step + step
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parcels_of_one_step_are_one_parcel() {
        let stepped = |grams, cents| {
            let cep: Cep = "01001000".parse().expect("a code");
            let weight = Weight::from_grams(grams);
            let parcel = Parcel::stepped(cep, weight, Money::from_cents(cents));
            (parcel.weight.grams(), parcel.value.cents())
        };
        assert_eq!(stepped(0, 0), (300, 5000));
        assert_eq!(stepped(300, 5000), (300, 5000));
        assert_eq!(stepped(301, 5001), (500, 10_000));
        assert_eq!(stepped(1000, 14_999), (1000, 15_000));
        assert_eq!(stepped(1001, 15_001), (2000, 20_000));
    }
}
