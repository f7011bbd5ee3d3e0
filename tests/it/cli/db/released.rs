//! The files of `tests/schemas`: shops as earlier versions left them, opened, upgraded and served
//! with this one.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde_json::{Value, json};

use super::check;
use crate::binary::{self, Server};
use crate::cli::Cli;

/// The schemas of which there is a file, with their files.
fn kept() -> Vec<(i64, PathBuf)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas");
    let files = fs::read_dir(folder).expect("tests/schemas").map(|it| it.expect("a file").path());
    let mut kept: Vec<_> = files
        .filter_map(|path| {
            let version = path.file_name()?.to_str()?.strip_suffix(".db.gz")?.parse().ok()?;
            Some((version, path))
        })
        .collect();
    kept.sort();
    kept
}

fn unpack(file: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    let packed = fs::File::open(file).expect("a file");
    GzDecoder::new(packed).read_to_end(&mut bytes).expect("a packed file");
    bytes
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shop_of_every_kept_schema_is_upgraded_checked_and_served() {
    let kept = kept();
    assert!(kept.len() > 5, "{kept:?}");
    for (version, file) in kept {
        let cli = Cli::on_file();
        let bytes = unpack(&file);
        fs::write(cli.database(), &bytes).expect("written");
        let told = cli.json(&["db", "migrate", "--dry-run"]);
        assert_eq!((&told["version"], &told["estimatedSeconds"]), (&json!(version), &json!(0)));
        // Nor by a command that asks for something else.
        let refused = cli.run(&["order", "list"], "");
        assert_eq!(refused.code, Some(1), "{refused:?}");
        assert!(refused.stderr.contains("db migrate"), "{refused:?}");
        assert_eq!(fs::read(cli.database()).expect("there"), bytes, "{version}: it was changed");
        assert_eq!(cli.json(&["db", "migrate"]), told, "{version}");
        let report = check(&cli.database()).await;
        assert!(report.is_ok(), "{version}: {:?}", report.wrong().collect::<Vec<_>>());
        let left = cli.json(&["db", "migrate", "--dry-run"]);
        assert_eq!(left["pending"], json!([]), "{version}");
        serves(&cli, version);
    }
}

/// Products are listed by a server, and every order can be read.
fn serves(cli: &Cli, version: i64) {
    let server = Server::start(&cli.database());
    let (status, products) = binary::get(&server.address, "/api/products").expect("an answer");
    let first = &products["data"][0];
    assert_eq!((status, first["price"].is_number()), (200, true), "{version}: {products}");
    let path = format!("/api/products/{}", first["slug"].as_str().expect("a slug"));
    assert_eq!(binary::get(&server.address, &path).expect("an answer").0, 200, "{version}");
    let orders = cli.json(&["order", "list", "--limit", "100"]);
    let orders = orders["data"].as_array().expect("a list");
    assert!(orders.len() >= 4, "{version}: {orders:?}");
    for order in orders {
        let number = order["orderNumber"].as_str().expect("a number");
        let shown = cli.json(&["order", "show", number]);
        assert_eq!(shown["total"], order["total"], "{version}: {shown}");
        let lines = shown["items"].as_array().expect("lines");
        assert!(!lines.is_empty(), "{version}: {shown}");
    }
}

/// On both engines, by the server and by the command line, before anything is read or written.
#[test]
fn a_database_of_a_newer_version_is_refused_in_words() {
    let cli = Cli::new();
    assert_eq!(cli.run(&["db", "migrate"], "").code, Some(0));
    let future = "INSERT INTO schema_migration (version, name) VALUES (9999, 'tomorrow')";
    cli.data.raw_sql(future);
    let words = ["schema version 9999", "written by a newer version", "a backup of before"];
    let commands = [&["db", "migrate"][..], &["db", "migrate", "--dry-run"], &["product", "list"]];
    for command in commands {
        let refused = cli.run(command, "");
        let is_refused = refused.code != Some(0) && refused.stdout.is_empty();
        assert!(is_refused, "{command:?}: {refused:?}");
        assert!(words.iter().all(|it| refused.stderr.contains(it)), "{command:?}: {refused:?}");
    }
    let server = std::process::Command::new(binary::path("shop-server"))
        .args(["--listen", "127.0.0.1:0", "--database", cli.data.name()])
        .env_clear()
        .current_dir(cli.dir.path())
        .output()
        .expect("runs");
    let log = String::from_utf8_lossy(&server.stderr);
    assert_eq!(server.status.code(), Some(1), "{log}");
    assert!(words.iter().all(|it| log.contains(it)), "{log}");
}

#[test]
fn an_upgrade_of_large_tables_is_said_to_take_longer() {
    let (_, file) = kept().remove(0);
    let cli = Cli::on_file();
    fs::write(cli.database(), unpack(&file)).expect("written");
    let grow = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 24000)
        INSERT INTO mail (id, kind, recipient, letter, created_at, sent_at)
        SELECT 'large' || i, 'order-paid', 'a@example.com', printf('%02000d', i), i, i FROM n";
    super::plant(&cli.database(), grow);
    let told = cli.json(&["db", "migrate", "--dry-run"]);
    let seconds = told["estimatedSeconds"].as_u64().expect("seconds");
    assert!((2..60).contains(&seconds), "{seconds}");
    let said = cli.run(&["db", "migrate", "--dry-run"], "").stderr;
    assert!(said.contains(&format!("about {seconds} seconds")), "{said}");
    let Value::Array(pending) = &told["pending"] else { panic!("{told}") };
    assert_eq!(cli.json(&["db", "migrate"])["pending"].as_array(), Some(pending));
}
