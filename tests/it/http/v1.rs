//! The integration API, as programs see it.

use hyper::Method;
use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::api_key::Scope;

use super::TestServer;
use super::client::Client;
use crate::core::fixture::input;
use crate::core::stock::variant;

#[tokio::test]
async fn a_product_has_the_fields_of_the_specification_and_prices_are_texts() {
    let server = TestServer::start().await;
    let erp = server.program(&[Scope::ProductsRead]).await;
    let shelf = input(json!({ "name": "Velas", "slug": "velas" }));
    let shelf =
        server.test.shop.categories().create(&Actor::System, shelf).await.expect("a category");
    let new = json!({
        "name": "Vela", "slug": "vela", "price": 49.9, "comparePrice": 60, "stock": 3,
        "sku": "V-1", "weight": 0.25, "featured": true, "categoryId": shelf.id,
        "images": [{ "url": "/uploads/v.svg", "alt": "Uma vela" }]
    });
    let vela = server
        .test
        .shop
        .products()
        .create(&Actor::System, input(new), None)
        .await
        .expect("a product")
        .product;
    let big = variant(&server.test, &vela.id, "V-1-G", 7).await;
    let list = erp.get("/api/v1/products").await.expect(200);
    let expected = json!({
        "id": vela.id, "name": "Vela", "slug": "vela", "sku": "V-1", "price": "49.90",
        "comparePrice": "60.00", "stock": 3, "active": true, "featured": true, "weight": 0.25,
        "length": null, "width": null, "height": null,
        "updatedAt": vela.updated_at,
        "category": { "id": shelf.id, "name": "Velas", "slug": "velas" },
        "images": [{ "url": "/uploads/v.svg", "alt": "Uma vela" }],
        "variants": [
            { "id": big, "sku": "V-1-G", "price": "10.00", "comparePrice": null, "stock": 7,
              "weight": null, "length": null, "width": null, "height": null,
              "values": [{ "variantType": "Tamanho", "value": "200 g" }] }
        ]
    });
    assert_eq!(list["data"], json!([expected]));
    let pagination = json!({ "page": 1, "limit": 50, "total": 1, "totalPages": 1 });
    assert_eq!((&list["pagination"], &list["nextCursor"]), (&pagination, &Value::Null));
    let path = format!("/api/v1/products/{}", vela.id);
    assert_eq!(erp.get(&path).await.expect(200), expected);
    assert_eq!(erp.get("/api/v1/products/vela").await.refused(404).1, "product_not_found");
}

