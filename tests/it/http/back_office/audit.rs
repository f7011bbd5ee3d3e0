//! The audit log, as staff reads it.

use serde_json::{Value, json};
use shop_core::api_key::Scope;

use crate::http::TestServer;
use crate::http::client::Client;

async fn actions(admin: &Client, query: &str) -> Vec<String> {
    let log = admin.get(&format!("/api/admin/audit{query}")).await.expect(200);
    let entries = log["data"].as_array().expect("entries").iter();
    entries.map(|entry| entry["action"].as_str().expect("an action").to_owned()).collect()
}

#[tokio::test]
async fn the_log_has_actor_action_entity_and_time() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let me = admin.get("/api/auth/me").await.expect(200);
    let new = json!({ "code": "A", "type": "FIXED", "value": 5, "active": true });
    let coupon = admin.post("/api/admin/coupons", &new).await.expect(201);
    let path = format!("/api/admin/coupons/{}", coupon["id"].as_str().expect("an id"));
    server.test.advance_hours(1);
    admin.patch(&path, &json!({ "value": 6, "maxUses": 3 })).await.expect(200);
    let log = admin.get("/api/admin/audit?limit=1").await.expect(200);
    let expected = json!({
        "id": log["data"][0]["id"],
        "actor": { "kind": "ADMIN", "id": me["id"], "name": "Equipe" },
        "action": "coupon.update", "resourceId": coupon["id"],
        "before": { "value": 5.0, "maxUses": null }, "after": { "value": 6.0, "maxUses": 3 },
        "createdAt": "2026-11-21T16:00:00.000Z"
    });
    assert_eq!(log["data"], json!([expected]));
    let page = json!({ "page": 1, "limit": 1, "total": 3, "totalPages": 3 });
    assert_eq!(log["pagination"], page);
}

#[tokio::test]
async fn the_log_is_filtered_by_actor_action_entity_and_time() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let me = admin.get("/api/auth/me").await.expect(200)["id"].clone();
    let me = me.as_str().expect("an id");
    admin.patch("/api/admin/settings/analytics", &json!({ "heatmapId": "1" })).await.expect(200);
    server.test.advance_hours(2);
    let new = json!({ "name": "Sul", "states": ["PR"], "price": 1, "estimatedDays": 1 });
    admin.post("/api/admin/shipping", &new).await.expect(201);
    let all = ["tariff.create", "settings.update", "account.create_admin"];
    let both = &all[..2];
    assert_eq!(actions(&admin, "").await, all);
    assert_eq!(actions(&admin, &format!("?actorId={me}")).await, both);
    assert_eq!(actions(&admin, "?actorId=nobody").await, [""; 0]);
    assert_eq!(actions(&admin, "?action=settings.update").await, both[1..]);
    assert_eq!(actions(&admin, "?resourceId=analytics").await, both[1..]);
    let noon = "2026-11-21T16:00:00.000Z";
    assert_eq!(actions(&admin, &format!("?from={noon}")).await, both[..1]);
    assert_eq!(actions(&admin, &format!("?to={noon}")).await, all[1..]);
    assert_eq!(actions(&admin, "?page=2&limit=1").await, both[1..]);
    let wrong = admin.get("/api/admin/audit?from=yesterday&limit=0").await.wrong_fields();
    assert!(wrong["from"].is_array() && wrong["limit"].is_array(), "{wrong}");
    // What was refused was not done.
    admin.post("/api/admin/shipping", &Value::Null).await.refused(400);
    assert_eq!(actions(&admin, "").await, all);
}

#[tokio::test]
async fn what_a_key_did_stands_under_its_name_which_customers_never_see() {
    let server = TestServer::start().await;
    let (admin, ana) = (server.admin().await, server.customer("ana").await);
    let vela = server.test.product("vela", 9, 1000).await;
    let order = server.test.buy(ana.buyer(), &vela, 1).await.expect("placed");
    let erp = server.program(&[Scope::OrdersWrite]).await;
    let moved = json!({ "status": "SHIPPED" });
    erp.patch(&format!("/api/v1/orders/{}", order.id), &moved).await.expect(200);
    let log = admin.get("/api/admin/audit?action=order.update").await.expect(200);
    let actor = &log["data"][0]["actor"];
    assert_eq!((&actor["kind"], &actor["name"]), (&json!("KEY"), &json!("ERP")));
    let seen = admin.get(&format!("/api/admin/orders/{}", order.id)).await.expect(200);
    let step = &seen["history"][0];
    assert_eq!((&step["actor"], &step["actorName"]), (&json!("KEY"), &json!("ERP")));
    // The name of a key is still known when the key is revoked.
    let key = actor["id"].as_str().expect("an id");
    admin.delete(&format!("/api/admin/api-keys/{key}")).await.expect(200);
    let log = admin.get(&format!("/api/admin/audit?actorId={key}")).await.expect(200);
    assert_eq!(log["data"][0]["actor"]["name"], "ERP");
    for path in [format!("/api/orders/{}", order.id), "/api/orders".into()] {
        let own = ana.get(&path).await.expect(200).to_string();
        assert!(own.contains("SHIPPED") && !own.contains("ERP"), "{own}");
    }
}
