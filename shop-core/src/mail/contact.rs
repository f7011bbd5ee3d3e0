//! The contact form (section "Newsletter and contact").

use serde::Deserialize;

use super::letter::Letter;
use super::store;
use crate::context::Context;
use crate::error::Result;
use crate::lane;
use crate::value::{Email, Text};

/// What somebody writes to the shop.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// The contact form: [`Shop::contact_form`].
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
#[derive(Debug, Clone, Copy)]
pub struct ContactForm<'a> {
    cx: &'a Context,
}

impl<'a> ContactForm<'a> {
    pub(crate) fn new(cx: &'a Context) -> Self {
        Self { cx }
    }

    /// Puts a message into the outbox, addressed to the shop; an answer to it goes to the writer.
    pub async fn send(&self, message: ContactMessage) -> Result<()> {
        let ContactMessage { name, email, subject, message } = message;
        let letter = Letter::Contact {
            name: name.to_string(),
            email,
            subject: subject.to_string(),
            message: message.to_string(),
        };
        let mail = &self.cx.config().mail;
        let to = mail.contact_to.clone().unwrap_or_else(|| mail.from.clone());
        let at = self.cx.work();
        let job = move |tx: &mut dyn crate::storage::Tx| store::post(tx, &at, &to, &letter);
        self.cx.db().write(lane::INTEGRATIONS, "mail.contact", job).await?;
        self.cx.mail_written();
        Ok(())
    }
}
