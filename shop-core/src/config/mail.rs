//! The settings of mails.

use std::path::PathBuf;

#[cfg(feature = "smtp")]
use lettre::Tokio1Executor;
#[cfg(feature = "smtp")]
use lettre::transport::smtp::{AsyncSmtpTransport, AsyncSmtpTransportBuilder};

use super::finding::Findings;
use super::{SAMPLE_NAME, Secret};
use crate::value::{Email, Mailbox};

/// How the address of a mail server is written, for who wrote another one. It must not quote that
/// one, which has a password in it.
#[cfg(feature = "smtp")]
const HOW_A_SERVER_IS_WRITTEN: &str = "the address of the mail server cannot be read: \
    smtps://user:password@host:465, in whose user and password %, :, /, ?, # and @ are written as \
    %25, %3A, %2F, %3F, %23 and %40";

/// Where mails come from until the shop has an address.
const SAMPLE_EMAIL: &str = "loja@velas.example";

settings! {
    /// Mails.
    pub struct MailConfig {
        /// Where mails are written as `.eml` files, while there is no `smtp_url`; see
        /// [`Config::outbox_dir`](super::Config::outbox_dir).
        pub outbox_dir: Option<PathBuf>,
        /// The mail server: `smtps://user:password@host`,
        /// `smtp://user:password@host:587?tls=required` (STARTTLS), or `smtp://localhost` in clear
        /// text.
        pub smtp_url: Option<Secret>,
        /// Where mails lead to.
        pub links: MailLinks,
        /// Who sends the mails; the name is what the shop is called in them.
        pub from: Mailbox = Mailbox {
            name: Some(SAMPLE_NAME.to_owned()),
            email: Email::known(SAMPLE_EMAIL),
        },
        /// Who gets the messages of the contact form; `from` where it is not set.
        pub contact_to: Option<Mailbox>,
        /// How many mails one address gets in an hour; those beyond it leave as one digest at the
        /// end of the hour. Mails that protect an account are counted by themselves. 0 does not
        /// limit it.
        pub per_address_per_hour: u32 = 20,
    }
}

settings! {
    /// Where mails lead to (`[mail.links]`): paths below `base_url`, or whole addresses.
    pub struct MailLinks {
        /// The shop's first page.
        pub home: String = "/".to_owned(),
        /// Where one logs in.
        pub login: String = "/login".to_owned(),
        /// The customer's orders.
        pub orders: String = "/pedidos".to_owned(),
        /// One order, with `{number}` or `{id}` where its number or id goes, and `{token}` where
        /// the token goes that opens it without a log-in.
        pub order: String = "/pedido/{number}?t={token}".to_owned(),
        /// Where another password is chosen, with `{token}` where the link's token goes.
        pub reset_password: String = "/reset-password?token={token}".to_owned(),
        /// Where staff look after webhooks.
        pub webhooks: String = "/admin/webhooks".to_owned(),
    }
}

impl MailLinks {
    /// Each with its key, and with what must stand in it: one of these, where there are any.
    pub(super) fn each(&self) -> [(&'static str, &str, &'static [&'static str]); 6] {
        [
            ("mail.links.home", &self.home, &[]),
            ("mail.links.login", &self.login, &[]),
            ("mail.links.orders", &self.orders, &[]),
            ("mail.links.order", &self.order, &["{number}", "{id}"]),
            ("mail.links.reset_password", &self.reset_password, &["{token}"]),
            ("mail.links.webhooks", &self.webhooks, &[]),
        ]
    }
}

impl MailConfig {
    /// Who answers customers: the mailbox of the contact form.
    pub(crate) fn contact(&self) -> &Mailbox {
        self.contact_to.as_ref().unwrap_or(&self.from)
    }

    /// The e-mail that customers may write to; None while it is the sample's.
    #[cfg(feature = "nfe")]
    pub(super) fn public_email(&self) -> Option<&Email> {
        let email = &self.contact().email;
        Some(email).filter(|email| **email != Email::known(SAMPLE_EMAIL))
    }

    pub(super) fn look(&self, found: &mut Findings) {
        let is_safe = self.is_sent_safely();
        if !is_safe {
            found.unexpected("mail.smtp_url");
        }
        #[cfg(feature = "smtp")]
        if is_safe && let Some(Err(why)) = self.smtp_url.as_ref().map(mail_server) {
            found.error("mail.smtp_url", why.to_owned());
        }
    }

    /// A password must never cross a network in clear text, and neither must a link to reset one.
    fn is_sent_safely(&self) -> bool {
        let url = self.smtp_url.as_ref().map(Secret::reveal);
        url.is_none_or(|url| is_encrypted(url) || is_local(url))
    }
}

/// The mail server that an address names.
///
/// # Errors
/// How such an address is written.
#[cfg(feature = "smtp")]
pub(crate) fn mail_server(url: &Secret) -> Result<AsyncSmtpTransportBuilder, &'static str> {
    let url = url.reveal();
    // A / or # in a password ends the address before its host, and what came before the password
    // may still be one.
    let (_, rest) = url.split_once("://").unwrap_or_default();
    let behind = rest.split_once(['/', '?', '#']).unwrap_or_default().1;
    if behind.contains('@') {
        return Err(HOW_A_SERVER_IS_WRITTEN);
    }
    AsyncSmtpTransport::<Tokio1Executor>::from_url(url).map_err(|_| HOW_A_SERVER_IS_WRITTEN)
}

fn is_encrypted(url: &str) -> bool {
    let required = |query: &str| query.split('&').any(|pair| pair == "tls=required");
    url.starts_with("smtps://")
        || url.starts_with("smtp://") && url.split_once('?').is_some_and(|(_, q)| required(q))
}

fn is_local(url: &str) -> bool {
    let Some(rest) = url.strip_prefix("smtp://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    if host.starts_with("[::1]") {
        return true;
    }
    let host = host.split(':').next().unwrap_or_default();
    let address = host.parse::<std::net::Ipv4Addr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_spoken_to_in_clear_text() {
        let check = |url: &str| {
            MailConfig { smtp_url: Some(Secret::new(url)), ..MailConfig::default() }
                .is_sent_safely()
        };
        for good in [
            "smtps://user:password@mail.example.com",
            "smtp://user:password@mail.example.com:587?tls=required",
            "smtp://localhost:2525",
            "smtp://127.0.0.1:25",
            "smtp://[::1]:25",
        ] {
            assert!(check(good), "{good}");
        }
        for bad in [
            "smtp://mail.example.com",
            "smtp://mail.example.com?tls=opportunistic",
            "smtp://localhost@mail.example.com",
            "smtp://localhost.example.com",
            "http://localhost",
            "localhost",
        ] {
            assert!(!check(bad), "{bad}");
        }
    }
}
