use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};
use shop_core::Config;

use super::{busy_shop, check, count, plant};
use crate::binary::{Server, order};
use crate::cli::Cli;
use crate::core::fixture::{TestShop, input};
use crate::database::{Database, is_file, say, server};

#[tokio::test(flavor = "multi_thread")]
async fn a_shop_that_is_moved_is_the_same_shop() {
    let cli = busy_shop().await;
    let path = |name: &str| cli.dir.path().join(name);
    let first = copied(&cli, "shop.db", "second.db");
    assert!(check(&path("second.db")).await.is_ok());
    // Not one byte of any row is another.
    assert_eq!(copied(&cli, "second.db", "third.db"), first);
    let orders = first.iter().find(|table| table["name"] == "orders").expect("orders");
    assert_eq!(orders["rows"], count(&cli.database(), "SELECT count(*) FROM orders"));
    assert_eq!(names(&first), tables(&cli), "a table that is not moved");
    searches_alike(&cli, "shop.db", "third.db").await;
    // New rows get new ids.
    let ids = "SELECT max(id) FROM event";
    let last = count(&path("third.db"), ids);
    let shop = open(&cli, "third.db").await;
    let product = input(json!({ "name": "Nova", "slug": "nova", "price": 1, "stock": 3 }));
    let by = shop_core::actor::Actor::System;
    shop.products().create(&by, product, None).await.expect("a product");
    let ana = json!({ "name": "Nova", "email": "nova@example.com", "password": "segredo-123" });
    shop.accounts().register(input(ana)).await.expect("registered");
    drop(shop);
    assert!(count(&path("third.db"), ids) > last);
    assert!(check(&path("third.db")).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shop_moves_to_postgresql_and_back() {
    if server().is_none() {
        return say("left out without PostgreSQL: a shop moves there and back");
    }
    let cli = busy_shop().await;
    let there = Database::empty(cli.dir.path());
    let first = copied(&cli, "shop.db", there.name());
    let checked = cli.run_bare(&["db", "check", "--database", there.name()], &[], "");
    assert_eq!(checked.code, Some(0), "{checked:?}");
    let again = cli.run_bare(&["db", "copy", "shop.db", there.name()], &[], "");
    assert_eq!((again.code, again.stderr.contains("is not empty")), (Some(1), true), "{again:?}");
    assert_eq!(copied(&cli, there.name(), "back.db"), first);
    assert!(check(&cli.dir.path().join("back.db")).await.is_ok());
    searches_alike(&cli, "shop.db", there.name()).await;
    // New rows get new ids.
    let last = there.count("SELECT max(id) FROM event");
    let shop = open(&cli, there.name()).await;
    let product = input(json!({ "name": "Nova", "slug": "nova", "price": 1, "stock": 3 }));
    let by = shop_core::actor::Actor::System;
    shop.products().create(&by, product, None).await.expect("a product");
    let ana = json!({ "name": "Nova", "email": "nova@example.com", "password": "segredo-123" });
    shop.accounts().register(input(ana)).await.expect("registered");
    drop(shop);
    assert!(there.count("SELECT max(id) FROM event") > last);
    let stats = cli.run_bare(&["db", "stats", "--database", there.name()], &[], "");
    assert_eq!(stats.code, Some(0), "{stats:?}");
    let checked = cli.run_bare(&["db", "check", "--database", there.name()], &[], "");
    assert_eq!(checked.code, Some(0), "{checked:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_a_cell_holds_it_is_moved_as_it_is() {
    if !is_file("whatever a cell holds") {
        return;
    }
    let test = TestShop::with_machine_clock().await;
    let long = "x".repeat(300_000);
    let rows = [("quotes", "' \" $1 ? \\"), ("light", "🕯️\u{301}"), ("empty", "")];
    for (key, value) in rows {
        let value = value.replace('\'', "''");
        test.raw_sql(&format!("INSERT INTO setting VALUES ('{key}', '{value}', {})", i64::MIN));
    }
    test.raw_sql(&format!("INSERT INTO setting VALUES ('long', '{long}', {})", i64::MAX));
    let cli = Cli::on_file();
    let from = test.database().display().to_string();
    copied(&cli, &from, "copy.db");
    // These rows alone: the open shop goes on writing its own.
    let same = "SELECT count(*) FROM setting s JOIN a.setting t
                ON t.key = s.key AND t.value = s.value AND t.updated_at = s.updated_at
                WHERE s.key IN ('quotes', 'light', 'empty', 'long')";
    let conn = rusqlite::Connection::open(cli.dir.path().join("copy.db")).expect("the copy");
    conn.execute("ATTACH ?1 AS a", [&from]).expect("attached");
    let same: i64 = conn.query_row(same, [], |row| row.get(0)).expect("a number");
    assert_eq!(same, 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_half_moved() {
    let cli = busy_shop().await;
    let path = |name: &str| cli.dir.path().join(name);
    assert_eq!(cli.run(&["db", "migrate"], "").code, Some(0));
    let taken = cli.run(&["db", "copy", "shop.db", "shop.db"], "");
    assert_eq!(taken.code, Some(4), "{taken:?}");
    let missing = cli.run(&["db", "copy", "missing.db", "to.db"], "");
    assert_eq!(missing.code, Some(3), "{missing:?}");
    fs::copy(cli.database(), path("old.db")).expect("copied");
    plant(&path("old.db"), "DELETE FROM schema_migration WHERE version > 8");
    let old = cli.run(&["db", "copy", "old.db", "to.db"], "");
    assert_eq!((old.code, old.stderr.contains("see db migrate")), (Some(1), true), "{old:?}");
    // A row that refers to nothing cannot be written, after much that could.
    fs::copy(cli.database(), path("torn.db")).expect("copied");
    plant(
        &path("torn.db"),
        "UPDATE nfe_document SET nfe_id = 'gone'; UPDATE refund SET payment_id = 'gone'",
    );
    let torn = cli.run(&["db", "copy", "torn.db", "to.db"], "");
    assert_eq!(torn.code, Some(70), "{torn:?}");
    for left in ["to.db", "to.db.incomplete", "to.db.incomplete-wal"] {
        assert!(!path(left).exists(), "{left}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_moved_shop_is_served() {
    if !is_file("a moved shop is served") {
        return;
    }
    let test = TestShop::with_machine_clock().await;
    let buyer = test.buyer("ana").await;
    let vela = test.product("vela", 10, 1990).await;
    let token = test.log_in("ana").await;
    let cli = Cli::on_file();
    copied(&cli, &test.database().display().to_string(), "shop.db");
    let server = Server::start(&cli.database());
    let items = json!([{ "productId": vela, "quantity": 1 }]);
    let body = json!({ "addressId": buyer.address, "cartItems": items });
    // Sessions, and the secrets that sign them, moved too.
    let (status, placed) = order(&server.address, &token, "one", &body).expect("an answer");
    assert_eq!(status, 201, "{placed}");
    server.kill();
    assert!(check(&cli.database()).await.is_ok());
}

fn names(tables: &[Value]) -> BTreeSet<String> {
    tables.iter().map(|table| table["name"].as_str().expect("a name").to_owned()).collect()
}

/// Every table but those of a database's own: which migrations ran, and the leases that are held.
fn tables(cli: &Cli) -> BTreeSet<String> {
    let rows = cli.data.rows(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
         AND name NOT IN ('sqlite_schema', 'schema_migration', 'lease')",
    );
    rows.into_iter().map(|row| row[0].clone().expect("a name")).collect()
}

/// Moves a shop and tells what was moved.
fn copied(cli: &Cli, from: &str, to: &str) -> Vec<Value> {
    let ended = cli.run_bare(&["db", "copy", from, to, "--format", "json"], &[], "");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let report: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    report["tables"].as_array().expect("a list").clone()
}

async fn open(cli: &Cli, file: &str) -> shop_core::Shop {
    let database = if file.contains("://") {
        file.to_owned()
    } else {
        cli.dir.path().join(file).display().to_string()
    };
    shop_core::Shop::open(Config { database, ..Config::default() }).await.expect("a shop")
}

/// Shoppers and staff find the same in both.
async fn searches_alike(cli: &Cli, one: &str, other: &str) {
    let (one, other) = (open(cli, one).await, open(cli, other).await);
    let mut hits = 0;
    for words in ["vela", "difusor", "lavanda", "ve", "produto"] {
        let query = || input(json!({ "q": words }));
        let found = one.products().search(query()).await.expect("a page");
        assert_eq!(other.products().search(query()).await.expect("a page"), found);
        hits += found.pagination.total;
    }
    assert!(hits > 0, "nothing was searched for that is there");
}
