//! Letters to readers of the newsletter and to the shop itself, and the digest.

use super::{DigestEntry, button, greeting, paragraph, small};
use crate::mail::mailbox::Mailbox;
use crate::mail::page::{Block, Page};
use crate::value::Email;
use crate::webhook::DisabledReason;

/// A digest tells of two mails or more.
pub(super) fn digest(base_url: &str, to: &Mailbox, entries: &[DigestEntry]) -> Page {
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

pub(super) fn newsletter_welcome(base_url: &str, to: &Mailbox, unsubscribe_url: String) -> Page {
    Page {
        subject: "Inscrição confirmada: você vai receber nossas novidades".to_owned(),
        preview: "Lançamentos e ofertas, sem exageros.".to_owned(),
        heading: "Inscrição confirmada".to_owned(),
        blocks: vec![
            greeting(to),
            paragraph("A partir de agora, você recebe nossos lançamentos e ofertas por e-mail."),
            button("Visitar a loja", format!("{base_url}/")),
            Block::Link {
                text: "Não quer mais receber? Cancelar inscrição".to_owned(),
                url: unsubscribe_url,
            },
        ],
    }
}

pub(super) fn webhook_disabled(
    base_url: &str,
    to: &Mailbox,
    host: &str,
    reason: DisabledReason,
) -> Page {
    Page {
        subject: format!("Webhook desativado: {host}"),
        preview: "Nada mais será enviado até que ele seja reativado.".to_owned(),
        heading: "Um webhook foi desativado".to_owned(),
        blocks: vec![
            greeting(to),
            paragraph(format!("O webhook para {host} foi desativado: {}.", reason.text())),
            paragraph(
                "Quando o destino voltar a funcionar, reative o webhook e reenvie os eventos \
                 perdidos. Os eventos ficam guardados por 30 dias.",
            ),
            button("Ver webhooks", format!("{base_url}/admin/webhooks")),
        ],
    }
}

pub(super) fn contact(name: &str, email: &Email, subject: &str, message: &str) -> Page {
    Page {
        subject: format!("[Contato] {subject}"),
        preview: format!("{name} escreveu pelo site."),
        heading: "Nova mensagem de contato".to_owned(),
        blocks: vec![
            Block::Box { label: "De".to_owned(), lines: vec![name.to_owned(), email.to_string()] },
            Block::Quote { label: subject.to_owned(), text: message.to_owned() },
            small("Para falar com quem escreveu, basta responder a este e-mail."),
        ],
    }
}
