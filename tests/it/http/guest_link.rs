//! Links in mails: what they open without a session, and when they end.

use std::time::Duration;

use hyper::Method;
use serde_json::json;

use super::PASSWORD;
use super::guest::{Store, token, with_token};

#[tokio::test]
async fn the_link_in_a_mail_opens_its_order_and_pays_it_without_a_session() {
    let store = Store::open().await;
    let order = store.buy(&store.guest("ana@example.com").await).await;
    let anyone = store.server.anonymous();
    for named in [&order.id, &order.number] {
        let path = format!("/api/orders/{named}");
        let shown = with_token(&anyone, Method::GET, &path, &order.token).await.expect(200);
        assert_eq!(shown["orderNumber"], *order.number);
        let shown = anyone.get(&format!("{path}?t={}", order.token)).await.expect(200);
        assert_eq!(shown["id"], *order.id);
    }
    let path = format!("/api/orders/{}/returns", order.number);
    assert_eq!(with_token(&anyone, Method::GET, &path, &order.token).await.expect(200), json!([]));
    let pay = |order: &str| json!({ "orderId": order }).to_string();
    let headers = [("content-type", "application/json"), ("x-order-token", &*order.token)];
    let path = "/api/payments/pix";
    let code = anyone.send(Method::POST, path, &headers, pay(&order.number)).await.expect(200);
    assert!(code["qrCodeText"].is_string());
    store.server.test.shop.sandbox().pay(&order.number).await.expect("paid");
    let paid = store.mail("Pagamento confirmado", &order.number).await;
    let second = token(&paid, &order.number).expect("a link");
    let path = format!("/api/orders/{}", order.number);
    let shown = with_token(&anyone, Method::GET, &path, &second).await.expect(200);
    assert_eq!(shown["status"], "PROCESSING");
}

#[tokio::test]
async fn a_link_opens_nothing_but_its_order() {
    let store = Store::open().await;
    let ana = store.guest("ana@example.com").await;
    let (first, second) = (store.buy(&ana).await, store.buy(&ana).await);
    let bia = store.buy(&store.guest("bia@example.com").await).await;
    let anyone = store.server.anonymous();
    for other in [&second, &bia] {
        for named in [&other.id, &other.number] {
            let path = format!("/api/orders/{named}");
            let refused = with_token(&anyone, Method::GET, &path, &first.token).await;
            assert_eq!(refused.refused(404).1, "order_not_found");
        }
        let headers = [("content-type", "application/json"), ("x-order-token", &*first.token)];
        let body = json!({ "orderId": other.id }).to_string();
        let refused = anyone.send(Method::POST, "/api/payments/pix", &headers, body).await;
        assert_eq!(refused.refused(404).1, "order_not_found");
    }
    for path in
        ["/api/auth/me", "/api/orders", "/api/user/export", "/api/user/addresses", "/api/cart"]
    {
        let refused = with_token(&anyone, Method::GET, path, &first.token).await;
        assert_eq!(refused.refused(401).1, "unauthenticated", "{path}");
        let in_query = anyone.get(&format!("{path}?t={}", first.token)).await;
        assert_eq!(in_query.refused(401).1, "unauthenticated", "{path}");
    }
    // It is no session, and no key.
    let as_session = store.server.anonymous().with_token(first.token.clone());
    let path = format!("/api/orders/{}", first.id);
    assert_eq!(as_session.get(&path).await.refused(401).1, "unauthenticated");
    let as_key = store.server.anonymous().with_key(&first.token);
    assert_eq!(as_key.get(&path).await.refused(401).1, "unauthenticated");
}

#[tokio::test]
async fn a_link_that_was_changed_is_none() {
    let store = Store::open().await;
    let order = store.buy(&store.guest("ana@example.com").await).await;
    let other = store.buy(&store.guest("bia@example.com").await).await;
    let anyone = store.server.anonymous();
    let parts: Vec<&str> = order.token.split('.').collect();
    let [id, end, signature] = parts[..] else { panic!("{}", order.token) };
    let later = (end.parse::<i64>().expect("seconds") + 1).to_string();
    for forged in [
        format!("{}.{end}.{signature}", other.id),
        format!("{id}.{later}.{signature}"),
        format!("{id}.+{end}.{signature}"),
        format!("{id}.{end}."),
        format!("{id}.{end}"),
        format!("{}x", order.token),
        "x".repeat(4000),
        "....".to_owned(),
    ] {
        let path = format!("/api/orders/{}", order.id);
        let refused = with_token(&anyone, Method::GET, &path, &forged).await;
        assert_eq!(refused.refused(401).1, "invalid_order_link", "{forged}");
    }
    // A session counts all the same.
    let ana = store.guest("ana@example.com").await;
    let mine = store.buy(&ana).await;
    let path = format!("/api/orders/{}", mine.id);
    with_token(&ana, Method::GET, &path, "nonsense").await.expect(200);
    with_token(&ana, Method::GET, &path, &order.token).await.expect(200);
}

#[tokio::test]
async fn a_link_ends_90_days_after_its_mail_to_the_minute() {
    let store = Store::open().await;
    let order = store.buy(&store.guest("ana@example.com").await).await;
    let anyone = store.server.anonymous();
    let path = format!("/api/orders/{}", order.number);
    store.server.test.clock.advance(Duration::from_secs(90 * 24 * 3600 - 60));
    with_token(&anyone, Method::GET, &path, &order.token).await.expect(200);
    store.server.test.clock.advance(Duration::from_secs(60));
    let refused = with_token(&anyone, Method::GET, &path, &order.token).await;
    assert_eq!(refused.refused(401).1, "invalid_order_link");
}

#[tokio::test]
async fn a_link_ends_with_the_e_mail_that_it_was_sent_to_and_with_the_person() {
    let store = Store::open().await;
    let ana = store.server.customer("ana").await;
    let order = store.buy(&ana).await;
    let anyone = store.server.anonymous();
    let path = format!("/api/orders/{}", order.number);
    with_token(&anyone, Method::GET, &path, &order.token).await.expect(200);
    let change = json!({ "email": "nova@example.com", "currentPassword": PASSWORD });
    ana.put("/api/auth/me", &change).await.expect(200);
    let refused = with_token(&anyone, Method::GET, &path, &order.token).await;
    assert_eq!(refused.refused(401).1, "invalid_order_link");

    let bia = store.guest("bia@example.com").await;
    let order = store.buy(&bia).await;
    store.server.test.shop.sandbox().pay(&order.number).await.expect("paid");
    let delivered = json!({ "status": "DELIVERED" });
    let admin = store.server.admin().await;
    admin.patch(&format!("/api/admin/orders/{}", order.id), &delivered).await.expect(200);
    let json = [("content-type", "application/json")];
    bia.send(Method::DELETE, "/api/auth/me", &json, "{}").await.expect(200);
    let path = format!("/api/orders/{}", order.number);
    let refused = with_token(&anyone, Method::GET, &path, &order.token).await;
    assert_eq!(refused.refused(401).1, "invalid_order_link");
}
