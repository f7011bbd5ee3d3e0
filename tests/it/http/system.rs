//! What those who run the server look at.

use serde_json::json;
use shop_core::config::{Environment, Secret};
use shop_server::ServeOptions;

use super::TestServer;
use crate::core::fixture::JWT_SECRET;

#[tokio::test]
async fn the_server_says_that_it_is_up_and_the_database_answers() {
    let server = TestServer::start().await;
    let client = server.anonymous();
    assert_eq!(client.get("/healthz").await.expect(200)["status"], "ok");
    assert_eq!(client.get("/readyz").await.expect(200)["status"], "ok");
}

#[tokio::test]
async fn a_database_that_takes_no_writes_is_not_ready() {
    let server = TestServer::start().await;
    let client = server.anonymous();
    let report = client.get("/readyz?verbose").await.expect(200);
    assert_eq!(report["status"], "ok");
    assert_eq!(report["checks"][0], json!({ "name": "database", "status": "ok" }));
    assert_eq!(report["checks"][1], json!({ "name": "writes", "status": "ok" }));
    if !server.test.data.is_a_file() {
        return;
    }
    // Another process that does not let go of the file.
    let file = rusqlite::Connection::open(server.test.database()).expect("opens");
    file.execute_batch("BEGIN IMMEDIATE").expect("locked");
    while client.get("/readyz").await.status == 200 {}
    let answer = client.get("/readyz?verbose=1").await;
    let report = answer.expect(503);
    assert_eq!(
        (&report["status"], &report["checks"][0]["status"]),
        (&json!("failing"), &json!("ok"))
    );
    assert_eq!(report["checks"][1]["status"], "failing");
    assert!(report["checks"][1]["message"].as_str().is_some_and(|it| it.contains("no writes")));
    client.get("/healthz").await.expect(200);
    file.execute_batch("ROLLBACK").expect("let go");
    while client.get("/readyz").await.status != 200 {}
}

#[tokio::test]
async fn what_a_real_shop_only_plays_is_shown_to_its_operator() {
    let production = |config: &mut shop_core::Config| {
        config.environment = Environment::Production;
        config.jwt_secret = Some(Secret::new(JWT_SECRET));
    };
    let server = TestServer::start_with(production, ServeOptions::default()).await;
    let report = server.anonymous().get("/readyz?verbose").await.expect(200);
    let checks = report["checks"].as_array().expect("checks");
    for key in ["payments.provider1.access_token", "mail.smtp_url"] {
        let check = checks.iter().find(|check| check["name"] == key);
        assert_eq!(check.map(|check| &check["status"]), Some(&json!("warning")), "{checks:?}");
    }
}

#[tokio::test]
async fn requests_are_counted_by_row_and_status() {
    let server = TestServer::start().await;
    let client = server.anonymous();
    for slug in ["a", "b"] {
        client.get(&format!("/api/products/{slug}")).await.refused(404);
    }
    client.get("/api/categories").await.expect(200);
    client.get("/elsewhere").await.refused(404);
    let answer = client.get("/metrics").await;
    assert!(answer.header("content-type").is_some_and(|kind| kind.contains("openmetrics")));
    let text = String::from_utf8(answer.body.to_vec()).expect("text");
    for line in [
        r#"shop_http_requests_total{method="GET",route="/api/products/{slug}",status="404"} 2"#,
        r#"shop_http_requests_total{method="GET",route="/api/categories",status="200"} 1"#,
        r#"shop_http_requests_total{method="",route="",status="404"} 1"#,
        r#"shop_http_request_seconds_count{method="GET",route="/api/products/{slug}"} 2"#,
        "shop_http_connections ",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[tokio::test]
async fn the_document_lists_what_the_server_does() {
    let server = TestServer::start().await;
    let document = server.anonymous().get("/api/openapi.json").await.expect(200);
    assert_eq!(document["openapi"], "3.1.0");
    let login = &document["paths"]["/api/auth/login"]["post"];
    assert_eq!(login["operationId"], "login");
    for status in ["200", "400", "413", "429"] {
        assert!(login["responses"][status].is_object(), "{status}");
    }
    let schema = &login["requestBody"]["content"]["application/json"]["schema"]["$ref"];
    let pointer = schema.as_str().and_then(|to| to.strip_prefix('#')).expect("a reference");
    assert_eq!(document.pointer(pointer).expect("its target")["required"][0], "email");
}
