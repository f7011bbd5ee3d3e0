//! Text in XML documents.

/// Text as it stands in an element, without the characters that XML 1.0 forbids.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars().filter(|c| is_allowed(*c)) {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// `Char` of XML 1.0 without the controls that it only discourages.
fn is_allowed(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r') || !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}')
}

/// An element with a text.
pub(super) fn element(name: &str, text: &str) -> String {
    format!("<{name}>{}</{name}>", escaped(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_document_may_have_in_it_is_left_out() {
        assert_eq!(
            element("a", "<&>\u{0}\u{b}\u{1b}\u{85}\u{fffe}\n'\""),
            "<a>&lt;&amp;&gt;\n&apos;&quot;</a>"
        );
        assert_eq!(escaped("vela \u{202e}🕯"), "vela \u{202e}🕯");
    }
}
