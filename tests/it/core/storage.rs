use std::sync::Arc;

use shop_core::storage::Sqlite;
use shop_core::storage::conformance::BEHAVIOURS;

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
