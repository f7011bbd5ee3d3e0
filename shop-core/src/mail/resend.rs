//! Mails that were given up, put into the queue again.

use super::store;
use crate::actor::Actor;
use crate::audit;
use crate::context::Context;
use crate::error::{Result, check_count};
use crate::id::MailId;
use crate::lane;
use crate::storage::Tx;

/// How many mails one call names at most.
const MAX_IDS: usize = 100;

/// Which mails to send again (`POST /api/admin/mails/resend`).
#[apply(input!)]
pub struct ResendMails {
    /// The mails, at most 100. Mails that were not given up, and ids of none, are passed over.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 100)))]
    pub ids: Vec<MailId>,
}

/// How many mails were put into the queue.
#[apply(answer!)]
#[derive(Copy)]
pub struct QueuedMails {
    /// Mails that are tried again as soon as their turn comes.
    pub queued: usize,
}

/// The mails that the shop writes: [`Shop::mails`](crate::Shop::mails).
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// use shop_core::actor::Actor;
/// use shop_core::mail::ResendMails;
///
/// let tasks = shop.dashboard().get_tasks(Default::default()).await?;
/// let given_up = tasks.failing_mails.first.iter().filter(|mail| mail.next_try_at.is_none());
/// let ids: Vec<_> = given_up.map(|mail| mail.id.clone()).collect();
/// if !ids.is_empty() {
///     shop.mails().resend(&Actor::System, ResendMails { ids }).await?;
/// }
/// # Ok(())
/// # });
/// ```
#[apply(handle!)]
pub struct Mails<'a> {
    cx: &'a Context,
}

impl Mails<'_> {
    /// Sends mails again that were given up, as after a mail server refused them by mistake. Those
    /// older than five days are tried once, others until then.
    ///
    /// Cancel safe: one transaction, done or not.
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid) for no id or more than 100 of them.
    pub async fn resend(&self, by: &Actor, input: ResendMails) -> Result<QueuedMails> {
        let ids = input.ids;
        check_count("ids", ids.len(), MAX_IDS)?;
        let (at, by) = (self.cx.work(), by.clone());
        let job = move |tx: &mut dyn Tx| {
            let mut queued = 0;
            for id in &ids {
                if store::requeue(tx, id, at.now())? {
                    audit::record(tx, &at, &by, "mail.resend", id.as_str(), &(), &())?;
                    queued += 1;
                }
            }
            Ok(queued)
        };
        let queued = self.cx.db().write(lane::INTEGRATIONS, "mail.resend", job).await?;
        self.cx.mail_written();
        Ok(QueuedMails { queued })
    }
}
