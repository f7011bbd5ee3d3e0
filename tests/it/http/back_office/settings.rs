//! Settings of the site, and an admin's own password.

use hyper::Method;
use serde_json::{Value, json};

use super::{deeds, etag, patch_seen};
use crate::http::client::Client;
use crate::http::{PASSWORD, TestServer};

const HOME: &str = "/api/admin/settings/pagebuilder";
const ABOUT: &str = "/api/admin/settings/pagebuilder-about";
const ANALYTICS: &str = "/api/admin/settings/analytics";
const CHANGE_PASSWORD: &str = "/api/admin/settings/change-password";
const SETTINGS: &str = "/api/settings";

async fn send_page(admin: &Client, path: &str, data: &str) -> crate::http::client::Answer {
    let json = [("content-type", "application/json")];
    admin.send(Method::PATCH, path, &json, format!("{{\"data\": {data}}}")).await
}

#[tokio::test]
async fn a_published_page_is_public_from_then_on() {
    let server = TestServer::start().await;
    let (admin, anonymous) = (server.admin().await, server.anonymous());
    let nothing = json!({
        "analytics": { "webAnalyticsId": null, "adPixelId": null, "heatmapId": null },
        "pagebuilder": null, "pagebuilderAbout": null, "seller": null, "withdrawalDays": 7
    });
    let before = anonymous.get(SETTINGS).await;
    assert_eq!(before.expect(200), nothing);
    assert_eq!(before.header("cache-control"), Some("public, max-age=0, must-revalidate"));
    let known = [("if-none-match", &*etag(&before))];
    assert_eq!(anonymous.send(Method::GET, SETTINGS, &known, "").await.status, 304);
    let saved = send_page(&admin, HOME, r#"{ "root": {"props": {}}, "a": 1.10 }"#).await;
    assert_eq!(saved.expect(200), json!({ "saved": true }));
    let after = anonymous.send(Method::GET, SETTINGS, &known, "").await;
    assert_ne!(etag(&after), etag(&before));
    // As it was written: its order and its numbers are the page builder's affair.
    let text = String::from_utf8(after.body.to_vec()).expect("text");
    assert!(text.contains(r#""pagebuilder":{ "root": {"props": {}}, "a": 1.10 }"#), "{text}");
    send_page(&admin, ABOUT, r#"{"about":true}"#).await.expect(200);
    let ids = json!({ "webAnalyticsId": "G-1A2B3C" });
    assert_eq!(admin.patch(ANALYTICS, &ids).await.expect(200), json!({ "saved": true }));
    let all = anonymous.get(SETTINGS).await.expect(200);
    assert_eq!(all["pagebuilderAbout"], json!({ "about": true }));
    assert_eq!(all["analytics"]["webAnalyticsId"], "G-1A2B3C");
    let page = admin.get(ABOUT).await.expect(200);
    assert_eq!(page, json!({ "data": { "about": true }, "updatedAt": "2026-11-21T15:00:00.000Z" }));
    let deeds = deeds(&admin, "pagebuilder").await;
    assert_eq!((deeds.len(), deeds[0].0.as_str()), (1, "settings.update"));
    assert!(deeds[0].2["revision"].is_string());
}

#[tokio::test]
async fn ids_of_analytics_change_one_by_one_and_null_or_nothing_clears() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let all = json!({ "webAnalyticsId": "G-1", "adPixelId": "123", "heatmapId": "9.8" });
    admin.patch(ANALYTICS, &all).await.expect(200);
    admin.patch(ANALYTICS, &json!({ "adPixelId": null, "heatmapId": " " })).await.expect(200);
    let left = json!({ "webAnalyticsId": "G-1", "adPixelId": null, "heatmapId": null });
    assert_eq!(admin.get(ANALYTICS).await.expect(200), left);
    let (_, before, after) = deeds(&admin, "analytics").await.remove(0);
    assert_eq!(before, json!({ "adPixelId": "123", "heatmapId": "9.8" }));
    assert_eq!(after, json!({ "adPixelId": null, "heatmapId": null }));
    let wrong = json!({ "webAnalyticsId": "');alert(1)//", "adPixelId": 5 });
    let wrong = admin.patch(ANALYTICS, &wrong).await.wrong_fields();
    assert!(wrong["webAnalyticsId"].is_array() && wrong["adPixelId"].is_array(), "{wrong}");
    assert_eq!(admin.get(ANALYTICS).await.expect(200), left);
}

#[tokio::test]
async fn settings_that_are_saved_as_they_are_change_nothing() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let ids = json!({ "webAnalyticsId": "G-1", "adPixelId": null, "heatmapId": null });
    for (path, key, body) in
        [(ANALYTICS, "analytics", ids), (HOME, "pagebuilder", json!({ "data": { "n": 1 } }))]
    {
        admin.patch(path, &body).await.expect(200);
        let seen = admin.get(path).await;
        server.test.advance_hours(1);
        for same in [&body, &body] {
            let saved = admin.patch(path, same).await;
            assert_eq!(saved.expect(200), json!({ "saved": true }));
            assert_eq!(etag(&saved), etag(&seen), "{path}");
        }
        assert_eq!(admin.get(path).await.expect(200), seen.expect(200), "{path}");
        assert_eq!(deeds(&admin, key).await.len(), 1, "{path}");
    }
    admin.patch(ANALYTICS, &json!({})).await.expect(200);
    assert_eq!(deeds(&admin, "analytics").await.len(), 1);
}

#[tokio::test]
async fn a_page_is_an_object_of_at_most_a_mebibyte() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    for (data, text) in [
        ("[]", "Deve ser um objeto"),
        ("\"x\"", "Deve ser um objeto"),
        ("null", "Campo obrigatório"),
    ] {
        let wrong = send_page(&admin, HOME, data).await.wrong_fields();
        assert_eq!(wrong["data"], json!([text]), "{data}");
    }
    assert_eq!(
        admin.patch(HOME, &json!({})).await.wrong_fields()["data"],
        json!(["Campo obrigatório"])
    );
    assert_eq!(send_page(&admin, HOME, "{").await.refused(400).1, "malformed_json");
    let of = |bytes: usize| format!("{{\"x\":\"{}\"}}", "x".repeat(bytes - 8));
    send_page(&admin, HOME, &of(1024 * 1024)).await.expect(200);
    let (_, code) = send_page(&admin, HOME, &of(1024 * 1024 + 1)).await.refused(400);
    assert_eq!(code, "invalid_input");
    let huge = send_page(&admin, HOME, &of(1024 * 1024 + 2048)).await;
    assert_eq!(huge.refused(413).1, "payload_too_large");
    assert_eq!(admin.get(HOME).await.body.len(), {
        let around = json!({ "data": {}, "updatedAt": "2026-11-21T15:00:00.000Z" }).to_string();
        around.len() - 2 + 1024 * 1024
    });
    // Deep nesting costs the shop no stack.
    let deep = format!("{{\"a\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(send_page(&admin, ABOUT, &deep).await.refused(400).1, "malformed_json");
    assert_eq!(server.anonymous().get(SETTINGS).await.status, 200);
}

#[tokio::test]
async fn a_page_is_not_published_over_a_newer_one() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    for (path, mut bodies) in [
        (HOME, vec![json!({ "data": { "n": 1 } }), json!({ "data": { "n": 2 } })]),
        (ABOUT, vec![json!({ "data": { "n": 1 } }), json!({ "data": { "n": 2 } })]),
        (ANALYTICS, vec![json!({ "heatmapId": "1" }), json!({ "heatmapId": "2" })]),
    ] {
        let seen = etag(&admin.get(path).await);
        let first = patch_seen(&admin, path, &seen, &bodies.remove(0)).await;
        first.expect(200);
        let body = bodies.remove(0);
        let late = patch_seen(&admin, path, &seen, &body).await;
        assert_eq!(late.refused(412).1, "changed_meanwhile", "{path}");
        assert_eq!(etag(&admin.get(path).await), etag(&first), "{path}");
        patch_seen(&admin, path, &etag(&first), &body).await.expect(200);
    }
}

#[tokio::test]
async fn a_changed_password_ends_the_other_sessions_of_an_admin() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let elsewhere = server.anonymous().with_token(admin.token().expect("a token"));
    let change =
        |current: &str, new: &str| json!({ "currentPassword": current, "newPassword": new });
    let wrong = admin.patch(CHANGE_PASSWORD, &change("wrong", "outra-senha-1")).await;
    assert_eq!(wrong.refused(401).1, "wrong_password");
    let short = admin.patch(CHANGE_PASSWORD, &change(PASSWORD, "short")).await.wrong_fields();
    assert_eq!(short["newPassword"], json!(["Deve ter no mínimo 8 caracteres"]));
    let wrong = admin.patch(CHANGE_PASSWORD, &Value::Null).await;
    assert_eq!(wrong.refused(400).1, "invalid_input");
    let done = admin.patch(CHANGE_PASSWORD, &change(PASSWORD, "outra-senha-1")).await.expect(200);
    assert_eq!(done, json!({ "message": "Senha alterada" }));
    assert_eq!(elsewhere.get("/api/auth/me").await.refused(401).1, "unauthenticated");
    let me = admin.get("/api/auth/me").await.expect(200);
    let deeds = deeds(&admin, me["id"].as_str().expect("an id")).await;
    assert_eq!(deeds, [("account.change_password".to_owned(), json!({}), json!({}))]);
}
