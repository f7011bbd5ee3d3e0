//! What labels are bought with.

use std::sync::Arc;

use super::CALL;
use crate::context::Context;
use crate::error::{Error, Refusal, Result};
use crate::shipment::{LabelAnswer, LabelError, LabelProvider};

/// The shop and its provider of labels. Cheap to clone, for work that outlives the request that
/// asked for it.
#[derive(Clone)]
pub(crate) struct Fulfilment {
    pub(super) cx: Context,
    pub(super) provider: Option<Arc<dyn LabelProvider>>,
}

impl Fulfilment {
    pub(crate) fn new(cx: Context, provider: Option<Arc<dyn LabelProvider>>) -> Self {
        Self { cx, provider }
    }

    /// The provider.
    ///
    /// # Errors
    /// [`Refusal::NoLabelProvider`].
    pub(super) fn provider(&self) -> Result<Arc<dyn LabelProvider>> {
        self.provider.clone().ok_or(Error::Refused(Refusal::NoLabelProvider))
    }
}

impl std::fmt::Debug for Fulfilment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fulfilment").finish_non_exhaustive()
    }
}

/// Waits for a provider, and no longer than a claim on a shipment allows: whether a call that was
/// given up had its effect is unknown.
pub(super) async fn in_time<T>(call: impl Future<Output = LabelAnswer<T>>) -> LabelAnswer<T> {
    let given_up = |_| Err(LabelError::Unclear("no answer in time".to_owned()));
    tokio::time::timeout(CALL, call).await.unwrap_or_else(given_up)
}
