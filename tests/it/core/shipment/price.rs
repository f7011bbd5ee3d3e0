//! What labels may cost, which is looked at once more right before they are paid.

use serde_json::json;
use shop_core::actor::Actor;
use shop_core::fulfilment::{BuyManyLabels, RetryShipment};
use shop_core::money::Money;
use shop_core::shipment::{Shipment, ShipmentProblemKind as Problem, ShipmentStatus as Status};

use super::buying::one_candle_each;
use super::wallet::Fate;
use super::{Bench, input};

fn money(cents: i64) -> Money {
    Money::from_cents(cents)
}

fn costing(price: f64) -> RetryShipment {
    input(json!({ "maxPrice": price }))
}

/// The problem of a label, and what it says of money.
fn told(label: &Shipment) -> Option<(Problem, Option<Money>, Option<Money>)> {
    label.problem.as_ref().map(|it| (it.kind, it.price, it.limit))
}

/// A label that waits in the cart for want of balance, for which R$ 23,00 may be paid.
async fn waiting(bench: &Bench) -> Shipment {
    bench.wallet.books().balance = 750;
    let order = bench.paid(1).await;
    let label = bench.buy(&order, json!({})).await.expect("drafted").remove(0);
    let poor = Some((Problem::InsufficientBalance, Some(money(2_000)), Some(money(750))));
    assert_eq!((label.status, told(&label)), (Status::InCart, poor));
    label
}

/// The provider changes the price of what is in the cart.
fn reprice(bench: &Bench, cents: i64) {
    let mut books = bench.wallet.books();
    books.balance = 100_000;
    books.labels[0].label.price = money(cents);
}

#[tokio::test]
async fn a_label_that_got_dearer_in_the_cart_waits_for_staff_and_is_paid_at_their_price() {
    let bench = Bench::open().await;
    let label = waiting(&bench).await;
    reprice(&bench, 9_000);
    bench.later(60).await;
    let dear = bench.get(&label.id).await;
    let problem = Some((Problem::PriceAboveQuote, Some(money(9_000)), Some(money(2_300))));
    assert_eq!((dear.status, told(&dear)), (Status::InCart, problem));
    let shipments = bench.shop.shipments();
    let still = shipments.retry(&Actor::System, &label.id, RetryShipment::default()).await;
    assert_eq!(told(&still.expect("tried")), problem, "without a price nothing changes");
    assert_eq!(bench.wallet.count("pay"), 1, "the first try alone");
    let paid = shipments.retry(&Actor::System, &label.id, costing(90.0)).await.expect("paid");
    assert_eq!(
        (paid.status, paid.problem, paid.price),
        (Status::Generated, None, Some(money(9_000)))
    );
    bench.check().await;
}

#[tokio::test]
async fn a_label_that_got_a_little_dearer_is_paid_within_what_was_quoted() {
    let bench = Bench::open().await;
    let label = waiting(&bench).await;
    reprice(&bench, 2_300);
    bench.later(60).await;
    let paid = bench.get(&label.id).await;
    assert_eq!((paid.status, paid.price), (Status::Generated, Some(money(2_300))));
    bench.check().await;
}

#[tokio::test]
async fn a_price_that_staff_accepted_is_no_leave_to_pay_more() {
    let bench = Bench::open().await;
    let label = waiting(&bench).await;
    let shipments = bench.shop.shipments();
    // R$ 30,00 were accepted, and there is no money still.
    shipments.retry(&Actor::System, &label.id, costing(30.0)).await.expect("tried");
    reprice(&bench, 3_001);
    bench.later(120).await;
    let dear = bench.get(&label.id).await;
    let problem = Some((Problem::PriceAboveQuote, Some(money(3_001)), Some(money(3_000))));
    assert_eq!((dear.status, told(&dear)), (Status::InCart, problem));
    bench.shop.shipments().cancel(&Actor::System, &label.id).await.expect("given up");
    bench.check().await;
}

