//! Chargebacks: of all of a payment, of a part, won and lost, in whatever order they are told.

use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::error::Refusal;
use shop_core::order::{Order, OrderStatus};
use shop_core::payment::{PaymentAttempt, PaymentStatus};
use shop_core::{Error, Result};

use super::fixture::{TestShop, input};
use super::intent::{event, shop};
use super::payment::unpaid;

/// A shop with an order of R$ 99,80 that was paid by an intent.
struct World {
    test: TestShop,
    order: Order,
    intent: String,
    events: std::cell::Cell<u32>,
}

impl World {
    async fn open() -> Self {
        let test = shop().await;
        let (buyer, order) = unpaid(&test).await;
        let payments = test.shop.payments();
        let intent = payments.create_intent(&buyer.id, &order.id, None).await.expect("an intent");
        let world =
            Self { test, order, intent: intent.payment_intent_id, events: std::cell::Cell::new(0) };
        let id = world.payment().await.id;
        let paid = world.test.shop.sandbox().complete_intent(&id).await.expect("completed");
        world.test.shop.payments().receive_event(paid).await.expect("taken");
        world
    }

    async fn tell(&self, kind: &str, object: Value) {
        self.events.set(self.events.get() + 1);
        let event = event(&self.test, &format!("evt_{}", self.events.get()), kind, object);
        self.test.shop.payments().receive_event(event).await.expect("taken");
    }

    async fn dispute(&self, what: &str, id: &str, cents: i64, status: &str) {
        let object = json!({ "id": id, "object": "dispute", "payment_intent": self.intent,
            "amount": cents, "currency": "brl", "status": status });
        self.tell(&format!("charge.dispute.{what}"), object).await;
        self.test.check_books().await;
    }

    async fn payment(&self) -> PaymentAttempt {
        self.test.shop.payments().list_attempts(&self.order.id).await.expect("a list").remove(0)
    }

    /// Status, what the bank took and what went back.
    async fn books(&self) -> (PaymentStatus, i64, i64) {
        let payment = self.payment().await;
        (payment.status, payment.charged_back.cents(), payment.refunded.cents())
    }

    async fn refund(&self, what: Value) -> Result<shop_core::payment::Refund> {
        let by = Actor::System;
        self.test.shop.payments().refund(&by, &self.order.id, input(what), None).await
    }

    fn notes(&self) -> i64 {
        self.test.count("SELECT count(*) FROM order_note")
    }
}

#[tokio::test]
async fn a_dispute_that_is_won_gives_the_payment_its_status_back() {
    let world = World::open().await;
    world.dispute("created", "dp_1", 9980, "needs_response").await;
    assert_eq!(world.books().await, (PaymentStatus::ChargedBack, 9980, 0));
    world.dispute("updated", "dp_1", 9980, "under_review").await;
    assert_eq!(world.notes(), 1);
    world.dispute("closed", "dp_1", 9980, "won").await;
    assert_eq!(world.books().await, (PaymentStatus::Paid, 0, 0));
    let notes = world.test.shop.orders().get_detail(&world.order.id).await.expect("there");
    let last = notes.internal_notes.last().expect("a note").note.clone();
    assert!(last.contains("a favor da loja"), "{last}");
    // Told late or again, it stays won.
    world.dispute("created", "dp_1", 9980, "needs_response").await;
    world.dispute("closed", "dp_1", 9980, "won").await;
    assert_eq!((world.books().await, world.notes()), ((PaymentStatus::Paid, 0, 0), 2));
    let paid = "SELECT count(*) FROM event WHERE name = 'order.paid'";
    assert_eq!(world.test.count(paid), 1);
}

#[tokio::test]
async fn a_dispute_that_is_lost_stays_lost_and_is_noted_once() {
    let world = World::open().await;
    for (kind, status) in [("created", "needs_response"), ("closed", "lost"), ("closed", "lost")] {
        world.dispute(kind, "dp_1", 9980, status).await;
        assert_eq!(world.books().await, (PaymentStatus::ChargedBack, 9980, 0));
    }
    assert_eq!(world.notes(), 2);
}

