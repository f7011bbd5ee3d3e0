//! Deletions that name the state that was seen (`If-Match`).

use hyper::Method;
use serde_json::{Value, json};
use shop_core::api_key::Scope;

use super::{etag, patch_seen};
use crate::http::TestServer;
use crate::http::client::{Answer, Client};

async fn delete_seen(client: &Client, path: &str, etag: &str) -> Answer {
    client.send(Method::DELETE, path, &[("if-match", etag)], String::new()).await
}

/// Changes a thing, and deletes it as somebody who has not seen the change, then as somebody who
/// has.
async fn changed_meanwhile(client: &Client, path: &str, change: &Value) {
    let any = patch_seen(client, path, "*", &json!({})).await;
    let changed = patch_seen(client, path, &etag(&any), change).await;
    let late = delete_seen(client, path, &etag(&any)).await;
    assert_eq!(late.refused(412).1, "changed_meanwhile", "{path}");
    delete_seen(client, path, &etag(&changed)).await.expect(200);
    assert_eq!(client.delete(path).await.status, 404, "{path}");
}

/// Makes a thing, and does that to it.
async fn made_and_changed(client: &Client, all: &str, new: &Value, change: &Value) {
    let made = client.post(all, new).await.expect(201);
    changed_meanwhile(client, &one(all, &made), change).await;
}

fn one(all: &str, made: &Value) -> String {
    format!("{all}/{}", made["id"].as_str().expect("an id"))
}

#[tokio::test]
async fn staff_do_not_delete_what_somebody_else_changed_meanwhile() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let side = |name: &str, length: i64| {
        json!({ "name": name, "innerLength": length, "innerWidth": 10, "innerHeight": 10,
                "outerLength": 21, "outerWidth": 11, "outerHeight": 11, "tareWeight": 0.1,
                "maxWeight": 5 })
    };
    for (all, new, change) in [
        (
            "/api/admin/products",
            json!({ "name": "Vela de Mel", "slug": "mel", "price": 10, "stock": 1 }),
            json!({ "price": 12 }),
        ),
        ("/api/admin/categories", json!({ "name": "Cheiros" }), json!({ "name": "Aromas" })),
        (
            "/api/admin/coupons",
            json!({ "code": "VELA10", "type": "PERCENT", "value": 10, "active": true }),
            json!({ "value": 20 }),
        ),
        (
            "/api/admin/webhooks",
            json!({ "url": "https://erp.example.com/x", "secret": "segredo-do-erp",
                    "events": ["order.placed"] }),
            json!({ "active": false }),
        ),
        ("/api/admin/shipping/boxes", side("Caixa P", 20), json!({ "name": "Caixa M" })),
        (
            "/api/admin/shipping",
            json!({ "name": "Econômica", "states": ["SP"], "price": 18.9, "estimatedDays": 5 }),
            json!({ "price": 19.9 }),
        ),
    ] {
        made_and_changed(&admin, all, &new, &change).await;
    }
    let vela = server.test.product("vela", 9, 1000).await;
    let kinds = "/api/admin/variant-types";
    let kind = json!({ "name": "Tamanho", "slug": "tamanho" });
    let kind = one(kinds, &admin.post(kinds, &kind).await.expect(201));
    let options = format!("{kind}/options");
    let option = admin.post(&options, &json!({ "value": "120 g" })).await.expect(201);
    let variants = format!("/api/admin/products/{vela}/variants");
    let variant =
        json!({ "price": 10, "stock": 1, "values": [{ "variantOptionId": option["id"] }] });
    made_and_changed(&admin, &variants, &variant, &json!({ "price": 11 })).await;
    changed_meanwhile(&admin, &one(&options, &option), &json!({ "value": "150 g" })).await;
    changed_meanwhile(&admin, &kind, &json!({ "name": "Peso" })).await;
}

#[tokio::test]
async fn a_review_that_somebody_else_approved_meanwhile_is_not_deleted() {
    let server = TestServer::start().await;
    let (admin, ana) = (server.admin().await, server.customer("ana").await);
    server.test.product("vela", 9, 1000).await;
    let review = json!({ "rating": 5, "body": "Queima devagar." });
    let written = ana.post("/api/products/vela/reviews", &review).await.expect(201);
    let path = one("/api/admin/reviews", &written);
    let seen = etag(&admin.get(&path).await);
    admin.patch(&path, &json!({ "approved": true })).await.expect(200);
    let late = delete_seen(&admin, &path, &seen).await;
    assert_eq!(late.refused(412).1, "changed_meanwhile");
    let now = etag(&admin.get(&path).await);
    delete_seen(&admin, &path, &now).await.expect(200);
}

#[tokio::test]
async fn programs_change_and_delete_what_they_saw_only() {
    let server = TestServer::start().await;
    let scopes = [Scope::ProductsRead, Scope::ProductsWrite, Scope::OrdersRead, Scope::OrdersWrite];
    let erp = server.program(&scopes).await;
    let new = json!({ "name": "Vela de Mel", "price": "10.00", "stock": 1 });
    let made = erp.post("/api/v1/products", &new).await;
    let path = one("/api/v1/products", &made.expect(201));
    assert_eq!(etag(&made), etag(&erp.get(&path).await));
    changed_meanwhile(&erp, &path, &json!({ "price": "12.00" })).await;

    let ana = server.customer("ana").await;
    let vela = server.test.product("vela", 9, 1000).await;
    let order = server.test.buy(ana.buyer(), &vela, 1).await.expect("an order");
    let order = format!("/api/v1/orders/{}", order.id);
    let seen = etag(&erp.get(&order).await);
    let sent = json!({ "carrier": "Correios" });
    let changed = patch_seen(&erp, &order, &seen, &sent).await;
    changed.expect(200);
    let late = patch_seen(&erp, &order, &seen, &json!({ "carrier": "Jadlog" })).await;
    assert_eq!(late.refused(412).1, "changed_meanwhile");
    assert_eq!(etag(&changed), etag(&erp.get(&order).await));
}
