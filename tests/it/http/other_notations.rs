//! What other languages and forms make of the same input is taken for the same input.

use hyper::Method;
use serde_json::{Value, json};
use shop_core::api_key::Scope;
use shop_core::order::OrderStatus;

use super::TestServer;
use super::client::{Answer, Client};

const JSON: (&str, &str) = ("content-type", "application/json");
const VALIDATE: &str = "/api/coupons/validate";
pub(super) const PRODUCTS: &str = "/api/admin/products";

/// Sends JSON as this very text, for what `serde_json` would write otherwise.
pub(super) async fn send(client: &Client, method: Method, path: &str, body: &str) -> Answer {
    client.send(method, path, &[JSON], body.to_owned()).await
}

pub(super) async fn make(admin: &Client, fields: &str) -> Answer {
    let body = format!(r#"{{"name":"Vela","slug":"vela","stock":1,{fields}}}"#);
    send(admin, Method::POST, PRODUCTS, &body).await
}

#[tokio::test]
async fn what_floating_point_leaves_of_a_sum_of_cents_is_that_sum() {
    let server = TestServer::start().await;
    let admin = server.admin().await.writing_otherwise();
    let coupon = r#"{"code":"X","type":"FIXED","value":9.700000000000001,"active":true}"#;
    let made = send(&admin, Method::POST, "/api/admin/coupons", coupon).await.expect(201);
    assert_eq!(made["value"], 9.7);
    let anonymous = server.anonymous();
    for subtotal in ["59.699999999999996", "5.9699999999999996e1", "59.70", "59.704", "59.6951"] {
        let body = format!(r#"{{"code":"X","subtotal":{subtotal}}}"#);
        let answer = send(&anonymous, Method::POST, VALIDATE, &body).await.expect(200);
        assert_eq!(answer["coupon"]["discount"], 9.7, "{subtotal}");
        let quote = format!("/api/shipping/calculate?cep=01001000&subtotal={subtotal}");
        let quote = anonymous.get(&quote).await.expect(200);
        assert_eq!(quote["remaining"], 90.3, "{subtotal}");
    }
    let list = "/api/products?minPrice=59.699999999999996&maxPrice=59.6951";
    anonymous.get(list).await.expect(200);
    let product = make(&admin, r#""price":59.699999999999996"#).await.expect(201);
    assert_eq!(product["price"], 59.7);
}

#[tokio::test]
async fn an_amount_that_is_kept_has_no_more_than_two_decimals() {
    let server = TestServer::start().await;
    let admin = server.admin().await.writing_otherwise();
    let too_fine = json!(["Deve ter no máximo duas casas decimais"]);
    for price in ["59.704", "59.70001", "0.001", "1e-3"] {
        let answer = make(&admin, &format!(r#""price":{price}"#)).await;
        assert_eq!(answer.wrong_fields()["price"], too_fine, "{price}");
    }
    for price in ["1e400", "1e12", "100000000"] {
        let answer = make(&admin, &format!(r#""price":{price}"#)).await;
        let wrong = answer.wrong_fields();
        assert_eq!(wrong["price"], json!(["Valor fora do intervalo permitido"]), "{price}");
    }
    for (amount, message) in
        [("1e400", "Valor fora do intervalo permitido"), ("-1", "Deve ser maior ou igual a 0")]
    {
        let body = format!(r#"{{"code":"X","subtotal":{amount}}}"#);
        let answer = send(&server.anonymous(), Method::POST, VALIDATE, &body).await;
        assert_eq!(answer.wrong_fields()["subtotal"], json!([message]), "{amount}");
    }
    let heavy =
        "/api/shipping/calculate?cep=01001000&subtotal=1&weight=79228162514264337593543950335";
    let wrong = server.anonymous().get(heavy).await.wrong_fields();
    assert_eq!(wrong["weight"], json!(["Deve ser menor ou igual a 1000"]));
}

#[tokio::test]
async fn a_parameter_without_a_value_is_absent() {
    let server = TestServer::start().await;
    let admin = server.admin().await.writing_otherwise();
    let program = server.program(&[Scope::ProductsRead, Scope::OrdersRead]).await;
    make(&admin, r#""price":1"#).await.expect(201);
    let document = admin.get("/api/openapi.json").await.expect(200);
    let mut asked = 0;
    for (path, methods) in document["paths"].as_object().expect("paths") {
        let parameters = methods["get"]["parameters"].as_array().cloned().unwrap_or_default();
        let in_query = parameters.iter().filter(|parameter| parameter["in"] == "query");
        let optional: Vec<String> = in_query
            .filter(|parameter| parameter["required"] == false)
            .map(|parameter| format!("{}=", parameter["name"].as_str().expect("a name")))
            .collect();
        // Of the two that choose labels one is needed; the other is the end of an OAuth log-in.
        let needs_more = ["/api/admin/shipments/labels", "/api/shipping/melhor-envio/callback"]
            .contains(&&**path);
        if optional.is_empty() || path.contains('{') || needs_more {
            continue;
        }
        let required = if path.contains("search") { "&q=vela" } else { "&cep=01001000&subtotal=1" };
        let path = format!("{path}?{}{required}", optional.join("&"));
        let client = if path.starts_with("/api/v1/") { &program } else { &admin };
        let answer = client.get(&path).await;
        assert!(![400, 500].contains(&answer.status.as_u16()), "{path}: {:?}", answer.body);
        asked += 1;
    }
    assert!(asked > 12, "{asked}");
    let missing = server.anonymous().get("/api/products/search?q=").await.wrong_fields();
    assert_eq!(missing, json!({ "q": ["Campo obrigatório"] }));
}

#[tokio::test]
async fn a_query_may_have_spaces_points_and_capitals_and_nothing_twice() {
    let server = TestServer::start().await;
    let admin = server.admin().await.writing_otherwise();
    make(&admin, r#""price":10"#).await.expect(201);
    let total = async |query: &str| {
        let page = admin.get(&format!("{PRODUCTS}?{query}")).await.expect(200);
        page["pagination"]["total"].clone()
    };
    for query in [
        "page=1.0",
        "page=%201%20&limit=+5",
        "limit=5e0",
        "active=1",
        "active=True",
        "active=%20true",
    ] {
        assert_eq!(total(query).await, 1, "{query}");
    }
    for query in ["active=0", "active=FALSE"] {
        assert_eq!(total(query).await, 0, "{query}");
    }
    let one = server.anonymous().get("/api/products?inStock=1&minPrice=%2010%20").await.expect(200);
    assert_eq!(one["pagination"]["total"], 1);
    for (query, field, message) in [
        ("page=1.5", "page", "Deve ser um número inteiro"),
        ("active=sim", "active", "Deve ser verdadeiro ou falso"),
        ("page=1&page=1", "page", "Campo repetido"),
    ] {
        let wrong = admin.get(&format!("{PRODUCTS}?{query}")).await.wrong_fields();
        assert_eq!(wrong, json!({ field: [message] }), "{query}");
    }
}

#[tokio::test]
async fn a_date_alone_is_that_whole_day_in_sao_paulo() {
    let server = TestServer::start().await;
    let (admin, customer) =
        (server.admin().await.writing_otherwise(), server.customer("ana").await);
    let product = server.test.product("vela", 5, 1000).await;
    server.test.buy(customer.buyer(), &product, 1).await.expect("an order");
    let day = server.test.shop.now().local_day();
    let (before, after) = (day.pred_opt().expect("a day"), day.succ_opt().expect("a day"));
    let total = async |query: String| {
        let page = admin.get(&format!("/api/admin/orders?{query}")).await.expect(200);
        page["pagination"]["total"].clone()
    };
    assert_eq!(total(format!("from={day}&to={day}")).await, 1);
    assert_eq!(total(format!("from={day}T00:00&to={day}T23:59:59.999")).await, 1);
    assert_eq!(total(format!("from={before}T00:00:00Z&to={after}T00:00:00+00:00")).await, 1);
    assert_eq!(total(format!("to={before}")).await, 0);
    assert_eq!(total(format!("from={after}")).await, 0);
    for rest in ["orders/export", "audit", "nfe"] {
        let path = format!("/api/admin/{rest}?from={day}&to={day}");
        assert_ne!(admin.get(&path).await.status.as_u16(), 400, "{path}");
    }
    let wrong = admin.get("/api/admin/orders?from=ontem").await.wrong_fields();
    assert_eq!(wrong, json!({ "from": ["Deve ser uma data, como 2026-12-31"] }));
    let coupon = |until: &str| json!({ "code": until, "type": "FIXED", "value": 1, "active": true, "expiresAt": until });
    let made = admin.post("/api/admin/coupons", &coupon("2026-12-31")).await.expect(201);
    assert_eq!(made["expiresAt"], "2027-01-01T03:00:00.000Z");
    let made = admin.post("/api/admin/coupons", &coupon("2026-12-31T10:00")).await.expect(201);
    assert_eq!(made["expiresAt"], "2026-12-31T13:00:00.000Z");
    let made = admin.post("/api/admin/coupons", &coupon("")).await;
    assert_eq!(made.wrong_fields(), json!({ "code": ["Campo obrigatório"] }));
}

#[tokio::test]
async fn five_point_zero_is_five_and_five_point_five_is_not_whole() {
    let server = TestServer::start().await;
    let admin = server.admin().await.writing_otherwise();
    let program = server.program(&[Scope::StockWrite]).await;
    let product = make(&admin, r#""price":1,"sku":"V""#).await.expect(201);
    let stock = format!("/api/admin/stock/{}", product["id"].as_str().expect("an id"));
    for (text, units) in [("5.0", 5), ("6e0", 6), ("70E-1", 7)] {
        let body = format!(r#"{{"stock":{text}}}"#);
        let set = send(&admin, Method::PATCH, &stock, &body).await.expect(200);
        assert_eq!(set["stock"], units, "{text}");
    }
    let wrong = send(&admin, Method::PATCH, &stock, r#"{"stock":5.5}"#).await.wrong_fields();
    assert_eq!(wrong, json!({ "stock": ["Deve ser um número inteiro"] }));
    let sync = r#"{"type":"sync","items":[{"sku":"V","stock":9.0}]}"#;
    let done = send(&program, Method::POST, "/api/webhooks/stock", sync).await.expect(200);
    assert_eq!(done["updated"], 1);
    let text = send(&admin, Method::PATCH, &stock, r#"{"stock":"5"}"#).await.wrong_fields();
    assert_eq!(text, json!({ "stock": ["Deve ser um número inteiro"] }));
}

#[tokio::test]
async fn null_is_absent_in_a_post() {
    let server = TestServer::start().await;
    let admin = server.admin().await.writing_otherwise();
    let fields = r#""price":1,"description":null,"comparePrice":null,"sku":null,"weight":null,
                    "categoryId":null,"featured":null,"active":null,"images":null"#;
    let product = make(&admin, fields).await.expect(201);
    assert_eq!((&product["active"], &product["featured"]), (&json!(true), &json!(false)));
    assert_eq!((&product["sku"], &product["images"]), (&Value::Null, &json!([])));
    let wrong = make(&admin, r#""price":null"#).await.wrong_fields();
    assert_eq!(wrong, json!({ "price": ["Campo obrigatório"] }));
    let image =
        r#""price":1,"images":[{"url":"/uploads/a.png","alt":null,"isPrimary":null,"order":null}]"#;
    let product = make(&admin, image).await.expect(201);
    assert_eq!(product["images"][0]["isPrimary"], true);
}

#[tokio::test]
async fn null_in_a_patch_clears_what_may_be_empty_and_is_refused_elsewhere() {
    let server = TestServer::start().await;
    let admin = server.admin().await.writing_otherwise();
    let product =
        make(&admin, r#""price":1,"comparePrice":2,"sku":"V","weight":1"#).await.expect(201);
    let path = format!("{PRODUCTS}/{}", product["id"].as_str().expect("an id"));
    let nulls = json!({
        "name": null, "slug": null, "price": null, "stock": null, "featured": null,
        "active": null, "images": null
    });
    let wrong = admin.patch(&path, &nulls).await.wrong_fields();
    for field in nulls.as_object().expect("fields").keys() {
        assert_eq!(wrong[field], json!(["Campo obrigatório"]), "{field}");
    }
    let clear = json!({ "comparePrice": null, "sku": null, "weight": null, "description": null });
    let cleared = admin.patch(&path, &clear).await.expect(200);
    for field in ["comparePrice", "sku", "weight"] {
        assert_eq!(cleared[field], Value::Null, "{field}");
    }
    let customer = server.customer("ana").await;
    let wrong = customer.put("/api/auth/me", &json!({ "name": null, "phone": null })).await;
    assert_eq!(wrong.wrong_fields(), json!({ "name": ["Campo obrigatório"] }));
    let coupon = json!({ "code": "X", "type": "FIXED", "value": 1, "active": true });
    let coupon = admin.post("/api/admin/coupons", &coupon).await.expect(201);
    let coupon = format!("/api/admin/coupons/{}", coupon["id"].as_str().expect("an id"));
    let wrong = admin.patch(&coupon, &json!({ "type": null, "value": null })).await.wrong_fields();
    assert_eq!(wrong, json!({ "type": ["Campo obrigatório"], "value": ["Campo obrigatório"] }));
}

#[tokio::test]
async fn an_empty_article_number_and_a_former_price_of_zero_are_none() {
    let server = TestServer::start().await;
    let admin = server.admin().await.writing_otherwise();
    let erp = server.program(&[Scope::ProductsWrite]).await.writing_otherwise();
    for empty in
        [r#""price":1,"sku":"","comparePrice":0"#, r#""price":1,"sku":" ","comparePrice":0.00"#]
    {
        let product = make(&admin, empty).await.expect(201);
        assert_eq!((&product["sku"], &product["comparePrice"]), (&Value::Null, &Value::Null));
    }
    let product = make(&admin, r#""price":1,"sku":"V","comparePrice":2"#).await.expect(201);
    let empty = json!({ "sku": "", "comparePrice": 0 });
    let path = format!("{PRODUCTS}/{}", product["id"].as_str().expect("an id"));
    let changed = admin.patch(&path, &empty).await.expect(200);
    assert_eq!((&changed["sku"], &changed["comparePrice"]), (&Value::Null, &Value::Null));
    admin.patch(&path, &json!({ "sku": "V", "comparePrice": 2 })).await.expect(200);
    let path = format!("/api/v1/products/{}", product["id"].as_str().expect("an id"));
    let empty = json!({ "sku": "", "comparePrice": "0.00" });
    let changed = erp.patch(&path, &empty).await.expect(200);
    assert_eq!((&changed["sku"], &changed["comparePrice"]), (&Value::Null, &Value::Null));
    // A refund of 0 is not one of everything.
    let wrong = make(&admin, r#""price":0"#).await.wrong_fields();
    assert_eq!(wrong, json!({ "price": ["Deve ser maior ou igual a 0,01"] }));
}

#[tokio::test]
async fn an_empty_word_or_id_of_an_optional_field_counts_as_left_out() {
    let server = TestServer::start().await;
    let (ana, admin) = (server.customer("ana").await.writing_otherwise(), server.admin().await);
    let vela = server.test.product("vela", 10, 4990).await;
    let order = server.test.buy(ana.buyer(), &vela, 2).await.expect("placed");
    server.test.shop.sandbox().pay(&order.order_number).await.expect("paid");
    let orders = server.test.shop.orders();
    orders.set_status(&order.id, OrderStatus::Delivered, None).await.expect("delivered");
    let empty = r#"{"kind":"","reason":"","items":[]}"#;
    let path = format!("/api/orders/{}/returns", order.id);
    let asked = send(&ana, Method::POST, &path, empty).await.expect(201);
    assert_eq!((&asked["kind"], &asked["reason"]), (&json!("WITHDRAWAL"), &Value::Null));
    let admin = admin.writing_otherwise();
    let emit = format!("/api/admin/orders/{}/nfe/emitir", order.id);
    send(&admin, Method::POST, &emit, r#"{"cpf":"","cnpj":""}"#).await.expect(200);
    let path = format!("/api/admin/orders/{}/nfe/devolucao", order.id);
    let back = send(&admin, Method::POST, &path, r#"{"returnId":"","ground":" "}"#).await;
    assert_eq!(back.expect(201)["returnId"], Value::Null);
    let address = ana.buyer().address.as_str();
    let placed = format!(
        r#"{{"addressId":"{address}","couponId":"","shippingOptionId":"","cartItems":[{{"productId":"{vela}","variantId":"","quantity":1}}]}}"#
    );
    send(&ana, Method::POST, "/api/orders", &placed).await.expect(201);
    // A word or an id that a field must have is not left out.
    let wrong = send(&ana, Method::POST, "/api/orders", r#"{"addressId":""}"#).await.wrong_fields();
    assert!(wrong["addressId"].is_array(), "{wrong}");
    let status = format!("/api/admin/orders/{}", order.id);
    let wrong = send(&admin, Method::PATCH, &status, r#"{"status":""}"#).await.wrong_fields();
    assert!(wrong["status"].is_array(), "{wrong}");
}

#[tokio::test]
async fn a_byte_order_mark_and_a_merge_patch_are_taken() {
    let server = TestServer::start().await;
    let admin = server.admin().await.writing_otherwise();
    let customer = server.customer("ana").await;
    let path = "/api/auth/me";
    let marked = "\u{feff}{\"name\":\"Ana Maria\"}";
    let changed = send(&customer, Method::PUT, path, marked).await.expect(200);
    assert_eq!(changed["name"], "Ana Maria");
    let product = make(&admin, r#""price":1"#).await.expect(201);
    let path = format!("{PRODUCTS}/{}", product["id"].as_str().expect("an id"));
    let merge = [("content-type", "Application/Merge-Patch+JSON; charset=UTF-8")];
    admin.send(Method::PATCH, &path, &merge, r#"{"price":2}"#).await.expect(200);
    let posted = admin.send(Method::POST, PRODUCTS, &merge, "{}").await;
    assert_eq!(posted.refused(400).1, "unsupported_content_type");
}

#[tokio::test]
async fn another_content_type_is_told_which_header_to_send() {
    let server = TestServer::start().await;
    let customer = server.customer("ana").await;
    for content_type in ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"] {
        let header = [("content-type", content_type)];
        let answer = customer.send(Method::PUT, "/api/auth/me", &header, "{}").await;
        let (text, code) = answer.refused(400);
        assert_eq!(code, "unsupported_content_type");
        assert_eq!(text, "Payload inválido: envie o cabeçalho Content-Type: application/json");
    }
    let packed = [("content-type", "application/json"), ("content-encoding", "gzip")];
    let answer = customer.send(Method::PUT, "/api/auth/me", &packed, "{}").await;
    assert!(answer.refused(400).0.ends_with("application/json, sem Content-Encoding"));
    let answer = server.admin().await.post("/api/admin/upload", &json!({})).await;
    assert_eq!(
        answer.refused(400).0,
        "Payload inválido: envie o cabeçalho Content-Type: multipart/form-data"
    );
}

#[tokio::test]
async fn ids_are_texts_everywhere() {
    let server = TestServer::start().await;
    let (admin, customer) =
        (server.admin().await.writing_otherwise(), server.customer("ana").await);
    let product = server.test.product("vela", 5, 1000).await;
    let order = server.test.buy(customer.buyer(), &product, 1).await.expect("an order");
    let path = format!("/api/admin/orders/{}", order.id);
    let note = json!({ "note": "Ligar antes" });
    let note = admin.post(&format!("{path}/notes"), &note).await.expect(201);
    assert!(note["id"].is_string(), "{note}");
    let document = admin.get("/api/openapi.json").await.expect(200);
    numbered(&document["components"]["schemas"], "");
    for answer in [admin.get(&path).await, admin.get("/api/admin/audit").await] {
        texts(&answer.expect(200));
    }
}

/// Panics where the schema of an id allows a number, but for what the card's form sends as it is.
fn numbered(schema: &Value, at: &str) {
    for (name, value) in schema.as_object().into_iter().flatten() {
        let types = value["type"].to_string();
        let is_id = name == "id" || name.ends_with("Id") && name != "issuerId";
        assert!(!is_id || !types.contains("integer"), "{at}.{name}: {types}");
        numbered(value, &format!("{at}.{name}"));
    }
}

/// Panics where an id is a number.
fn texts(value: &Value) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            assert!(!(name == "id" || name.ends_with("Id")) || !value.is_number(), "{name}");
            texts(value);
        }),
        Value::Array(items) => items.iter().for_each(texts),
        _ => {}
    }
}

#[tokio::test]
async fn a_slug_may_have_underscores() {
    let server = TestServer::start().await;
    let admin = server.admin().await.writing_otherwise();
    let kind = json!({ "name": "Cor", "slug": "cor_da_vela" });
    admin.post("/api/admin/variant-types", &kind).await.expect(201);
    let category = json!({ "name": "Velas", "slug": "velas_de_soja" });
    admin.post("/api/admin/categories", &category).await.expect(201);
    let product = json!({ "name": "Vela", "slug": "vela_de_soja", "price": 1, "stock": 1 });
    admin.post(PRODUCTS, &product).await.expect(201);
    let shown = server.anonymous().get("/api/products/vela_de_soja").await.expect(200);
    assert_eq!(shown["slug"], "vela_de_soja");
    let wrong = json!({ "name": "Vela", "slug": "_vela", "price": 1, "stock": 1 });
    assert!(admin.post(PRODUCTS, &wrong).await.wrong_fields()["slug"].is_array());
}
