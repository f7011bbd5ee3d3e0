//! Payment intents of provider2, and its events.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use shop_core::config::Secret;
use shop_core::error::{Credential, Refusal};
use shop_core::order::{Order, OrderStatus};
use shop_core::payment::PaymentStatus;
use shop_core::settlement::{IntentCharge, SignedEvent};
use shop_core::{Error, Result};

use super::fixture::{Buyer, TestShop};
use super::payment::{now, unpaid};
use crate::fakes::signature;

const SECRET: &str = "whsec_of_this_test";

pub(super) async fn shop() -> TestShop {
    TestShop::with(|config| {
        let secrets = format!("whsec_of_last_year, {SECRET}");
        config.payments.provider2.webhook_secret = Some(Secret::new(secrets));
    })
    .await
}

async fn open(test: &TestShop, buyer: &Buyer, order: &Order) -> Result<IntentCharge> {
    test.shop.payments().create_intent(&buyer.id, &order.id, None).await
}

/// An event about an intent, as provider2 sends it now.
pub(super) fn event(test: &TestShop, id: &str, kind: &str, object: Value) -> SignedEvent {
    let body = json!({ "id": id, "object": "event", "type": kind, "data": { "object": object } });
    signature::event(SECRET, &body, test.shop.now().seconds())
}

fn succeeded(test: &TestShop, id: &str, intent: &IntentCharge) -> SignedEvent {
    let object = json!({
        "id": intent.payment_intent_id, "object": "payment_intent", "amount": intent.amount,
        "amount_received": intent.amount, "currency": "brl", "status": "succeeded",
    });
    event(test, id, "payment_intent.succeeded", object)
}

async fn receive(test: &TestShop, event: SignedEvent) -> Result<()> {
    test.shop.payments().receive_event(event).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_open_intent_is_given_again_also_to_requests_at_once() {
    let test = shop().await;
    let (buyer, order) = unpaid(&test).await;
    let intents = join_all((0..20).map(|_| open(&test, &buyer, &order))).await;
    let first = intents[0].as_ref().expect("an intent");
    assert_eq!((first.amount, first.currency.as_str()), (9980, "brl"));
    assert!(!format!("{first:?}").contains(first.client_secret.reveal()));
    assert_eq!(json!(first)["clientSecret"], first.client_secret.reveal());
    assert!(intents.iter().all(|intent| intent.as_ref().expect("an intent") == first));
    assert_eq!(test.count("SELECT count(*) FROM payment"), 1);
    assert_eq!(test.count("SELECT count(*) FROM sandbox_payment"), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_event_a_hundred_times_at_once_is_one_payment() {
    let test = shop().await;
    let (buyer, order) = unpaid(&test).await;
    let intent = open(&test, &buyer, &order).await.expect("an intent");
    let same = succeeded(&test, "evt_1", &intent);
    let events = (0..100).map(|n| match n % 2 {
        0 => same.clone(),
        _ => succeeded(&test, &format!("evt_{n}"), &intent),
    });
    for taken in join_all(events.map(|event| receive(&test, event))).await {
        taken.expect("every repeat is taken");
    }
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Processing, PaymentStatus::Paid));
    assert_eq!(test.count("SELECT count(*) FROM event WHERE name = 'order.paid'"), 1);
    assert_eq!(test.shop.notifications().list(&buyer.id).await.expect("a list").len(), 1);
    let again = open(&test, &buyer, &order).await;
    assert!(matches!(again, Err(Error::Refused(Refusal::AlreadyPaid))), "{again:?}");
}

#[tokio::test]
async fn an_event_whose_signature_does_not_hold_changes_nothing() {
    let test = shop().await;
    let (buyer, order) = unpaid(&test).await;
    let intent = open(&test, &buyer, &order).await.expect("an intent");
    let good = succeeded(&test, "evt_1", &intent);
    let mut bad = vec![
        SignedEvent { signature: None, ..good.clone() },
        SignedEvent { signature: Some("nonsense".into()), ..good.clone() },
        SignedEvent { signature: Some("v1=00".into()), ..good.clone() },
    ];
    for place in [0, good.body.len() / 2, good.body.len() - 1] {
        let mut body = good.body.clone();
        body[place] ^= 1;
        bad.push(SignedEvent { body, ..good.clone() });
    }
    let at = test.shop.now().seconds();
    for (secret, seconds) in [("whsec_other", at), ("", at), (SECRET, at - 301), (SECRET, at + 301)]
    {
        let signed = signature::event_signature(secret, &good.body, seconds);
        bad.push(SignedEvent { signature: Some(signed), ..good.clone() });
    }
    for event in bad {
        let refused = receive(&test, event.clone()).await;
        let signature = matches!(refused, Err(Error::Unauthenticated(Credential::Signature)));
        assert!(signature, "{event:?}: {refused:?}");
    }
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Pending, PaymentStatus::Pending));
    assert_eq!(test.count("SELECT count(*) FROM payment_event"), 0);
}

