//! Serves the shop in `shop.db`, or in the database that the first argument names, on port 8080.

use host_app::parts::Parts;
use host_app::{furnish, serve, shirt};
use shop_core::actor::Actor;
use shop_core::{Config, Shop};
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let database = std::env::args().nth(1).unwrap_or_else(|| "shop.db".to_owned());
    let base_url = Some("http://127.0.0.1:8080".to_owned());
    let parts = Parts::default();
    let config = Config { database, base_url, ..Config::default() };
    let shop = furnish(Shop::builder(config), &parts).open().await?;
    if shop.products().find("camiseta").await?.is_none() {
        shop.products().create(&Actor::System, shirt()?, None).await?;
    }
    let listener = TcpListener::bind("127.0.0.1:8080").await?;
    println!("http://127.0.0.1:8080/api/products/camiseta");
    let stop = async { drop(tokio::signal::ctrl_c().await) };
    Ok(serve(shop, parts, listener, stop).await?)
}
