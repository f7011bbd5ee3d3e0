//! What a kind of mail is to the outbox: its values, kept as JSON, and the words made of them when
//! it is sent. Each owner of a rule has its own templates; the shop knows them all.

use std::any::Any;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::mime::Attachment;
use super::page::Page;
use crate::clock::Timestamp;
use crate::config::Secret;
use crate::context::Context;
use crate::error::Result;
use crate::id::OrderId;
use crate::storage::Tx;
use crate::value::Mailbox;

/// Which limit of its address a mail counts against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// What happens with orders, and the newsletter.
    Everyday,
    /// What protects the account.
    Security,
    /// Mails to the staff of the shop, which are not counted.
    ToTheShop,
}

impl Class {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Everyday => "everyday",
            Self::Security => "security",
            Self::ToTheShop => "shop",
        }
    }
}

/// What a mail needs that is made when it is sent, in the transaction that claims it.
#[derive(Debug)]
pub(crate) enum SendToken {
    /// It needs nothing.
    None,
    /// The token of its link.
    Issued(Secret),
    /// Its link expired before it could leave.
    Expired,
    /// What it says is not true any more, as of a cancelled invoice: it is not sent.
    #[cfg_attr(not(feature = "nfe"), expect(dead_code, reason = "only mails of invoices are"))]
    NotNeeded,
}

/// A mail of some kind, with its values. Serialises to what the outbox keeps: an object whose only
/// key is the kind.
pub(crate) trait MailTemplate: Any + Send + Sync {
    /// The name of the kind in the outbox, in kebab-case.
    fn kind(&self) -> &'static str;

    fn class(&self) -> Class {
        Class::Everyday
    }

    /// Whether only its recipient may know what it says, since it carries a link that gives rights.
    /// Mails about an order carry one that opens it.
    fn is_secret(&self) -> bool {
        self.order().is_some()
    }

    /// The order that it tells about, where it is one.
    fn order(&self) -> Option<&OrderId> {
        None
    }

    /// The token of its link, where it has one.
    fn issue_token(&self, _: &mut dyn Tx, _: Timestamp) -> Result<SendToken> {
        Ok(SendToken::None)
    }

    /// The files that come with it, made each time that it is tried.
    fn attachments<'a>(&'a self, _: &'a Context) -> BoxFuture<'a, Result<Vec<Attachment>>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    /// The mail in words. Without a token there is no link: a digest only needs the subject.
    fn render(&self, cx: &Context, to: &Mailbox, token: Option<&Secret>) -> RenderedMail;
}

/// A mail in words.
pub(crate) struct RenderedMail {
    pub(crate) page: Page,
    /// Where an answer goes, if not to the shop's contact.
    pub(crate) reply_to: Option<Mailbox>,
    pub(crate) unsubscribe_url: Option<String>,
}

impl From<Page> for RenderedMail {
    fn from(page: Page) -> Self {
        Self { page, reply_to: None, unsubscribe_url: None }
    }
}

/// Reads a kept mail back, where it is of one's own templates.
pub(crate) type ReadTemplate = fn(&str) -> Option<Arc<dyn MailTemplate>>;

/// [`ReadTemplate`] of an enum of templates.
pub(crate) fn read<T: MailTemplate + DeserializeOwned + 'static>(
    kept: &str,
) -> Option<Arc<dyn MailTemplate>> {
    serde_json::from_str::<T>(kept).ok().map(|mail| Arc::new(mail) as Arc<dyn MailTemplate>)
}

/// What the outbox keeps of a mail.
pub(super) fn kept(mail: &(impl MailTemplate + Serialize)) -> Result<String> {
    serde_json::to_string(mail).map_err(crate::error::Error::from_source)
}
