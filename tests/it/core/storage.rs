use std::sync::Arc;

use futures_util::future::join_all;

use shop_core::storage::conformance::BEHAVIOURS;
use shop_core::storage::{Postgres, Sqlite};
use shop_core::{Config, Shop};

use super::fixture::TestShop;
use crate::database::{self, Database};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_shows_every_behaviour_of_an_engine() {
    let mut failures = Vec::new();
    for behaviour in BEHAVIOURS {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let engine = Sqlite::open(dir.path().join("shop.db")).expect("opens");
        if let Err(why) = (behaviour.check)(Arc::new(engine)).await {
            failures.push(format!("{}: {why}", behaviour.name));
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgresql_shows_every_behaviour_of_an_engine() {
    if database::server().is_none() {
        database::say("left out: everything on PostgreSQL; SHOP_TEST_POSTGRES names no server");
        return;
    }
    let (mut failures, dir) = (Vec::new(), tempfile::tempdir().expect("a temporary folder"));
    for behaviour in BEHAVIOURS {
        let database = Database::new(dir.path());
        let url = database.name().to_owned();
        let engine = tokio::task::spawn_blocking(move || Postgres::open(&url)).await;
        let engine = Arc::new(engine.expect("no panic").expect("opens"));
        if let Err(why) = (behaviour.check)(engine).await {
            failures.push(format!("{}: {why}", behaviour.name));
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

#[tokio::test]
async fn a_database_of_a_newer_version_is_refused_and_left_alone() {
    let test = TestShop::open().await;
    test.raw_sql("INSERT INTO schema_migration (version, name) VALUES (9999, 'from the future')");
    let config = test.shop.config().clone();
    let refused = Shop::open(config).await.expect_err("refused");
    let why = std::error::Error::source(&refused).expect("a reason").to_string();
    assert!(why.contains("newer version"), "{why}");
    assert_eq!(test.count("SELECT max(version) FROM schema_migration"), 9999);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn processes_that_open_a_new_file_at_once_migrate_it_once() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let database = Database::empty(dir.path());
    let config = Config { database: database.name().to_owned(), ..Config::default() };
    let opened = join_all((0..8).map(|_| Shop::open(config.clone()))).await;
    assert!(opened.iter().all(Result::is_ok), "{opened:?}");
}
