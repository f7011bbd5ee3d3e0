//! Writes XML in canonical form from the start: one line, no self-closing tags, no white space
//! between tags.

use std::fmt::Display;

/// A document that grows.
#[derive(Debug, Default)]
pub(crate) struct Xml(String);

impl Xml {
    /// An element with a text in it.
    pub(crate) fn text(&mut self, tag: &str, text: impl Display) -> &mut Self {
        let text = escape(&text.to_string());
        self.raw(&format!("<{tag}>{text}</{tag}>"))
    }

    /// The same, where there is a text: empty elements are not allowed.
    pub(crate) fn some(&mut self, tag: &str, text: Option<impl Display>) -> &mut Self {
        if let Some(text) = text.map(|text| text.to_string()).filter(|text| !text.is_empty()) {
            self.text(tag, text);
        }
        self
    }

    /// An element around what `content` writes.
    pub(crate) fn element(&mut self, tag: &str, content: impl FnOnce(&mut Self)) -> &mut Self {
        self.with_attributes(tag, tag, content)
    }

    /// An element with attributes, which stand in `open` after the tag, sorted by name.
    pub(crate) fn with_attributes(
        &mut self,
        tag: &str,
        open: &str,
        content: impl FnOnce(&mut Self),
    ) -> &mut Self {
        self.raw(&format!("<{open}>"));
        content(self);
        self.raw(&format!("</{tag}>"))
    }

    /// XML that is ready.
    pub(crate) fn raw(&mut self, xml: &str) -> &mut Self {
        self.0.push_str(xml);
        self
    }

    pub(crate) fn into_text(self) -> String {
        self.0
    }
}

/// As the canonical form escapes text: quotes stay as they are.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The text of the first element of this name, unescaped. Enough to read the short answers of an
/// office, whose elements have no attributes and no prefixes.
pub(crate) fn first(xml: &str, tag: &str) -> Option<String> {
    let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
    let (_, rest) = xml.split_once(&open)?;
    let (text, _) = rest.split_once(&close)?;
    Some(unescape(text.trim()))
}

fn unescape(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    text.replace("&apos;", "'").replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_as_the_canonical_form_does() {
        let mut xml = Xml::default();
        xml.element("a", |xml| {
            xml.text("b", "Cravo & <Canela> \"doce\"").some("c", Some("")).some("d", None::<&str>);
        });
        let xml = xml.into_text();
        assert_eq!(xml, "<a><b>Cravo &amp; &lt;Canela&gt; \"doce\"</b></a>");
        assert_eq!(first(&xml, "b").as_deref(), Some("Cravo & <Canela> \"doce\""));
        assert_eq!(first(&xml, "c"), None);
    }
}
