//! Coupons, for staff.

use serde_json::{Value, json};

use super::{deeds, etag, patch_seen};
use crate::http::TestServer;
use crate::http::client::Client;

const COUPONS: &str = "/api/admin/coupons";

async fn create(admin: &Client, fields: Value) -> Value {
    let mut new = json!({ "code": "VELA10", "type": "PERCENT", "value": 10, "active": true });
    for (name, value) in fields.as_object().expect("an object") {
        new[name] = value.clone();
    }
    admin.post(COUPONS, &new).await.expect(201)
}

fn path(coupon: &Value) -> String {
    format!("{COUPONS}/{}", coupon["id"].as_str().expect("an id"))
}

#[tokio::test]
async fn a_coupon_is_made_changed_and_deleted_and_the_log_knows() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let until = "2027-01-01T03:00:00.000Z";
    let all = json!({ "minOrderValue": 50, "maxUses": 3, "expiresAt": until });
    let made = create(&admin, all).await;
    let expected = json!({
        "id": made["id"], "code": "VELA10", "type": "PERCENT", "value": 10.0,
        "minOrderValue": 50.0, "maxUses": 3, "usedCount": 0, "expiresAt": until, "active": true,
        "createdAt": made["createdAt"]
    });
    assert_eq!(made, expected);
    assert_eq!(admin.get(COUPONS).await.expect(200), json!([made]));
    assert_eq!(admin.get(&path(&made)).await.expect(200), made);
    let cleared =
        json!({ "minOrderValue": null, "maxUses": null, "expiresAt": null, "value": 12.5 });
    let changed = admin.patch(&path(&made), &cleared).await.expect(200);
    let expected = json!({
        "id": made["id"], "code": "VELA10", "type": "PERCENT", "value": 12.5,
        "minOrderValue": null, "maxUses": null, "usedCount": 0, "expiresAt": null, "active": true,
        "createdAt": made["createdAt"]
    });
    assert_eq!(changed, expected);
    let kept = admin.patch(&path(&made), &json!({})).await.expect(200);
    assert_eq!(kept, changed);
    admin.delete(&path(&made)).await.expect(200);
    assert_eq!(admin.get(COUPONS).await.expect(200), json!([]));
    let deeds = deeds(&admin, made["id"].as_str().expect("an id")).await;
    let actions: Vec<&str> = deeds.iter().map(|(action, ..)| action.as_str()).collect();
    assert_eq!(actions, ["coupon.delete", "coupon.update", "coupon.create"]);
    let (_, before, after) = &deeds[1];
    assert_eq!((&before["value"], &after["value"]), (&json!(10.0), &json!(12.5)));
    assert_eq!((before.get("code"), after.get("code")), (None, None));
}

#[tokio::test]
async fn every_wrong_field_of_a_coupon_is_named() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let wrong = json!({ "code": " ", "type": "HALF", "value": 1.005, "maxUses": 0,
                        "expiresAt": "tomorrow" });
    let wrong = admin.post(COUPONS, &wrong).await.wrong_fields();
    for field in ["code", "type", "value", "maxUses", "expiresAt", "active"] {
        assert!(wrong[field].is_array(), "{field}: {wrong}");
    }
    let too_much = json!({ "code": "X", "type": "PERCENT", "value": 100.01, "minOrderValue": -1,
                           "active": true });
    let wrong = admin.post(COUPONS, &too_much).await.wrong_fields();
    assert_eq!(wrong["value"], json!(["Deve ser menor ou igual a 100"]));
    assert_eq!(wrong["minOrderValue"], json!(["Deve ser maior ou igual a 0"]));
    // Reais may be more than a hundred, and percents are checked again when the type changes.
    let fixed = create(&admin, json!({ "type": "FIXED", "value": 150 })).await;
    let percent = admin.patch(&path(&fixed), &json!({ "type": "PERCENT" })).await.wrong_fields();
    assert_eq!(percent["value"], json!(["Deve ser menor ou igual a 100"]));
    let half = json!({ "type": "PERCENT", "value": 50 });
    assert_eq!(admin.patch(&path(&fixed), &half).await.expect(200)["type"], "PERCENT");
    assert_eq!(admin.post(COUPONS, &Value::Null).await.refused(400).1, "invalid_input");
}

