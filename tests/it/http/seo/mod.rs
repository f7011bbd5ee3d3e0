//! The storefront as it is served, and what search engines, messengers and marketplaces read of the
//! shop.

mod feed;
mod head;
mod served;
mod sitemap;

use serde_json::{Value, json};
use shop_core::actor::Actor;
use shop_core::catalog::Product;
use shop_server::ServeOptions;
use shop_server::config::Storefront;

use super::TestServer;
use super::client::{Answer, Client};
use crate::core::fixture::input;

/// A server with the example of a storefront.
async fn storefront() -> TestServer {
    TestServer::start_with(|_| {}, options()).await
}

fn options() -> ServeOptions {
    ServeOptions { storefront: Some(Storefront::Example), ..ServeOptions::default() }
}

async fn text(client: &Client, path: &str) -> (Answer, String) {
    let answer = client.get(path).await;
    assert_eq!(answer.status, 200, "{path}");
    let text = String::from_utf8(answer.body.to_vec()).expect("text");
    (answer, text)
}

/// Adds a product as staff write one.
async fn product(server: &TestServer, new: Value) -> Product {
    let products = server.test.shop.products();
    products.create(&Actor::System, input(new), None).await.expect("a product").product
}

/// A category that shoppers see: its id.
async fn category(server: &TestServer, name: &str) -> Value {
    let new = input(json!({ "name": name, "description": format!("Tudo de {name}") }));
    let categories = server.test.shop.categories();
    json!(categories.create(&Actor::System, new).await.expect("a category").id)
}

/// Names that try to become markup, or to confuse its readers.
const HOSTILE: &str = "Vela </script><script>alert(1)</script> \"a\" 'b' & <!-- \u{202e}olev";
