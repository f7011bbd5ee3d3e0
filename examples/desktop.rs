//! A shop in a desktop program: all of it in one folder of the user's, opened when the program
//! starts and settled when it ends. Tauri and its like run tokio; `App` is their state.
//! `cargo run -p shop-examples --example desktop`

use std::error::Error;
use std::path::Path;

use shop_core::catalog::ProductFilter;
use shop_core::error::with_causes;
use shop_core::views::OrderFilter;
use shop_core::{Config, Shop};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// What the program holds as long as it runs.
struct App {
    shop: Shop,
    stop: oneshot::Sender<()>,
    background: JoinHandle<()>,
}

impl App {
    /// Every path is absolute: the folder that a desktop starts a program in may be any.
    async fn open(folder: &Path) -> shop_core::Result<Self> {
        let config = Config {
            database: folder.join("shop.db").display().to_string(),
            database_file_readers: 2,
            ..Config::default()
        };
        let shop = Shop::open(config).await?;
        let (stop, stopped) = oneshot::channel();
        let background = tokio::spawn({
            let shop = shop.clone();
            async move { shop.run_background(async { drop(stopped.await) }).await }
        });
        Ok(Self { shop, stop, background })
    }

    /// When the window closes: what is under way is seen through.
    async fn close(self) -> Result<(), Box<dyn Error>> {
        drop(self.stop);
        Ok(self.background.await?)
    }
}

/// A command of the window's; errors reach it as text, with their causes: the machine is the user's
/// own.
async fn product_names(app: &App) -> Result<Vec<String>, String> {
    let page = app.shop.products().list(ProductFilter::default()).await;
    let page = page.map_err(|error| with_causes(&error))?;
    Ok(page.data.into_iter().map(|product| product.name).collect())
}

/// What the first screen counts: products on sale, and orders. Two reads side by side.
async fn figures(app: &App) -> shop_core::Result<(i64, i64)> {
    let (products, orders) = (app.shop.products(), app.shop.orders());
    let (on_sale, placed) =
        tokio::join!(products.list(ProductFilter::default()), orders.list(OrderFilter::default()));
    Ok((on_sale?.pagination.total, placed?.pagination.total))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let app = App::open(folder.path()).await?;
    println!("{} products", product_names(&app).await?.len());
    let (on_sale, placed) = figures(&app).await?;
    println!("{on_sale} on sale, {placed} orders");
    app.close().await?;
    println!("closed");
    Ok(())
}
