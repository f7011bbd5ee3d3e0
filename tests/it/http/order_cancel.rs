//! An order that is not paid, called off by its customer.

use hyper::Method;
use serde_json::json;

use super::guest::{Store, with_token};

#[tokio::test]
async fn an_unpaid_order_is_cancelled_by_session_or_link_and_gives_its_units_back() {
    let store = Store::open().await;
    let ana = store.guest("ana@example.com").await;
    let (first, second) = (store.buy(&ana).await, store.buy(&ana).await);
    let path = |order: &str| format!("/api/orders/{order}/cancel");
    let cancelled = ana.post(&path(&first.id), &json!({})).await.expect(200);
    assert_eq!((&cancelled["id"], &cancelled["status"]), (&json!(first.id), &json!("CANCELLED")));
    let anyone = store.server.anonymous();
    for _ in 0..2 {
        let path = path(&second.number);
        let cancelled = with_token(&anyone, Method::POST, &path, &second.token).await.expect(200);
        assert_eq!(cancelled["status"], "CANCELLED");
    }
    let admin = store.server.admin().await;
    let stock = admin.get("/api/admin/stock").await.expect(200);
    assert_eq!(stock[0]["stock"], 99);
    let detail = admin.get(&format!("/api/admin/orders/{}", first.id)).await.expect(200);
    let history = detail["history"].as_array().expect("a history");
    let moves = history.iter().filter(|it| it["status"] == "CANCELLED");
    assert_eq!(moves.map(|it| it["actor"].clone()).collect::<Vec<_>>(), ["CUSTOMER"]);
    let pay = json!({ "orderId": first.id });
    assert_eq!(ana.post("/api/payments/pix", &pay).await.refused(400).1, "order_closed");
}

#[tokio::test]
async fn an_order_that_is_paid_or_under_way_is_not_cancelled_by_its_customer() {
    let store = Store::open().await;
    let ana = store.guest("ana@example.com").await;
    let (paid, sent) = (store.buy(&ana).await, store.buy(&ana).await);
    let bia = store.guest("bia@example.com").await;
    let path = |order: &str| format!("/api/orders/{order}/cancel");
    let stranger = bia.post(&path(&paid.id), &json!({})).await;
    assert_eq!(stranger.refused(404).1, "order_not_found");
    store.server.test.shop.sandbox().pay(&paid.number).await.expect("paid");
    let refused = ana.post(&path(&paid.id), &json!({})).await;
    assert_eq!(refused.refused(400).1, "already_paid");
    let admin = store.server.admin().await;
    let shipped = json!({ "status": "SHIPPED" });
    admin.patch(&format!("/api/admin/orders/{}", sent.id), &shipped).await.expect(200);
    let refused = ana.post(&path(&sent.id), &json!({})).await;
    assert_eq!(refused.refused(409).1, "order_not_cancellable");
}

#[tokio::test]
async fn money_that_the_provider_has_already_is_found_before_an_order_is_cancelled() {
    let store = Store::open().await;
    let ana = store.guest("ana@example.com").await;
    let order = store.buy(&ana).await;
    let pay = json!({ "orderId": order.id });
    let pix = ana.post("/api/payments/pix", &pay).await.expect(200);
    let payment = pix["paymentId"].as_str().expect("an id").into();
    // Its notice got lost.
    drop(store.server.test.shop.sandbox().settle(&payment).await.expect("paid"));
    let refused = ana.post(&format!("/api/orders/{}/cancel", order.id), &json!({})).await;
    assert_eq!(refused.refused(400).1, "already_paid");
    let shown = ana.get(&format!("/api/orders/{}", order.id)).await.expect(200);
    assert_eq!(shown["status"], "PROCESSING");
}
