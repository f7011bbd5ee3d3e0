//! A provider of labels whose carrier says what a test wants it to say.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use shop_core::BoxFuture;
use shop_core::clock::Timestamp;
use shop_core::money::Money;
use shop_core::shipment::{
    LabelAnswer, LabelError, LabelProvider, LabelRequest, ProviderLabel, ProviderLabelStatus,
};
use tokio::sync::Semaphore;

#[derive(Clone, Default)]
pub(crate) struct Carrier(Arc<Mutex<Office>>);

#[derive(Default)]
pub(crate) struct Office {
    labels: HashMap<String, ProviderLabel>,
    /// The files of labels.
    pub(crate) files: HashMap<String, Vec<u8>>,
    /// The labels that were asked about, in that order.
    pub(crate) asked: Vec<String>,
    pub(crate) is_closed: bool,
    /// Each answer takes one of these permits, where there are any.
    pub(crate) permits: Option<Arc<Semaphore>>,
}

impl Carrier {
    pub(crate) fn office(&self) -> MutexGuard<'_, Office> {
        self.0.lock().expect("a lock")
    }

    /// Says how a label stands, and when it came to that.
    pub(crate) fn say(&self, id: &str, status: ProviderLabelStatus, at: Timestamp) {
        use ProviderLabelStatus::{Delivered, Posted, Undelivered};
        let mut label = ProviderLabel::new(id, status, Money::from_cents(1800));
        label.service_name = Some("Correios SEDEX".to_owned());
        label.tracking_code = Some(code(id));
        label.delivery_days = Some(2);
        label.posted_at = matches!(status, Posted | Undelivered).then_some(at);
        label.delivered_at = (status == Delivered).then_some(at);
        self.tell(label);
    }

    pub(crate) fn tell(&self, label: ProviderLabel) {
        self.office().labels.insert(label.id.clone(), label);
    }

    pub(crate) fn forget(&self, id: &str) {
        self.office().labels.remove(id);
    }
}

/// The code of a label.
pub(crate) fn code(id: &str) -> String {
    format!("AA{id}BR")
}

fn none<'a, T: Send + 'a>() -> BoxFuture<'a, LabelAnswer<T>> {
    Box::pin(async { Err(LabelError::Refused("sells nothing".to_owned())) })
}

impl LabelProvider for Carrier {
    fn name(&self) -> &'static str {
        "sandbox"
    }

    fn service_of(&self, _: &str) -> Option<String> {
        None
    }

    fn add_to_cart<'a>(&'a self, _: &'a LabelRequest) -> BoxFuture<'a, LabelAnswer<ProviderLabel>> {
        none()
    }

    fn find<'a>(&'a self, _: &'a str) -> BoxFuture<'a, LabelAnswer<Vec<ProviderLabel>>> {
        none()
    }

    fn fetch<'a>(&'a self, id: &'a str) -> BoxFuture<'a, LabelAnswer<Option<ProviderLabel>>> {
        Box::pin(async move {
            self.office().asked.push(id.to_owned());
            if self.office().is_closed {
                return Err(LabelError::Unclear("closed".to_owned()));
            }
            let permits = self.office().permits.clone();
            if let Some(permits) = permits {
                permits.acquire().await.expect("open").forget();
            }
            Ok(self.office().labels.get(id).cloned())
        })
    }

    fn remove_from_cart<'a>(&'a self, _: &'a str) -> BoxFuture<'a, LabelAnswer<()>> {
        none()
    }

    fn pay<'a>(&'a self, _: &'a str) -> BoxFuture<'a, LabelAnswer<()>> {
        none()
    }

    fn generate<'a>(&'a self, _: &'a str) -> BoxFuture<'a, LabelAnswer<()>> {
        none()
    }

    fn document<'a>(&'a self, id: &'a str) -> BoxFuture<'a, LabelAnswer<Option<Vec<u8>>>> {
        let file = self.office().files.get(id).cloned();
        Box::pin(async move { Ok(file) })
    }

    fn cancel<'a>(&'a self, _: &'a str) -> BoxFuture<'a, LabelAnswer<ProviderLabel>> {
        none()
    }

    fn balance(&self) -> BoxFuture<'_, LabelAnswer<Money>> {
        none()
    }
}
