//! A catalogue out of a CSV file (`sku;name;price;stock`), through the library: many rows at a
//! time, because the shop commits what comes together with one flush, and a key for each row, so
//! that the same file again makes nothing twice.
//! `cargo run -p shop-examples --example bulk_import [-- FILE]`; without a file it makes one up.

use std::error::Error;
use std::io::Read;
use std::time::Instant;

use futures_util::StreamExt;
use shop_core::Shop;
use shop_core::actor::Actor;
use shop_core::catalog::{NewProduct, ProductFilter};
use shop_core::testing::TestShop;

/// How many rows are under way at a time.
const AT_ONCE: usize = 64;

/// What became of a file.
#[derive(Debug, Default, PartialEq, Eq)]
struct Imported {
    created: usize,
    known: usize,
    bad: usize,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let shop = TestShop::open().await?;
    if let Some(file) = std::env::args().nth(1) {
        println!("{:?}", import(&shop, std::fs::File::open(file)?).await?);
        return Ok(());
    }

    let file = made_up(2000);
    let start = Instant::now();
    let first = import(&shop, file.as_bytes()).await?;
    println!("{first:?} in {:.1?}", start.elapsed());
    assert_eq!(first, Imported { created: 2000, known: 0, bad: 2 });
    let again = import(&shop, file.as_bytes()).await?;
    assert_eq!(again, Imported { created: 0, known: 2000, bad: 2 });
    let page = shop.products().list(ProductFilter::default()).await?;
    assert_eq!(page.pagination.total, 2000);
    Ok(())
}

/// Reads a row when there is a place for it, so a file of any size takes the same memory.
async fn import(shop: &Shop, file: impl Read) -> Result<Imported, Box<dyn Error>> {
    let mut reader = csv::ReaderBuilder::new().delimiter(b';').from_reader(file);
    let rows = reader.records().map(|row| async move {
        let row = row?;
        let line = row.position().map_or(0, csv::Position::line);
        add(shop, &row).await.map_err(|error| format!("line {line}: {error}").into())
    });
    let mut rows = futures_util::stream::iter(rows).buffer_unordered(AT_ONCE);
    let mut imported = Imported::default();
    while let Some(row) = rows.next().await {
        let row: Result<bool, Box<dyn Error>> = row;
        match row {
            Ok(true) => imported.created += 1,
            Ok(false) => imported.known += 1,
            Err(error) => {
                eprintln!("{error}");
                imported.bad += 1;
            }
        }
    }
    Ok(imported)
}

/// Adds the product of a row; false where it was added before.
async fn add(shop: &Shop, row: &csv::StringRecord) -> Result<bool, Box<dyn Error>> {
    let (Some(sku), Some(name), Some(price), Some(stock)) =
        (row.get(0), row.get(1), row.get(2), row.get(3))
    else {
        return Err("expected sku;name;price;stock".into());
    };
    let stock: i64 = stock.parse()?;
    let mut new = NewProduct::new(name.parse()?, price.parse()?, stock.try_into()?)?;
    new.sku = Some(sku.parse()?);
    let key = Some(format!("import-{sku}").parse()?);
    Ok(!shop.products().create(&Actor::System, new, key).await?.replayed)
}

fn made_up(rows: usize) -> String {
    let head = "sku;name;price;stock\n".to_owned();
    let bad = "VELA-A;Vela sem preço;caro;1\nVELA-B;Vela a menos;9.90;-1\n";
    let row =
        |file, i| format!("{file}VELA-{i};Vela de número {i};{}.90;{}\n", 10 + i % 90, i % 50);
    (0..rows).fold(head, row) + bad
}
