//! How many mails an hour one address gets. What goes beyond is held back to the end of the hour
//! and leaves as one digest, so that no mailbox is filled through the shop.
//!
//! An hour begins with its first mail. Mails that protect an account (a link to reset the password,
//! word of a change) have a limit of their own: orders cannot use it up. Mails to the shop
//! itself have none.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest as _, Sha256};

use super::digest::{DigestEntry, DigestMail};
use super::store::{self, Claimed, Leases, Outcome};
use super::template::{Class, MailTemplate, ReadTemplate, SendToken};
use crate::clock::Timestamp;
use crate::context::{Context, Work};
use crate::error::{Error, Result};
use crate::storage::{Tx, params};

const HOUR: Duration = Duration::from_secs(60 * 60);
/// The mails of which one digest tells. What is held beyond it goes into another one.
const DIGEST: i64 = 500;
/// The hours that one round of forgetting looks at.
const ROUND: i64 = 500;

/// Claims the mails that are to leave next, and holds those back whose address has had its share.
/// None where all that were looked at are held back: more may be due.
pub(super) fn claim(
    tx: &mut dyn Tx,
    cx: &Context,
    templates: &[ReadTemplate],
    at: &Work,
    leases: Leases,
    limit: i64,
) -> Result<Vec<Claimed>> {
    let mut gathered = BTreeSet::new();
    let mut leaving = Vec::new();
    for mail in store::claim(tx, templates, at.now(), leases, limit)? {
        let admitted = match mail.held_for.clone() {
            None => admit(tx, cx, at, mail)?,
            Some(held_for) if gathered.insert(held_for.clone()) => {
                Some(gather(tx, cx, templates, at, mail, &held_for, leases.usual)?)
            }
            // That digest tells of it, or else the next one.
            Some(_) => {
                store::give_back(tx, &mail)?;
                None
            }
        };
        if let Some(mail) = admitted {
            leaving.extend(with_token(tx, mail, at.now())?);
        }
    }
    Ok(leaving)
}

/// A mail that this version cannot read is refused for good: it counts against no limit.
fn class_of(mail: &Claimed) -> Class {
    mail.template.as_ref().map_or(Class::ToTheShop, |mail| mail.class())
}

/// The mail, unless its address has had its share of this hour: then it is held back to its end.
fn admit(tx: &mut dyn Tx, cx: &Context, at: &Work, mail: Claimed) -> Result<Option<Claimed>> {
    let limit = i64::from(cx.config().mail.per_address_per_hour);
    let class = class_of(&mail);
    // A further try was counted with the first one.
    if limit == 0 || class == Class::ToTheShop || mail.attempt > 1 {
        return Ok(Some(mail));
    }
    let recipient = mail.to.email.key();
    let (used, ends_at) = count(tx, &recipient, class, at.now())?;
    if used <= limit {
        return Ok(Some(mail));
    }
    store::hold(tx, &mail, &format!("{} {recipient}", class.as_str()), ends_at)?;
    Ok(None)
}

/// Counts a mail to an address: which one of its hour it is, and when that hour ends. The count
/// outlives an account that is erased, so it is kept for the SHA-256 of the address.
fn count(
    tx: &mut dyn Tx,
    recipient: &str,
    class: Class,
    now: Timestamp,
) -> Result<(i64, Timestamp)> {
    let recipient = hex::encode(Sha256::digest(recipient));
    let counted = tx.find(
        "INSERT INTO mail_allowance (recipient, class, ends_at, used) VALUES ($1, $2, $3, 1)
         ON CONFLICT (recipient, class) DO UPDATE SET
           used = CASE WHEN mail_allowance.ends_at <= $4 THEN 1 ELSE mail_allowance.used + 1 END,
           ends_at = CASE WHEN mail_allowance.ends_at <= $4 THEN excluded.ends_at
                          ELSE mail_allowance.ends_at END
         RETURNING used, ends_at",
        params![&recipient, class.as_str(), now.plus(HOUR), now],
    )?;
    counted.ok_or_else(|| Error::internal("a mail was not counted"))
}

/// The digest of all that a limit held back; the mail itself where it is the only one.
fn gather(
    tx: &mut dyn Tx,
    cx: &Context,
    templates: &[ReadTemplate],
    at: &Work,
    first: Claimed,
    held_for: &str,
    lease: Timestamp,
) -> Result<Claimed> {
    let class = class_of(&first);
    count(tx, &first.to.email.key(), class, at.now())?;
    let held = store::held(tx, templates, held_for, DIGEST)?;
    let [_, .., last] = &held[..] else {
        store::release(tx, &first.id)?;
        return Ok(first);
    };
    store::settle_held(tx, held_for, &last.id, at.now())?;
    let entries = held.iter().filter_map(|mail| entry(cx, mail)).collect();
    let mail = DigestMail::Digest { entries };
    let digest = Claimed {
        id: at.id(),
        kind: mail.kind().to_owned(),
        template: Some(Arc::new(mail.clone())),
        created_at: at.now(),
        attempt: 1,
        held_for: None,
        ..first
    };
    store::insert_claimed(tx, &digest, &mail, lease)?;
    Ok(digest)
}

/// What a digest tells of a mail, where this version can read it.
fn entry(cx: &Context, mail: &Claimed) -> Option<DigestEntry> {
    let template = mail.template.as_ref()?;
    let page = template.render(cx, &mail.to, None).page;
    let link = template.order().and_then(|_| page.last_link()).map(str::to_owned);
    Some(DigestEntry { at: mail.created_at, subject: page.subject, link })
}

/// The mail with the token that its link carries, where it has one. A link that has expired, or an
/// invoice that was cancelled, is not sent.
fn with_token(tx: &mut dyn Tx, mail: Claimed, now: Timestamp) -> Result<Option<Claimed>> {
    let Some(template) = &mail.template else { return Ok(Some(mail)) };
    match template.issue_token(tx, now)? {
        SendToken::None => return Ok(Some(mail)),
        SendToken::Issued(token) => return Ok(Some(Claimed { token: Some(token), ..mail })),
        SendToken::NotNeeded => store::settle(tx, &mail, &Outcome::NotNeeded, now)?,
        SendToken::Expired => {
            let error = "the request for the link is over".to_owned();
            store::settle(
                tx,
                &mail,
                &Outcome::Failed { next_try_at: None, perhaps_taken: false, error },
                now,
            )?;
        }
    }
    Ok(None)
}

/// Forgets the hours that are over; a few in each round.
pub(crate) fn purge(tx: &mut dyn Tx, now: Timestamp) -> Result<usize> {
    tx.execute(
        "DELETE FROM mail_allowance WHERE (recipient, class) IN (
           SELECT recipient, class FROM mail_allowance WHERE ends_at <= $1
           ORDER BY ends_at LIMIT $2)",
        params![now, ROUND],
    )
}
