//! The port to carriers, which quote what it costs to send a parcel.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::packing::{PackedParcel, PackingPlan};
use crate::clock::Timestamp;
use crate::money::Money;
use crate::value::{Cep, Length, Weight};

/// A service that quotes prices for parcels.
pub trait CarrierQuotes: Send + Sync + 'static {
    /// Its name, for logs.
    fn name(&self) -> &'static str;

    /// The ways in which it would carry a parcel; none where it does not serve the place. Dropping
    /// the future calls the question off.
    fn quote<'a>(
        &'a self,
        parcel: &'a Parcel,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Vec<CarrierOption>, CarrierError>>;

    /// Whether it could carry anything at all just now. A small parcel to the middle of São Paulo
    /// says so, where nothing cheaper does: a carrier that names no price for it is of no use.
    fn probe(&self, now: Timestamp) -> BoxFuture<'_, Result<(), CarrierError>> {
        Box::pin(async move {
            let to = PROBED.parse().map_err(|_| CarrierError::Unusable("no such postal code"))?;
            let value = Money::from_cents(5000);
            let options = self.quote(&Parcel::new(to, Weight::DEFAULT, value), now).await?;
            if options.is_empty() { Err(CarrierError::NoOffer) } else { Ok(()) }
        })
    }
}

/// What a third party answers. One whose code panics has failed, as one that breaks off has: a
/// program's own carrier must not take the shopper's order down.
pub(super) async fn unless_panics<T>(
    question: impl Future<Output = Result<T, CarrierError>>,
) -> Result<T, CarrierError> {
    let panicked = |_| Err(CarrierError::Unreachable("it panicked".to_owned()));
    AssertUnwindSafe(question).catch_unwind().await.unwrap_or_else(panicked)
}

/// Where carriers are asked to go when only their answer matters: the Praça da Sé.
const PROBED: &str = "01001000";

/// What is to be sent, as carriers are asked about it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Parcel {
    /// Where it goes.
    pub to: Cep,
    /// What it weighs.
    pub weight: Weight,
    /// What it is worth, for the insurance.
    pub value: Money,
    /// The boxes that it consists of, at least one. Their weights and values come to the parcel's.
    pub volumes: Vec<Volume>,
}

/// A box of a parcel. Its sides are outer ones in whole centimetres, rounded up, and no shorter
/// than any carrier's shortest: 16 x 11 x 2 cm.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Volume {
    /// Its sides.
    pub size: BoxSize,
    /// What it weighs.
    pub weight: Weight,
    /// What is in it is worth.
    pub value: Money,
}

/// The sides that no carrier's shortest exceed.
const LEAST: BoxSize = BoxSize { length: 16, width: 11, height: 2 };

/// How many volumes a carrier is asked about at most; a larger order has the shop's tariffs.
const MAX_VOLUMES: usize = 50;

impl Parcel {
    /// A parcel of one box of [`BOX`]'s size.
    pub(crate) fn new(to: Cep, weight: Weight, value: Money) -> Self {
        let volume = Volume::new(BOX, weight, value);
        Self { to, weight: volume.weight, value, volumes: vec![volume] }
    }

    /// What was packed for an order; none where carriers cannot be asked about so much.
    pub(crate) fn packed(to: Cep, plan: &PackingPlan) -> Option<Self> {
        let volumes: Vec<Volume> = plan.parcels.iter().map(Volume::of).collect();
        if !(1..=MAX_VOLUMES).contains(&volumes.len()) {
            return None;
        }
        let grams = volumes.iter().map(|volume| volume.weight.grams()).sum();
        let value = volumes.iter().map(|volume| volume.value).sum();
        Some(Self { to, weight: Weight::from_grams(grams), value, volumes })
    }
}

impl Volume {
    /// As carriers take it: of a gram at least, whatever its products are said to weigh.
    fn new(size: BoxSize, weight: Weight, value: Money) -> Self {
        Self { size, weight: weight.max(Weight::from_grams(1)), value }
    }

    fn of(parcel: &PackedParcel) -> Self {
        let side = |length: Length| u32::try_from(length.whole_centimetres()).unwrap_or(u32::MAX);
        let size = BoxSize {
            length: side(parcel.length).max(LEAST.length),
            width: side(parcel.width).max(LEAST.width),
            height: side(parcel.height).max(LEAST.height),
        };
        Self::new(size, parcel.weight, parcel.value)
    }
}

/// The outer sides of a box, in whole centimetres.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BoxSize {
    /// Its longest side.
    pub length: u32,
    /// The second longest side.
    pub width: u32,
    /// The shortest side.
    pub height: u32,
}

/// The box of a shop that names none: it holds a few candles, and is no smaller than any carrier's
/// smallest.
pub const BOX: BoxSize = BoxSize { length: 16, width: 11, height: 8 };

/// A way to send a parcel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CarrierOption {
    /// Its id, which begins with the carrier's own prefix, e.g. `me-1`.
    pub id: String,
    /// As shoppers see it.
    pub name: String,
    /// What it costs.
    pub price: Money,
    /// Business days until delivery.
    pub estimated_days: i64,
}

/// Why a carrier or a look-up gave no usable answer. Never holds a token.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum CarrierError {
    /// It could not be reached, or broke off.
    #[error("cannot be reached: {0}")]
    Unreachable(String),
    /// It took too long.
    #[error("no answer in time")]
    TooSlow,
    /// Its answer was larger than any quote.
    #[error("the answer is too large")]
    TooLarge,
    /// It answered with this status.
    #[error("answered with status {0}")]
    Status(u16),
    /// It was asked too often, and wants to be left alone for a while.
    #[error("asked to be left alone")]
    TooManyRequests {
        /// For how long, where it said so.
        retry_after: Option<Duration>,
    },
    /// Its answer makes no sense.
    #[error("the answer is not understood: {0}")]
    Garbage(&'static str),
    /// It has no offer for a parcel that every carrier takes.
    #[error("has no offer for a plain parcel")]
    NoOffer,
    /// It cannot be asked with these settings.
    #[error("unusable settings: {0}")]
    Unusable(&'static str),
}
