//! What is done to a shop's data as a whole.

mod backup;
mod copy;
mod damage;
mod released;
mod schema;
mod target;
mod unreachable;
mod upgrade;

use std::path::Path;
use std::time::Duration;

use serde_json::json;
use shop_core::clock::{Clock, SystemClock};
use shop_core::maintenance::{CheckReport, Database};

use tokio::sync::OnceCell;

use super::Cli;
use crate::core::fixture::input;

/// A shop with a bit of everything that is counted somewhere: a copy of one that is filled once.
async fn busy_shop() -> Cli {
    static FILLED: OnceCell<Vec<u8>> = OnceCell::const_new();
    let filled = FILLED.get_or_init(async || filled_shop().await.data.everything()).await;
    Cli::with_copy_of(filled)
}

async fn filled_shop() -> Cli {
    let cli = Cli::with_shop_on_file();
    let size = ["--products", "30", "--customers", "10", "--orders", "300"];
    let seeded = cli.run(&[&["demo", "seed"][..], &size].concat(), "");
    assert_eq!(seeded.code, Some(0), "{seeded:?}");
    let shop = cli.shop().await;
    let webhook = json!({ "url": "https://shop.example/hook", "events": ["order.created"],
                          "secret": "um-segredo-de-mais-de-32-caracteres-aqui" });
    let by = shop_core::actor::Actor::System;
    shop.webhooks().create(&by, input(webhook)).await.expect("a webhook");
    super::order(&shop).await;
    drop(shop);
    cli
}

/// What all checks find in a file.
async fn check(file: &Path) -> CheckReport {
    let database = Database::at(&file.display().to_string());
    database.check(SystemClock.now()).await.expect("a report")
}

/// Changes a database file without the library.
pub(super) fn plant(file: &Path, sql: &str) {
    let conn = rusqlite::Connection::open(file).expect("the file");
    conn.busy_timeout(Duration::from_secs(5)).expect("a timeout");
    let lawless = "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON;";
    conn.execute_batch(&format!("{lawless} {sql}"))
        .unwrap_or_else(|error| panic!("{sql}: {error}"));
}

fn count(file: &Path, sql: &str) -> i64 {
    let conn = rusqlite::Connection::open(file).expect("the file");
    conn.query_row(sql, [], |row| row.get(0)).expect("a number")
}
