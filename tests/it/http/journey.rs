//! From the shelf to a paid order, through every row of the customer's.

use hyper::Method;
use serde_json::{Value, json};

use super::TestServer;
use super::client::{Answer, Client};

const JSON: (&str, &str) = ("content-type", "application/json");

async fn place(client: &Client, body: &Value, key: &str) -> Answer {
    let headers = [JSON, ("idempotency-key", key)];
    client.send(Method::POST, "/api/orders", &headers, body.to_string()).await
}

#[tokio::test]
async fn a_customer_buys_what_is_on_the_shelf() {
    let server = TestServer::start().await;
    let product = server.test.product("vela-lavanda", 5, 4990).await;
    let ana = server.customer("ana").await;
    let listed = ana.get("/api/products?search=lavanda").await.expect(200);
    assert_eq!(listed["data"][0]["id"].as_str(), Some(product.as_str()));
    let shown = ana.get("/api/products/vela-lavanda").await.expect(200);
    assert_eq!((&shown["price"], &shown["stock"]), (&json!(49.9), &json!(5)));
    let item = json!({ "productId": product, "quantity": 2 });
    let cart = ana.post("/api/cart/items", &item).await.expect(201);
    assert_eq!(cart["subtotal"], json!(99.8));
    let order = json!({ "addressId": ana.buyer().address });
    let order = ana.post("/api/orders", &order).await.expect(201);
    assert_eq!((&order["status"], &order["subtotal"]), (&json!("PENDING"), &json!(99.8)));
    assert_eq!(ana.get("/api/cart").await.expect(200)["items"], json!([]));
    assert_eq!(ana.get("/api/products/vela-lavanda").await.expect(200)["stock"], 3);
    let pay = json!({ "orderId": order["id"] });
    let charge = ana.post("/api/payments/pix", &pay).await.expect(200);
    assert_eq!(charge["amount"], order["total"]);
    assert_eq!(ana.post("/api/payments/pix", &pay).await.expect(200), charge);
    let number = order["orderNumber"].as_str().expect("a number");
    server.test.shop.sandbox().pay(number).await.expect("pays");
    let path = format!("/api/orders/{}", order["id"].as_str().expect("an id"));
    let paid = ana.get(&path).await.expect(200);
    assert_eq!(paid["status"], "PROCESSING");
    assert_eq!(paid["payment"], json!({ "method": "PIX", "status": "PAID" }));
    let mut listed = paid;
    for (alone, value) in [
        ("returns", json!([])),
        ("shipments", json!([])),
        ("paid", charge["amount"].clone()),
        ("refunded", json!(0.0)),
        ("trackingUrl", json!(null)),
        ("hasInvoice", json!(false)),
    ] {
        assert_eq!(listed.as_object_mut().expect("an order").remove(alone), Some(value), "{alone}");
    }
    assert_eq!(ana.get("/api/orders").await.expect(200), json!([listed]));
    assert_eq!(ana.post("/api/payments/pix", &pay).await.refused(400).1, "already_paid");
    let notes = ana.get("/api/user/notifications").await.expect(200);
    assert_eq!(notes[0]["type"], "ORDER_STATUS");
}

#[tokio::test]
async fn a_repeated_order_is_the_first_answer_byte_for_byte() {
    let server = TestServer::start().await;
    let product = server.test.product("vela", 5, 1000).await;
    let ana = server.customer("ana").await;
    let items = json!([{ "productId": product, "quantity": 1 }]);
    let order = json!({ "addressId": ana.buyer().address, "cartItems": items });
    let first = place(&ana, &order, "key-1").await;
    first.expect(201);
    assert_eq!(first.header("idempotency-replayed"), None);
    let again = place(&ana, &order, "key-1").await;
    assert_eq!((again.status, &again.body), (first.status, &first.body));
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    let other = json!({ "addressId": ana.buyer().address, "cartItems": items, "notes": "other" });
    let refused = place(&ana, &other, "key-1").await;
    assert_eq!(refused.refused(422).1, "idempotency_key_reused");
    assert_eq!(server.test.stock(product.as_str()), 4);
}

#[tokio::test]
async fn refusals_have_their_code() {
    let server = TestServer::start().await;
    let product = server.test.product("vela", 1, 1000).await;
    let ana = server.customer("ana").await;
    let address = ana.buyer().address.clone();
    let order = |items: Value| json!({ "addressId": address, "cartItems": items });
    let code = async |body: Value, status| ana.post("/api/orders", &body).await.refused(status).1;
    assert_eq!(code(json!({ "addressId": address }), 400).await, "empty_cart");
    let too_many = order(json!([{ "productId": product, "quantity": 2 }]));
    assert_eq!(code(too_many, 400).await, "insufficient_stock");
    let elsewhere =
        json!({ "addressId": "nowhere", "cartItems": [{ "productId": product, "quantity": 1 }] });
    assert_eq!(code(elsewhere, 404).await, "address_not_found");
    let bia = server.customer("bia").await;
    let one = order(json!([{ "productId": product, "quantity": 1 }]));
    let placed = ana.post("/api/orders", &one).await.expect(201);
    let path = format!("/api/orders/{}", placed["id"].as_str().expect("an id"));
    assert_eq!(bia.get(&path).await.refused(404).1, "order_not_found");
    let pay = json!({ "orderId": placed["id"] });
    assert_eq!(bia.post("/api/payments/pix", &pay).await.refused(404).1, "order_not_found");
}

