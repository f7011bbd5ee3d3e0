//! How often carriers are asked, and what is not asked about.

use std::sync::Arc;

use serde_json::json;
use shop_core::error::{Entity, Error, Refusal};
use shop_core::order::OrderStatus;
use shop_core::shipment::{ProviderLabelStatus as Said, ShipmentProblemKind, ShipmentStatus};
use shop_core::views::TaskFilter;
use tokio::sync::Semaphore;

use super::{DAY, Depot, HOUR, with_carrier};
use crate::core::fixture::{START, input};

#[tokio::test]
async fn a_parcel_is_asked_about_once_an_hour_and_less_often_after_a_month() {
    let depot = Depot::open().await;
    depot.label(&depot.order.id, "1", 1);
    depot.carrier.say("1", Said::Posted, START);
    let shipments = depot.test.shop.shipments();
    let ask = async || shipments.track_due().await.expect("a round").asked;
    assert_eq!((ask().await, ask().await), (1, 0));
    depot.test.clock.advance(HOUR / 2);
    assert_eq!(ask().await, 0);
    depot.test.clock.advance(HOUR / 2);
    assert_eq!(ask().await, 1);
    depot.test.clock.advance(31 * DAY);
    assert_eq!(ask().await, 1);
    depot.test.clock.advance(11 * HOUR);
    assert_eq!(ask().await, 0);
    depot.test.clock.advance(HOUR);
    assert_eq!(ask().await, 1);
    depot.test.clock.advance(100 * DAY);
    assert_eq!(ask().await, 1);
    // Nobody expects it any more; by hand it can still be asked about.
    depot.test.clock.advance(100 * DAY);
    assert_eq!(ask().await, 0);
    depot.carrier.say("1", Said::Delivered, START);
    let it = shipments.track(&"1".into()).await.expect("asked");
    assert_eq!(it.status, ShipmentStatus::Delivered);
}

#[tokio::test]
async fn of_two_servers_one_asks() {
    let depot = Depot::open().await;
    for number in 1..=20 {
        depot.label(&depot.order.id, &number.to_string(), number);
        depot.carrier.say(&number.to_string(), Said::Posted, START);
    }
    let other = with_carrier(&depot.test, &depot.carrier).await;
    let (here, there) = (depot.test.shop.shipments(), other.shipments());
    let (here, there) = tokio::join!(here.track_due(), there.track_due());
    let asked = here.expect("a round").asked + there.expect("a round").asked;
    assert_eq!((asked, depot.carrier.office().asked.len()), (20, 20));
    assert_eq!(depot.events("order.shipped"), 1);
}

#[tokio::test]
async fn a_carrier_that_does_not_answer_is_asked_after_longer_pauses_and_loses_nothing() {
    let depot = Depot::open().await;
    let parcel = depot.label(&depot.order.id, "1", 1);
    depot.carrier.office().is_closed = true;
    let mut gaps = Vec::new();
    let mut since = 0;
    for _ in 0..30 {
        since += 1;
        if depot.later().await > 0 {
            gaps.push(since);
            since = 0;
        }
    }
    assert_eq!(gaps, [1, 1, 2, 3, 4, 5, 6, 7]);
    let problem = depot.get(&parcel).await.problem.map(|it| it.kind);
    assert_eq!(problem, Some(ShipmentProblemKind::NoAnswer));
    depot.carrier.office().is_closed = false;
    depot.carrier.say("1", Said::Posted, START);
    let it = depot.test.shop.shipments().track(&parcel).await.expect("asked");
    assert_eq!((it.status, it.problem), (ShipmentStatus::Posted, None));
    assert_eq!(depot.later().await, 1);
}

