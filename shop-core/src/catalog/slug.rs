//! Names in addresses: those that are taken by paths of the shop, and the numbers behind others.

use crate::value::Slug;

/// How many things may share a slug before its number.
const MAX_SUFFIX: u32 = 10_000;
/// Slugs that are paths of their own beside `/api/products/{slug}`.
const RESERVED: &[&str] = &["search"];

/// Whether a slug is a path of its own.
pub(super) fn is_reserved(slug: &str) -> bool {
    RESERVED.contains(&slug)
}

/// The slugs to try for a wished one, in order.
pub(super) fn candidates(wished: &Slug) -> impl Iterator<Item = Slug> + '_ {
    let bare = (!is_reserved(wished.as_str())).then(|| wished.clone());
    bare.into_iter().chain(numbered(wished))
}

/// A slug with 2, 3, .. behind it.
pub(super) fn numbered(slug: &Slug) -> impl Iterator<Item = Slug> + '_ {
    (2..=MAX_SUFFIX).map(|n| slug.numbered(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_tried_bare_and_then_numbered_unless_it_is_a_path_of_its_own() {
        let tries = |slug: &str| -> Vec<String> {
            candidates(&slug.parse().unwrap()).take(3).map(|s| s.to_string()).collect()
        };
        assert_eq!(tries("vela"), ["vela", "vela-2", "vela-3"]);
        assert_eq!(tries("search"), ["search-2", "search-3", "search-4"]);
    }
}
