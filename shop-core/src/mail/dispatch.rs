//! Sends what waits in the outbox.
//!
//! Mails are claimed for a while, sent outside of any transaction, and settled. A claim is one
//! guarded statement, so of several processes one gets a mail; should it die, the claim ends and
//! another one tries. A process that dies between the mail server's "250" and the note of it has
//! that mail sent twice, under one `Message-ID`: nothing else can be promised over SMTP.
//!
//! A transaction settles the mails of one claim and makes the next one, of four times as many while
//! all leave within a moment, else of one: what may be sent twice is what left within that moment.

use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use tracing::Instrument;

use super::mime::{Attachment, OutgoingMail};
use super::page::Frame;
use super::store::{self, Claimed, Leases, Outcome};
use super::template::{Class, ReadTemplate};
use super::words::{MailData, MailText, MailTexts};
use super::{Mailer, NotSent, rate_limit};
use crate::clock::Timestamp;
use crate::context::Context;
use crate::error::Result;
use crate::lane;
use crate::storage::Tx;
use crate::value::Mailbox;

/// How many mails are claimed at once, at most.
const BATCH: i64 = 64;
/// After this no further mail of a claim is tried: what left is settled, the rest given back.
const SETTLED_AFTER: Duration = Duration::from_millis(100);
/// Claimed mails wait this many times as long as their claim did, so that orders go first where
/// writes queue up for the database. Where none do, that is a moment.
const ORDERS_FIRST: u32 = 3;
/// How long they wait at most.
const LONGEST_PAUSE: Duration = Duration::from_millis(200);
/// How many mails are made before others get the thread.
const MAILS_BEFORE_YIELD: usize = 8;
/// How long a mail may take to leave.
const SEND_TIMEOUT: Duration = Duration::from_secs(60);
/// How many times as long it may take where it was perhaps taken before: a mail server may think
/// for ten minutes about the end of a mail (RFC 5321, 4.5.3.2.6). Not at once, since others wait
/// meanwhile.
const PATIENCE: u32 = 10;
/// How long no other process tries; longer than a mail and its attachments may take.
const LEASE: Duration = Duration::from_secs(3 * 60);
const PATIENT_LEASE: Duration = Duration::from_secs(13 * 60);
/// The wait after the first failure; it doubles with each one.
const FIRST_WAIT: Duration = Duration::from_secs(5);
const LONGEST_WAIT: Duration = Duration::from_secs(30 * 60);
/// The least wait of a mail that was perhaps taken.
const FIRST_WAIT_FOR_A_COPY: Duration = Duration::from_secs(30 * 60);
/// After this a mail that still cannot leave is given up.
const GIVE_UP_AFTER: Duration = Duration::from_secs(5 * 24 * 60 * 60);

/// Mails that were claimed, and how each ended; `None` where it was not tried.
type Round = Vec<(Claimed, Option<Outcome>)>;

/// Sends the mails of the outbox.
pub(crate) struct Dispatcher<'a> {
    cx: &'a Context,
    mailer: &'a dyn Mailer,
    /// The program's own words.
    texts: Option<&'a dyn MailTexts>,
    /// Of everything in the shop that writes mails.
    templates: &'static [ReadTemplate],
}

impl<'a> Dispatcher<'a> {
    pub(crate) fn new(
        cx: &'a Context,
        mailer: &'a dyn Mailer,
        texts: Option<&'a dyn MailTexts>,
        templates: &'static [ReadTemplate],
    ) -> Self {
        Self { cx, mailer, texts, templates }
    }

    /// Sends the mails that are due, oldest first, until none is left or `stopping` says so; tells
    /// how many left.
    pub(crate) async fn deliver_due(&self, stopping: impl Fn() -> bool + Send) -> Result<usize> {
        let (mut sent, mut limit) = (0, 1);
        let mut round = Vec::new();
        loop {
            let now = self.cx.now();
            let due = self.cx.db().lookup("mail.due", move |tx| store::is_due(tx, now)).await?;
            let more = due && !stopping();
            if round.is_empty() && !more {
                return Ok(sent);
            }
            // What was held back is not due any more; something else may be.
            let asked = Instant::now();
            let claimed = self.settle_and_claim(round, if more { limit } else { 0 }).await?;
            if !claimed.is_empty() {
                // Before they leave: after a crash, what has left and is not settled is sent again.
                let waited = asked.elapsed();
                tokio::time::sleep((waited * ORDERS_FIRST).min(LONGEST_PAUSE)).await;
            }
            round = self.deliver_in_turn(claimed, &stopping).await;
            sent += round.iter().filter(|(_, end)| *end == Some(Outcome::Sent)).count();
            let all_tried = round.iter().all(|(_, end)| end.is_some());
            limit = if all_tried { (limit * 4).min(BATCH) } else { 1 };
        }
    }

