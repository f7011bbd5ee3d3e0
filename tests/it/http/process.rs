//! The server as its operator sees it: a process with a log.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::json;
use shop_core::clock::{Clock, SystemClock};

use crate::binary;
use crate::fakes::signature;

pub(super) fn server(folder: &Path) -> Command {
    let mut command = Command::new(binary::path("shop-server"));
    command.args(["--listen", "127.0.0.1:0", "--database"]).arg(folder.join("shop.db"));
    command.env_clear().current_dir(folder).stderr(Stdio::piped());
    command
}

/// The address that its log says it listens on, and the log from there.
pub(super) fn started(process: &mut Child) -> (String, impl Iterator<Item = String> + use<>) {
    let log = BufReader::new(process.stderr.take().expect("its log"));
    let mut lines = log.lines().map(|line| line.expect("text"));
    let mut before = Vec::new();
    for line in lines.by_ref() {
        if let Some((_, address)) = line.split_once("listening on http://") {
            return (address.to_owned(), lines);
        }
        before.push(line);
    }
    panic!("it does not listen: {before:?}");
}

pub(super) fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("connects");
    write!(stream, "GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").expect("sends");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

#[test]
fn it_says_where_it_listens_and_stops_when_it_is_told_to() {
    for signal in ["TERM", "INT"] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut process = server(folder.path()).spawn().expect("starts");
        let (address, log) = started(&mut process);
        assert!(get(&address, "/readyz").starts_with("HTTP/1.1 200"));
        let told = Command::new("kill").args(["-s", signal, &process.id().to_string()]).status();
        assert!(told.expect("kill").success());
        assert!(process.wait().expect("ends").success());
        assert!(log.last().is_some_and(|line| line.contains("stopped")));
        assert!(TcpStream::connect(&address).is_err());
    }
}

#[test]
fn a_log_that_nobody_reads_stops_neither_the_shop_nor_its_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut process = server(folder.path()).env("SHOP_LOG", "debug").spawn().expect("starts");
    let (address, log) = started(&mut process);
    // More lines than a pipe holds.
    for _ in 0..600 {
        assert!(get(&address, "/api/products/none").starts_with("HTTP/1.1 "));
    }
    assert!(get(&address, "/healthz").starts_with("HTTP/1.1 200"));
    let told = Command::new("kill").arg(process.id().to_string()).status();
    assert!(told.expect("kill").success());
    assert!(process.wait().expect("ends").success());
    drop(log);
}

#[test]
fn a_shop_that_charges_nothing_for_shipping_says_so_when_it_is_opened() {
    let folder = tempfile::tempdir().expect("a folder");
    for (setting, value, is_said) in [
        ("SHOP_SHIPPING__FREE_FROM", "150.00", true),
        ("SHOP_SHIPPING__FREE_FROM", "0.00", false),
        ("SHOP_SHIPPING__FALLBACK_PRICE", "19.90", false),
    ] {
        let mut command = server(folder.path());
        let mut process = command.env(setting, value).spawn().expect("starts");
        let log = BufReader::new(process.stderr.take().expect("its log")).lines();
        let before: Vec<String> = log
            .map(|line| line.expect("text"))
            .take_while(|line| !line.contains("listening on http://"))
            .collect();
        let said = before.iter().any(|it| it.contains("every order is sent for R$ 0,00"));
        assert_eq!(said, is_said, "{setting} = {value}: {before:?}");
        process.kill().expect("killed");
        process.wait().expect("gone");
    }
}

#[test]
fn the_demonstration_says_how_to_log_in_and_has_something_to_show() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut process = server(folder.path()).arg("--demo").spawn().expect("starts");
    let mut log = BufReader::new(process.stderr.take().expect("its log")).lines();
    let first = log.next().expect("a line").expect("text");
    let (_, address) = first.split_once("listening on http://").expect("nothing before it");
    let shown: Vec<String> = log.take(4).map(|line| line.expect("text")).collect();
    assert!(shown.iter().any(|line| line.contains("ADMIN logs in with")), "{shown:?}");
    assert!(shown.iter().any(|line| line.contains(&format!("http://{address}/api/products"))));
    assert!(get(address, "/api/products").contains("\"slug\""));
    process.kill().expect("killed");
    process.wait().expect("gone");
}

