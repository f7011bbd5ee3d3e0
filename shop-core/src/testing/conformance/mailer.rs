//! The rules of mailers.

use futures_util::future::BoxFuture;

use super::{Broken, Outcome, checks, must, run, verdict};
use crate::clock::Timestamp;
use crate::mail::{Mailbox, Mailer, OutgoingMail};
use crate::value::Email;

/// A mail as its recipient has it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Arrived {
    /// The address that it came to.
    pub to: String,
    /// The address that an answer would go to.
    pub reply_to: String,
    /// The subject.
    pub subject: String,
    /// The part that is plain text.
    pub text: String,
    /// The part that is HTML.
    pub html: String,
    /// The header `Message-ID`, or what tells two mails apart in the same way.
    pub message_id: String,
    /// The header `List-Unsubscribe`; empty where there is none.
    pub list_unsubscribe: String,
}

/// The recipients' part of a mailer's tests.
pub struct MailerBench {
    now: Timestamp,
    to: Email,
    refused: Option<Email>,
    arrived: Inbox,
}

type Inbox = Box<dyn Fn() -> BoxFuture<'static, Vec<Arrived>> + Send + Sync>;

opaque! { MailerBench; }

impl MailerBench {
    /// Mails go to this address, whose mails `arrived` reads, all that came so far.
    #[must_use]
    pub fn new(
        now: Timestamp,
        to: Email,
        arrived: impl Fn() -> BoxFuture<'static, Vec<Arrived>> + Send + Sync + 'static,
    ) -> Self {
        Self { now, to, refused: None, arrived: Box::new(arrived) }
    }

    /// An address that the other side refuses, whatever is sent to it.
    #[must_use]
    pub fn refusing(self, refused: Email) -> Self {
        Self { refused: Some(refused), ..self }
    }
}

pub(super) struct Tried<'a> {
    port: &'a dyn Mailer,
    bench: &'a MailerBench,
}

checks! {
    /// The checks of every mailer.
    MAILER_CHECKS, MAILERS:
    a_mail_arrives_whole,
    a_subject_with_line_breaks_makes_no_header,
    a_mail_that_is_sent_again_is_the_same_mail,
    a_link_to_unsubscribe_stands_in_its_header,
    an_address_that_is_refused_is_given_up,
    a_refusal_holds_no_part_of_the_mail,
}

/// Holds a mailer to its port ([`Mailer`]).
///
/// # Errors
/// [`Broken`] names every rule that it breaks.
///
/// Dropped half-way, some mails are sent.
pub async fn mailer(port: &dyn Mailer, bench: &MailerBench) -> Result<(), Broken> {
    let mut broken = Vec::new();
    run::<Tried<'_>>(MAILERS, &Tried { port, bench }, &mut broken).await;
    verdict(broken)
}

impl Tried<'_> {
    fn mail(&self, id: &str, to: &Email) -> OutgoingMail {
        let mailbox = |name: &str, email: Email| Mailbox { name: Some(name.to_owned()), email };
        OutgoingMail {
            id: id.to_owned(),
            created_at: self.bench.now,
            from: mailbox("Velas da Ana", Email::known("loja@example.com")),
            to: mailbox("Zoë Müller", to.clone()),
            reply_to: Some(mailbox("Atendimento", Email::known("sac@example.com"))),
            unsubscribe_url: None,
            subject: format!("Seu pedido {id} está a caminho"),
            text: format!("Olá, Zoë!\n\nMaçã – {}\n.\nFim 🕯️ {id}", "frase longa ".repeat(40)),
            html: format!("<p>Olá, Zo&euml;!</p><p>{} {id}</p>", "frase longa ".repeat(40)),
            attachments: Vec::new(),
        }
    }

    /// Sends a mail, and gives those with its id in the text that are there then.
    async fn sent(&self, mail: &OutgoingMail) -> Result<Vec<Arrived>, String> {
        let refused = self.port.send(mail).await.err();
        if let Some(refused) = refused {
            return Err(format!("it refuses a mail: {refused:?}"));
        }
        let all = (self.bench.arrived)().await;
        let arrived: Vec<_> = all.into_iter().filter(|it| it.text.contains(&mail.id)).collect();
        must(!arrived.is_empty(), || "it takes a mail, and nothing arrives".to_owned())?;
        Ok(arrived)
    }
}

/// Line ends are the way's own.
fn lines(text: &str) -> Vec<&str> {
    text.trim_end().lines().collect()
}

async fn a_mail_arrives_whole(tried: &Tried<'_>) -> Outcome {
    let mail = tried.mail("conformance-1", &tried.bench.to);
    let arrived = tried.sent(&mail).await?.remove(0);
    let expected = [mail.to.email.as_str(), "sac@example.com", &mail.subject];
    let found = [arrived.to.as_str(), &arrived.reply_to, &arrived.subject];
    must(found == expected, || format!("{found:?} instead of {expected:?}"))?;
    must(lines(&arrived.text) == lines(&mail.text), || format!("its text is {:?}", arrived.text))?;
    must(lines(&arrived.html) == lines(&mail.html), || format!("its HTML is {:?}", arrived.html))
}

async fn a_subject_with_line_breaks_makes_no_header(tried: &Tried<'_>) -> Outcome {
    let subject = "Oi\r\nReply-To: mallory@example.com\r\n\r\nfim".to_owned();
    let mail = OutgoingMail { subject, ..tried.mail("conformance-2", &tried.bench.to) };
    let arrived = tried.sent(&mail).await?.remove(0);
    let is_kept =
        arrived.reply_to == "sac@example.com" && lines(&arrived.text) == lines(&mail.text);
    must(is_kept, || format!("it arrives as {arrived:?}"))
}

async fn a_mail_that_is_sent_again_is_the_same_mail(tried: &Tried<'_>) -> Outcome {
    let mail = tried.mail("conformance-3", &tried.bench.to);
    tried.sent(&mail).await?;
    let arrived = tried.sent(&mail).await?;
    let ids: Vec<&str> = arrived.iter().map(|it| it.message_id.as_str()).collect();
    must(ids.iter().all(|id| id.contains(&*mail.id)), || format!("they are called {ids:?}"))
}

async fn a_link_to_unsubscribe_stands_in_its_header(tried: &Tried<'_>) -> Outcome {
    let mut mail = tried.mail("conformance-4", &tried.bench.to);
    let url = "https://loja.example/sair?token=1".to_owned();
    mail.unsubscribe_url = Some(url.clone());
    let header = tried.sent(&mail).await?.remove(0).list_unsubscribe;
    must(header.contains(&url), || format!("its header is {header:?}"))
}

async fn an_address_that_is_refused_is_given_up(tried: &Tried<'_>) -> Outcome {
    let Some(refused) = &tried.bench.refused else { return Ok(()) };
    let answered = tried.port.send(&tried.mail("conformance-5", refused)).await;
    must(answered.as_ref().is_err_and(|it| it.for_good), || format!("it answers with {answered:?}"))
}

async fn a_refusal_holds_no_part_of_the_mail(tried: &Tried<'_>) -> Outcome {
    let Some(refused) = &tried.bench.refused else { return Ok(()) };
    let mail = tried.mail("conformance-6", refused);
    let Err(not_sent) = tried.port.send(&mail).await else { return Ok(()) };
    let parts = [refused.as_str(), &mail.subject, "Zoë", &mail.text];
    let held = parts.iter().find(|part| not_sent.summary.contains(**part));
    must(held.is_none(), || format!("its summary is {:?}", not_sent.summary))
}
