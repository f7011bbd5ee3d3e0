//! Mails to readers of the newsletter.

use serde::{Deserialize, Serialize};

use super::unsubscribe_url;
use crate::config::{Config, Secret};
use crate::context::Context;
use crate::mail::{Block, MailTemplate, Mailbox, Page, RenderedMail, button, greeting, paragraph};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum NewsletterMail {
    /// To a new reader.
    NewsletterWelcome {},
}

impl NewsletterMail {
    /// What they are all called in the outbox.
    pub(super) const KIND: &str = "newsletter-welcome";
}

impl MailTemplate for NewsletterMail {
    fn kind(&self) -> &'static str {
        Self::KIND
    }

    /// Its link ends the subscription.
    fn is_secret(&self) -> bool {
        true
    }

    fn render(&self, cx: &Context, to: &Mailbox, _: Option<&Secret>) -> RenderedMail {
        let url = unsubscribe_url(cx, &to.email);
        let page = welcome(cx.config(), to, url.clone());
        RenderedMail { unsubscribe_url: Some(url), ..page.into() }
    }
}

fn welcome(config: &Config, to: &Mailbox, unsubscribe_url: String) -> Page {
    Page {
        subject: "Inscrição confirmada: você vai receber nossas novidades".to_owned(),
        preview: "Lançamentos e ofertas, sem exageros.".to_owned(),
        heading: "Inscrição confirmada".to_owned(),
        blocks: vec![
            greeting(to),
            paragraph("A partir de agora, você recebe nossos lançamentos e ofertas por e-mail."),
            button("Visitar a loja", config.mail_link(&config.mail.links.home)),
            Block::Link {
                text: "Não quer mais receber? Cancelar inscrição".to_owned(),
                url: unsubscribe_url,
            },
        ],
    }
}
