//! The list of subscribers of the newsletter.

use serde_json::json;

use crate::http::TestServer;

#[tokio::test]
async fn readers_are_listed_latest_first_also_those_that_left() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    for (email, name) in [("Ana@example.com", Some("Ana")), ("bia@example.com", None)] {
        let reader = json!({ "email": email, "name": name });
        server.anonymous().post("/api/newsletter/subscribe", &reader).await.expect(200);
        server.test.advance_hours(1);
    }
    let leave = json!({ "email": "ana@example.com" });
    server.anonymous().post("/api/newsletter/unsubscribe", &leave).await.expect(200);
    let list = admin.get("/api/admin/newsletter").await.expect(200);
    let expected = json!({
        "data": [
            { "email": "bia@example.com", "name": null,
              "subscribedAt": "2026-11-21T16:00:00.000Z", "unsubscribedAt": null },
            { "email": "Ana@example.com", "name": "Ana",
              "subscribedAt": "2026-11-21T15:00:00.000Z",
              "unsubscribedAt": "2026-11-21T17:00:00.000Z" }
        ],
        "pagination": { "page": 1, "limit": 20, "total": 2, "totalPages": 1 }
    });
    assert_eq!(list, expected);
    let found = admin.get("/api/admin/newsletter?search=ANA&limit=1").await.expect(200);
    assert_eq!(found["data"], json!([expected["data"][1]]));
    let wrong = admin.get("/api/admin/newsletter?page=x").await.wrong_fields();
    assert!(wrong["page"].is_array());
}
