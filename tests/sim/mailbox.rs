//! A mail server that takes mails, refuses them, or takes them and loses its answer.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;
use shop_core::mail::{Mailer, NotSent, OutgoingMail};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MailMood {
    #[default]
    Works,
    Refuses,
    TakesAndFails,
}

impl MailMood {
    pub(crate) const FAULTS: [Self; 2] = [Self::Refuses, Self::TakesAndFails];
}

#[derive(Debug, Default)]
struct Letters {
    mood: MailMood,
    /// How often each mail was taken, and its subject.
    taken: BTreeMap<String, (usize, String)>,
    /// Taken in this step.
    lately: Vec<String>,
    /// Of which the shop cannot know that they were taken: these may come again.
    unanswered: BTreeSet<String>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Mailbox(Arc<Mutex<Letters>>);

impl Mailbox {
    fn letters(&self) -> MutexGuard<'_, Letters> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set(&self, mood: MailMood) {
        let mut letters = self.letters();
        letters.mood = mood;
        letters.lately.clear();
    }

    /// The step broke off: what was taken in it may not have been written down.
    pub(crate) fn step_broke_off(&self) {
        let mut letters = self.letters();
        let lately = std::mem::take(&mut letters.lately);
        letters.unanswered.extend(lately);
    }

    /// Mails that came more than once without a reason.
    pub(crate) fn repeated(&self) -> Vec<String> {
        let letters = self.letters();
        let twice =
            letters.taken.iter().filter(|(id, (n, _))| *n > 1 && !letters.unanswered.contains(*id));
        twice.map(|(_, (n, subject))| format!("{n} times: {subject}")).collect()
    }

    pub(crate) fn has(&self, id: &str) -> bool {
        self.letters().taken.contains_key(id)
    }
}

impl Mailer for Mailbox {
    fn send<'a>(&'a self, mail: &'a OutgoingMail) -> BoxFuture<'a, Result<(), NotSent>> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            let mut letters = self.letters();
            let refused = |summary: &str| {
                Err(NotSent {
                    for_good: false,
                    perhaps_taken: false,
                    summary: summary.to_owned(),
                    detail: String::new(),
                })
            };
            if letters.mood == MailMood::Refuses {
                return refused("SMTP 451");
            }
            letters.taken.entry(mail.id.clone()).or_insert((0, mail.subject.clone())).0 += 1;
            letters.lately.push(mail.id.clone());
            if letters.mood == MailMood::TakesAndFails {
                letters.unanswered.insert(mail.id.clone());
                return refused("no answer");
            }
            Ok(())
        })
    }
}
