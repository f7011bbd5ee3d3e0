//! What is asked of a shop's server.

use std::sync::Arc;

use serde_json::{Value, json};
use shop_core::config::OrdersConfig;

use crate::load::{self, Request};

pub(crate) fn get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").into_bytes()
}

pub(crate) fn post(path: &str, cookie: &str, body: &Value) -> Vec<u8> {
    let body = body.to_string();
    format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         cookie: {cookie}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// Registers a customer with an address, and returns what places the n-th order.
pub(crate) async fn orders(port: u16) -> Request {
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
    let (_, body) =
        load::once(port, &get("/api/products?limit=100&inStock=true&sort=price_asc")).await;
    let stocked: Value = serde_json::from_slice(&body).expect("a page");
    let products: Vec<Value> =
        stocked["data"].as_array().expect("products").iter().map(|p| p["id"].clone()).collect();
    Arc::new(move |n| {
        let pick = |n: usize| &products[n % products.len()];
        let order = json!({ "addressId": address["id"], "cartItems": [
            { "productId": pick(n * 7), "quantity": 1, "price": 1 },
            { "productId": pick(n * 7 + 1), "quantity": 1, "price": 1 },
        ]});
        post("/api/orders", &cookie, &order)
    })
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
