//! Customers, for staff.

use serde_json::{Value, json};

use super::{deeds, etag, patch_seen};
use crate::http::client::Client;
use crate::http::{PASSWORD, TestServer};

const CUSTOMERS: &str = "/api/admin/customers";

async fn names(admin: &Client, query: &str) -> Vec<String> {
    let list = admin.get(&format!("{CUSTOMERS}?{query}")).await.expect(200);
    assert_eq!(list["pagination"]["total"], list["data"].as_array().expect("a list").len());
    let names = list["data"].as_array().expect("a list").iter();
    names.map(|one| one["name"].as_str().expect("a name").to_owned()).collect()
}

fn status_of(client: &Client) -> String {
    format!("{CUSTOMERS}/{}/status", client.buyer().id)
}

#[tokio::test]
async fn customers_are_listed_latest_first_with_how_many_orders_they_have() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let ana = server.customer("ana").await;
    server.test.advance_hours(1);
    server.customer("bia").await;
    let product = server.test.product("vela", 9, 1000).await;
    for _ in 0..2 {
        server.test.buy(ana.buyer(), &product, 1).await.expect("an order");
    }
    let list = admin.get(CUSTOMERS).await.expect(200);
    let page = json!({ "page": 1, "limit": 20, "total": 2, "totalPages": 1 });
    assert_eq!(list["pagination"], page);
    let expected = json!({
        "id": ana.buyer().id, "name": "ana", "email": "ana@example.com", "isActive": true,
        "guest": false, "createdAt": "2026-11-21T15:00:00.000Z", "_count": { "orders": 2 }
    });
    // The admin is no customer.
    assert_eq!(list["data"].as_array().expect("a list").len(), 2);
    assert_eq!((&list["data"][0]["name"], &list["data"][1]), (&json!("bia"), &expected));
    let second = admin.get(&format!("{CUSTOMERS}?page=2&limit=1")).await.expect(200);
    assert_eq!(second["data"], json!([expected]));
    assert_eq!(second["pagination"]["totalPages"], 2);
    let wrong = admin.get(&format!("{CUSTOMERS}?page=0&active=maybe")).await.wrong_fields();
    assert!(wrong["page"].is_array() && wrong["active"].is_array(), "{wrong}");
}

#[tokio::test]
async fn customers_are_found_by_the_beginnings_of_words_of_name_and_e_mail() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    for (name, email) in [
        ("José da Silva", "ze@loja.example"),
        ("Josefa Nunes", "nunes.josefa@example.com"),
        ("Ana Luíza", "silva@example.com"),
        ("Bob \"*\" OR", "bob_50%@example.com"),
    ] {
        let new = json!({ "name": name, "email": email, "password": PASSWORD });
        server.test.advance_hours(1);
        server.anonymous().post("/api/auth/register", &new).await.expect(201);
    }
    let admin = &admin;
    let found = async |query: &str| names(admin, query).await;
    assert_eq!(found("search=JOSE").await, ["Josefa Nunes", "José da Silva"]);
    assert_eq!(found("search=jos%C3%A9+sil").await, ["José da Silva"]);
    assert_eq!(found("search=silva").await, ["Ana Luíza", "José da Silva"]);
    assert_eq!(found("search=luiza").await, ["Ana Luíza"]);
    assert_eq!(found("search=Nunes.Josefa@EX").await, ["Josefa Nunes"]);
    assert_eq!(found("search=ze@loja.example").await, ["José da Silva"]);
    assert_eq!(found("search=bob_50%25@example").await, ["Bob \"*\" OR"]);
    assert_eq!(found("search=%22*%22+OR").await, ["Bob \"*\" OR"]);
    assert_eq!(found("search=@loja").await, ["José da Silva"]);
    // Whether the account is active is not the customer's to set.
    for nothing in ["active", "suspended", "state", "equipe", "%21%3F", "b%25@"] {
        assert_eq!(found(&format!("search={nothing}")).await, [""; 0], "{nothing}");
    }
    assert_eq!(found("search=+").await.len(), 4);
}

