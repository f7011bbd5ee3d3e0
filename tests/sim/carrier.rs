//! A carrier, whose price changes by the hour and which remembers what it told.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;
use shop_core::clock::Timestamp;
use shop_core::money::Money;
use shop_core::shipping::{CarrierError, CarrierOption, CarrierQuotes, Parcel};

/// Its only service.
pub(crate) const OPTION: &str = "sim-1";
/// For how long the shop keeps an offer, in milliseconds.
const HELD: i64 = 30 * 60 * 1_000;
/// For how long a carrier that failed may be left alone, in milliseconds.
const LEFT_ALONE: i64 = 3_600_000;

/// How it answers during one step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CarrierMood {
    #[default]
    Answers,
    IsDown,
    IsTooSlow,
    /// Answers something that makes no sense.
    Babbles,
    /// Does not go there today.
    HasNoOffer,
}

impl CarrierMood {
    pub(crate) const FAULTS: [Self; 4] =
        [Self::IsDown, Self::IsTooSlow, Self::Babbles, Self::HasNoOffer];
}

#[derive(Debug, Default)]
struct Told {
    mood: CarrierMood,
    /// When it told which price, in milliseconds and cents.
    prices: Vec<(i64, i64)>,
    failed_at: Option<i64>,
}

/// The carrier. Clones share what it told.
#[derive(Debug, Clone, Default)]
pub(crate) struct Carrier(Arc<Mutex<Told>>);

impl Carrier {
    fn told(&self) -> MutexGuard<'_, Told> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set(&self, mood: CarrierMood) {
        self.told().mood = mood;
    }

    /// Whether it told this price, in cents, and the shop may still offer it.
    pub(crate) fn offers(&self, price: i64, now: i64) -> bool {
        self.told().prices.iter().any(|(at, told)| *told == price && now - at <= HELD)
    }

    /// Whether nothing keeps the shop from having its price.
    pub(crate) fn is_well(&self, now: i64) -> bool {
        let told = self.told();
        let lately = told.failed_at.is_some_and(|at| now - at <= LEFT_ALONE);
        told.mood == CarrierMood::Answers && !lately
    }
}

impl CarrierQuotes for Carrier {
    fn name(&self) -> &'static str {
        "simulated"
    }

    fn quote<'a>(
        &'a self,
        _: &'a Parcel,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Vec<CarrierOption>, CarrierError>> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            let (mut told, now) = (self.told(), now.millis());
            if told.mood != CarrierMood::Answers {
                told.failed_at = Some(now);
            }
            match told.mood {
                CarrierMood::Answers => {}
                CarrierMood::HasNoOffer => return Ok(Vec::new()),
                CarrierMood::IsDown => {
                    return Err(CarrierError::Unreachable("simulated".to_owned()));
                }
                CarrierMood::IsTooSlow => return Err(CarrierError::TooSlow),
                CarrierMood::Babbles => return Err(CarrierError::Garbage("simulated")),
            }
            let price = 900 + now / 3_600_000 % 24 * 10;
            told.prices.push((now, price));
            Ok(vec![CarrierOption {
                id: OPTION.to_owned(),
                name: "Simulada".to_owned(),
                price: Money::from_cents(price),
                estimated_days: 3,
            }])
        })
    }
}
