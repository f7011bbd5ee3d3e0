//! What is said to who sends what cannot be read.

use hyper::Method;
use serde_json::{Value, json};

use super::TestServer;

const REGISTER: &str = "/api/auth/register";
const JSON: (&str, &str) = ("content-type", "application/json");

#[tokio::test]
async fn what_is_no_json_is_malformed() {
    let server = TestServer::start().await;
    let customer = server.customer("ana").await;
    let invalid_utf8: &[u8] = b"{\"label\":\"\xff\"}";
    let ignored: &[u8] = b"{\"ignored\":\"\xff\"}";
    for body in [b"".as_slice(), b"{", b"{\"a\":1}x", b"{'a':1}", invalid_utf8, ignored] {
        let body = body.to_vec();
        let answer = customer.send(Method::POST, "/api/user/addresses", &[JSON], body).await;
        let (text, code) = answer.refused(400);
        assert_eq!((text.as_str(), code.as_str()), ("Payload inválido", "malformed_json"));
    }
}

#[tokio::test]
async fn json_may_say_so_with_a_charset_or_not_at_all_but_not_be_something_else() {
    let server = TestServer::start().await;
    let customer = server.customer("ana").await;
    let body = r#"{"name":"Ana Maria"}"#;
    for content_type in ["application/json", "application/json; charset=utf-8", "Application/JSON"]
    {
        let header = [("content-type", content_type)];
        customer.send(Method::PUT, "/api/auth/me", &header, body).await.expect(200);
    }
    customer.send(Method::PUT, "/api/auth/me", &[], body).await.expect(200);
    for content_type in ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"] {
        let header = [("content-type", content_type)];
        let answer = customer.send(Method::PUT, "/api/auth/me", &header, body).await;
        assert_eq!(answer.refused(400).1, "unsupported_content_type");
    }
}

#[tokio::test]
async fn every_wrong_field_is_named_at_once_and_nothing_is_done() {
    let server = TestServer::start().await;
    let anonymous = server.anonymous();
    let body = json!({ "name": 7, "email": "no mail", "password": "short", "unknown": {} });
    let expected = json!({
        "name": ["Deve ser um texto"],
        "email": ["E-mail inválido"],
        "password": ["Deve ter no mínimo 8 caracteres"],
    });
    assert_eq!(anonymous.post(REGISTER, &body).await.wrong_fields(), expected);
    let missing = json!({
        "name": ["Campo obrigatório"],
        "email": ["Campo obrigatório"],
        "password": ["Campo obrigatório"],
    });
    assert_eq!(anonymous.post(REGISTER, &json!({})).await.wrong_fields(), missing);
    assert_eq!(server.test.count("SELECT count(*) FROM account"), 0);
}

#[tokio::test]
async fn a_name_that_no_invoice_takes_is_no_name_of_a_customer() {
    let server = TestServer::start().await;
    let least = json!(["Deve ter no mínimo 2 caracteres"]);
    let new = json!({ "name": "Z", "email": "z@example.com", "password": "segredo-123" });
    for path in [REGISTER, "/api/auth/guest"] {
        let wrong = server.anonymous().post(path, &new).await.wrong_fields();
        assert_eq!(wrong["name"], least, "{path}");
    }
    let customer = server.customer("ana").await;
    let wrong = customer.put("/api/auth/me", &json!({ "name": "Z" })).await.wrong_fields();
    assert_eq!(wrong["name"], least);
}

#[tokio::test]
async fn the_lines_of_an_order_are_named_by_their_place() {
    let server = TestServer::start().await;
    let customer = server.customer("ana").await;
    let body = json!({
        "cartItems": [
            { "productId": "p", "quantity": 1, "price": "ignored" },
            { "productId": "p", "quantity": 0 },
            { "quantity": 10_001 },
            { "productId": null, "quantity": "2" },
        ],
        "notes": "x".repeat(1001),
    });
    let expected = json!({
        "addressId": ["Campo obrigatório"],
        "cartItems[1].quantity": ["Deve ser maior ou igual a 1"],
        "cartItems[2].productId": ["Campo obrigatório"],
        "cartItems[2].quantity": ["Deve ser menor ou igual a 10000"],
        "cartItems[3].productId": ["Campo obrigatório"],
        "cartItems[3].quantity": ["Deve ser um número inteiro"],
        "notes": ["Deve ter no máximo 1000 caracteres"],
    });
    assert_eq!(customer.post("/api/orders", &body).await.wrong_fields(), expected);
}

#[tokio::test]
async fn unknown_fields_are_ignored() {
    let server = TestServer::start().await;
    let body = json!({
        "name": "Ana", "email": "ana@example.com", "password": "segredo-123", "role": "ADMIN",
        "extra": [[[{}]]]
    });
    let user = &server.anonymous().post(REGISTER, &body).await.expect(201)["user"];
    assert_eq!(user["role"], "CUSTOMER");
}

#[tokio::test]
async fn a_whole_that_is_no_object_is_wrong_as_a_whole() {
    let server = TestServer::start().await;
    let customer = server.customer("ana").await;
    let answer = customer.post("/api/user/addresses", &json!([1])).await;
    assert_eq!(answer.wrong_fields(), json!({}));
    assert_eq!(answer.json()["details"]["formErrors"], json!(["Deve ser um objeto"]));
    let answer = customer.post("/api/user/addresses", &Value::Null).await;
    assert_eq!(answer.json()["details"]["formErrors"], json!(["Campo obrigatório"]));
}

