use hyper::Method;
use serde_json::{Value, json};

use super::{Counter, deliver_event, open, paid};
use crate::fakes::provider::Trouble;
use crate::fakes::signature;
use crate::fakes::stripe::WEBHOOK_SECRET;

#[tokio::test]
async fn an_intent_is_opened_in_cents_and_given_again() {
    let counter = Counter::open().await;
    let intent = counter.open_intent().await.expect(200);
    let expected = json!({
        "clientSecret": "pi_3Q0000_secret_hush", "paymentIntentId": "pi_3Q0000", "amount": 9980,
        "currency": "brl",
    });
    assert_eq!(intent, expected);
    let asked = counter.check();
    let [create] = &asked[..] else { panic!("{asked:?}") };
    let form = create.form();
    assert_eq!((&*form["amount"], &*form["currency"]), ("9980", "brl"));
    assert_eq!(form["metadata[order_id]"], counter.order.id.as_str());
    assert_eq!(form["metadata[order_number]"], counter.order.order_number);
    assert_eq!(counter.open_intent().await.expect(200), intent);
    assert!(counter.check().iter().all(|it| it.method == Method::GET));
    assert_eq!(counter.stripe.intents(), 1);
}

#[tokio::test]
async fn an_event_pays_the_order_once() {
    let counter = Counter::open().await;
    counter.open_intent().await.expect(200);
    let event = counter.stripe.complete_latest("evt_1");
    for _ in 0..3 {
        assert_eq!(counter.tell(&event).await.expect(200), json!({ "received": true }));
    }
    assert_eq!(counter.status().await, paid());
    let events = "SELECT count(*) FROM event WHERE name = 'order.paid'";
    assert_eq!(counter.server.test.count(events), 1);
    assert_eq!(counter.open_intent().await.refused(400).1, "already_paid");
}

#[tokio::test]
async fn the_body_is_what_was_signed_to_the_byte() {
    let counter = Counter::open().await;
    counter.open_intent().await.expect(200);
    let event = counter.stripe.complete_latest("evt_1");
    let signed = signature::event(WEBHOOK_SECRET, &event, counter.seconds());
    // The same JSON, and other bytes.
    let mut spaced = signed.clone();
    spaced.body.push(b' ');
    let (text, code) = deliver_event(&counter.server, spaced).await.refused(401);
    assert_eq!((text.as_str(), code.as_str()), ("Assinatura inválida", "invalid_signature"));
    assert_eq!(counter.status().await, open());
    let mut large = event.clone();
    large["data"]["object"]["description"] = "x".repeat(100_000).into();
    counter.tell(&large).await.expect(200);
    assert_eq!(counter.status().await, paid());
    large["data"]["object"]["description"] = "x".repeat(600_000).into();
    counter.tell(&large).await.refused(413);
}

#[tokio::test]
async fn a_lost_event_is_found_out_by_asking() {
    let counter = Counter::open().await;
    counter.open_intent().await.expect(200);
    counter.stripe.complete_latest("evt_lost");
    counter.server.test.clock.advance(std::time::Duration::from_secs(180));
    counter.server.test.shop.run_due().await.expect("done");
    assert_eq!(counter.status().await, paid());
    counter.check();
}

#[tokio::test]
async fn a_provider_that_fails_is_a_500_and_the_next_call_has_the_same_key() {
    let counter = Counter::open().await;
    let mut keys = Vec::new();
    for trouble in [Trouble::Fails(500), Trouble::Fails(429), Trouble::StallsAfter] {
        counter.stripe.has(trouble);
        assert_eq!(counter.open_intent().await.refused(500).1, "provider_failure");
        keys.extend(counter.check().iter().map(|it| it.header("idempotency-key").to_owned()));
    }
    counter.stripe.has(Trouble::None);
    counter.open_intent().await.expect(200);
    keys.extend(counter.check().iter().map(|it| it.header("idempotency-key").to_owned()));
    assert!(keys.len() == 4 && keys.iter().all(|key| *key == keys[0]), "{keys:?}");
    assert_eq!(counter.stripe.intents(), 1);
}

