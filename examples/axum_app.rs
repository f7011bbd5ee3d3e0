//! The shop inside an axum application: `/` is the application's own, everything else the shop's.
//! `cargo run -p shop-examples --example axum_app` serves it, asks it for both, and ends;
//! with an address (`-- 127.0.0.1:8080`) it goes on until Ctrl-C.

use std::error::Error;
use std::net::SocketAddr;

use axum::Router;
use axum::routing::get;
use shop_core::actor::Actor;
use shop_core::catalog::NewProduct;
use shop_core::{Config, Shop};
use shop_server::{ServeOptions, ShopService};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args().nth(1);
    let listener = TcpListener::bind(address.as_deref().unwrap_or("127.0.0.1:0")).await?;
    let here = listener.local_addr()?;

    let folder = tempfile::tempdir()?;
    let database = folder.path().join("shop.db").display().to_string();
    let base_url = Some(format!("http://{here}"));
    let config = Config { database, base_url, ..Config::default() };
    let shop = Shop::open(config).await?;
    let candle = NewProduct::new("Vela de Lavanda".parse()?, "49.90".parse()?, 10.try_into()?)?;
    shop.products().create(&Actor::System, candle, None).await?;

    let app = application(&shop)?;
    let background = tokio::spawn(async move { shop.run_background(std::future::pending()).await });
    let serving = tokio::spawn(
        axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>())
            .into_future(),
    );

    if address.is_some() {
        println!("http://{here}");
        tokio::signal::ctrl_c().await?;
    } else {
        try_it(here).await?;
    }
    serving.abort();
    background.abort();
    Ok(())
}

/// The application's own routes, and the shop behind them.
fn application(shop: &Shop) -> Result<Router, Box<dyn Error>> {
    let service = ShopService::new(shop.clone(), ServeOptions::default())?;
    Ok(Router::new().route("/", get(|| async { "Bem-vindo à loja" })).fallback_service(service))
}

/// What whoever runs the example wants to see: both sides answer on one port.
async fn try_it(here: SocketAddr) -> Result<(), Box<dyn Error>> {
    let home = ask(here, "GET", "/", "").await?;
    expect(&home, "200 OK", "Bem-vindo")?;
    let products = ask(here, "GET", "/api/products", "").await?;
    expect(&products, "200 OK", "Vela de Lavanda")?;
    let account = r#"{"name":"Ana","email":"ana@example.com","password":"segredo-123"}"#;
    let registered = ask(here, "POST", "/api/auth/register", account).await?;
    expect(&registered, "201 Created", "ana@example.com")?;
    let nothing = ask(here, "GET", "/api/nothing", "").await?;
    expect(&nothing, "404 Not Found", "requestId")?;
    println!("axum answers /, the shop answers /api");
    Ok(())
}

async fn ask(here: SocketAddr, method: &str, path: &str, body: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(here).await?;
    let request = format!(
        "{method} {path} HTTP/1.1\r\nhost: {here}\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer)
}

fn expect(answer: &str, status: &str, text: &str) -> Result<(), Box<dyn Error>> {
    if answer.starts_with(&format!("HTTP/1.1 {status}")) && answer.contains(text) {
        Ok(())
    } else {
        Err(format!("expected {status} with {text:?}, got {answer}").into())
    }
}
