//! Shops of earlier versions, opened with this one.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{check, count};
use crate::cli::Cli;
use crate::core::fixture::input;

/// What a shop of the first versions has: two customers and staff, a product with reviews, a
/// coupon, orders that are open, paid, refunded and cancelled.
const ROWS: &str = include_str!("earlier.sql");

/// The migrations up to a version, as files in their order.
fn migrations(upto: i64) -> Vec<(i64, String, PathBuf)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../shop-core/migrations");
    let files = fs::read_dir(folder).expect("the migrations");
    let mut found: Vec<_> = files
        .map(|file| file.expect("a file").path())
        .filter_map(|path| {
            let name = path.file_name()?.to_str()?.strip_suffix(".sql")?.to_owned();
            let (version, topic) = name.split_once('_')?;
            let of_sqlite = !topic.contains('.') || topic.ends_with(".sqlite");
            let version = version.parse().ok()?;
            (of_sqlite && version <= upto).then(|| (version, topic.to_owned(), path))
        })
        .collect();
    found.sort();
    found
}

/// A file as a version left it that only knew the first migrations.
fn make(file: &Path, upto: i64) {
    let conn = rusqlite::Connection::open(file).expect("a file");
    conn.execute_batch(
        "CREATE TABLE schema_migration (version INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT",
    )
    .expect("notes");
    for (version, topic, path) in migrations(upto) {
        let sql = fs::read_to_string(path).expect("a migration");
        let sql = sql.replace("{int}", "INTEGER").replace("{end}", "STRICT");
        let sql = sql.replace("{serial}", "INTEGER PRIMARY KEY");
        conn.execute_batch(&sql).unwrap_or_else(|error| panic!("{version} {topic}: {error}"));
        let note = "INSERT INTO schema_migration VALUES (?1, ?2) ON CONFLICT DO NOTHING";
        conn.execute(note, (version, topic)).expect("noted");
    }
    conn.execute_batch(ROWS).expect("rows");
    if upto >= 6 {
        // What that version would have counted itself.
        conn.execute_batch(
            "UPDATE payment SET captured = amount WHERE status IN ('PAID', 'REFUNDED');
             UPDATE payment SET refunded = amount, refund_reserved = amount
             WHERE status = 'REFUNDED';
             UPDATE stock SET order_lines = 5;
             UPDATE order_day SET pending = 1, processing = 1, cancelled = 1, refunded = 1,
               revenue = 8970;",
        )
        .expect("counted");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shop_of_an_earlier_version_is_upgraded_with_its_books_in_order() {
    for upto in [2, 4, 9] {
        let cli = Cli::on_file();
        make(&cli.database(), upto);
        let before = fs::read(cli.database()).expect("there");
        // A copy can be made, and looked at, before anything is changed.
        let backup = cli.run(&["db", "backup", "before.backup"], "");
        assert_eq!(backup.code, Some(0), "{upto}: {backup:?}");
        let pending = cli.run(&["db", "migrate", "--dry-run", "--format", "json"], "");
        let pending: Value = serde_json::from_str(&pending.stdout).expect("JSON");
        assert_eq!(
            (&pending["version"], &pending["pending"][0]["version"]),
            (&json!(upto), &json!(upto + 1))
        );
        assert_eq!(fs::read(cli.database()).expect("there"), before, "{upto}: it was changed");
        let migrated = cli.run(&["db", "migrate"], "");
        assert_eq!(migrated.code, Some(0), "{upto}: {migrated:?}");
        let report = check(&cli.database()).await;
        assert!(report.is_ok(), "{upto}: {:?}", report.wrong().collect::<Vec<_>>());
        sells_on(&cli).await;
        let report = check(&cli.database()).await;
        assert!(report.is_ok(), "{upto}: {:?}", report.wrong().collect::<Vec<_>>());
    }
}

/// What was there is found, and what comes goes on from it.
async fn sells_on(cli: &Cli) {
    let shop = cli.shop().await;
    let product = shop.products().get_by_slug("vela-de-maca").await.expect("the product");
    assert_eq!((product.stock, product.review_count), (3, 2));
    let found = shop.products().search(input(json!({ "q": "maca" }))).await.expect("a search");
    assert_eq!(found.data.len(), 1, "search does not find what was there");
    let ana = "ana".into();
    let items = json!([{ "productId": product.id, "quantity": 1 }]);
    let order = input(json!({ "addressId": "home", "cartItems": items }));
    let placed = shop.orders().place(&ana, order, None).await.expect("placed").order;
    assert!(!placed.order_number.is_empty());
    let paid = shop.orders().get(&"paid".into()).await.expect("an order");
    let orders = shop.orders();
    let cancelled = shop_core::order::OrderStatus::Cancelled;
    orders.set_status(&paid.id, cancelled, None).await.expect("an old order moves");
    drop(shop);
    assert_eq!(count(&cli.database(), "SELECT quantity FROM stock"), 3 - 1 + 2);
}
