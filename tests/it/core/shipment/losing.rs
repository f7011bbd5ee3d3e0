//! Answers that get lost and servers that die: no label is paid twice, and none that is paid is
//! lost.

use std::time::Duration;

use serde_json::json;
use shop_core::actor::Actor;
use shop_core::fulfilment::RetryShipment;
use shop_core::shipment::{Shipment, ShipmentProblemKind as Problem, ShipmentStatus as Status};

use super::wallet::Fate;
use super::{Bench, buy, open};

/// What becomes of one call: its effect is there, or not.
const LOST: [Fate; 2] = [Fate::LostBefore, Fate::LostAfter];
const HANGS: [Fate; 2] = [Fate::HangsBefore, Fate::HangsAfter];

#[tokio::test]
async fn a_label_is_bought_once_whatever_answer_is_lost() {
    let bench = Bench::open().await;
    for call in ["add", "pay", "fetch", "generate"] {
        for fate in LOST {
            bench.wallet.fail_once(call, fate);
            let order = bench.paid(1).await;
            let label = bench.buy(&order, json!({})).await.expect("drafted").remove(0);
            bench.settle().await;
            let label = bench.get(&label.id).await;
            assert_eq!(label.status, Status::Generated, "{call} {fate:?}: {label:?}");
            bench.check().await;
        }
    }
    assert_eq!(bench.wallet.books().paid().count(), 8);
}

#[tokio::test]
async fn a_payment_is_repeated_only_when_the_provider_says_that_it_was_not_made() {
    let bench = Bench::open().await;
    bench.wallet.fail(|call| if call == "pay" { Fate::LostBefore } else { Fate::Answered });
    let order = bench.paid(1).await;
    let label = bench.buy(&order, json!({})).await.expect("drafted").remove(0);
    assert_eq!(label.status, Status::Paying, "the provider may still be at it");
    let cancelled = bench.shop.shipments().cancel(&Actor::System, &label.id).await;
    assert!(cancelled.is_err(), "nobody knows whether there is anything to give back");
    bench.later(1).await;
    assert_eq!(bench.wallet.count("pay"), 1);
    bench.wallet.fail(|call| if call == "fetch" { Fate::LostBefore } else { Fate::Answered });
    for _ in 0..20 {
        bench.later(60).await;
    }
    assert_eq!(bench.wallet.count("pay"), 1, "without a word of the provider none is repeated");
    bench.wallet.answer_all();
    bench.settle().await;
    assert_eq!(
        (bench.wallet.count("pay"), bench.get(&label.id).await.status),
        (2, Status::Generated)
    );
    bench.check().await;
}

#[tokio::test]
async fn a_server_that_was_stopped_before_it_paid_pays_no_more() {
    let bench = Bench::open().await;
    let (clock, mut is_first) = (bench.test.clock.clone(), true);
    // As a machine that sleeps between storing what it is about to pay and paying it.
    bench.wallet.fail(move |call| {
        if call == "fetch" && std::mem::take(&mut is_first) {
            clock.advance(Duration::from_secs(15 * 60));
        }
        Fate::Answered
    });
    let order = bench.paid(1).await;
    let label = bench.buy(&order, json!({})).await.expect("drafted").remove(0);
    assert_eq!((label.status, bench.wallet.count("pay")), (Status::InCart, 0));
    assert_eq!(label.problem.map(|it| it.kind), Some(Problem::NoAnswer));
    bench.settle().await;
    assert_eq!(bench.get(&label.id).await.status, Status::Generated);
    assert_eq!(bench.wallet.count("pay"), 1);
    bench.check().await;
}

#[tokio::test]
async fn a_label_is_bought_once_wherever_the_server_dies() {
    let bench = Bench::open().await;
    for call in ["add", "pay", "fetch", "generate"] {
        for fate in HANGS {
            let order = bench.paid(1).await;
            bench.wallet.fail_once(call, fate);
            let started = bench.wallet.count(call);
            let server = server();
            let (config, clock) = (bench.test.shop.config().clone(), bench.test.clock.clone());
            let (wallet, of) = (bench.wallet.clone(), order.clone());
            server.spawn(
                async move { buy(&open(config, clock, wallet).await, &of, json!({})).await },
            );
            until(|| bench.wallet.count(call) > started).await;
            server.shutdown_background();
            bench.wallet.answer_all();
            bench.settle().await;
            let found = bench.shop.shipments().list_for_order(&order.id).await.expect("there");
            let [label] = &found[..] else { panic!("{found:?}") };
            assert_eq!(label.status, Status::Generated, "{call} {fate:?}: {label:?}");
            bench.check().await;
        }
    }
}

