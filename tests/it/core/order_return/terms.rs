//! The law's terms, at the minute before and after.

use std::time::Duration;

use serde_json::json;
use shop_core::Error;
use shop_core::actor::Actor;
use shop_core::clock::Timestamp;
use shop_core::error::Refusal;
use shop_core::order::OrderStatus;
use shop_core::order_return::{ReturnKind, ReturnStatus};

use super::Bench;
use crate::core::fixture::input;

fn at(text: &str) -> Timestamp {
    text.parse().expect("an instant")
}

impl Bench {
    /// Moves the clock to an instant.
    fn move_to(&self, instant: Timestamp) {
        let ahead = instant.millis() - self.test.shop.now().millis();
        self.test.clock.advance(Duration::from_millis(u64::try_from(ahead).expect("ahead")));
    }
}

/// The refusal of a late request, with the last day of its term.
fn ended(refused: shop_core::Result<shop_core::order_return::OrderReturn>) -> String {
    match refused {
        Err(Error::Refused(Refusal::ReturnTooLate { last_day })) => last_day.to_string(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_purchase_can_be_withdrawn_from_until_the_last_minute_of_the_term_and_not_after() {
    for (delivered, last, day) in [
        // From a Tuesday to the Tuesday after.
        ("2026-11-24T09:00:00-03:00", "2026-12-01T23:59:59.999-03:00", "2026-12-01"),
        // Late in the evening, when it is the next day in UTC.
        ("2026-11-24T23:59:00-03:00", "2026-12-01T23:59:59.999-03:00", "2026-12-01"),
        // The seventh day is a Saturday, and a Sunday: the Monday counts.
        ("2026-11-21T09:00:00-03:00", "2026-11-30T23:59:59.999-03:00", "2026-11-30"),
        ("2026-11-22T09:00:00-03:00", "2026-11-30T23:59:59.999-03:00", "2026-11-30"),
        // The seventh day is a holiday of the whole country.
        ("2026-12-18T09:00:00-03:00", "2026-12-28T23:59:59.999-03:00", "2026-12-28"),
        // Over the end of a month and of a year.
        ("2026-12-28T09:00:00-03:00", "2027-01-04T23:59:59.999-03:00", "2027-01-04"),
    ] {
        let bench = Bench::at(at(delivered), |_| {}).await;
        let (first, second) = (bench.delivered(1).await, bench.delivered(1).await);
        bench.move_to(at(last));
        let asked = bench.ask(&first, json!({})).await.expect("in time");
        assert_eq!((asked.kind, asked.status), (ReturnKind::Withdrawal, ReturnStatus::Approved));
        assert_eq!(asked.delivered_at, Some(at(delivered)), "{delivered}");
        assert_eq!(asked.term_ends_at, Some(at(last).plus(Duration::from_millis(1))));
        bench.test.clock.advance(Duration::from_millis(1));
        assert_eq!(ended(bench.ask(&second, json!({})).await), day, "{delivered}");
        let named = json!({ "kind": "WITHDRAWAL", "reason": "Não gostei" });
        assert_eq!(ended(bench.ask(&second, named).await), day, "{delivered}");
    }
}

#[tokio::test]
async fn a_late_withdrawal_with_a_reason_is_a_defect_until_its_term_ends() {
    let bench = Bench::at(at("2026-11-24T09:00:00-03:00"), |_| {}).await;
    let (first, second) = (bench.delivered(1).await, bench.delivered(1).await);
    bench.move_to(at("2027-02-22T23:59:59.999-03:00"));
    let why = json!({ "reason": "O vidro trincou" });
    let asked = bench.ask(&first, why.clone()).await.expect("in time");
    assert_eq!((asked.kind, asked.status), (ReturnKind::Defect, ReturnStatus::Requested));
    bench.test.clock.advance(Duration::from_millis(1));
    assert_eq!(ended(bench.ask(&second, why).await), "2027-02-22");
}

#[tokio::test]
async fn a_shop_may_give_longer_terms() {
    let longer = |config: &mut shop_core::Config| {
        config.returns.withdrawal_days = 30;
        config.returns.defect_days = 365;
    };
    let bench = Bench::at(at("2026-11-24T09:00:00-03:00"), longer).await;
    let order = bench.delivered(2).await;
    bench.move_to(at("2026-12-24T23:59:59.999-03:00"));
    let asked = bench.ask_units(&order, 1).await.expect("in time");
    assert_eq!(asked.kind, ReturnKind::Withdrawal);
    bench.test.clock.advance(Duration::from_millis(1));
    let defect = bench.ask(&order, json!({ "reason": "Trincou" })).await.expect("in time");
    assert_eq!(defect.kind, ReturnKind::Defect);
}

#[tokio::test]
async fn where_nobody_knows_when_it_was_delivered_the_term_has_not_begun() {
    let bench = Bench::open().await;
    let (paid, sent) = (bench.paid(1).await, bench.paid(1).await);
    bench.set(&sent, OrderStatus::Shipped).await;
    // Delivered by mistake, and corrected.
    let corrected = bench.delivered(1).await;
    bench.set(&corrected, OrderStatus::Shipped).await;
    bench.test.advance_hours(24 * 400);
    for order in [&paid, &sent, &corrected] {
        let asked = bench.ask(order, json!({})).await.expect("open");
        assert_eq!((asked.kind, asked.status), (ReturnKind::Withdrawal, ReturnStatus::Approved));
        assert_eq!((asked.delivered_at, asked.term_ends_at), (None, None));
    }
}

#[tokio::test]
async fn the_term_begins_with_the_latest_delivery() {
    let bench = Bench::at(at("2026-11-24T09:00:00-03:00"), |_| {}).await;
    let order = bench.delivered(1).await;
    bench.move_to(at("2026-12-03T09:00:00-03:00"));
    assert_eq!(ended(bench.ask(&order, json!({})).await), "2026-12-01");
    bench.set(&order, OrderStatus::Shipped).await;
    bench.set(&order, OrderStatus::Delivered).await;
    let asked = bench.ask(&order, json!({})).await.expect("in time");
    assert_eq!(asked.delivered_at, Some(at("2026-12-03T09:00:00-03:00")));
}

#[tokio::test]
async fn staff_take_goods_back_after_the_term_as_a_courtesy() {
    let bench = Bench::open().await;
    let order = bench.delivered(1).await;
    bench.test.advance_hours(24 * 30);
    let open = input(json!({ "orderId": order.id }));
    let opened = bench.test.shop.returns().open(&Actor::System, open, None).await.expect("open");
    assert!(opened.courtesy);
    assert_eq!((opened.kind, opened.status), (ReturnKind::Withdrawal, ReturnStatus::Approved));
    // A courtesy is no right: staff may think better of it.
    assert_eq!(bench.reject(&opened).await.expect("rejected").status, ReturnStatus::Rejected);
}
