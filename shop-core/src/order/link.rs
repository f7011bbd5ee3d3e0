//! Links to one order, as the mails about it carry them: who has one sees that order and pays it
//! without a log-in.
//!
//! A link is signed, and nothing is kept for it. What it says is the order and when it ends; the
//! e-mail that it was sent to is signed along, so a link ends with the account's e-mail, too.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;

use super::{OrderId, Orders, store};
use crate::account::{self, Account};
use crate::clock::Timestamp;
use crate::context::Context;
use crate::error::{Credential, Error, Result};
use crate::id::AccountId;
use crate::mac::Mac;
use crate::storage::Tx;
use crate::value::{Mailbox, inline_schema};

/// How long a link is good after its mail left.
const LIFETIME: Duration = Duration::from_secs(90 * 24 * 60 * 60);
/// What is read of a token: far more than one has.
const MAX_LENGTH: usize = 200;

/// What the link in a mail about an order carries. It is enough to see the order and to pay it, so
/// `Debug` does not show it.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct OrderToken(String);

any_text! { OrderToken; }

opaque! { OrderToken; }

inline_schema!(OrderToken, { "type": "string", "writeOnly": true });

/// The one order that a link opens.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LinkedOrder {
    /// The order.
    pub id: OrderId,
    /// Whose it is: what is done by the link is done for this account.
    pub customer: AccountId,
}

/// What a token says, with its signature.
struct Claims {
    order: OrderId,
    /// In seconds: from here on it is over.
    end: i64,
    signature: Vec<u8>,
}

impl OrderToken {
    /// The token itself, for the link.
    fn sign(secret: &str, order: &OrderId, email_key: &str, end: i64) -> Option<String> {
        let signature = mac(secret, order, email_key, end)?.bytes();
        Some(format!("{order}.{end}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }

    fn claims(&self) -> Option<Claims> {
        let text = Some(self.0.as_str()).filter(|text| text.len() <= MAX_LENGTH)?;
        let (signed, signature) = text.rsplit_once('.')?;
        let (order, end) = signed.rsplit_once('.')?;
        let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
        let number: i64 = end.parse().ok()?;
        // One way to write a number, so that one link is one text.
        (number.to_string() == end).then(|| Claims { order: order.into(), end: number, signature })
    }
}

/// Every part ends where the next begins: no order's id and no e-mail has a line break.
fn mac(secret: &str, order: &OrderId, email_key: &str, end: i64) -> Option<Mac> {
    let text = format!("order.link\n{order}\n{end}\n{email_key}");
    Mac::new(secret.as_bytes(), &[text.as_bytes()]).ok()
}

/// The order that a token opens, and its account.
///
/// # Errors
/// [`Credential::OrderLink`] when the shop did not sign it, its time is over, or the account is
/// suspended, erased or has another e-mail since.
pub(crate) fn open(
    tx: &mut dyn Tx,
    secret: &str,
    token: &OrderToken,
    now: Timestamp,
) -> Result<(OrderId, Account)> {
    let opened = find(tx, secret, token, now)?;
    opened.ok_or(Error::Unauthenticated(Credential::OrderLink))
}

fn find(
    tx: &mut dyn Tx,
    secret: &str,
    token: &OrderToken,
    now: Timestamp,
) -> Result<Option<(OrderId, Account)>> {
    let Some(claims) = token.claims().filter(|claims| now.seconds() < claims.end) else {
        return Ok(None);
    };
    let Some(owner) = store::owner(tx, &claims.order)? else { return Ok(None) };
    let Some(account) = account::get(tx, &owner)?.filter(|account| account.is_active) else {
        return Ok(None);
    };
    let mac = mac(secret, &claims.order, &account.email.key(), claims.end);
    let holds = mac.is_some_and(|mac| mac.is(&claims.signature));
    Ok(holds.then_some((claims.order, account)))
}

/// Where a mail leads that tells about an order.
pub(crate) fn url(cx: &Context, to: &Mailbox, order: &OrderId, number: &str) -> String {
    let (config, end) = (cx.config(), cx.now().plus(LIFETIME).seconds());
    let token = OrderToken::sign(cx.mail_link_secret(), order, &to.email.key(), end);
    let link = config.mail.links.order.replace("{id}", order.as_str()).replace("{number}", number);
    config.mail_link(&link.replace("{token}", &token.unwrap_or_default()))
}

impl Orders<'_> {
    /// The order that the link in a mail opens, and whose it is.
    ///
    /// # Errors
    /// [`Credential::OrderLink`] when the shop did not sign it, it is older than 90 days, or the
    /// account is suspended, erased or has another e-mail since.
    ///
    /// Cancel safe: reads only.
    pub async fn open_link(&self, token: &OrderToken) -> Result<LinkedOrder> {
        let (cx, token, now) = (self.cx.clone(), token.clone(), self.cx.now());
        let job = move |tx: &mut dyn Tx| open(tx, cx.mail_link_secret(), &token, now);
        let (id, account) = self.cx.db().lookup("order.open_link", job).await?;
        Ok(LinkedOrder { id, customer: account.id })
    }

    /// The id of one of the customer's orders, by its id or its number.
    ///
    /// # Errors
    /// [`Error::NotFound`] also for another customer's.
    ///
    /// Cancel safe: reads only.
    pub async fn id_for_customer(&self, customer: &AccountId, named: &str) -> Result<OrderId> {
        let (customer, named) = (customer.clone(), named.to_owned());
        let job = move |tx: &mut dyn Tx| store::id_of(tx, &customer, &named);
        let found = self.cx.db().lookup("order.id_for_customer", job).await?;
        found.ok_or(Error::NotFound(crate::error::Entity::Order))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const END: i64 = 1_795_266_068;

    fn token() -> String {
        OrderToken::sign("secret", &"018f-4a".into(), "ana@example.com", END).expect("signed")
    }

    fn holds(token: &str, secret: &str, email_key: &str) -> bool {
        let Some(claims) = OrderToken::from(token).claims() else { return false };
        let mac = mac(secret, &claims.order, email_key, claims.end).expect("a key");
        mac.is(&claims.signature)
    }

    #[test]
    fn a_link_holds_for_its_order_its_end_and_its_e_mail_alone() {
        let good = token();
        assert!(holds(&good, "secret", "ana@example.com"), "{good}");
        assert!(!holds(&good, "another", "ana@example.com"));
        assert!(!holds(&good, "secret", "bia@example.com"));
        for (from, to) in [("018f-4a", "018f-4b"), ("1795266068", "1795266069")] {
            assert!(!holds(&good.replace(from, to), "secret", "ana@example.com"), "{to}");
        }
    }

    #[test]
    fn every_change_of_one_byte_makes_a_link_invalid() {
        let good = token();
        for position in 0..good.len() {
            for byte in [b'0', b'1', b'A', b'z', b'.', b'-', b'+'] {
                let mut changed = good.clone().into_bytes();
                if changed[position] == byte {
                    continue;
                }
                changed[position] = byte;
                let changed = String::from_utf8(changed).expect("ASCII");
                assert!(!holds(&changed, "secret", "ana@example.com"), "{changed}");
            }
        }
        for end in 0..good.len() {
            assert!(!holds(&good[..end], "secret", "ana@example.com"), "cut at {end}");
        }
        assert!(OrderToken::from("x".repeat(10_000).as_str()).claims().is_none());
    }

    #[test]
    fn debug_shows_no_token() {
        assert!(!format!("{:?}", OrderToken::from(token().as_str())).contains("018f"));
    }
}
