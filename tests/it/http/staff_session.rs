//! Sessions of staff over HTTP: seen, told apart, and ended.

use std::collections::HashSet;
use std::time::Duration;

use hyper::Method;
use serde_json::{Value, json};

use super::client::Client;
use super::{PASSWORD, TestServer};

const SESSIONS: &str = "/api/admin/sessions";

/// One more session of the account that `TestServer::admin` made.
async fn elsewhere(server: &TestServer, program: &str) -> Client {
    let client = server.anonymous();
    let headers = [("content-type", "application/json"), ("user-agent", program)];
    let body = json!({ "email": "equipe@example.com", "password": PASSWORD }).to_string();
    client.send(Method::POST, "/api/auth/login", &headers, body).await.expect(200);
    client
}

fn current(sessions: &Value) -> &Value {
    let sessions = sessions.as_array().expect("sessions");
    let current: Vec<&Value> = sessions.iter().filter(|it| it["current"] == true).collect();
    assert_eq!(current.len(), 1, "{sessions:?}");
    current[0]
}

#[tokio::test]
async fn an_admin_sees_the_own_sessions_and_which_one_calls() {
    let server = TestServer::start().await;
    let first = server.admin().await;
    server.test.clock.advance(Duration::from_secs(60));
    let second = elsewhere(&server, "Firefox/140").await;
    let listed = second.get(SESSIONS).await;
    let text = String::from_utf8_lossy(&listed.body);
    assert!(!text.contains(&second.token().expect("a token")), "{text}");
    let listed = listed.expect(200);
    assert_eq!(listed.as_array().map(Vec::len), Some(2));
    let latest = &listed[0];
    assert_eq!(latest, current(&listed));
    assert_eq!(latest["userAgent"], "Firefox/140");
    assert_eq!(latest["address"], "127.0.0.1");
    assert_eq!(latest["lastUsedAt"], json!(server.test.shop.now()));
    let of_first = first.get(SESSIONS).await.expect(200);
    assert_eq!(current(&of_first)["id"], listed[1]["id"]);
    // The library was not told of a browser.
    assert_eq!(listed[1]["userAgent"], Value::Null);
}

#[tokio::test]
async fn a_program_names_itself_as_long_as_it_likes_and_little_of_it_is_kept() {
    let server = TestServer::start().await;
    server.admin().await;
    let client = elsewhere(&server, &"x".repeat(5000)).await;
    let listed = client.get(SESSIONS).await.expect(200);
    assert_eq!(current(&listed)["userAgent"], "x".repeat(300));
}

#[tokio::test]
async fn a_session_that_is_ended_is_refused_from_the_next_request_on() {
    let server = TestServer::start().await;
    let here = server.admin().await;
    let there = elsewhere(&server, "lost").await;
    let id = current(&there.get(SESSIONS).await.expect(200))["id"].clone();
    let path = format!("{SESSIONS}/{}", id.as_str().expect("an id"));
    here.delete(&path).await.expect(200);
    assert_eq!(there.get("/api/auth/me").await.refused(401).1, "unauthenticated");
    here.get("/api/auth/me").await.expect(200);
    assert_eq!(here.delete(&path).await.refused(404).1, "session_not_found");
    let log = here.get("/api/admin/audit?action=session.end").await.expect(200);
    assert_eq!(log["data"][0]["resourceId"], id);
}

#[tokio::test]
async fn nobody_ends_the_session_of_another_account() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let register = crate::core::fixture::input(json!({
        "name": "Eva", "email": "eva@example.com", "password": PASSWORD
    }));
    server.test.shop.accounts().create_admin(register).await.expect("an admin");
    let eva = server.anonymous().with_token(server.test.log_in("eva").await);
    let listed = eva.get(SESSIONS).await.expect(200);
    assert_eq!(listed.as_array().map(Vec::len), Some(1));
    let path = format!("{SESSIONS}/{}", listed[0]["id"].as_str().expect("an id"));
    assert_eq!(admin.delete(&path).await.refused(404).1, "session_not_found");
    assert_eq!(admin.delete(SESSIONS).await.expect(200), json!({ "ended": 0 }));
    eva.get("/api/auth/me").await.expect(200);
}

#[tokio::test]
async fn all_other_sessions_end_at_once() {
    let server = TestServer::start().await;
    let here = server.admin().await;
    let others = [elsewhere(&server, "a").await, elsewhere(&server, "b").await];
    assert_eq!(here.delete(SESSIONS).await.expect(200), json!({ "ended": 2 }));
    for other in &others {
        other.get("/api/auth/me").await.refused(401);
    }
    assert_eq!(here.get(SESSIONS).await.expect(200).as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn an_admin_who_logs_out_leaves_no_token_that_holds() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let token = admin.token().expect("a token");
    let bearer = format!("Bearer {token}");
    let program = [("authorization", bearer.as_str())];
    let me = async || server.anonymous().send(Method::GET, "/api/auth/me", &program, "").await;
    me().await.expect(200);
    admin.post("/api/auth/logout", &Value::Null).await.expect(200);
    assert_eq!(me().await.refused(401).1, "unauthenticated");

    // A program logs out with the token that it sends.
    let token = elsewhere(&server, "program").await.token().expect("a token");
    let bearer = format!("Bearer {token}");
    let program = [("authorization", bearer.as_str())];
    let client = server.anonymous();
    client.send(Method::POST, "/api/auth/logout", &program, "").await.expect(200);
    client.send(Method::GET, "/api/auth/me", &program, "").await.refused(401);
}

#[tokio::test]
async fn log_ins_within_one_second_are_sessions_of_their_own() {
    let server = TestServer::start().await;
    let first = server.admin().await;
    let mut tokens = HashSet::from([first.token().expect("a token")]);
    for n in 0..5 {
        let client = elsewhere(&server, "again").await;
        assert!(tokens.insert(client.token().expect("a token")), "log-in {n} has another's token");
        client.post("/api/auth/logout", &Value::Null).await.expect(200);
    }
    assert_eq!(first.get(SESSIONS).await.expect(200).as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn another_password_of_an_admin_leaves_one_session() {
    let server = TestServer::start().await;
    let (here, there) = (server.admin().await, elsewhere(&server, "there").await);
    let change = json!({ "currentPassword": PASSWORD, "newPassword": "another-one" });
    here.patch("/api/admin/settings/change-password", &change).await.expect(200);
    there.get("/api/auth/me").await.refused(401);
    let listed = here.get(SESSIONS).await.expect(200);
    assert_eq!(listed.as_array().map(Vec::len), Some(1));
    assert_eq!(current(&listed)["address"], "127.0.0.1");
}
