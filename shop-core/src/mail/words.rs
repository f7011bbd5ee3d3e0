//! Mails in the words of the program around the shop.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::template::{MailTemplate, RenderedMail};
use crate::value::Mailbox;

/// Says mails in a program's own words, made of the same data as the shop's.
///
/// ```
/// use shop_core::mail::{MailData, MailText, MailTexts};
/// use shop_core::order::OrderMail;
///
/// /// Says in English that an order was placed, and leaves the rest to the shop.
/// struct English;
///
/// impl MailTexts for English {
///     fn render(&self, mail: &MailData<'_>) -> Option<MailText> {
///         let Some(OrderMail::OrderPlaced { order }) = mail.data() else { return None };
///         let number = &order.order_number;
///         Some(MailText {
///             subject: format!("Your order {number}"),
///             text: format!("Thank you! It comes to R$ {}.", order.total),
///             html: format!("<p>Thank you! It comes to R$ {}.</p>", order.total),
///         })
///     }
/// }
///
/// # use shop_core::testing::TestShop;
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let shop = TestShop::with(|builder| builder.mail_texts(English)).await?;
/// shop.order().await?;
/// assert!(shop.run_due().await?.mails_sent > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait MailTexts: Send + Sync + 'static {
    /// A mail in words; `None` leaves it in the shop's. Called each time that a mail is tried. The
    /// subjects that a digest lists are the shop's. Where it panics, the shop's words are sent.
    fn render(&self, mail: &MailData<'_>) -> Option<MailText>;
}

/// A mail in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailText {
    /// The subject.
    pub subject: String,
    /// The text.
    pub text: String,
    /// The same as HTML. Values that people wrote must be escaped in it.
    pub html: String,
}

/// What a mail is made of.
#[non_exhaustive]
pub struct MailData<'a> {
    /// What it tells, e.g. `order-placed`.
    pub kind: &'static str,
    /// Who gets it.
    pub to: &'a Mailbox,
    /// The address that its button leads to, if it has one: an order, the log-in, the page on which
    /// another password is chosen.
    pub link: Option<&'a str>,
    /// The link by which its recipient ends mails of this kind, if there is one.
    pub unsubscribe_url: Option<&'a str>,
    /// The same mail in the shop's own words.
    pub standard: &'a MailText,
    data: &'a dyn Any,
}

opaque! { MailData<'a> { kind }; }

impl<'a> MailData<'a> {
    /// The values that the shop's own words are made of, where they are of this type:
    /// [`OrderMail`](crate::order::OrderMail), [`ReturnMail`](crate::order_return::ReturnMail),
    /// [`ShipmentMail`](crate::fulfilment::ShipmentMail),
    /// [`AccountMail`](crate::account::AccountMail),
    /// [`TwoFactorMail`](crate::account::TwoFactorMail),
    /// [`WebhookMail`](crate::webhook::WebhookMail), [`ContactMail`](super::ContactMail),
    /// [`DigestMail`](super::DigestMail) or, with the feature `nfe`, `invoicing::InvoiceMail`. The
    /// newsletter's welcome has none.
    pub fn data<T: Any>(&self) -> Option<&'a T> {
        self.data.downcast_ref()
    }

    /// A mail in the program's words, else in the shop's.
    pub(super) fn words(
        texts: Option<&dyn MailTexts>,
        template: &'a dyn MailTemplate,
        rendered: &'a RenderedMail,
        (to, standard): (&'a Mailbox, &'a MailText),
    ) -> Option<MailText> {
        let mail = Self {
            kind: template.kind(),
            to,
            link: rendered.page.link(),
            unsubscribe_url: rendered.unsubscribe_url.as_deref(),
            standard,
            data: template,
        };
        let texts = texts?;
        catch_unwind(AssertUnwindSafe(|| texts.render(&mail))).unwrap_or_else(|_| {
            tracing::error!(kind = mail.kind, "the program's words panicked; the shop's are sent");
            None
        })
    }
}
