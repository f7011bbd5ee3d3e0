//! Marks what a search found. Everything but the marks is escaped, whatever a product is called.

use crate::value::words::words;

/// About how many characters of a description a hit shows.
const SNIPPET: usize = 160;
/// How many of them stand behind the beginning of the first match, where there are so many.
const BEHIND: usize = 100;

/// A text as HTML with each word that a query's word begins in `<mark>`.
pub(super) fn mark(text: &str, query: &[String]) -> String {
    let mut html = String::with_capacity(text.len() + 32);
    let mut written = 0;
    for word in words(text).filter(|word| matches(&word.folded, query)) {
        escape(&text[written..word.start], &mut html);
        html.push_str("<mark>");
        escape(&text[word.start..word.end], &mut html);
        html.push_str("</mark>");
        written = word.end;
    }
    escape(&text[written..], &mut html);
    html
}

/// The part of a text round its first match, marked; `None` where nothing matches.
pub(super) fn snippet(text: &str, query: &[String]) -> Option<String> {
    let first = words(text).find(|word| matches(&word.folded, query))?;
    let (start, end) = window(text, first.start);
    let before = if start > 0 { "…" } else { "" };
    let after = if end < text.len() { "…" } else { "" };
    Some(format!("{before}{}{after}", mark(&text[start..end], query)))
}

fn matches(folded: &str, query: &[String]) -> bool {
    query.iter().any(|word| folded.starts_with(word.as_str()))
}

/// Where to cut a text so that `at` is in it: at spaces, unless a word is longer than all.
fn window(text: &str, at: usize) -> (usize, usize) {
    let behind = text[at..].chars().take(BEHIND).count();
    let start = back(text, at, SNIPPET - behind);
    let start = match text[start..at].find(char::is_whitespace) {
        Some(space) if start > 0 => start + space,
        _ => start,
    };
    let start = at - text[start..at].trim_start().len();
    let end = forward(text, start, SNIPPET);
    let space = if end < text.len() { text[at..end].rfind(char::is_whitespace) } else { None };
    let end = space.map_or(end, |space| at + space);
    (start, start + text[start..end].trim_end().len())
}

fn back(text: &str, at: usize, chars: usize) -> usize {
    match chars.checked_sub(1) {
        None => at,
        Some(n) => text[..at].char_indices().rev().nth(n).map_or(0, |(index, _)| index),
    }
}

fn forward(text: &str, at: usize, chars: usize) -> usize {
    text[at..].char_indices().nth(chars).map_or(text.len(), |(index, _)| at + index)
}

fn escape(text: &str, html: &mut String) {
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            _ => html.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn query(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    fn plain(html: &str) -> String {
        html.replace("<mark>", "")
            .replace("</mark>", "")
            .replace("&#39;", "'")
            .replace("&quot;", "\"")
            .replace("&gt;", ">")
            .replace("&lt;", "<")
            .replace("&amp;", "&")
    }

    #[test]
    fn the_whole_word_is_marked_and_keeps_its_accents() {
        let check = |text, words: &[&str], html| assert_eq!(mark(text, &query(words)), html);
        check("Vela de Maçã", &["mac"], "Vela de <mark>Maçã</mark>");
        check(
            "maca\u{303}o e \u{fb01}gos",
            &["macao", "\u{fb01}g"],
            "<mark>maca\u{303}o</mark> e <mark>\u{fb01}gos</mark>",
        );
        check("Weiße Straße", &["straß"], "Weiße <mark>Straße</mark>");
        check("<b>vela</b> & cia", &["vela"], "&lt;b&gt;<mark>vela</mark>&lt;/b&gt; &amp; cia");
        check("favela", &["vela"], "favela");
    }

    #[test]
    fn a_snippet_is_cut_at_spaces_round_the_first_match() {
        let text = format!("{}lavanda {}", "antes ".repeat(60), "depois ".repeat(60));
        let html = snippet(&text, &query(&["lavan"])).unwrap();
        assert!(html.starts_with("…antes ") && html.ends_with(" depois…"), "{html}");
        assert!(html.contains(" <mark>lavanda</mark> "), "{html}");
        let shown = plain(&html).chars().count();
        assert!((140..=162).contains(&shown), "{shown}");
        assert_eq!(snippet("uma vela", &query(&["vela"])).unwrap(), "uma <mark>vela</mark>");
        assert_eq!(snippet("uma vela", &query(&["rosa"])), None);
    }

    #[test]
    fn a_match_near_the_end_shows_more_of_what_comes_before() {
        let text = format!("{}fim", "antes ".repeat(60));
        let html = snippet(&text, &query(&["fim"])).unwrap();
        assert!(html.ends_with("<mark>fim</mark>"));
        assert!(plain(&html).chars().count() > 140, "{html}");
    }

    proptest! {
        #[test]
        fn only_marks_and_escapes_are_added(text in any::<String>(), words in query_words()) {
            prop_assert_eq!(plain(&mark(&text, &words)), text);
        }

        #[test]
        fn a_snippet_is_a_short_part_of_the_text(
            text in "(\\PC|ﬁ|ß|ã|a\u{303}|vela| ){0,400}", words in query_words()
        ) {
            if let Some(html) = snippet(&text, &words) {
                prop_assert!(html.contains("<mark>"));
                let shown = plain(&html);
                prop_assert!(shown.chars().count() <= SNIPPET + 2);
                let cut = shown.strip_prefix('…').unwrap_or(&shown);
                let cut = cut.strip_suffix('…').unwrap_or(cut);
                prop_assert!(text.contains(cut));
            }
        }
    }

    fn query_words() -> impl Strategy<Value = Vec<String>> {
        let word = prop_oneof![Just("v".to_owned()), Just("a".to_owned()), "[a-zß0-9]{1,3}"];
        proptest::collection::vec(word, 0..4)
    }
}