#[tokio::test]
async fn a_label_is_given_back_once_whatever_is_lost_and_wherever_the_server_dies() {
    let bench = Bench::open().await;
    for call in ["fetch", "cancel"] {
        for fate in LOST.into_iter().chain(HANGS) {
            let order = bench.paid(1).await;
            let label = bench.buy(&order, json!({})).await.expect("bought").remove(0);
            bench.wallet.fail_once(call, fate);
            give_back(&bench, &label, call, fate).await;
            bench.wallet.answer_all();
            bench.settle().await;
            let label = bench.get(&label.id).await;
            assert_eq!(label.status, Status::Cancelled, "{call} {fate:?}: {label:?}");
            assert_eq!(bench.wallet.books().balance, 100_000, "{call} {fate:?}");
            bench.check().await;
        }
    }
}

async fn give_back(bench: &Bench, label: &Shipment, call: &'static str, fate: Fate) {
    if LOST.contains(&fate) {
        bench.shop.shipments().cancel(&Actor::System, &label.id).await.expect("begun");
        return;
    }
    let (server, started) = (server(), bench.wallet.count(call));
    let (config, clock) = (bench.test.shop.config().clone(), bench.test.clock.clone());
    let (wallet, id) = (bench.wallet.clone(), label.id.clone());
    server.spawn(async move {
        let shop = open(config, clock, wallet).await;
        shop.shipments().cancel(&Actor::System, &id).await
    });
    until(|| bench.wallet.count(call) > started).await;
    server.shutdown_background();
}

/// What runs another server, to be killed.
fn server() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(1).enable_all().build().expect("a runtime")
}

async fn until(holds: impl Fn() -> bool) {
    for _ in 0..2_000 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("it never came so far");
}

#[tokio::test]
async fn a_label_of_the_cart_that_is_not_wanted_leaves_it_whatever_is_lost() {
    let bench = Bench::open().await;
    for call in ["fetch", "remove"] {
        for fate in LOST {
            bench.wallet.books().balance = 0;
            bench.wallet.answer_all();
            let order = bench.paid(1).await;
            let label = bench.buy(&order, json!({})).await.expect("drafted").remove(0);
            assert_eq!(label.status, Status::InCart);
            bench.wallet.fail_once(call, fate);
            bench.shop.shipments().cancel(&Actor::System, &label.id).await.expect("begun");
            bench.settle().await;
            assert_eq!(bench.get(&label.id).await.status, Status::Cancelled, "{call} {fate:?}");
            bench.wallet.books().balance = 100_000;
            bench.check().await;
        }
    }
}

/// Numbers that look random and are the same in each run (a linear congruential generator).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

fn fate(dice: &mut Dice) -> Fate {
    match dice.roll(10) {
        0 => Fate::LostBefore,
        1 | 2 => Fate::LostAfter,
        3 => Fate::NotConnected,
        4 if dice.roll(3) == 0 => Fate::Refused,
        _ => Fate::Answered,
    }
}

#[tokio::test]
async fn over_many_random_histories_the_wallet_lost_what_the_shop_has_booked() {
    let bench = Bench::open().await;
    {
        let mut books = bench.wallet.books();
        (books.credit, books.balance) = (10_000_000, 10_000_000);
    }
    let mut dice = Dice(20_261_122);
    for history in 0..100 {
        let mut faults = Dice(history);
        bench.wallet.fail(move |_| fate(&mut faults));
        let order = bench.paid(1).await;
        let _ = bench.buy(&order, json!({})).await;
        for _ in 0..dice.roll(6) {
            let found = bench.shop.shipments().list_for_order(&order.id).await.expect("there");
            let last = found.last().expect("a shipment").id.clone();
            let shipments = bench.shop.shipments();
            match dice.roll(5) {
                0 => drop(shipments.cancel(&Actor::System, &last).await),
                1 => drop(shipments.retry(&Actor::System, &last, RetryShipment::default()).await),
                2 => drop(bench.buy(&order, json!({})).await),
                _ => drop(bench.later(1 + dice.roll(90)).await),
            }
        }
        bench.wallet.answer_all();
        bench.settle().await;
        let paid = bench.wallet.books().paid().count();
        let known = bench.test.count(
            "SELECT count(*) FROM shipment WHERE paid_at IS NOT NULL AND status <> 'CANCELLED'",
        );
        assert_eq!(i64::try_from(paid).expect("few"), known, "history {history}");
        if history % 25 == 0 {
            bench.check().await;
        }
        let live = bench.test.count("SELECT count(*) FROM shipment WHERE status = 'GENERATED'");
        assert!(live <= 1 + i64::try_from(history).expect("few"), "one label a parcel");
    }
    bench.check().await;
}

#[tokio::test]
async fn a_provider_that_does_not_answer_is_asked_once_for_each_label() {
    let bench = Bench::open().await;
    bench.wallet.fail(|_| Fate::LostBefore);
    let mut orders = Vec::new();
    for _ in 0..4 {
        orders.push(bench.paid(1).await);
    }
    for order in &orders {
        bench.buy(order, json!({})).await.expect("drafted");
    }
    let before = bench.wallet.count("find");
    assert_eq!(bench.later(60).await, 4);
    assert_eq!(bench.wallet.count("find") - before, 4);
    bench.wallet.answer_all();
    bench.settle().await;
    bench.check().await;
}
