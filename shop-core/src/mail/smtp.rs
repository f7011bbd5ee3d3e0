//! Mails by SMTP.

use std::time::Duration;

use futures_util::future::BoxFuture;
use lettre::address::Envelope;
use lettre::transport::smtp::extension::ClientId;
use lettre::transport::smtp::{self, AsyncSmtpTransport};
use lettre::{Address, AsyncTransport, Tokio1Executor};

use super::{Mailbox, Mailer, NotSent, OutgoingMail};
use crate::config::{Secret, mail_server};
use crate::error::{Error, Result, with_causes};

/// How long the mail server may take for one answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// Answers that ask for another login, or for one at all (RFC 4954, 4 and 6).
const ABOUT_THE_LOGIN: [u16; 4] = [530, 534, 535, 538];
/// Answers about the shop's own address, its sending limit or the server (RFC 3463, 3; the last is
/// Exchange's), as servers say them before the code's text.
const ABOUT_THE_SENDER: [&str; 5] = ["5.1.7", "5.1.8", "5.3.2", "5.4.5", "5.7.60"];

/// Hands mails to a mail server: with TLS from the start (`smtps://`), with STARTTLS
/// (`smtp://..?tls=required`), or in clear text on this machine (`smtp://localhost`).
pub struct SmtpMailer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
}

opaque! { SmtpMailer; }

impl SmtpMailer {
    /// A mail server by its address, `smtps://user:password@host:465`. Nothing is sent yet.
    ///
    /// # Errors
    /// [`Error::Internal`] when the address cannot be used; its text does not hold the address.
    pub fn new(url: &Secret, from: &Mailbox) -> Result<Self> {
        let builder =
            mail_server(url).map_err(|why| Error::internal(format!("mail.smtp_url: {why}")))?;
        let domain = from.email.as_str().rsplit_once('@').map_or("localhost", |(_, host)| host);
        let transport = builder
            .hello_name(ClientId::Domain(domain.to_owned()))
            .timeout(Some(ANSWER_TIMEOUT))
            .build();
        Ok(Self { transport })
    }
}

impl Mailer for SmtpMailer {
    fn send<'a>(&'a self, mail: &'a OutgoingMail) -> BoxFuture<'a, Result<(), NotSent>> {
        Box::pin(async move {
            let envelope = envelope(mail).map_err(|error| NotSent {
                for_good: true,
                perhaps_taken: false,
                summary: "an address that SMTP does not know".to_owned(),
                detail: error.to_string(),
            })?;
            let Err(error) = self.transport.send_raw(&envelope, &mail.to_bytes()).await else {
                return Ok(());
            };
            let for_good = error.is_permanent() && !self.refuses_the_shop(&error).await;
            Err(not_sent(&error, for_good))
        })
    }
}

impl SmtpMailer {
    /// Whether a refusal says nothing of the mail: the server takes no mail of this shop at all, as
    /// with a password that was changed, a limit of mails a day or a server under maintenance. That
    /// lasts until somebody mends it, or until tomorrow.
    async fn refuses_the_shop(&self, error: &smtp::Error) -> bool {
        let code = error.status().map(u16::from);
        code.is_some_and(|code| ABOUT_THE_LOGIN.contains(&code))
            || is_about_the_sender(error)
            || !self.transport.test_connection().await.unwrap_or(false)
    }
}

fn is_about_the_sender(error: &smtp::Error) -> bool {
    let said = std::error::Error::source(error).map(ToString::to_string).unwrap_or_default();
    said.split_whitespace().next().is_some_and(|code| ABOUT_THE_SENDER.contains(&code))
}

fn envelope(mail: &OutgoingMail) -> Result<Envelope, Box<dyn std::error::Error + Send + Sync>> {
    let from: Address = mail.from.email.as_str().parse()?;
    let to: Address = mail.to.email.as_str().parse()?;
    Ok(Envelope::new(Some(from), vec![to])?)
}

fn not_sent(error: &smtp::Error, for_good: bool) -> NotSent {
    let summary = match error.status() {
        Some(code) => format!("SMTP {code}"),
        None if error.is_timeout() => "the mail server takes too long".to_owned(),
        None if error.is_tls() => "no TLS with the mail server".to_owned(),
        None => "no conversation with the mail server".to_owned(),
    };
    // Its own text repeats that of its cause.
    let cause = std::error::Error::source(error);
    let detail = cause.map_or_else(|| error.to_string(), with_causes);
    NotSent { for_good, perhaps_taken: false, summary, detail }
}