#[tokio::test]
async fn a_suspension_ends_all_sessions_at_once_and_they_stay_ended() {
    let server = TestServer::start().await;
    let (admin, ana) = (server.admin().await, server.customer("ana").await);
    server.customer("bia").await;
    ana.get("/api/auth/me").await.expect(200);
    let suspended = admin.patch(&status_of(&ana), &json!({ "active": false })).await.expect(200);
    assert_eq!((&suspended["isActive"], &suspended["name"]), (&json!(false), &json!("ana")));
    assert_eq!(ana.get("/api/auth/me").await.refused(401).1, "unauthenticated");
    let login = json!({ "email": "ana@example.com", "password": PASSWORD });
    let (text, code) = server.anonymous().post("/api/auth/login", &login).await.refused(403);
    assert_eq!((&*text, &*code), ("Conta suspensa", "account_suspended"));
    assert_eq!(names(&admin, "active=false").await, ["ana"]);
    assert_eq!(names(&admin, "active=true").await, ["bia"]);
    assert_eq!(names(&admin, "active=false&search=ana").await, ["ana"]);
    assert_eq!(names(&admin, "active=true&search=ana").await, [""; 0]);
    assert_eq!(names(&admin, "active=false&search=ana@ex").await, ["ana"]);
    assert_eq!(names(&admin, "active=true&search=ana@ex").await, [""; 0]);
    // A second time changes nothing.
    admin.patch(&status_of(&ana), &json!({ "active": false })).await.expect(200);
    let back = admin.patch(&status_of(&ana), &json!({ "active": true })).await.expect(200);
    assert_eq!(back["isActive"], true);
    assert_eq!(ana.get("/api/auth/me").await.refused(401).1, "unauthenticated");
    server.test.clock.advance(std::time::Duration::from_secs(1));
    let again = server.anonymous();
    again.post("/api/auth/login", &login).await.expect(200);
    again.get("/api/auth/me").await.expect(200);
    let deeds = deeds(&admin, ana.buyer().id.as_str()).await;
    let expected = [
        ("customer.activate".to_owned(), json!({ "isActive": false }), json!({ "isActive": true })),
        ("customer.suspend".to_owned(), json!({ "isActive": true }), json!({ "isActive": false })),
    ];
    assert_eq!(deeds, expected);
}

#[tokio::test]
async fn a_link_to_reset_the_password_leads_no_suspended_account_back() {
    let server = TestServer::start().await;
    let (admin, ana) = (server.admin().await, server.customer("ana").await);
    let forgot = json!({ "email": "ana@example.com" });
    server.anonymous().post("/api/auth/forgot-password", &forgot).await.expect(200);
    assert_eq!(server.test.count("SELECT count(*) FROM password_reset"), 1);
    admin.patch(&status_of(&ana), &json!({ "active": false })).await.expect(200);
    assert_eq!(server.test.count("SELECT count(*) FROM password_reset"), 0);
}

#[tokio::test]
async fn an_admin_suspends_another_admin_but_not_the_own_account() {
    let server = TestServer::start().await;
    let admin = server.admin().await;
    let own = admin.get("/api/auth/me").await.expect(200)["id"].clone();
    let path = format!("{CUSTOMERS}/{}/status", own.as_str().expect("an id"));
    let (text, code) = admin.patch(&path, &json!({ "active": false })).await.refused(409);
    assert_eq!((&*text, &*code), ("Você não pode suspender a própria conta", "own_account"));
    admin.patch(&path, &json!({ "active": true })).await.expect(200);
    let register = crate::core::fixture::input(json!({
        "name": "Outra", "email": "outra@example.com", "password": PASSWORD
    }));
    let other = server.test.shop.accounts().create_admin(register).await.expect("an admin");
    let token = server.test.log_in("outra").await;
    let second = server.anonymous().with_token(token);
    second.get(CUSTOMERS).await.expect(200);
    let path = format!("{CUSTOMERS}/{}/status", other.id);
    admin.patch(&path, &json!({ "active": false })).await.expect(200);
    assert_eq!(second.get(CUSTOMERS).await.refused(401).1, "unauthenticated");
}

#[tokio::test]
async fn a_customers_page_shows_orders_and_what_was_paid_for_them() {
    let server = TestServer::start().await;
    let (admin, ana) = (server.admin().await, server.customer("ana").await);
    let product = server.test.product("vela", 99, 20_000).await;
    let first = server.test.buy(ana.buyer(), &product, 1).await.expect("an order");
    server.test.advance_hours(1);
    let second = server.test.buy(ana.buyer(), &product, 1).await.expect("an order");
    let path = format!("{CUSTOMERS}/{}", ana.buyer().id);
    // Staff may send what is not paid, and a status is no payment.
    let processing = shop_core::order::OrderStatus::Processing;
    server.test.shop.orders().set_status(&first.id, processing, None).await.expect("set");
    let page = admin.get(&path).await.expect(200);
    assert_eq!((&page["email"], &page["role"]), (&json!("ana@example.com"), &json!("CUSTOMER")));
    assert_eq!((&page["_count"]["orders"], &page["totalSpent"]), (&json!(2), &json!(0.0)));
    assert_eq!(page["addresses"][0]["zipCode"], "01001000");
    let expected = json!({
        "id": second.id, "orderNumber": second.order_number, "status": "PENDING", "total": 200.0,
        "createdAt": second.created_at
    });
    assert_eq!(page["orders"][0], expected);
    assert_eq!(page["orders"][1]["status"], "PROCESSING");
    assert!(!page.to_string().contains("$argon2"));
    let of_second = format!("/api/admin/orders/{}", second.id);
    let cash = json!({ "method": "CASH" });
    admin.post(&format!("{of_second}/payments"), &cash).await.expect(201);
    assert_eq!(admin.get(&path).await.expect(200)["totalSpent"], 200.0);
    let part = json!({ "amount": 49.9 });
    admin.post(&format!("{of_second}/refunds"), &part).await.expect(201);
    assert_eq!(admin.get(&path).await.expect(200)["totalSpent"], 150.1);
    let file = admin.get("/api/admin/customers/export").await;
    let file = String::from_utf8_lossy(&file.body);
    assert!(file.contains(";150,10;"), "{file}");
}

