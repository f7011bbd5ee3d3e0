//! What programs change through the integration API, and the log that they poll.

use hyper::Method;
use serde_json::{Value, json};
use shop_core::api_key::Scope;

use super::TestServer;
use super::client::{Answer, Client};

const WRITE: [Scope; 2] = [Scope::ProductsWrite, Scope::ProductsRead];

fn id(answer: &Value) -> &str {
    answer["id"].as_str().expect("an id")
}

async fn with_key(client: &Client, path: &str, key: &str, body: &Value) -> Answer {
    let headers = [("content-type", "application/json"), ("idempotency-key", key)];
    client.send(Method::POST, path, &headers, body.to_string()).await
}

#[tokio::test]
async fn a_program_adds_changes_and_deletes_a_product() {
    let server = TestServer::start().await;
    let erp = server.program(&WRITE).await;
    let new = json!({
        "name": "Vela de Lavanda", "price": "49.90", "comparePrice": 60, "stock": 4, "sku": "V-1",
        "weight": 0.3
    });
    let made = erp.post("/api/v1/products", &new).await.expect(201);
    assert_eq!((&made["slug"], &made["price"]), (&json!("vela-de-lavanda"), &json!("49.90")));
    assert_eq!((&made["comparePrice"], &made["active"]), (&json!("60.00"), &json!(true)));
    let path = format!("/api/v1/products/{}", id(&made));
    assert_eq!(erp.get(&path).await.expect(200), made);

    let patch = json!({
        "name": "Vela", "price": 12.5, "comparePrice": null, "active": false, "featured": true,
        "weight": null, "description": "Boa", "stock": 9, "sku": "V-2"
    });
    let changed = erp.patch(&path, &patch).await.expect(200);
    for (name, value) in [
        ("name", json!("Vela")),
        ("slug", json!("vela-de-lavanda")),
        ("price", json!("12.50")),
        ("comparePrice", json!(null)),
        ("active", json!(false)),
        ("featured", json!(true)),
        ("weight", json!(null)),
        ("stock", json!(9)),
        ("sku", json!("V-2")),
    ] {
        assert_eq!(changed[name], value, "{name}");
    }
    assert_eq!(erp.get(&path).await.expect(200), changed);
    assert_eq!(erp.patch(&path, &json!({})).await.expect(200), changed);
    let of_key = "SELECT count(*) FROM stock_movement WHERE source = 'API' AND delta = 5";
    assert_eq!(server.test.count(of_key), 1);

    erp.delete(&path).await.expect(200);
    for gone in [erp.get(&path).await, erp.patch(&path, &patch).await, erp.delete(&path).await] {
        assert_eq!(gone.refused(404).1, "product_not_found");
    }
    let deeds = server.test.count("SELECT count(*) FROM audit WHERE actor = 'KEY'");
    assert!(deeds >= 3, "{deeds}");
}

#[tokio::test]
async fn wrong_fields_are_named_and_what_is_taken_is_a_conflict() {
    let server = TestServer::start().await;
    let erp = server.program(&WRITE).await;
    let vela = server.test.product("vela", 4, 1000).await;
    server.test.product("outra", 4, 1000).await;
    let wrong = erp.post("/api/v1/products", &json!({ "price": "1.234", "stock": -1 })).await;
    let wrong = wrong.wrong_fields();
    for field in ["name", "price", "stock"] {
        assert!(wrong[field].is_array(), "{field}: {wrong}");
    }
    let path = format!("/api/v1/products/{vela}");
    for price in
        [json!("0"), json!("-1"), json!("1,00"), json!("x"), json!(0), json!(1.234), json!(true)]
    {
        let wrong = erp.patch(&path, &json!({ "price": price })).await.wrong_fields();
        assert!(wrong["price"].is_array(), "{price}: {wrong}");
        assert!(price == true || wrong["price"][0] != "Valor inválido", "{price}");
    }
    let taken = erp.patch(&path, &json!({ "sku": "SKU-outra" })).await;
    assert_eq!(taken.refused(409).1, "sku_taken");
    let new = json!({ "name": "Nova", "price": "1.00", "stock": 1, "sku": "SKU-outra" });
    assert_eq!(erp.post("/api/v1/products", &new).await.refused(409).1, "sku_taken");
    let shelf = json!({ "categoryId": "none" });
    assert!(erp.patch(&path, &shelf).await.wrong_fields()["categoryId"].is_array());
    assert_eq!(server.test.count("SELECT count(*) FROM product"), 2);
}