#[tokio::test]
async fn a_problem_is_over_when_the_label_goes_on() {
    let bench = Bench::open().await;
    let label = waiting(&bench).await;
    bench.wallet.books().balance = 100_000;
    bench.wallet.fail_once("pay", Fate::LostBefore);
    bench.later(60).await;
    let paying = bench.get(&label.id).await;
    let problem = told(&paying).map(|it| it.0);
    assert_eq!((paying.status, problem), (Status::Paying, Some(Problem::NoAnswer)));
    bench.settle().await;
    assert_eq!(told(&bench.get(&label.id).await), None);
    bench.check().await;
}

#[tokio::test]
async fn what_labels_of_many_orders_may_cost_holds_for_each() {
    let bench = Bench::open().await;
    bench.paid(1).await;
    bench.paid(1).await;
    let shipments = bench.shop.shipments();
    let many = |price: f64| input::<BuyManyLabels>(json!({ "maxPrice": price }));
    let wrong = shipments.buy_many(&Actor::System, many(-1.0)).await;
    assert!(wrong.is_err());
    let bought = shipments.buy_many(&Actor::System, many(19.99)).await.expect("drafted").shipments;
    let problem = Some((Problem::PriceAboveQuote, Some(money(2_000)), Some(money(1_999))));
    assert_eq!(bought.iter().map(told).collect::<Vec<_>>(), [problem, problem]);
    for label in bought {
        shipments.cancel(&Actor::System, &label.id).await.expect("given up");
    }
    let bought = shipments.buy_many(&Actor::System, many(20.0)).await.expect("bought").shipments;
    assert!(bought.iter().all(|it| it.status == Status::Generated), "{bought:?}");
    bench.check().await;
}

#[tokio::test]
async fn labels_that_are_bought_one_after_the_other_cost_no_more_than_together() {
    let bench = Bench::open().await;
    let order = bench.paid(2).await;
    let one = one_candle_each(1, order.items[0].id.as_str());
    let first = bench.buy(&order, one.clone()).await.expect("bought").remove(0);
    assert_eq!((first.status, first.price), (Status::Generated, Some(money(2_000))));
    let second = bench.buy(&order, one).await.expect("drafted").remove(0);
    let problem = Some((Problem::PriceAboveQuote, Some(money(2_000)), Some(money(300))));
    assert_eq!((second.status, told(&second)), (Status::InCart, problem));
    bench.shop.shipments().cancel(&Actor::System, &second.id).await.expect("given up");
    bench.check().await;
}

#[tokio::test]
async fn a_label_that_waited_for_its_sibling_s_price_goes_on_when_that_is_accepted() {
    let bench = Bench::open().await;
    let order = bench.paid(2).await;
    let line = order.items[0].id.as_str();
    let both = bench.buy(&order, one_candle_each(2, line)).await.expect("drafted");
    bench.shop.shipments().cancel(&Actor::System, &both[0].id).await.expect("given up");
    // Beside R$ 11,50 for the other one.
    let mut anew = one_candle_each(1, line);
    anew["maxPrice"] = 28.5.into();
    bench.buy(&order, anew).await.expect("bought");
    bench.settle().await;
    assert_eq!(bench.get(&both[1].id).await.status, Status::Generated);
    bench.check().await;
}

#[tokio::test]
async fn what_is_missing_since_the_label_was_asked_for_is_named() {
    let bench = Bench::open().await;
    bench.wallet.fail(|call| if call == "add" { Fate::LostBefore } else { Fate::Answered });
    let order = bench.paid(1).await;
    let label = bench.buy(&order, json!({})).await.expect("drafted").remove(0);
    bench.test.raw_sql("UPDATE account SET cpf = NULL; UPDATE orders SET buyer = NULL");
    bench.wallet.answer_all();
    bench.later(60).await;
    let problem = bench.get(&label.id).await.problem.expect("says why");
    assert_eq!(problem.kind, Problem::MissingData);
    assert_eq!(problem.text.as_deref(), Some("recipient.document"));
    let named = json!({ "cpf": "529.982.247-25" });
    bench.test.shop.accounts().update(&bench.ana.id, input(named)).await.expect("named");
    let shipments = bench.shop.shipments();
    let again = shipments.retry(&Actor::System, &label.id, RetryShipment::default()).await;
    assert_eq!(again.expect("tried").status, Status::Generated);
    bench.check().await;
}
