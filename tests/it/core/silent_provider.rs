//! A payment provider of the program's own that never answers: its calls are given up.

use std::future::pending;
use std::time::Duration;

use shop_core::payment::{
    Answer, CardRequest, IntentRequest, Intents, PaymentProvider, PixAndCards, PixRequest,
    ProviderPayment, ProviderRefund, RefundRequest,
};
use shop_core::testing::TestShop;
use shop_core::{BoxFuture, Error};

/// How long is waited for what must come: far longer than it takes.
const PATIENCE: Duration = Duration::from_secs(60);

struct Silent;

impl PaymentProvider for Silent {
    fn fetch<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Answer<Option<ProviderPayment>>> {
        Box::pin(pending())
    }

    fn cancel<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Answer<ProviderPayment>> {
        Box::pin(pending())
    }

    fn refund<'a>(&'a self, _: &'a RefundRequest) -> BoxFuture<'a, Answer<ProviderRefund>> {
        Box::pin(pending())
    }

    fn fetch_refund<'a>(
        &'a self,
        _: &'a str,
        _: &'a str,
    ) -> BoxFuture<'a, Answer<Option<ProviderRefund>>> {
        Box::pin(pending())
    }
}

impl PixAndCards for Silent {
    fn create_pix<'a>(&'a self, _: &'a PixRequest) -> BoxFuture<'a, Answer<ProviderPayment>> {
        Box::pin(pending())
    }

    fn charge_card<'a>(&'a self, _: &'a CardRequest) -> BoxFuture<'a, Answer<ProviderPayment>> {
        Box::pin(pending())
    }

    fn find<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Answer<Vec<ProviderPayment>>> {
        Box::pin(pending())
    }
}

impl Intents for Silent {
    fn create_intent<'a>(&'a self, _: &'a IntentRequest) -> BoxFuture<'a, Answer<ProviderPayment>> {
        Box::pin(pending())
    }
}

async fn in_time<T>(call: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, call).await.expect("an answer, or the end of waiting for one")
}

#[tokio::test]
async fn a_provider_that_never_answers_stops_neither_its_caller_nor_the_background_work() {
    let shop = TestShop::with(|builder| {
        let builder = builder.configure(|config| config.payments.timeout_ms = 20);
        builder.pix_and_cards(Silent).intents(Silent)
    });
    let shop = shop.await.expect("opens");
    let order = shop.order().await.expect("placed");
    let payments = shop.payments();
    let pix = in_time(payments.create_pix(&order.user_id, &order.id, None)).await.map(drop);
    let intent = in_time(payments.create_intent(&order.user_id, &order.id, None)).await.map(drop);
    for refused in [pix, intent] {
        assert!(matches!(refused, Err(Error::Provider { .. })), "{refused:?}");
    }
    // The unpaid order ends, and what became of its attempts is asked for.
    shop.advance(Duration::from_secs(73 * 60 * 60));
    in_time(shop.run_due()).await.expect("done");
}
