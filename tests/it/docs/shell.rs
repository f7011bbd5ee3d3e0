//! The commands of a document, as a newcomer would type them: in order, in one terminal, in an
//! empty folder. Three things differ. `cargo run -p ..` starts what is built already, for
//! a release takes minutes; the address is a free one instead of `127.0.0.1:8080`; and nothing of
//! the environment in which the tests run is there.

use std::fmt::Write;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use super::block::{Block, Kind};
use super::{Document, documents};
use crate::binary;

/// Where documents say that the server listens.
const ADDRESS: &str = "127.0.0.1:8080";
/// Written before what a block shows; its line follows.
const MARK: &str = "@@ the block of line ";

#[test]
fn commands_in_documents_run_as_written() {
    let missing: Vec<&str> =
        ["bash", "curl", "jq"].into_iter().filter(|program| !is_there(program)).collect();
    if !missing.is_empty() {
        eprintln!("left out: the commands of the documents need {missing:?}");
        return;
    }
    for document in documents() {
        let left_out = document.blocks.iter().filter(|block| block.kind == Kind::LeftOut);
        for Block { line, mark, .. } in left_out {
            eprintln!("{}:{line}: left out ({mark})", document.name);
        }
        if document.blocks.iter().any(|block| block.kind == Kind::Shell) {
            run(&document);
        }
    }
}

fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).status().is_ok()
}

fn run(document: &Document) {
    let folder = tempfile::tempdir().expect("a folder");
    let binaries = binary::path("shop-server").parent().expect("a folder").to_path_buf();
    play_cargo(folder.path(), &binaries);
    let free = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port");
    let script = script(document, &free.to_string());
    fs::write(folder.path().join(".terminal"), script).expect("written");
    let path = std::env::var("PATH").expect("a path");
    let path = format!("{}/.bin:{}:{path}", folder.path().display(), binaries.display());
    let output = fs::File::create(folder.path().join(".output")).expect("a file");
    let mut terminal = Command::new("bash")
        .arg(".terminal")
        .current_dir(folder.path())
        .env_clear()
        .envs([("PATH", path.as_str()), ("SHOP_LISTEN", &free.to_string()), ("LANG", "C.UTF-8")])
        .env("HOME", folder.path())
        .stdin(Stdio::null())
        .stdout(output.try_clone().expect("a file"))
        .stderr(output)
        .process_group(0)
        .spawn()
        .expect("starts");
    let ended = terminal.wait().expect("ends");
    // What it left running is its process group's.
    let group = format!("-{}", terminal.id());
    drop(Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status());
    let shown = fs::read(folder.path().join(".output")).expect("what it showed");
    let shown = String::from_utf8_lossy(&shown);
    assert!(ended.success(), "{}: a command failed\n{shown}", document.name);
    check_output(document, &shown);
}

/// All that is typed. `set -e` ends it at the first command that fails.
fn script(document: &Document, address: &str) -> String {
    let mut script = "set -euo pipefail\n".to_owned();
    for block in &document.blocks {
        let (line, text) = (block.line, block.text.replace(ADDRESS, address));
        let written = match block.kind {
            Kind::Shell => match block.needs() {
                None => writeln!(script, "echo '{MARK}{line}'\n{text}"),
                Some(program) => writeln!(
                    script,
                    "if {program} --help >/dev/null 2>&1; then\necho '{MARK}{line}'\n{text}fi"
                ),
            },
            Kind::Background => writeln!(
                script,
                "( {text} ) >server.log 2>&1 &\n\
                 for _ in $(seq 600); do grep -q 'listening on' server.log && break; sleep 0.1; done\n\
                 grep 'listening on' server.log || {{ cat server.log; exit 1; }}",
            ),
            _ => Ok(()),
        };
        written.expect("a text");
    }
    script
}

/// What a document shows stands in what its block showed, line for line.
fn check_output(document: &Document, shown: &str) {
    let mut before = None;
    for block in &document.blocks {
        match block.kind {
            Kind::Shell => before = Some(block.line),
            Kind::Output => {
                let line = before.expect("a block of commands before what it shows");
                let place = format!("{}:{}", document.name, block.line);
                match shown.split_once(&format!("{MARK}{line}\n")) {
                    Some((_, shown)) => {
                        let shown = shown.split(MARK).next().unwrap_or_default();
                        check_lines(&place, &block.text, shown);
                    }
                    // Only a block that needs something can be left out.
                    None => eprintln!("{place}: left out, what it needs is not here"),
                }
            }
            _ => {}
        }
    }
}

fn check_lines(place: &str, expected: &str, shown: &str) {
    let mut lines = shown.lines();
    for wanted in expected.lines().filter(|line| !line.trim().is_empty()) {
        assert!(lines.any(|line| fits(wanted, line)), "{place}: {wanted:?} is not in\n{shown}");
    }
}

/// Whether a line has the pieces of another one between `…`, in their order.
fn fits(wanted: &str, line: &str) -> bool {
    let mut rest = line.trim();
    wanted.trim().split('…').all(|piece| match rest.find(piece) {
        Some(at) => {
            rest = &rest[at + piece.len()..];
            true
        }
        None => false,
    })
}

/// A `cargo` that knows `run -p PACKAGE [--example NAME] -- ..` and starts what is built already.
fn play_cargo(folder: &Path, binaries: &Path) {
    let binaries = binaries.display();
    let script = format!(
        r#"#!/usr/bin/env bash
[[ $1 == run ]] || {{ echo "cargo $*: only cargo run is played here" >&2; exit 1; }}
while [[ $# -gt 0 && $1 != -- ]]; do
  case $1 in
    -p | --package) program={binaries}/$2; shift ;;
    --example) program={binaries}/examples/$2; shift ;;
  esac
  shift
done
[[ $# -gt 0 ]] && shift
exec "$program" "$@"
"#
    );
    fs::create_dir(folder.join(".bin")).expect("a folder");
    let cargo = folder.join(".bin/cargo");
    fs::write(&cargo, script).expect("written");
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).expect("executable");
}
