//! What the shop writes to people, as data. The words are in the files beside this one.

mod account;
mod order;
mod others;

use serde::{Deserialize, Serialize};

use super::allowance::Class;
use super::mailbox::Mailbox;
use super::page::{Block, Page};
use crate::account::ResetToken;
use crate::clock::Timestamp;
use crate::context::Context;
use crate::money::Money;
use crate::newsletter;
use crate::order::Order;
use crate::payment::PaymentMethod;
use crate::value::Email;
use crate::webhook::DisabledReason;

/// A mail as the outbox keeps it. Tagged from outside: amounts are read from their very text, which
/// serde does not keep for the inside of other enums.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Letter {
    /// To who has registered.
    Welcome {},
    /// The confirmation of an order, as it was placed.
    OrderPlaced { order: Box<Order> },
    /// An order was paid.
    PaymentReceived { order: Box<Order> },
    /// An order was handed to the carrier.
    OrderShipped { order: Box<Order> },
    /// An order arrived.
    OrderDelivered { order: Box<Order> },
    /// An order was cancelled: by the shop, or because nobody paid it in time.
    OrderCancelled { order: Box<Order>, unpaid: bool },
    /// Staff gave an order the status REFUNDED, which moves no money.
    OrderMarkedRefunded { order: Box<Order> },
    /// Money went back.
    MoneyRefunded { order: Box<Order>, amount: Money, method: PaymentMethod },
    /// A link to choose another password. The link's token is made when the mail is sent.
    PasswordReset { request: String },
    /// The account has another password.
    PasswordChanged { at: Timestamp },
    /// The account has another e-mail. Goes to the one it had.
    EmailChanged { at: Timestamp, new: Email },
    /// What an address would have got beyond its allowance, as one mail.
    Digest { entries: Vec<DigestEntry> },
    /// To who has subscribed to the newsletter.
    NewsletterWelcome {},
    /// To who runs the shop: a receiver of webhooks was switched off.
    WebhookDisabled { host: String, reason: DisabledReason },
    /// To the shop, from its contact form.
    Contact { name: String, email: Email, subject: String, message: String },
}

/// A mail that a digest tells of.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct DigestEntry {
    pub(super) at: Timestamp,
    pub(super) subject: String,
}

/// A letter, ready to be made a mail of.
pub(super) struct Composed {
    pub(super) page: Page,
    pub(super) reply_to: Option<Mailbox>,
    pub(super) unsubscribe_url: Option<String>,
}

impl Letter {
    /// As the outbox calls it.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Welcome {} => "welcome",
            Self::OrderPlaced { .. } => "order-placed",
            Self::PaymentReceived { .. } => "payment-received",
            Self::OrderShipped { .. } => "order-shipped",
            Self::OrderDelivered { .. } => "order-delivered",
            Self::OrderCancelled { .. } => "order-cancelled",
            Self::OrderMarkedRefunded { .. } => "order-marked-refunded",
            Self::MoneyRefunded { .. } => "money-refunded",
            Self::PasswordReset { .. } => "password-reset",
            Self::PasswordChanged { .. } => "password-changed",
            Self::EmailChanged { .. } => "email-changed",
            Self::Digest { .. } => "digest",
            Self::NewsletterWelcome {} => "newsletter-welcome",
            Self::WebhookDisabled { .. } => "webhook-disabled",
            Self::Contact { .. } => "contact",
        }
    }

    /// Whether nobody but its reader may know what it says.
    pub(super) fn is_secret(&self) -> bool {
        matches!(self, Self::PasswordReset { .. })
    }

    /// Which allowance of its address it draws on.
    pub(super) fn class(&self) -> Class {
        match self {
            Self::Welcome {}
            | Self::OrderPlaced { .. }
            | Self::PaymentReceived { .. }
            | Self::OrderShipped { .. }
            | Self::OrderDelivered { .. }
            | Self::OrderCancelled { .. }
            | Self::OrderMarkedRefunded { .. }
            | Self::MoneyRefunded { .. }
            | Self::Digest { .. }
            | Self::NewsletterWelcome {} => Class::Everyday,
            Self::PasswordReset { .. }
            | Self::PasswordChanged { .. }
            | Self::EmailChanged { .. } => Class::Security,
            Self::WebhookDisabled { .. } | Self::Contact { .. } => Class::ToTheShop,
        }
    }

    /// The letter in words. `token` is what the link to reset a password carries.
    pub(super) fn compose(
        &self,
        cx: &Context,
        to: &Mailbox,
        token: Option<&ResetToken>,
    ) -> Composed {
        let (base_url, config) = (cx.config().base_url(), &cx.config().mail);
        let mut reply_to = config.contact_to.clone().filter(|_| self.class() != Class::ToTheShop);
        let mut unsubscribe_url = None;
        let page = match self {
            Self::Welcome {} => account::welcome(&base_url, to),
            Self::OrderPlaced { order } => order::placed(&base_url, to, order),
            Self::PaymentReceived { order } => order::paid(&base_url, to, order),
            Self::OrderShipped { order } => {
                order::shipped(&base_url, to, order, &cx.config().shipping.tracking_urls)
            }
            Self::OrderDelivered { order } => order::delivered(&base_url, to, order),
            Self::OrderCancelled { order, unpaid } => {
                order::cancelled(&base_url, to, order, *unpaid)
            }
            Self::OrderMarkedRefunded { order } => order::marked_refunded(&base_url, to, order),
            Self::MoneyRefunded { order, amount, method } => {
                order::money_refunded(&base_url, to, order, *amount, *method)
            }
            Self::PasswordReset { .. } => account::password_reset(&base_url, to, token),
            Self::PasswordChanged { at } => account::password_changed(&base_url, to, *at),
            Self::EmailChanged { at, new } => account::email_changed(to, *at, new),
            Self::Digest { entries } => others::digest(&base_url, to, entries),
            Self::NewsletterWelcome {} => {
                let url = newsletter::unsubscribe_url(cx, &to.email);
                unsubscribe_url = Some(url.clone());
                others::newsletter_welcome(&base_url, to, url)
            }
            Self::WebhookDisabled { host, reason } => {
                others::webhook_disabled(&base_url, to, host, *reason)
            }
            Self::Contact { name, email, subject, message } => {
                reply_to = Some(Mailbox { name: Some(name.clone()), email: email.clone() });
                others::contact(name, email, subject, message)
            }
        };
        Composed { page, reply_to, unsubscribe_url }
    }
}

/// "Olá, Ana!", as far as the name is known.
fn greeting(to: &Mailbox) -> Block {
    let first = to.name.as_deref().and_then(|name| name.split_whitespace().next());
    Block::Paragraph(first.map_or("Olá!".to_owned(), |first| format!("Olá, {first}!")))
}

fn paragraph(text: impl Into<String>) -> Block {
    Block::Paragraph(text.into())
}

fn small(text: &str) -> Block {
    Block::Small(text.to_owned())
}

fn button(label: &str, url: String) -> Block {
    Block::Button { label: label.to_owned(), url }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_comes_back_from_the_outbox() {
        let letter = Letter::PasswordReset { request: "018f".to_owned() };
        let kept = serde_json::to_string(&letter).expect("JSON");
        assert_eq!(kept, r#"{"password-reset":{"request":"018f"}}"#);
        let back: Letter = serde_json::from_str(&kept).expect("a letter");
        assert_eq!((back.kind(), back.is_secret()), (letter.kind(), true));
        let welcome: Letter = serde_json::from_str(r#"{"welcome":{}}"#).expect("a letter");
        assert!(!welcome.is_secret());
    }
}
