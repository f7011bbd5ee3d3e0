//! The digest of mails that an allowance held back.

use serde::{Deserialize, Serialize};

use super::page::{Block, Page, button, greeting, paragraph};
use super::template::{MailTemplate, RenderedMail};
use crate::clock::Timestamp;
use crate::config::Secret;
use crate::context::Context;
use crate::value::Mailbox;

/// What an address would have got beyond its allowance, as one mail.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DigestMail {
    Digest { entries: Vec<DigestEntry> },
}

/// A mail that a digest tells of.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct DigestEntry {
    pub(super) at: Timestamp,
    pub(super) subject: String,
}

impl MailTemplate for DigestMail {
    fn kind(&self) -> &'static str {
        "digest"
    }

    fn render(&self, cx: &Context, to: &Mailbox, _: Option<&Secret>) -> RenderedMail {
        let Self::Digest { entries } = self;
        digest(&cx.config().base_url(), to, entries).into()
    }
}

/// A digest tells of two mails or more.
fn digest(base_url: &str, to: &Mailbox, entries: &[DigestEntry]) -> Page {
    let count = entries.len();
    let line = |entry: &DigestEntry| format!("{}: {}", entry.at.local_words(), entry.subject);
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
            button("Ver meus pedidos", format!("{base_url}/pedidos")),
        ],
    }
}
