//! A mail's look: the same blocks as text and as HTML. Every value is escaped here and nowhere
//! else. Styles stand on the elements themselves, and tables do the layout: mail programs know
//! little else.

use std::fmt::Write;

use crate::value::Mailbox;

/// What stands around every mail.
#[derive(Debug)]
pub(super) struct Frame {
    /// What the shop is called.
    pub(super) shop: String,
    pub(super) base_url: String,
    /// Who sells, in one line, where customers are to know it.
    pub(super) seller: Option<String>,
}

/// A mail, block by block.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) subject: String,
    /// What lists of mails show beside the subject.
    pub(crate) preview: String,
    pub(crate) heading: String,
    pub(crate) blocks: Vec<Block>,
}

#[derive(Debug)]
pub(crate) enum Block {
    Paragraph(String),
    /// What was bought.
    Items(Vec<Item>),
    /// One line each.
    List(Vec<ListEntry>),
    /// Labels and amounts; the last one counts most.
    Totals(Vec<(String, String)>),
    /// Something to look up.
    Box {
        label: String,
        lines: Vec<String>,
    },
    /// What a person wrote, line by line.
    Quote {
        label: String,
        text: String,
    },
    Button {
        label: String,
        url: String,
    },
    Link {
        text: String,
        url: String,
    },
    Small(String),
}

/// A line of a list, and where it leads.
#[derive(Debug)]
pub(crate) struct ListEntry {
    pub(crate) text: String,
    pub(crate) url: Option<String>,
}

/// A line of what was bought.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) name: String,
    pub(crate) detail: Option<String>,
    pub(crate) quantity: i64,
    pub(crate) total: String,
}

const INK: &str = "#3b2f2a";
const SOFT: &str = "#8a7a70";
const ACCENT: &str = "#9c4f2e";
const LINE: &str = "#eadfd5";
const GROUND: &str = "#f6f0e9";
const FONT: &str = "font-family:Helvetica,Arial,sans-serif";
const SERIF: &str = "font-family:Georgia,'Times New Roman',serif";

impl Page {
    /// Where the mail's button leads, where it has one.
    pub(super) fn link(&self) -> Option<&str> {
        self.blocks.iter().find_map(|block| match block {
            Block::Button { url, .. } => Some(url.as_str()),
            _ => None,
        })
    }

    /// Where the mail's last link leads: to the shop, also where its button leads to a carrier.
    pub(super) fn last_link(&self) -> Option<&str> {
        self.blocks.iter().rev().find_map(|block| match block {
            Block::Button { url, .. } | Block::Link { url, .. } => Some(url.as_str()),
            _ => None,
        })
    }

    /// The mail as text.
    pub(super) fn text(&self, frame: &Frame) -> String {
        let mut text = format!("{}\n\n", self.heading);
        for block in &self.blocks {
            text.push_str(&block.text());
            text.push_str("\n\n");
        }
        let seller = frame.seller.as_ref().map(|line| format!("{line}\n")).unwrap_or_default();
        text + "-- \n" + &frame.shop + "\n" + &seller
    }

    /// The mail as a page.
    pub(super) fn html(&self, frame: &Frame) -> String {
        let blocks: String = self.blocks.iter().map(Block::html).collect();
        let (subject, preview) = (escape(&self.subject), escape(&self.preview));
        let (heading, shop) = (escape(&self.heading), escape(&frame.shop));
        let url = escape(&frame.base_url);
        let seller = frame.seller.as_ref().map(|line| format!("<br>{}", escape(line)));
        let seller = seller.unwrap_or_default();
        format!(
            "<!DOCTYPE html>\n<html lang=\"pt-BR\"><head><meta charset=\"utf-8\">\
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>{subject}</title>\
</head>\n<body style=\"margin:0;padding:0;background:{GROUND};\">\
<div style=\"display:none;max-height:0;overflow:hidden;\">{preview}</div>\n\
<table role=\"presentation\" width=\"100%\" cellpadding=\"0\" cellspacing=\"0\" \
style=\"background:{GROUND};\"><tr><td align=\"center\" style=\"padding:32px 12px;\">\n\
<table role=\"presentation\" width=\"600\" cellpadding=\"0\" cellspacing=\"0\" \
style=\"width:100%;max-width:600px;\">\n\
<tr><td align=\"center\" style=\"padding:0 0 20px;{SERIF};font-size:24px;letter-spacing:1px;\">\
<a href=\"{url}\" style=\"color:{ACCENT};text-decoration:none;\">{shop}</a></td></tr>\n\
<tr><td style=\"background:#ffffff;border-top:4px solid {ACCENT};border-radius:6px;\
padding:36px 36px 28px;{FONT};font-size:16px;line-height:1.55;color:{INK};\">\n\
<h1 style=\"margin:0 0 20px;{SERIF};font-size:26px;font-weight:normal;line-height:1.25;\
color:{INK};\">{heading}</h1>\n{blocks}</td></tr>\n\
<tr><td align=\"center\" style=\"padding:20px 12px 0;{FONT};font-size:12px;line-height:1.5;\
color:{SOFT};\">{shop}<br><a href=\"{url}\" style=\"color:{SOFT};\">{url}</a>{seller}</td></tr>\n\
</table></td></tr></table></body></html>\n"
        )
    }
}

