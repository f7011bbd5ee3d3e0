//! Units that the customer withdrew get no label.

use serde_json::json;
use shop_core::Error;
use shop_core::actor::Actor;
use shop_core::error::{Conflict, Refusal};
use shop_core::money::Money;
use shop_core::shipment::ShipmentStatus as Status;

use super::buying::one_candle_each;
use super::{Bench, input, states};

#[tokio::test]
async fn a_label_that_waits_is_given_up_when_its_units_are_withdrawn() {
    let bench = Bench::open().await;
    let order = bench.paid(2).await;
    let line = order.items[0].id.as_str();
    let both = bench.buy(&order, one_candle_each(2, line)).await.expect("drafted");
    assert!(both.iter().all(|it| it.status == Status::InCart), "too dear: {both:?}");
    let one = json!({ "items": [{ "orderItemId": line, "quantity": 1 }] });
    let returns = bench.shop.returns();
    returns.request(&bench.ana.id, &order.id, input(one), None).await.expect("withdrawn");
    let dear = input(json!({ "maxPrice": 99 }));
    bench.shop.shipments().retry(&Actor::System, &both[0].id, dear).await.expect("tried");
    bench.settle().await;
    let mut states = states(&bench.shop, &order).await;
    states.sort_by_key(|it| *it == Status::Generated);
    assert_eq!(states, [Status::Cancelled, Status::Generated]);
    bench.check().await;
}

#[tokio::test]
async fn what_was_withdrawn_before_it_was_sent_gets_no_label() {
    let bench = Bench::open().await;
    let (all, some) = (bench.paid(1).await, bench.paid(3).await);
    for (order, units) in [(&all, 1), (&some, 2)] {
        let items = json!({ "items": [{ "orderItemId": order.items[0].id, "quantity": units }] });
        let returns = bench.shop.returns();
        returns.request(&bench.ana.id, &order.id, input(items), None).await.expect("withdrawn");
    }
    let waiting = bench.shop.shipments().waiting_orders().await.expect("orders");
    assert_eq!(waiting, std::slice::from_ref(&some.id));

    let nothing = bench.buy(&all, json!({})).await.expect_err("nothing is left");
    assert!(matches!(nothing, Error::Refused(Refusal::OrderNotShippable)), "{nothing:?}");
    let packed = one_candle_each(1, all.items[0].id.as_str());
    let packed = bench.buy(&all, packed).await.expect_err("nothing is left");
    assert!(matches!(packed, Error::Invalid(_)), "{packed:?}");
    bench.buy(&some, json!({})).await.expect("bought");
    let request = bench.wallet.books().requests.last().cloned().expect("a request");
    assert_eq!((request.items.len(), request.items[0].quantity), (1, 1));
    assert_eq!(request.declared_value, Money::from_cents(4_990));
    bench.check().await;
}

#[tokio::test]
async fn what_was_withdrawn_gets_no_label_beside_others_that_were_not_posted() {
    let bench = Bench::open().await;
    // A candle of 250 g for each box.
    let new = json!({ "name": "Caixa P", "innerLength": 20, "innerWidth": 15, "innerHeight": 10,
        "outerLength": 21, "outerWidth": 16, "outerHeight": 11, "tareWeight": 0.1,
        "maxWeight": 0.4 });
    bench.shop.shipping().create_box(&Actor::System, input(new)).await.expect("a box");
    let order = bench.paid(3).await;
    let mut first = one_candle_each(1, order.items[0].id.as_str());
    first["maxPrice"] = 99.into();
    bench.buy(&order, first).await.expect("bought");
    let one = json!({ "items": [{ "orderItemId": order.items[0].id, "quantity": 1 }] });
    let returns = bench.shop.returns();
    returns.request(&bench.ana.id, &order.id, input(one), None).await.expect("withdrawn");
    bench.buy(&order, json!({ "maxPrice": 99 })).await.expect("bought");
    assert_eq!(states(&bench.shop, &order).await, [Status::Generated; 2], "of three candles");
    let again = bench.buy(&order, json!({})).await.expect_err("all have labels");
    assert!(matches!(again, Error::Conflict(Conflict::ShipmentExists)), "{again:?}");
    bench.check().await;
}
