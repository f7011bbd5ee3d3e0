//! Two-factor log-ins of staff over HTTP.

use std::time::Duration;

use hyper::Method;
use serde_json::{Value, json};
use shop_server::ServeOptions;

use super::client::{Answer, Client};
use super::{PASSWORD, TestServer};
use crate::core::payment::read_qr;
use crate::fakes::authenticator::Authenticator;

const TWO_FACTOR: &str = "/api/admin/settings/two-factor";
const RECOVERY_CODES: &str = "/api/admin/settings/two-factor/recovery-codes";
const CONFIRM: &str = "/api/admin/settings/two-factor/confirm";

impl TestServer {
    async fn try_log_in(&self, client: &Client, password: &str, code: Option<&str>) -> Answer {
        let mut body = json!({ "email": "equipe@example.com", "password": password });
        if let Some(code) = code {
            body["code"] = code.into();
        }
        client.post("/api/auth/login", &body).await
    }

    /// A log-in by an address that makes no others, so that no limit of addresses is met.
    async fn log_in_from(&self, address: &str, password: &str, code: Option<&str>) -> Answer {
        let headers = [("content-type", "application/json"), ("x-forwarded-for", address)];
        let body = json!({ "email": "equipe@example.com", "password": password, "code": code });
        let client = self.anonymous().writing_otherwise();
        client.send(Method::POST, "/api/auth/login", &headers, body.to_string()).await
    }

    /// The next step of authenticators.
    fn next_code(&self) {
        self.test.clock.advance(Duration::from_secs(30));
    }
}

async fn begin(admin: &Client) -> Authenticator {
    let begun = admin.post(TWO_FACTOR, &json!({ "currentPassword": PASSWORD })).await.expect(201);
    let url = begun["otpauthUrl"].as_str().expect("an address");
    assert!(url.starts_with("otpauth://totp/Loja%20de%20Velas:equipe%40example%2Ecom?"), "{url}");
    let typed = Authenticator::typed(begun["secret"].as_str().expect("a secret"));
    let scanned = Authenticator::scanned(url);
    assert_eq!(read_qr(begun["qrCode"].as_str().expect("a picture")), url);
    let now = shop_core::clock::Timestamp::from_millis(1_795_273_200_000);
    assert_eq!(typed.code(now), scanned.code(now));
    typed
}

/// Enrols, and gives the recovery codes.
async fn enrol(server: &TestServer, admin: &Client) -> (Authenticator, Vec<String>) {
    let authenticator = begin(admin).await;
    let code = json!({ "code": authenticator.code(server.test.shop.now()) });
    let confirmed = admin.post(CONFIRM, &code).await.expect(200);
    let codes: Vec<String> =
        serde_json::from_value(confirmed["recoveryCodes"].clone()).expect("codes");
    assert_eq!(codes.len(), 10);
    server.next_code();
    (authenticator, codes)
}

#[tokio::test]
async fn log_ins_ask_for_a_code_once_one_has_confirmed_the_authenticator() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let status = async || admin.get(TWO_FACTOR).await.expect(200);
    let off = json!({ "enabled": false, "recoveryCodesLeft": 0 });
    assert_eq!(status().await, off);
    begin(&admin).await;
    assert_eq!(status().await, off, "nothing changes before a code confirms it");
    server.try_log_in(&server.anonymous(), PASSWORD, None).await.expect(200);
    let (authenticator, _) = enrol(&server, &admin).await;
    assert_eq!(status().await, json!({ "enabled": true, "recoveryCodesLeft": 10 }));

    let client = server.anonymous();
    let refused = server.try_log_in(&client, PASSWORD, None).await.refused(401);
    assert_eq!(refused.1, "two_factor_required");
    let empty_field = server.try_log_in(&client, PASSWORD, Some(" ")).await.refused(401);
    assert_eq!(empty_field.1, "two_factor_required");
    let now = server.test.shop.now();
    let wrong = server.try_log_in(&client, PASSWORD, Some(&authenticator.wrong_code(now))).await;
    assert_eq!(wrong.refused(401).1, "invalid_two_factor_code");
    assert_eq!(client.token(), None);
    let code = authenticator.code(now);
    server.try_log_in(&client, PASSWORD, Some(&code)).await.expect(200);
    client.get("/api/admin/dashboard/stats").await.expect(200);
    let again = server.try_log_in(&server.anonymous(), PASSWORD, Some(&code)).await;
    assert_eq!(again.refused(401).1, "invalid_two_factor_code", "a code counts once");
}

