//! The payment providers that a shop was opened with.

use std::sync::Arc;

use super::{Intents, PaymentProvider, PixAndCards, Provider};
use crate::config::Secret;
use crate::error::{Error, Result};

/// The payment providers, and the secrets that are shared with them.
pub(crate) struct Providers {
    pub(crate) provider1: Arc<dyn PixAndCards>,
    /// What provider1 may sign its notices with.
    pub(crate) provider1_secrets: Vec<Secret>,
    pub(crate) provider2: Arc<dyn Intents>,
    /// What provider2 may sign its events with.
    pub(crate) provider2_secrets: Vec<Secret>,
    /// By which card requests are known again.
    pub(crate) card_digest_key: Secret,
}

impl Providers {
    /// A provider, for what both can do.
    ///
    /// # Errors
    /// [`Error::Internal`] for payments that staff recorded, which have no provider.
    pub(crate) fn get(&self, provider: Provider) -> Result<&dyn PaymentProvider> {
        match provider {
            Provider::Provider1 => Ok(&*self.provider1),
            Provider::Provider2 => Ok(&*self.provider2),
            Provider::Staff => Err(Error::internal("a recorded payment has no provider")),
        }
    }
}