#[tokio::test]
async fn a_product_is_added_once_however_often_its_key_comes() {
    let server = TestServer::start().await;
    let erp = server.program(&WRITE).await;
    for path in ["/api/v1/products", "/api/products"] {
        let slug = path.replace('/', "-").trim_matches('-').to_owned();
        let new = json!({ "name": "Vela", "slug": slug, "price": 10, "stock": 1 });
        let first = with_key(&erp, path, path, &new).await;
        let made = first.expect(201);
        server.test.raw_sql("UPDATE product SET name = 'Outra'");
        let again = with_key(&erp, path, path, &new).await;
        assert_eq!((again.status, &again.body), (first.status, &first.body), "{path}");
        assert_eq!(again.header("idempotency-replayed"), Some("true"));
        let other = json!({ "name": "Vela 2", "slug": slug, "price": 10, "stock": 1 });
        let reused = with_key(&erp, path, path, &other).await;
        assert_eq!(reused.refused(422).1, "idempotency_key_reused");
        assert_eq!(made["slug"], slug);
    }
    assert_eq!(server.test.count("SELECT count(*) FROM product"), 2);
}

#[tokio::test]
async fn a_key_adds_products_as_the_back_office_does() {
    let server = TestServer::start().await;
    let (erp, admin) = (server.program(&WRITE).await, server.admin().await);
    let new = json!({ "name": "Vela", "slug": "vela", "price": 49.9, "stock": 4 });
    let made = erp.post("/api/products", &new).await.expect(201);
    assert_eq!((&made["price"], &made["slug"]), (&json!(49.9), &json!("vela")));
    let by_admin = admin.post("/api/admin/products", &new).await.expect(201);
    assert_eq!(by_admin["slug"], "vela-2");
    let fields =
        |value: &Value| value.as_object().expect("an object").keys().cloned().collect::<Vec<_>>();
    assert_eq!(fields(&made), fields(&by_admin));
    assert_eq!(admin.post("/api/products", &new).await.refused(401).1, "invalid_api_key");
    let reader = server.program(&[Scope::ProductsRead]).await;
    assert_eq!(reader.post("/api/products", &new).await.refused(401).1, "invalid_api_key");
    let wrong = erp.post("/api/products", &json!({ "name": "V" })).await.wrong_fields();
    assert!(wrong["name"].is_array() && wrong["price"].is_array(), "{wrong}");
}

#[tokio::test]
async fn a_program_adds_a_product_with_its_variants() {
    let server = TestServer::start().await;
    let erp = server.program(&WRITE).await;
    let variant = |size: &str, price: Value| {
        let values = json!([{ "variantType": "Tamanho", "value": size }]);
        json!({ "price": price, "stock": 3, "sku": format!("V-{size}"), "values": values })
    };
    let variants = json!([variant("P", json!("29.90")), variant("G", json!(49.9))]);
    let new = json!({ "name": "Vela", "price": "29.90", "stock": 0, "variants": variants });
    let made = erp.post("/api/v1/products", &new).await.expect(201);
    let made: Vec<_> = made["variants"].as_array().expect("a list").clone();
    let read = |name: &str| made.iter().map(|it| it[name].clone()).collect::<Vec<_>>();
    assert_eq!(read("sku"), ["V-P", "V-G"]);
    assert_eq!(read("price"), ["29.90", "49.90"]);
    assert_eq!(read("stock"), [3, 3]);
    let wrong = json!({ "name": "Vela", "price": 1, "stock": 0, "variants": [{ "price": "x" }] });
    let wrong = erp.post("/api/v1/products", &wrong).await.wrong_fields();
    assert!(wrong["variants[0].price"].is_array() && wrong["variants[0].values"].is_array());
}

