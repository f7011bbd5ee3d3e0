//! What arrived, and what of it goes back to the shelf.

use serde_json::json;
use shop_core::Error;
use shop_core::actor::Actor;
use shop_core::error::Conflict;
use shop_core::order::OrderStatus;
use shop_core::order_return::{OrderReturn, ReturnStatus};
use shop_core::value::InvalidValue;

use super::{Bench, units_of};
use crate::core::fixture::input;

async fn restock(bench: &Bench, of: &OrderReturn, units: i64) -> shop_core::Result<OrderReturn> {
    let items = json!([{ "orderItemId": of.items[0].order_item_id, "quantity": units }]);
    let what = input(json!({ "items": items }));
    bench.test.shop.returns().restock(&Actor::System, &of.id, what, None, None).await
}

#[tokio::test]
async fn what_arrives_goes_to_the_shelf_by_an_act_of_its_own() {
    let bench = Bench::open().await;
    let order = bench.delivered(3).await;
    assert_eq!(bench.stock(), 97);
    let asked = bench.ask(&order, json!({})).await.expect("asked");
    let early = restock(&bench, &asked, 1).await;
    assert!(matches!(early, Err(Error::Conflict(Conflict::ReturnState))), "{early:?}");
    let here = bench.receive(&asked, json!({})).await.expect("here");
    assert_eq!((here.status, here.items[0].received), (ReturnStatus::Received, Some(3)));
    assert_eq!((bench.stock(), bench.events("return.received")), (97, 1));
    // One of the three is broken.
    assert_eq!(restock(&bench, &asked, 2).await.expect("on the shelf").items[0].restocked, 2);
    assert_eq!(bench.stock(), 99);
    let too_many = restock(&bench, &asked, 2).await;
    assert!(matches!(too_many, Err(Error::Invalid(_))), "{too_many:?}");
    let moved = format!(
        "SELECT count(*) FROM stock_movement WHERE source = 'RETURN' AND reason = 'RETURN'
         AND delta = 2 AND reference = '{}'",
        asked.id
    );
    assert_eq!(bench.test.count(&moved), 1);
    // The money is another matter: giving it back moves no unit.
    bench.refund(&asked, json!({})).await.expect("back");
    assert_eq!((bench.stock(), bench.order(&order).await.status), (99, OrderStatus::Refunded));
    assert_eq!(restock(&bench, &asked, 1).await.expect("mended").items[0].restocked, 3);
    assert_eq!(bench.stock(), 100);
    bench.test.check_books().await;
}

#[tokio::test]
async fn no_units_and_units_of_another_line_are_refused() {
    let bench = Bench::open().await;
    let order = bench.delivered(3).await;
    let asked = bench.ask(&order, json!({})).await.expect("asked");
    bench.receive(&asked, json!({})).await.expect("here");
    let unknown = json!([{ "orderItemId": "nobody.1", "quantity": 1 }]);
    for (items, field) in [(unknown, "items[0].orderItemId"), (json!([]), "items")] {
        let what = input(json!({ "items": items }));
        let returns = bench.test.shop.returns();
        let refused = returns.restock(&Actor::System, &asked.id, what, None, None).await;
        let Err(Error::Invalid(wrong)) = refused else { panic!("{refused:?}") };
        assert!(wrong.field_errors.contains_key(field), "{wrong:?}");
    }
    assert_eq!(bench.stock(), 97);
}

#[tokio::test]
async fn units_that_did_not_arrive_are_the_customers_again() {
    let bench = Bench::open().await;
    let order = bench.delivered(3).await;
    let asked = bench.ask(&order, json!({})).await.expect("asked");
    let arrived = json!({ "items": [
        { "orderItemId": order.items[0].id, "quantity": 2, "restock": 1 }
    ]});
    let here = bench.receive(&asked, arrived).await.expect("here");
    assert_eq!((here.items[0].received, here.items[0].released), (Some(2), 1));
    assert_eq!((here.items[0].restocked, bench.stock()), (1, 98));
    // Two of three: without the freight, as something stays with the customer.
    assert_eq!((here.amount.cents(), here.freight.cents()), (9980, 0));
    let again = bench.ask(&order, json!({})).await.expect("the third unit");
    assert_eq!((again.items[0].quantity, again.amount.cents()), (1, 4990));
    assert_eq!(again.freight.cents(), 1250, "now nothing stays");
    bench.test.check_books().await;
}

#[tokio::test]
async fn what_arrived_is_checked_line_by_line() {
    let bench = Bench::open().await;
    let order = bench.delivered(2).await;
    let asked = bench.ask(&order, json!({})).await.expect("asked");
    let id = &order.items[0].id;
    for wrong in [
        json!([{ "orderItemId": id, "quantity": 3 }]),
        json!([{ "orderItemId": id, "quantity": 1, "restock": 2 }]),
        json!([{ "orderItemId": id, "quantity": 0 }]),
        json!([]),
        json!([{ "orderItemId": "x", "quantity": 1 }]),
        json!([{ "orderItemId": id, "quantity": 1 }, { "orderItemId": id, "quantity": 2 }]),
    ] {
        let refused = bench.receive(&asked, json!({ "items": wrong.clone() })).await;
        assert!(matches!(refused, Err(Error::Invalid(_))), "{wrong}: {refused:?}");
    }
    let line = json!({ "orderItemId": id, "quantity": 0 });
    let mut many = vec![line; 200];
    many.push(json!({ "orderItemId": id, "quantity": 1 }));
    let refused = bench.receive(&asked, json!({ "items": many })).await;
    let Err(Error::Invalid(wrong)) = refused else { panic!("{refused:?}") };
    assert_eq!(wrong.field_errors["items"], [InvalidValue::MaxItems { most: 200 }]);
    bench.receive(&asked, json!({})).await.expect("here");
    let twice = bench.receive(&asked, json!({})).await;
    assert!(matches!(twice, Err(Error::Conflict(Conflict::ReturnState))), "{twice:?}");
}