#[tokio::test]
async fn news_that_come_while_a_carrier_is_asked_have_it_asked_again() {
    let depot = Depot::open().await;
    depot.label(&depot.order.id, "1", 1);
    let permits = Arc::new(Semaphore::new(0));
    depot.carrier.office().permits = Some(Arc::clone(&permits));
    let shop = depot.test.shop.clone();
    depot.test.clock.advance(HOUR);
    let round = tokio::spawn(async move { shop.shipments().track_due().await.expect("a round") });
    while depot.carrier.office().asked.is_empty() {
        tokio::task::yield_now().await;
    }
    // As a notice of the carrier does it.
    let now = depot.test.shop.now().millis();
    depot.test.raw_sql(&format!("UPDATE shipment SET check_at = {now}"));
    permits.add_permits(9);
    assert_eq!(round.await.expect("done").asked, 1);
    assert_eq!(depot.test.shop.shipments().track_due().await.expect("a round").asked, 1);
    assert_eq!(depot.test.shop.shipments().track_due().await.expect("a round").asked, 0);
}

#[tokio::test]
async fn a_label_that_its_provider_does_not_know_is_told_to_staff() {
    let depot = Depot::open().await;
    let parcel = depot.label(&depot.order.id, "1", 1);
    depot.later().await;
    let problem = depot.get(&parcel).await.problem.map(|it| it.kind);
    assert_eq!(problem, Some(ShipmentProblemKind::Gone));
    let tasks = depot.test.shop.dashboard().get_tasks(TaskFilter::default()).await.expect("tasks");
    assert_eq!(tasks.parcels_in_trouble.count, 1);
    depot.carrier.say("1", Said::Generated, START);
    depot.test.shop.shipments().track(&parcel).await.expect("asked");
    assert_eq!(depot.get(&parcel).await.problem, None);
    depot.carrier.forget("1");
}

#[tokio::test]
async fn a_round_is_part_of_the_background() {
    let depot = Depot::open().await;
    depot.label(&depot.order.id, "1", 1);
    depot.carrier.say("1", Said::Posted, START);
    assert_eq!(depot.test.shop.run_due().await.expect("done").shipments_moved, 1);
}

#[tokio::test]
async fn only_labels_of_the_shops_own_provider_are_asked_about() {
    let depot = Depot::open().await;
    let parcel = depot.label(&depot.order.id, "1", 1);
    depot.test.raw_sql("UPDATE shipment SET provider = 'melhor-envio'");
    assert_eq!(depot.later().await, 0);
    let told = depot.get(&parcel).await;
    let problem = told.problem.map(|it| it.kind);
    assert_eq!(problem, Some(ShipmentProblemKind::OtherProvider));
    assert_eq!(told.updated_at, depot.test.shop.now(), "who asks for news hears of it");
    let shipments = depot.test.shop.shipments();
    let refused = shipments.track(&parcel).await;
    assert!(matches!(refused, Err(Error::Refused(Refusal::NoLabelProvider))), "{refused:?}");
    let unknown = shipments.track(&"no".into()).await;
    assert!(matches!(unknown, Err(Error::NotFound(Entity::Shipment))), "{unknown:?}");
    assert!(depot.carrier.office().asked.is_empty());
}

#[tokio::test]
async fn the_parcel_of_a_customer_who_is_erased_is_not_asked_about() {
    let depot = Depot::open().await;
    depot.label(&depot.order.id, "1", 1);
    depot.carrier.say("1", Said::Posted, START);
    depot.later().await;
    depot.set(OrderStatus::Delivered).await;
    let password = input(json!({ "password": "segredo-123" }));
    depot.test.shop.accounts().erase(&depot.ana.id, password).await.expect("erased");
    assert_eq!(depot.later().await, 0);
    assert_eq!(depot.get(&"1".into()).await.tracking_code, None);
    // Nor do the events of the parcel tell the code.
    depot.test.shop.run_due().await.expect("done");
    let told = "SELECT count(*) FROM event WHERE name = 'shipment.updated' AND payload LIKE";
    assert_eq!(depot.test.count(&format!("{told} '%AA1BR%'")), 0);
    assert_eq!(depot.test.count(&format!("{told} '%POSTED%'")), 1);
}
