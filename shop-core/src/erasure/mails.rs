//! Mails to customers who were erased.
//!
//! The outbox has no index by account: every order would pay for it. So what waits to be sent goes
//! in the transaction of the erasure, and what was sent is searched for afterwards, on the readers'
//! threads.

use crate::context::Context;
use crate::error::Result;
use crate::id::{AccountId, MailId};
use crate::lane;
use crate::mail;
use crate::storage::{Tx, params};

/// How many mails one search covers.
const BATCH: i64 = 2000;

/// How far the outbox was searched for a customer.
#[derive(Clone)]
struct Search {
    account: AccountId,
    /// The last mail that was looked at.
    done: String,
}

/// What a search found.
struct Found {
    mails: Vec<MailId>,
    /// The last mail that was looked at; none at the end of the outbox.
    last: Option<MailId>,
}

/// Erases what waits to be sent to a customer, and notes that what was sent is to go too.
pub(super) fn forget(tx: &mut dyn Tx, account: &AccountId) -> Result<()> {
    mail::forget_unsent(tx, account)?;
    tx.run(
        "INSERT INTO mail_erasure (account_id, done) VALUES ($1, '')
         ON CONFLICT (account_id) DO UPDATE SET done = excluded.done",
        params![account],
    )
}

/// Erases the mails to erased customers; returns how many went.
pub(crate) async fn erase_mails_due(cx: &Context) -> Result<usize> {
    let mut erased = 0;
    while let Some(search) = cx.db().lookup("mail.erasure", next).await? {
        let part = search.clone();
        let found = cx.db().read("mail.of_account", move |tx| look(tx, &part)).await?;
        erased += found.mails.len();
        let job = move |tx: &mut dyn Tx| {
            found.mails.iter().try_for_each(|id| mail::erase(tx, id))?;
            progress(tx, &search, found.last.as_ref())
        };
        cx.db().write(lane::INTEGRATIONS, "mail.erase", job).await?;
    }
    Ok(erased)
}

fn next(tx: &mut dyn Tx) -> Result<Option<Search>> {
    tx.one("SELECT account_id, done FROM mail_erasure ORDER BY account_id LIMIT 1", &[], |row| {
        Ok(Search { account: row.get(0)?, done: row.get(1)? })
    })
}

fn look(tx: &mut dyn Tx, search: &Search) -> Result<Found> {
    let mails = mail::after(tx, &search.done, BATCH)?;
    let last = mails.last().map(|(id, _)| id.clone());
    let of_account =
        mails.into_iter().filter(|(_, account)| *account == Some(search.account.clone()));
    Ok(Found { mails: of_account.map(|(id, _)| id).collect(), last })
}

/// Moves on from where the search began, and from nowhere else: a server that comes late, after
/// another one went on or the customer was erased again, must not skip anything.
fn progress(tx: &mut dyn Tx, search: &Search, last: Option<&MailId>) -> Result<()> {
    let Search { account, done } = search;
    match last {
        Some(last) => tx.run(
            "UPDATE mail_erasure SET done = $1 WHERE account_id = $2 AND done = $3",
            params![last, account, done],
        ),
        None => tx.run(
            "DELETE FROM mail_erasure WHERE account_id = $1 AND done = $2",
            params![account, done],
        ),
    }
}
