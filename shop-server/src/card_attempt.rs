//! How many cards may be refused: trying out stolen cards takes many refusals.
//!
//! An attempt counts from its beginning, so that many at once do not slip through, and is taken
//! back unless the provider was asked and refused. One whose connection breaks off before its
//! outcome is known stays counted: the outcome can be read from the order afterwards.

use std::sync::Arc;
use std::time::Duration;

use shop_core::clock::Timestamp;
use shop_core::error::Refusal;
use shop_core::{Error, Result};

use crate::app::App;
use crate::rate_limit::{Client, Rate};
use crate::reply::Failure;

/// An attempt to pay by card, counted for its account and its address.
pub(crate) struct CardAttempt {
    app: Arc<App>,
    counted: Vec<(Rate, Client)>,
    at: Timestamp,
    is_made: bool,
}

impl CardAttempt {
    /// Counts an attempt.
    ///
    /// # Errors
    /// [`Failure::TooMany`] where too many were refused.
    pub(crate) fn begin(app: &Arc<App>, account: Client, network: Client) -> Result<Self, Failure> {
        let payments = &app.shop.config().payments;
        let (by_account, by_network) =
            (payments.card_refusals_per_hour.get(), payments.card_refusals_per_hour_per_ip.get());
        let mut attempt = Self {
            app: Arc::clone(app),
            counted: Vec::with_capacity(2),
            at: app.shop.now(),
            is_made: false,
        };
        attempt.count(refusals("card_by_account", by_account), account)?;
        attempt.count(refusals("card", by_network), network)?;
        Ok(attempt)
    }

    fn count(&mut self, rate: Rate, client: Client) -> Result<(), Failure> {
        let admitted = self.app.limiter.admit(rate, client.clone(), self.at);
        admitted.map_err(Failure::TooMany)?;
        self.counted.push((rate, client));
        Ok(())
    }

    /// Makes the attempt. Without this call, as where the request turns out to be malformed, it
    /// does not count.
    pub(crate) async fn make<T>(mut self, pay: impl Future<Output = Result<T>>) -> Result<T> {
        self.is_made = true;
        let paid = pay.await;
        self.is_made = is_refused(&paid);
        paid
    }
}

impl Drop for CardAttempt {
    fn drop(&mut self) {
        if !self.is_made {
            for (rate, client) in self.counted.drain(..) {
                self.app.limiter.take_back(rate, client, self.at);
            }
        }
    }
}

fn refusals(name: &'static str, max: u32) -> Rate {
    let max = usize::try_from(max).unwrap_or(usize::MAX);
    Rate { name, max, window: Duration::from_secs(60 * 60) }
}

/// Whether the provider was asked and refused the card or its token.
fn is_refused<T>(paid: &Result<T>) -> bool {
    match paid {
        Err(Error::Refused(Refusal::CardRejected { repeated, .. })) => !repeated,
        Err(Error::Refused(Refusal::InvalidCardToken)) => true,
        _ => false,
    }
}
