use std::fs;

use serde_json::Value;

use super::busy_shop;
use crate::cli::Cli;

#[test]
fn what_is_pending_is_told_before_it_is_applied() {
    let cli = Cli::on_file();
    let json = |arguments: &[&str]| {
        let ended = cli.run(&[arguments, &["--format", "json"]].concat(), "");
        assert_eq!(ended.code, Some(0), "{ended:?}");
        serde_json::from_str::<Value>(&ended.stdout).expect("JSON")
    };
    let before = json(&["db", "migrate", "--dry-run"]);
    assert_eq!((before["version"].as_i64(), cli.database().exists()), (Some(0), false));
    assert_eq!(before["pending"][0]["name"], "foundation");
    assert_eq!(json(&["db", "migrate"]), before);
    let after = json(&["db", "migrate"]);
    assert_eq!((&after["version"], &after["known"]), (&before["known"], &before["known"]));
    assert_eq!(after["pending"], Value::Array(Vec::new()));
    super::plant(
        &cli.database(),
        "INSERT INTO schema_migration (version, name) VALUES (9999, 'future')",
    );
    let newer = cli.run(&["db", "migrate"], "");
    assert_eq!(newer.code, Some(1), "{newer:?}");
    assert!(newer.stderr.contains("written by a newer version"), "{newer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn figures_are_those_of_the_file() {
    let cli = busy_shop().await;
    let ended = cli.run(&["db", "stats", "--format", "json"], "");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let stats: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    let tables = stats["tables"].as_array().expect("a list");
    let orders = tables.iter().find(|table| table["name"] == "orders").expect("there");
    assert_eq!(orders["rows"], super::count(&cli.database(), "SELECT count(*) FROM orders"));
    let bytes: i64 = tables.iter().filter_map(|table| table["bytes"].as_i64()).sum();
    let file = stats["file"]["pages"].as_i64().expect("pages") * 4096;
    assert!(bytes > 0 && bytes <= file, "{bytes} of {file}");
    let waiting = stats["pending"].as_array().expect("a list");
    let events = waiting.iter().find(|it| it["what"] == "events").expect("there");
    assert!(events["rows"].as_i64() > Some(0) && events["oldest"].is_string(), "{waiting:?}");
    let table = cli.run(&["db", "stats"], "");
    assert!(table.stdout.contains("schema version"), "{table:?}");
}

#[test]
fn what_is_no_shop_is_not_all_right() {
    let cli = Cli::on_file();
    fs::write(cli.dir.path().join("empty"), "").expect("written");
    rusqlite::Connection::open(cli.dir.path().join("other"))
        .and_then(|conn| conn.execute_batch("CREATE TABLE t (x INTEGER)"))
        .expect("a database");
    for file in ["empty", "other"] {
        for command in ["check", "stats"] {
            let failed = cli.run_bare(&["db", command, "--database", file], &[], "");
            assert_eq!((failed.code, &*failed.stdout), (Some(1), ""), "{failed:?}");
            assert_eq!(failed.stderr, format!("error: {file}: it is no shop's database\n"));
        }
    }
}

#[test]
fn a_file_whose_log_cannot_be_opened_is_named() {
    let cli = Cli::on_file();
    assert_eq!(cli.run(&["db", "migrate"], "").code, Some(0));
    // Where its log should be.
    fs::create_dir(cli.dir.path().join("shop.db-wal")).expect("a folder");
    for command in [&["check"][..], &["stats"], &["backup", "copy.db"]] {
        let command = [&["db", "--database", "shop.db"], command].concat();
        let failed = cli.run_bare(&command, &[], "");
        assert_eq!((failed.code, &*failed.stdout), (Some(1), ""), "{failed:?}");
        let why = "error: shop.db: SQLite can neither open nor make the log beside it";
        assert!(failed.stderr.starts_with(why), "{failed:?}");
    }
    let failed = cli.run(&["order", "list"], "");
    assert!(failed.stderr.contains("must be allowed to write both the file"), "{failed:?}");
}
