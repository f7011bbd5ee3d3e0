//! A shop that is opened: where it writes, and what it says where it cannot.

use std::path::Path;

use serde_json::json;
use shop_core::storage::Sqlite;
use shop_core::{Config, Error, Shop};

use super::fixture::input;
use crate::database::{self, Database};

/// The names in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<_> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort_unstable();
    names
}

#[tokio::test]
async fn what_a_shop_writes_stands_beside_its_file_where_no_other_place_is_named() {
    let dir = tempfile::tempdir().expect("a folder");
    let before = names(Path::new("."));
    let database = dir.path().join("shop.db").display().to_string();
    let shop = Shop::open(Config { database, ..Config::default() }).await.expect("opens");
    let ana = json!({ "name": "Ana", "email": "ana@example.com", "password": "segredo-123" });
    shop.accounts().register(input(ana)).await.expect("registers");
    assert_eq!(shop.run_due().await.expect("done").mails_sent, 1);
    let name = "018f.png".parse().expect("a name");
    shop.media().put(name, b"picture".to_vec()).await.expect("put");
    let written = names(dir.path());
    for folder in ["outbox", "uploads"] {
        assert!(written.iter().any(|it| it == folder), "{folder}: {written:?}");
    }
    assert_eq!(names(Path::new(".")), before, "something was written to the working directory");
}

#[test]
fn a_shop_on_a_server_has_no_folder_that_nobody_named() {
    let with = |database: &str| Config { database: database.to_owned(), ..Config::default() };
    assert_eq!(with("postgres://localhost/shop").outbox_dir(), None);
    assert_eq!(with("data/shop.db").outbox_dir().as_deref(), Some(Path::new("data/outbox")));
    assert_eq!(with("shop.db").uploads_dir(), Path::new("uploads"));
}

async fn refused(database: &str) -> String {
    let config = Config { database: database.to_owned(), ..Config::default() };
    match Shop::open(config).await {
        Err(error @ Error::Unusable { .. }) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_database_server_that_is_not_there_is_told_in_words() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = free.local_addr().expect("an address");
    drop(free);
    let told = refused(&format!("postgres://loja:hush@{address}/loja")).await;
    assert!(told.contains(&format!("no PostgreSQL server answers at {address}")), "{told}");
    assert!(told.contains("correct host and port in the database's URL"), "{told}");
    assert!(!told.contains("hush"), "{told}");
}

#[tokio::test]
async fn a_database_that_is_not_there_or_not_the_shops_is_told_in_words() {
    let Some(server) = database::server() else {
        database::say(
            "left out: databases that cannot be used; SHOP_TEST_POSTGRES names no server",
        );
        return;
    };
    let dir = tempfile::tempdir().expect("a folder");
    let data = Database::new(dir.path());
    let (base, _) = server.rsplit_once('/').expect("a URL");
    let told = refused(&format!("{base}/no_such_database")).await;
    assert!(told.contains("has no database no_such_database"), "{told}");
    assert!(told.contains("CREATE DATABASE"), "{told}");
    let role = format!("stranger_{}", std::process::id());
    data.raw_sql(&format!("CREATE ROLE {role} LOGIN PASSWORD 'hush'"));
    let (scheme, place) = data.name().split_once("://").expect("a URL");
    let place = place.rsplit_once('@').map_or(place, |(_, place)| place);
    let told = refused(&format!("{scheme}://{role}:hush@{place}")).await;
    data.raw_sql(&format!("DROP ROLE {role}"));
    assert!(told.contains(&format!("{role} may not use the database")), "{told}");
    assert!(told.contains("GRANT ALL ON SCHEMA public") && !told.contains("hush"), "{told}");
}

#[tokio::test]
async fn a_mail_without_a_way_out_waits_for_one() {
    let dir = tempfile::tempdir().expect("a folder");
    let data = Database::migrated_file(dir.path());
    // As a shop on a server, which has no folder beside it.
    let database = "postgres://shop@127.0.0.1:1/shop".to_owned();
    let storage = Sqlite::open(data.name()).expect("opens");
    let builder = Shop::builder(Config { database, ..Config::default() }).storage(storage);
    let shop = builder.open().await.expect("opens");
    let ana = json!({ "name": "Ana", "email": "ana@example.com", "password": "segredo-123" });
    shop.accounts().register(input(ana)).await.expect("registers");
    assert_eq!(shop.run_due().await.expect("done").mails_sent, 0);
    // A mail that is tried is given up some day.
    let untried = "SELECT count(*) FROM mail WHERE attempts = 0 AND next_try_at = created_at";
    assert_eq!(data.count(untried), 1);
}
