//! What the comments of the source name in docs/decisions.md is there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::{read, root};

/// Where programs and their tests stand.
const SOURCES: [&str; 5] =
    ["shop-core/src", "shop-server/src", "shop-cli/src", "tests", "examples"];

#[test]
fn comments_name_headings_of_the_decisions_that_there_are() {
    let decisions = read("docs/decisions.md");
    let headings: BTreeSet<&str> =
        decisions.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    let named = |name: &str| headings.contains(name) || decisions.contains(&format!("- **{name}"));
    let mut wrong = Vec::new();
    for file in sources() {
        for reference in references(&text_of(&file)) {
            if !named(&reference) {
                wrong.push((file.clone(), reference));
            }
        }
    }
    assert!(wrong.is_empty(), "docs/decisions.md has no such heading: {wrong:#?}");
}

#[test]
fn no_comment_names_a_decision_by_a_number() {
    let numbered = |file: &PathBuf| {
        let text = text_of(file).to_lowercase();
        let mut after = ["(decision ", "(decisions ", "and decision ", ", decision "]
            .into_iter()
            .flat_map(|words| text.split(words).skip(1).collect::<Vec<_>>());
        after.any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let numbered: Vec<PathBuf> = sources().into_iter().filter(numbered).collect();
    assert!(numbered.is_empty(), "say the rule, and the heading: {numbered:#?}");
}

#[test]
fn references_are_found_across_lines() {
    let text = "//! Pages (docs/decisions.md,\n//! \"Access\").\nfn f() {}\n    /// As docs/decisions.md, \
                \"Values\" says.\n";
    assert_eq!(references(text), ["Access", "Values"]);
}

/// The names that stand in quotes behind the document's name.
fn references(text: &str) -> Vec<String> {
    let lines = text.lines().map(|line| line.trim().trim_start_matches(['/', '!']).trim());
    let joined = lines.collect::<Vec<_>>().join(" ");
    let behind = joined.split("docs/decisions.md, \"").skip(1);
    behind.filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect()
}

fn text_of(file: &Path) -> String {
    fs::read_to_string(root().join(file)).expect("a source file")
}

/// All source files but this one, relative to the root.
fn sources() -> Vec<PathBuf> {
    let (mut folders, mut files) = (SOURCES.map(PathBuf::from).to_vec(), Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root().join(&folder)).expect("a folder") {
            let entry = entry.expect("an entry");
            let path = folder.join(entry.file_name());
            if entry.file_type().expect("a type").is_dir() {
                if path != Path::new("tests/foreign") {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|it| it == "rs") {
                files.push(path);
            }
        }
    }
    files.retain(|file| file != Path::new("tests/it/docs/references.rs"));
    files
}
