//! How calls of third parties ended, and how long they took.

#[cfg(feature = "http")]
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
#[cfg(feature = "http")]
use std::time::Instant;

use crate::measure::{Histogram, Recorder};
use crate::value::words;

words! {
    /// A third party that the shop calls by HTTP.
    #[non_exhaustive]
    pub enum ThirdParty {
        /// The provider of PIX codes and cards.
        Provider1 = "provider1",
        /// The provider of payment intents.
        Provider2 = "provider2",
        /// Quotes of shipping, and labels.
        MelhorEnvio = "melhor_envio",
        /// Quotes of shipping.
        Correios = "correios",
        /// Quotes of shipping.
        Frenet = "frenet",
        /// Postal codes.
        ViaCep = "viacep",
        /// The tax office.
        Sefaz = "sefaz",
    }
}

words! {
    /// How a call of a third party ended.
    #[non_exhaustive]
    pub enum CallOutcome {
        /// It answered with a status below 400.
        Answered = "answered",
        /// It answered with a status from 400 to 499.
        Refused = "refused",
        /// It answered with a status from 500 on.
        Failed = "failed",
        /// It could not be reached, or the connection broke.
        Unreachable = "unreachable",
        /// It took too long.
        Timeout = "timeout",
        /// Its answer, or its address, is of no use.
        Unusable = "unusable",
    }
}

/// The calls of one third party since the shop was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallFigures {
    /// Who was called.
    pub provider: ThirdParty,
    /// How many calls ended in each way.
    pub outcomes: [(CallOutcome, u64); CallOutcome::ALL.len()],
    /// How long they took, in microseconds.
    pub times: Histogram,
}

/// The calls of each third party.
#[derive(Debug)]
pub(crate) struct ProviderCalls([Calls; ThirdParty::ALL.len()]);

#[derive(Debug)]
struct Calls {
    outcomes: [AtomicU64; CallOutcome::ALL.len()],
    times: Recorder,
}

impl Default for ProviderCalls {
    fn default() -> Self {
        let of_one = |_| Calls { outcomes: Default::default(), times: Recorder::of_times() };
        Self(ThirdParty::ALL.map(of_one))
    }
}

impl ProviderCalls {
    pub(crate) fn figures(&self) -> Vec<CallFigures> {
        let of_one = |(provider, calls): (ThirdParty, &Calls)| CallFigures {
            provider,
            outcomes: CallOutcome::ALL
                .map(|it| (it, calls.outcomes[it as usize].load(Ordering::Relaxed))),
            times: calls.times.histogram(),
        };
        ThirdParty::ALL.into_iter().zip(&self.0).map(of_one).collect()
    }
}

/// Where the calls of one third party are counted.
#[cfg(feature = "http")]
#[derive(Debug, Clone)]
pub(crate) struct CallCounter {
    calls: Arc<ProviderCalls>,
    pub(crate) provider: ThirdParty,
}

#[cfg(feature = "http")]
impl CallCounter {
    pub(crate) fn new(calls: &Arc<ProviderCalls>, provider: ThirdParty) -> Self {
        Self { calls: Arc::clone(calls), provider }
    }

    /// A call that begins now.
    pub(crate) fn begin(&self) -> CallUnderWay<'_> {
        let calls = &self.calls.0[self.provider as usize];
        // Whoever asks gives up by dropping the call.
        CallUnderWay { calls, begun: Instant::now(), outcome: CallOutcome::Timeout }
    }
}

/// A call; it is counted when it is dropped.
#[cfg(feature = "http")]
pub(crate) struct CallUnderWay<'c> {
    calls: &'c Calls,
    begun: Instant,
    outcome: CallOutcome,
}

#[cfg(feature = "http")]
impl CallUnderWay<'_> {
    pub(crate) fn ended(mut self, outcome: CallOutcome) {
        self.outcome = outcome;
    }
}

#[cfg(feature = "http")]
impl Drop for CallUnderWay<'_> {
    fn drop(&mut self) {
        self.calls.outcomes[self.outcome as usize].fetch_add(1, Ordering::Relaxed);
        self.calls.times.record_time(self.begun.elapsed());
    }
}
