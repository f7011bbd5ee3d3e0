//! The library's own documentation.

use std::fs;
use std::path::Path;

use super::{read, root};

/// Every handle that a shop hands out, and what else one begins with, has an example in its
/// documentation; `cargo test --doc` runs them.
#[test]
fn every_handle_has_an_example() {
    let shop = read("shop-core/src/shop/mod.rs");
    let (methods, table) = shop.split_once("topics! {\n").expect("the table of handles");
    let methods = methods.lines().filter_map(|line| {
        let (_, answer) = line.trim().strip_prefix("pub fn ")?.split_once("(&self) -> ")?;
        let name = answer.strip_suffix("<'_> {")?;
        Some(name.rsplit("::").next().unwrap_or(name).to_owned())
    });
    let table = table.lines().filter_map(|line| {
        let (_, handle) = line.trim().strip_suffix(')')?.split_once(": ")?;
        Some(handle.split_once('(')?.0.to_owned())
    });
    let handles: Vec<String> = methods.chain(table).collect();
    assert!(handles.len() > 25, "found only {handles:?}");
    let sources = sources(&root().join("shop-core/src"));
    for handle in handles.iter().map(String::as_str).chain(["Shop", "Config", "Money"]) {
        let example = sources.iter().any(|source| has_example(source, handle));
        assert!(example, "{handle} has no example");
    }
}

/// Whether the comment right above a public type has a block of code.
fn has_example(source: &str, name: &str) -> bool {
    let begins = |line: &str| {
        let rest = line.strip_prefix("pub struct ").and_then(|line| line.strip_prefix(name));
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    let lines: Vec<&str> = source.lines().collect();
    lines.iter().position(|line| begins(line)).is_some_and(|at| {
        let above = lines[..at].iter().rev();
        let mut above = above.take_while(|line| line.starts_with("///") || line.starts_with("#["));
        above.any(|line| line.starts_with("/// ```"))
    })
}

fn sources(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else {
            found.push(fs::read_to_string(&path).expect("a source"));
        }
    }
    found
}
