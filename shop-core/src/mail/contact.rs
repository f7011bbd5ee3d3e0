//! The contact form.

use serde::{Deserialize, Serialize};

use super::page::{Block, Page, small};
use super::store;
use super::template::{Class, MailTemplate, RenderedMail};
use crate::config::Secret;
use crate::context::Context;
use crate::error::Result;
use crate::lane;
use crate::value::{Email, Mailbox, Text};

/// A message to the shop.
#[apply(input!)]
pub struct ContactMessage {
    /// Who writes.
    pub name: Text<1, 120>,
    /// Where the answer goes.
    pub email: Email,
    /// What it is about.
    pub subject: Text<1, 200>,
    /// What there is to say.
    pub message: Text<1, 5000>,
}

/// The contact form: [`Shop::contact_form`](crate::Shop::contact_form).
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// use shop_core::mail::ContactMessage;
///
/// let message = ContactMessage {
///     name: "Ana".parse()?,
///     email: "ana@example.com".parse()?,
///     subject: "Encomenda".parse()?,
///     message: "Vocês fazem velas sob medida?".parse()?,
/// };
/// shop.contact_form().send(message).await?;
/// assert_eq!(shop.run_due().await?.mails_sent, 1);
/// # Ok(())
/// # });
/// ```
#[apply(handle!)]
pub struct ContactForm<'a> {
    cx: &'a Context,
}

impl ContactForm<'_> {
    /// Puts a message into the outbox, addressed to the shop; an answer to it goes to the writer.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn send(&self, message: ContactMessage) -> Result<()> {
        let ContactMessage { name, email, subject, message } = message;
        let mail = ContactMail::Contact {
            name: name.to_string(),
            email,
            subject: subject.to_string(),
            message: message.to_string(),
        };
        let config = &self.cx.config().mail;
        let to = config.contact().clone();
        let at = self.cx.work();
        let job = move |tx: &mut dyn crate::storage::Tx| store::enqueue(tx, &at, &to, &mail);
        self.cx.db().write(lane::INTEGRATIONS, "mail.contact", job).await?;
        self.cx.mail_written();
        Ok(())
    }
}

/// The mail of a contact form.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names of the values say what they are")]
pub enum ContactMail {
    /// To the shop, from its contact form.
    Contact { name: String, email: Email, subject: String, message: String },
}

impl MailTemplate for ContactMail {
    fn kind(&self) -> &'static str {
        "contact"
    }

    fn class(&self) -> Class {
        Class::ToTheShop
    }

    fn render(&self, _: &Context, _: &Mailbox, _: Option<&Secret>) -> RenderedMail {
        let Self::Contact { name, email, subject, message } = self;
        let reply_to = Some(Mailbox { name: Some(name.clone()), email: email.clone() });
        RenderedMail { reply_to, ..page(name, email, subject, message).into() }
    }
}

fn page(name: &str, email: &Email, subject: &str, message: &str) -> Page {
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
