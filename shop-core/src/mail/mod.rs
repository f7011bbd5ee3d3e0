//! Mails, from the outbox of the transaction to the mail server.
//!
//! Business code writes a mail as a row, in the transaction of what it tells about; it
//! never waits for a mail server, and none can make it fail. A dispatcher takes what is due, makes
//! text and HTML of it, and hands it to the [`Mailer`].

mod contact;
mod digest;
mod dispatch;
mod folder;
mod mime;
mod page;
mod rate_limit;
mod resend;
#[cfg(feature = "smtp")]
mod smtp;
mod store;
mod template;
mod words;

use std::sync::Arc;

use futures_util::future::BoxFuture;

pub use self::contact::{ContactForm, ContactMail, ContactMessage};
pub use self::digest::{DigestEntry, DigestMail};
pub(crate) use self::dispatch::Dispatcher;
pub use self::folder::FolderMailer;
pub use self::mime::{Attachment, OutgoingMail};
pub(crate) use self::page::{Block, Item, Page, button, greeting, paragraph, small};
pub(crate) use self::rate_limit::purge as purge_rate_limits;
pub use self::resend::{Mails, QueuedMails, ResendMails};
#[cfg(feature = "smtp")]
pub use self::smtp::SmtpMailer;
pub(crate) use self::store::{
    after, enqueue, enqueue_about, erase, forget_kind, forget_unsent, purge, take_back, told,
};
pub(crate) use self::template::{
    Class, MailTemplate, ReadTemplate, RenderedMail, SendToken, read as read_template,
};
pub use self::words::{MailData, MailText, MailTexts};
use crate::config::{Config, Environment};
#[cfg(not(feature = "smtp"))]
use crate::error::Error;
use crate::error::Result;
pub use crate::value::Mailbox;

/// Takes finished mails away: to a folder or to a mail server, as the configuration says, unless
/// the embedding program brings its own.
pub trait Mailer: Send + Sync + 'static {
    /// Hands a mail over. `Ok` means that the other side answers for it now.
    fn send<'a>(&'a self, mail: &'a OutgoingMail) -> BoxFuture<'a, Result<(), NotSent>>;
}

/// Why a mail was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotSent {
    /// Whether the same mail would be refused again, however often it is tried.
    pub for_good: bool,
    /// Whether the other side may have taken it all the same, and only its answer came too late.
    /// Each further try may be a copy, so they are few and far between.
    pub perhaps_taken: bool,
    /// In a few fixed words, e.g. `SMTP 550`. Never holds a part of the mail.
    pub summary: String,
    /// What the other side said. It may repeat parts of the mail.
    pub detail: String,
}

/// The way out that the configuration names. None where it names neither a mail server nor a
/// folder: mails wait for one, and are not tried meanwhile, for a mail that is tried is given up
/// some day.
pub(crate) fn configured(config: &Config) -> Result<Option<Arc<dyn Mailer>>> {
    if config.environment == Environment::Production && config.mail.smtp_url.is_none() {
        tracing::warn!("no mail.smtp_url: {}", config.without_mail_server());
    }
    match &config.mail.smtp_url {
        None => Ok(match config.outbox_dir() {
            Some(folder) => Some(Arc::new(FolderMailer::new(folder))),
            None => None,
        }),
        #[cfg(feature = "smtp")]
        Some(url) => Ok(Some(Arc::new(SmtpMailer::new(url, &config.mail.from)?))),
        #[cfg(not(feature = "smtp"))]
        Some(_) => Err(Error::internal("this build knows no SMTP; leave mail.smtp_url out")),
    }
}
