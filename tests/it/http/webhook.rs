//! The back office's webhooks.

use std::time::Duration;

use hyper::Method;
use serde_json::{Value, json};
use shop_server::ServeOptions;

use super::TestServer;
use super::client::{Answer, Client};
use crate::core::fixture::START;
use crate::fakes::receiver::{Behaviour, Receiver};

const PATH: &str = "/api/admin/webhooks";

async fn start() -> TestServer {
    let allow = |config: &mut shop_core::Config| config.webhooks.allow_insecure = true;
    TestServer::start_with(allow, ServeOptions::default()).await
}

fn endpoint(url: &str) -> Value {
    json!({ "url": url, "secret": "segredo-do-erp", "events": ["order.placed", "customer.created"] })
}

async fn create(admin: &Client, url: &str) -> String {
    let created = admin.post(PATH, &endpoint(url)).await.expect(201);
    created["id"].as_str().expect("an id").to_owned()
}

/// The log of an endpoint, once it has so many entries.
async fn log(admin: &Client, id: &str, entries: u64) -> Value {
    for _ in 0..1000 {
        let page = admin.get(&format!("{PATH}/{id}/deliveries")).await.expect(200);
        if page["pagination"]["total"].as_u64() >= Some(entries) {
            return page;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("there are not {entries} deliveries");
}

async fn with_etag(admin: &Client, id: &str, etag: &str, patch: &Value) -> Answer {
    let headers = [("content-type", "application/json"), ("if-match", etag)];
    admin.send(Method::PATCH, &format!("{PATH}/{id}"), &headers, patch.to_string()).await
}

#[tokio::test]
async fn an_endpoint_is_added_shown_changed_and_removed_and_its_secret_never_shown() {
    let server = start().await;
    let admin = server.admin().await;
    assert_eq!(admin.get(PATH).await.expect(200), json!([]));
    let answer = admin.post(PATH, &endpoint("https://erp.example.com/x")).await;
    let created = answer.expect(201);
    let id = created["id"].as_str().expect("an id").to_owned();
    let expected = json!({
        "id": id, "url": "https://erp.example.com/x",
        "events": ["order.created", "customer.created"], "active": true,
        "disabledReason": null, "failingSince": null, "createdAt": START, "updatedAt": START,
    });
    assert_eq!(created, expected);
    assert_eq!(admin.get(PATH).await.expect(200), json!([expected]));
    let one = admin.get(&format!("{PATH}/{id}")).await;
    assert_eq!(one.expect(200), expected);
    assert_eq!(one.header("etag"), answer.header("etag"));
    let etag = answer.header("etag").expect("a tag").to_owned();
    server.test.clock.advance(Duration::from_secs(1));
    let patch = json!({ "active": false, "events": ["stock.low"], "secret": "outro-segredo" });
    let changed = with_etag(&admin, &id, &etag, &patch).await;
    let body = changed.expect(200);
    assert_eq!((&body["active"], &body["events"]), (&json!(false), &json!(["stock.low"])));
    assert_eq!(body["url"], expected["url"]);
    // A change on top of an old `ETag` is refused.
    let stale = with_etag(&admin, &id, &etag, &json!({ "active": true })).await.refused(412);
    assert_eq!(stale.1, "changed_meanwhile");
    let audit = admin.get("/api/admin/audit").await.expect(200).to_string();
    for (text, is_there) in [
        ("webhook.create", true),
        ("webhook.update", true),
        ("rotate_secret", true),
        ("segredo", false),
    ] {
        assert_eq!(audit.contains(text), is_there, "{text}: {audit}");
    }
    let removed = admin.delete(&format!("{PATH}/{id}")).await.expect(200);
    assert_eq!(removed, json!({ "message": "Webhook excluído" }));
    assert_eq!(admin.get(PATH).await.expect(200), json!([]));
}

#[tokio::test]
async fn what_changes_nothing_of_an_endpoint_is_no_change() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let id = create(&admin, "https://erp.example.com/x").await;
    let path = format!("{PATH}/{id}");
    let seen = admin.get(&path).await;
    server.test.clock.advance(Duration::from_secs(1));
    let again = endpoint("https://erp.example.com/x");
    for patch in [json!({}), json!({ "active": true }), again] {
        let same = admin.patch(&path, &patch).await;
        assert_eq!(same.header("etag"), seen.header("etag"), "{patch}");
        assert_eq!(same.expect(200), seen.expect(200), "{patch}");
    }
    let log = admin.get(&format!("/api/admin/audit?resourceId={id}")).await.expect(200);
    assert_eq!(log["pagination"]["total"], 1, "{log}");
    let other = admin.patch(&path, &json!({ "secret": "outro-segredo" })).await.expect(200);
    assert_ne!(other["updatedAt"], seen.expect(200)["updatedAt"]);
}

#[tokio::test]
async fn every_wrong_field_is_named() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let wrong = admin.post(PATH, &json!({})).await.wrong_fields();
    for field in ["url", "secret", "events"] {
        assert_eq!(wrong[field], json!(["Campo obrigatório"]), "{field}");
    }
    let all =
        json!({ "url": "ftp://x", "secret": "curto", "events": ["order.created", "order.gone"] });
    let wrong = admin.post(PATH, &all).await.wrong_fields();
    assert!(wrong["url"][0].as_str().is_some_and(|text| text.contains("https")), "{wrong}");
    assert_eq!(wrong["secret"], json!(["Deve ter no mínimo 8 caracteres"]));
    let unknown = wrong["events[1]"][0].as_str().expect("a message");
    assert!(unknown.starts_with("Deve ser um destes: order.created, "), "{unknown}");
    assert!(unknown.contains("order.placed") && !unknown.contains("webhook.test"));
    let unclear = json!({ "url": "https://a.example", "secret": "whsec_minhasenha1",
                          "events": ["order.created"] });
    let wrong = admin.post(PATH, &unclear).await;
    let base64 = json!(["Depois de `whsec_` deve vir base64"]);
    assert_eq!(wrong.wrong_fields()["secret"], base64);
    let none = json!({ "url": "https://a.example", "secret": "segredo-do-erp", "events": [] });
    let wrong = admin.post(PATH, &none).await.wrong_fields();
    assert_eq!(wrong["events"], json!(["Deve ter no mínimo 1 item"]));
    for (url, why) in [
        ("http://erp.example.com", "Deve ser um endereço https"),
        ("https://127.0.0.1/x", "Deve ser um endereço público"),
        ("https://192.168.0.10/x", "Deve ser um endereço público"),
    ] {
        let wrong = admin.post(PATH, &endpoint(url)).await.wrong_fields();
        assert_eq!(wrong["url"], json!([why]), "{url}");
    }
    let id = create(&admin, "https://erp.example.com").await;
    let path = format!("{PATH}/{id}");
    let wrong =
        admin.patch(&path, &json!({ "url": "http://erp.example.com" })).await.wrong_fields();
    assert_eq!(wrong["url"], json!(["Deve ser um endereço https"]));
    let wrong = admin.patch(&path, &json!({ "active": "não", "events": ["x"] })).await;
    assert_eq!(wrong.wrong_fields()["active"], json!(["Deve ser verdadeiro ou falso"]));
    let recover = format!("{path}/recover");
    let wrong = admin.post(&recover, &json!({ "since": "ontem" })).await.wrong_fields();
    assert_eq!(wrong["since"], json!(["Deve ser uma data, como 2026-12-31"]));
    for since in ["2026-11-20", "2026-11-20T22:00:00", "2026-11-20T22:00-03:00"] {
        let recovered = admin.post(&recover, &json!({ "since": since })).await.expect(200);
        assert_eq!(recovered, json!({ "queued": 0 }), "{since}");
    }
    for query in ["page=0", "limit=x", "event=order.gone", "success=sim"] {
        let wrong = admin.get(&format!("{path}/deliveries?{query}")).await.wrong_fields();
        let field = query.split('=').next().expect("a name");
        assert!(wrong[field].is_array(), "{query}: {wrong}");
    }
    assert_eq!(admin.send(Method::POST, PATH, &[], "{").await.refused(400).1, "malformed_json");
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let server = start().await;
    let admin = server.admin().await;
    let nobody = format!("{PATH}/nobody");
    let not_found = |answer: Answer| assert_eq!(answer.refused(404).1, "webhook_not_found");
    not_found(admin.get(&nobody).await);
    not_found(admin.patch(&nobody, &json!({})).await);
    not_found(admin.delete(&nobody).await);
    not_found(admin.post(&format!("{nobody}/test"), &json!({})).await);
    not_found(admin.get(&format!("{nobody}/deliveries")).await);
    not_found(admin.post(&format!("{nobody}/deliveries/x/redeliver"), &json!({})).await);
    not_found(admin.post(&format!("{nobody}/recover"), &json!({ "since": START })).await);
    let receiver = Receiver::start(Behaviour::Takes).await;
    let id = create(&admin, &receiver.url("/x")).await;
    let again = format!("{PATH}/{id}/deliveries/x/redeliver");
    assert_eq!(admin.post(&again, &json!({})).await.refused(404).1, "webhook_delivery_not_found");
    // A test is of no event that could be sent again.
    admin.post(&format!("{PATH}/{id}/test"), &json!({})).await.expect(200);
    let test = log(&admin, &id, 1).await["data"][0]["id"].as_str().expect("an id").to_owned();
    let again = format!("{PATH}/{id}/deliveries/{test}/redeliver");
    assert_eq!(admin.post(&again, &json!({})).await.refused(404).1, "event_not_found");
    admin.patch(&format!("{PATH}/{id}"), &json!({ "active": false })).await.expect(200);
    for (path, body) in
        [(again, json!({})), (format!("{PATH}/{id}/recover"), json!({ "since": START }))]
    {
        let (text, code) = admin.post(&path, &body).await.refused(409);
        assert_eq!(
            (text.as_str(), code.as_str()),
            ("Ative o webhook antes de reenviar", "webhook_inactive")
        );
    }
}

