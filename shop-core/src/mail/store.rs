//! The outbox of mails: its table, which only this file writes.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use super::digest::DigestMail;
use super::template::{MailTemplate, ReadTemplate, kept};
use crate::clock::Timestamp;
use crate::config::Secret;
use crate::context::Work;
use crate::error::Result;
use crate::id::{AccountId, MailId, OrderId};
use crate::metric;
use crate::storage::{Filter, InsertRows, Metric, Param, Row, Tx, params};
use crate::value::Mailbox;

/// How long the mails that were sent can be looked up.
const KEPT: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// The mails that are to be sent.
const OUTBOX: InsertRows = InsertRows {
    table: "mail",
    insert:
        "INSERT INTO mail (id, kind, recipient, recipient_name, letter, created_at, next_try_at,
               account_id, order_id)
             VALUES ($1, $2, $3, $4, $5, $6, $6, $7, $8)",
};

/// How many of them one round looks at.
const ROUND: i64 = 500;

/// A mail that this process, and no other, is to send now.
pub(super) struct Claimed {
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) to: Mailbox,
    /// `None` where another version of the program wrote what this one cannot read.
    pub(super) template: Option<Arc<dyn MailTemplate>>,
    pub(super) created_at: Timestamp,
    /// Which try this is, from 1. Also tells this claim from a later one of the same mail.
    pub(super) attempt: i64,
    /// The account that it is written to, where it is one.
    pub(super) account: Option<AccountId>,
    /// The limit that was reached when its turn came, if one was.
    pub(super) held_for: Option<String>,
    /// Whether the other side may have taken it at its last try.
    pub(super) perhaps_taken: bool,
    /// What the link of this try carries; made with the claim, and kept nowhere but here.
    pub(super) token: Option<Secret>,
}

/// Until when mails are claimed.
#[derive(Clone, Copy)]
pub(super) struct Leases {
    pub(super) usual: Timestamp,
    /// For those that were perhaps taken.
    pub(super) patient: Timestamp,
}

impl Claimed {
    pub(super) fn is_secret(&self) -> bool {
        self.template.as_ref().is_none_or(|mail| mail.is_secret())
    }
}

/// How an attempt ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    Sent,
    /// What it says is not true any more: it is deleted.
    NotNeeded,
    /// To be tried again, or never again.
    Failed {
        next_try_at: Option<Timestamp>,
        /// Whether the other side may have taken it all the same.
        perhaps_taken: bool,
        error: String,
    },
}

impl Outcome {
    fn metric(&self) -> Option<Metric> {
        match self {
            Self::Sent => Some(metric::MAIL_SENT),
            Self::NotNeeded => None,
            Self::Failed { next_try_at: Some(_), .. } => Some(metric::MAIL_PUT_OFF),
            Self::Failed { next_try_at: None, .. } => Some(metric::MAIL_GIVEN_UP),
        }
    }
}

/// Writes a mail to an address, in the transaction of what it tells about.
pub(crate) fn enqueue(
    tx: &mut dyn Tx,
    at: &Work,
    to: &Mailbox,
    mail: &(impl MailTemplate + Serialize),
) -> Result<()> {
    insert(tx, (&at.id::<String>(), at.now()), None, to, mail)
}

/// Writes a mail about an account to an address. Mails to the owner of an account go by
/// [`account::enqueue_mail`](crate::account::enqueue_mail).
pub(crate) fn enqueue_about(
    tx: &mut dyn Tx,
    at: &Work,
    account: &AccountId,
    to: &Mailbox,
    mail: &(impl MailTemplate + Serialize),
) -> Result<()> {
    insert(tx, (&at.id::<String>(), at.now()), Some(account), to, mail)
}

fn insert(
    tx: &mut dyn Tx,
    (id, created_at): (&str, Timestamp),
    account: Option<&AccountId>,
    to: &Mailbox,
    mail: &(impl MailTemplate + Serialize),
) -> Result<()> {
    let content = kept(mail)?;
    tx.insert(
        &OUTBOX,
        params![
            id,
            mail.kind(),
            to.email.as_str(),
            to.name.as_ref(),
            &content,
            created_at,
            account,
            mail.order()
        ],
    )
}

/// Whether a mail waits to be sent now.
pub(super) fn is_due(tx: &mut dyn Tx, now: Timestamp) -> Result<bool> {
    tx.value(
        "SELECT EXISTS (SELECT 1 FROM mail WHERE sent_at IS NULL AND next_try_at <= $1)",
        params![now],
    )
}