impl Block {
    fn text(&self) -> String {
        match self {
            Self::Paragraph(text) | Self::Small(text) => text.clone(),
            Self::Items(items) => lines(items.iter().map(|item| {
                let detail = item.detail.as_ref().map(|d| format!(" ({d})")).unwrap_or_default();
                format!("{} x {}{detail}: {}", item.quantity, item.name, item.total)
            })),
            Self::List(entries) => lines(entries.iter().map(ListEntry::text)),
            Self::Totals(rows) => lines(rows.iter().map(|(label, sum)| format!("{label}: {sum}"))),
            Self::Box { label, lines: box_lines } => {
                format!("{label}:\n{}", lines(box_lines.iter().cloned()))
            }
            Self::Quote { label, text } => {
                format!("{label}\n\n{}", lines(text.lines().map(|line| format!("> {line}"))))
            }
            Self::Button { label: text, url } | Self::Link { text, url } => {
                format!("{text}:\n{url}")
            }
        }
    }

    fn html(&self) -> String {
        match self {
            Self::Paragraph(text) => {
                format!("<p style=\"margin:0 0 16px;\">{}</p>\n", escape(text))
            }
            Self::Small(text) => format!(
                "<p style=\"margin:20px 0 0;font-size:13px;color:{SOFT};\">{}</p>\n",
                escape(text)
            ),
            Self::Items(items) => table(&items.iter().map(Item::html).collect::<String>()),
            Self::List(entries) => table(&entries.iter().map(ListEntry::html).collect::<String>()),
            Self::Totals(rows) => totals(rows),
            Self::Box { label, lines } => {
                let lines: Vec<String> = lines.iter().map(|line| escape(line)).collect();
                boxed(&escape(label), &lines.join("<br>"))
            }
            Self::Quote { label, text } => {
                let text: Vec<String> = text.lines().map(escape).collect();
                boxed(&escape(label), &text.join("<br>"))
            }
            Self::Button { label, url } => button_html(&escape(label), &escape(url)),
            Self::Link { text, url } => format!(
                "<p style=\"margin:20px 0 0;font-size:13px;\"><a href=\"{}\" \
style=\"color:{SOFT};\">{}</a></p>\n",
                escape(url),
                escape(text)
            ),
        }
    }
}

impl Item {
    fn html(&self) -> String {
        let cell = format!("padding:12px 0;border-bottom:1px solid {LINE};vertical-align:top;");
        let detail = self.detail.as_ref().map(|text| format!(" &#183; {}", escape(text)));
        format!(
            "<tr><td style=\"{cell}\">{}<br><span style=\"font-size:13px;color:{SOFT};\">\
Quantidade: {}{}</span></td><td align=\"right\" style=\"{cell}white-space:nowrap;\">{}</td></tr>\n",
            escape(&self.name),
            self.quantity,
            detail.unwrap_or_default(),
            escape(&self.total)
        )
    }
}

impl ListEntry {
    fn text(&self) -> String {
        let url = self.url.as_ref().map(|url| format!("\n  {url}")).unwrap_or_default();
        format!("- {}{url}", self.text)
    }

    fn html(&self) -> String {
        let mut text = escape(&self.text);
        if let Some(url) = &self.url {
            text = format!("<a href=\"{}\" style=\"color:{ACCENT};\">{text}</a>", escape(url));
        }
        format!(
            "<tr><td style=\"padding:8px 0;border-bottom:1px solid {LINE};\">{text}</td></tr>\n"
        )
    }
}

fn totals(rows: &[(String, String)]) -> String {
    let mut html = String::new();
    for (place, (label, amount)) in rows.iter().enumerate() {
        let style = if place + 1 == rows.len() {
            format!("padding:10px 0 0;font-size:18px;font-weight:bold;color:{INK};")
        } else {
            format!("padding:2px 0;color:{SOFT};")
        };
        let (label, amount) = (escape(label), escape(amount));
        // Writing to a String cannot fail.
        let _ = writeln!(
            html,
            "<tr><td style=\"{style}\">{label}</td>\
<td align=\"right\" style=\"{style}white-space:nowrap;\">{amount}</td></tr>"
        );
    }
    table(&html)
}