#[tokio::test]
async fn a_test_says_what_came_of_it() {
    let server = start().await;
    let admin = server.admin().await;
    let receiver = Receiver::start(Behaviour::Takes).await;
    let id = create(&admin, &receiver.url("/x")).await;
    let path = format!("{PATH}/{id}/test");
    let tried = admin.post(&path, &json!({})).await.expect(200);
    assert_eq!((&tried["delivered"], &tried["statusCode"]), (&json!(true), &json!(200)));
    assert!(tried["duration"].is_u64() && tried["error"].is_null());
    let sent = receiver.received().remove(0);
    assert_eq!(sent.header("x-webhook-event"), "webhook.test");
    assert!(sent.header("webhook-id").starts_with("msg_test_"));
    let expected = json!({ "id": "0", "event": "webhook.test", "version": 1, "timestamp": START,
                           "data": { "message": "Teste de webhook" } });
    assert_eq!(sent.json(), expected);
    for (behaviour, status, why) in [
        (Behaviour::Answers(500), 500, "o destino respondeu 500"),
        (Behaviour::Redirects, 307, "redirecionamentos não são seguidos"),
        (Behaviour::Closes, 0, "não foi possível conectar"),
    ] {
        receiver.next([behaviour]);
        let tried = admin.post(&path, &json!({})).await.expect(200);
        assert_eq!((&tried["delivered"], &tried["statusCode"]), (&json!(false), &json!(status)));
        assert!(tried["error"].as_str().expect("a reason").starts_with(why), "{tried}");
    }
    // A test that says 410 is of no consequence.
    receiver.next([Behaviour::Answers(410)]);
    admin.post(&path, &json!({})).await.expect(200);
    assert_eq!(admin.get(&format!("{PATH}/{id}")).await.expect(200)["active"], true);
    let entries = log(&admin, &id, 5).await;
    assert_eq!(entries["data"][4]["payload"], expected);
    assert_eq!(entries["data"][4]["eventId"], json!(null));
}