/// Takes the mails that have been due for longest, oldest first; until the lease ends, no other
/// process gets them. The guard stands twice, for engines that look for rows before they lock them.
pub(super) fn claim(
    tx: &mut dyn Tx,
    templates: &[ReadTemplate],
    now: Timestamp,
    leases: Leases,
    limit: i64,
) -> Result<Vec<Claimed>> {
    let mut claimed = tx.all(
        "UPDATE mail SET attempts = attempts + 1,
           next_try_at = CASE perhaps_taken WHEN 1 THEN CAST($1 AS BIGINT)
                              ELSE CAST($2 AS BIGINT) END
         WHERE id IN (SELECT id FROM mail WHERE sent_at IS NULL AND next_try_at <= $3
                      ORDER BY next_try_at, id LIMIT $4)
           AND sent_at IS NULL AND next_try_at <= $3
         RETURNING id, kind, recipient, recipient_name, letter, created_at, attempts, account_id,
           held_for, perhaps_taken",
        params![leases.patient, leases.usual, now, limit],
        |row| read_claimed(row, templates),
    )?;
    // Ids sort by time; an UPDATE returns its rows in any order.
    claimed.sort_by(|one, other| one.id.cmp(&other.id));
    Ok(claimed)
}

fn read_claimed(row: &dyn Row, templates: &[ReadTemplate]) -> Result<Claimed> {
    let kept = row.text(4)?.unwrap_or_default();
    Ok(Claimed {
        id: row.get(0)?,
        kind: row.get(1)?,
        to: Mailbox { email: row.get(2)?, name: row.get(3)? },
        template: templates.iter().find_map(|read| read(kept)),
        created_at: row.get(5)?,
        attempt: row.get(6)?,
        account: row.get(7)?,
        held_for: row.get(8)?,
        perhaps_taken: row.get(9)?,
        token: None,
    })
}

/// Ends the claim of a mail that was not tried after all; it is the next to leave. The claim still
/// counts as an attempt: it counts against the limit of its address.
pub(super) fn give_back(tx: &mut dyn Tx, mail: &Claimed) -> Result<()> {
    tx.run(
        "UPDATE mail SET next_try_at = created_at
         WHERE id = $1 AND attempts = $2 AND sent_at IS NULL",
        params![&mail.id, mail.attempt],
    )
}

/// Holds a claimed mail back until then; it was not tried.
pub(super) fn hold(
    tx: &mut dyn Tx,
    mail: &Claimed,
    held_for: &str,
    until: Timestamp,
) -> Result<()> {
    tx.run(
        "UPDATE mail SET held_for = $1, next_try_at = $2, attempts = attempts - 1 WHERE id = $3",
        params![held_for, until, &mail.id],
    )
}

/// The mails that a limit holds back, oldest first.
pub(super) fn held(
    tx: &mut dyn Tx,
    templates: &[ReadTemplate],
    held_for: &str,
    limit: i64,
) -> Result<Vec<Claimed>> {
    tx.all(
        "SELECT id, kind, recipient, recipient_name, letter, created_at, attempts, account_id,
           held_for, perhaps_taken
         FROM mail WHERE held_for = $1 AND sent_at IS NULL ORDER BY id LIMIT $2",
        params![held_for, limit],
        |row| read_claimed(row, templates),
    )
}

/// Lets a mail leave by itself after all.
pub(super) fn release(tx: &mut dyn Tx, id: &str) -> Result<()> {
    tx.run("UPDATE mail SET held_for = NULL WHERE id = $1", params![id])
}

/// Notes that a digest tells of the held mails up to this one.
pub(super) fn settle_held(
    tx: &mut dyn Tx,
    held_for: &str,
    last: &str,
    now: Timestamp,
) -> Result<()> {
    tx.run(
        "UPDATE mail SET sent_at = $1, next_try_at = NULL
         WHERE held_for = $2 AND sent_at IS NULL AND id <= $3",
        params![now, held_for, last],
    )
}

/// Writes a mail that this process sends at once.
pub(super) fn insert_claimed(
    tx: &mut dyn Tx,
    mail: &Claimed,
    digest: &DigestMail,
    lease: Timestamp,
) -> Result<()> {
    let Claimed { id, to, created_at, attempt, account, .. } = mail;
    insert(tx, (id, *created_at), account.as_ref(), to, digest)?;
    tx.run(
        "UPDATE mail SET attempts = $1, next_try_at = $2 WHERE id = $3",
        params![*attempt, lease, id],
    )
}