    /// One transaction for each round: the end of the last and the beginning of the next.
    async fn settle_and_claim(&self, round: Round, limit: i64) -> Result<Vec<Claimed>> {
        let (cx, at, templates) = (self.cx.clone(), self.cx.work(), self.templates);
        let leases = Leases { usual: at.now().plus(LEASE), patient: at.now().plus(PATIENT_LEASE) };
        let round = Arc::new(round);
        let job = move |tx: &mut dyn Tx| {
            for (mail, end) in &*round {
                match end {
                    Some(outcome) => store::settle(tx, mail, outcome, at.now())?,
                    None => store::give_back(tx, mail)?,
                }
            }
            match limit {
                0 => Ok(Vec::new()),
                _ => rate_limit::claim(tx, &cx, templates, &at, leases, limit),
            }
        };
        // What was not settled would be sent again.
        self.cx.db().write_patiently(lane::INTEGRATIONS, "mail.next", job).await
    }

    /// Sends what was claimed, until [`SETTLED_AFTER`]. The first one is always tried.
    async fn deliver_in_turn(
        &self,
        claimed: Vec<Claimed>,
        stopping: &(impl Fn() -> bool + Send),
    ) -> Round {
        let settled_at = self.cx.now().plus(SETTLED_AFTER);
        let mut round = Vec::with_capacity(claimed.len());
        for mail in claimed {
            let is_late = !round.is_empty() && (stopping() || self.cx.now() >= settled_at);
            let end = if is_late {
                None
            } else {
                let span = tracing::debug_span!("mail.send", kind = mail.kind);
                Some(self.deliver(&mail, stopping).instrument(span).await)
            };
            round.push((mail, end));
            // A mailer that never waits would keep the thread for all of them.
            if round.len().is_multiple_of(MAILS_BEFORE_YIELD) {
                tokio::task::yield_now().await;
            }
        }
        round
    }

    async fn deliver(&self, claimed: &Claimed, stopping: &(impl Fn() -> bool + Send)) -> Outcome {
        let Some(mut mail) = self.compose(claimed) else {
            let text = "a mail that this version cannot read".to_owned();
            let failure = NotSent { for_good: true, ..unsent(text) };
            return failed(claimed, failure, self.cx.now());
        };
        match self.attachments(claimed).await {
            Ok(attachments) => mail.attachments = attachments,
            Err(failure) => return failed(claimed, failure, self.cx.now()),
        }
        match self.hand_over(claimed, &mail, stopping).await {
            Ok(()) => Outcome::Sent,
            Err(failure) => failed(claimed, failure, self.cx.now()),
        }
    }

    async fn hand_over(
        &self,
        claimed: &Claimed,
        mail: &OutgoingMail,
        stopping: &(impl Fn() -> bool + Send),
    ) -> Result<(), NotSent> {
        // One that panics must not have the same mail again and again, ahead of all others.
        let sending = AssertUnwindSafe(async { self.mailer.send(mail).await }).catch_unwind();
        let mut sending = pin!(sending);
        for waited in 0..if claimed.perhaps_taken { PATIENCE } else { 1 } {
            if waited > 0 && stopping() {
                break;
            }
            match tokio::time::timeout(SEND_TIMEOUT, &mut sending).await {
                Ok(Ok(sent)) => return sent,
                Ok(Err(_)) => return Err(unsent("the mailer panicked".to_owned())),
                Err(_) => {}
            }
        }
        let unsent = unsent("the mail server takes too long".to_owned());
        Err(NotSent { perhaps_taken: true, ..unsent })
    }

