//! Databases with many products, made once and kept under `target/bench-data`.

use std::path::{Path, PathBuf};

use shop_core::demo::{self, DemoSize};
use shop_core::{Config, Shop};

/// Where the benchmarks keep their files; the folder is there.
pub(crate) fn folder() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/bench-data");
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// A database with so many products.
pub(crate) async fn seeded(products: u32) -> PathBuf {
    let file = folder().join(format!("shop-{products}.db"));
    if !file.exists() {
        let making = file.with_extension("making");
        let shop = open(&making).await;
        demo::seed(&shop, DemoSize::Products(products)).await.expect("seeded");
        drop(shop);
        std::fs::rename(&making, &file).expect("renamed");
    }
    file
}

/// The shop of such a database.
pub(crate) async fn open(file: &Path) -> Shop {
    let (database, uploads) = (file.display().to_string(), file.with_extension("uploads"));
    let config = Config { database, uploads_dir: Some(uploads), ..Config::default() };
    Shop::open(config).await.expect("opens")
}
