//! `/api/admin/shipping/melhor-envio`, where it leads back to, and its notices.

use serde_json::{Value, json};
use shop_server::ServeOptions;

use super::TestServer;
use crate::fakes::melhor_envio::{CLIENT_SECRET, MelhorEnvio, sign};

const STATE: &str = "/api/admin/shipping/melhor-envio";
const NOTICES: &str = "/api/webhooks/melhor-envio";

async fn start() -> (TestServer, MelhorEnvio) {
    let fake = MelhorEnvio::start().await;
    let server = TestServer::start_with(|config| fake.adapt(config), ServeOptions::default()).await;
    (server, fake)
}

#[tokio::test]
async fn staff_connect_and_disconnect_the_shop_in_a_browser() {
    let (server, fake) = start().await;
    let (admin, browser) = (server.admin().await, server.anonymous());
    let state = admin.get(STATE).await.expect(200);
    let none = json!({ "connected": false, "canConnect": true, "connectedAt": null,
                       "expiresAt": null, "refusedAt": null });
    assert_eq!(state, none);
    let begun = admin.get(&format!("{STATE}/connect")).await.expect(200);
    let address = begun["address"].as_str().expect("an address");
    let allowed = fake.books(|books| books.oauth.allow(address));
    let query = serde_urlencoded::to_string(allowed).expect("a query");
    let back = format!("/api/shipping/melhor-envio/callback?{query}");
    let page = browser.get(&back).await;
    assert_eq!(page.status, 200);
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    let repeated = browser.get(&back).await.refused(401);
    assert_eq!(repeated.1, "invalid_connect_state");
    let state = admin.get(STATE).await.expect(200);
    assert_eq!(state["connected"], true);
    assert!(!state.to_string().contains("hush"), "{state}");
    admin.delete(&format!("{STATE}/connection")).await.expect(200);
    assert_eq!(admin.get(STATE).await.expect(200), none);
    server.stop().await;
}

#[tokio::test]
async fn a_connection_that_was_denied_or_forged_is_refused() {
    let (server, fake) = start().await;
    let (admin, browser) = (server.admin().await, server.anonymous());
    let begun = admin.get(&format!("{STATE}/connect")).await.expect(200);
    let address = begun["address"].as_str().expect("an address");
    let state = fake.books(|books| books.oauth.allow(address))["state"].clone();
    let back = "/api/shipping/melhor-envio/callback";
    let denied = browser.get(&format!("{back}?error=access_denied&state={state}")).await;
    assert_eq!(denied.refused(400).1, "connection_not_allowed");
    let forged = browser.get(&format!("{back}?code=made-up&state=made-up")).await;
    assert_eq!(forged.refused(401).1, "invalid_connect_state");
    browser.get(back).await.refused(400);
    server.stop().await;
}

/// Posts a notice; whether it was taken.
async fn notice(server: &TestServer, body: &str, signature: Option<&str>) -> Value {
    let headers: Vec<_> = signature.map(|it| ("x-me-signature", it)).into_iter().collect();
    let (anonymous, body) = (server.anonymous(), body.to_owned());
    let posted = anonymous.send(hyper::Method::POST, NOTICES, &headers, body).await.expect(200);
    posted["received"].clone()
}

#[tokio::test]
async fn the_address_of_notices_can_be_registered_and_believes_nothing_unsigned() {
    let (server, fake) = start().await;
    let probe = server.anonymous();
    assert_eq!(probe.get(NOTICES).await.expect(200), json!({ "received": false }));
    probe.send(hyper::Method::HEAD, NOTICES, &[], "").await.expect(200);
    assert_eq!(notice(&server, "", None).await, false);
    let body = r#"{"event":"order.posted","data":{"id":"9c1a4b7e-0000"}}"#;
    assert_eq!(notice(&server, body, None).await, false);
    assert_eq!(notice(&server, body, Some("made-up")).await, false);
    assert_eq!(notice(&server, body, Some(&sign("another", body))).await, false);
    // Signed, and about no label of the shop; and signed garbage.
    assert_eq!(notice(&server, body, Some(&sign(CLIENT_SECRET, body))).await, false);
    assert_eq!(notice(&server, "[]", Some(&sign(CLIENT_SECRET, "[]"))).await, false);
    assert!(fake.asked().is_empty(), "a notice makes no call by itself");
    server.stop().await;
}
