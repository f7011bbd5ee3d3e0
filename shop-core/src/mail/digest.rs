//! The digest of mails that a rate limit held back.

use serde::{Deserialize, Serialize};

use super::page::{Block, ListEntry, Page, button, greeting, paragraph};
use super::template::{MailTemplate, RenderedMail};
use crate::clock::Timestamp;
use crate::config::{Config, Secret};
use crate::context::Context;
use crate::value::Mailbox;

/// What an address would have got beyond its limit, as one mail.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names of the values say what they are")]
pub enum DigestMail {
    /// Several mails as one.
    Digest { entries: Vec<DigestEntry> },
}

/// A mail that a digest tells of. `Debug` does not show its link, which opens an order.
#[derive(Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DigestEntry {
    /// When the mail was written.
    pub at: Timestamp,
    /// Its subject.
    pub subject: String,
    /// Where the mail's button leads, if it is about an order: without an account there is no other
    /// way to it.
    #[serde(default)]
    pub link: Option<String>,
}

opaque! { DigestEntry { at, subject }; }

impl MailTemplate for DigestMail {
    fn kind(&self) -> &'static str {
        "digest"
    }

    fn is_secret(&self) -> bool {
        let Self::Digest { entries } = self;
        entries.iter().any(|entry| entry.link.is_some())
    }

    fn render(&self, cx: &Context, to: &Mailbox, _: Option<&Secret>) -> RenderedMail {
        let Self::Digest { entries } = self;
        digest(cx.config(), to, entries).into()
    }
}

/// A digest tells of two mails or more.
fn digest(config: &Config, to: &Mailbox, entries: &[DigestEntry]) -> Page {
    let count = entries.len();
    let line = |entry: &DigestEntry| ListEntry {
        text: format!("{}: {}", entry.at.local_words(), entry.subject),
        url: entry.link.clone(),
    };
    Page {
        subject: format!("Resumo: {count} avisos da loja"),
        preview: "Reunimos seus avisos em uma só mensagem.".to_owned(),
        heading: "Seus avisos em uma só mensagem".to_owned(),
        blocks: vec![
            greeting(to),
            paragraph(format!(
                "Para não lotar sua caixa de entrada, reunimos aqui {count} avisos:"
            )),
            Block::List(entries.iter().map(line).collect()),
            paragraph("Os detalhes estão na sua conta."),
            button("Ver meus pedidos", config.mail_link(&config.mail.links.orders)),
        ],
    }
}
