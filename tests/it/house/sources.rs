//! The source files of shop-core, as the tests of its layout read them.

use std::path::{Path, PathBuf};

pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../shop-core/src")
}

pub(super) fn read(file: &Path) -> String {
    std::fs::read_to_string(root().join(file)).expect("a source file")
}

/// All source files but `lib.rs`, relative to the root.
pub(super) fn sources() -> Vec<PathBuf> {
    let (mut folders, mut files) = (vec![root()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                files.push(path.strip_prefix(root()).expect("below the root").to_owned());
            }
        }
    }
    files.retain(|file| file != Path::new("lib.rs"));
    files
}

pub(super) fn module_of(file: &Path) -> String {
    let first = file.components().next().expect("a name").as_os_str().to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

/// The code of a file without its tests and its lines of comments.
pub(super) fn without_comments(text: &str) -> String {
    let code = text.split("\nmod tests {").next().unwrap_or_default();
    let lines: Vec<&str> =
        code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    lines.join("\n")
}