#[tokio::test]
async fn products_off_sale_are_read_only_when_asked_for() {
    let server = TestServer::start().await;
    let erp = server.program(&[Scope::ProductsRead]).await;
    let off = json!({
        "name": "Fora", "slug": "fora", "price": 1, "stock": 9, "active": false
    });
    let off = server
        .test
        .shop
        .products()
        .create(&Actor::System, input(off), None)
        .await
        .expect("a product")
        .product;
    server.test.product("vela", 5, 1000).await;
    let names = async |query: &str| {
        let list = erp.get(&format!("/api/v1/products{query}")).await.expect(200);
        let names = list["data"].as_array().expect("a list").iter();
        names.map(|p| p["slug"].as_str().expect("a slug").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names("").await, ["vela"]);
    assert_eq!(names("?active=false").await, ["vela", "fora"]);
    assert_eq!(names("?active=false&low_stock=true").await, ["vela"]);
    assert_eq!(names("?category=none").await, [""; 0]);
    let path = format!("/api/v1/products/{}", off.id);
    assert_eq!(erp.get(&path).await.expect(200)["active"], false);
}

#[tokio::test]
async fn lists_take_pages_limits_and_cursors_and_refuse_what_is_none() {
    let server = TestServer::start().await;
    let erp = server.program(&[Scope::ProductsRead, Scope::OrdersRead]).await;
    for n in 0..5 {
        server.test.product(&format!("p{n}"), 5, 1000).await;
    }
    let first = erp.get("/api/v1/products?limit=2").await.expect(200);
    assert_eq!(first["pagination"]["totalPages"], 3);
    let cursor = first["nextCursor"].as_str().expect("a cursor");
    let second = erp.get(&format!("/api/v1/products?limit=2&after={cursor}")).await.expect(200);
    assert_eq!(second["data"][0]["name"], "p2");
    assert_eq!(second.get("pagination"), None);
    let whole = erp.get("/api/v1/products?limit=1000").await.expect(200);
    assert_eq!(whole["pagination"]["limit"], 100);
    for list in ["/api/v1/products", "/api/v1/orders"] {
        for (query, field) in [
            ("page=0", "page"),
            ("page=x", "page"),
            ("limit=0", "limit"),
            ("after=nonsense", "after"),
        ] {
            let wrong = erp.get(&format!("{list}?{query}")).await.wrong_fields();
            assert!(wrong[field].is_array(), "{list}?{query}: {wrong}");
        }
    }
    let wrong = erp.get("/api/v1/products?active=maybe").await.wrong_fields();
    assert!(wrong["active"].is_array(), "{wrong}");
    let wrong = erp.get("/api/v1/orders?status=LOST").await.wrong_fields();
    assert!(wrong["status"].is_array(), "{wrong}");
}

#[tokio::test]
async fn the_stock_of_a_product_is_set_and_told() {
    let server = TestServer::start().await;
    let erp = server.program(&[Scope::StockWrite]).await;
    let vela = server.test.product("vela", 5, 1000).await;
    let path = format!("/api/v1/products/{vela}/stock");
    let now = server.test.shop.now();
    let set = erp.patch(&path, &json!({ "stock": 12 })).await.expect(200);
    assert_eq!(set, json!({ "id": vela, "sku": "SKU-vela", "stock": 12, "updatedAt": now }));
    let movement =
        "SELECT delta FROM stock_movement WHERE source = 'API' AND reason = 'ADJUSTMENT'";
    assert_eq!((server.test.stock(vela.as_str()), server.test.count(movement)), (12, 7));
    for (body, message) in [
        (json!({ "stock": -1 }), "Deve ser maior ou igual a 0"),
        (json!({ "stock": 1.5 }), "Deve ser um número inteiro"),
        (json!({}), "Campo obrigatório"),
    ] {
        assert_eq!(erp.patch(&path, &body).await.wrong_fields()["stock"], json!([message]));
    }
    let none = erp.patch("/api/v1/products/none/stock", &json!({ "stock": 1 })).await;
    assert_eq!(none.refused(404).1, "product_not_found");
    let audited = "SELECT count(*) FROM audit WHERE actor = 'KEY' AND action = 'stock.set'";
    assert_eq!(server.test.count(audited), 1);
}

#[tokio::test]
async fn programs_read_the_orders_of_all_customers_with_what_an_erp_needs() {
    let server = TestServer::start().await;
    let erp = server.program(&[Scope::OrdersRead]).await;
    let (ana, bia) = (server.customer("ana").await, server.customer("bia").await);
    ana.put("/api/auth/me", &json!({ "cpf": "52998224725" })).await.expect(200);
    let vela = server.test.product("vela", 9, 1000).await;
    let order = server.test.buy(ana.buyer(), &vela, 2).await.expect("an order");
    server.test.buy(bia.buyer(), &vela, 1).await.expect("an order");
    let one = erp.get(&format!("/api/v1/orders/{}", order.id)).await.expect(200);
    assert_eq!(one["orderNumber"], order.order_number);
    assert_eq!((&one["total"], &one["status"]), (&json!(20.0), &json!("PENDING")));
    assert_eq!(
        one["items"],
        json!([{
            "id": order.items[0].id, "productId": vela, "variantId": null, "sku": "SKU-vela",
            "quantity": 2, "price": 10.0, "total": 20.0, "productNameSnapshot": "vela",
            "variantSnapshot": null
        }])
    );
    assert_eq!(
        one["customer"],
        json!({
            "id": ana.buyer().id, "name": "ana", "email": "ana@example.com", "phone": null,
            "cpf": "52998224725"
        })
    );
    assert_eq!(one["address"]["zipCode"], "01001000");
    let person = json!({ "name": "ana", "cpf": "52998224725", "cnpj": null, "companyName": null,
        "stateRegistration": null, "buysToResell": false });
    assert_eq!(one["buyer"], person);
    assert_eq!(one["payment"], json!({ "method": null, "status": "PENDING" }));
    // An order is billed to who bought it then.
    let company = json!({ "cnpj": "12ABC34501DE35", "companyName": "Velas Ltda" });
    ana.put("/api/auth/me", &company).await.expect(200);
    let one = erp.get(&format!("/api/v1/orders/{}", order.id)).await.expect(200);
    assert_eq!(one["buyer"], person);
    let list = erp.get("/api/v1/orders").await.expect(200);
    assert_eq!((&list["pagination"]["total"], &list["data"][1]), (&json!(2), &one));
    let pending = erp.get("/api/v1/orders?status=SHIPPED").await.expect(200);
    assert_eq!(pending["pagination"]["total"], 0);
    let bought = server.test.buy(ana.buyer(), &vela, 1).await.expect("an order");
    let bought = erp.get(&format!("/api/v1/orders/{}", bought.id)).await.expect(200);
    assert_eq!(bought["buyer"]["cnpj"], "12ABC34501DE35");
    let list = erp.get("/api/v1/orders").await.expect(200);
    assert_eq!(erp.get("/api/v1/orders/none").await.refused(404).1, "order_not_found");
    // With a key the customer's own list is the one of all customers.
    assert_eq!(erp.get("/api/orders").await.expect(200), list);
    let own = ana.get("/api/orders").await.expect(200);
    assert_eq!(own.as_array().expect("a bare list").len(), 2);
    let stranger = server.program(&[Scope::ProductsRead]).await;
    assert_eq!(stranger.get("/api/orders").await.refused(401).1, "invalid_api_key");
    assert_eq!(server.anonymous().get("/api/orders").await.refused(401).1, "unauthenticated");
}

async fn products(client: &Client) -> u16 {
    client.get("/api/products").await.status.as_u16()
}

#[tokio::test]
async fn the_public_list_takes_a_key_that_holds_and_refuses_one_that_does_not() {
    let server = TestServer::start().await;
    server.test.product("vela", 5, 1000).await;
    let anonymous = server.anonymous();
    let public = anonymous.get("/api/products").await;
    public.expect(200);
    let made = server.test.key(&[Scope::ProductsRead]).await;
    let erp = server.anonymous().with_key(made.raw.reveal());
    let by_key = erp.get("/api/products").await;
    assert_eq!((by_key.status.as_u16(), &by_key.body), (200, &public.body));
    assert_eq!(by_key.header("ratelimit-limit"), Some("600"));
    // In the cache by now, and yet refused with a wrong key.
    for wrong in ["svc_live_x", "nonsense"] {
        assert_eq!(products(&server.anonymous().with_key(wrong)).await, 401, "{wrong}");
    }
    assert_eq!(products(&server.program(&[Scope::OrdersRead]).await).await, 401);
    server.test.shop.api_keys().revoke(&Actor::System, &made.key.id).await.expect("ended");
    assert_eq!(erp.get("/api/products").await.refused(401).1, "invalid_api_key");
    // A page that sends its session along, ended or not, reads what all read.
    let session = server
        .test
        .log_in({
            server.customer("ana").await;
            "ana"
        })
        .await;
    assert_eq!(products(&server.anonymous().with_key(&session)).await, 200);
    assert_eq!(products(&server.anonymous().with_key("e30.e30.x")).await, 200);
    assert_eq!(products(&anonymous).await, 200);
    // The answer of a cache on the way, asked about with a wrong key, is refused too.
    let etag = public.header("etag").expect("a tag").to_owned();
    let headers = [("if-none-match", &*etag), ("authorization", "Bearer svc_live_x")];
    anonymous.send(Method::GET, "/api/products", &headers, "").await.refused(401);
}

#[tokio::test]
async fn pages_of_every_origin_may_call_with_a_key() {
    let server = TestServer::start().await;
    let erp = server.program(&[Scope::ProductsRead]).await;
    let origin = ("origin", "https://erp.example");
    for path in ["/api/v1/products", "/api/v1/products/x", "/api/v1/orders", "/api/v1/orders/x"] {
        let asked = [
            origin,
            ("access-control-request-method", "PATCH"),
            ("access-control-request-headers", "authorization"),
        ];
        let preflight = server.anonymous().send(Method::OPTIONS, path, &asked, "").await;
        preflight.expect(204);
        for (name, value) in [
            ("access-control-allow-origin", "*"),
            ("access-control-allow-methods", "GET, POST, PATCH, DELETE, OPTIONS"),
            ("access-control-allow-headers", "Authorization, Content-Type"),
        ] {
            assert_eq!(preflight.header(name), Some(value), "{path}");
        }
    }
    let answer = erp.send(Method::GET, "/api/v1/products", &[origin], "").await;
    answer.expect(200);
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    let exposed = answer.header("access-control-expose-headers").expect("a list");
    for name in ["ETag", "Idempotency-Replayed", "RateLimit-Remaining"] {
        assert!(exposed.contains(name), "{exposed}");
    }
    // Also a refusal can be read.
    let refused = server.anonymous().send(Method::GET, "/api/v1/products", &[origin], "").await;
    assert_eq!(refused.refused(401).1, "invalid_api_key");
    assert_eq!(refused.header("access-control-allow-origin"), Some("*"));
}
