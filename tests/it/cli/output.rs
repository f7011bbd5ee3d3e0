//! What all commands have in common: formats, exit codes, questions.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::Cli;

#[test]
fn csv_has_the_columns_of_the_table() {
    let cli = Cli::with_shop();
    let create = ["api-key", "create", "--name", "ERP, novo", "--scope", "orders:read"];
    assert_eq!(cli.run(&create, "").code, Some(0));
    let listed = cli.run(&["api-key", "list", "--format", "csv"], "").stdout;
    let mut rows = csv::Reader::from_reader(listed.as_bytes());
    assert_eq!(
        rows.headers().expect("a head"),
        vec!["id", "name", "key", "scopes", "last_used", "state"]
    );
    let row = rows.records().next().expect("a row").expect("CSV");
    assert_eq!((&row[1], &row[5]), ("ERP, novo", "active"));
}

#[test]
fn errors_are_json_for_scripts_that_want_json() {
    let cli = Cli::with_shop();
    let ended = cli.run(&["sandbox", "pay", "PED-1", "--format", "json"], "");
    assert_eq!((ended.code, &*ended.stdout), (Some(3), ""));
    let error: Value = serde_json::from_str(&ended.stderr).expect("JSON");
    let expected = json!({ "error": "there is no such order", "code": "not_found", "exitCode": 3 });
    assert_eq!(error, expected);
    let past = ["api-key", "create", "--name", "x", "--scope", "orders:read", "--expires-at"];
    let ended = cli.run(&[&past[..], &["2020-01-01T00:00:00Z", "--format", "json"]].concat(), "");
    let error: Value = serde_json::from_str(&ended.stderr).expect("JSON");
    assert_eq!((ended.code, &error["code"]), (Some(1), &json!("failed")));
    assert!(error["details"]["fieldErrors"]["expiresAt"].is_array(), "{error}");
}

#[test]
fn wrong_usage_is_json_for_scripts_that_want_json() {
    let cli = Cli::with_shop();
    for (arguments, told) in [
        (&["api-key", "create", "--format", "json"][..], "--name <NAME>"),
        (&["order", "list", "--format=json", "--nope"], "unexpected argument '--nope' found"),
        (&["--format", "json", "ordr", "list"], "unrecognized subcommand 'ordr'"),
    ] {
        let ended = cli.run(arguments, "");
        assert_eq!((ended.code, &*ended.stdout), (Some(2), ""), "{ended:?}");
        let error: Value = serde_json::from_str(&ended.stderr).expect("JSON");
        assert_eq!((&error["code"], &error["exitCode"]), (&json!("usage"), &json!(2)));
        assert!(error["error"].as_str().is_some_and(|text| text.contains(told)), "{error}");
    }
    let for_people = cli.run(&["order", "list", "--nope"], "");
    assert!(for_people.stderr.contains("Usage:"), "{for_people:?}");
    let help = cli.run(&["order", "--help", "--format", "json"], "");
    assert_eq!((help.code, &*help.stderr), (Some(0), ""), "{help:?}");
}

#[test]
fn nothing_is_destroyed_without_a_yes() {
    let cli = Cli::with_shop();
    let create = ["api-key", "create", "--name", "x", "--scope", "orders:read", "--format", "csv"];
    let made = cli.run(&create, "").stdout;
    let id = made.lines().nth(1).expect("a row").split(',').next().expect("an id");
    let asked = cli.run(&["api-key", "revoke", id], "y\n");
    assert_eq!((asked.code, asked.stdout.as_str()), (Some(6), ""), "{asked:?}");
    assert!(asked.stderr.contains("--yes"), "{asked:?}");
    assert!(cli.run(&["api-key", "list"], "").stdout.contains("active"));
    assert_eq!(cli.run(&["api-key", "revoke", id, "--yes"], "").code, Some(0));
}

#[test]
fn a_pipe_gets_no_colours() {
    let ended = Cli::with_shop().run(&["api-key", "revoke", "x", "--yes"], "");
    assert!(!ended.stderr.contains('\u{1b}'), "{ended:?}");
    let listed = Cli::with_shop().run(&["api-key", "list"], "");
    assert!(!listed.stdout.contains('\u{1b}'), "{listed:?}");
}

/// What a terminal shows; nothing where the program `script` is not installed.
fn on_terminal(cli: &Cli, arguments: &str, no_color: &str, typed: &str) -> Option<String> {
    let binary = crate::binary::path("shop-cli");
    let command = format!("{} --database '{}' {arguments}", binary.display(), cli.data.name());
    let mut script = Command::new("script");
    script.args(["-qec", &command, "/dev/null"]).env("TERM", "xterm").current_dir(cli.dir.path());
    script.env("NO_COLOR", no_color).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut script = script.spawn().ok()?;
    script.stdin.take().expect("a pipe").write_all(typed.as_bytes()).expect("typed");
    let seen = script.wait_with_output().expect("ends").stdout;
    Some(String::from_utf8(seen).expect("UTF-8"))
}

#[test]
fn a_terminal_gets_questions_and_colours_unless_they_are_switched_off() {
    let cli = Cli::with_shop();
    let create = ["api-key", "create", "--name", "x", "--scope", "orders:read", "--format", "csv"];
    let made = cli.run(&create, "").stdout;
    let id = made.lines().nth(1).expect("a row").split(',').next().expect("an id");
    let revoke = format!("api-key revoke {id}");
    let Some(no) = on_terminal(&cli, &revoke, "", "n\n") else { return };
    assert!(no.contains("Go on? [y/N]") && no.contains("nothing was done"), "{no}");
    assert!(no.contains("\u{1b}[1m"), "{no:?}");
    let plain = on_terminal(&cli, "api-key list", "1", "").expect("a terminal");
    assert!(plain.contains("active") && !plain.contains('\u{1b}'), "{plain:?}");
    let yes = on_terminal(&cli, &revoke, "1", "y\n").expect("a terminal");
    assert!(yes.contains("revoked"), "{yes}");
}
