//! Idempotency keys of orders.

use futures_util::future::join_all;
use serde_json::json;
use shop_core::Error;
use shop_core::error::Refusal;
use shop_core::order::OrderStatus;

use super::fixture::{TestShop, order_of};
use super::order::available;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_key_repeated_gives_the_first_answer_and_places_one_order() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 50, 1000).await;
    let place = |quantity: i64, name: &'static str| {
        let order = order_of(&buyer, json!([{ "productId": vela, "quantity": quantity }]));
        test.place_order(&buyer, order, Some(name))
    };
    let answers = join_all((0..50).map(|_| place(1, "k"))).await;
    let answers: Vec<_> = answers.into_iter().map(|a| a.expect("placed")).collect();
    assert_eq!(answers.iter().filter(|answer| !answer.replayed).count(), 1);
    let first = serde_json::to_string(&answers[0].order).expect("json");
    assert!(answers.iter().all(|a| serde_json::to_string(&a.order).expect("json") == first));
    assert_eq!((test.count("SELECT count(*) FROM orders"), test.stock(vela.as_str())), (1, 49));

    // What happens to the order later does not change what was answered first.
    test.shop.sandbox().pay(&answers[0].order.order_number).await.expect("paid");
    let again = place(1, "k").await.expect("replayed").order;
    assert_eq!(serde_json::to_string(&again).expect("json"), first);

    let other = place(2, "k").await;
    assert!(matches!(other, Err(Error::Refused(Refusal::IdempotencyKeyReused))), "{other:?}");
    assert!(!place(1, "another").await.expect("placed").replayed);
    test.advance_hours(24);
    assert!(!place(1, "k").await.expect("placed").replayed);
}

#[tokio::test]
async fn a_key_of_one_customer_means_nothing_to_another() {
    let test = TestShop::open().await;
    let (ana, bia) = (test.buyer("ana").await, test.buyer("bia").await);
    let vela = test.product("vela", 5, 1000).await;
    for buyer in [ana, bia] {
        let order = order_of(&buyer, json!([{ "productId": vela, "quantity": 1 }]));
        let placed = test.place_order(&buyer, order, Some("k")).await.expect("placed");
        assert_eq!((placed.replayed, placed.order.user_id), (false, buyer.id));
    }
}

#[tokio::test]
async fn a_refused_order_does_not_use_up_its_key() {
    let test = TestShop::open().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 1, 1000).await;
    let place = |name: &'static str| {
        let order = order_of(&buyer, json!([{ "productId": vela, "quantity": 1 }]));
        test.place_order(&buyer, order, Some(name))
    };
    let first = place("a").await.expect("placed").order;
    assert_eq!(available(place("b").await), 0);
    test.shop
        .orders()
        .set_status(&first.id, OrderStatus::Cancelled, None)
        .await
        .expect("cancelled");
    assert!(!place("b").await.expect("placed").replayed);
}
