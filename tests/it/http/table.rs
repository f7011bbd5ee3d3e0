//! Rules that hold for every row of the endpoint table, as `access.rs` lists it.

use hyper::Method;
use serde_json::Value;
use shop_core::api_key::Scope;

use super::TestServer;
use super::access::{Row, Who, rows};
use super::client::Client;

/// The path with something in each of its braces.
fn filled(path: &str) -> String {
    let filled = path.split('/').map(|part| if part.starts_with('{') { "nothing" } else { part });
    filled.collect::<Vec<_>>().join("/")
}

impl Row {
    /// Calls the row with nothing but the caller's session.
    async fn status(&self, server: &TestServer, token: Option<&str>) -> u16 {
        let client =
            token.map_or(server.anonymous(), |t| server.anonymous().with_token(t.to_owned()));
        self.status_of(&client).await
    }

    async fn status_of(&self, client: &Client) -> u16 {
        let path = filled(self.path);
        let json = [("content-type", "application/json")];
        client.send(self.method.clone(), &path, &json, "").await.status.as_u16()
    }

    fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

/// What the document says of a row's access.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Told {
    name: String,
    role: Option<String>,
    scope: Option<String>,
    /// The names of the ways to log in or to sign; an empty one where nothing is needed.
    ways: Vec<String>,
}

impl Told {
    fn of(row: &Row) -> Self {
        let ways: &[&str] = match row.who {
            Who::Anybody => &[],
            Who::Provider if row.path.contains("provider1") => &["provider1Signature"],
            Who::Provider => &["provider2Signature"],
            Who::Cart => &["", "cart", "cookie", "token"],
            Who::Order => &["cookie", "token", "orderToken"],
            Who::Session | Who::Customer | Who::Admin => &["cookie", "token"],
            Who::Key(_) => &["apiKey"],
            Who::AnybodyOrKey(_) => &["", "apiKey"],
            Who::SessionOrKey(_) => &["cookie", "token", "apiKey"],
        };
        Self {
            name: row.name(),
            role: row.role().map(str::to_owned),
            scope: row.scope().map(|scope| scope.as_str().to_owned()),
            ways: ways.iter().map(|way| (*way).to_owned()).collect(),
        }
    }

    fn read(method: &str, path: &str, operation: &Value) -> Self {
        let way = |way: &Value| way.as_object().expect("a way").keys().next().cloned();
        let ways = operation["security"].as_array().expect("ways");
        Self {
            name: format!("{} {path}", method.to_uppercase()),
            role: operation["x-role"].as_str().map(str::to_owned),
            scope: operation["x-scope"].as_str().map(str::to_owned),
            ways: ways.iter().map(|it| way(it).unwrap_or_default()).collect(),
        }
    }
}

#[tokio::test]
async fn the_server_has_the_rows_of_the_specification_with_their_access_and_no_others() {
    let server = TestServer::start().await;
    let document = server.anonymous().get("/api/openapi.json").await.expect(200);
    let mut told = Vec::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        let methods = methods.as_object().expect("methods").iter();
        told.extend(methods.map(|(method, operation)| Told::read(method, path, operation)));
    }
    let mut expected: Vec<Told> = rows().iter().map(Told::of).collect();
    told.sort();
    expected.sort();
    assert_eq!(told.len(), 227);
    assert_eq!(told, expected);
}

#[tokio::test]
async fn no_row_that_needs_a_session_or_a_key_admits_an_anonymous_caller() {
    let server = TestServer::start().await;
    let mut refused = 0;
    for row in rows() {
        let status = row.status(&server, None).await;
        // Guests have a cart only where the setting says so.
        if row.is_closed() || row.who == Who::Cart {
            refused += 1;
            assert_eq!(status, 401, "{}", row.name());
        } else {
            assert!(![403, 500].contains(&status), "{}: {status}", row.name());
        }
    }
    assert_eq!(refused, 195);
}

#[tokio::test]
async fn a_forged_session_is_refused() {
    let server = TestServer::start().await;
    for row in rows().into_iter().filter(Row::is_closed) {
        let status = row.status(&server, Some("eyJhbGciOiJub25lIn0.e30.")).await;
        assert_eq!(status, 401, "{}", row.name());
    }
}

#[tokio::test]
async fn each_role_is_refused_on_the_rows_of_the_other() {
    let server = TestServer::start().await;
    let (customer, admin) = (server.customer("ana").await.token(), server.admin().await.token());
    let (mut of_customers, mut of_admins) = (0, 0);
    // Logging out ends the session, so it comes last.
    let (last, first): (Vec<_>, Vec<_>) =
        rows().into_iter().partition(|row| row.path == "/api/auth/logout");
    for row in first.into_iter().chain(last) {
        let by_customer = row.status(&server, customer.as_deref()).await;
        let by_admin = row.status(&server, admin.as_deref()).await;
        for (role, status) in [("CUSTOMER", by_customer), ("ADMIN", by_admin)] {
            if row.is_closed() && !row.is_by_session() {
                assert_eq!(status, 401, "{} by {role}", row.name());
            } else if row.role().is_none_or(|only| only == role) {
                let refused = [401, 403, 500].contains(&status) && row.is_closed();
                assert!(!refused, "{} by {role}: {status}", row.name());
            } else {
                assert_eq!(status, 403, "{} by {role}", row.name());
            }
        }
        of_customers += usize::from(row.who == Who::Customer);
        of_admins += usize::from(row.who == Who::Admin);
    }
    assert_eq!((of_customers, of_admins), (3, 143));
}

#[tokio::test]
async fn a_suspended_admin_is_refused_by_every_row_that_is_not_public() {
    let server = TestServer::start().await;
    let token = server.admin().await.token();
    server.test.raw_sql("UPDATE account SET active = 0");
    for row in rows().into_iter().filter(Row::is_closed) {
        let status = row.status(&server, token.as_deref()).await;
        assert_eq!(status, 401, "{}", row.name());
    }
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
    for row in rows() {
        for (scope, with, without) in &keys {
            let (name, wanted) = (row.name(), row.scope());
            let (with, without) = (row.status_of(with).await, row.status_of(without).await);
            match wanted {
                Some(wanted) if wanted == *scope => {
                    assert!(![401, 403, 500].contains(&with), "{name} with {scope}: {with}");
                    assert_eq!(without, 401, "{name} without {scope}");
                    of_programs += 1;
                }
                None if row.is_closed() => assert_eq!((with, without), (401, 401), "{name}"),
                None => assert!(![403, 500].contains(&with), "{name} with {scope}: {with}"),
                Some(_) => assert_eq!(with, 401, "{name} with {scope}"),
            }
        }
    }
    assert_eq!(of_programs, 17);
}

#[tokio::test]
async fn every_path_knows_its_methods() {
    let server = TestServer::start().await;
    let anonymous = server.anonymous();
    let admin = server.admin().await;
    for row in rows() {
        let path = filled(row.path);
        let refused = anonymous.send(Method::TRACE, &path, &[], "").await;
        // The back office hides from other callers which paths it has.
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
async fn unknown_paths_are_not_found_and_the_back_office_hides_its_paths() {
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
