//! The server as its operator sees it: a process with a log.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::binary;

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
fn the_demonstration_says_how_to_log_in_and_has_something_to_show() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut process = server(folder.path()).arg("--demo").spawn().expect("starts");
    let (address, log) = started(&mut process);
    let shown: Vec<String> = log.take(3).collect();
    assert!(shown.iter().any(|line| line.contains("ADMIN logs in with")), "{shown:?}");
    assert!(shown.iter().any(|line| line.contains(&format!("http://{address}/api/products"))));
    assert!(get(&address, "/api/products").contains("\"slug\""));
    process.kill().expect("killed");
    process.wait().expect("gone");
}

#[test]
fn what_keeps_it_from_starting_is_said_in_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let taken = taken.local_addr().expect("an address").to_string();
    for (name, value, args, reason) in [
        ("", "", ["--listen", &taken], "cannot listen on"),
        ("", "", ["--config", "missing.toml"], "cannot read missing.toml"),
        ("", "", ["--database", "no/such/folder/shop.db"], "cannot open the shop in no/such"),
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
