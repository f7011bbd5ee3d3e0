//! A copy of one's data and its deletion, over HTTP.

use hyper::Method;
use serde_json::{Value, json};
use shop_core::order::OrderStatus;

use super::client::{Answer, Client};
use super::{PASSWORD, TestServer};

async fn erase(client: &Client, password: &Value) -> Answer {
    let body = json!({ "password": password }).to_string();
    let headers = [("content-type", "application/json")];
    client.send(Method::DELETE, "/api/auth/me", &headers, body).await
}

#[tokio::test]
async fn a_copy_of_ones_data_is_a_file() {
    let server = TestServer::start().await;
    let product = server.test.product("vela", 5, 1000).await;
    let ana = server.customer("ana").await;
    let order = server.test.buy(ana.buyer(), &product, 1).await.expect("an order");
    let answer = ana.get("/api/user/export").await;
    let copy = answer.expect(200);
    let disposition = Some("attachment; filename=meus-dados.json");
    assert_eq!(answer.header("content-disposition"), disposition);
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(copy["account"]["email"], "ana@example.com");
    assert_eq!(copy["orders"][0]["id"].as_str(), Some(order.id.as_str()));
    assert_eq!(copy["addresses"][0]["street"], "Rua das Flores");
    let stranger = server.anonymous().get("/api/user/export").await;
    assert_eq!(stranger.refused(401).1, "unauthenticated");
}

#[tokio::test]
async fn an_account_is_erased_with_its_password() {
    let server = TestServer::start().await;
    let ana = server.customer("ana").await;
    let there = server.anonymous().with_token(ana.token().expect("a token"));
    assert_eq!(erase(&ana, &json!("not this one")).await.refused(401).1, "wrong_password");
    let missing = ana.send(Method::DELETE, "/api/auth/me", &[], "{}").await.wrong_fields();
    assert_eq!(missing, json!({ "password": ["Campo obrigatório"] }));
    ana.get("/api/auth/me").await.expect(200);
    let answer = erase(&ana, &json!(PASSWORD)).await;
    assert_eq!(answer.expect(200), json!({ "message": "Conta excluída" }));
    assert_eq!(ana.token(), None);
    assert_eq!(there.get("/api/auth/me").await.refused(401).1, "unauthenticated");
    assert_eq!(erase(&there, &json!(PASSWORD)).await.refused(401).1, "unauthenticated");
    let anew = json!({ "name": "Ana", "email": "ana@example.com", "password": PASSWORD });
    server.anonymous().post("/api/auth/register", &anew).await.expect(201);
}

#[tokio::test]
async fn admins_and_customers_with_open_orders_are_not_erased() {
    let server = TestServer::start().await;
    let (admin, ana) = (server.admin().await, server.customer("ana").await);
    let (text, code) = erase(&admin, &json!(PASSWORD)).await.refused(409);
    assert_eq!(
        (&*text, &*code),
        ("Uma conta de administrador não pode ser excluída", "admin_account")
    );
    let product = server.test.product("vela", 5, 1000).await;
    let order = server.test.buy(ana.buyer(), &product, 1).await.expect("an order");
    let (text, code) = erase(&ana, &json!(PASSWORD)).await.refused(409);
    assert!(text.starts_with("Há pedidos em andamento"), "{text}");
    assert_eq!(code, "open_orders");
    let orders = server.test.shop.orders();
    orders.set_status(&order.id, OrderStatus::Delivered, None).await.expect("set");
    erase(&ana, &json!(PASSWORD)).await.expect(200);
}

#[tokio::test]
async fn a_page_of_another_origin_erases_no_account() {
    let server = TestServer::start().await;
    let ana = server.customer("ana").await;
    let headers = [("content-type", "application/json"), ("origin", "https://evil.example")];
    let body = json!({ "password": PASSWORD }).to_string();
    let answer = ana.send(Method::DELETE, "/api/auth/me", &headers, body).await;
    assert_eq!(answer.refused(403).1, "foreign_origin");
    ana.get("/api/auth/me").await.expect(200);
}

#[tokio::test]
async fn passwords_are_not_guessed_here_either() {
    let server = TestServer::start().await;
    let ana = server.customer("ana").await;
    for _ in 0..10 {
        erase(&ana, &json!("not this one")).await.refused(401);
    }
    assert_eq!(erase(&ana, &json!(PASSWORD)).await.refused(429).1, "rate_limited");
    // What is counted is the account, wherever the calls come from.
    let bia = server.customer("bia").await;
    erase(&bia, &json!(PASSWORD)).await.expect(200);
}
