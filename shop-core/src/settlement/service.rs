//! What money is moved with.

use std::sync::Arc;

use crate::context::Context;
use crate::payment::Providers;
#[cfg(feature = "test-util")]
use crate::payment::{Intents, PixAndCards};

/// The shop and its payment providers. Cheap to clone, for work that outlives the request that
/// asked for it.
#[derive(Clone)]
pub(crate) struct Settlement {
    pub(super) cx: Context,
    pub(super) providers: Arc<Providers>,
}

impl Settlement {
    pub(crate) fn new(cx: Context, providers: Providers) -> Self {
        Self { cx, providers: Arc::new(providers) }
    }

    /// The shop's data, clock and settings.
    pub(crate) fn context(&self) -> &Context {
        &self.cx
    }

    /// The providers themselves.
    #[cfg(feature = "test-util")]
    pub(crate) fn ports(&self) -> (Arc<dyn PixAndCards>, Arc<dyn Intents>) {
        (Arc::clone(&self.providers.provider1), Arc::clone(&self.providers.provider2))
    }
}

impl std::fmt::Debug for Settlement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Settlement").finish_non_exhaustive()
    }
}
