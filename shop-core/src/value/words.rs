//! Words as searches see them: lower-case, without accents, split at whatever is neither letter
//! nor digit. The storage engines' full-text indexes fold in the same way.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// More words of a query than this are passed over.
const MAX_QUERY_WORDS: usize = 8;

/// A word of a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// Where it begins in the text, in bytes.
    pub(crate) start: usize,
    /// Where it ends.
    pub(crate) end: usize,
    /// As searches see it; may be longer or shorter than the original.
    pub(crate) folded: String,
}

/// A text in lower case and without accents.
pub(crate) fn fold(text: &str) -> String {
    text.chars().flat_map(fold_char).collect()
}

/// Latin letters lose their accents, as in the full-text index; other scripts only their case.
fn fold_char(c: char) -> impl Iterator<Item = char> {
    let base = std::iter::once(c).nfd().next().filter(char::is_ascii_alphabetic).unwrap_or(c);
    base.to_lowercase().filter(|c| !is_combining_mark(*c))
}

/// The words of a text, from its beginning.
pub(crate) fn words(text: &str) -> impl Iterator<Item = Word> + '_ {
    let mut chars = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, first) = chars.find(|(_, c)| begins_word(*c))?;
        let mut word = Word { start, end: start + first.len_utf8(), folded: String::new() };
        word.folded.extend(fold_char(first));
        while let Some((at, c)) = chars.next_if(|(_, c)| begins_word(*c) || is_combining_mark(*c)) {
            word.end = at + c.len_utf8();
            word.folded.extend(fold_char(c));
        }
        Some(word)
    })
}

/// Whether a word may begin with it.
pub(crate) fn begins_word(c: char) -> bool {
    c.is_alphanumeric() && !is_combining_mark(c)
}

/// What a query asks for: each different word once.
pub(crate) fn query_words(query: &str) -> Vec<String> {
    let composed: String = query.nfc().collect();
    let mut found: Vec<String> = Vec::new();
    for word in words(&composed) {
        if !word.folded.is_empty() && !found.contains(&word.folded) {
            found.push(word.folded);
        }
    }
    found.truncate(MAX_QUERY_WORDS);
    found
}

/// What a search for products asks for: words are found by their beginnings, so the plural of one
/// finds what its singular does, and nothing less than before.
pub(crate) fn product_words(query: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in query_words(query) {
        let word = without_plural(&word);
        if !found.iter().any(|it| it == word) {
            found.push(word.to_owned());
        }
    }
    found
}

/// How plurals end, without accents, and what of the ending belongs to the singular's beginning
/// too. The longest come first.
const PLURALS: [(&str, &str); 9] = [
    ("oes", ""),
    ("aes", ""),
    ("res", "r"),
    ("zes", "z"),
    ("ais", "a"),
    ("eis", "e"),
    ("ois", "o"),
    ("uis", "u"),
    ("s", ""),
];
/// Shorter beginnings say too little.
const SHORTEST: usize = 3;

/// The beginning that a Portuguese noun shares with its plural.
fn without_plural(word: &str) -> &str {
    let plural = PLURALS.iter().find(|(ending, _)| word.ends_with(ending));
    let Some((ending, kept)) = plural else { return word };
    let end = word.len() - ending.len() + kept.len();
    if word.is_ascii() && end >= SHORTEST { &word[..end] } else { word }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn accents_and_case_go_and_the_place_stays() {
        let text = "Maçã, VERÃO ma\u{303}e";
        let found: Vec<(&str, String)> =
            words(text).map(|word| (&text[word.start..word.end], word.folded)).collect();
        let expected = [("Maçã", "maca"), ("VERÃO", "verao"), ("ma\u{303}e", "mae")];
        assert_eq!(found, expected.map(|(word, folded)| (word, folded.to_owned())));
    }

    #[test]
    fn letters_without_a_plain_form_only_lose_their_case() {
        assert_eq!(fold("ﬁ STRAẞE İstanbul Ωμέγα が 한"), "ﬁ straße istanbul ωμέγα が 한");
    }

    #[test]
    fn a_query_is_at_most_eight_different_words() {
        assert_eq!(query_words("Vela vela, VÉLA!"), ["vela"]);
        assert_eq!(query_words("a b c d e f g h i j").len(), 8);
        assert_eq!(query_words(" !? "), Vec::<String>::new());
    }

    #[test]
    fn a_plural_begins_as_its_singular_does() {
        for (plural, singular) in [
            ("velas", "vela"),
            ("presentes", "presente"),
            ("flores", "flor"),
            ("luzes", "luz"),
            ("castiçais", "castiçal"),
            ("corações", "coração"),
            ("anéis", "anel"),
        ] {
            let (one, many) = (&product_words(singular)[0], &product_words(plural)[0]);
            assert!(one.starts_with(many.as_str()), "{plural}: {many}");
        }
        assert_eq!(product_words("kit gás as velas vela"), ["kit", "gas", "as", "vela"]);
    }

    proptest! {
        #[test]
        fn words_are_disjoint_slices_in_order(text in any::<String>()) {
            let mut last = 0;
            for word in words(&text) {
                prop_assert!(last <= word.start && word.start < word.end);
                prop_assert!(text.get(word.start..word.end).is_some());
                last = word.end;
            }
        }

        #[test]
        fn folding_twice_changes_nothing(text in any::<String>()) {
            let once = fold(&text);
            prop_assert_eq!(fold(&once), once);
        }
    }
}