    async fn attachments(&self, claimed: &Claimed) -> Result<Vec<Attachment>, NotSent> {
        let Some(template) = &claimed.template else { return Ok(Vec::new()) };
        let made = AssertUnwindSafe(template.attachments(self.cx)).catch_unwind();
        let detail = match tokio::time::timeout(SEND_TIMEOUT, made).await {
            Ok(Ok(Ok(attachments))) => return Ok(attachments),
            Ok(Ok(Err(error))) => error.to_string(),
            Ok(Err(_)) => "it panicked".to_owned(),
            Err(_) => "it takes too long".to_owned(),
        };
        let summary = "its attachments cannot be made".to_owned();
        Err(NotSent { for_good: false, perhaps_taken: false, summary, detail })
    }

    fn compose(&self, claimed: &Claimed) -> Option<OutgoingMail> {
        let Claimed { id, to, template, created_at, token, .. } = claimed;
        let template = template.as_ref()?;
        let rendered = template.render(self.cx, to, token.as_ref());
        let contact = || self.cx.config().mail.contact_to.clone();
        let to_the_shop = template.class() == Class::ToTheShop;
        let reply_to =
            rendered.reply_to.clone().or_else(|| if to_the_shop { None } else { contact() });
        let from = self.cx.config().mail.from.clone();
        let frame = Frame {
            shop: shop_name(&from),
            base_url: self.cx.config().base_url(),
            seller: self.cx.config().seller().filter(|_| !to_the_shop).map(|seller| seller.line()),
        };
        let page = &rendered.page;
        let standard = MailText {
            subject: page.subject.clone(),
            text: page.text(&frame),
            html: page.html(&frame),
        };
        let own = MailData::words(self.texts, &**template, &rendered, (to, &standard));
        let MailText { subject, text, html } = own.unwrap_or(standard);
        Some(OutgoingMail {
            id: id.clone(),
            created_at: *created_at,
            subject,
            text,
            html,
            from,
            to: to.clone(),
            reply_to,
            unsubscribe_url: rendered.unsubscribe_url,
            attachments: Vec::new(),
        })
    }
}

/// What the shop is called in its mails.
pub(super) fn shop_name(from: &Mailbox) -> String {
    from.name.clone().unwrap_or_else(|| "Loja".to_owned())
}

fn failed(claimed: &Claimed, failure: NotSent, now: Timestamp) -> Outcome {
    let Claimed { id, kind, created_at, attempt, .. } = claimed;
    let NotSent { for_good, perhaps_taken, summary, detail } = failure;
    // What a mail server says may repeat what it was sent.
    let error = if claimed.is_secret() { summary } else { format!("{summary}: {detail}") };
    let wait = if perhaps_taken { wait_for_a_copy(*created_at, now) } else { wait_after(*attempt) };
    let next_try_at = now.plus(wait);
    let give_up = for_good || next_try_at > created_at.plus(GIVE_UP_AFTER);
    if give_up {
        tracing::error!(mail = id, kind, attempt, error, "a mail was given up");
    } else {
        tracing::warn!(mail = id, kind, attempt, error, "a mail must wait");
    }
    Outcome::Failed { next_try_at: (!give_up).then_some(next_try_at), perhaps_taken, error }
}

fn unsent(text: String) -> NotSent {
    NotSent { for_good: false, perhaps_taken: false, summary: text.clone(), detail: text }
}

/// Three times a mail's age: what is tried for five days makes five copies at most.
fn wait_for_a_copy(created_at: Timestamp, now: Timestamp) -> Duration {
    let age = u64::try_from(now.millis() - created_at.millis()).unwrap_or_default();
    FIRST_WAIT_FOR_A_COPY.max(Duration::from_millis(age) * 3)
}

fn wait_after(attempt: i64) -> Duration {
    let doublings = u32::try_from(attempt - 1).unwrap_or(u32::MAX).min(16);
    (FIRST_WAIT * 2_u32.pow(doublings)).min(LONGEST_WAIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_half_an_hour() {
        let waits: Vec<u64> = (1..=11).map(|attempt| wait_after(attempt).as_secs()).collect();
        assert_eq!(waits, [5, 10, 20, 40, 80, 160, 320, 640, 1280, 1800, 1800]);
        assert_eq!(wait_after(i64::MAX), LONGEST_WAIT);
    }
}