#[tokio::test]
async fn each_recovery_code_replaces_the_authenticator_once() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let (_, codes) = enrol(&server, &admin).await;
    let typed = codes[3].to_uppercase().replace('-', " ");
    server.try_log_in(&server.anonymous(), PASSWORD, Some(&typed)).await.expect(200);
    let again = server.try_log_in(&server.anonymous(), PASSWORD, Some(&codes[3])).await;
    assert_eq!(again.refused(401).1, "invalid_two_factor_code");
    let left = admin.get(TWO_FACTOR).await.expect(200);
    assert_eq!(left["recoveryCodesLeft"], 9);
    let log = admin.get("/api/admin/audit?limit=1").await;
    assert_eq!(log.expect(200)["data"][0]["action"], "two_factor.use_recovery_code");
    assert!(codes.iter().all(|code| !String::from_utf8_lossy(&log.body).contains(&**code)));
}

#[tokio::test]
async fn new_recovery_codes_need_the_password_and_a_code_and_end_those_of_before() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let renew = async |password: &str, code: &str| {
        let body = json!({ "currentPassword": password, "code": code });
        admin.post(RECOVERY_CODES, &body).await
    };
    assert_eq!(renew(PASSWORD, "123456").await.refused(409).1, "two_factor_not_enabled");
    let (authenticator, old) = enrol(&server, &admin).await;
    let now = server.test.shop.now();
    let wrong = authenticator.wrong_code(now);
    assert_eq!(renew(PASSWORD, &wrong).await.refused(401).1, "invalid_two_factor_code");
    let code = authenticator.code(now);
    assert_eq!(renew("not this one", &code).await.refused(401).1, "wrong_password");
    server.try_log_in(&server.anonymous(), PASSWORD, Some(&old[0])).await.expect(200);

    let renewed = renew(PASSWORD, &code).await.expect(200);
    let new: Vec<String> = serde_json::from_value(renewed["recoveryCodes"].clone()).expect("codes");
    assert_eq!(new.len(), 10);
    let status = json!({ "enabled": true, "recoveryCodesLeft": 10 });
    assert_eq!(admin.get(TWO_FACTOR).await.expect(200), status, "the session stays");
    let refused = server.try_log_in(&server.anonymous(), PASSWORD, Some(&old[1])).await;
    assert_eq!(refused.refused(401).1, "invalid_two_factor_code");
    server.try_log_in(&server.anonymous(), PASSWORD, Some(&new[1])).await.expect(200);
    server.next_code();
    let code = authenticator.code(server.test.shop.now());
    server.try_log_in(&server.anonymous(), PASSWORD, Some(&code)).await.expect(200);
    // A recovery code is proof enough, where the authenticator is lost.
    renew(PASSWORD, &new[2]).await.expect(200);
}

#[tokio::test]
async fn a_wrong_password_never_learns_of_a_second_factor() {
    let proxies = vec!["127.0.0.0/8".parse().expect("a network")];
    let options = ServeOptions { trusted_proxies: proxies, ..ServeOptions::default() };
    let server = TestServer::start_with(|_| {}, options).await;
    let admin = server.admin().await;
    let (authenticator, codes) = enrol(&server, &admin).await;
    let right = authenticator.code(server.test.shop.now());
    let plain = |answer: &Answer| {
        let (text, code) = answer.refused(401);
        assert_eq!((&*text, &*code), ("Email ou senha inválidos", "invalid_credentials"));
    };
    for (n, code) in [None, Some("000000"), Some(&*right), Some(&*codes[0])].iter().enumerate() {
        let address = format!("198.51.100.{n}");
        plain(&server.log_in_from(&address, "not this one", *code).await);
    }
    // Once codes are refused, too, and neither code was used up.
    for n in 0..10 {
        let wrong = authenticator.wrong_code(server.test.shop.now());
        let answer = server.log_in_from(&format!("203.0.113.{n}"), PASSWORD, Some(&wrong)).await;
        assert_eq!(answer.refused(401).1, "invalid_two_factor_code", "try {n}");
    }
    let locked = server.log_in_from("203.0.113.99", PASSWORD, Some(&right)).await;
    assert_eq!(locked.refused(429).1, "rate_limited", "counted by account, not by address");
    assert_eq!(locked.header("retry-after"), Some("900"));
    plain(&server.log_in_from("203.0.113.98", "not this one", Some(&right)).await);
    server.test.clock.advance(Duration::from_secs(15 * 60));
    server.log_in_from("203.0.113.97", PASSWORD, Some(&codes[0])).await.expect(200);
}