#[tokio::test]
async fn a_suspension_on_top_of_a_newer_state_is_refused() {
    let server = TestServer::start().await;
    let (admin, ana) = (server.admin().await, server.customer("ana").await);
    let page = format!("{CUSTOMERS}/{}", ana.buyer().id);
    let seen = etag(&admin.get(&page).await);
    ana.put("/api/auth/me", &json!({ "name": "Ana Maria" })).await.expect(200);
    let body = json!({ "active": false });
    let late = patch_seen(&admin, &status_of(&ana), &seen, &body).await;
    assert_eq!(late.refused(412).1, "changed_meanwhile");
    let seen = etag(&admin.get(&page).await);
    patch_seen(&admin, &status_of(&ana), &seen, &body).await.expect(200);
}

#[tokio::test]
async fn what_is_no_customer_is_not_found_and_a_status_needs_its_field() {
    let server = TestServer::start().await;
    let (admin, ana) = (server.admin().await, server.customer("ana").await);
    let nobody = format!("{CUSTOMERS}/nobody");
    assert_eq!(admin.get(&nobody).await.refused(404).1, "account_not_found");
    let status = format!("{nobody}/status");
    let lost = admin.patch(&status, &json!({ "active": true })).await;
    assert_eq!(lost.refused(404).1, "account_not_found");
    let wrong = admin.patch(&status_of(&ana), &json!({ "active": "no" })).await.wrong_fields();
    assert_eq!(wrong["active"], json!(["Deve ser verdadeiro ou falso"]));
    let wrong = admin.patch(&status_of(&ana), &Value::Null).await;
    assert_eq!(wrong.refused(400).1, "invalid_input");
}

#[tokio::test]
async fn all_customers_are_exported_as_a_file_and_the_log_names_the_admin() {
    let server = TestServer::start().await;
    let (admin, ana) = (server.admin().await, server.customer("ana").await);
    let product = server.test.product("vela", 9, 20_000).await;
    let order = server.test.buy(ana.buyer(), &product, 1).await.expect("an order");
    let paid = format!("/api/admin/orders/{}/payments", order.id);
    admin.post(&paid, &json!({ "method": "CASH" })).await.expect(201);
    server.test.advance_hours(1);
    let evil = json!({ "name": "=HYPERLINK(1); \"x\"", "email": "e@x.co", "password": PASSWORD });
    server.anonymous().post("/api/auth/register", &evil).await.expect(201);
    // More than one piece holds, all of one instant.
    server.test.raw_sql(
        "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 1200)
         INSERT INTO account (id, name, email, email_key, role, active, password_hash,
           sessions_from, created_at, updated_at)
         SELECT 'a' || n, 'Maria', n || '@x.co', n || '@x.co', 'CUSTOMER', n % 2, '', 0, 7, 7 FROM n",
    );
    let file = admin.get(&format!("{CUSTOMERS}/export")).await;
    assert_eq!(file.status, 200);
    assert_eq!(file.header("content-type"), Some("text/csv; charset=utf-8"));
    let saved = "attachment; filename=clientes-2026-11-21.csv";
    assert_eq!(file.header("content-disposition"), Some(saved));
    let text = String::from_utf8(file.body.to_vec()).expect("UTF-8");
    let text = text.strip_prefix('\u{feff}').expect("a byte order mark");
    let mut reader = csv::ReaderBuilder::new().delimiter(b';').from_reader(text.as_bytes());
    let rows: Vec<Vec<String>> = reader
        .records()
        .map(|row| row.expect("a row").iter().map(str::to_owned).collect())
        .collect();
    assert_eq!(rows.len(), 1202);
    let ids: std::collections::HashSet<&String> = rows.iter().map(|row| &row[1]).collect();
    assert_eq!(ids.len(), rows.len());
    let expected = [
        "ana",
        "ana@example.com",
        "",
        "Ativo",
        "2026-11-21 12:00:00",
        "1",
        "200,00",
        "2026-11-21 12:00:00",
        "Cadastrada",
    ];
    assert_eq!(rows[1200], expected);
    assert_eq!(rows[1201][0], "'=HYPERLINK(1); \"x\"");
    assert_eq!((rows[1201][5].as_str(), rows[1201][7].as_str()), ("0", ""));
    let some = admin.get(&format!("{CUSTOMERS}/export?active=false")).await;
    let some = String::from_utf8(some.body.to_vec()).expect("UTF-8");
    assert_eq!((some.lines().count(), some.contains("Ativo")), (601, false));
    let wrong = admin.get(&format!("{CUSTOMERS}/export?active=sim")).await.wrong_fields();
    assert!(wrong["active"].is_array(), "{wrong}");
    let deeds = deeds(&admin, "customers").await;
    assert_eq!(deeds[1].0, "customer.export_all");
    assert_eq!(deeds[0].2, json!({ "active": false, "guest": null }));
}