#[tokio::test]
async fn an_intent_that_another_payment_made_superfluous_is_cancelled() {
    let counter = Counter::open().await;
    counter.open_intent().await.expect(200);
    counter.pay_by_card("mp-approved").await.expect(200);
    counter.server.test.shop.run_due().await.expect("done");
    counter.check();
    assert_eq!(statuses(&counter).await, ["CANCELLED", "PAID"]);
}

async fn statuses(counter: &Counter) -> Vec<Value> {
    let attempts = counter.server.test.shop.payments().list_attempts(&counter.order.id).await;
    attempts.expect("a list").iter().map(|it| json!(it.status)).collect()
}

async fn later(counter: &Counter) {
    counter.server.test.advance_hours(6);
    counter.server.test.shop.run_due().await.expect("done");
}

#[tokio::test]
async fn an_intent_whose_card_was_declined_is_cancelled_too() {
    let counter = Counter::open().await;
    counter.open_intent().await.expect(200);
    let declined = counter.stripe.decline_latest("evt_1");
    counter.tell(&declined).await.expect(200);
    counter.pay_by_card("mp-approved").await.expect(200);
    counter.server.test.shop.run_due().await.expect("done");
    assert_eq!(statuses(&counter).await, ["CANCELLED", "PAID"]);
    counter.check();
}

#[tokio::test]
async fn an_intent_that_could_not_be_cancelled_is_cancelled_later() {
    let counter = Counter::open().await;
    counter.open_intent().await.expect(200);
    counter.stripe.move_latest("processing");
    counter.pay_by_card("mp-approved").await.expect(200);
    counter.server.test.shop.run_due().await.expect("done");
    assert_eq!(statuses(&counter).await, ["PENDING", "PAID"]);
    counter.stripe.decline_latest("evt_lost");
    later(&counter).await;
    assert_eq!(statuses(&counter).await, ["CANCELLED", "PAID"]);
    counter.check();
}

#[tokio::test]
async fn a_lost_event_of_a_second_card_is_found_out_by_asking() {
    let counter = Counter::open().await;
    counter.open_intent().await.expect(200);
    let declined = counter.stripe.decline_latest("evt_1");
    counter.tell(&declined).await.expect(200);
    counter.stripe.complete_latest("evt_lost");
    later(&counter).await;
    assert_eq!(counter.status().await, paid());
    counter.check();
}

#[tokio::test]
async fn refusals_have_their_status_and_code() {
    let counter = Counter::open().await;
    let path = "/api/payments/provider2";
    let body = json!({ "orderId": counter.order.id });
    assert_eq!(
        counter.server.anonymous().post(path, &body).await.refused(401).1,
        "unauthenticated"
    );
    let bia = counter.server.customer("bia").await;
    assert_eq!(bia.post(path, &body).await.refused(404).1, "order_not_found");
    counter.ana.post(path, &json!({})).await.refused(400);
    let hook = "/api/payments/provider2/webhook";
    let unsigned = counter.server.anonymous().post(hook, &json!({ "id": "evt_1" })).await;
    assert_eq!(unsigned.refused(401).1, "invalid_signature");
}

#[tokio::test]
async fn one_address_asks_the_payment_providers_thirty_times_a_minute_at_most() {
    let counter = Counter::open().await;
    for _ in 0..29 {
        counter.open_intent().await.expect(200);
    }
    // Whatever asks a provider counts together.
    counter.pay_by_pix().await.expect(200);
    counter.check();
    let cancel = format!("/api/orders/{}/cancel", counter.order.id);
    for refused in [
        counter.open_intent().await,
        counter.pay_by_pix().await,
        counter.ana.post(&cancel, &Value::Null).await,
    ] {
        assert_eq!(refused.refused(429).1, "rate_limited");
        assert_eq!(refused.header("x-ratelimit-limit"), Some("30"));
    }
    assert!(counter.check().is_empty(), "a provider was asked");
    counter.server.test.clock.advance(std::time::Duration::from_secs(60));
    counter.open_intent().await.expect(200);
}
