//! Rules that hold for every row of the endpoint table, as the server itself lists it.

use hyper::Method;
use serde_json::{Value, json};
use shop_core::api_key::Scope;

use super::TestServer;
use super::client::Client;

/// A row, as the OpenAPI document tells it.
struct Row {
    method: Method,
    path: String,
    /// Whether one must be logged in.
    closed: bool,
    /// Whether a session counts.
    by_session: bool,
    /// The only role that may call, if there is one.
    role: Option<String>,
    /// The scope that a key must have, where keys count.
    scope: Option<Scope>,
}

async fn rows(client: &Client) -> Vec<Row> {
    let document = client.get("/api/openapi.json").await.expect(200);
    let mut rows = Vec::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("methods") {
            let ways = operation["security"].as_array().map(Vec::as_slice).unwrap_or_default();
            rows.push(Row {
                method: method.to_uppercase().parse().expect("a method"),
                path: path.clone(),
                closed: !ways.is_empty() && ways.iter().all(|way| *way != json!({})),
                by_session: ways.iter().any(|way| way.get("token").is_some()),
                role: operation["x-role"].as_str().map(str::to_owned),
                scope: operation["x-scope"].as_str().map(|scope| scope.parse().expect("a scope")),
            });
        }
    }
    assert!(rows.len() > 25, "{} rows", rows.len());
    rows
}

/// The path with something in each of its braces.
fn filled(path: &str) -> String {
    let filled = path.split('/').map(|part| if part.starts_with('{') { "nothing" } else { part });
    filled.collect::<Vec<_>>().join("/")
}

impl Row {
    /// Calls the row with nothing but who calls, who is the same after it.
    async fn status(&self, server: &TestServer, token: Option<&str>) -> u16 {
        let client =
            token.map_or(server.anonymous(), |t| server.anonymous().with_token(t.to_owned()));
        self.status_of(&client).await
    }

    async fn status_of(&self, client: &Client) -> u16 {
        let path = filled(&self.path);
        let json = [("content-type", "application/json")];
        client.send(self.method.clone(), &path, &json, "").await.status.as_u16()
    }

    fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

#[tokio::test]
async fn no_row_for_the_logged_in_lets_a_stranger_in() {
    let server = TestServer::start().await;
    let anonymous = server.anonymous();
    for row in rows(&anonymous).await {
        let status = row.status(&server, None).await;
        if row.closed {
            assert_eq!(status, 401, "{}", row.name());
        } else {
            assert!(![403, 500].contains(&status), "{}: {status}", row.name());
        }
    }
}

#[tokio::test]
async fn a_forged_session_is_none() {
    let server = TestServer::start().await;
    let rows = rows(&server.anonymous()).await;
    for row in rows.into_iter().filter(|row| row.closed) {
        let status = row.status(&server, Some("eyJhbGciOiJub25lIn0.e30.")).await;
        assert_eq!(status, 401, "{}", row.name());
    }
}

#[tokio::test]
async fn each_role_is_refused_where_it_has_no_business() {
    let server = TestServer::start().await;
    let (customer, admin) = (server.customer("ana").await.token(), server.admin().await.token());
    let mut of_customers = 0;
    for row in rows(&server.anonymous()).await {
        let by_customer = row.status(&server, customer.as_deref()).await;
        let by_admin = row.status(&server, admin.as_deref()).await;
        for (role, status) in [("CUSTOMER", by_customer), ("ADMIN", by_admin)] {
            if row.closed && !row.by_session {
                assert_eq!(status, 401, "{} by {role}", row.name());
            } else if row.role.as_deref().is_none_or(|only| only == role) {
                let refused = [401, 403, 500].contains(&status) && row.closed;
                assert!(!refused, "{} by {role}: {status}", row.name());
            } else {
                assert_eq!(status, 403, "{} by {role}", row.name());
            }
        }
        of_customers += usize::from(row.role.as_deref() == Some("CUSTOMER"));
    }
    assert!(of_customers > 0);
}

#[tokio::test]
async fn a_suspended_admin_is_refused_by_every_row_that_is_not_for_everybody() {
    let server = TestServer::start().await;
    let token = server.admin().await.token();
    server.test.meddle("UPDATE account SET active = 0");
    let mut of_admins = 0;
    for row in rows(&server.anonymous()).await.into_iter().filter(|row| row.closed) {
        let status = row.status(&server, token.as_deref()).await;
        assert_eq!(status, 401, "{}", row.name());
        of_admins += usize::from(row.role.as_deref() == Some("ADMIN"));
    }
    assert!(of_admins > 20, "{of_admins}");
    let login = serde_json::json!({ "email": "equipe@example.com", "password": super::PASSWORD });
    let refused = server.anonymous().post("/api/auth/login", &login).await;
    assert_eq!(refused.refused(403).1, "account_suspended");
}

#[tokio::test]
async fn a_key_opens_the_rows_of_its_scope_and_no_other_closed_one() {
    let server = TestServer::start().await;
    let mut keys = Vec::new();
    for scope in Scope::ALL {
        let others: Vec<Scope> = Scope::ALL.into_iter().filter(|other| *other != scope).collect();
        keys.push((scope, server.program(&[scope]).await, server.program(&others).await));
    }
    let mut of_programs = 0;
    for row in rows(&server.anonymous()).await {
        for (scope, with, without) in &keys {
            let (name, wanted) = (row.name(), row.scope);
            let (with, without) = (row.status_of(with).await, row.status_of(without).await);
            match wanted {
                Some(wanted) if wanted == *scope => {
                    assert!(![401, 403, 500].contains(&with), "{name} with {scope}: {with}");
                    assert_eq!(without, 401, "{name} without {scope}");
                    of_programs += 1;
                }
                None if row.closed => assert_eq!((with, without), (401, 401), "{name}"),
                None => assert!(![403, 500].contains(&with), "{name} with {scope}: {with}"),
                Some(_) => assert_eq!(with, 401, "{name} with {scope}"),
            }
        }
    }
    assert!(of_programs > 0);
}

#[tokio::test]
async fn every_path_knows_its_methods() {
    let server = TestServer::start().await;
    let anonymous = server.anonymous();
    let admin = server.admin().await;
    for row in rows(&anonymous).await {
        let path = filled(&row.path);
        let refused = anonymous.send(Method::TRACE, &path, &[], "").await;
        // What the back office has is nobody else's business.
        let refused = if path.starts_with("/api/admin/") {
            assert_eq!(refused.refused(401).1, "unauthenticated", "{path}");
            admin.send(Method::TRACE, &path, &[], "").await
        } else {
            refused
        };
        assert_eq!(refused.refused(405).1, "method_not_allowed");
        let allow = refused.header("allow").expect("Allow").to_owned();
        assert!(allow.split(", ").any(|method| method == row.method.as_str()), "{path}: {allow}");
        let options = anonymous.send(Method::OPTIONS, &path, &[], "").await;
        options.expect(204);
        assert_eq!(options.header("allow"), Some(allow.as_str()));
    }
}

#[tokio::test]
async fn every_answer_has_the_headers_that_all_have() {
    let server = TestServer::start().await;
    let customer = server.customer("ana").await;
    let mut ids = std::collections::HashSet::new();
    for path in ["/api/products", "/api/products", "/api/auth/me", "/api/nothing", "/healthz"] {
        let answer = customer.get(path).await;
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert!(ids.insert(answer.header("x-request-id").expect("an id").to_owned()));
        assert!(answer.header("cache-control").is_some(), "{path}");
    }
}

#[tokio::test]
async fn unknown_paths_are_not_found_and_the_back_office_gives_nothing_away() {
    let server = TestServer::start().await;
    let (anonymous, customer, admin) =
        (server.anonymous(), server.customer("ana").await, server.admin().await);
    for path in ["/api", "/api/", "/api/nothing", "/api/products/a/b/c", "/nothing"] {
        let refused = anonymous.get(path).await.refused(404);
        assert_eq!(refused, ("Rota não encontrada".to_owned(), "not_found".to_owned()), "{path}");
    }
    assert_eq!(anonymous.post("/nothing", &Value::Null).await.refused(404).1, "not_found");
    let hidden = "/api/admin/nothing";
    for path in [hidden, "/api/admin", "/api/admin/"] {
        assert_eq!(anonymous.get(path).await.refused(401).1, "unauthenticated", "{path}");
    }
    let (text, code) = customer.get(hidden).await.refused(403);
    assert_eq!((text.as_str(), code.as_str()), ("Acesso negado", "forbidden"));
    assert_eq!(admin.get(hidden).await.refused(404).1, "not_found");
}

#[tokio::test]
async fn a_head_has_what_its_get_has_but_the_body() {
    let server = TestServer::start().await;
    let anonymous = server.anonymous();
    let get = anonymous.get("/api/categories").await;
    let head = anonymous.send(Method::HEAD, "/api/categories", &[], "").await;
    assert_eq!(head.expect(200), Value::Null);
    for name in ["content-type", "etag", "content-length"] {
        assert_eq!(head.header(name), get.header(name), "{name}");
    }
}