#[tokio::test]
async fn no_two_coupons_have_one_code_in_whatever_case() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    create(&admin, json!({ "code": "Verão" })).await;
    let other = create(&admin, json!({ "code": "inverno" })).await;
    let again = json!({ "code": " VERÃO ", "type": "FIXED", "value": 1, "active": true });
    assert_eq!(admin.post(COUPONS, &again).await.refused(409).1, "coupon_code_taken");
    let renamed = admin.patch(&path(&other), &json!({ "code": "verão" })).await;
    let (text, code) = renamed.refused(409);
    assert_eq!((&*text, &*code), ("Código de cupom já cadastrado", "coupon_code_taken"));
    // Its own code in another case is no conflict.
    let own = admin.patch(&path(&other), &json!({ "code": "INVERNO" })).await.expect(200);
    assert_eq!(own["code"], "INVERNO");
    let found = admin.get("/api/admin/coupons?search=inv").await.expect(200);
    assert_eq!(found, json!([own]));
}

#[tokio::test]
async fn a_limit_below_the_uses_only_keeps_further_orders_away_and_orders_keep_their_discount() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let ana = server.customer("ana").await;
    let product = server.test.product("vela", 9, 1000).await;
    let coupon = create(&admin, json!({ "maxUses": 5 })).await;
    let order = json!({
        "addressId": ana.buyer().address, "couponId": coupon["id"],
        "cartItems": [{ "productId": product, "quantity": 1 }]
    });
    for _ in 0..2 {
        assert_eq!(ana.post("/api/orders", &order).await.expect(201)["discount"], 1.0);
    }
    let lowered = admin.patch(&path(&coupon), &json!({ "maxUses": 1 })).await.expect(200);
    assert_eq!((&lowered["maxUses"], &lowered["usedCount"]), (&json!(1), &json!(2)));
    assert_eq!(ana.post("/api/orders", &order).await.refused(400).1, "coupon_used_up");
    admin.delete(&path(&coupon)).await.expect(200);
    let orders = ana.get("/api/orders").await.expect(200);
    assert_eq!((&orders[0]["discount"], &orders[1]["discount"]), (&json!(1.0), &json!(1.0)));
    assert_eq!(ana.post("/api/orders", &order).await.refused(400).1, "coupon_not_found");
    // Calling an order off has no use to give back any more, and does no harm.
    let id = orders[0]["id"].as_str().expect("an id").into();
    let cancelled = shop_core::order::OrderStatus::Cancelled;
    server.test.shop.orders().set_status(&id, cancelled, None).await.expect("cancelled");
}

#[tokio::test]
async fn a_coupon_is_not_overwritten_on_top_of_a_newer_state() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let made = create(&admin, json!({})).await;
    let seen = etag(&admin.get(&path(&made)).await);
    let first = patch_seen(&admin, &path(&made), &seen, &json!({ "value": 20 })).await;
    first.expect(200);
    let late = patch_seen(&admin, &path(&made), &seen, &json!({ "value": 30 })).await;
    assert_eq!(late.refused(412).1, "changed_meanwhile");
    let next = patch_seen(&admin, &path(&made), &etag(&first), &json!({ "value": 30 })).await;
    assert_eq!(next.expect(200)["value"], 30.0);
    // As a proxy that compresses answers weakens it.
    let (late, now) = (format!("W/{seen}"), format!("W/{}", etag(&next)));
    let late = patch_seen(&admin, &path(&made), &late, &json!({ "value": 35 })).await;
    assert_eq!(late.refused(412).1, "changed_meanwhile");
    patch_seen(&admin, &path(&made), &now, &json!({ "value": 35 })).await.expect(200);
    // Without the header the last one wins; a use of the coupon is no change.
    admin.patch(&path(&made), &json!({ "value": 40 })).await.expect(200);
    let seen = etag(&admin.get(&path(&made)).await);
    server.test.raw_sql("UPDATE coupon SET used_count = used_count + 1");
    patch_seen(&admin, &path(&made), &seen, &json!({ "value": 50 })).await.expect(200);
}

#[tokio::test]
async fn a_coupon_that_is_not_there_is_not_found() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let nothing = "/api/admin/coupons/nothing";
    assert_eq!(admin.get(nothing).await.refused(404).1, "coupon_not_found");
    assert_eq!(admin.patch(nothing, &json!({})).await.refused(404).1, "coupon_not_found");
    assert_eq!(admin.delete(nothing).await.refused(404).1, "coupon_not_found");
}
