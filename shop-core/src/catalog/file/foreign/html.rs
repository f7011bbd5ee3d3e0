//! Descriptions of other programs, which are HTML, as plain text.

/// Tags behind which a new line begins.
const LINES: &[&str] = &[
    "br",
    "p",
    "div",
    "li",
    "ul",
    "ol",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "pre",
    "blockquote",
    "section",
    "article",
    "table",
    "caption",
    "tr",
    "dl",
    "dt",
    "dd",
];
/// Tags that stand between two words of a line.
const BLANKS: &[&str] = &["td", "th"];
/// Elements of which nothing is text.
const HIDDEN: &[&str] = &["script", "style"];
/// Letters of a character's name or number at most.
const MAX_ENTITY: usize = 10;
/// Named characters that shops in Brazil use.
const NAMED: &[(&str, &str)] = &[
    ("amp", "&"),
    ("lt", "<"),
    ("gt", ">"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", " "),
    ("aacute", "á"),
    ("agrave", "à"),
    ("acirc", "â"),
    ("atilde", "ã"),
    ("ccedil", "ç"),
    ("eacute", "é"),
    ("ecirc", "ê"),
    ("iacute", "í"),
    ("oacute", "ó"),
    ("ocirc", "ô"),
    ("otilde", "õ"),
    ("uacute", "ú"),
    ("uuml", "ü"),
    ("Aacute", "Á"),
    ("Agrave", "À"),
    ("Acirc", "Â"),
    ("Atilde", "Ã"),
    ("Ccedil", "Ç"),
    ("Eacute", "É"),
    ("Ecirc", "Ê"),
    ("Iacute", "Í"),
    ("Oacute", "Ó"),
    ("Ocirc", "Ô"),
    ("Otilde", "Õ"),
    ("Uacute", "Ú"),
    ("ordf", "ª"),
    ("ordm", "º"),
    ("deg", "°"),
    ("ndash", "–"),
    ("mdash", "—"),
    ("hellip", "…"),
    ("lsquo", "‘"),
    ("rsquo", "’"),
    ("ldquo", "“"),
    ("rdquo", "”"),
    ("bull", "•"),
    ("euro", "€"),
    ("reg", "®"),
    ("copy", "©"),
    ("trade", "™"),
    ("times", "×"),
    ("frac12", "½"),
    ("frac14", "¼"),
];

/// The text of some HTML, its paragraphs as lines.
pub(super) fn text(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(open) = rest.find('<') {
        let (before, tag) = rest.split_at(open);
        text.push_str(&characters(before));
        if !is_tag(tag) {
            text.push('<');
            rest = &tag[1..];
            continue;
        }
        // Without an end it is text, and so is all that follows: no sign is looked at twice.
        let Some(close) = tag.find('>') else {
            rest = tag;
            break;
        };
        let name = tag[1..close].trim_start_matches('/');
        let name: String = name.chars().take_while(char::is_ascii_alphanumeric).collect();
        let name = name.to_ascii_lowercase();
        rest = &tag[close + 1..];
        if HIDDEN.contains(&name.as_str()) && !tag.starts_with("</") {
            rest = behind(rest, &name);
        }
        if LINES.contains(&name.as_str()) {
            text.push('\n');
        }
        if BLANKS.contains(&name.as_str()) {
            text.push(' ');
        }
        if name == "li" && !tag.starts_with("</") {
            text.push_str("- ");
        }
    }
    text.push_str(&characters(rest));
    tidy(&text)
}

fn is_tag(text: &str) -> bool {
    let next = text.chars().nth(1);
    next.is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '/' | '!'))
}

/// What follows the end of an element.
fn behind<'a>(html: &'a str, name: &str) -> &'a str {
    let end = format!("</{name}");
    let mut places = html.as_bytes().windows(end.len());
    let found = places.position(|place| place.eq_ignore_ascii_case(end.as_bytes()));
    found.map_or("", |place| html[place..].split_once('>').map_or("", |(_, rest)| rest))
}

/// A text with its named and numbered characters.
fn characters(text: &str) -> String {
    let mut read = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('&') {
        read.push_str(&rest[..start]);
        let entity = &rest[start + 1..];
        // Further away it ends something else; text without any is not searched for each.
        let end = entity.bytes().take(MAX_ENTITY + 1).position(|byte| byte == b';');
        if let Some((end, character)) = end.and_then(|end| Some((end, character(&entity[..end])?)))
        {
            read.push_str(&character);
            rest = &entity[end + 1..];
        } else {
            read.push('&');
            rest = entity;
        }
    }
    read.push_str(rest);
    read
}

fn character(name: &str) -> Option<String> {
    if let Some(number) = name.strip_prefix('#') {
        let hex = number.strip_prefix(['x', 'X']);
        let code = match hex {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code).map(String::from);
    }
    NAMED.iter().find(|(named, _)| *named == name).map(|(_, text)| (*text).to_owned())
}

/// Without spaces around lines, and with no more than one empty line between two.
fn tidy(text: &str) -> String {
    let mut tidy = String::with_capacity(text.len());
    let mut empty = 0;
    for line in text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")) {
        if line.is_empty() {
            empty += 1;
            continue;
        }
        if !tidy.is_empty() {
            tidy.push_str(if empty > 0 { "\n\n" } else { "\n" });
        }
        empty = 0;
        tidy.push_str(&line);
    }
    tidy
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_becomes_lines_of_text() {
        let html = "<p>Vela de <b>lavanda</b> &amp; mel.</p><p>Dura 40&nbsp;h.</p>\
                    <ul><li>Cera de soja</li><li>Pavio &lt; 5&#176;</li></ul>\
                    <script>alert('<p>')</script><STYLE>p{}</style>fim";
        let expected =
            "Vela de lavanda & mel.\n\nDura 40 h.\n\n- Cera de soja\n\n- Pavio < 5°\n\nfim";
        assert_eq!(text(html), expected);
        assert_eq!(text("sem marcas, 2 < 3 & 4"), "sem marcas, 2 < 3 & 4");
        assert_eq!(text("a<br>b<br/>c"), "a\nb\nc");
        let table = "<table><tr><th>Cera</th><td>soja</td></tr><tr><th>Peso</th><td>200 g</td></tr></table>";
        assert_eq!(text(table), "Cera soja\n\nPeso 200 g");
        assert_eq!(text("<dl><dt>Cera</dt><dd>soja</dd></dl>a<hr>b"), "Cera\n\nsoja\n\na\nb");
        assert_eq!(text("a <b <i sem fim"), "a <b <i sem fim");
        assert_eq!(text("aberto <script>x"), "aberto");
        assert_eq!(text("&atilde;&#xe7;&desconhecido;&"), "ãç&desconhecido;&");
    }
}
