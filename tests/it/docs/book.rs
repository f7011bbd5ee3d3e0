//! The documents as a book.

use super::{documents, read};

#[test]
fn the_book_has_every_document_once() {
    let summary = read("docs/SUMMARY.md");
    let mut listed: Vec<String> = summary
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .map(|(page, _)| format!("docs/{page}"))
        .collect();
    listed.sort();
    let there: Vec<String> = documents().into_iter().map(|document| document.name).collect();
    let of_the_book = |name: &&String| !matches!(name.as_str(), "README.md" | "docs/SUMMARY.md");
    let there: Vec<&String> = there.iter().filter(of_the_book).collect();
    assert_eq!(listed.iter().collect::<Vec<_>>(), there);
}