#[test]
fn a_mistyped_level_of_the_log_silences_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    for levels in ["warning", "infos", "error,nope", "shop_server=loud"] {
        let mut command = server(folder.path());
        command.env("SHOP_LOG", levels).env("SHOP_ENVIRONMENT", "production");
        let output = command.output().expect("runs");
        let log = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(1), "{levels}: {log}");
        assert!(log.contains("SHOP_LOG: must be levels"), "{levels}: {log}");
        assert!(log.contains("jwt_secret"), "{levels}: {log}");
    }
    for levels in ["error", "shop_server=debug,error", "ERROR", ""] {
        let mut command = server(folder.path());
        command.env("SHOP_LOG", levels).env("SHOP_ENVIRONMENT", "production");
        let log = String::from_utf8(command.output().expect("runs").stderr).expect("text");
        assert!(log.contains("jwt_secret") && !log.contains("SHOP_LOG"), "{levels}: {log}");
    }
}

#[test]
fn what_keeps_it_from_starting_is_said_in_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let taken = taken.local_addr().expect("an address").to_string();
    for (name, value, args, reason) in [
        ("", "", ["--listen", &taken], "cannot listen on"),
        ("", "", ["--config", "missing.toml"], "cannot read missing.toml"),
        ("", "", ["--database", "no/such/folder/shop.db"], "there is no folder no/such/folder"),
        ("SHOP_JWT_SECRET", "hush", ["--log-format", "json"], "jwt_secret"),
        ("SHOP_ENVIRONMENT", "production", ["--log-format", "text"], "jwt_secret"),
    ] {
        let mut command = Command::new(binary::path("shop-server"));
        command.current_dir(folder.path()).env_clear().env("SHOP_LISTEN", "127.0.0.1:0");
        if !name.is_empty() {
            command.env(name, value);
        }
        let output = command.args(args).output().expect("runs");
        assert_eq!(output.status.code(), Some(1), "{reason}");
        let log = String::from_utf8(output.stderr).expect("text");
        assert!(log.contains(reason), "{reason}: {log}");
        assert!(!log.contains("hush") && !log.contains("backtrace"), "{log}");
    }
}

/// A command that runs without any umask.
fn open_handed(program: &str, folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", "umask 0; exec \"$0\" \"$@\""]).arg(binary::path(program)).args(arguments);
    command.env_clear().current_dir(folder).stderr(Stdio::piped());
    command
}

/// The files and folders below a folder, with their rights.
fn rights(folder: &Path, found: &mut Vec<(String, bool, u32)>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        // SQLite's own files come and go.
        let Ok(metadata) = std::fs::metadata(&path) else { continue };
        found.push((path.display().to_string(), metadata.is_dir(), metadata.mode() & 0o777));
        if metadata.is_dir() {
            rights(&path, found);
        }
    }
}

#[test]
fn other_users_of_the_machine_cannot_read_what_the_shop_writes() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["--demo", "--listen", "127.0.0.1:0", "--database", "shop.db"];
    let mut process =
        open_handed("shop-server", folder.path(), &arguments).spawn().expect("starts");
    let (address, _log) = started(&mut process);
    // Which is told by mail.
    let ana = r#"{"name":"Ana","email":"ana@example.com","password":"segredo-123"}"#;
    binary::post(&address, "/api/auth/register", &[], ana).expect("an answer");
    let outbox = folder.path().join("outbox");
    let is_mail = |name: &std::ffi::OsStr| name.to_string_lossy().ends_with(".eml");
    let has_mail = || {
        let entries = std::fs::read_dir(&outbox).into_iter().flatten().flatten();
        entries.into_iter().any(|entry| is_mail(&entry.file_name()))
    };
    for _ in 0..600 {
        if has_mail() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert!(has_mail(), "no mail was written");
    let run = |arguments: &[&str]| {
        let output = open_handed("shop-cli", folder.path(), arguments).output().expect("runs");
        assert!(output.status.success(), "{arguments:?}: {output:?}");
    };
    run(&["db", "backup", "backup.db", "--database", "shop.db"]);
    let mut found = Vec::new();
    rights(folder.path(), &mut found);
    process.kill().expect("killed");
    process.wait().expect("gone");
    run(&["db", "restore", "backup.db", "--yes", "--database", "shop.db"]);
    run(&["db", "restore", "backup.db", "--yes", "--database", "another.db"]);
    rights(folder.path(), &mut found);
    for name in ["shop.db", "shop.db-wal", "shop.db-shm", "backup.db", "another.db", ".eml"] {
        assert!(found.iter().any(|(path, ..)| path.ends_with(name)), "{name}: {found:?}");
    }
    assert!(found.iter().any(|(path, ..)| path.contains("shop.db.replaced-")), "{found:?}");
    for (path, is_folder, mode) in found {
        assert_eq!(mode, if is_folder { 0o700 } else { 0o600 }, "{path}: {mode:o}");
    }
}

