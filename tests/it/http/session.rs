//! Accounts and sessions over HTTP.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hyper::Method;
use serde_json::{Value, json};
use shop_core::config::{Environment, Secret};
use shop_server::ServeOptions;
use tokio::task::JoinSet;

use super::{PASSWORD, TestServer};
use crate::core::fixture::JWT_SECRET;

#[tokio::test]
async fn who_registers_is_logged_in() {
    let server = TestServer::start().await;
    let client = server.anonymous();
    let body = json!({ "name": "Ana Souza", "email": "Ana@Example.com", "password": PASSWORD });
    let answer = client.post("/api/auth/register", &body).await;
    let registered = answer.expect(201);
    let id = registered["user"]["id"].clone();
    let user =
        json!({ "id": id, "name": "Ana Souza", "email": "Ana@Example.com", "role": "CUSTOMER" });
    assert_eq!(registered, json!({ "user": user }));
    let cookie = answer.header("set-cookie").expect("a cookie");
    let (_, attributes) = cookie.split_once("; ").expect("attributes");
    assert_eq!(attributes, "HttpOnly; SameSite=Lax; Path=/; Max-Age=604800");
    let me = client.get("/api/auth/me").await.expect(200);
    let created_at = me["createdAt"].clone();
    assert_eq!(
        me,
        json!({
            "id": id, "name": "Ana Souza", "email": "Ana@Example.com", "phone": null, "cpf": null,
            "cnpj": null, "companyName": null, "stateRegistration": null, "buysToResell": false,
            "role": "CUSTOMER", "guest": false, "createdAt": created_at
        })
    );
    let again = server.anonymous().post("/api/auth/register", &body).await;
    assert_eq!(again.refused(409).1, "email_taken");
}

#[tokio::test]
async fn in_production_the_cookie_is_secure() {
    let production = |config: &mut shop_core::Config| {
        config.environment = Environment::Production;
        config.jwt_secret = Some(Secret::new(JWT_SECRET));
    };
    let server = TestServer::start_with(production, ServeOptions::default()).await;
    server.test.buyer("ana").await;
    let body = json!({ "email": "ana@example.com", "password": PASSWORD });
    let answer = server.anonymous().post("/api/auth/login", &body).await;
    let cookie = answer.header("set-cookie").expect("a cookie");
    assert!(cookie.ends_with("; HttpOnly; Secure; SameSite=Lax; Path=/; Max-Age=604800"));
}

#[tokio::test]
async fn a_log_in_gives_the_token_in_the_cookie_and_in_the_body() {
    let server = TestServer::start().await;
    server.test.buyer("ana").await;
    let client = server.anonymous();
    let body = json!({ "email": " ANA@example.com ", "password": PASSWORD });
    let logged_in = client.post("/api/auth/login", &body).await.expect(200);
    assert_eq!(logged_in["token"].as_str().map(str::to_owned), client.token());
    let user = logged_in["user"].as_object().expect("a user");
    let fields: Vec<&str> = user.keys().map(String::as_str).collect();
    assert_eq!(fields, ["email", "id", "name", "phone", "role"]);
    let bearer = format!("Bearer {}", client.token().expect("a token"));
    let headers = [("authorization", &*bearer)];
    let me = server.anonymous().send(Method::GET, "/api/auth/me", &headers, "").await;
    assert_eq!(me.expect(200)["id"], user["id"]);
}

#[tokio::test]
async fn a_wrong_password_and_an_unknown_e_mail_cannot_be_told_apart() {
    let server = TestServer::start().await;
    server.test.buyer("ana").await;
    let client = server.anonymous();
    for (email, password) in
        [("ana@example.com", "wrong-password"), ("bia@example.com", PASSWORD), ("no mail", "x")]
    {
        let body = json!({ "email": email, "password": password });
        let (text, code) = client.post("/api/auth/login", &body).await.refused(401);
        assert_eq!((&*text, &*code), ("Email ou senha inválidos", "invalid_credentials"));
    }
    assert_eq!(client.token(), None);
}