#[tokio::test]
async fn a_won_dispute_that_is_told_before_it_began_takes_nothing() {
    let world = World::open().await;
    world.dispute("closed", "dp_1", 9980, "won").await;
    world.dispute("created", "dp_1", 9980, "needs_response").await;
    assert_eq!((world.books().await, world.notes()), ((PaymentStatus::Paid, 0, 0), 0));
}

#[tokio::test]
async fn a_dispute_of_a_part_takes_that_part() {
    let world = World::open().await;
    world.dispute("created", "dp_1", 4000, "needs_response").await;
    assert_eq!(world.books().await, (PaymentStatus::Paid, 4000, 0));
    // What the bank took cannot be refunded too.
    let too_much = world.refund(json!({ "amount": 59.81 })).await;
    let left = matches!(&too_much, Err(Error::Refused(Refusal::RefundTooLarge { left })) if left.cents() == 5980);
    assert!(left, "{too_much:?}");
    world.dispute("created", "dp_2", 1000, "needs_response").await;
    assert_eq!(world.books().await, (PaymentStatus::Paid, 5000, 0));
    world.dispute("closed", "dp_1", 4000, "lost").await;
    world.dispute("closed", "dp_2", 1000, "won").await;
    assert_eq!(world.books().await, (PaymentStatus::Paid, 4000, 0));
    // Nothing is left once the rest went back.
    assert_eq!(world.refund(json!({})).await.expect("done").amount.cents(), 5980);
    assert_eq!(world.books().await, (PaymentStatus::ChargedBack, 4000, 5980));
    world.test.check_books().await;
}

#[tokio::test]
async fn an_inquiry_of_the_bank_takes_nothing() {
    let world = World::open().await;
    world.dispute("created", "dp_1", 9980, "warning_needs_response").await;
    world.dispute("closed", "dp_1", 9980, "warning_closed").await;
    assert_eq!((world.books().await, world.notes()), ((PaymentStatus::Paid, 0, 0), 0));
}

#[tokio::test]
async fn a_refund_and_a_chargeback_at_once_are_both_booked() {
    let world = World::open().await;
    world.test.raw_sql(&format!(
        "INSERT INTO refund (id, payment_id, order_id, amount, status, origin, check_at, created_at,
           updated_at)
         SELECT 'r', id, order_id, 9980, 'PENDING', 'SHOP', 0, 0, 0 FROM payment
         WHERE order_id = '{}'",
        world.order.id
    ));
    world.test.raw_sql("UPDATE payment SET refund_reserved = 9980");
    world.dispute("created", "dp_1", 9980, "needs_response").await;
    let refunded = json!({ "id": "ch_1", "object": "charge", "payment_intent": world.intent,
        "amount": 9980, "amount_refunded": 9980, "currency": "brl", "refunded": true });
    world.tell("charge.refunded", refunded).await;
    assert_eq!(world.books().await, (PaymentStatus::ChargedBack, 9980, 9980));
    // Won, but the money went back all the same: that it did is known once the refund is answered.
    world.dispute("closed", "dp_1", 9980, "won").await;
    assert_eq!(world.books().await, (PaymentStatus::Paid, 0, 9980));
    world.test.shop.payments().reconcile(&world.order.id).await.expect("asked");
    assert_eq!(world.books().await, (PaymentStatus::Refunded, 0, 9980));
    let order = world.test.shop.orders().get(&world.order.id).await.expect("there");
    assert_eq!(order.status, OrderStatus::Refunded);
}

#[tokio::test]
async fn a_won_dispute_of_an_order_that_was_paid_again_is_kept_for_review() {
    let world = World::open().await;
    world.dispute("created", "dp_1", 9980, "needs_response").await;
    let cash = input(json!({ "method": "CASH" }));
    let payments = world.test.shop.payments();
    payments.record(&Actor::System, &world.order.id, cash, None).await.expect("recorded");
    world.dispute("closed", "dp_1", 9980, "won").await;
    assert_eq!(world.books().await, (PaymentStatus::Review, 0, 0));
    let order = world.test.shop.orders().get(&world.order.id).await.expect("there");
    assert_eq!(order.payment.status, PaymentStatus::Paid);
}
