//! The back office has words for all that the audit log records.

use super::sources::{read, sources, without_comments};

const WORDS: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../shop-server/pages/admin/audit.js"));

/// The actions that have words.
fn known() -> Vec<&'static str> {
    let lines = WORDS.lines().filter_map(|line| line.strip_prefix("  '"));
    lines.filter_map(|line| line.split_once("':")).map(|(action, _)| action).collect()
}

/// The actions that calls of `audit::record` name themselves; others come to it in a variable.
fn recorded(code: &str) -> impl Iterator<Item = &str> {
    let calls = code.split("audit::record(").skip(1);
    let named = calls.filter_map(|call| call.split([';', '}']).next()?.split('"').nth(1));
    named.filter(|text| text.contains('.'))
}

#[test]
fn every_action_of_the_audit_log_has_its_words_in_the_back_office() {
    let known = known();
    let code: Vec<String> = sources().iter().map(|file| without_comments(&read(file))).collect();
    let all: Vec<&str> = code.iter().flat_map(|code| recorded(code)).collect();
    assert!(all.len() > 50, "{all:?}");
    let wordless: Vec<_> = all.iter().filter(|action| !known.contains(action)).collect();
    assert!(wordless.is_empty(), "{wordless:?}");
    // And no words for what nothing records.
    let is_named = |action: &&&str| code.iter().any(|code| code.contains(&format!("\"{action}\"")));
    let gone: Vec<_> = known.iter().filter(|action| !is_named(action)).collect();
    assert!(gone.is_empty(), "{gone:?}");
}
