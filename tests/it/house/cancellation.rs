//! Each public asynchronous method of shop-core says what dropping its future does.

use super::sources::{read, sources};

const SAID: [&str; 3] = ["Cancel safe", "ropping the future", "Dropped half-way"];

#[test]
fn every_public_future_says_what_dropping_it_does() {
    let mut silent = Vec::new();
    for file in sources() {
        let text = read(&file);
        let mut doc = String::new();
        for line in text.lines().map(str::trim_start) {
            if line.starts_with("pub async fn") && !SAID.iter().any(|said| doc.contains(said)) {
                silent.push(format!("{}: {line}", file.display()));
            }
            match line.strip_prefix("///") {
                Some(more) => doc.push_str(more),
                None if line.starts_with("#[") => {}
                None => doc.clear(),
            }
        }
    }
    assert!(silent.is_empty(), "these do not say it: {silent:#?}");
}