#[tokio::test]
async fn goods_that_come_after_their_money_went_back_are_received_once() {
    let bench = Bench::open().await;
    let order = bench.delivered(2).await;
    let asked = bench.ask(&order, json!({})).await.expect("asked");
    let back = bench.refund(&asked, json!({})).await.expect("back");
    assert_eq!((back.status, bench.stock()), (ReturnStatus::Refunded, 98));
    let arrived = json!({ "items": [
        { "orderItemId": order.items[0].id, "quantity": 1, "restock": 1 }
    ]});
    let here = bench.receive(&asked, arrived).await.expect("here");
    assert_eq!((here.status, here.items[0].received), (ReturnStatus::Refunded, Some(1)));
    // The customer has the money of the other one, so it is not the customer's again.
    assert_eq!((here.items[0].released, bench.stock()), (0, 99));
    assert_eq!(bench.events("return.received"), 1);
    assert!(bench.receive(&asked, json!({})).await.is_err());
    bench.test.check_books().await;
}

#[tokio::test]
async fn an_order_of_which_every_unit_is_part_of_a_return_moves_none_when_it_is_closed() {
    let bench = Bench::open().await;
    let order = bench.delivered(3).await;
    let told = bench.events("stock.updated");
    bench.ask_units(&order, 3).await.expect("asked");
    let sold = || bench.test.count("SELECT sum(sold) FROM stock");
    for (status, units) in [(OrderStatus::Cancelled, 0), (OrderStatus::Delivered, 3)] {
        bench.set(&order, status).await;
        assert_eq!((bench.stock(), sold()), (97, units), "{status:?}");
    }
    assert_eq!(bench.test.count("SELECT count(*) FROM stock_movement WHERE delta = 0"), 0);
    assert_eq!(bench.events("stock.updated"), told);
    bench.test.check_books().await;
}

#[tokio::test]
async fn an_order_that_is_closed_leaves_its_returned_units_to_their_return() {
    let bench = Bench::open().await;
    let order = bench.delivered(3).await;
    let asked = bench.ask_units(&order, 2).await.expect("asked");
    bench.set(&order, OrderStatus::Cancelled).await;
    assert_eq!(bench.stock(), 98, "only the unit that is in no return");
    bench
        .receive(
            &asked,
            json!({ "items": [
                { "orderItemId": order.items[0].id, "quantity": 2, "restock": 2 }
            ]}),
        )
        .await
        .expect("here");
    assert_eq!(bench.stock(), 100);
    bench.test.check_books().await;
    // Back to life it takes again what it gave back, and no more.
    bench.set(&order, OrderStatus::Delivered).await;
    assert_eq!(bench.stock(), 99);
    bench.test.check_books().await;
}

#[tokio::test]
async fn a_return_that_ends_in_a_closed_order_puts_nothing_on_the_shelf() {
    let bench = Bench::open().await;
    let order = bench.delivered(2).await;
    let defect = json!({ "kind": "DEFECT", "reason": "Trincou", "items": units_of(&order, 1) });
    let asked = bench.ask(&order, defect).await.expect("asked");
    bench.set(&order, OrderStatus::Cancelled).await;
    bench.reject(&asked).await.expect("no");
    assert_eq!(bench.stock(), 99);
    bench.test.check_books().await;
    bench.set(&order, OrderStatus::Delivered).await;
    assert_eq!(bench.stock(), 98);
    bench.set(&order, OrderStatus::Cancelled).await;
    assert_eq!(bench.stock(), 100);
    bench.test.check_books().await;
}

#[tokio::test]
async fn a_return_of_an_order_that_was_closed_and_never_sent_ends_on_the_shelf() {
    let bench = Bench::open().await;
    let order = bench.paid(3).await;
    let asked = bench.ask_units(&order, 2).await.expect("asked");
    bench.set(&order, OrderStatus::Cancelled).await;
    assert_eq!(bench.stock(), 98);
    bench.cancel(&asked).await.expect("called off");
    assert_eq!(bench.stock(), 100);
    bench.test.check_books().await;
    // Back to life it takes all of them.
    bench.set(&order, OrderStatus::Processing).await;
    assert_eq!(bench.stock(), 97);
    bench.test.check_books().await;
}

#[tokio::test]
async fn units_that_never_left_and_are_missing_from_a_return_are_on_the_shelf() {
    let bench = Bench::open().await;
    let order = bench.paid(4).await;
    let asked = bench.ask_units(&order, 4).await.expect("asked");
    bench.set(&order, OrderStatus::Cancelled).await;
    assert_eq!(bench.stock(), 96);
    let line = &order.items[0].id;
    let arrived = json!({ "items": [{ "orderItemId": line, "quantity": 1, "restock": 1 }] });
    bench.receive(&asked, arrived).await.expect("received");
    assert_eq!(bench.stock(), 100);
    assert_eq!(bench.mails("return-received"), 0, "nothing came");
    bench.test.check_books().await;
}