#[tokio::test]
async fn a_program_adds_changes_and_deletes_a_variant() {
    let server = TestServer::start().await;
    let erp = server.program(&WRITE).await;
    let vela = server.test.product("vela", 0, 1000).await;
    let product = format!("/api/v1/products/{vela}");
    let all = format!("{product}/variants");
    let values = json!([{ "variantType": "Tamanho", "value": "M" }]);
    let new = json!({ "price": "29.90", "stock": 3, "sku": "V-M", "values": values });
    let made = erp.post(&all, &new).await.expect(201);
    assert_eq!(
        made,
        json!({
            "id": made["id"], "sku": "V-M", "price": "29.90", "comparePrice": null, "stock": 3,
            "weight": null, "length": null, "width": null, "height": null, "values": values
        })
    );
    assert_eq!(erp.post(&all, &new).await.refused(409).1, "sku_taken");
    assert!(erp.post(&all, &json!({ "price": 1 })).await.wrong_fields()["values"].is_array());

    let path = format!("{all}/{}", id(&made));
    let patch = json!({ "price": 35.5, "comparePrice": "40", "stock": 7, "weight": 0.3 });
    let answer = erp.patch(&path, &patch).await;
    let tag = answer.header("etag").expect("a tag").to_owned();
    let changed = answer.expect(200);
    for (name, value) in [
        ("price", json!("35.50")),
        ("comparePrice", json!("40.00")),
        ("stock", json!(7)),
        ("weight", json!(0.3)),
        ("sku", json!("V-M")),
        ("values", values),
    ] {
        assert_eq!(changed[name], value, "{name}");
    }
    assert_eq!(erp.get(&product).await.expect(200)["variants"], json!([changed]));
    let listed = erp.get("/api/v1/products").await.expect(200);
    assert_eq!(listed["data"][0]["variants"], json!([changed]));
    for (field, value) in [("price", json!("0")), ("price", json!(null)), ("stock", json!(-1))] {
        let wrong = erp.patch(&path, &json!({ field: value })).await.wrong_fields();
        assert!(wrong[field].is_array(), "{field}: {value}: {wrong}");
    }

    erp.patch(&path, &json!({ "sku": null })).await.expect(200);
    let headers = [("content-type", "application/json"), ("if-match", tag.as_str())];
    let late = erp.send(Method::PATCH, &path, &headers, json!({ "price": 1 }).to_string()).await;
    assert_eq!(late.refused(412).1, "changed_meanwhile");
    let reader = server.program(&[Scope::ProductsRead]).await;
    assert_eq!(reader.patch(&path, &patch).await.refused(401).1, "invalid_api_key");
    erp.delete(&path).await.expect(200);
    assert_eq!(erp.patch(&path, &patch).await.refused(404).1, "variant_not_found");
}

/// The tag that a program has is the product's, with which it may change the product itself too.
#[tokio::test]
async fn units_are_set_only_where_the_product_is_as_the_program_saw_it() {
    let server = TestServer::start().await;
    let erp = server.program(&[Scope::ProductsRead, Scope::ProductsWrite, Scope::StockWrite]).await;
    let vela = server.test.product("vela", 9, 1000).await;
    let (product, stock) =
        (format!("/api/v1/products/{vela}"), format!("/api/v1/products/{vela}/stock"));
    let tag = erp.get(&product).await.header("etag").expect("a tag").to_owned();
    let set = async |units: i64| {
        let headers = [("content-type", "application/json"), ("if-match", tag.as_str())];
        erp.send(Method::PATCH, &stock, &headers, json!({ "stock": units }).to_string()).await
    };
    assert_eq!(set(7).await.expect(200)["stock"], 7);
    assert_eq!(set(6).await.expect(200)["stock"], 6, "other units are no other product");
    erp.patch(&product, &json!({ "price": "12.00" })).await.expect(200);
    assert_eq!(set(5).await.refused(412).1, "changed_meanwhile");
    assert_eq!(erp.get(&product).await.expect(200)["stock"], 6);
}

