//! Wishlist and notifications.

use serde_json::json;
use shop_core::order::OrderStatus;

use super::TestServer;

#[tokio::test]
async fn a_wishlist_is_filled_and_emptied() {
    let server = TestServer::start().await;
    let product = server.test.product("vela", 3, 4990).await;
    let (ana, bia) = (server.customer("ana").await, server.customer("bia").await);
    let (path, wish) = ("/api/user/wishlist", json!({ "productId": product }));
    assert_eq!(ana.get(path).await.expect(200), json!([]));
    let item = ana.post(path, &wish).await.expect(201);
    assert_eq!(item["productId"], json!(product));
    assert_eq!(item["addedAt"], json!(server.test.shop.now()));
    let shown = &item["product"];
    assert_eq!(shown["id"], json!(product));
    assert_eq!((&shown["name"], &shown["slug"]), (&json!("vela"), &json!("vela")));
    assert_eq!((&shown["price"], &shown["stock"]), (&json!(49.9), &json!(3)));
    assert_eq!(shown["images"][0]["url"], "/uploads/vela.svg");
    assert_eq!(ana.get(path).await.expect(200), json!([item]));
    assert_eq!(ana.post(path, &wish).await.refused(409).1, "already_on_wishlist");
    let unknown = ana.post(path, &json!({ "productId": "none" })).await;
    assert_eq!(unknown.refused(404).1, "product_not_found");
    let missing = ana.post(path, &json!({})).await.wrong_fields();
    assert_eq!(missing["productId"], json!(["Campo obrigatório"]));
    let one = format!("{path}/{product}");
    assert_eq!(bia.delete(&one).await.refused(404).1, "wishlist_item_not_found");
    assert!(ana.delete(&one).await.expect(200)["message"].is_string());
    assert_eq!(ana.delete(&one).await.refused(404).1, "wishlist_item_not_found");
    let anonymous = server.anonymous();
    assert_eq!(anonymous.get(path).await.refused(401).1, "unauthenticated");
    assert_eq!(anonymous.post(path, &wish).await.refused(401).1, "unauthenticated");
    assert_eq!(anonymous.delete(&one).await.refused(401).1, "unauthenticated");
}

#[tokio::test]
async fn notifications_are_marked_one_by_one_and_all_at_once() {
    let server = TestServer::start().await;
    let product = server.test.product("vela", 3, 4990).await;
    let (ana, bia) = (server.customer("ana").await, server.customer("bia").await);
    let order = server.test.buy(ana.buyer(), &product, 1).await.expect("placed");
    for status in [OrderStatus::Processing, OrderStatus::Shipped] {
        server.test.shop.orders().set_status(&order.id, status, None).await.expect("set");
    }
    let path = "/api/user/notifications";
    let list = ana.get(path).await.expect(200);
    assert_eq!(list[0]["link"], json!(format!("/pedidos/{}", order.id)));
    assert_eq!((&list[0]["type"], &list[0]["read"]), (&json!("ORDER_STATUS"), &json!(false)));
    let one = format!("{path}/{}", list[0]["id"].as_str().expect("an id"));
    let mut expected = list[0].clone();
    expected["read"] = json!(true);
    assert_eq!(ana.patch(&one, &json!({ "read": true })).await.expect(200), expected);
    let list = ana.get(path).await.expect(200);
    assert_eq!((&list[0]["read"], &list[1]["read"]), (&json!(true), &json!(false)));
    assert_eq!(ana.patch(&one, &json!({ "read": false })).await.expect(200)["read"], false);
    let wrong = ana.patch(&one, &json!({ "read": "yes" })).await.wrong_fields();
    assert_eq!(wrong["read"], json!(["Deve ser verdadeiro ou falso"]));
    let theirs = bia.patch(&one, &json!({ "read": true })).await;
    assert_eq!(theirs.refused(404).1, "notification_not_found");
    let all = format!("{path}/read-all");
    assert!(ana.post(&all, &json!({})).await.expect(200)["message"].is_string());
    let list = ana.get(path).await.expect(200);
    let mut read = list.as_array().expect("a list").iter().map(|one| &one["read"]);
    assert!(read.len() == 2 && read.all(|read| read == true), "{list}");
    let anonymous = server.anonymous();
    for refused in [anonymous.post(&all, &json!({})).await, anonymous.patch(&one, &json!({})).await]
    {
        assert_eq!(refused.refused(401).1, "unauthenticated");
    }
}
