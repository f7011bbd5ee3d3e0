//! In-app notifications of a customer.

use std::time::Duration;

use crate::clock::Timestamp;
use crate::context::{Context, Work};
use crate::error::{Entity, Error, Result};
use crate::id::{AccountId, NotificationId, OrderId};
use crate::lane;
use crate::storage::{Tx, params, read_columns};

/// The most recent notifications that a list shows.
const LIST_LENGTH: i64 = 100;
/// How long notifications are kept that were read, and others.
const KEEP_READ: Duration = Duration::from_secs(90 * 24 * 60 * 60);
const KEEP_UNREAD: Duration = Duration::from_secs(365 * 24 * 60 * 60);
/// Of each kind how many one round forgets: whatever else is written waits for it.
const ROUND: i64 = 500;

/// A message to a customer inside the shop.
#[apply(answer!)]
pub struct Notification {
    /// UUID version 7.
    pub id: NotificationId,
    /// What it is about; `ORDER_STATUS` for an order's progress.
    #[serde(rename = "type")]
    pub kind: String,
    /// A few words.
    pub title: String,
    /// A sentence or two.
    pub body: String,
    /// Whether the customer has read it.
    pub read: bool,
    /// A path within the shop where it leads, e.g. `/pedidos/<id>`.
    pub link: Option<String>,
    /// When it was written.
    pub created_at: Timestamp,
}

/// Where a notification about an order leads.
pub(crate) fn order_link(order: &OrderId) -> String {
    format!("/pedidos/{order}")
}

/// What a customer changes of a notification.
#[apply(input!)]
pub struct NotificationPatch {
    /// Whether it has been read.
    pub read: bool,
}

/// A customer's notifications.
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// let order = shop.order().await?;
/// shop.payments().create_pix(&order.user_id, &order.id, None).await?;
/// shop.sandbox().pay(&order.order_number).await?;
/// let list = shop.notifications().list(&order.user_id).await?;
/// assert!(!list[0].read);
/// shop.notifications().mark_all_read(&order.user_id).await?;
/// # Ok(())
/// # });
/// ```
#[apply(handle!)]
pub struct Notifications<'a> {
    cx: &'a Context,
}

impl Notifications<'_> {
    /// The customer's most recent notifications, newest first.
    ///
    /// Cancel safe: reads only.
    pub async fn list(&self, account: &AccountId) -> Result<Vec<Notification>> {
        let account = account.clone();
        self.cx.db().read("notification.list", move |tx| select(tx, &account, LIST_LENGTH)).await
    }

    /// Marks one of the customer's notifications as read or unread.
    ///
    /// # Errors
    /// [`Error::NotFound`] also for another customer's.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn update(
        &self,
        account: &AccountId,
        id: &NotificationId,
        patch: NotificationPatch,
    ) -> Result<Notification> {
        let (account, id) = (account.clone(), id.clone());
        let job = move |tx: &mut dyn Tx| set_read(tx, &account, &id, patch.read);
        self.cx.db().write(lane::CUSTOMERS, "notification.update", job).await
    }

    /// Marks all of the customer's notifications as read.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn mark_all_read(&self, account: &AccountId) -> Result<()> {
        let account = account.clone();
        let job = move |tx: &mut dyn Tx| set_all_read(tx, &account);
        self.cx.db().write(lane::CUSTOMERS, "notification.mark_all_read", job).await
    }
}

/// What to tell a customer.
pub(crate) struct Message<'a> {
    pub(crate) kind: &'static str,
    pub(crate) title: &'a str,
    pub(crate) body: &'a str,
    pub(crate) link: &'a str,
}

/// Writes a notification, in the transaction of what it tells about.
pub(crate) fn notify(
    tx: &mut dyn Tx,
    at: &Work,
    account: &AccountId,
    message: &Message<'_>,
) -> Result<()> {
    let id: NotificationId = at.id();
    tx.run(
        "INSERT INTO notification (id, account_id, type, title, body, link, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        params![&id, account, message.kind, message.title, message.body, message.link, at.now()],
    )
}

/// Every notification of an account, newest first.
pub(crate) fn all(tx: &mut dyn Tx, account: &AccountId) -> Result<Vec<Notification>> {
    select(tx, account, i64::MAX)
}

/// Hands all notifications of an account over to another one.
pub(crate) fn adopt(tx: &mut dyn Tx, from: &AccountId, to: &AccountId) -> Result<()> {
    tx.run("UPDATE notification SET account_id = $1 WHERE account_id = $2", params![to, from])
}

/// Throws an account's notifications away.
pub(crate) fn forget(tx: &mut dyn Tx, account: &AccountId) -> Result<()> {
    tx.run("DELETE FROM notification WHERE account_id = $1", params![account])
}

/// Forgets notifications of long ago, some in a round, and counts them.
pub(crate) fn purge(tx: &mut dyn Tx, now: Timestamp) -> Result<usize> {
    let read = tx.execute(
        "DELETE FROM notification WHERE id IN (
           SELECT id FROM notification WHERE read = 1 AND created_at <= $1 LIMIT $2)",
        params![now.minus(KEEP_READ), ROUND],
    )?;
    // Ids sort by time.
    let unread = tx.execute(
        "DELETE FROM notification
         WHERE id IN (SELECT id FROM notification ORDER BY id LIMIT $1) AND created_at <= $2",
        params![ROUND, now.minus(KEEP_UNREAD)],
    )?;
    Ok(read + unread)
}

fn select(tx: &mut dyn Tx, account: &AccountId, limit: i64) -> Result<Vec<Notification>> {
    tx.list(
        "SELECT id, type, title, body, read, link, created_at FROM notification
         WHERE account_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2",
        params![account, limit],
    )
}

read_columns!(Notification: id, kind, title, body, read, link, created_at);

fn set_read(
    tx: &mut dyn Tx,
    account: &AccountId,
    id: &NotificationId,
    as_read: bool,
) -> Result<Notification> {
    let changed = tx.find(
        "UPDATE notification SET read = $1 WHERE id = $2 AND account_id = $3
         RETURNING id, type, title, body, read, link, created_at",
        params![as_read, id, account],
    )?;
    changed.ok_or(Error::NotFound(Entity::Notification))
}

fn set_all_read(tx: &mut dyn Tx, account: &AccountId) -> Result<()> {
    tx.run("UPDATE notification SET read = 1 WHERE account_id = $1 AND read = 0", params![account])
}
