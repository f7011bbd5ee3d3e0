//! A provider that a program brings along, whose calls end: what waits for one that never answers
//! would wait for good, and the background work with it.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::provider::{
    Answer, CardRequest, IntentRequest, Intents, PaymentProvider, PixAndCards, PixRequest,
    ProviderError, ProviderPayment, ProviderRefund, RefundRequest,
};

/// A provider, each of whose calls is given up after a while. Whether it had its effect is unknown
/// then.
pub(crate) struct InTime<P: ?Sized> {
    provider: Arc<P>,
    limit: Duration,
}

impl<P: ?Sized> InTime<P> {
    pub(crate) fn new(provider: Arc<P>, limit: Duration) -> Self {
        Self { provider, limit }
    }

    fn wait<'a, T: 'a>(&'a self, call: BoxFuture<'a, Answer<T>>) -> BoxFuture<'a, Answer<T>> {
        let given_up = |_| Err(ProviderError::Unclear("no answer in time".to_owned()));
        let answered = tokio::time::timeout(self.limit, call);
        Box::pin(async move { answered.await.unwrap_or_else(given_up) })
    }
}

impl<P: PaymentProvider + ?Sized> PaymentProvider for InTime<P> {
    fn fetch<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Answer<Option<ProviderPayment>>> {
        self.wait(self.provider.fetch(id))
    }

    fn cancel<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Answer<ProviderPayment>> {
        self.wait(self.provider.cancel(id))
    }

    fn refund<'a>(&'a self, request: &'a RefundRequest) -> BoxFuture<'a, Answer<ProviderRefund>> {
        self.wait(self.provider.refund(request))
    }

    fn fetch_refund<'a>(
        &'a self,
        payment: &'a str,
        refund: &'a str,
    ) -> BoxFuture<'a, Answer<Option<ProviderRefund>>> {
        self.wait(self.provider.fetch_refund(payment, refund))
    }
}

impl<P: PixAndCards + ?Sized> PixAndCards for InTime<P> {
    fn create_pix<'a>(&'a self, request: &'a PixRequest) -> BoxFuture<'a, Answer<ProviderPayment>> {
        self.wait(self.provider.create_pix(request))
    }

    fn charge_card<'a>(
        &'a self,
        request: &'a CardRequest,
    ) -> BoxFuture<'a, Answer<ProviderPayment>> {
        self.wait(self.provider.charge_card(request))
    }

    fn find<'a>(&'a self, order_number: &'a str) -> BoxFuture<'a, Answer<Vec<ProviderPayment>>> {
        self.wait(self.provider.find(order_number))
    }
}

impl<P: Intents + ?Sized> Intents for InTime<P> {
    fn create_intent<'a>(
        &'a self,
        request: &'a IntentRequest,
    ) -> BoxFuture<'a, Answer<ProviderPayment>> {
        self.wait(self.provider.create_intent(request))
    }
}