#[tokio::test]
async fn a_suspended_account_neither_logs_in_nor_stays_logged_in() {
    let server = TestServer::start().await;
    let customer = server.customer("ana").await;
    server.test.raw_sql("UPDATE account SET active = 0");
    assert_eq!(customer.get("/api/auth/me").await.refused(401).1, "unauthenticated");
    let body = json!({ "email": "ana@example.com", "password": PASSWORD });
    let (_, code) = server.anonymous().post("/api/auth/login", &body).await.refused(403);
    assert_eq!(code, "account_suspended");
}

#[tokio::test]
async fn who_logs_out_loses_the_cookie_even_a_bad_one() {
    let server = TestServer::start().await;
    for client in [server.customer("ana").await, server.anonymous().with_token("bad".to_owned())] {
        let answer = client.post("/api/auth/logout", &Value::Null).await;
        assert!(answer.expect(200)["message"].is_string());
        let cookie = answer.header("set-cookie");
        assert_eq!(cookie, Some("token=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0"));
        client.get("/api/auth/me").await.refused(401);
    }
}

#[tokio::test]
async fn of_several_cookies_any_valid_one_counts() {
    let server = TestServer::start().await;
    let token = server.customer("ana").await.token().expect("a token");
    let status = async |cookies: &str| {
        let cookies = [("cookie", cookies)];
        let answer = server.anonymous().send(Method::GET, "/api/auth/me", &cookies, "").await;
        answer.status.as_u16()
    };
    assert_eq!(status(&format!("token=old; token={token}")).await, 200);
    assert_eq!(status(&format!("token={token}; token=old")).await, 200);
    assert_eq!(status("token=old; token=older").await, 401);
    let many = "token=old; ".repeat(1000);
    assert_eq!(status(&format!("{many}token={token}")).await, 401);
}

#[tokio::test]
async fn a_token_is_never_from_the_future() {
    let server = TestServer::start().await;
    let here = server.customer("ana").await;
    let there = server.anonymous().with_token(here.token().expect("a token"));
    let mut password = PASSWORD.to_owned();
    // Within one second of the clock.
    for new in ["another-one", "and-another", "the-last-one"] {
        let body = json!({ "currentPassword": password, "newPassword": new });
        here.patch("/api/auth/me/password", &body).await.expect(200);
        here.get("/api/auth/me").await.expect(200);
        there.get("/api/auth/me").await.refused(401);
        let token = here.token().expect("a token");
        let claims = URL_SAFE_NO_PAD.decode(token.split('.').nth(1).expect("claims"));
        let claims: Value = serde_json::from_slice(&claims.expect("base64url")).expect("JSON");
        let now = server.test.shop.now().seconds();
        assert!(claims["iat"].as_i64().expect("seconds") <= now, "{claims} at {now}");
        new.clone_into(&mut password);
    }
}

#[tokio::test]
async fn a_session_ends_after_seven_days() {
    let server = TestServer::start().await;
    let customer = server.customer("ana").await;
    server.test.advance_hours(7 * 24 - 1);
    customer.get("/api/auth/me").await.expect(200);
    server.test.advance_hours(1);
    customer.get("/api/auth/me").await.refused(401);
}

#[tokio::test]
async fn another_password_ends_all_sessions_but_the_one_that_set_it() {
    let server = TestServer::start().await;
    let (here, there) = (server.customer("ana").await, server.anonymous());
    let there = there.with_token(here.token().expect("a token"));
    let change =
        |current: &str, new: &str| json!({ "currentPassword": current, "newPassword": new });
    let path = "/api/auth/me/password";
    let wrong = here.patch(path, &change("not this one", "another-one")).await;
    assert_eq!(wrong.refused(401).1, "wrong_password");
    let short = here.patch(path, &change(PASSWORD, "short")).await.wrong_fields();
    assert_eq!(short, json!({ "newPassword": ["Deve ter no mínimo 8 caracteres"] }));
    server.test.clock.advance(Duration::from_secs(60));
    here.patch(path, &change(PASSWORD, "another-one")).await.expect(200);
    there.get("/api/auth/me").await.refused(401);
    here.get("/api/auth/me").await.expect(200);
}