/// Notes how an attempt ended, unless its lease ended before and another process has the mail.
pub(super) fn settle(
    tx: &mut dyn Tx,
    mail: &Claimed,
    outcome: &Outcome,
    now: Timestamp,
) -> Result<()> {
    let settled = match outcome {
        Outcome::NotNeeded => tx.execute(
            "DELETE FROM mail WHERE id = $1 AND attempts = $2 AND sent_at IS NULL",
            params![&mail.id, mail.attempt],
        ),
        Outcome::Sent => tx.execute(
            "UPDATE mail SET sent_at = $1, next_try_at = NULL, last_error = NULL
             WHERE id = $2 AND attempts = $3 AND sent_at IS NULL",
            params![now, &mail.id, mail.attempt],
        ),
        Outcome::Failed { next_try_at, perhaps_taken, error } => tx.execute(
            "UPDATE mail SET next_try_at = $1, last_error = $2, perhaps_taken = $3
             WHERE id = $4 AND attempts = $5 AND sent_at IS NULL",
            &[
                next_try_at.map_or(Param::Null, Into::into),
                error.into(),
                i64::from(*perhaps_taken).into(),
                (&mail.id).into(),
                mail.attempt.into(),
            ],
        ),
    }?;
    if let Some(metric) = outcome.metric().filter(|_| settled > 0) {
        tx.count(metric);
    }
    Ok(())
}

/// Lets a mail that was given up be tried again now; false where it was not. No process has a claim
/// on such a mail.
pub(super) fn requeue(tx: &mut dyn Tx, id: &MailId, now: Timestamp) -> Result<bool> {
    tx.changes(
        "UPDATE mail SET next_try_at = $1
         WHERE id = $2 AND sent_at IS NULL AND next_try_at IS NULL",
        params![now, id],
    )
}

/// Forgets mails that were sent, or given up, long ago; a few in each round. Ids sort by time.
pub(crate) fn purge(tx: &mut dyn Tx, now: Timestamp) -> Result<usize> {
    tx.execute(
        "DELETE FROM mail
         WHERE id IN (SELECT id FROM mail ORDER BY id LIMIT $1)
           AND created_at <= $2 AND next_try_at IS NULL",
        params![ROUND, now.minus(KEPT)],
    )
}

/// What was written of an order in mails of these kinds, sent or not, as it is kept.
pub(crate) fn told(tx: &mut dyn Tx, order: &OrderId, kinds: &[&str]) -> Result<Vec<String>> {
    let mut filter = Filter::default();
    let sql = format!(
        "SELECT letter FROM mail WHERE order_id = {} AND kind IN ({})",
        filter.bind(order),
        filter.bind_all(kinds.iter().copied())
    );
    tx.list(&sql, filter.params())
}

/// Takes back the mails of these kinds about an order that have not left yet. One that is being
/// sent right now leaves all the same.
pub(crate) fn take_back(tx: &mut dyn Tx, order: &OrderId, kinds: &[&str]) -> Result<()> {
    let mut filter = Filter::default();
    let sql = format!(
        "DELETE FROM mail WHERE order_id = {} AND kind IN ({}) AND sent_at IS NULL",
        filter.bind(order),
        filter.bind_all(kinds.iter().copied())
    );
    tx.run(&sql, filter.params())
}

/// Erases what waits to be sent to an account. What was written to its address otherwise stays: an
/// address alone proves nothing.
pub(crate) fn forget_unsent(tx: &mut dyn Tx, account: &AccountId) -> Result<()> {
    tx.run("DELETE FROM mail WHERE account_id = $1 AND sent_at IS NULL", params![account])
}

/// Some mails after that one, oldest first, each with the account that it is written to.
pub(crate) fn after(
    tx: &mut dyn Tx,
    last: &str,
    limit: i64,
) -> Result<Vec<(MailId, Option<AccountId>)>> {
    tx.list(
        "SELECT id, account_id FROM mail WHERE id > $1 ORDER BY id LIMIT $2",
        params![last, limit],
    )
}

/// Erases a mail, sent or not.
pub(crate) fn erase(tx: &mut dyn Tx, id: &MailId) -> Result<()> {
    tx.run("DELETE FROM mail WHERE id = $1", params![id])
}

/// Erases the mails of a kind that went to an address as such, to no account.
pub(crate) fn forget_kind(tx: &mut dyn Tx, kind: &str, email_key: &str) -> Result<()> {
    tx.run(
        "DELETE FROM mail WHERE account_id IS NULL AND kind = $1 AND lower(recipient) = $2",
        params![kind, email_key],
    )
}
