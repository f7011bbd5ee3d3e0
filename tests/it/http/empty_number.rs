//! Numbers that were left empty, and those that stand in a text.

use hyper::Method;
use serde_json::{Value, json};
use shop_core::api_key::Scope;

use super::TestServer;
use super::other_notations::{PRODUCTS, make, send};

#[tokio::test]
async fn an_empty_number_of_an_optional_field_is_none() {
    let server = TestServer::start().await;
    let admin = server.admin().await.writing_otherwise();
    let erp = server.program(&[Scope::ProductsWrite]).await.writing_otherwise();
    let coupon = r#"{"code":"X","type":"FIXED","value":1,"active":true,"maxUses":"",
                     "minOrderValue":" ","expiresAt":""}"#;
    let coupon = send(&admin, Method::POST, "/api/admin/coupons", coupon).await.expect(201);
    for field in ["maxUses", "minOrderValue", "expiresAt"] {
        assert_eq!(coupon[field], Value::Null, "{field}");
    }
    let full = r#""price":5,"comparePrice":9,"weight":1,"length":"","width":" ","height":"""#;
    let product = make(&admin, full).await.expect(201);
    assert_eq!((&product["weight"], &product["length"]), (&json!(1.0), &Value::Null));
    let own = format!("{PRODUCTS}/{}", product["id"].as_str().expect("an id"));
    let empty = json!({ "weight": "", "comparePrice": "" });
    let changed = admin.patch(&own, &empty).await.expect(200);
    assert_eq!((&changed["weight"], &changed["comparePrice"]), (&Value::Null, &Value::Null));
    admin.patch(&own, &json!({ "weight": 1, "comparePrice": 9 })).await.expect(200);
    let v1 = format!("/api/v1/products/{}", product["id"].as_str().expect("an id"));
    let changed = erp.patch(&v1, &empty).await.expect(200);
    assert_eq!((&changed["weight"], &changed["comparePrice"]), (&Value::Null, &Value::Null));
    // What may not be empty is not.
    for (path, client) in [(&own, &admin), (&v1, &erp)] {
        let wrong = client.patch(path, &json!({ "price": "", "stock": "" })).await.wrong_fields();
        assert!(wrong["price"].is_array() && wrong["stock"].is_array(), "{path}: {wrong}");
    }
}

#[tokio::test]
async fn a_price_in_quotes_may_have_spaces_and_is_named_where_it_is_wrong() {
    let server = TestServer::start().await;
    let admin = server.admin().await.writing_otherwise();
    let erp = server.program(&[Scope::ProductsWrite]).await.writing_otherwise();
    let product = make(&admin, r#""price":1"#).await.expect(201);
    let path = format!("/api/v1/products/{}", product["id"].as_str().expect("an id"));
    let price = async |text: &str| {
        send(&erp, Method::PATCH, &path, &format!(r#"{{"price":{text}}}"#)).await
    };
    for text in [r#"" 5.00""#, r#""5.00 ""#, r#""\u0035.00""#] {
        assert_eq!(price(text).await.expect(200)["price"], "5.00", "{text}");
    }
    for text in [r#""5,00""#, r#""cinco""#, r#""5.001""#] {
        assert!(price(text).await.wrong_fields()["price"].is_array(), "{text}");
    }
}

#[tokio::test]
async fn an_empty_text_never_means_all_of_the_money_any_price_or_each_order() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let buyer = server.test.buyer("ana").await;
    let vela = server.test.product("vela", 100, 1990).await;
    let order = server.test.buy(&buyer, &vela, 2).await.expect("placed");
    let wrong = async |path: &str, body: Value, field: &str| {
        let wrong = admin.post(path, &body).await.wrong_fields();
        assert!(wrong[field].is_array(), "{path} {body}: {wrong}");
    };
    let payments = format!("/api/admin/orders/{}/payments", order.id);
    wrong(&payments, json!({ "method": "CASH", "amount": "" }), "amount").await;
    // Null is how some programs leave a field out.
    admin.post(&payments, &json!({ "method": "CASH", "amount": null })).await.expect(201);
    let refunds = format!("/api/admin/orders/{}/refunds", order.id);
    wrong(&refunds, json!({ "amount": " " }), "amount").await;
    assert_eq!(admin.get(&refunds).await.expect(200), json!([]));
    wrong("/api/admin/shipments/bulk", json!({ "orderIds": "" }), "orderIds").await;
    wrong("/api/admin/shipments/bulk", json!({ "maxPrice": "" }), "maxPrice").await;
    let returned = json!({ "orderId": order.id, "items": "" });
    wrong("/api/admin/returns", returned, "items").await;
}