#[tokio::test]
async fn a_profile_is_changed_where_it_is_named() {
    let server = TestServer::start().await;
    let customer = server.customer("ana").await;
    server.test.buyer("bia").await;
    let path = "/api/auth/me";
    let patch = json!({ "phone": "11 98765-4321", "cpf": "529.982.247-25" });
    let changed = customer.put(path, &patch).await.expect(200);
    assert_eq!(changed["cpf"], "52998224725");
    assert_eq!(changed["name"], "ana");
    assert_eq!(customer.get(path).await.expect(200), changed);
    let cleared = customer.put(path, &json!({ "phone": null })).await.expect(200);
    assert_eq!((&cleared["phone"], &cleared["cpf"]), (&Value::Null, &changed["cpf"]));
    let company = json!({ "cnpj": "12.abc.345/01DE-35", "stateRegistration": "110.042.490.114" });
    let company = customer.put(path, &company).await.expect(200);
    let said = (&company["cnpj"], &company["stateRegistration"], &company["buysToResell"]);
    assert_eq!(said, (&json!("12ABC34501DE35"), &json!("110042490114"), &json!(false)));
    let wrong = json!({ "cnpj": "12345678000100", "stateRegistration": "ISENTO" });
    let wrong = customer.put(path, &wrong).await.wrong_fields();
    assert_eq!(wrong["cnpj"], json!(["CNPJ inválido"]));
    assert!(wrong["stateRegistration"].is_array(), "{wrong}");
    let taken = json!({ "email": "BIA@example.com", "currentPassword": PASSWORD });
    assert_eq!(customer.put(path, &taken).await.refused(409).1, "email_taken");
    let wrong = customer.put(path, &json!({ "cpf": "52998224724" })).await.wrong_fields();
    assert_eq!(wrong, json!({ "cpf": ["CPF inválido"] }));
}

#[tokio::test]
async fn another_e_mail_asks_for_the_password() {
    let server = TestServer::start().await;
    let customer = server.customer("ana").await;
    let path = "/api/auth/me";
    let change =
        |password: Value| json!({ "email": "nova@example.com", "currentPassword": password });
    for missing in [json!({ "email": "nova@example.com" }), change(Value::Null)] {
        let wrong = customer.put(path, &missing).await.wrong_fields();
        assert_eq!(wrong, json!({ "currentPassword": ["Campo obrigatório"] }));
    }
    let wrong = customer.put(path, &change(json!("not this one"))).await;
    assert_eq!(wrong.refused(401).1, "wrong_password");
    // The address it has, in whatever case, is no change.
    customer.put(path, &json!({ "email": "ANA@example.com" })).await.expect(200);
    let changed = customer.put(path, &change(json!(PASSWORD))).await.expect(200);
    assert_eq!(changed["email"], "nova@example.com");
    assert_eq!(customer.get(path).await.expect(200), changed);
}

#[tokio::test]
async fn identity_headers_from_outside_are_ignored() {
    let server = TestServer::start().await;
    let customer = server.customer("ana").await;
    let id = server.test.shop.sessions().verify(&customer.token().expect("a token")).await;
    let id = id.expect("a session").id.to_string();
    let claims = [("x-user-id", &*id), ("x-user-role", "ADMIN"), ("x-user-email", "a@b.co")];
    server.anonymous().send(Method::GET, "/api/auth/me", &claims, "").await.refused(401);
    customer.send(Method::GET, "/api/admin/x", &claims, "").await.refused(403);
}

