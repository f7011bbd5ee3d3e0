//! What the ports demand of an implementation, as lists of checks for the tests of a program that
//! brings its own: [`pix_and_cards`] and [`intents`] for payment providers, [`carrier`],
//! [`mailer`]. Storage engines have [`crate::storage::conformance`].
//!
//! Each check is one sentence of a port's contract, tried from outside; what is broken is said with
//! the check's name. They move money at the provider's test account, quote a parcel, send mails.

mod carrier;
mod mailer;
mod payments;
mod provider;

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;

pub use self::carrier::{CARRIER_CHECKS, CarrierBench, carrier};
pub use self::mailer::{Arrived, MAILER_CHECKS, MailerBench, mailer};
pub use self::payments::{CARD_CHECKS, INTENT_CHECKS, PAYMENT_CHECKS, PIX_CHECKS};
pub use self::provider::{Card, ProviderBench, intents, pix_and_cards};
#[cfg(feature = "http")]
use crate::config::Config;
use crate::payment::{Intents, PixAndCards};
#[cfg(feature = "http")]
use crate::shipping::CarrierQuotes;
use crate::shop::Shop;

/// The payment providers that a shop was opened with, to be tried as a program's own are.
pub fn providers_of(shop: &Shop) -> (Arc<dyn PixAndCards>, Arc<dyn Intents>) {
    shop.settlement().ports()
}

/// The carriers that a configuration names, to be tried as a program's own are.
///
/// # Errors
/// [`Error::Internal`](crate::Error::Internal) when an address in the configuration is none.
#[cfg(feature = "http")]
pub fn carriers_of(config: &Config) -> crate::Result<Vec<Arc<dyn CarrierQuotes>>> {
    crate::shipping::client::Clients::new(config, &Arc::default()).map(|clients| clients.carriers)
}

/// What trying one rule showed: `Err` says what went otherwise.
type Outcome = Result<(), String>;

/// A rule of a port, and how it is tried.
type Check<B> = (&'static str, for<'b> fn(&'b B) -> BoxFuture<'b, Outcome>);

/// The rules that an implementation breaks, by the names of their checks, each with what it did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken(pub Vec<(&'static str, String)>);

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} rules are broken", self.0.len())?;
        self.0.iter().try_for_each(|(rule, why)| write!(f, "\n- {rule}: {why}"))
    }
}

impl std::error::Error for Broken {}

/// Makes a list of checks of async functions, and the list of their names.
macro_rules! checks {
    ($(#[$doc:meta])* $names:ident, $list:ident: $($check:ident),+ $(,)?) => {
        $(#[$doc])*
        pub const $names: &[&str] = &[$(stringify!($check)),+];

        pub(super) const $list: &[(
            &str,
            for<'a, 'b> fn(&'b Tried<'a>) -> futures_util::future::BoxFuture<'b, Outcome>,
        )] = &[$((stringify!($check), |tried| Box::pin($check(tried)))),+];
    };
}
use checks;

/// Tries every check of a list, one after another.
async fn run<B>(checks: &[Check<B>], bench: &B, broken: &mut Vec<(&'static str, String)>) {
    for (rule, check) in checks {
        if let Err(why) = check(bench).await {
            broken.push((*rule, why));
        }
    }
}

fn verdict(broken: Vec<(&'static str, String)>) -> Result<(), Broken> {
    if broken.is_empty() { Ok(()) } else { Err(Broken(broken)) }
}

fn must(holds: bool, otherwise: impl FnOnce() -> String) -> Outcome {
    if holds { Ok(()) } else { Err(otherwise()) }
}