#[tokio::test]
async fn at_the_edge_of_the_tolerance_and_beside_an_old_secret_it_holds() {
    let test = shop().await;
    let (buyer, order) = unpaid(&test).await;
    let intent = open(&test, &buyer, &order).await.expect("an intent");
    let event = succeeded(&test, "evt_1", &intent);
    let at = test.shop.now().seconds();
    for seconds in [at - 300, at + 300] {
        let signed = signature::event_signature(SECRET, &event.body, seconds);
        let two = signed.replace(",v1=", &format!(",v1={},v0=x,v1=", "00".repeat(32)));
        receive(&test, SignedEvent { signature: Some(two), ..event.clone() }).await.expect("taken");
    }
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Processing, PaymentStatus::Paid));
}

#[tokio::test]
async fn a_card_that_fails_leaves_the_intent_to_be_tried_again() {
    let test = shop().await;
    let (buyer, order) = unpaid(&test).await;
    let intent = open(&test, &buyer, &order).await.expect("an intent");
    let object = json!({
        "id": intent.payment_intent_id, "amount": intent.amount, "amount_received": 0,
        "currency": "brl", "status": "requires_payment_method",
        "last_payment_error": { "code": "card_declined", "decline_code": "insufficient_funds" },
    });
    let failed = event(&test, "evt_1", "payment_intent.payment_failed", object);
    receive(&test, failed).await.expect("taken");
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Pending, PaymentStatus::Failed));
    let attempts = test.shop.payments().list_attempts(&order.id).await.expect("a list");
    assert_eq!(attempts[0].failure_code.as_deref(), Some("insufficient_funds"));
    assert_eq!(open(&test, &buyer, &order).await.expect("the same"), intent);
    receive(&test, succeeded(&test, "evt_2", &intent)).await.expect("taken");
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Processing, PaymentStatus::Paid));
}

#[tokio::test]
async fn after_a_cancelled_intent_there_is_another() {
    let test = shop().await;
    let (buyer, order) = unpaid(&test).await;
    let first = open(&test, &buyer, &order).await.expect("an intent");
    test.raw_sql("UPDATE sandbox_payment SET status = 'cancelled'");
    let second = open(&test, &buyer, &order).await.expect("another");
    assert_ne!(second.payment_intent_id, first.payment_intent_id);
    assert_eq!(test.count("SELECT count(*) FROM payment WHERE status = 'CANCELLED'"), 1);
}

#[tokio::test]
async fn an_intent_that_the_provider_does_not_know_is_given_up_for_another() {
    let test = shop().await;
    let (buyer, order) = unpaid(&test).await;
    let key = || Some("k-1".parse().expect("a key"));
    let payments = test.shop.payments();
    let first = payments.create_intent(&buyer.id, &order.id, key()).await.expect("an intent");
    // The shop has another account at the provider since.
    test.raw_sql("UPDATE payment SET provider_payment_id = 'pi_of_another_account'");
    let second = payments.create_intent(&buyer.id, &order.id, key()).await.expect("another");
    assert_ne!(second.payment_intent_id, "pi_of_another_account");
    let third = payments.create_intent(&buyer.id, &order.id, key()).await.expect("the same");
    assert_eq!(third, second);
    assert_eq!(test.count("SELECT count(*) FROM payment WHERE status = 'CANCELLED'"), 1);
    assert_eq!(first.amount, second.amount);
}

#[tokio::test]
async fn a_paid_intent_that_the_provider_does_not_know_stays_paid() {
    let test = shop().await;
    let (buyer, order) = unpaid(&test).await;
    let key = || Some("k-1".parse().expect("a key"));
    let payments = test.shop.payments();
    let intent = payments.create_intent(&buyer.id, &order.id, key()).await.expect("an intent");
    receive(&test, succeeded(&test, "evt_1", &intent)).await.expect("taken");
    test.raw_sql("UPDATE payment SET provider_payment_id = 'pi_of_another_account'");
    let again = payments.create_intent(&buyer.id, &order.id, key()).await;
    assert!(matches!(again, Err(Error::Refused(Refusal::AlreadyPaid))), "{again:?}");
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Processing, PaymentStatus::Paid));
}

#[tokio::test]
async fn an_attempt_that_was_cut_off_before_its_answer_is_taken_up_again() {
    let test = shop().await;
    let (buyer, order) = unpaid(&test).await;
    let first = open(&test, &buyer, &order).await.expect("an intent");
    test.raw_sql("UPDATE payment SET provider_payment_id = NULL");
    assert_eq!(open(&test, &buyer, &order).await.expect("the same"), first);
    assert_eq!(test.count("SELECT count(*) FROM sandbox_payment"), 1);
}