#[tokio::test]
async fn a_session_is_no_way_to_find_the_password_out() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let path = "/api/admin/settings/change-password";
    let wrong =
        |n: usize| json!({ "currentPassword": n.to_string(), "newPassword": "another-one" });
    for (client, path) in [(server.customer("ana").await, "/api/auth/me/password"), (admin, path)] {
        for n in 0..10 {
            let (_, code) = client.patch(path, &wrong(n)).await.refused(401);
            assert_eq!(code, "wrong_password");
        }
        // All that ask for the password count together, and a right one is not told apart.
        let right = json!({ "currentPassword": PASSWORD, "newPassword": "another-one" });
        let refused = client.patch(path, &right).await;
        let (text, code) = refused.refused(429);
        assert_eq!(code, "rate_limited");
        assert_eq!(text, "Muitas tentativas. Tente novamente em 15 minutos.");
        assert_eq!(refused.header("retry-after"), Some("900"));
        let other = json!({ "email": "nova@example.com", "currentPassword": PASSWORD });
        client.put("/api/auth/me", &other).await.refused(429);
        // What needs no password goes on.
        client.put("/api/auth/me", &json!({ "name": "Ana Lima" })).await.expect(200);
    }
    server.test.clock.advance(Duration::from_secs(15 * 60));
    let right = json!({ "currentPassword": PASSWORD, "newPassword": "another-one" });
    let login = json!({ "email": "ana@example.com", "password": PASSWORD });
    let client = server.anonymous();
    client.post("/api/auth/login", &login).await.expect(200);
    client.patch("/api/auth/me/password", &right).await.expect(200);
}

#[tokio::test]
async fn right_passwords_are_not_counted() {
    let server = TestServer::start().await;
    let ana = server.customer("ana").await;
    for _ in 0..15 {
        let same = json!({ "currentPassword": PASSWORD, "newPassword": PASSWORD });
        ana.patch("/api/auth/me/password", &same).await.expect(200);
    }
}

#[tokio::test]
async fn passwords_of_staff_follow_the_same_rules_as_those_of_customers() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let path = "/api/admin/settings/change-password";
    let to = |new: &str| json!({ "currentPassword": PASSWORD, "newPassword": new });
    let short = admin.patch(path, &to("1234567")).await.wrong_fields();
    assert_eq!(short, json!({ "newPassword": ["Deve ter no mínimo 8 caracteres"] }));
    let long = admin.patch(path, &to(&"x".repeat(129))).await.wrong_fields();
    assert_eq!(long, json!({ "newPassword": ["Deve ter no máximo 128 caracteres"] }));
    admin.patch(path, &to(&"x".repeat(128))).await.expect(200);
}

/// One session must not lock others out by making the shop hash many passwords.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_customer_with_many_connections_does_not_keep_others_from_logging_in() {
    let trusted_proxies = vec!["127.0.0.0/8".parse().expect("a network")];
    let options = ServeOptions { trusted_proxies, ..ServeOptions::default() };
    let server = TestServer::start_with(|_| {}, options).await;
    let ana = Arc::new(server.customer("ana").await);
    server.customer("bia").await;
    let mut storm = JoinSet::new();
    for n in 0..160 {
        let ana = Arc::clone(&ana);
        storm.spawn(async move {
            let wrong = json!({ "currentPassword": n.to_string(), "newPassword": "another-one" });
            let headers =
                [("content-type", "application/json"), ("x-forwarded-for", "198.51.100.1")];
            let path = "/api/auth/me/password";
            ana.send(Method::PATCH, path, &headers, wrong.to_string()).await.status.as_u16()
        });
    }
    let login = json!({ "email": "bia@example.com", "password": PASSWORD });
    let headers = [("content-type", "application/json"), ("x-forwarded-for", "198.51.100.2")];
    let client = server.anonymous();
    let log_in = client.send(Method::POST, "/api/auth/login", &headers, login.to_string()).await;
    log_in.expect(200);
    let statuses = storm.join_all().await;
    assert_eq!(statuses.iter().filter(|status| **status == 401).count(), 10);
    assert_eq!(statuses.iter().filter(|status| **status == 429).count(), 150);
}