fn table(rows: &str) -> String {
    format!(
        "<table role=\"presentation\" width=\"100%\" cellpadding=\"0\" cellspacing=\"0\" \
style=\"margin:0 0 20px;{FONT};font-size:15px;line-height:1.4;color:{INK};\">\n{rows}</table>\n"
    )
}

/// Both are HTML already.
fn boxed(label: &str, content: &str) -> String {
    format!(
        "<table role=\"presentation\" width=\"100%\" cellpadding=\"0\" cellspacing=\"0\" \
style=\"margin:0 0 20px;\"><tr><td style=\"background:{GROUND};border-radius:4px;padding:14px 18px;\
{FONT};font-size:15px;line-height:1.5;color:{INK};\"><span style=\"font-size:12px;color:{SOFT};\
text-transform:uppercase;letter-spacing:1px;\">{label}</span><br>{content}</td></tr></table>\n"
    )
}

/// Both are HTML already.
fn button_html(label: &str, url: &str) -> String {
    format!(
        "<table role=\"presentation\" cellpadding=\"0\" cellspacing=\"0\" \
style=\"margin:24px 0 12px;\"><tr><td style=\"background:{ACCENT};border-radius:4px;\">\
<a href=\"{url}\" style=\"display:inline-block;padding:13px 28px;{FONT};font-size:16px;\
font-weight:bold;color:#ffffff;text-decoration:none;\">{label}</a></td></tr></table>\n"
    )
}

fn lines(lines: impl Iterator<Item = String>) -> String {
    lines.collect::<Vec<_>>().join("\n")
}

/// A text that is nothing but text in HTML, in attributes too. An amount never breaks behind its
/// currency sign. Other characters than ASCII become numeric references, so that a page needs no
/// encoding to be sent.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.replace("R$ ", "R$\u{a0}").chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ if c.is_ascii() || c.is_control() => escaped.push(c),
            // Writing to a String cannot fail.
            _ => drop(write!(escaped, "&#{};", u32::from(c))),
        }
    }
    escaped
}

/// "Olá, Ana!" where the name is known and looks like one, else "Olá!". A stranger who registers
/// another person's e-mail chooses the name, and it must not be a link.
pub(crate) fn greeting(to: &Mailbox) -> Block {
    let first = to.name.as_deref().and_then(|name| name.split_whitespace().next());
    let first = first.filter(|first| is_name(first));
    Block::Paragraph(first.map_or("Olá!".to_owned(), |first| format!("Olá, {first}!")))
}

/// Whether a word is made of letters, as `D'Ávila`, `Ana-Maria` and `Jr.` are.
fn is_name(word: &str) -> bool {
    word.chars().count() <= 30
        && !word.trim_end_matches('.').contains('.')
        && word.chars().all(|c| c.is_alphabetic() || matches!(c, '\'' | '’' | '-' | '.'))
}

pub(crate) fn paragraph(text: impl Into<String>) -> Block {
    Block::Paragraph(text.into())
}

pub(crate) fn small(text: &str) -> Block {
    Block::Small(text.to_owned())
}

pub(crate) fn button(label: &str, url: String) -> Block {
    Block::Button { label: label.to_owned(), url }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVIL: &str = "<script>\"'&";

    #[test]
    fn whatever_stands_in_a_block_is_text() {
        let evil = || EVIL.to_owned();
        let item = Item { name: evil(), detail: Some(evil()), quantity: 2, total: evil() };
        let blocks = vec![
            Block::Paragraph(evil()),
            Block::Items(vec![item]),
            Block::List(vec![ListEntry { text: evil(), url: Some(evil()) }]),
            Block::Totals(vec![(evil(), evil()), (evil(), evil())]),
            Block::Box { label: evil(), lines: vec![evil()] },
            Block::Quote { label: evil(), text: evil() },
            Block::Button { label: evil(), url: evil() },
            Block::Link { text: evil(), url: evil() },
            Block::Small(evil()),
        ];
        let page = Page { subject: evil(), preview: evil(), heading: evil(), blocks };
        let frame = Frame { shop: evil(), base_url: evil(), seller: Some(evil()) };
        let html = page.html(&frame);
        assert!(!html.contains("<script") && !html.contains("\"'&"), "{html}");
        assert_eq!(html.matches("&lt;script&gt;&quot;&#39;&amp;").count(), 28);
        assert_eq!(page.text(&frame).matches(EVIL).count(), 22);
    }
}