#[tokio::test]
async fn refunds_and_disputes_are_booked_in_whatever_order_they_come() {
    let test = shop().await;
    let (buyer, order) = unpaid(&test).await;
    let intent = open(&test, &buyer, &order).await.expect("an intent");
    let refunded = |cents: i64| {
        json!({
            "id": "ch_1", "object": "charge", "payment_intent": intent.payment_intent_id,
            "amount": intent.amount, "amount_refunded": cents, "currency": "brl",
            "refunded": cents == intent.amount,
        })
    };
    let part = event(&test, "evt_2", "charge.refunded", refunded(1000));
    receive(&test, part).await.expect("taken");
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Processing, PaymentStatus::Paid));
    receive(&test, succeeded(&test, "evt_1", &intent)).await.expect("taken");
    let whole = event(&test, "evt_3", "charge.refunded", refunded(intent.amount));
    receive(&test, whole).await.expect("taken");
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Refunded, PaymentStatus::Refunded));
    let refunds = test.shop.payments().list_refunds(&order.id).await.expect("a list");
    assert_eq!(refunds.iter().map(|it| it.amount.cents()).collect::<Vec<_>>(), [1000, 8980]);
    let dispute = json!({ "payment_intent": intent.payment_intent_id, "amount": intent.amount,
        "currency": "brl", "object": "dispute" });
    let late = event(&test, "evt_4", "charge.dispute.created", dispute);
    receive(&test, late).await.expect("taken");
    assert_eq!(now(&test, &buyer, &order).await.1, PaymentStatus::Refunded);
}

#[tokio::test]
async fn a_dispute_of_a_part_that_is_heard_of_first_leaves_the_order_paid() {
    let test = shop().await;
    let (buyer, order) = unpaid(&test).await;
    let intent = open(&test, &buyer, &order).await.expect("an intent");
    let dispute = json!({ "id": "dp_1", "payment_intent": intent.payment_intent_id, "amount": 3000,
        "currency": "brl", "object": "dispute", "status": "needs_response" });
    let first = event(&test, "evt_2", "charge.dispute.created", dispute);
    receive(&test, first).await.expect("taken");
    receive(&test, succeeded(&test, "evt_1", &intent)).await.expect("taken");
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Processing, PaymentStatus::Paid));
    let attempts = test.shop.payments().list_attempts(&order.id).await.expect("a list");
    assert_eq!((attempts[0].captured.cents(), attempts[0].charged_back.cents()), (9980, 3000));
    test.check_books().await;
}

#[tokio::test]
async fn other_events_are_taken_and_nonsense_is_refused() {
    let test = shop().await;
    let other = event(&test, "evt_1", "customer.created", json!({ "id": "cus_1" }));
    receive(&test, other).await.expect("taken");
    let unknown = event(
        &test,
        "evt_2",
        "payment_intent.succeeded",
        json!({
            "id": "pi_unknown", "amount": 1, "amount_received": 1, "currency": "brl"
        }),
    );
    receive(&test, unknown).await.expect("taken");
    let body = b"not json".to_vec();
    let signed = signature::event_signature(SECRET, &body, test.shop.now().seconds());
    let nonsense = receive(&test, SignedEvent { signature: Some(signed), body }).await;
    assert!(matches!(nonsense, Err(Error::Invalid(_))), "{nonsense:?}");
}

#[tokio::test]
async fn a_superfluous_intent_or_code_is_called_off() {
    let test = shop().await;
    let (buyer, order) = unpaid(&test).await;
    test.shop.payments().create_pix(&buyer.id, &order.id, None).await.expect("a code");
    let intent = open(&test, &buyer, &order).await.expect("an intent");
    receive(&test, succeeded(&test, "evt_1", &intent)).await.expect("taken");
    test.shop.run_due().await.expect("done");
    let called_off = "SELECT count(*) FROM sandbox_payment WHERE status = 'cancelled'";
    assert_eq!(test.count(called_off), 1);
    assert_eq!(test.count("SELECT count(*) FROM payment WHERE status = 'CANCELLED'"), 1);
    assert_eq!(now(&test, &buyer, &order).await, (OrderStatus::Processing, PaymentStatus::Paid));
}

#[tokio::test]
async fn paying_in_the_sandbox_completes_an_open_intent() {
    let test = TestShop::open().await;
    let (buyer, order) = unpaid(&test).await;
    open(&test, &buyer, &order).await.expect("an intent");
    let paid = test.shop.sandbox().pay(&order.order_number).await.expect("paid");
    assert_eq!(paid.status, OrderStatus::Processing);
    assert_eq!(now(&test, &buyer, &order).await.1, PaymentStatus::Paid);
}

#[tokio::test]
async fn events_are_forgotten_after_a_month() {
    let test = shop().await;
    let (buyer, order) = unpaid(&test).await;
    let intent = open(&test, &buyer, &order).await.expect("an intent");
    receive(&test, succeeded(&test, "evt_1", &intent)).await.expect("taken");
    test.clock.advance(Duration::from_secs(31 * 24 * 3600));
    assert_eq!(test.shop.run_due().await.expect("done").payment_events_forgotten, 1);
    assert_eq!(test.count("SELECT count(*) FROM payment_event"), 0);
}
