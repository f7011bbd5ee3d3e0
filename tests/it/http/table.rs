//! Rules that hold for every row of the endpoint table, as the server itself lists it.

use hyper::Method;
use serde_json::Value;

use super::TestServer;
use super::client::Client;

/// A row, as the OpenAPI document tells it.
struct Row {
    method: Method,
    path: String,
    /// `None` is a public row, `Some(None)` one for every session, `Some(role)` one for a role.
    access: Option<Option<String>>,
}

async fn rows(client: &Client) -> Vec<Row> {
    let document = client.get("/api/openapi.json").await.expect(200);
    let mut rows = Vec::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("methods") {
            let role = operation["x-role"].as_str().map(str::to_owned);
            rows.push(Row {
                method: method.to_uppercase().parse().expect("a method"),
                path: path.clone(),
                access: operation.get("security").map(|_| role),
            });
        }
    }
    assert!(rows.len() > 25, "{} rows", rows.len());
    rows
}

impl Row {
    /// Calls the row with nothing but who calls.
    async fn status(&self, client: &Client) -> u16 {
        let path = self.path.replace("{id}", "nothing").replace("{slug}", "nothing");
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
        let status = row.status(&anonymous).await;
        match row.access {
            Some(_) => assert_eq!(status, 401, "{}", row.name()),
            None => assert!(![403, 500].contains(&status), "{}: {status}", row.name()),
        }
    }
}

#[tokio::test]
async fn a_forged_session_is_none() {
    let server = TestServer::start().await;
    let forged = server.anonymous().with_token("eyJhbGciOiJub25lIn0.e30.".to_owned());
    for row in rows(&forged).await.into_iter().filter(|row| row.access.is_some()) {
        assert_eq!(row.status(&forged).await, 401, "{}", row.name());
    }
}

#[tokio::test]
async fn each_role_is_refused_where_it_has_no_business() {
    let server = TestServer::start().await;
    let (customer, admin) = (server.customer("ana").await, server.admin().await);
    let mut of_customers = 0;
    for row in rows(&customer).await {
        let (by_customer, by_admin) = (row.status(&customer).await, row.status(&admin).await);
        let name = row.name();
        match row.access.as_ref().map(Option::as_deref) {
            Some(Some("CUSTOMER")) => {
                of_customers += 1;
                assert!(![401, 403, 500].contains(&by_customer), "{name}: {by_customer}");
                assert_eq!(by_admin, 403, "{name}");
            }
            Some(Some(_)) => {
                assert_eq!(by_customer, 403, "{name}");
                assert!(![401, 403, 500].contains(&by_admin), "{name}: {by_admin}");
            }
            Some(None) | None => {
                assert!(![403, 500].contains(&by_customer), "{name}: {by_customer}");
                assert!(![403, 500].contains(&by_admin), "{name}: {by_admin}");
            }
        }
    }
    assert!(of_customers > 0);
}

#[tokio::test]
async fn every_path_knows_its_methods() {
    let server = TestServer::start().await;
    let anonymous = server.anonymous();
    for row in rows(&anonymous).await {
        let path = row.path.replace("{id}", "x").replace("{slug}", "x").replace("{name}", "x");
        let refused = anonymous.send(Method::TRACE, &path, &[], "").await;
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
        assert_eq!(anonymous.get(path).await.refused(404).1, "not_found", "{path}");
    }
    assert_eq!(anonymous.post("/nothing", &Value::Null).await.refused(404).1, "not_found");
    let hidden = "/api/admin/nothing";
    assert_eq!(anonymous.get(hidden).await.refused(401).1, "unauthenticated");
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
