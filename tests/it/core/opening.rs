//! A shop that is opened: where it writes, and what it says where it cannot.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use serde_json::json;
use shop_core::clock::{Clock, SystemClock};
use shop_core::error::with_causes;
use shop_core::storage::Sqlite;
use shop_core::{Config, Error, Shop, maintenance};

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

/// What SQLite would take for a URI, or for no file at all.
const NO_PATHS: [&str; 4] =
    ["file:m.db?mode=memory&cache=shared", "file:loja.db", "file:x.db?vfs=unix-none", ":memory:"];

#[tokio::test]
async fn a_database_that_is_named_by_more_than_its_path_is_refused() {
    for name in NO_PATHS {
        let before = names(Path::new("."));
        let told = refused(name).await;
        assert!(told.contains("database: a SQLite file is named by its path"), "{name}: {told}");
        assert_eq!(names(Path::new(".")), before, "{name}");
    }
}

#[tokio::test]
async fn the_engine_takes_every_name_for_a_path() {
    const CHILD: &str = "SHOP_TEST_FOLDER_OF_NAMES";
    let Some(folder) = std::env::var_os(CHILD) else {
        // Relative names need a working directory of their own, and that is the whole process's.
        let folder = tempfile::tempdir().expect("a folder");
        let mut again = std::process::Command::new(std::env::current_exe().expect("the tests"));
        let test = "core::opening::the_engine_takes_every_name_for_a_path";
        again.args(["--exact", test]).env(CHILD, folder.path()).current_dir(folder.path());
        let output = again.output().expect("runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        return;
    };
    let folder = Path::new(&folder);
    for name in NO_PATHS {
        drop(Sqlite::open(name).expect(name));
        assert_eq!(names(folder), [name]);
        let file = folder.join(name);
        let metadata = std::fs::metadata(&file).expect("a file");
        assert!(metadata.len() > 4096, "{name}: {}", metadata.len());
        assert_eq!(metadata.mode() & 0o777, 0o600, "{name}");
        // Every other way to it finds the same file.
        let database = maintenance::Database::at(name);
        let report = database.check(SystemClock.now()).await.expect(name);
        assert!(report.is_ok(), "{name}: {report:?}");
        let copy = maintenance::BackupOptions { file: "file:copy.db".into(), replace: false };
        let quiet = Box::new(|_, _| {});
        database.backup(copy, SystemClock.now(), quiet).await.expect(name);
        assert_eq!(names(folder).len(), 2, "{:?}", names(folder));
        std::fs::remove_file(folder.join("file:copy.db")).expect("removed");
        std::fs::remove_file(file).expect("removed");
    }
}

async fn refused(database: &str) -> String {
    let config = Config { database: database.to_owned(), ..Config::default() };
    match Shop::open(config).await {
        Err(error @ Error::Unusable { .. }) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_file_that_cannot_be_a_shops_is_told_by_its_path_and_the_reason() {
    let dir = tempfile::tempdir().expect("a folder");
    let at = |name: &str| dir.path().join(name).display().to_string();
    std::fs::create_dir(at("folder")).expect("a folder");
    std::fs::write(at("text"), "id;name\n1;vela\n".repeat(20)).expect("a file");
    std::fs::create_dir(at("closed")).expect("a folder");
    std::fs::set_permissions(at("closed"), PermissionsExt::from_mode(0o500)).expect("closed");
    // The superuser writes into every folder.
    let is_closed = std::fs::write(at("closed/probe"), "").is_err();
    for (name, reason) in [
        ("no/such/shop.db", "No such file or directory"),
        ("folder", "it is a folder"),
        ("text", "the file is no SQLite database"),
        ("closed/shop.db", "Permission denied"),
    ] {
        if name.starts_with("closed") && !is_closed {
            continue;
        }
        let told = refused(&at(name)).await;
        assert!(told.contains(&at(name)) && told.contains(reason), "{name}: {told}");
    }
}

/// Other users' rights, and whether the file keeps a write-ahead log (docs of SQLite, "The Database
/// Header", offset 18).
fn state(file: &Path) -> (u32, u8) {
    let mode = std::fs::metadata(file).expect("a file").mode() & 0o777;
    (mode, std::fs::read(file).expect("a file")[18])
}

#[tokio::test]
async fn a_file_of_another_program_stays_as_it_is() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("other.db");
    let other = rusqlite::Connection::open(&file).expect("opens");
    let name = file.display().to_string();
    let mut told = Vec::new();
    for table in ["a", "b"] {
        other.execute_batch(&format!("CREATE TABLE {table} (x)")).expect("made");
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o664)).expect("opened up");
        told.push(refused(&name).await);
        assert_eq!(state(&file), (0o664, 1));
        assert_eq!(names(dir.path()), ["other.db"]);
    }
    assert!(told[0].contains("the file holds 1 table of another program"), "{told:?}");
    assert!(told[1].contains("the file holds 2 tables of another program"), "{told:?}");
}

#[tokio::test]
async fn a_shops_file_that_others_may_read_is_closed_to_them_with_its_log() {
    let dir = tempfile::tempdir().expect("a folder");
    let data = Database::migrated_file(dir.path());
    let running = Sqlite::open(data.name()).expect("opens");
    let copied = tempfile::tempdir().expect("a folder");
    // As a process leaves them that is killed.
    for name in names(dir.path()).iter().filter(|name| !name.ends_with("-shm")) {
        let copy = copied.path().join(name);
        std::fs::copy(dir.path().join(name), &copy).expect("copied");
        std::fs::set_permissions(&copy, PermissionsExt::from_mode(0o664)).expect("opened up");
    }
    drop(running);
    let own = names(copied.path());
    let file =
        own.iter().find(|name| name.split('.').next_back() == Some("db")).expect("the shop's");
    let running = Sqlite::open(copied.path().join(file)).expect("opens");
    let after = names(copied.path());
    assert_eq!(after.len(), 3, "{after:?}");
    for name in after {
        let mode = std::fs::metadata(copied.path().join(&name)).expect("a file").mode() & 0o777;
        assert_eq!(mode, 0o600, "{name}: {mode:o}");
    }
    drop(running);
}

#[tokio::test]
async fn what_is_no_regular_file_is_refused_before_it_is_opened() {
    let dir = tempfile::tempdir().expect("a folder");
    let pipe = dir.path().join("pipe");
    let made = std::process::Command::new("mkfifo").args(["-m", "666"]).arg(&pipe).status();
    assert!(made.expect("mkfifo").success());
    let socket = dir.path().join("socket");
    let listener = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
    for file in [&pipe, &socket] {
        let before = std::fs::metadata(file).expect("there").mode();
        let told = refused(&file.display().to_string()).await;
        assert!(told.contains("it is no regular file"), "{told}");
        let looked_at = maintenance::Database::at(&file.display().to_string());
        let error = looked_at.check(SystemClock.now()).await.expect_err("no database");
        assert!(error.to_string().contains("it is no regular file"), "{error}");
        assert_eq!(std::fs::metadata(file).expect("there").mode(), before);
    }
    drop(listener);
}

#[tokio::test]
async fn a_setting_that_cannot_be_used_is_told_once_with_its_key() {
    let config = Config { order_prefix: "vela".to_owned(), ..Config::default() };
    let error = Shop::open(config).await.expect_err("refused");
    assert!(matches!(error, Error::Unusable { .. }), "{error:?}");
    let told = "order_prefix: expected 1 to 10 capital letters or digits";
    for text in [error.to_string(), with_causes(&error)] {
        assert_eq!(text.matches(told).count(), 1, "{text}");
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