#[tokio::test]
async fn a_cart_is_filled_changed_and_emptied() {
    let server = TestServer::start().await;
    let product = server.test.product("vela", 9, 1000).await;
    let ana = server.customer("ana").await;
    let item = json!({ "productId": product, "quantity": 2 });
    ana.post("/api/cart/items", &item).await.expect(201);
    let cart = ana.post("/api/cart/items", &item).await.expect(201);
    assert_eq!(cart["items"][0]["quantity"], 4);
    let line = format!("/api/cart/items/{}", cart["items"][0]["id"].as_str().expect("an id"));
    let cart = ana.patch(&line, &json!({ "quantity": 1 })).await.expect(200);
    assert_eq!(cart["subtotal"], json!(10.0));
    assert_eq!(ana.get("/api/cart").await.expect(200), cart);
    let bia = server.customer("bia").await;
    assert_eq!(bia.delete(&line).await.refused(404).1, "cart_item_not_found");
    assert_eq!(ana.delete(&line).await.expect(200)["items"], json!([]));
    ana.post("/api/cart/items", &item).await.expect(201);
    assert_eq!(ana.delete("/api/cart").await.expect(200)["subtotal"], json!(0.0));
}

#[tokio::test]
async fn an_address_book_is_ones_own() {
    let server = TestServer::start().await;
    let (ana, bia) = (server.customer("ana").await, server.customer("bia").await);
    let path = "/api/user/addresses";
    let new = json!({
        "label": "Trabalho", "street": "Av. Paulista", "number": "1000", "district": "Bela Vista",
        "city": "São Paulo", "state": "sp", "zipCode": "01310-100"
    });
    let address = ana.post(path, &new).await.expect(201);
    assert_eq!((&address["state"], &address["zipCode"]), (&json!("SP"), &json!("01310100")));
    assert_eq!(ana.get(path).await.expect(200).as_array().map(Vec::len), Some(2));
    let one = format!("{path}/{}", address["id"].as_str().expect("an id"));
    let patch = json!({ "complement": "Sala 1" });
    assert_eq!(bia.patch(&one, &patch).await.refused(404).1, "address_not_found");
    assert_eq!(bia.delete(&one).await.refused(404).1, "address_not_found");
    assert_eq!(ana.patch(&one, &patch).await.expect(200)["complement"], "Sala 1");
    assert!(ana.delete(&one).await.expect(200)["message"].is_string());
    assert_eq!(ana.delete(&one).await.refused(404).1, "address_not_found");
}

#[tokio::test]
async fn a_notice_is_believed_by_its_signature_only() {
    let server = TestServer::start().await;
    let path = "/api/payments/provider1/webhook?data.id=1&type=payment";
    let client = server.anonymous();
    let unsigned = client.post(path, &json!({ "data": { "id": "1" } })).await;
    let (text, code) = unsigned.refused(401);
    assert_eq!((&*text, &*code), ("Assinatura inválida", "invalid_signature"));
    let forged = [("x-signature", "ts=1795273200000,v1=00"), ("x-request-id", "r")];
    client.send(Method::POST, path, &forged, "not json").await.refused(401);
}

#[tokio::test]
async fn a_signed_notice_pays_the_order() {
    let server = TestServer::start().await;
    let product = server.test.product("vela", 5, 1000).await;
    let ana = server.customer("ana").await;
    let order = server.test.buy(ana.buyer(), &product, 1).await.expect("an order");
    let pay = json!({ "orderId": order.id });
    let charge = ana.post("/api/payments/pix", &pay).await.expect(200);
    let payment = charge["paymentId"].as_str().expect("an id").into();
    let notice = server.test.shop.sandbox().settle(&payment).await.expect("settles");
    let path = format!(
        "/api/payments/provider1/webhook?data.id={}&type=payment",
        notice.data_id.expect("an id")
    );
    let (signature, request) =
        (notice.signature.expect("signed"), notice.request_id.expect("named"));
    let headers = [("x-signature", &*signature), ("x-request-id", &*request)];
    for _ in 0..3 {
        let answer = server.anonymous().send(Method::POST, &path, &headers, "{}").await;
        assert_eq!(answer.expect(200), json!({ "received": true }));
    }
    let path = format!("/api/orders/{}", order.id);
    assert_eq!(ana.get(&path).await.expect(200)["status"], "PROCESSING");
}
