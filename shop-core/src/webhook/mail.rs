//! Mails to staff about endpoints.

use serde::{Deserialize, Serialize};

use super::DisabledReason;
use crate::config::{Config, Secret};
use crate::context::Context;
use crate::mail::{Class, MailTemplate, Mailbox, Page, RenderedMail, button, greeting, paragraph};

/// What mails to staff about webhooks tell.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names of the values say what they are")]
pub enum WebhookMail {
    /// The shop switched an endpoint off.
    WebhookDisabled { host: String, reason: DisabledReason },
}

impl MailTemplate for WebhookMail {
    fn kind(&self) -> &'static str {
        "webhook-disabled"
    }

    fn class(&self) -> Class {
        Class::ToTheShop
    }

    fn render(&self, cx: &Context, to: &Mailbox, _: Option<&Secret>) -> RenderedMail {
        let Self::WebhookDisabled { host, reason } = self;
        disabled(cx.config(), to, host, *reason).into()
    }
}

fn disabled(config: &Config, to: &Mailbox, host: &str, reason: DisabledReason) -> Page {
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
            button("Ver webhooks", config.mail_link(&config.mail.links.webhooks)),
        ],
    }
}