#[test]
fn a_file_that_is_no_shops_is_refused_in_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name);
    std::fs::write(file("text.db"), "id;name\n1;vela\n".repeat(20)).expect("written");
    std::fs::write(file("short.db"), "SQLite format 3\0").expect("written");
    std::fs::create_dir(file("folder.db")).expect("made");
    let database = |name: &str, sql: &str| {
        let conn = rusqlite::Connection::open(file(name)).expect("a database");
        conn.execute_batch(sql).expect("statements");
    };
    database("foreign.db", "CREATE TABLE note (text TEXT)");
    database("marked.db", "PRAGMA application_id = 252006674; CREATE TABLE note (text TEXT)");
    let whole = format!("shop-cli {}", file("whole.db").display());
    let migrate = ["db", "migrate", "--database", "whole.db"];
    let output = open_handed("shop-cli", folder.path(), &migrate).output().expect(&whole);
    assert!(output.status.success(), "{output:?}");
    // What stands beside it in the write-ahead log belongs to it.
    database("whole.db", "PRAGMA journal_mode = DELETE");
    for name in ["newer.db", "cut.db", "damaged.db"] {
        std::fs::copy(file("whole.db"), file(name)).expect("copied");
    }
    database("newer.db", "INSERT INTO schema_migration VALUES (9999, 'tomorrow')");
    database("cut.db", "PRAGMA journal_mode = DELETE");
    let cut = std::fs::OpenOptions::new().write(true).open(file("cut.db")).expect("opens");
    cut.set_len(cut.metadata().expect("a size").len() / 2).expect("cut");
    database("damaged.db", "PRAGMA journal_mode = DELETE");
    let mut bytes = std::fs::read(file("damaged.db")).expect("read");
    bytes[100..2000].fill(0x5a);
    std::fs::write(file("damaged.db"), bytes).expect("written");
    for (name, told) in [
        ("text.db", "the file is no SQLite database"),
        ("short.db", "the file is no SQLite database"),
        ("folder.db", "it is a folder"),
        ("foreign.db", "1 table of another program"),
        ("marked.db", "another program's database"),
        ("newer.db", "written by a newer version"),
        ("cut.db", "the file is cut off"),
        ("damaged.db", "the file is damaged"),
    ] {
        let mut server = Command::new(binary::path("shop-server"));
        server.args(["--listen", "127.0.0.1:0", "--database", name]).env_clear();
        let output = server.current_dir(folder.path()).output().expect("runs");
        let log = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{name}: {log}");
        assert!(log.contains(told) && log.contains(name), "{name}: {log}");
        let mut cli = Command::new(binary::path("shop-cli"));
        cli.args(["order", "list", "--database", name]).env_clear();
        let output = cli.current_dir(folder.path()).output().expect("runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(told), "{name}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signed_event_that_is_dropped_is_logged_with_the_reason() {
    const SECRET: &str = "whsec_of_this_log";
    let folder = tempfile::tempdir().expect("a folder");
    let variables = [("SHOP_PAYMENTS__PROVIDER2__WEBHOOK_SECRET", SECRET)];
    let server = binary::Server::start_with(&folder.path().join("shop.db"), variables);
    let intent = json!({ "id": "pi_of_another_shop", "amount": 1, "amount_received": 1,
        "currency": "brl" });
    for (kind, object, why) in [
        ("customer.created", json!({ "id": "cus_1" }), "none of those that payments follow"),
        ("payment_intent.succeeded", json!({ "id": "pi_1" }), "no payment intent, or no amount"),
        ("payment_intent.succeeded", intent, "no order of this shop"),
    ] {
        let body = json!({ "id": "evt_1", "type": kind, "data": { "object": object } });
        let event = signature::event(SECRET, &body, SystemClock.now().seconds());
        let signed = event.signature.expect("signed");
        let text = String::from_utf8(event.body).expect("text");
        let headers = [("stripe-signature", signed.as_str())];
        let path = "/api/payments/provider2/webhook";
        let answer = binary::post(&server.address, path, &headers, &text).expect("an answer");
        assert_eq!(answer.0, 200, "{answer:?}");
        let logged = async {
            while !server.log().contains(why) {
                tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            }
        };
        let in_time = tokio::time::timeout(std::time::Duration::from_secs(20), logged).await;
        assert!(in_time.is_ok(), "{why}: {}", server.log());
        assert!(server.log().contains(&format!("{kind:?}")), "{}", server.log());
    }
    server.kill();
}
