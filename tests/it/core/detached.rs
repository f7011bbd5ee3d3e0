//! Callers of the library that drop a future between a third party's answer and its booking.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::json;
use shop_core::money::Money;
use shop_core::payment::{
    Answer, CardRequest, PaymentMethod, PaymentProvider, PixAndCards, PixRequest, ProviderPayment,
    ProviderRefund, ProviderRefundStatus, ProviderStatus, RefundRequest,
};
use tokio::sync::Notify;

use super::fixture::{TestShop, input};
use super::payment::unpaid;

/// A provider that takes every card, and answers when it is told to.
#[derive(Clone, Default)]
struct Late {
    asked: Arc<Notify>,
    go: Arc<Notify>,
}

fn payment(id: &str, amount: Money) -> ProviderPayment {
    ProviderPayment::new(id, PaymentMethod::CreditCard, ProviderStatus::Paid, amount, "BRL")
}

impl PaymentProvider for Late {
    fn fetch<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Answer<Option<ProviderPayment>>> {
        async { panic!("nobody asks about it") }.boxed()
    }

    fn cancel<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Answer<ProviderPayment>> {
        async move { Ok(payment(id, Money::ZERO)) }.boxed()
    }

    fn refund<'a>(&'a self, _: &'a RefundRequest) -> BoxFuture<'a, Answer<ProviderRefund>> {
        async move {
            self.asked.notify_one();
            self.go.notified().await;
            Ok(ProviderRefund { id: "re-1".to_owned(), status: ProviderRefundStatus::Done })
        }
        .boxed()
    }
}

impl PixAndCards for Late {
    fn create_pix<'a>(&'a self, _: &'a PixRequest) -> BoxFuture<'a, Answer<ProviderPayment>> {
        async { panic!("no codes here") }.boxed()
    }

    fn charge_card<'a>(
        &'a self,
        request: &'a CardRequest,
    ) -> BoxFuture<'a, Answer<ProviderPayment>> {
        async move {
            self.asked.notify_one();
            self.go.notified().await;
            let charged = payment("late-1", request.amount);
            let mut charged = charged;
            charged.attempt = Some(request.payment.clone());
            Ok(charged)
        }
        .boxed()
    }

    fn find<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Answer<Vec<ProviderPayment>>> {
        async { panic!("nobody looks for it") }.boxed()
    }
}

/// Polls a future until the provider has been asked, and drops it.
async fn drop_when_asked(late: &Late, future: impl Future) {
    tokio::select! {
        _ = future => panic!("it was answered"),
        () = late.asked.notified() => {}
    }
}

async fn becomes(test: &TestShop, sql: &str) {
    let booked = async {
        while test.count(sql) == 0 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), booked).await.unwrap_or_else(|_| panic!("{sql}"));
}

#[tokio::test]
async fn a_charge_and_a_refund_are_booked_although_their_futures_were_dropped() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    let late = Late::default();
    let builder = shop_core::Shop::builder(test.shop.config().clone()).clock(test.clock.clone());
    let shop = builder.pix_and_cards(late.clone()).open().await.expect("opens");
    let card = input(json!({ "orderId": order.id, "token": "t", "paymentMethodId": "visa",
        "installments": 1 }));
    drop_when_asked(&late, shop.payments().pay_by_card(&buyer.id, card, None)).await;
    assert_eq!(test.count("SELECT count(*) FROM payment WHERE status = 'PAID'"), 0);
    late.go.notify_one();
    becomes(&test, "SELECT count(*) FROM payment WHERE status = 'PAID'").await;

    let by = shop_core::actor::Actor::System;
    let all = input(json!({}));
    drop_when_asked(&late, shop.payments().refund(&by, &order.id, all, None)).await;
    late.go.notify_one();
    becomes(&test, "SELECT count(*) FROM payment WHERE status = 'REFUNDED'").await;
    test.check_books().await;
}
