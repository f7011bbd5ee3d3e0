//! What all commands have in common: formats, exit codes, questions.

use serde_json::{Value, json};

use super::Cli;

#[test]
fn csv_has_the_columns_of_the_table() {
    let cli = Cli::new();
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
    let cli = Cli::new();
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
fn nothing_is_destroyed_without_a_yes() {
    let cli = Cli::new();
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
    let ended = Cli::new().run(&["api-key", "revoke", "x", "--yes"], "");
    assert!(!ended.stderr.contains('\u{1b}'), "{ended:?}");
    let listed = Cli::new().run(&["api-key", "list"], "");
    assert!(!listed.stdout.contains('\u{1b}'), "{listed:?}");
}
