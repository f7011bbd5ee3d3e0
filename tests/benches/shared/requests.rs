//! What is asked of a shop's server.

use std::sync::Arc;

use serde_json::{Value, json};
use shop_core::config::OrdersConfig;

use crate::load::{self, Request, get};

/// The most products that a page may have.
const PAGE: usize = 100;

pub(crate) fn post(path: &str, cookie: &str, body: &Value) -> Vec<u8> {
    let body = body.to_string();
    format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         cookie: {cookie}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// Registers a customer with an address, and returns what places the n-th order, of two among so
/// many products, the cheapest ones.
pub(crate) async fn orders(port: u16, products: usize) -> Request {
    let register =
        json!({ "name": "Ana", "email": "bench@example.com", "password": "segredo-123" });
    let (status, _) = load::once(port, &post("/api/auth/register", "", &register)).await;
    assert_eq!(status, 201);
    let login = json!({ "email": "bench@example.com", "password": "segredo-123" });
    let (_, body) = load::once(port, &post("/api/auth/login", "", &login)).await;
    let session: Value = serde_json::from_slice(&body).expect("a session");
    let cookie = format!("token={}", session["token"].as_str().expect("a token"));
    let address = json!({
        "label": "Casa", "street": "Rua das Flores", "number": "1", "district": "Centro",
        "city": "São Paulo", "state": "SP", "zipCode": "01001000"
    });
    let (_, body) = load::once(port, &post("/api/user/addresses", &cookie, &address)).await;
    let address: Value = serde_json::from_slice(&body).expect("an address");
    let products = stocked(port, products).await;
    Arc::new(move |n| {
        let pick = |n: usize| &products[n % products.len()];
        let order = json!({ "addressId": address["id"], "cartItems": [
            { "productId": pick(n * 7), "quantity": 1, "price": 1 },
            { "productId": pick(n * 7 + 1), "quantity": 1, "price": 1 },
        ]});
        post("/api/orders", &cookie, &order)
    })
}

/// The ids of the cheapest products that are in stock.
async fn stocked(port: u16, count: usize) -> Vec<Value> {
    let mut ids = Vec::new();
    for page in 1..=count.div_ceil(PAGE) {
        let path = format!("/api/products?limit={PAGE}&page={page}&inStock=true&sort=price_asc");
        let (_, body) = load::once(port, &get(&path)).await;
        let found: Value = serde_json::from_slice(&body).expect("a page");
        ids.extend(found["data"].as_array().expect("products").iter().map(|p| p["id"].clone()));
    }
    ids.truncate(count);
    ids
}

/// No limit of how much one customer orders: here a single one is all buyers.
pub(crate) fn unlimited() -> OrdersConfig {
    OrdersConfig {
        max_open_unpaid: 0,
        max_per_hour: 0,
        max_per_hour_per_ip: 0,
        ..OrdersConfig::default()
    }
}