#[tokio::test]
async fn the_log_shows_every_attempt_and_an_event_can_be_sent_again() {
    let server = start().await;
    let admin = server.admin().await;
    let receiver = Receiver::start(Behaviour::Takes).await;
    receiver.next([Behaviour::Answers(500)]);
    let id = create(&admin, &receiver.url("/x")).await;
    server.test.buyer("ana").await;
    log(&admin, &id, 1).await;
    server.test.clock.advance(Duration::from_secs(6));
    let entries = log(&admin, &id, 2).await;
    let latest = &entries["data"][0];
    let event_id = latest["eventId"].as_str().expect("an id").to_owned();
    let mut expected = json!({
        "id": latest["id"], "endpointId": id, "event": "customer.created", "eventId": event_id,
        "payload": latest["payload"], "attempt": 2, "responseCode": 200, "responseBody": "ok",
        "error": null, "success": true, "durationMs": latest["durationMs"],
        "createdAt": latest["createdAt"],
    });
    assert_eq!(*latest, expected);
    assert_eq!(latest["payload"]["data"]["email"], "ana@example.com");
    expected = entries["data"][1].clone();
    assert_eq!((&expected["attempt"], &expected["responseCode"]), (&json!(1), &json!(500)));
    assert_eq!(expected["responseBody"], "{\"status\":500}");
    for (query, total) in [
        ("success=true", 1),
        ("success=false", 1),
        ("event=customer.created", 2),
        ("event=order.created", 0),
        ("event=customer.created&success=false", 1),
        ("event=webhook.test", 0),
        ("limit=1&page=2", 2),
    ] {
        let page = admin.get(&format!("{PATH}/{id}/deliveries?{query}")).await.expect(200);
        assert_eq!(page["pagination"]["total"], total, "{query}");
    }
    let second = admin.get(&format!("{PATH}/{id}/deliveries?limit=1&page=2")).await.expect(200);
    assert_eq!(second["data"], json!([expected]));
    let failed = expected["id"].as_str().expect("an id");
    let again = admin.post(&format!("{PATH}/{id}/deliveries/{failed}/redeliver"), &json!({})).await;
    assert_eq!(again.expect(200), json!({ "queued": 1 }));
    log(&admin, &id, 3).await;
    let names: Vec<_> =
        receiver.received().iter().map(|one| one.header("webhook-id").to_owned()).collect();
    let one = &names[0];
    assert!(one.starts_with(&format!("msg_{event_id}_")) && one.ends_with(&id), "{one}");
    assert_eq!(names, vec![one.clone(); 3]);
    // Nothing is missing, so there is nothing to recover.
    let recover = format!("{PATH}/{id}/recover");
    let recovered = admin.post(&recover, &json!({ "since": START })).await.expect(200);
    assert_eq!(recovered, json!({ "queued": 0 }));
}
