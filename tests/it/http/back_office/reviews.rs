//! Moderation of reviews.

use serde_json::{Value, json};

use super::{deeds, etag, patch_seen};
use crate::http::TestServer;
use crate::http::client::Client;

const REVIEWS: &str = "/api/admin/reviews";

async fn write(client: &Client, rating: i64) -> Value {
    let review = json!({ "rating": rating, "body": "Perfuma a casa." });
    client.post("/api/products/vela/reviews", &review).await.expect(201)
}

fn path(review: &Value) -> String {
    format!("{REVIEWS}/{}", review["id"].as_str().expect("an id"))
}

async fn ids(admin: &Client, query: &str) -> Vec<Value> {
    let list = admin.get(&format!("{REVIEWS}{query}")).await.expect(200);
    assert_eq!(list["pagination"]["total"], list["data"].as_array().expect("a list").len());
    let data = list["data"].as_array().expect("a list").iter();
    data.map(|review| review["id"].clone()).collect()
}

#[tokio::test]
async fn staff_sees_what_waits_shows_it_hides_it_and_deletes_it() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let product = server.test.product("vela", 9, 1000).await;
    let (ana, bia) = (server.customer("ana").await, server.customer("bia").await);
    let first = write(&ana, 5).await;
    server.test.advance_hours(1);
    let second = write(&bia, 2).await;
    let both = [second["id"].clone(), first["id"].clone()];
    assert_eq!(ids(&admin, "").await, both);
    assert_eq!(ids(&admin, "?approved=false").await, both);
    assert_eq!(ids(&admin, "?approved=true").await, [Value::Null; 0]);
    let list = admin.get("/api/admin/reviews?limit=1&page=2").await.expect(200);
    let expected = json!([{
        "id": first["id"], "rating": 5, "title": null, "body": "Perfuma a casa.", "author": "ana",
        "verifiedPurchase": false, "status": "pending", "createdAt": "2026-11-21T15:00:00.000Z",
        "userId": ana.buyer().id,
        "product": { "id": product, "name": "vela", "slug": "vela" }
    }]);
    assert_eq!(list["data"], expected);
    let shown = admin.patch(&path(&first), &json!({ "approved": true })).await.expect(200);
    assert_eq!(shown["status"], "approved");
    let public = server.anonymous().get("/api/products/vela/reviews").await.expect(200);
    assert_eq!(
        (&public["data"][0]["id"], &public["summary"]["average"]),
        (&first["id"], &json!(5.0))
    );
    assert_eq!(ids(&admin, "?approved=true").await, both[1..]);
    let hidden = admin.patch(&path(&second), &json!({ "approved": false })).await.expect(200);
    assert_eq!(hidden["status"], "rejected");
    assert_eq!(ids(&admin, "?approved=false").await, [Value::Null; 0]);
    assert_eq!(ids(&admin, "").await, both);
    admin.delete(&path(&first)).await.expect(200);
    let public = server.anonymous().get("/api/products/vela/reviews").await.expect(200);
    assert_eq!((&public["data"], &public["summary"]["total"]), (&json!([]), &json!(0)));
    let deeds = deeds(&admin, first["id"].as_str().expect("an id")).await;
    assert_eq!(deeds[0].0, "review.delete");
    let (before, after) = (json!({ "status": "pending" }), json!({ "status": "approved" }));
    assert_eq!(deeds[1], ("review.moderate".to_owned(), before, after));
    // The log does not keep what its author may want erased.
    assert!(!deeds[0].1.to_string().contains("Perfuma"));
}

#[tokio::test]
async fn a_moderation_on_top_of_a_newer_one_is_refused() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    server.test.product("vela", 9, 1000).await;
    let review = write(&server.customer("ana").await, 4).await;
    let seen = etag(&admin.get(&path(&review)).await);
    patch_seen(&admin, &path(&review), &seen, &json!({ "approved": true })).await.expect(200);
    let late = patch_seen(&admin, &path(&review), &seen, &json!({ "approved": false })).await;
    assert_eq!(late.refused(412).1, "changed_meanwhile");
    assert_eq!(admin.get(&path(&review)).await.expect(200)["status"], "approved");
}

#[tokio::test]
async fn a_review_that_is_not_there_or_stands_in_the_way_is_refused() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    server.test.product("vela", 9, 1000).await;
    let nothing = format!("{REVIEWS}/nothing");
    let approve = json!({ "approved": true });
    assert_eq!(admin.get(&nothing).await.refused(404).1, "review_not_found");
    assert_eq!(admin.patch(&nothing, &approve).await.refused(404).1, "review_not_found");
    assert_eq!(admin.delete(&nothing).await.refused(404).1, "review_not_found");
    let wrong = admin.patch(&nothing, &json!({})).await.wrong_fields();
    assert_eq!(wrong["approved"], json!(["Campo obrigatório"]));
    let ana = server.customer("ana").await;
    let first = write(&ana, 1).await;
    admin.patch(&path(&first), &json!({ "approved": false })).await.expect(200);
    write(&ana, 3).await;
    assert_eq!(admin.patch(&path(&first), &approve).await.refused(409).1, "already_reviewed");
}
