//! The newsletter: its subscribers, and the links by which they leave.

mod mail;

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;

pub(crate) use self::mail::NewsletterMail;
use crate::account;
use crate::clock::Timestamp;
use crate::context::{Context, Work};
use crate::error::{Conflict, Error, Refusal, Result};
use crate::id::AccountId;
use crate::lane;
use crate::mac::Mac;
use crate::mail::{Mailbox, enqueue, forget_kind};
use crate::page::{Page, PageLimit, PageNumber, PageRequest, Pagination};
use crate::storage::{Filter, Tx, params, read_columns};
use crate::value::{Email, OptionalText};

/// More readers than these are not counted.
const COUNTED: i64 = 10_000;

/// Who subscribes again within this time is not welcomed again.
const WELCOME: Duration = Duration::from_secs(24 * 60 * 60);

/// An address to subscribe.
#[apply(input!)]
pub struct Subscribe {
    /// Where it goes.
    pub email: Email,
    /// How to address the reader.
    pub name: Option<OptionalText<120>>,
}

/// A subscriber of the newsletter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(rename = "Subscription"))]
#[non_exhaustive]
pub struct Subscriber {
    /// Where it goes.
    pub email: String,
    /// How the reader wanted to be addressed.
    pub name: Option<String>,
    /// Since when.
    pub subscribed_at: Timestamp,
    /// When the subscriber left; `null` otherwise.
    pub unsubscribed_at: Option<Timestamp>,
}

/// Which readers to list, latest first (`GET /api/admin/newsletter`).
#[apply(filter!)]
pub struct SubscriberFilter {
    /// Which page, from 1.
    pub page: Option<PageNumber>,
    /// Entries a page.
    pub limit: Option<PageLimit>,
    /// How the e-mail begins, in whatever case.
    pub search: Option<OptionalText<120>>,
}

/// The newsletter: [`Shop::newsletter`](crate::Shop::newsletter).
///
/// ```
/// # shop_core::testing::run(async |shop| {
/// use shop_core::newsletter::{SubscriberFilter, Subscribe};
///
/// let ana = Subscribe { email: "ana@example.com".parse()?, name: None };
/// shop.newsletter().subscribe(ana).await?;
/// let readers = shop.newsletter().list_subscribers(SubscriberFilter::default()).await?;
/// assert_eq!(readers.data[0].email, "ana@example.com");
/// # Ok(())
/// # });
/// ```
#[apply(handle!)]
pub struct Newsletter<'a> {
    cx: &'a Context,
}

impl Newsletter<'_> {
    /// Adds a subscriber, also one that had left, and confirms it by mail.
    ///
    /// # Errors
    /// [`Conflict::Subscription`] where the address is subscribed already.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn subscribe(&self, input: Subscribe) -> Result<()> {
        let name = input.name.map(|name| name.to_string()).filter(|name| !name.is_empty());
        let (reader, at) = (Mailbox { name, email: input.email }, self.cx.work());
        let job = move |tx: &mut dyn Tx| subscribe(tx, &at, &reader);
        self.cx.db().write(lane::CUSTOMERS, "newsletter.subscribe", job).await?;
        self.cx.mail_written();
        Ok(())
    }

    /// All subscribers, also those that have left, for staff. No more than 10,000 are counted.
    ///
    /// Cancel safe: reads only.
    pub async fn list_subscribers(&self, filter: SubscriberFilter) -> Result<Page<Subscriber>> {
        self.cx.db().read("newsletter.list_subscribers", move |tx| readers(tx, &filter)).await
    }

    /// Removes a subscriber; nothing where the address is none.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn unsubscribe(&self, email: &Email) -> Result<()> {
        self.remove(email.key()).await
    }

    /// Removes the subscriber that a link was sent to.
    ///
    /// # Errors
    /// [`Refusal::UnsubscribeLink`] when the shop has not signed it.
    ///
    /// Cancel safe: one transaction, done or not.
    pub async fn unsubscribe_by_link(&self, token: &str) -> Result<()> {
        let email_key = open(self.cx.mail_link_secret(), token);
        self.remove(email_key.ok_or(Error::Refused(Refusal::UnsubscribeLink))?).await
    }

    /// Whether a link was sent by this shop.
    ///
    /// # Errors
    /// As [`Newsletter::unsubscribe_by_link`].
    pub fn check_link(&self, token: &str) -> Result<()> {
        let email_key = open(self.cx.mail_link_secret(), token);
        email_key.map(drop).ok_or(Error::Refused(Refusal::UnsubscribeLink))
    }

    async fn remove(&self, email_key: String) -> Result<()> {
        let at = self.cx.work();
        let job = move |tx: &mut dyn Tx| unsubscribe(tx, &at, &email_key);
        self.cx.db().write(lane::CUSTOMERS, "newsletter.unsubscribe", job).await
    }
}

/// The link by which a subscriber leaves, without logging in; nothing is kept for it.
pub(crate) fn unsubscribe_url(cx: &Context, email: &Email) -> String {
    let token = seal(cx.mail_link_secret(), &email.key());
    format!("{}/api/newsletter/unsubscribe/link?token={token}", cx.config().base_url())
}

