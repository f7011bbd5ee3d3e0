//! Intents that their provider is working on, as by a method that takes days: nobody calls them
//! off.

use serde_json::json;
use shop_core::Error;
use shop_core::error::Conflict;
use shop_core::order::{Order, OrderStatus};
use shop_core::settlement::SignedEvent;

use super::fixture::{Buyer, TestShop};
use super::payment::unpaid;
use crate::fakes::signature;
use crate::fakes::stripe::{Stripe, WEBHOOK_SECRET};

/// A shop with an order whose intent the provider is working on.
async fn in_process() -> (Stripe, TestShop, Buyer, Order) {
    let provider = Stripe::start().await;
    let test = TestShop::with(|config| provider.adapt(config)).await;
    let (buyer, order) = unpaid(&test).await;
    let intent = test.shop.payments().create_intent(&buyer.id, &order.id, None).await;
    let intent = intent.expect("an intent");
    provider.move_latest("processing");
    let object = json!({ "id": intent.payment_intent_id, "amount": intent.amount,
        "currency": "brl", "status": "processing" });
    let event = json!({ "id": "evt_1", "object": "event", "type": "payment_intent.processing",
        "data": { "object": object } });
    test.shop.payments().receive_event(signed(&test, &event)).await.expect("taken");
    (provider, test, buyer, order)
}

fn signed(test: &TestShop, event: &serde_json::Value) -> SignedEvent {
    signature::event(WEBHOOK_SECRET, event, test.shop.now().seconds())
}

#[tokio::test]
async fn the_customer_cannot_cancel_the_order_until_it_is_decided() {
    let (provider, test, buyer, order) = in_process().await;
    let cancel = async || test.shop.payments().cancel_order(&buyer.id, &order.id).await;
    let refused = cancel().await.expect_err("refused");
    assert!(matches!(refused, Error::Conflict(Conflict::PaymentInProcess)), "{refused:?}");
    provider.decline_latest("evt_2");
    assert_eq!(cancel().await.expect("cancelled").status, OrderStatus::Cancelled);
}

#[tokio::test]
async fn the_order_waits_for_it() {
    let (provider, test, _, order) = in_process().await;
    test.advance_hours(100);
    assert_eq!(test.shop.run_due().await.expect("done").orders_cancelled, 0);
    let paid = provider.complete_latest("evt_2");
    test.shop.payments().receive_event(signed(&test, &paid)).await.expect("taken");
    let paid = test.shop.orders().get(&order.id).await.expect("the order");
    assert_eq!((paid.status, paid.is_paid()), (OrderStatus::Processing, true));
    test.check_books().await;
}

#[tokio::test]
async fn the_order_is_cancelled_once_it_came_to_nothing() {
    let (provider, test, ..) = in_process().await;
    test.advance_hours(100);
    provider.decline_latest("evt_2");
    let cancelled = async || test.shop.run_due().await.expect("done").orders_cancelled;
    assert_eq!(cancelled().await, 1);
}