#[tokio::test]
async fn a_query_is_checked_like_a_body() {
    let server = TestServer::start().await;
    let anonymous = server.anonymous();
    let path = "/api/products?page=0&limit=x&minPrice=1,50&sort=best&featured=maybe&utm=1";
    let expected = json!({
        "page": ["Deve ser maior ou igual a 1"],
        "limit": ["Deve ser um número inteiro"],
        "minPrice": ["Deve ser um número"],
        "sort": ["Deve ser um destes: newest, price_asc, price_desc, popular"],
        "featured": ["Deve ser verdadeiro ou falso"],
    });
    assert_eq!(anonymous.get(path).await.wrong_fields(), expected);
    let missing = anonymous.get("/api/products/search").await.wrong_fields();
    assert_eq!(missing, json!({ "q": ["Campo obrigatório"] }));
    for large in ["101", "99999999999999999999", "1e30"] {
        let page = anonymous.get(&format!("/api/products?limit={large}")).await.expect(200);
        assert_eq!(page["pagination"]["limit"], 100, "{large}");
    }
    for wrong in ["-1", "0", "-99999999999999999999", "1.5", "NaN", "inf"] {
        let fields = anonymous.get(&format!("/api/products?limit={wrong}")).await.wrong_fields();
        assert!(fields["limit"].is_array(), "{wrong}: {fields}");
    }
}

#[tokio::test]
async fn a_body_too_large_is_refused_however_it_comes() {
    let server = TestServer::start().await;
    let customer = server.customer("ana").await;
    let fits = json!({ "name": "Ana", "padding": "x".repeat(60 * 1024) });
    customer.put("/api/auth/me", &fits).await.expect(200);
    let too_large = json!({ "name": "Ana", "padding": "x".repeat(64 * 1024) });
    let answer = customer.put("/api/auth/me", &too_large).await;
    assert_eq!(answer.refused(413).1, "payload_too_large");
    assert_eq!(answer.header("connection"), Some("close"));
}

#[tokio::test]
async fn a_bad_idempotency_key_is_refused() {
    let server = TestServer::start().await;
    let customer = server.customer("ana").await;
    let order = json!({ "addressId": customer.buyer().address });
    for key in ["", "with space", &"x".repeat(256)] {
        let headers = [JSON, ("idempotency-key", key)];
        let path = "/api/orders";
        let answer = customer.send(Method::POST, path, &headers, order.to_string()).await;
        assert_ne!(answer.wrong_fields()["idempotency-key"], Value::Null, "{key:?}");
    }
}

/// serde would take the list's items for the fields, in their order.
#[tokio::test]
async fn a_list_is_not_taken_for_the_object_that_is_wanted() {
    let server = TestServer::start().await;
    let customer = server.customer("ana").await;
    for list in ["[]", " [null, null]", "[\"Bia\"]"] {
        let answer = customer.send(Method::PUT, "/api/auth/me", &[JSON], list.to_owned()).await;
        answer.refused(400);
        assert_eq!(answer.json()["details"]["formErrors"], json!(["Deve ser um objeto"]), "{list}");
    }
    assert_eq!(customer.get("/api/auth/me").await.expect(200)["name"], "ana");
    let program = server.program(&[shop_core::api_key::Scope::OrdersWrite]).await;
    let buyer = server.customer("bia").await;
    let product = server.test.product("vela", 1, 1000).await;
    let order = server.test.buy(buyer.buyer(), &product, 1).await.expect("an order");
    let path = format!("/api/v1/orders/{}", order.id);
    program.send(Method::PATCH, &path, &[JSON], "[null, null]").await.refused(400);
}

#[tokio::test]
async fn what_nobody_sees_is_no_text_and_makes_no_other_one() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let anonymous = server.anonymous();
    let person = |name: &str, email: &str| json!({ "name": name, "email": email, "password": "segredo-123" });
    for name in ["\u{200b}\u{200b}", "\u{2060}\u{2060}", "\u{3164}\u{3164}"] {
        let answer = anonymous.post("/api/auth/register", &person(name, "ana@example.com")).await;
        assert!(answer.wrong_fields()["name"].is_array(), "{name:?}");
    }
    // As messengers and telephones copy it.
    let copied = person("\u{2068}Ana\u{2069}", "\u{202a}ana@example.com\u{202c}");
    let ana = anonymous.post("/api/auth/register", &copied).await.expect(201);
    assert_eq!(
        (&ana["user"]["name"], &ana["user"]["email"]),
        (&json!("Ana"), &json!("ana@example.com"))
    );
    let coupon = |code: &str| json!({ "code": code, "type": "FIXED", "value": 1, "active": true });
    admin.post("/api/admin/coupons", &coupon("VELA10")).await.expect(201);
    admin.post("/api/admin/coupons", &coupon("VELA10\u{200b}")).await.refused(409);
    let typed = json!({ "code": "\u{feff}vela10\u{200b}", "subtotal": 50 });
    anonymous.post("/api/coupons/validate", &typed).await.expect(200);
    // A family is one emoji of several that joiners hold together.
    let family = "Vela \u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}";
    let product = json!({ "name": family, "slug": "vela", "price": 1, "stock": 1 });
    let made = admin.post("/api/admin/products", &product).await.expect(201);
    assert_eq!(made["name"], family);
}