fn mac(secret: &str, email_key: &str) -> Option<Mac> {
    Mac::new(secret.as_bytes(), &[b"newsletter.unsubscribe:", email_key.as_bytes()]).ok()
}

fn seal(secret: &str, email_key: &str) -> String {
    let signature = mac(secret, email_key).map(|mac| URL_SAFE_NO_PAD.encode(mac.bytes()));
    let signature = signature.unwrap_or_default();
    format!("{}.{signature}", URL_SAFE_NO_PAD.encode(email_key))
}

/// The address that a link was made for, if the shop signed it.
fn open(secret: &str, token: &str) -> Option<String> {
    let (email_key, signature) = token.split_once('.')?;
    let email_key = String::from_utf8(URL_SAFE_NO_PAD.decode(email_key).ok()?).ok()?;
    let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
    mac(secret, &email_key)?.is(&signature).then_some(email_key)
}

/// No row means that the address is subscribed already. Who comes back within a day gets no second
/// welcome: strangers who subscribe and unsubscribe an address would use its limit up.
fn subscribe(tx: &mut dyn Tx, at: &Work, reader: &Mailbox) -> Result<()> {
    let before: Option<Timestamp> = tx.find(
        "SELECT subscribed_at FROM newsletter_reader WHERE email_key = $1",
        params![&reader.email.key()],
    )?;
    let added = tx.exists(
        "INSERT INTO newsletter_reader (email_key, email, name, subscribed_at)
         VALUES ($1, $2, $3, $4)
         ON CONFLICT (email_key) DO UPDATE SET email = excluded.email, name = excluded.name,
           subscribed_at = excluded.subscribed_at, unsubscribed_at = NULL
         WHERE newsletter_reader.unsubscribed_at IS NOT NULL
         RETURNING email_key",
        params![&reader.email.key(), reader.email.as_str(), reader.name.as_ref(), at.now()],
    )?;
    Conflict::Subscription.unless(added)?;
    let is_back = before.is_some_and(|before| before > at.now().minus(WELCOME));
    if is_back || account::is_demo_email(tx, &reader.email)? {
        return Ok(());
    }
    enqueue(tx, at, reader, &NewsletterMail::NewsletterWelcome {})
}

fn unsubscribe(tx: &mut dyn Tx, at: &Work, email_key: &str) -> Result<()> {
    tx.run(
        "UPDATE newsletter_reader SET unsubscribed_at = $1
         WHERE email_key = $2 AND unsubscribed_at IS NULL",
        params![at.now(), email_key],
    )
}

/// What the newsletter keeps about a person, by the account's e-mail.
pub(crate) fn of_account(tx: &mut dyn Tx, account: &AccountId) -> Result<Option<Subscriber>> {
    let Some(email_key) = account::proved_email_key(tx, account)? else { return Ok(None) };
    tx.find(
        "SELECT email, name, subscribed_at, unsubscribed_at FROM newsletter_reader
         WHERE email_key = $1",
        params![&email_key],
    )
}

read_columns!(Subscriber: email, name, subscribed_at, unsubscribed_at);

fn readers(tx: &mut dyn Tx, wanted: &SubscriberFilter) -> Result<Page<Subscriber>> {
    let prefix =
        wanted.search.as_ref().map_or_else(String::new, |text| text.as_str().to_lowercase());
    let end = format!("{prefix}\u{10FFFF}");
    let mut filter = Filter::default();
    if !prefix.is_empty() {
        filter.compare("email_key >=", Some(prefix.as_str()));
        filter.compare("email_key <", Some(end.as_str()));
    }
    let total = filter.count(tx, "newsletter_reader", COUNTED)?;
    let conditions = filter.sql();
    // What a search finds is bounded before it is sorted.
    let readers = match prefix.as_str() {
        "" => "newsletter_reader".to_owned(),
        _ => format!("(SELECT * FROM newsletter_reader{conditions} LIMIT {COUNTED}) found"),
    };
    let request = PageRequest::of(wanted.page, wanted.limit);
    let (limit, offset) = (filter.bind(request.limit), filter.bind(request.offset()));
    let sql = format!(
        "SELECT email, name, subscribed_at, unsubscribed_at FROM {readers}
         ORDER BY subscribed_at DESC, email_key DESC LIMIT {limit} OFFSET {offset}"
    );
    let data = tx.list(&sql, filter.params())?;
    Ok(Page { data, pagination: Pagination::new(request, total) })
}

/// Erases a person from the readers.
pub(crate) fn forget(tx: &mut dyn Tx, account: &AccountId) -> Result<()> {
    let Some(email_key) = account::email_key(tx, account)? else { return Ok(()) };
    tx.run("DELETE FROM newsletter_reader WHERE email_key = $1", params![&email_key])?;
    forget_kind(tx, NewsletterMail::KIND, &email_key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_links_hold_and_each_for_its_reader() {
        let token = seal("secret", "ana@example.com");
        assert_eq!(open("secret", &token).as_deref(), Some("ana@example.com"));
        assert_eq!(open("another", &token), None);
        let (_, signature) = token.split_once('.').expect("two parts");
        let other = URL_SAFE_NO_PAD.encode("bia@example.com");
        for bad in ["", ".", "x", &format!("{other}.{signature}"), &format!("{other}.")] {
            assert_eq!(open("secret", bad), None, "{bad}");
        }
    }
}
