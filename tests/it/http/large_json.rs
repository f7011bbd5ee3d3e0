//! JSON that is nested deeply, or that is wrong in very many places.

use hyper::Method;
use serde_json::json;
use shop_core::api_key::Scope;

use super::TestServer;
use super::other_notations::send;

#[tokio::test]
async fn json_of_more_than_64_levels_is_refused_everywhere() {
    let server = TestServer::start().await;
    let (admin, customer) =
        (server.admin().await.writing_otherwise(), server.customer("ana").await);
    let program = server.program(&[Scope::StockWrite]).await;
    let nested = |levels: usize| {
        let inner = levels - 1;
        format!("{}{}", r#"{"a":"#.repeat(inner) + "{", "}".repeat(levels))
    };
    let page = |levels: usize| format!(r#"{{"data":{}}}"#, nested(levels - 1));
    let home = "/api/admin/settings/pagebuilder";
    send(&admin, Method::PATCH, home, &page(64)).await.expect(200);
    for levels in [65, 10_000] {
        let stock = format!(r#"{{"type":"sync","items":[],"x":{}}}"#, nested(levels - 1));
        let profile = format!(r#"{{"name":"Ana","x":{}}}"#, nested(levels - 1));
        for (client, method, path, body) in [
            (&admin, Method::PATCH, home, page(levels)),
            (&program, Method::POST, "/api/webhooks/stock", stock),
            (&customer, Method::PUT, "/api/auth/me", profile),
        ] {
            let answer = send(client, method, path, &body).await;
            assert_eq!(answer.refused(400).1, "malformed_json", "{path} {levels}");
        }
    }
}

#[tokio::test]
async fn four_megabytes_of_mistakes_are_a_short_answer() {
    let server = TestServer::start().await;
    let program = server.program(&[Scope::StockWrite]).await;
    let path = "/api/webhooks/stock";
    let wrong = r#"{"sku":1,"stock":"x"}"#;
    let many = vec![wrong; 20_000].join(",");
    let answer =
        send(&program, Method::POST, path, &format!(r#"{{"type":"sync","items":[{many}]}}"#)).await;
    answer.refused(422);
    assert!(answer.body.len() < 64 * 1024, "{}", answer.body.len());
    let details = &answer.json()["details"];
    let named: usize = details["fieldErrors"]
        .as_object()
        .expect("fields")
        .values()
        .map(|messages| messages.as_array().expect("messages").len())
        .sum();
    assert_eq!(named, 100);
    assert_eq!(details["formErrors"], json!(["Há mais 39900 erros"]));
    let most = vec!["1"; 2_000_000].join(",");
    let answer =
        send(&program, Method::POST, path, &format!(r#"{{"type":"sync","items":[{most}]}}"#)).await;
    answer.refused(422);
    assert!(answer.body.len() < 64 * 1024, "{}", answer.body.len());
}
