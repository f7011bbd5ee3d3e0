//! Callers who go away while the tax office is asked: what it answers is booked all the same.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use shop_core::Shop;
use shop_core::actor::Actor;
use shop_core::invoicing::{InvoiceStatus, WithdrawInvoice};
use shop_core::nfe::{AccessKey, IssuerError, NfeIssuer, Outcome, Registered};
use shop_core::order::Order;
use tokio::sync::Notify;

use super::office::Office;
use super::{emit, sold};
use crate::core::fixture::TestShop;

/// How long is waited for what must come: far longer than it takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// An office that answers when it is told to.
#[derive(Clone, Default)]
struct Late {
    office: Office,
    asked: Arc<Notify>,
    go: Arc<Notify>,
}

impl Late {
    async fn wait(&self) {
        self.asked.notify_one();
        self.go.notified().await;
    }
}

impl NfeIssuer for Late {
    fn name(&self) -> &'static str {
        "late"
    }

    fn authorize<'a>(
        &'a self,
        nfe: &'a str,
        key: &'a AccessKey,
    ) -> BoxFuture<'a, Result<Outcome, IssuerError>> {
        Box::pin(async move {
            self.wait().await;
            self.office.authorize(nfe, key).await
        })
    }

    fn status_of<'a>(&'a self, key: &'a AccessKey) -> BoxFuture<'a, Result<Outcome, IssuerError>> {
        self.office.status_of(key)
    }

    fn cancel<'a>(
        &'a self,
        event: &'a str,
        key: &'a AccessKey,
    ) -> BoxFuture<'a, Result<Registered, IssuerError>> {
        Box::pin(async move {
            self.wait().await;
            self.office.cancel(event, key).await
        })
    }

    fn disable_numbers<'a>(
        &'a self,
        request: &'a str,
    ) -> BoxFuture<'a, Result<Registered, IssuerError>> {
        self.office.disable_numbers(request)
    }
}

/// Polls a future until the office has been asked, drops it, and lets the office answer.
async fn drop_when_asked(late: &Late, future: impl Future) {
    tokio::select! {
        _ = future => panic!("it was answered"),
        () = late.asked.notified() => {}
    }
    late.go.notify_one();
}

async fn becomes(shop: &Shop, order: &Order, status: InvoiceStatus) {
    let booked = async {
        while shop.invoices().get_by_order(&order.id).await.expect("begun").status != status {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(PATIENCE, booked).await.unwrap_or_else(|_| panic!("never {status:?}"));
}

#[tokio::test]
async fn an_authorisation_and_a_cancellation_are_booked_although_their_futures_were_dropped() {
    let (test, late) = (TestShop::open().await, Late::default());
    let order = sold(&test).await;
    let builder = Shop::builder(test.shop.config().clone()).clock(test.clock.clone());
    let shop = builder.nfe_issuer(late.clone()).open().await.expect("opens");
    drop_when_asked(&late, emit(&shop, &order)).await;
    becomes(&shop, &order, InvoiceStatus::Authorized).await;
    let why = WithdrawInvoice::default();
    drop_when_asked(&late, shop.invoices().cancel(&Actor::System, &order.id, why)).await;
    becomes(&shop, &order, InvoiceStatus::Cancelled).await;
    // The answers of the calls themselves were booked: nobody had to ask again.
    assert_eq!((late.office.handed_over(), late.office.asked()), (2, 0));
}

#[tokio::test]
async fn an_office_of_the_programs_own_that_never_answers_is_given_up() {
    let (test, late) = (TestShop::open().await, Late::default());
    let order = sold(&test).await;
    let mut config = test.shop.config().clone();
    config.nfe.timeout_ms = 20;
    let builder = Shop::builder(config).clock(test.clock.clone());
    let shop = builder.nfe_issuer(late.clone()).open().await.expect("opens");
    let answer = tokio::time::timeout(PATIENCE, emit(&shop, &order)).await.expect("given up");
    assert_ne!(answer.ok().map(|it| it.status), Some(InvoiceStatus::Authorized));
    becomes(&shop, &order, InvoiceStatus::Signed).await;
}