#[tokio::test]
async fn a_program_moves_an_order_and_says_by_what_its_parcel_is_found() {
    let server = TestServer::start().await;
    let erp = server.program(&[Scope::OrdersWrite]).await;
    let reader = server.program(&[Scope::OrdersRead]).await;
    let ana = server.customer("ana").await;
    let vela = server.test.product("vela", 9, 1000).await;
    let order = server.test.buy(ana.buyer(), &vela, 4).await.expect("an order");
    let path = format!("/api/v1/orders/{}", order.id);
    let sent = json!({ "status": "SHIPPED", "trackingCode": "BR123", "carrier": "Correios" });
    let changed = erp.patch(&path, &sent).await.expect(200);
    let now = server.test.shop.now();
    assert_eq!(
        changed,
        json!({
            "id": order.id, "orderNumber": order.order_number, "status": "SHIPPED",
            "carrier": "Correios", "trackingCode": "BR123", "updatedAt": now
        })
    );
    let read = reader.get(&path).await.expect(200);
    for field in ["status", "carrier", "trackingCode"] {
        assert_eq!(read[field], changed[field], "{field}");
    }
    let moves = "SELECT count(*) FROM event WHERE name = 'order.status_changed'";
    assert_eq!(server.test.count(moves), 1);
    let again = erp.patch(&path, &json!({ "status": "SHIPPED", "trackingCode": null })).await;
    assert_eq!(again.expect(200)["trackingCode"], Value::Null);
    assert_eq!(server.test.count(moves), 1, "the status that it has already is told to nobody");
    erp.patch(&path, &json!({ "status": "CANCELLED" })).await.expect(200);
    assert_eq!(server.test.stock(vela.as_str()), 9);
    server.test.buy(ana.buyer(), &vela, 6).await.expect("an order");
    let refused = erp.patch(&path, &json!({ "status": "PROCESSING" })).await;
    assert_eq!(refused.refused(400).1, "insufficient_stock");
    let long = "x".repeat(61);
    let wrong = json!({ "status": "LOST", "trackingCode": long, "carrier": 1 });
    let wrong = erp.patch(&path, &wrong).await.wrong_fields();
    for field in ["status", "trackingCode", "carrier"] {
        assert!(wrong[field].is_array(), "{field}: {wrong}");
    }
    assert_eq!(erp.patch("/api/v1/orders/none", &sent).await.refused(404).1, "order_not_found");
    assert_eq!(reader.patch(&path, &sent).await.refused(401).1, "invalid_api_key");
    assert_eq!(erp.get(&path).await.refused(401).1, "invalid_api_key");
}

#[tokio::test]
async fn the_log_of_events_is_polled_from_where_one_stands() {
    let server = TestServer::start().await;
    let erp = server.program(&[Scope::OrdersRead]).await;
    let ana = server.customer("ana").await;
    let vela = server.test.product("vela", 9, 1000).await;
    let order = server.test.buy(ana.buyer(), &vela, 1).await.expect("an order");
    let all = erp.get("/api/v1/events").await.expect(200);
    let names: Vec<&str> = all["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|event| event["event"].as_str().expect("a name"))
        .collect();
    assert!(names.contains(&"customer.created") && names.contains(&"order.created"), "{names:?}");
    assert_eq!(all["hasMore"], false);
    let first = erp.get("/api/v1/events?limit=1").await.expect(200);
    assert_eq!((&first["data"], &first["hasMore"]), (&json!([all["data"][0]]), &json!(true)));
    let next = first["next"].as_str().expect("an id");
    let rest = erp.get(&format!("/api/v1/events?after={next}")).await.expect(200);
    assert_eq!(
        rest["data"].as_array().expect("a list"),
        &all["data"].as_array().expect("a list")[1..]
    );
    let end = all["next"].as_str().expect("an id");
    let nothing = erp.get(&format!("/api/v1/events?after={end}")).await.expect(200);
    assert_eq!((&nothing["data"], &nothing["next"]), (&json!([]), &all["next"]));
    server
        .test
        .shop
        .orders()
        .set_status(&order.id, shop_core::order::OrderStatus::Shipped, None)
        .await
        .expect("sent");
    let news = erp.get(&format!("/api/v1/events?after={end}")).await.expect(200);
    assert_eq!(news["data"][0]["event"], "order.status_changed");
    for wrong in ["after=x", "after=-1", "limit=0"] {
        let wrong_fields = erp.get(&format!("/api/v1/events?{wrong}")).await.wrong_fields();
        assert!(wrong_fields.as_object().expect("fields").len() == 1, "{wrong}: {wrong_fields}");
    }
}