#[tokio::test]
async fn enabling_ends_the_sessions_that_came_without_a_code() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let other = server.anonymous().with_token(server.test.log_in("equipe").await);
    enrol(&server, &admin).await;
    other.get("/api/auth/me").await.refused(401);
    admin.get("/api/auth/me").await.expect(200);
}

#[tokio::test]
async fn an_enrolment_needs_the_password_and_is_begun_before_it_is_confirmed() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let nothing = admin.post(CONFIRM, &json!({ "code": "123456" })).await;
    assert_eq!(nothing.refused(409).1, "two_factor_not_begun");
    let wrong = json!({ "currentPassword": "not this one" });
    assert_eq!(admin.post(TWO_FACTOR, &wrong).await.refused(401).1, "wrong_password");
    let first = begin(&admin).await;
    let second = begin(&admin).await;
    let now = server.test.shop.now();
    let of_first = admin.post(CONFIRM, &json!({ "code": first.code(now) })).await;
    assert_eq!(of_first.refused(401).1, "invalid_two_factor_code", "the second one counts");
    admin.post(CONFIRM, &json!({ "code": second.code(now) })).await.expect(200);
    let again = admin.post(CONFIRM, &json!({ "code": second.code(now) })).await;
    assert_eq!(again.refused(409).1, "two_factor_enabled");
    let again = admin.post(TWO_FACTOR, &json!({ "currentPassword": PASSWORD })).await;
    assert_eq!(again.refused(409).1, "two_factor_enabled");
}

#[tokio::test]
async fn disabling_needs_the_password_and_a_code() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let disable = async |password: &str, code: &str| {
        let body = json!({ "currentPassword": password, "code": code });
        let headers = [("content-type", "application/json")];
        admin.send(Method::DELETE, TWO_FACTOR, &headers, body.to_string()).await
    };
    assert_eq!(disable(PASSWORD, "123456").await.refused(409).1, "two_factor_not_enabled");
    let (authenticator, codes) = enrol(&server, &admin).await;
    let now = server.test.shop.now();
    let wrong = authenticator.wrong_code(now);
    assert_eq!(disable(PASSWORD, &wrong).await.refused(401).1, "invalid_two_factor_code");
    let code = authenticator.code(now);
    assert_eq!(disable("not this one", &code).await.refused(401).1, "wrong_password");
    disable(PASSWORD, &code).await.expect(200);
    let off = json!({ "enabled": false, "recoveryCodesLeft": 0 });
    assert_eq!(admin.get(TWO_FACTOR).await.expect(200), off);
    server.try_log_in(&server.anonymous(), PASSWORD, None).await.expect(200);
    // Enrolled anew, the codes of before are none.
    enrol(&server, &admin).await;
    let old = server.try_log_in(&server.anonymous(), PASSWORD, Some(&codes[0])).await;
    assert_eq!(old.refused(401).1, "invalid_two_factor_code");
}

#[tokio::test]
async fn where_the_shop_demands_it_an_admin_without_it_reaches_the_own_account_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("admin")).expect("made");
    std::fs::write(folder.path().join("admin/index.html"), "back office").expect("written");
    let pages_dir = Some(folder.path().to_owned());
    let options = ServeOptions { pages_dir, ..ServeOptions::default() };
    let demand = |config: &mut shop_core::Config| config.staff.require_two_factor = true;
    let server = TestServer::start_with(demand, options).await;
    let (customer, admin) = (server.customer("ana").await, server.admin().await);
    for path in ["/api/orders", "/api/admin/orders", "/api/admin/nothing", "/api/user/addresses"] {
        let (_, code) = admin.get(path).await.refused(403);
        assert_eq!(code, "two_factor_required_by_shop", "{path}");
    }
    customer.get("/api/user/addresses").await.expect(200);
    let pages = admin.get("/admin").await;
    assert_eq!(pages.status, 200, "pages are not blocked");
    for path in ["/api/auth/me", "/api/admin/sessions", TWO_FACTOR] {
        admin.get(path).await.expect(200);
    }
    assert_eq!(customer.get(TWO_FACTOR).await.refused(403).1, "forbidden");
    let profile = json!({ "phone": "11 98765-4321" });
    admin.put("/api/auth/me", &profile).await.expect(200);
    enrol(&server, &admin).await;
    admin.get("/api/admin/orders").await.expect(200);
    admin.post("/api/auth/logout", &Value::Null).await.expect(200);
}
