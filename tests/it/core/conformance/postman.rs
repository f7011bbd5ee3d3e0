//! Mailers on their bench: SMTP, and a postman with faults.

use std::sync::{Arc, Mutex};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use shop_core::mail::{Mailer, NotSent, OutgoingMail, SmtpMailer};
use shop_core::testing::conformance::{Arrived, MAILER_CHECKS, MailerBench, mailer};
use shop_core::value::Mailbox;

use super::{hold, wait};
use crate::core::fixture::START;
use crate::fakes::smtp::{Received, SmtpBehaviour, SmtpServer};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    LosesTheText,
    TakesSubjectsForHeaders,
    RenamesMails,
    DropsTheLink,
    TriesForEver,
    TellsTheAddress,
}

const REFUSED: &str = "ninguem@example.com";

/// A postman who puts mails into a box in memory.
#[derive(Clone, Default)]
struct Postman {
    fault: Option<Fault>,
    arrived: Arc<Mutex<Vec<Arrived>>>,
}

impl Postman {
    fn has(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    fn take(&self, mail: &OutgoingMail) -> Result<(), NotSent> {
        if mail.to.email.as_str() == REFUSED {
            let tells = self.has(Fault::TellsTheAddress);
            let summary = if tells { format!("550 {REFUSED}") } else { "550".to_owned() };
            let for_good = !self.has(Fault::TriesForEver);
            return Err(NotSent { for_good, perhaps_taken: false, summary, detail: String::new() });
        }
        let mut arrived = self.arrived.lock().expect("whole");
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let reply_to = mail.reply_to.as_ref().map(|it| it.email.to_string());
        let mut letter = Arrived {
            to: mail.to.email.to_string(),
            reply_to: reply_to.unwrap_or_default(),
            subject: one_line(&mail.subject),
            text: mail.text.clone(),
            html: mail.html.clone(),
            message_id: format!("<{}@example.com>", mail.id),
            list_unsubscribe: mail.unsubscribe_url.clone().unwrap_or_default(),
        };
        match self.fault {
            Some(Fault::LosesTheText) => letter.text.clone_from(&mail.id),
            Some(Fault::TakesSubjectsForHeaders) if mail.subject.contains("Reply-To:") => {
                "mallory@example.com".clone_into(&mut letter.reply_to);
            }
            Some(Fault::RenamesMails) => letter.message_id = format!("<{}@x>", arrived.len()),
            Some(Fault::DropsTheLink) => letter.list_unsubscribe = String::new(),
            _ => {}
        }
        arrived.push(letter);
        Ok(())
    }
}

impl Mailer for Postman {
    fn send<'a>(&'a self, mail: &'a OutgoingMail) -> BoxFuture<'a, Result<(), NotSent>> {
        async { self.take(mail) }.boxed()
    }
}

#[test]
fn a_mailer_with_each_planted_fault_is_caught() {
    let planted = [
        (Fault::LosesTheText, "a_mail_arrives_whole"),
        (Fault::TakesSubjectsForHeaders, "a_subject_with_line_breaks_makes_no_header"),
        (Fault::RenamesMails, "a_mail_that_is_sent_again_is_the_same_mail"),
        (Fault::DropsTheLink, "a_link_to_unsubscribe_stands_in_its_header"),
        (Fault::TriesForEver, "an_address_that_is_refused_is_given_up"),
        (Fault::TellsTheAddress, "a_refusal_holds_no_part_of_the_mail"),
    ];
    hold(MAILER_CHECKS, &planted, |fault| {
        let postman = Postman { fault, ..Postman::default() };
        let arrived = Arc::clone(&postman.arrived);
        let inbox = move || {
            let all = arrived.lock().expect("whole").clone();
            async { all }.boxed()
        };
        let ana = "ana@example.com".parse().expect("an e-mail");
        let refused = REFUSED.parse().expect("an e-mail");
        wait(mailer(&postman, &MailerBench::new(START, ana, inbox).refusing(refused)))
    });
}

fn arrived(received: &Received) -> Arrived {
    let header = |name: &str| received.header(name).unwrap_or_default();
    let reply_to: Mailbox = header("Reply-To").parse().expect("a mailbox");
    Arrived {
        to: received.recipient(),
        reply_to: reply_to.email.to_string(),
        subject: header("Subject"),
        text: received.text(),
        html: received.html(),
        message_id: header("Message-ID"),
        list_unsubscribe: header("List-Unsubscribe"),
    }
}

#[tokio::test]
async fn smtp_keeps_to_the_port_of_mailers() {
    let server = Arc::new(SmtpServer::start(SmtpBehaviour::Takes).await);
    let from: Mailbox = "Velas da Ana <loja@example.com>".parse().expect("a mailbox");
    let smtp = SmtpMailer::new(&shop_core::config::Secret::new(server.url()), &from);
    let inbox = move || {
        let all: Vec<Arrived> = server.received().iter().map(arrived).collect();
        async { all }.boxed()
    };
    let bench = MailerBench::new(START, "ana@example.com".parse().expect("an e-mail"), inbox);
    assert_eq!(mailer(&smtp.expect("a mailer"), &bench).await, Ok(()));
}
